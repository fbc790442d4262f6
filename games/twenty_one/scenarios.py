"""Start positions by name. Each shows what its name says whatever the options are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from games.api import BadStart, Json, Scenario, Seat
from games.chance import Draws
from games.twenty_one.rules import announcement, start
from games.twenty_one.state import STARTERS, State, dump
from games.twenty_one.stones import (
    COLOURS,
    EACH,
    GRID,
    HAND,
    INDEX,
    JOKER,
    SEATS,
    SECOND_GRID,
    STONES,
    VALUE,
)


def _set_up(
    state: State,
    number: int,
    turn: int,
    towers: Mapping[str, str],
    lines: Mapping[Seat, str],
    hands: Mapping[Seat, str],
) -> Json:
    """A position in the midst of a round, `number`, in which lines were announced by numbers and taken as rows.

    A tower is written bottom to top as `p1:red6 p2:joker`; of a line the stones in hand are still to be placed. What
    is not named is dealt by the seed of the start: to the grids, to the discards and to those removed.
    """
    jokers = state.options.jokers
    built = {colour: [layer.split(":") for layer in towers.get(colour, "").split()] for colour in COLOURS}
    placed = [(seat, stone) for tower in built.values() for seat, stone in tower]
    held = {seat: hands[seat].split() for seat in SEATS}
    away = [stone for _, stone in placed] + held["p1"] + held["p2"]
    draws = Draws(state.seed)
    rest = [stone for stone in STONES[:JOKER] if stone not in away]
    draws.shuffle(rest)
    grids: dict[Seat, list[list[str | None]]] = {}
    discards = {}
    taken = (number - 1) % HAND + 1
    for seat in SEATS:
        own = [stone for by, stone in placed if by == seat] + held[seat]
        coloured = EACH - jokers - sum(stone != "joker" for stone in own)
        share = rest[:coloured] + ["joker"] * (jokers - own.count("joker"))
        rest = rest[coloured:]
        draws.shuffle(share)
        left = GRID - HAND * taken
        current: list[str | None] = [None] * (HAND * taken)
        current += share[:left]
        share = share[left:]
        if number >= SECOND_GRID:
            grids[seat] = [[None] * GRID, current]
        else:
            grids[seat] = [current, cast("list[str | None]", share[:GRID])]
            share = share[GRID:]
        discards[seat] = share
    return {
        **dump(state),
        "chance": {"seed": state.seed, "drawn": draws.drawn},
        "round": number,
        "turn": turn,
        "phase": "place",
        "to_act": SEATS[(STARTERS[number - 1] + turn) % 2],
        "grids": grids,
        "direction": dict.fromkeys(SEATS, "row"),
        "hands": held,
        "announced": {seat: _numbers(lines[seat].split(), held[seat]) for seat in SEATS},
        "towers": {colour: _layers(tower) for colour, tower in built.items()},
        "discards": discards,
        "removed": rest,
    }


def _layers(tower: list[list[str]]) -> list[Json]:
    layers: list[Json] = []
    for seat, stone in tower:
        counts = layers[-1]["counts"] if stone == "joker" else VALUE[INDEX[stone]]
        layers.append({"stone": stone, "by": seat, "counts": counts})
    return layers


def _numbers(line: list[str], hand: list[str]) -> Json:
    items, left = (list(announcement("numbers", tuple(INDEX[stone] for stone in stones))) for stones in (line, hand))
    return {"kind": "numbers", "items": items, "left": left}


def _start(seats: tuple[Seat, ...], options: Any, seed: int, *, jokers: int = 0, why: str = "") -> State:
    """The usual start, whose seats, options and seed are checked. Raises `BadStart`, also for too few jokers."""
    state = cast("State", start(seats, options, seed).state)
    if state.options.jokers < jokers:
        raise BadStart(f"options.jokers: {why} needs {jokers} or more")
    return state


def opening(seats: tuple[Seat, ...], options: Any, seed: int) -> Json:
    """The usual start: full grids, empty towers, p1 to take the first line."""
    return dump(_start(seats, options, seed))


def joker_top(seats: tuple[Seat, ...], options: Any, seed: int) -> Json:
    """Round 1: a joker lies on the green tower; p1 holds a joker, which finds no place, and two stones that do."""
    return _set_up(
        _start(seats, options, seed, jokers=1, why="joker_top"),
        1,
        2,
        {"green": "p1:green5 p2:joker"},
        {"p1": "green5 joker yellow4", "p2": "joker blue2 red6"},
        {"p1": "joker yellow4", "p2": "blue2 red6"},
    )


def two_twenty_ones(seats: tuple[Seat, ...], options: Any, seed: int) -> Json:
    """Round 4: p1 owns two towers of 21, holds the stone that makes the third, and is to place."""
    return _set_up(
        _start(seats, options, seed),
        4,
        2,
        {
            "red": "p1:red6 p2:purple5 p1:orange6 p1:red4",
            "yellow": "p2:yellow6 p1:yellow5 p2:green6 p1:orange4",
            "blue": "p1:blue6 p2:blue5 p2:purple6",
        },
        {"p1": "orange4 green4 yellow1", "p2": "purple6 orange1 orange2"},
        {"p1": "green4 yellow1", "p2": "orange1 orange2"},
    )


def only_pass(seats: tuple[Seat, ...], options: Any, seed: int) -> Json:
    """Round 3: the three towers that p1's last stone fits are too high for it, so p1 can only pass."""
    return _set_up(
        _start(seats, options, seed),
        3,
        4,
        {
            "red": "p1:red6 p2:purple6 p1:orange6",
            "orange": "p2:orange5 p1:yellow6 p2:red4 p1:yellow3",
            "purple": "p1:purple5 p2:blue6 p1:blue5 p2:purple3",
        },
        {"p1": "red5 yellow3 blue5", "p2": "green1 purple3 red4"},
        {"p1": "red5", "p2": "green1"},
    )


def replace_choice(seats: tuple[Seat, ...], options: Any, seed: int) -> Json:
    """Round 2: p2 can replace the other's joker by either of its stones, its own by one, or place a stone."""
    return _set_up(
        _start(seats, options, seed, jokers=1, why="replace_choice"),
        2,
        2,
        {"red": "p2:red6 p2:purple6 p1:orange3 p1:joker", "purple": "p1:blue6 p2:purple5 p1:blue4 p2:joker"},
        {"p1": "joker green2 yellow1", "p2": "orange4 red5 joker"},
        {"p1": "green2 yellow1", "p2": "orange4 red5"},
    )


SCENARIOS: Mapping[str, Scenario] = {
    "opening": opening,
    "joker_top": joker_top,
    "two_twenty_ones": two_twenty_ones,
    "only_pass": only_pass,
    "replace_choice": replace_choice,
}
"""The start positions by the names that a tournament file uses."""
