"""What a seat sees, by naming what is shown."""

from __future__ import annotations

from games.api import Json, Seat
from games.twenty_one.state import Grid, State, cells, grids_json, hands_json, names, public_json
from games.twenty_one.stones import SEATS, SECOND_GRID

HIDDEN = "?"
"""A stone that is there and not shown."""


def view(state: State, seat: Seat | None) -> Json:
    """The table, and of grids and hands what the seat may know; None is the spectator, who sees every stone.

    A seat sees its own hand and its own grid, grid 2 from round 4 on. When the match is over everything is shown.
    """
    if seat is None or state.phase == "over":
        return {
            **public_json(state),
            "grids": grids_json(state),
            "hands": hands_json(state),
            "removed": names(state.removed),
            "you": seat,
        }
    viewer = SEATS.index(seat)
    second = state.round >= SECOND_GRID
    own_first, own_second = state.grids[viewer]
    own = [cells(own_first), cells(own_second) if second else _covered(own_second)]
    return {
        **public_json(state),
        "grids": {
            name: own if index == viewer else [_covered(grid) for grid in state.grids[index]]
            for index, name in enumerate(SEATS)
        },
        "hands": {
            name: names(state.hands[index]) if index == viewer else [HIDDEN] * len(state.hands[index])
            for index, name in enumerate(SEATS)
        },
        "you": seat,
    }


def _covered(grid: Grid) -> list[str | None]:
    """A grid face down: only which stones are left shows."""
    return [None if stone is None else HIDDEN for stone in grid]
