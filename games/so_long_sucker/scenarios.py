"""Start positions by name. Each shows what its name says whatever the switches are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from games.api import BadStart, Json, Scenario, Seat
from games.so_long_sucker.rules import start
from games.so_long_sucker.state import SEATS, State, dump


def _set_up(
    seats: tuple[Seat, ...],
    options: Any,
    seed: int,
    *,
    piles: Iterable[str] = (),
    prisoners: Mapping[Seat, str] | None = None,
    dead: str = "",
    mover: Seat = "red",
    eliminated: Sequence[Seat] = (),
    trail: Sequence[Seat] = (),
) -> Json:
    """A position in which `mover` is to play; chips are named by their colours' initials, bottom to top.

    What is not named lies in its owner's supply. The options, seats and seed are checked as those of any start.
    """
    position = dump(cast("State", start(seats, options, seed).state))
    colour_of = {name[0]: name for name in SEATS}
    held = {seat: [colour_of[chip] for chip in (prisoners or {}).get(seat, "")] for seat in SEATS}
    table = [[colour_of[chip] for chip in pile] for pile in piles]
    killed = [colour_of[chip] for chip in dead]
    away = [chip for chips in (*held.values(), *table, killed) for chip in chips]
    return {
        **position,
        "alive": [seat for seat in SEATS if seat not in eliminated],
        "eliminated": list(eliminated),
        "supply": {seat: position["options"]["chips"] - away.count(seat) for seat in SEATS},
        "prisoners": {
            seat: {colour: chips.count(colour) for colour in SEATS if colour in chips} for seat, chips in held.items()
        },
        "piles": [{"id": number, "chips": chips} for number, chips in enumerate(table, start=1)],
        "next_pile": len(table) + 1,
        "dead": {colour: killed.count(colour) for colour in SEATS},
        "mover": mover,
        "to_act": mover,
        "trail": list(trail),
    }


def opening(seats: tuple[Seat, ...], options: Any, seed: int) -> Json:
    """The usual start: all chips in supply, no piles, the first mover drawn."""
    return _set_up(seats, options, seed, mover=_first_mover(seats, options, seed))


def capture_ready(seats: tuple[Seat, ...], options: Any, seed: int) -> Json:
    """Red is to play and can capture two piles with chips of its own; blue lies within reach of yellow, too."""
    chips = _chips(seats, options, seed)
    if chips < 2:
        raise BadStart("options.chips: capture_ready needs 2 or more, since a capture takes two chips of one colour")
    if chips == 2:
        return _set_up(seats, options, seed, piles=["bgr", "y"], trail=["yellow"])
    return _set_up(seats, options, seed, piles=["bgr", "ybr", "y"], trail=["yellow", "blue"])


def donation_needed(seats: tuple[Seat, ...], options: Any, seed: int) -> Json:
    """Red has the move and not one chip; every other player holds a prisoner, so each can be asked."""
    chips = _chips(seats, options, seed)
    prisoners = {"blue": "r", "green": "y", "yellow": "b"}
    piles = ["br"] if chips > 1 else []
    position = _set_up(
        seats, options, seed, piles=piles, prisoners=prisoners, dead="r" * (chips - 2), trail=["blue", "green"]
    )
    return {**position, "phase": "ask"}


def choose_next(seats: tuple[Seat, ...], options: Any, seed: int) -> Json:
    """Red has just played on blue's pile; green and yellow are missing from it and from the table: red chooses."""
    position = _set_up(seats, options, seed, piles=["br"], trail=["blue"])
    return {**position, "phase": "next", "last_pile": 1}


def prisoner_play(seats: tuple[Seat, ...], options: Any, seed: int) -> Json:
    """Red is to play and holds two prisoners beside its own chips; with two chips a colour or more one captures."""
    if _chips(seats, options, seed) == 1:
        return _set_up(seats, options, seed, piles=["g"], prisoners={"red": "by"}, trail=["green"])
    return _set_up(seats, options, seed, piles=["gb", "y"], prisoners={"red": "bg"}, trail=["green", "yellow"])


def endgame_two(seats: tuple[Seat, ...], options: Any, seed: int) -> Json:
    """Yellow and green are out, in this order; red and blue are left, and red has the move."""
    chips = _chips(seats, options, seed)
    if chips == 1:
        return _set_up(seats, options, seed, dead="gy", eliminated=["yellow", "green"], trail=["blue"])
    return _set_up(
        seats,
        options,
        seed,
        piles=["gb", "r"] if chips > 2 else ["g"],
        prisoners={"blue": "y"},
        dead="g" * (chips - 1) + "y" * (chips - 1) + "rb" * ((chips - 1) // 2),
        eliminated=["yellow", "green"],
        trail=["green", "blue"],
    )


def many_piles(seats: tuple[Seat, ...], options: Any, seed: int) -> Json:
    """Red is to play with three piles or more on the table; from three chips a colour on there are five of them."""
    chips = _chips(seats, options, seed)
    if chips == 1:
        return _set_up(seats, options, seed, piles=["b", "g", "y"], trail=["yellow"])
    if chips == 2:
        return _set_up(seats, options, seed, piles=["b", "g", "y", "r"], trail=["yellow", "blue"])
    return _set_up(seats, options, seed, piles=["br", "g", "yb", "rg", "y"], trail=["blue", "red", "yellow", "green"])


def _chips(seats: tuple[Seat, ...], options: Any, seed: int) -> int:
    return cast("State", start(seats, options, seed).state).options.chips


def _first_mover(seats: tuple[Seat, ...], options: Any, seed: int) -> Seat:
    mover = cast("State", start(seats, options, seed).state).mover
    return SEATS[mover or 0]


SCENARIOS: Mapping[str, Scenario] = {
    "opening": opening,
    "capture_ready": capture_ready,
    "donation_needed": donation_needed,
    "choose_next": choose_next,
    "prisoner_play": prisoner_play,
    "endgame_two": endgame_two,
    "many_piles": many_piles,
}
"""The start positions by the names that a tournament file uses."""
