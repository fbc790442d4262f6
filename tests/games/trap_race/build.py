"""Positions in short hand for the tests: plain ground, the rest of the pieces at home, the rest of the traps aside."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from games import get_game
from games.api import Json
from tests.games.positions import changed as changed
from tests.games.positions import kinds as kinds
from tests.games.positions import legal_in, play_in

GAME = get_game("trap_race")
legal, play = legal_in(GAME), play_in(GAME)
SEATS = ("south", "north")
ASIDE = {
    "south": [f"4,{column}" for column in range(20, 30)],
    "north": [f"26,{column}" for column in range(9, -1, -1)],
}


def mirrored(tile: str) -> str:
    row, column = map(int, tile.split(","))
    return f"{30 - row},{29 - column}"


def ground(changes: Mapping[str, str]) -> list[str]:
    rows = [["."] * 30 for _ in range(31)]
    for tile, letter in changes.items():
        row, column = map(int, tile.split(","))
        rows[row][column] = letter
    return ["".join(row) for row in rows]


def side(seat: str, placed: Mapping[int, str], left: int) -> dict[str, str]:
    """The pieces placed, and others on the goal row of the enemy until so many are on the board."""
    pieces = {str(number): tile for number, tile in placed.items()}
    homes = [f"0,{column}" if seat == "south" else f"30,{29 - column}" for column in range(30)]
    free = [tile for tile in homes if tile not in placed.values()]
    for number in range(1, 16):
        if len(pieces) < left and str(number) not in pieces:
            pieces[str(number)] = free.pop(0)
    return {number: pieces[number] for number in sorted(pieces, key=int)}


def traps(seat: str, laid: Mapping[str, str]) -> dict[str, str]:
    filler = [tile for tile in ASIDE[seat] if tile not in laid]
    return {**laid, **dict.fromkeys(filler[: max(0, 10 - len(laid))], "live")}


def position(
    south: Mapping[int, str] | None = None,
    north: Mapping[int, str] | None = None,
    *,
    terrain: Mapping[str, str] | None = None,
    south_traps: Mapping[str, str] | None = None,
    north_traps: Mapping[str, str] | None = None,
    left: tuple[int, int] = (15, 15),
    score: tuple[int, int] = (0, 0),
    options: Json | None = None,
    **changes: Any,
) -> Json:
    """A race, south to act in turn 12. `left` is how many pieces each side has on the board; the others are gone."""
    base = {
        "game": "trap_race",
        "options": {
            "cap": 200, "water": 0.12, "forest": 0.22, "setup_seconds": 120, "attrition": "reach", **(options or {})
        },
        "chance": {"seed": 11, "drawn": 382},
        "phase": "turn",
        "to_act": "south",
        "turn": 12,
        "terrain": ground(terrain or {}),
        "biome": "ice",
        "first": "north",
        "boxes": {"8,25": {"holds": "bridge", "open": False}, "22,4": {"holds": "sense", "open": False}},
        "pickup": {"tile": "12,20", "kind": "terraform", "found": False},
        "pieces": {"south": side("south", south or {}, left[0]), "north": side("north", north or {}, left[1])},
        "gone": {"south": 15 - left[0] - score[0], "north": 15 - left[1] - score[1]},
        "score": {"south": score[0], "north": score[1]},
        "traps": {"south": traps("south", south_traps or {}), "north": traps("north", north_traps or {})},
        "known": {"south": [], "north": []},
        "tokens": {"south": {"held": 0, "coming": 0}, "north": {"held": 0, "coming": 0}},
        "pool": 10,
        "spent": {},
        "bonus": {},
        "bridge": {"south": [], "north": []},
        "sense": [],
        "power": None,
        "marks": [],
    }  # fmt: skip
    assert set(changes) <= set(base) | {"relaid"}
    return {**base, **changes}


def box(holds: str, *, opened: bool = False) -> Json:
    """Both boxes, south's (22,4) with this in it."""
    return {"8,25": {"holds": "bridge", "open": False}, "22,4": {"holds": holds, "open": opened}}


def tokens(south: int = 0, north: int = 0, coming: tuple[int, int] = (0, 0)) -> Json:
    return {"south": {"held": south, "coming": coming[0]}, "north": {"held": north, "coming": coming[1]}}


def found(kind: str, tile: str = "12,20") -> Json:
    return {"tile": tile, "kind": kind, "found": True}
