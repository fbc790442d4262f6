"""Faults that were reported of games of this kind elsewhere."""

from __future__ import annotations

import pytest

from games.api import IllegalAction
from games.star_ludo.board import STAR_SQUARES, STARTS
from tests.games.star_ludo.build import ALL, GAME, legal, play, position

PASSER_BY = {
    "game": "star_ludo", "options": {}, "chance": {"seed": 1, "drawn": 3}, "seats": ["red", "green", "yellow", "blue"],
    "pawns": {
        "red": [35, 20, -1, -1], "green": [-1, -1, -1, -1], "yellow": [-1, -1, -1, -1], "blue": [0, -1, -1, -1],
    },
    "to_act": "red", "dice": [5, 4], "die": 1, "extra": [], "rolls": 1, "phase": "move",
}  # fmt: skip
"""Red's pawn 1 is four squares before blue's start star, on which a pawn of blue rests (adi-g15/Ludo-The_Game#37)."""
OWNER = {
    **PASSER_BY,
    "pawns": {**PASSER_BY["pawns"], "red": [39, 20, -1, -1], "blue": [-1, -1, -1, -1]},
    "to_act": "blue", "dice": [6, 2], "die": 0,
}  # fmt: skip
"""Red rests on blue's start star, and blue may leave its yard."""


def test_a_passer_by_captures_nothing_on_a_start_star():
    assert legal(PASSER_BY) == ["move 2"]
    with pytest.raises(IllegalAction, match="star"):
        GAME.apply(GAME.load(PASSER_BY), "move 1")


def test_the_owner_captures_there_as_it_leaves_its_yard():
    assert legal(OWNER) == ["move 1"]
    after, events = play(OWNER, "move 1")
    assert events[:2] == [
        {"kind": "exit", "seat": "blue", "pawn": 1, "die": 6},
        {"kind": "capture", "seat": "blue", "pawn": 1, "of": "red", "of_pawn": 1, "square": 39},
    ]
    assert after["pawns"]["red"] == [-1, 20, -1, -1]


@pytest.mark.parametrize("victim", ALL)
@pytest.mark.parametrize("mover", ALL)
def test_all_stars_shelter_alike(mover, victim):
    """Whoever rests on whichever star, whoever comes by with whichever number."""
    for square in STAR_SQUARES if mover != victim else ():
        rests, lands = ((square - STARTS[seat]) % 52 for seat in (victim, mover))
        for die in range(1, 7):
            if rests > 50 or not die <= lands <= 50:
                continue
            taken = {lands - die, lands, lands - die - die, 0, 8, 13}
            spare = next(place for place in range(1, 20) if not {place, place + die} & taken)
            where = position(
                {victim: [rests], mover: [lands - die, spare]}, (6, die), 1, mover, seats=4,
                extra=["double_six"] if die == 6 else [],
            )  # fmt: skip
            assert "move 1" not in legal(where)
            assert "move 2" in legal(where)
