"""What the ratings read of one table's matches: who sat where, who came which, in which pack."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from harness.records import PlayerKind, SeatStats

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
EMPTY = -1
"""Stands for the player of a seat whose player is left out."""
IDENTITY = 6
"""So much of an identity tells players of one label apart."""


class Player(NamedTuple):
    """Who is rated: a label with another identity is another player."""

    label: str
    identity: str
    kind: PlayerKind


def called(players: Sequence[tuple[str, str]]) -> list[str]:
    """Labels; where two players have the same, with the beginning of their identity."""
    number = Counter(label for label, _ in players)
    return [label if number[label] == 1 else f"{label} ·{identity[:IDENTITY]}" for label, identity in players]


class Ballots(NamedTuple):
    """The matches of one table in an order that depends on nothing but themselves."""

    players: tuple[Player, ...]
    """By label, then identity."""
    seats: tuple[str, ...]
    seated: Whole
    """Match by seat: which of the players, or `EMPTY`."""
    places: Floats
    """Match by seat: the place, equal where it was shared."""
    packs: Whole
    """Of each match, numbered from 0."""

    @property
    def number_of_packs(self) -> int:
        """Packs with a match."""
        return int(self.packs.max(initial=-1)) + 1

    def without(self, left_out: Iterable[int]) -> Ballots:
        """The same matches with these players struck out: the others' places stand among themselves.

        Matches that leave fewer than two are dropped; so are players who are then in none.
        """
        seated = np.where(np.isin(self.seated, sorted(left_out)), EMPTY, self.seated)
        return self._replace(seated=seated).kept((seated != EMPTY).sum(axis=1) >= 2)

    def kept(self, wanted: NDArray[np.bool_]) -> Ballots:
        """Only these matches, and the players who sit in them."""
        seated, packs = self.seated[wanted], self.packs[wanted]
        there = np.unique(seated[seated != EMPTY])
        number = np.full(len(self.players) + 1, EMPTY)
        number[there] = np.arange(len(there))
        return Ballots(
            tuple(self.players[player] for player in there),
            self.seats,
            number[seated],
            self.places[wanted],
            np.unique(packs, return_inverse=True)[1].astype(np.int64),
        )


def ballots(
    stats: Iterable[SeatStats], seats: Sequence[str] | None = None, keep: Callable[[SeatStats], bool] | None = None
) -> Ballots:
    """The matches of these seats that have places, of which `keep` is true of every seat.

    `seats` is the order in which they are told; by name without it. All matches must have the same seats.
    """
    matches: dict[tuple[str, int, int], list[SeatStats]] = defaultdict(list)
    for stat in stats:
        matches[stat.run, stat.number, stat.match_id].append(stat)
    used = [
        seated
        for _, seated in sorted(matches.items())
        if all(stat.place is not None and (keep is None or keep(stat)) for stat in seated)
    ]
    # A run's match numbers begin anew in the next one and an entry's packs too: a pack is known by both.
    packs = sorted({(seated[0].run, seated[0].pack) for seated in used})
    pack_of = {pack: number for number, pack in enumerate(packs)}
    players = sorted({Player(stat.label, stat.identity, stat.kind) for seated in used for stat in seated})
    player_of = {player: number for number, player in enumerate(players)}
    names = sorted({stat.seat for seated in used for stat in seated})
    order = tuple(seats) if seats is not None and sorted(seats) == names else tuple(names)
    column = {seat: number for number, seat in enumerate(order)}
    seated_at = np.full((len(used), len(order)), EMPTY, dtype=np.int64)
    places = np.zeros((len(used), len(order)))
    for at, seated in enumerate(used):
        for stat in seated:
            seated_at[at, column[stat.seat]] = player_of[Player(stat.label, stat.identity, stat.kind)]
            places[at, column[stat.seat]] = stat.place or 0
    pack = np.array([pack_of[seated[0].run, seated[0].pack] for seated in used], dtype=np.int64)
    return Ballots(tuple(players), order, seated_at, places, pack)


def linked(tables: Whole, players: int) -> list[int]:
    """Of each player, the number of its group: players are in one if they met, or are linked by others who did."""
    parent = list(range(players))

    def root(player: int) -> int:
        while parent[player] != player:
            parent[player] = parent[parent[player]]
            player = parent[player]
        return player

    for row in np.unique(np.sort(tables, axis=1), axis=0):
        sitting = [int(player) for player in row if player != EMPTY]
        for player in sitting[1:]:
            low, high = sorted((root(sitting[0]), root(player)))
            parent[high] = low
    roots = [root(player) for player in range(len(parent))]
    numbers = {one: number for number, one in enumerate(dict.fromkeys(roots))}
    return [numbers[one] for one in roots]


def seat_counts(found: Ballots) -> Whole:
    """Player by seat: in how many matches."""
    players, seats = len(found.players), len(found.seats)
    there = found.seated != EMPTY
    cells = found.seated * seats + np.arange(seats)
    return np.bincount(cells[there], minlength=players * seats).reshape(players, seats).astype(np.int64)


def pack_sums(found: Ballots, value: Floats) -> Floats:
    """Pack by player: the sum of a value given by match and seat."""
    there = found.seated != EMPTY
    cells = found.packs[:, None] * len(found.players) + found.seated
    summed = np.bincount(cells[there], weights=value[there], minlength=found.number_of_packs * len(found.players))
    return summed.reshape(found.number_of_packs, len(found.players)).astype(np.float64)


def shares(found: Ballots) -> Floats:
    """Match by seat: 1 for the best placed, 1/k where k share that, else 0."""
    there = found.seated != EMPTY
    placed = np.where(there, found.places, np.inf)
    best = placed == placed.min(axis=1, keepdims=True, initial=np.inf)
    best &= there
    return np.asarray(best / np.maximum(best.sum(axis=1, keepdims=True), 1), dtype=np.float64)
