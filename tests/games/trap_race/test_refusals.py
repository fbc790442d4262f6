"""What is refused, and in which words: unreadable, illegal, and nothing told that a seat may not know."""

from __future__ import annotations

import pytest

from games.api import IllegalAction, UnreadableAction
from games.trap_race.actions import KNOWN
from games.trap_race.board import TEXT
from tests.games.trap_race.build import GAME, SEATS, found, legal, play, position

RACE = position({1: "10,10"})
SETUP = GAME.dump(GAME.start(SEATS, {}, 2).state)


@pytest.mark.parametrize(
    "text",
    ["", "move", "move 1", "move north", "move 1 north north", "nerf", "nerf 1 2", "piece", "piece 1, 2", "trap 1 , 2",
     "trap", "terraform", "end now", "auto all", "pass", "go 1 north", "move\u00a01 north", "éond"],
)  # fmt: skip
@pytest.mark.parametrize("where", [RACE, SETUP], ids=["race", "setup"])
def test_a_text_without_the_form_of_an_action_is_unreadable(where, text):
    with pytest.raises(UnreadableAction, match="has not the form of an action; the forms are: piece R,C"):
        play(where, text)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("move 0 north", 'there is no piece "0"; pieces have numbers from 1 to 15'),
        ("move 16 north", 'there is no piece "16"'),
        ("move 01 north", 'there is no piece "01"'),
        ("move one north", 'there is no piece "one"'),
        ("move 1 up", 'there is no direction "up"; the directions are north, south, east, west'),
        ("move 1 north\n", 'there is no direction "north\\n"'),
        ("move 1 northeast", 'there is no direction "northeast"'),
        ("nerf 99", 'there is no piece "99"'),
        ("piece 40,2", 'there is no tile "40,2"; tiles go from 0,0 to 30,29'),
        ("piece 2,30", 'there is no tile "2,30"'),
        ("piece 02,3", 'there is no tile "02,3"'),
        ("trap here", 'there is no tile "here"'),
        ("terraform 1;2", 'there is no tile "1;2"'),
    ],
)
@pytest.mark.parametrize("where", [RACE, SETUP], ids=["race", "setup"])
def test_impossible_words_are_illegal_not_unreadable(where, text, why):
    with pytest.raises(IllegalAction) as refused:
        play(where, text)
    assert not isinstance(refused.value, UnreadableAction)
    assert why in str(refused.value)


@pytest.mark.parametrize("text", [" Move\t1   NORTH ", "MOVE 1 north", "move 1 north  "])
def test_case_and_blanks_are_forgiven(text):
    assert play(RACE, text) == play(RACE, "move 1 north")


def test_a_refusal_is_short_and_printable_whatever_was_written():
    for text in ("move " + "9" * 10_000 + " north", "piece \u202e\x1b[2J", "nerf " + "x" * 500):
        with pytest.raises(IllegalAction) as refused:
            play(RACE, text)
        assert str(refused.value).isprintable()
        assert len(str(refused.value)) < 300


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("piece 1,1", "the setup is over; it is south's turn"),
        ("auto", "the setup is over; it is south's turn"),
        ("move 9 north", None),
        ("trap 9,9", "there is no extra trap in hand"),
        ("terraform 9,9", "there is no terraform in hand"),
        ("nerf 3", "there is no token to use"),
    ],
)
def test_what_belongs_to_another_moment_is_refused(text, why):
    if why is None:
        assert text in legal(RACE)
        return
    with pytest.raises(IllegalAction, match=why):
        play(RACE, text)


def test_a_piece_that_is_off_the_board_is_named():
    where = position({1: "10,10"}, left=(10, 15))
    with pytest.raises(IllegalAction, match="south has no piece 15 on the board"):
        play(where, "move 15 north")


def test_the_legal_list_is_exactly_what_apply_takes():
    for where in (
        RACE,
        position({1: "12,20"}, {3: "12,21"}, pickup=found("trap"), power="trap", tokens={
            "south": {"held": 1, "coming": 0}, "north": {"held": 0, "coming": 0}}),
        position({1: "12,20"}, terrain={"13,20": "w", "4,4": "f"}, pickup=found("terraform"), power="terraform",
                 bridge={"south": ["1"], "north": []}),
    ):  # fmt: skip
        listed = set(legal(where))
        state = GAME.load(where)
        for action in KNOWN:
            if action in listed:
                GAME.apply(state, action)
            else:
                with pytest.raises(IllegalAction):
                    GAME.apply(state, action)


def test_placing_a_trap_tells_nothing_of_unseen_enemy_traps():
    """Every tile gives the same list, the same events to the seat, the same refusal, wherever the enemy's traps lie."""
    base = position({1: "12,20"}, pickup=found("trap"), power="trap")
    other = position(
        {1: "12,20"}, pickup=found("trap"), power="trap",
        north_traps=dict.fromkeys(list(TEXT.values())[300:310], "live"),
    )  # fmt: skip
    assert legal(base) == legal(other)
    for tile in list(TEXT.values())[::7]:
        results = []
        for where in (base, other):
            try:
                results.append(play(where, f"trap {tile}")[1])
            except IllegalAction as refused:
                results.append(str(refused))
        assert results[0] == results[1]
