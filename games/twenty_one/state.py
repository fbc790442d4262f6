"""The state of a match, and its form as JSON."""

from __future__ import annotations

from typing import Any, NamedTuple

from games.api import Event, Json, Step
from games.twenty_one.options import Settings
from games.twenty_one.stones import COLOURS, GOAL, JOKER, SEATS, STONES

NAME = "twenty_one"
STARTERS = (0, 1, 0, 0, 1, 0)
"""Who starts each round, by seat."""
Grid = tuple[int | None, ...]
"""The stones of a grid row by row; None where a stone was taken."""


class Layer(NamedTuple):
    """A stone in a tower: the stone, the seat that placed it, and what it counts."""

    stone: int
    by: int
    counts: int


Tower = tuple[Layer, ...]
"""A tower from the bottom to the top."""


class Announcement(NamedTuple):
    """What a seat announced of the line it took.

    `kind` is `colours` or `numbers`; `items` are names of colours or numbers, `left` those of them not placed yet.
    """

    kind: str
    items: tuple[str | int, ...]
    left: tuple[str | int, ...]


class State(NamedTuple):
    """A position. Seats, towers and stones are numbers, see `stones`; pairs are by seat.

    `turn` counts the placements of the round, `totals` what each tower counts, `out` the jokers that were replaced.
    """

    options: Settings
    seed: int
    drawn: int
    removed: tuple[int, ...]
    round: int
    turn: int
    phase: str
    to_act: int | None
    grids: tuple[tuple[Grid, Grid], tuple[Grid, Grid]]
    direction: tuple[str | None, str | None]
    hands: tuple[tuple[int, ...], tuple[int, ...]]
    announced: tuple[Announcement | None, Announcement | None]
    towers: tuple[Tower, ...]
    totals: tuple[int, ...]
    discards: tuple[tuple[int, ...], tuple[int, ...]]
    out: int


class Draft:
    """A position while an action changes it, with what has happened so far; the fields are those of `State`.

    An action changes several fields one after the other. A new `State` for each change is what the engine would spend
    most of its time on, so there is one draft for the whole action and one `State` at its end.
    """

    __slots__ = (*State._fields, "events")

    def __init__(self, state: State) -> None:
        (
            self.options,
            self.seed,
            self.drawn,
            self.removed,
            self.round,
            self.turn,
            self.phase,
            self.to_act,
            self.grids,
            self.direction,
            self.hands,
            self.announced,
            self.towers,
            self.totals,
            self.discards,
            self.out,
        ) = state
        self.events: list[Event] = []

    def tell(self, kind: str, **fields: Any) -> None:
        """An event that everybody learns of."""
        self.events.append(Event(kind, "all", fields))

    def tell_seat(self, kind: str, seat: str, **fields: Any) -> None:
        """An event that one seat alone learns of."""
        self.events.append(Event(kind, (seat,), {"seat": seat, **fields}))

    def step(self) -> Step:
        """The position as it is now, and all the events."""
        state = State(
            self.options,
            self.seed,
            self.drawn,
            self.removed,
            self.round,
            self.turn,
            self.phase,
            self.to_act,
            self.grids,
            self.direction,
            self.hands,
            self.announced,
            self.towers,
            self.totals,
            self.discards,
            self.out,
        )
        return Step(state, tuple(self.events))


def owner(tower: Tower) -> int | None:
    """The seat that placed the top stone; None for an empty tower."""
    return tower[-1].by if tower else None


def own_goals(state: State | Draft, seat: int) -> int:
    """How many towers of exactly 21 a seat owns."""
    return sum(total == GOAL and tower[-1].by == seat for total, tower in zip(state.totals, state.towers, strict=True))


def names(stones: tuple[int, ...]) -> list[str]:
    """The names of stones, in their order."""
    return [STONES[stone] for stone in stones]


def cells(grid: Grid) -> list[str | None]:
    """A grid's stones by name, null where one was taken."""
    return [None if stone is None else STONES[stone] for stone in grid]


def grids_json(state: State | Draft) -> Json:
    """Both grids of both seats, every stone shown."""
    return {seat: [cells(grid) for grid in state.grids[index]] for index, seat in enumerate(SEATS)}


def hands_json(state: State | Draft) -> Json:
    """Both hands, every stone shown."""
    return {seat: names(state.hands[index]) for index, seat in enumerate(SEATS)}


def public_json(state: State) -> Json:
    """What lies open on the table, and where the match stands."""
    return {
        "game": NAME,
        "options": state.options._asdict(),
        "round": state.round,
        "turn": state.turn,
        "phase": state.phase,
        "to_act": None if state.to_act is None else SEATS[state.to_act],
        "direction": dict(zip(SEATS, state.direction, strict=True)),
        "announced": {seat: _announced(state.announced[index]) for index, seat in enumerate(SEATS)},
        "towers": {
            colour: [{"stone": STONES[layer.stone], "by": SEATS[layer.by], "counts": layer.counts} for layer in tower]
            for colour, tower in zip(COLOURS, state.towers, strict=True)
        },
        "discards": {seat: names(state.discards[index]) for index, seat in enumerate(SEATS)},
        "out": [STONES[JOKER]] * state.out,
    }


def dump(state: State) -> Json:
    """The whole position as JSON, with every option."""
    return {
        **public_json(state),
        "chance": {"seed": state.seed, "drawn": state.drawn},
        "grids": grids_json(state),
        "hands": hands_json(state),
        "removed": names(state.removed),
    }


def _announced(announcement: Announcement | None) -> Json | None:
    if announcement is None:
        return None
    return {
        "kind": announcement.kind,
        "items": list(announcement.items),
        "left": list(announcement.left),
    }
