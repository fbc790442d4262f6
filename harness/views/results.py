"""All that views are made from, of one run: every figure by the very functions that the command line calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from typing import NamedTuple

from harness.behaviour.alliances import KINDS, Alliances, Allying
from harness.behaviour.ledger import Judging, Ledger
from harness.behaviour.log import Played
from harness.behaviour.tables import Behaviour, Measuring, kinds
from harness.leaderboard import Leaderboard, Table, leaderboard, seats_of, win_share
from harness.ratings.missing import fate
from harness.ratings.settings import settings
from harness.ratings.versions import TableKey
from harness.records import RunRecord, SeatStats
from harness.store import Store
from harness.store.call_sums import CallSum, FlagSum, Unconfirmed, call_sums, flag_sums, unconfirmed
from harness.store.log_bulk import played
from harness.views.base import EVERYTHING, Choice, Section


class Sat(NamedTuple):
    """In how many matches a player sat in a seat, and how many of them it won; a first place that k share is 1/k."""

    matches: int
    wins: float


Seated = dict[tuple[str, str], dict[str, Sat]]


class Results:
    """The results of one run as its log stands. Each is made when it is first asked for, and kept."""

    def __init__(self, store: Store, run: RunRecord) -> None:
        self._store = store
        self.run = run
        self.read_at = datetime.now(UTC)
        """When the log was read, in UTC."""
        self._seated: dict[tuple[TableKey, bool, bool], Seated] = {}

    @property
    def runs(self) -> Sequence[RunRecord]:
        """The runs that these are the results of."""
        return (self.run,)

    @cached_property
    def stats(self) -> list[SeatStats]:
        """Every seat of every match with its sums."""
        return self._store.seat_stats([run.id or 0 for run in self.runs])

    @cached_property
    def leaderboard(self) -> Leaderboard:
        """Ratings, and what is missing."""
        return leaderboard(self.stats, runs=self.runs)

    def seated(self, table: Table) -> Seated:
        """Who sat where in a table's matches that count, and won how often: by label and identity, then by seat."""
        key = (table.key, table.self_play, table.forks)
        if key not in self._seated:
            found: Seated = {}
            for stat in seats_of(table, self.stats, self.runs):
                if fate(stat) == "counted":
                    seats = found.setdefault((stat.label, stat.identity), {})
                    before = seats.get(stat.seat, Sat(0, 0.0))
                    seats[stat.seat] = Sat(before.matches + 1, before.wins + win_share(stat))
            self._seated[key] = found
        return self._seated[key]

    @cached_property
    def settings(self) -> Mapping[tuple[str, int], Mapping[str, str]]:
        """What each entry of `games` was played with, by run and place in the file; values are JSON."""
        return {key: values for run in self.runs for key, values in settings(run.name, run.spec).items()}

    @property
    def logs(self) -> Iterator[Played]:
        """The matches as measures read them, one by one: those of a large run fit into no memory at once."""
        return played(self._store, self.runs, kinds() | KINDS)

    @cached_property
    def _from_logs(self) -> tuple[Behaviour, Ledger, Alliances]:
        measuring, judging, allying = Measuring(), Judging(), Allying()
        for match in self.logs:
            # A match is played again for the ledger; the others then know what became of its pledges.
            judging.add(match)
            allying.add(match)
            measuring.add(match)
        return measuring.result(), judging.result(), allying.result()

    @property
    def behaviour(self) -> Behaviour:
        """All measures."""
        return self._from_logs[0]

    @property
    def ledger(self) -> Ledger:
        """What became of every pledge."""
        return self._from_logs[1]

    @property
    def alliances(self) -> Alliances:
        """Who helped and who hurt whom."""
        return self._from_logs[2]

    @cached_property
    def calls(self) -> list[CallSum]:
        """What became of all calls, those of no match included."""
        return [one for run in self.runs for one in call_sums(self._store, run.id or 0)]

    @cached_property
    def flags(self) -> list[FlagSum]:
        """What was odd about calls."""
        return [one for run in self.runs for one in flag_sums(self._store, run.id or 0)]

    @cached_property
    def unconfirmed(self) -> list[Unconfirmed]:
        """What of the cost no provider confirmed; runs that cost nothing are not looked through."""
        costly = {one.run for one in self.stats if one.cost}
        return [one for run in self.runs if run.name in costly for one in unconfirmed(self._store, run.id or 0)]

    def fits(self, choice: Choice, run: str, game: str, game_index: int) -> bool:
        """Whether a table of that run, game and entry is one of those chosen."""
        if choice.game is not None and choice.game != game:
            return False
        values = self.settings.get((run, game_index), {})
        return all(values.get(name) == value for name, value in choice.settings)

    def tables(self, choice: Choice = EVERYTHING) -> list[Table]:
        """The chosen tables of the leaderboard."""
        return [one for one in self.leaderboard.tables if self.fits(choice, one.run, one.game, one.game_index)]


View = Callable[[Results, Choice], Sequence[Section]]
"""A page's contents: pure, so that a report made of the same results shows the same."""


class Pooled(Results):
    """Several runs as if they were one: each game in one table, marked with the settings in which they differ."""

    def __init__(self, store: Store, runs: Sequence[RunRecord]) -> None:
        super().__init__(store, runs[0])
        self._runs = tuple(runs)

    @property
    def runs(self) -> Sequence[RunRecord]:
        """The runs that are pooled."""
        return self._runs

    @cached_property
    def leaderboard(self) -> Leaderboard:
        """Ratings of all matches of a game together."""
        return leaderboard(self.stats, pool=True, settings=self.settings, runs=self.runs)

    def fits(self, choice: Choice, run: str, game: str, game_index: int) -> bool:
        """Whether a table is chosen; of a pooled one, whether any of what it is made of is."""
        if run != "pooled":
            return super().fits(choice, run, game, game_index)
        parts = {(one.run, one.game_index) for one in self.stats if one.game == game}
        return any(super(Pooled, self).fits(choice, name, game, index) for name, index in parts)
