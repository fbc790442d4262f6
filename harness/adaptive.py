"""Runs that stop once two players are told apart: what the looks so far say, and what is to be played next.

All is read from the run's stored file and from its matches as they ended, so that whoever looks again, after a crash
too, comes to the same decision.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import games
from harness.ratings.missing import OPEN, fate
from harness.records import RunRecord, SeatStats
from harness.spec import SpecError, Tournament, Until, stored
from harness.spec.tables import pack_size, packs_wanted, seats_at

if TYPE_CHECKING:
    from harness.ratings.looks import Plan, Verdict
    from harness.ratings.table import Ratings


class Stopping(NamedTuple):
    """Two players of one entry of `games` whose difference the run is stopped by."""

    first: str
    second: str
    verdict: Verdict
    """Of the last look; of 0 packs before the first."""
    at_most: int
    """Matches that there may be, whole packs."""
    matches: int
    """Matches up to the last look."""

    def line(self) -> str:
        """What the last look says, in a few words."""
        found = self.verdict
        between = "" if found.interval is None else f" [{found.interval[0]:.2f}, {found.interval[1]:.2f}]"
        said = (
            f": difference of strengths (log odds) {found.difference:.2f}{between}"
            if found.interval is not None
            else ""
        )
        if found.apart:
            return f"{self.first} and {self.second} told apart after {found.packs} packs{said}"
        if found.stop:
            return f"{self.first} and {self.second} not told apart in {self.at_most:,} matches{said}"
        if not found.packs:
            return f"{self.first} and {self.second}: first look after {found.next_look} packs"
        return f"{self.first} and {self.second} not told apart after {found.packs} packs{said}"


class Looks(NamedTuple):
    """The looks at one entry of `games`, and how many matches a pack has."""

    plan: Plan
    pack_size: int


def looks(spec: Tournament, index: int) -> Looks:
    """When it is looked in that entry of `games`. Raises `SpecError` for a table that cannot be."""
    from harness.ratings.looks import plan  # (a run that stops by no look needs no numpy)

    entry = spec.games[index]
    try:
        seats = seats_at(spec, entry, games.get_game(entry.game))
        return Looks(plan(packs_wanted(spec, entry, seats, None)), pack_size(spec, entry, seats))
    except (KeyError, ValueError) as error:
        raise SpecError(str(error)) from None


def stoppings(spec: Tournament, stats: Iterable[SeatStats]) -> list[Stopping]:
    """How it stands with the two players in each entry of `games`; none where the run does not stop so.

    `stats` are the seats of the run's matches. The interval of a verdict holds though it was looked again and again.

    Raises:
        SpecError: for a table that cannot be, or a match of an entry that the file does not have.
    """
    if spec.until is None:
        return []
    by_entry: dict[int, list[SeatStats]] = {index: [] for index in range(len(spec.games))}
    for stat in stats:
        if stat.game_index not in by_entry:
            raise SpecError(f"games[{stat.game_index}]: match {stat.number} is of it, and the file does not have it")
        by_entry[stat.game_index].append(stat)
    return [_stopping(spec, spec.until, index, seated) for index, seated in by_entry.items()]


def stopped(runs: Iterable[RunRecord], stats: Iterable[SeatStats]) -> Mapping[tuple[str, int], Stopping]:
    """The same by run and entry, for those of the runs that stop so. One whose file cannot be read has none."""
    by_looks = {run.name: run for run in runs if run.spec.get("until") is not None}
    seated: dict[str, list[SeatStats]] = {name: [] for name in by_looks}
    for stat in stats:
        if stat.run in seated:
            seated[stat.run].append(stat)
    found: dict[tuple[str, int], Stopping] = {}
    for name, run in by_looks.items():
        try:
            stands = stoppings(stored(run.spec, name), seated[name])
        except SpecError:
            continue
        found |= {(name, index): stand for index, stand in enumerate(stands)}
    return found


def by_looks(rated: Ratings, stand: Stopping) -> Ratings:
    """A table's ratings with the two players' figures as the looks have them."""
    found, pairs = stand.verdict, []
    for pair in rated.main.pairs:
        if {pair.first.label, pair.second.label} == {stand.first, stand.second}:
            sign = 1 if pair.first.label == stand.first else -1
            low, high = found.interval or (0.0, 0.0)
            pair = pair._replace(
                ahead_interval=None,
                win_odds=sign * found.difference if found.interval else pair.win_odds,
                win_odds_interval=((low, high) if sign > 0 else (-high, -low)) if found.interval else None,
                p=None,
                p_corrected=None,
                apart=found.apart,
                matches_needed=None,
                by_looks=True,
            )
        pairs.append(pair)
    return rated._replace(main=rated.main._replace(pairs=tuple(pairs)))


def unjudged(rated: Ratings, stands: Iterable[Stopping]) -> Ratings:
    """The ratings of pooled matches, some of them of runs that stopped by these two players: their pair has no figure
    that would take the last look for the only one."""
    sought = {frozenset((stand.first, stand.second)) for stand in stands}
    pairs = tuple(
        pair._replace(
            ahead_interval=None,
            win_odds_interval=None,
            p=None,
            p_corrected=None,
            apart=False,
            matches_needed=None,
            by_looks=True,
        )
        if frozenset((pair.first.label, pair.second.label)) in sought
        else pair
        for pair in rated.main.pairs
    )
    return rated._replace(main=rated.main._replace(pairs=pairs))


def _stopping(spec: Tournament, until: Until, index: int, stats: Sequence[SeatStats]) -> Stopping:
    from harness.ratings.stopping import told_apart

    where, size = looks(spec, index)
    first, second = until.apart
    found = told_apart(stats, first, second, where)
    return Stopping(first, second, found, where.most * size, found.packs * size)


def begun(spec: Tournament) -> Tournament:
    """The tournament made ready up to the first look of each game, where it stops by looks."""
    return spec if spec.until is None else _ready(spec, spec.until, [1] * len(spec.games))


def further(spec: Tournament, stats: Sequence[SeatStats]) -> Tournament | None:
    """The tournament made ready for the next look, after a look that has not stopped every game; None where there is
    nothing to make ready: all have stopped, or matches are still open."""
    until = spec.until
    if until is None or until.ready is None or any(fate(stat) in OPEN for stat in stats):
        return None
    stands = stoppings(spec, stats)
    ready = [
        now if stand.verdict.stop else min(now + 1, len(looks(spec, index).plan.looks))
        for index, (now, stand) in enumerate(zip(until.ready, stands, strict=True))
    ]
    return None if tuple(ready) == until.ready else _ready(spec, until, ready)


def _ready(spec: Tournament, until: Until, ready: Sequence[int]) -> Tournament:
    return spec.model_copy(update={"until": until.model_copy(update={"ready": tuple(ready)})})


def why_it_stands(spec: Tournament, stats: Iterable[SeatStats]) -> str | None:
    """What the looks say, in one line; None for a run that does not stop by looks."""
    stands = stoppings(spec, stats)
    if len(stands) < 2:
        return stands[0].line() if stands else None
    return "; ".join(f"games[{at}] {spec.games[at].game}: {stand.line()}" for at, stand in enumerate(stands))
