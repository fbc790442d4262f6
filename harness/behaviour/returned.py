"""How a player treats those who helped or hurt it earlier in the match, beside others in the same decision.

Unit: one free decision in which a player chose between several others to help, or to strike: it
gave the turn, or spared one of those whom it could strike, as pledges of that kind would be judged by it; and some of
them, but not all, had helped (hurt) it earlier in the match, by any deed that enters the sums. After: the share of
those who had that were helped in such a decision, on average. Without: the same of those who had not, in the same
decisions. So both meet the same position, phase and choice, and a player who chooses by lot comes to a difference of 0.
Another difference is no proof of gratitude or of revenge: who goes by the board alone treats them differently too where
those who helped stand differently on it. A donation has one receiver, so that nothing can be compared within its
decision. Left out: fallbacks, decisions without another choice, and players who are out. Games that know no pledges
have none.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import groupby
from math import fsum
from typing import NamedTuple

from harness.behaviour.bootstrap import Cell, Replicates
from harness.behaviour.deeds import ACTS, SENSE_OF, SENSES, SUMMED, Deed, Sense
from harness.behaviour.gather import Figure, Player, Sums, figure
from harness.behaviour.log import Played, Seat
from harness.intervals import Interval

CHOSEN = {"give_turn": "gave_turn", "spare": "spared"}
"""The pledges whose occasions may offer several receivers at once, and what is done where they would be kept."""
_Place = tuple[Player, str, Sense]


class Returned(NamedTuple):
    """How a player treats those who helped (hurt) it before, beside others in the same decisions."""

    player: Player
    act: str
    """The kind of help that could be given, of `ACTS`."""
    given: Sense
    """What the other had done to it before."""
    after: Figure
    without: Figure
    difference: float
    interval: Interval | None


class Returning:
    """Sums them match by match."""

    def __init__(self) -> None:
        self._after: dict[_Place, Sums] = defaultdict(Sums)
        self._without: dict[_Place, Sums] = defaultdict(Sums)

    def add(self, match: Played, found: Iterable[Deed], seated: Mapping[Seat, Player]) -> None:
        """One more match, of which these are the deeds, in order."""
        first: dict[tuple[Sense, Seat, Seat], int] = {}
        for done in found:
            if done.act in SUMMED:
                first.setdefault((SENSE_OF[done.act], done.giver, done.receiver), done.ply)
        if not first:
            return
        after: dict[_Place, list[float]] = defaultdict(list)
        without: dict[_Place, list[float]] = defaultdict(list)
        for (ply, kind), these in groupby(match.judged.deeds, key=lambda deed: (deed.ply, deed.kind)):
            if kind not in CHOSEN:
                continue
            open_to = [deed for deed in these if deed.counts and deed.alive]
            for sense in SENSES if len(open_to) > 1 else ():
                kept: tuple[list[bool], list[bool]] = [], []
                for deed in open_to:
                    kept[first.get((sense, deed.to, deed.maker), ply) < ply].append(deed.kept)
                if all(kept):
                    place = seated[open_to[0].maker], CHOSEN[kind], sense
                    without[place].append(sum(kept[0]) / len(kept[0]))
                    after[place].append(sum(kept[1]) / len(kept[1]))
        for sums, found_in in ((self._after, after), (self._without, without)):
            for place, shares in found_in.items():
                sums[place].add(match.match.pack, fsum(shares), len(shares))

    def rows(self, draws: Replicates) -> tuple[Returned, ...]:
        """The figures so far, by player, kind of help and what was done before."""
        order = [act.name for act in ACTS]
        keys = sorted(self._after, key=lambda key: (key[0], order.index(key[1]), SENSES.index(key[2])))
        after, without = ([sums[key].cell for key in keys] for sums in (self._after, self._without))
        between = [_halved(*pair) for pair in zip(after, without, strict=True)]
        intervals = draws.intervals([*after, *without, *between], shares=[True] * (3 * len(keys)))
        found = []
        for place, key in enumerate(keys):
            one, other, apart = intervals[place :: len(keys)]
            found.append(
                Returned(
                    *key,
                    figure(after[place], one, self._after[key].matches),
                    figure(without[place], other, self._without[key].matches),
                    (after[place].value or 0.0) - (without[place].value or 0.0),
                    None if apart is None else (2 * apart[0] - 1, 2 * apart[1] - 1),
                )
            )
        return tuple(found)


def _halved(after: Cell, without: Cell) -> Cell:
    """The difference of two shares of the same decisions as a share itself: from -1 to 1 it becomes 0 to 1.

    The two are no independent shares, so that an interval must be that of their difference.
    """
    part = {pack: (whole + after.part[pack] - without.part[pack]) / 2 for pack, whole in after.whole.items()}
    return Cell(part, after.whole)
