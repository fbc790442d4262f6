"""Faults that were reported of games of this kind elsewhere."""

from __future__ import annotations

import pytest

from tests.games.so_long_sucker.build import play, turn

GIVER_IS_OUT = {
    "game": "so_long_sucker", "options": {"chips": 3}, "chance": {"seed": 3, "drawn": 1},
    "alive": ["red", "green", "yellow"], "eliminated": ["blue"],
    "supply": {"red": 0, "blue": 0, "green": 2, "yellow": 2},
    "prisoners": {"red": {}, "blue": {}, "green": {}, "yellow": {}},
    "piles": [{"id": 1, "chips": ["blue", "yellow", "red"]}], "next_pile": 2, "last_pile": None,
    "dead": {"red": 2, "blue": 2, "green": 1, "yellow": 0},
    "phase": "answer", "mover": "red", "to_act": "green", "trail": ["yellow", "blue"], "captured": None,
    "asked": ["yellow", "green"],
}  # fmt: skip
"""Red is about to go out, and blue, who gave the move to red, is out already (wfx/teg#56, ccarrster/kraplow#168)."""


@pytest.mark.parametrize(
    ("trail", "heir", "why", "left"),
    [
        (["yellow", "blue"], "yellow", "rebound", []),
        (["blue"], "green", "clockwise", []),
        (["green", "yellow", "blue", "blue", "red"], "yellow", "rebound", ["green"]),
        (["red", "blue", "red", "blue"], "green", "clockwise", []),
        ([], "green", "clockwise", []),
    ],
)
def test_the_move_never_falls_to_a_seat_that_is_out(trail, heir, why, left):
    after, events = play({**GIVER_IS_OUT, "trail": trail}, "refuse")
    assert events == [
        {"kind": "refuse", "seat": "green", "to": "red"},
        {"kind": "eliminated", "seat": "red"},
        turn(heir, why),
    ]
    assert (after["mover"], after["to_act"], after["trail"]) == (heir, heir, left)
    assert after["alive"] == ["green", "yellow"]
