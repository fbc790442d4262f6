from __future__ import annotations

import pytest

from games.api import IllegalAction, UnreadableAction
from tests.games.twenty_one.build import GAME, play, position, start
from tests.games.twenty_one.test_rounds import last

TAKE = start()
FIRST_TAKEN, _ = play(position(hand="green1", number=1, turn=5), "place green1 on green")
PLACE = position({"green": "p1:green5 p2:joker", "red": "p1:red6 p2:purple6 p1:orange6"}, "yellow3 joker red4", turn=2)
REPLACE = position(
    {"red": "p1:red6 p2:purple6 p1:orange3 p2:joker", "orange": "p2:orange1 p2:joker"}, "red2 red5 joker", turn=2
)
REPLACE_OVER = position({"red": "p1:red6 p2:purple6 p1:orange4 p1:red2 p2:joker"}, "red5")
ONLY_PASS = position(
    {
        "red": "p1:red6 p2:purple6 p1:orange6",
        "orange": "p2:orange5 p1:yellow6 p2:red4 p1:yellow3",
        "purple": "p1:purple5 p2:blue6 p1:blue5 p2:purple3",
    },
    "red5",
)
OVER, _ = play(last({"red": "p1:red3"}, "green1"), "place green1 on green")


def refusal(where, action):
    state = GAME.load(where)
    with pytest.raises(IllegalAction) as refused:
        GAME.apply(state, action)
    assert GAME.dump(state) == GAME.dump(GAME.load(where))
    return refused.value


@pytest.mark.parametrize(
    ("where", "action", "reason"),
    [
        (TAKE, "place red4 on red", "it is p1's turn to take a line from the grid"),
        (TAKE, "pass", "it is p1's turn to take a line from the grid"),
        (TAKE, "take diagonal 1 colours", 'there is no direction "diagonal"; a line is a row or a column'),
        (TAKE, "take row 4 colours", 'there is no row "4"; the lines are 1, 2 and 3'),
        (TAKE, "take row \u0661 colours", 'there is no row "\\u0661"'),
        (TAKE, "take column 01 colours", 'there is no column "01"'),
        (TAKE, "take row 1 colors", 'colours or numbers are announced, not "colors"'),
        (FIRST_TAKEN, "take column 2 colours", "p2 takes a row from this grid, as at first"),
        (FIRST_TAKEN, "take row 1 colours", "row 1 was taken before"),
        (PLACE, "take row 1 colours", "it is p1's turn to place a stone"),
        (PLACE, "pass", "passing is for a hand of which no stone can be placed, and place red4 on orange is possible"),
        (PLACE, "place red7 on red", 'there is no stone "red7"'),
        (PLACE, "place red on red", 'there is no stone "red"'),
        (PLACE, "place yellow3 on pink", 'there is no tower "pink"'),
        (PLACE, "place blue1 on blue", "p1 has no blue1 in hand"),
        (PLACE, "place yellow3 on blue", "yellow3 fits no other towers than orange, yellow, green"),
        (PLACE, "place red4 on red", "it would bring the red tower to 22, over 21"),
        (PLACE, "place joker on red", "it would bring the red tower to 24, over 21"),
        (PLACE, "place joker on blue", "a joker cannot be the first stone of a tower"),
        (PLACE, "place joker on green", "a joker cannot lie on a joker"),
        (REPLACE, "replace joker on red", "a joker replaces no joker"),
        (REPLACE, "replace red2 on purple", "no joker is on top of the purple tower"),
        (REPLACE, "replace red2 on red", "on top of the joker it makes 20, not over 21"),
        (REPLACE, "replace red5 on orange", "on top of the joker it makes 7, not over 21"),
        (REPLACE_OVER, "replace red5 on red", "even without the joker it would bring the red tower to 23"),
        (ONLY_PASS, "place red5 on red", "it would bring the red tower to 23, over 21"),
        (ONLY_PASS, "replace red5 on red", "no joker is on top of the red tower"),
        (OVER, "pass", "the match is over"),
        (OVER, "take row 1 colours", "the match is over"),
    ],
)
def test_the_reason_is_given_in_the_games_words(where, action, reason):
    refused = refusal(where, action)
    assert not isinstance(refused, UnreadableAction)
    quote, _, rest = str(refused).partition(" cannot be played: ")
    assert rest.startswith(reason)
    assert action.split(" ")[0] in quote


def test_a_stone_no_larger_than_the_joker_comes_no_closer():
    where = position({"red": "p1:red6 p2:purple6 p1:orange4 p2:joker"}, "red4")
    assert "it comes no closer to 21 than the joker, which counts 4" in str(refusal(where, "replace red4 on red"))


@pytest.mark.parametrize(
    "text",
    [
        "", "take", "take row", "take row 1", "take row 1, 2 colours", "take row 1 colours now", "place", "place red4",
        "place red4 red", "place red 4 on red", "place red4 on", "place red4 on red tower", "replace red4", "pass it",
        "passes", "discard red4", "place red4 on red\n", "place\nred4 on red", "place red4 on\u00a0red",
        "\u200bpass", "\uff50ass", "pass.", '"pass"', "1",
    ],
)  # fmt: skip
def test_a_text_without_the_form_of_an_action_is_unreadable(text):
    refused = refusal(PLACE, text)
    assert isinstance(refused, UnreadableAction)
    assert "place STONE on TOWER" in str(refused)
    assert str(refused).isprintable()


@pytest.mark.parametrize("text", ["PLACE RED4 ON ORANGE", "  place\tred4 \t on  orange ", "pLaCe rEd4 On OrAnGe"])
def test_case_and_blanks_are_forgiven(text):
    assert play(PLACE, text) == play(PLACE, "place red4 on orange")


def test_a_letter_that_only_looks_like_ascii_is_not_forgiven():
    assert isinstance(refusal(ONLY_PASS, "PAS\u017f"), UnreadableAction)
    assert isinstance(refusal(PLACE, "place red4 on \u014frange"), IllegalAction)


@pytest.mark.parametrize(
    "text",
    ["x" * 1_000_000, "place " + "\u202e" * 500_000 + " on red", "take row " + "9" * 500_000 + " colours",
     "take " + "\x1b" * 500_000 + " 1 colours", "place red4 on " + "x" * 500_000],
)  # fmt: skip
def test_a_huge_text_is_quoted_short(text):
    for where in (TAKE, PLACE):
        refused = str(refusal(where, text))
        assert len(refused) < 1000
        assert refused.isprintable()
