"""What the laws need to know of star ludo: options to try, turns of the board, and what a seat cannot know."""

from __future__ import annotations

from typing import Any

from games.api import Json
from games.chance import Draws
from games.star_ludo.board import RING, STARTS

ALL = tuple(STARTS)
OPTIONS: list[Json] = [
    {"cap": 40},
    {"cap": 60, "extra": "stack"},
    {},
    {"cap": 1},
    {"extra": "stack"},
    {"cap": 25},
    {"cap": 90},
]

PLAYTHROUGH: Json = {
    "options": {"extra": "stack"},
    "seats": 2,
    "scenario": "start_ambush",
    "seed": 38,
    "bot": "aggressive",
}


def relabellings(position: Json) -> list[dict[str, str]]:
    """The quarter turns with four seats, the half turn with two; the board of three has no symmetry."""
    seats = position["seats"]
    turns = {2: (2,), 3: (), 4: (1, 2, 3)}[len(seats)]
    return [{seat: ALL[(ALL.index(seat) + turn) % 4] for seat in seats} for turn in turns]


def relabel(value: Any, names: dict[str, str]) -> Any:
    """The same under other names: places stay, ring squares turn along, seats stay in seat order."""
    if isinstance(value, str):
        return names.get(value, value)
    if isinstance(value, list):
        return [relabel(item, names) for item in value]
    if isinstance(value, dict):
        renamed = {names.get(key, key): relabel(item, names) for key, item in value.items()}
        if "seats" in renamed:
            renamed["seats"].sort(key=ALL.index)
        if isinstance(renamed.get("square"), int):
            renamed["square"] = (renamed["square"] + STARTS[names["red"]]) % RING
        return renamed
    return value


def rearranged(position: Json, seat: str, draws: Draws) -> Json:
    """A position that differs in all that a seat cannot know: here the generator's state, so the dice to come."""
    return {**position, "chance": {"seed": draws.pick(2**53), "drawn": draws.pick(4000)}}
