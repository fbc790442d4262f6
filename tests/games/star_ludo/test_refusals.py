from __future__ import annotations

import pytest

from games.api import IllegalAction, UnreadableAction
from tests.games.star_ludo.build import GAME, play, position
from tests.games.star_ludo.test_position import CAPPED, WON

LARGE = position({"red": [-1, 3, 51, 56], "yellow": [34, 10]}, (5, 2))
"""Pawn 2's 8 is a star with yellow's pawn 1 on it."""
SIX = position({"red": [0, -1, 6, -1]}, (6, 2))
OUT = position({"red": [9, -1, 15, -1]}, (6, 2))
PLAIN = position({"red": [10, 15, 53, 52]}, (5, 2))


def refusal(where, action):
    state = GAME.load(where)
    with pytest.raises(IllegalAction) as refused:
        GAME.apply(state, action)
    assert GAME.load(where) == state
    return refused.value


@pytest.mark.parametrize(
    ("where", "action", "reason"),
    [
        (LARGE, "move 1", "pawn 1 is in the yard and leaves it with a 1 or a 6 only, not a 5"),
        (LARGE, "move 2", "pawn 2 cannot end on place 8: it is a star, and yellow's pawn 1 stands there"),
        (LARGE, "move 4", "pawn 4 is home already"),
        (SIX, "move 2", "pawn 2 cannot leave the yard: pawn 1 stands on the start star"),
        (SIX, "move 4", "pawn 4 cannot leave the yard: pawn 1 stands on the start star"),
        (OUT, "move 4", "pawns in the yard are alike: of these only the lowest number, 2, is moved"),
        (PLAIN, "move 1", "pawn 1 cannot end on place 15: pawn 2 stands there"),
        (PLAIN, "move 3", "pawn 3 needs exactly 3 to get home, and 5 is too much"),
        (PLAIN, "move 0", "there is no pawn 0; pawns are numbered 1 to 4"),
        (PLAIN, "move 5", "there is no pawn 5"),
        (PLAIN, "move 02", "there is no pawn 02"),
        (PLAIN, "move -1", 'there is no pawn "-1"'),
        (PLAIN, "move red", 'there is no pawn "red"'),
        (PLAIN, "move 40,2", 'there is no pawn "40,2"'),
        (PLAIN, "move \u0661", 'there is no pawn "\\u0661"'),
        (WON, "move 1", "the match is over"),
        (CAPPED, "move 9", "the match is over"),
    ],
)
def test_the_reason_is_given_in_the_games_words(where, action, reason):
    refused = refusal(where, action)
    assert not isinstance(refused, UnreadableAction)
    quote, _, rest = str(refused).partition(" cannot be played: ")
    assert rest.startswith(reason)
    assert quote.startswith('"move ')


@pytest.mark.parametrize(
    "text",
    [
        "", "move", "move 1 2", "move pawn 1", "1", "pass", "roll", "skip", "exit 1", "move 1\n", "move\n1",
        "move\u00a01", "\u200bmove 1", "\uff4dove 1", "move1", '"move 1"', "move 1 .",
    ],
)  # fmt: skip
def test_a_text_without_the_form_of_an_action_is_unreadable(text):
    refused = refusal(PLAIN, text)
    assert isinstance(refused, UnreadableAction)
    assert "move N" in str(refused)
    assert str(refused).isprintable()


@pytest.mark.parametrize("text", ["MOVE 2", "  move\t 2 ", "mOvE   2"])
def test_case_and_blanks_are_forgiven(text):
    assert play(PLAIN, text) == play(PLAIN, "move 2")


@pytest.mark.parametrize("text", ["x" * 1_000_000, "move " + "9" * 500_000, "move " + "\u202e" * 500_000])
def test_a_huge_text_is_quoted_short(text):
    refused = str(refusal(PLAIN, text))
    assert len(refused) < 1000
    assert refused.isprintable()
    assert "..." in refused
