"""The packs of one game of a tournament, in the stages in which a run gets them.

A stage is what is planned at one go: the packs that were asked for from the beginning, then what brings in players who
were added, then the packs beyond, and so on; or, where a run stops once two players are told apart, the packs up to
each look. What an earlier stage gave, no later one changes.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple, Protocol

from harness.schedule.line_ups import LineUp, Met, line_ups
from harness.schedule.orders import Seating
from harness.spec import Gauntlet, Tournament
from harness.spec.base import MAX_MATCHES
from harness.spec.faults import FieldError
from harness.spec.tables import baselines, founders, pack_size, packs_wanted, pool

CHALLENGER = -1
"""Stands for the challenger in the orders of a gauntlet before one is put in: the first of a line-up."""


class Block(NamedTuple):
    """Matches of one pack that are planned together; each order lists players by seat, by place in the pool."""

    pack: int
    orders: list[LineUp]


class _Packs(Protocol):
    """Somebody who plans packs one after the other."""

    def more(self, packs: int) -> list[Block]:
        """The packs up to so many in all."""

    def join(self, players: Sequence[int]) -> list[Block]:
        """What brings more players in, on the seeds of the packs that are there."""


def stages(spec: Tournament, index: int, seats: int) -> list[list[Block]]:
    """The blocks of an entry of `games`, stage by stage."""
    entry = spec.games[index]
    place = {player.label: number for number, player in enumerate(pool(spec, entry))}
    first = [place[player.label] for player in founders(spec, entry)]
    packs: _Packs
    if spec.line_ups == "self_play":
        packs = _Apart(spec, index, first, None, seats)
    elif isinstance(spec.line_ups, Gauntlet):
        against = [place[player.label] for player in baselines(spec, entry)]
        packs = _Apart(spec, index, [one for one in first if one not in against], against, seats)
    else:
        packs = _Together(spec, index, first, seats)
    if spec.until is not None:
        return [packs.more(stop) for stop in looks(spec, index, seats)]
    found = []
    for stage in spec.added:
        found.append(packs.more(packs_wanted(spec, entry, seats, stage.after)))
        found.append(packs.join(sorted(place[label] for label in stage.players if label in place)))
    return [*found, packs.more(packs_wanted(spec, entry, seats, spec.matches))]


def looks(spec: Tournament, index: int, seats: int) -> tuple[int, ...]:
    """After how many packs it is looked whether the two of `until` are told apart: those that matches are made ready
    for."""
    from harness.ratings.looks import look_points

    assert spec.until is not None
    points = look_points(packs_wanted(spec, spec.games[index], seats, None))
    return points if spec.until.ready is None else points[: spec.until.ready[index]]


def threshold(spec: Tournament, index: int, seats: int, pack: int) -> int:
    """A pack is played if more matches than this are asked for."""
    return pack * pack_size(spec, spec.games[index], seats)


class _Together:
    """Players of one pool against each other."""

    def __init__(self, spec: Tournament, index: int, players: Sequence[int], seats: int) -> None:
        self._kind = str(spec.line_ups)
        self._key = f"line-ups {spec.seed} {index}"
        self._players = list(players)
        self._seats = seats
        self._replicates = spec.replicates
        self._seating = Seating(spec.seating, spec.seed, index)
        self._met = Met()
        self._tables: list[tuple[int, LineUp, list[LineUp]]] = []
        self._joined = 0
        self._packs = 0
        self._next = line_ups(self._kind, self._key, tuple(players), seats, self._met)

    def more(self, packs: int) -> list[Block]:
        """The packs up to so many in all."""
        blocks = []
        while self._packs < packs:
            line_up = next(self._next)
            blocks.append(self._seat(self._packs, line_up, self._seating.orders(self._packs, line_up)))
            self._packs += 1
        return blocks

    def _seat(self, pack: int, line_up: LineUp, orders: list[LineUp]) -> Block:
        self._tables.append((pack, line_up, orders))
        self._met.add(line_up)
        return Block(pack, orders * self._replicates)

    def join(self, players: Sequence[int]) -> list[Block]:
        """What brings more players in, one after the other: table after table is played again with the new one in
        somebody's place, until it has been at as many as the others on average.

        Raises `FieldError` where that is too much.
        """
        blocks: list[Block] = []
        for player in players:
            blocks += self._bring(player)
            self._players.append(player)
        # The later ones brought in may have left an earlier one behind.
        while behind := [player for player in players if self._lead(player) <= -len(self._players)]:
            blocks += self._bring(min(behind, key=self._lead))
        if players:
            key = f"{self._key} with {len(self._players)}"
            self._next = line_ups(self._kind, key, tuple(self._players), self._seats, self._met)
        return blocks

    def _bring(self, player: int) -> list[Block]:
        met = self._met
        blocks: list[Block] = []
        there = {(pack, line_up) for pack, line_up, _ in self._tables}
        tables = [
            (pack, orders, {one: _swapped(line_up, one, player) for one in line_up})
            for pack, line_up, orders in self._tables
            if player not in line_up
        ]
        again = False
        while tables and self._lead(player) < 0:
            reached = {
                line_up
                for pack, _, instead in tables
                for line_up in instead.values()
                if again or (pack, line_up) not in there
            }
            if not reached:
                # Every line-up is there on every seed: some are played once more.
                again = True
                continue
            rarest = _Rarest(met, reached)
            for pack, orders, instead in tables:
                if self._lead(player) >= 0:
                    break
                free = [
                    one
                    for one, line_up in instead.items()
                    if rarest.has(line_up) and (again or (pack, line_up) not in there)
                ]
                if not free:
                    continue
                # Those stay whom it met least, and out goes who has been at the most tables.
                gone = min(
                    free,
                    key=lambda one: (
                        sum(met.pairs[player][other] for other in instead if other != one),
                        -met.played[one],
                        one,
                    ),
                )
                self._joined += len(orders) * self._replicates
                if self._joined > MAX_MATCHES:
                    raise FieldError("players", f"to bring them in takes more than {MAX_MATCHES:,} matches of a game")
                there.add((pack, instead[gone]))
                blocks.append(self._seat(pack, instead[gone], self._seating.replaced(orders, gone, player)))
                rarest.one_less()
        return blocks

    def _lead(self, player: int) -> int:
        """By how much it has been at more tables than the others on average, times their number."""
        played = self._met.played
        others = [other for other in self._players if other != player]
        return played[player] * len(others) - sum(played[other] for other in others)


class _Rarest:
    """Of some line-ups, those that were played least often so far."""

    def __init__(self, met: Met, line_ups: Collection[LineUp]) -> None:
        self._met = met
        self._of = line_ups
        self._look()

    def _look(self) -> None:
        self._least = min(self._met.line_ups[one] for one in self._of)
        self._left = sum(self._met.line_ups[one] == self._least for one in self._of)

    def has(self, line_up: LineUp) -> bool:
        """Whether it is one of them."""
        return self._met.line_ups[line_up] == self._least and line_up in self._of

    def one_less(self) -> None:
        """One of them was played."""
        self._left -= 1
        if not self._left:
            self._look()


def _swapped(line_up: LineUp, gone: int, new: int) -> LineUp:
    return tuple(sorted(new if one == gone else one for one in line_up))


class _Apart:
    """Players who never meet, each on the same seeds: challengers against the same baselines, or each with itself."""

    def __init__(
        self, spec: Tournament, index: int, players: Sequence[int], against: Sequence[int] | None, seats: int
    ) -> None:
        self._players = list(players)
        self._seats = seats
        self._replicates = spec.replicates
        self._seating = Seating(spec.seating, spec.seed, index)
        self._met = Met()
        self._plans: list[list[LineUp]] = []
        self._next = (
            None
            if against is None
            else line_ups("auto", f"line-ups {spec.seed} {index}", tuple(against), seats - 1, self._met)
        )

    def more(self, packs: int) -> list[Block]:
        """The packs up to so many in all."""
        blocks = []
        while len(self._plans) < packs:
            self._plans.append(self._plan(len(self._plans)))
            pack = len(self._plans) - 1
            orders = [order for player in self._players for order in self._orders(pack, player)]
            blocks.append(Block(pack, orders * self._replicates))
        return blocks

    def join(self, players: Sequence[int]) -> list[Block]:
        """What brings more players in: their own matches in every pack that is there."""
        self._players += players
        packs = range(len(self._plans))
        return [Block(pack, self._orders(pack, one) * self._replicates) for one in players for pack in packs]

    def _plan(self, pack: int) -> list[LineUp]:
        if self._next is None:
            return [(CHALLENGER,) * self._seats]
        beside = next(self._next)
        self._met.add(beside)
        return self._seating.orders(pack, (CHALLENGER, *beside))

    def _orders(self, pack: int, player: int) -> list[LineUp]:
        return [tuple(player if one == CHALLENGER else one for one in order) for order in self._plans[pack]]
