"""Start positions by name. Each shows what its name says, for any number of seats; options play no part in them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from games.api import Json, Scenario, Seat
from games.star_ludo.board import PAWNS, STARTS, YARD, place_of
from games.star_ludo.rules import start
from games.star_ludo.state import State, dump

RED_START = STARTS["red"]


def opening(seats: tuple[Seat, ...], options: Any, seed: int) -> Json:
    """The usual start: who begins is drawn, and the dice have rolled on to the first decision."""
    return dump(cast("State", start(seats, options, seed).state))


def double_six(seats: tuple[Seat, ...], options: Any, seed: int) -> Json:
    """Red has thrown a double six: it may bring a pawn out, and will roll again."""
    begun = opening(seats, options, seed)
    return _set_up(begun, {"red": [YARD, 9, YARD, YARD], "yellow": [4, YARD, 17, YARD]}, (6, 6))


def start_ambush(seats: tuple[Seat, ...], options: Any, seed: int) -> Json:
    """A pawn of the last seat stands on red's start star; red may leave the yard onto it, which captures."""
    begun = opening(seats, options, seed)
    last = seats[-1]
    return _set_up(begun, {"red": [YARD, 30, YARD, YARD], last: [3, place_of(last, RED_START), YARD, YARD]}, (6, 2))


def home_stretch(seats: tuple[Seat, ...], options: Any, seed: int) -> Json:
    """Every seat has two pawns home, one in its home row and one on the ring shortly before it."""
    begun = opening(seats, options, seed)
    return _set_up(begun, {seat: [56, 49, 53, 56] for seat in seats}, (3, 2))


def blocked_star(seats: tuple[Seat, ...], options: Any, seed: int) -> Json:
    """A pawn of the last seat stands on a star five squares ahead of red's pawn 1, which cannot play the larger die."""
    begun = opening(seats, options, seed)
    last = seats[-1]
    return _set_up(begun, {"red": [16, 3, YARD, YARD], last: [place_of(last, 21), YARD, YARD, YARD]}, (5, 4))


def _set_up(begun: Json, pawns: Mapping[Seat, list[int]], dice: tuple[int, int]) -> Json:
    """The position of a start, changed: red is to play its larger die; pawns of seats not named are in the yard."""
    return {
        **begun,
        "chance": {"seed": begun["chance"]["seed"], "drawn": 3},
        "pawns": {seat: list(pawns.get(seat, [YARD] * PAWNS)) for seat in begun["seats"]},
        "to_act": "red",
        "dice": list(dice),
        "die": 0,
        "extra": ["double_six"] if dice == (6, 6) else [],
        "rolls": 1,
        "phase": "move",
    }


SCENARIOS: Mapping[str, Scenario] = {
    "opening": opening,
    "double_six": double_six,
    "start_ambush": start_ambush,
    "home_stretch": home_stretch,
    "blocked_star": blocked_star,
}
"""The start positions by the names that a tournament file uses."""
