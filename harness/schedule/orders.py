"""Who sits in which seat: the orders in which a line-up is played, pack after pack."""

from __future__ import annotations

from itertools import permutations
from math import factorial

from games.chance import Draws
from harness.schedule.line_ups import LineUp

FEW_ORDERS = 720
"""Up to so many orders round a table are gone through before one comes again."""


class Seating:
    """The orders of one game's packs; each lists players by seat."""

    def __init__(self, seating: str, seed: int, game_index: int) -> None:
        self._seating = seating
        self._of = f"{seed} {game_index}"
        self._times: dict[LineUp, int] = {}
        self._tables: dict[LineUp, list[LineUp]] = {}

    def orders(self, pack: int, line_up: LineUp) -> list[LineUp]:
        """Those of the next pack of that line-up."""
        key = f"seats {self._of} {pack}"
        if self._seating == "rotate":
            if line_up not in self._tables:
                self._tables[line_up] = _round_tables(f"tables {self._of} {line_up}", line_up)
            time = self._times[line_up] = self._times.get(line_up, -1) + 1
            return _rotations(key, self._tables[line_up], line_up, time)
        return _other_orders(self._seating, key, line_up)

    def replaced(self, orders: list[LineUp], gone: int, new: int) -> list[LineUp]:
        """The same orders with another player in one player's place, except where the file fixes places."""
        if self._seating == "fixed":
            return [tuple(sorted(new if one == gone else one for one in order)) for order in orders]
        return [tuple(new if one == gone else one for one in order) for order in orders]


def _round_tables(key: str, line_up: LineUp) -> list[LineUp]:
    """All orders round a table that are no rotations of each other, in seeded order; none where there are too many."""
    if factorial(len(line_up) - 1) > FEW_ORDERS:
        return []
    first, *rest = line_up
    orders = [(first, *others) for others in permutations(rest)]
    Draws(key).shuffle(orders)
    return orders


def _rotations(key: str, tables: list[LineUp], line_up: LineUp, time: int) -> list[LineUp]:
    """The rotations of one order round the table: another one each time, begun at a drawn place."""
    draws = Draws(key)
    if tables:
        order = list(tables[time % len(tables)])
    else:
        order = list(line_up)
        draws.shuffle(order)
    first = draws.pick(len(order))
    return [
        tuple(order[(first + turn + seat) % len(order)] for seat in range(len(order))) for turn in range(len(order))
    ]


def _other_orders(seating: str, key: str, line_up: LineUp) -> list[LineUp]:
    if seating == "fixed":
        return [line_up]
    draws = Draws(key)
    if seating == "balanced":
        # In drawn order, so that a run stopped inside a pack has not played one player's seats first.
        orders = list(permutations(line_up))
        draws.shuffle(orders)
        return orders
    order = list(line_up)
    draws.shuffle(order)
    return [tuple(order)]
