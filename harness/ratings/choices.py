"""Matches as choices: of those still in, one comes next. The first choice of each match is its winner.

**Ties.** A first place that k share is 1/k of a win for each. Below it, every order that a tie leaves open counts
alike, so the order in which tied players are named cannot matter. Players who share the last place are not
told apart at all: nothing is read from it, since a game that knows only a winner gives all others the same place.
"""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import Literal, NamedTuple

import numpy as np

from harness.ratings.ballots import EMPTY, Ballots, Floats, Whole, linked

Stage = tuple[tuple[int, ...], tuple[float, ...]]
"""Who is still in, by seat, and how much of the choice each of them is."""
Which = Literal["wins", "places", "later"]
"""The first choice of each match; all; all but the first."""


class Choices(NamedTuple):
    """Choices gathered by their table (who is still in, in which seat), which tables share."""

    players: int
    packs: int
    tables: Whole
    """Table by seat: the player there, or `EMPTY`."""
    table: Whole
    pack: Whole
    number: Floats
    """Entry by entry, sorted by table: how many choices of a pack were made at a table."""
    chosen: Floats
    """Pack by player, then by seat: how often each was chosen."""
    cells: tuple[Whole, ...]
    """Of each player and seat, where it sits there: places in `tables`, read row by row."""
    starts: Whole
    """Of each table, its first entry."""
    groups: tuple[int, ...]
    """Of each player: those who are linked by tables have the same."""


def stages(places: tuple[float, ...]) -> list[Stage]:
    """The choices that one match's places say were made; 0 is a seat that is left out.

    >>> stages((1, 2, 3))
    [((0, 1, 2), (1.0, 0.0, 0.0)), ((1, 2), (1.0, 0.0))]
    >>> stages((2, 1, 2))
    [((0, 1, 2), (0.0, 1.0, 0.0))]
    """
    left = [seat for seat, place in enumerate(places) if place]
    found: list[Stage] = []
    while len(left) > 1:
        best = min(places[seat] for seat in left)
        tied = [seat for seat in left if places[seat] == best]
        if len(tied) == len(left):
            if not found:
                found.append((tuple(left), tuple(1 / len(left) for _ in left)))
            break
        for gone in range(len(tied)):
            weight = 1 / comb(len(tied), gone) / (len(tied) - gone)
            for out in combinations(tied, gone):
                here = tuple(seat for seat in left if seat not in out)
                found.append((here, tuple(weight if seat in tied else 0.0 for seat in here)))
        left = [seat for seat in left if seat not in tied]
    return found


def choices(found: Ballots, which: Which = "wins") -> Choices:
    """The choices of these matches."""
    size = len(found.seats)
    there = found.seated != EMPTY
    placed = np.where(there, found.places, 0.0)
    patterns, pattern_of = np.unique(placed, axis=0, return_inverse=True)
    pattern_of = pattern_of.reshape(-1)
    rows: list[Whole] = []
    packs: list[Whole] = []
    parts: list[Floats] = []
    for number, pattern in enumerate(patterns):
        these = np.flatnonzero(pattern_of == number)
        made = stages(tuple(float(place) for place in pattern))
        made = made[:1] if which == "wins" else made[1:] if which == "later" else made
        for here, share in made:
            row = np.full((len(these), size), EMPTY, dtype=np.int64)
            row[:, list(here)] = found.seated[these][:, list(here)]
            part = np.zeros((len(these), size))
            part[:, list(here)] = share
            rows.append(row)
            packs.append(found.packs[these])
            parts.append(part)
    players, pack_number = len(found.players), found.number_of_packs
    if not rows:
        nothing = np.zeros(0, dtype=np.int64)
        empty = np.zeros((pack_number, players + size), dtype=np.float64)
        tables = np.zeros((0, size), dtype=np.int64)
        return Choices(
            players,
            pack_number,
            tables,
            nothing,
            nothing,
            np.zeros(0),
            empty,
            (nothing,) * players * size,
            nothing,
            tuple(range(players)),
        )
    row, pack, part = np.concatenate(rows), np.concatenate(packs), np.concatenate(parts)
    tables, table = np.unique(row, axis=0, return_inverse=True)
    entries, entry = np.unique(table.reshape(-1) * pack_number + pack, return_inverse=True)
    number_of = np.bincount(entry.reshape(-1), weights=part.sum(axis=1))
    inside = row != EMPTY
    width = players + size
    seat = np.broadcast_to(np.arange(size), row.shape)
    by_pack = np.broadcast_to(pack[:, None] * width, row.shape)
    figures = np.concatenate([(by_pack + row)[inside], (by_pack + players + seat)[inside]])
    chosen = np.bincount(figures, weights=np.tile(part[inside], 2), minlength=pack_number * width)
    return Choices(
        players,
        pack_number,
        tables,
        entries // pack_number,
        entries % pack_number,
        np.asarray(number_of, dtype=np.float64),
        np.asarray(chosen, dtype=np.float64).reshape(pack_number, width),
        tuple(
            np.flatnonzero(tables[:, seat] == player) * size + seat for player in range(players) for seat in range(size)
        ),
        np.unique(entries // pack_number, return_index=True)[1].astype(np.int64),
        tuple(linked(tables, players)),
    )
