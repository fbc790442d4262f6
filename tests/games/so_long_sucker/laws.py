"""What the laws need to know of So Long Sucker: switches to try, relabellings, and what a seat cannot know."""

from __future__ import annotations

from itertools import product
from typing import Any

from games.api import Json
from games.chance import Draws
from games.so_long_sucker.state import SEATS

SWITCHES = {
    "captor": ("mover", "owner"),
    "choice": ("table", "pile"),
    "order": ("deepest", "latest"),
    "donors": ("any", "prisoners"),
    "heir": ("rebound", "clockwise"),
}
ALL_SWITCHES: list[Json] = [dict(zip(SWITCHES, values, strict=True)) for values in product(*SWITCHES.values())]
OPTIONS: list[Json] = [
    {},
    {"rules": "classic"},
    {"chips": 1},
    {"chips": 2, "rules": "classic"},
    *({"chips": 3, **switches} for switches in ALL_SWITCHES),
]


def relabellings(position: Json) -> list[dict[str, str]]:
    """The three rotations of the table."""
    return [{seat: SEATS[(place + turn) % 4] for place, seat in enumerate(SEATS)} for turn in (1, 2, 3)]


def relabel(value: Any, names: dict[str, str]) -> Any:
    """The same under other names; lists of the living stay in seat order."""
    if isinstance(value, str):
        return " ".join(names.get(word, word) for word in value.split(" "))
    if isinstance(value, list):
        return [relabel(item, names) for item in value]
    if isinstance(value, dict):
        renamed = {names.get(key, key): relabel(item, names) for key, item in value.items()}
        if "alive" in renamed:
            renamed["alive"].sort(key=SEATS.index)
        return renamed
    return value


def rearranged(position: Json, seat: str, draws: Draws) -> Json:
    """A position that differs in all that a seat cannot know: here the generator's state alone."""
    return {**position, "chance": {"seed": draws.pick(2**53), "drawn": draws.pick(100)}}


PLAYTHROUGH: Json = {"options": {"chips": 2}, "seed": 4}
