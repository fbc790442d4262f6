"""All that views are made from, of one run: every figure by the very functions that the command line calls."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from harness.behaviour.ledger import Ledger, ledger
from harness.behaviour.log import Played
from harness.behaviour.registry import all_measures
from harness.behaviour.tables import Behaviour, behaviour, kinds
from harness.leaderboard import Leaderboard, leaderboard
from harness.ratings.settings import settings
from harness.records import RunRecord, SeatStats
from harness.store import Store
from harness.store.log_bulk import played


class Results:
    """The results of one run as its log stands. Each is made when it is first asked for, and kept."""

    def __init__(self, store: Store, run: RunRecord) -> None:
        self._store = store
        self.run = run

    @cached_property
    def stats(self) -> list[SeatStats]:
        """Every seat of every match with its sums."""
        return self._store.seat_stats([self.run.id or 0])

    @cached_property
    def leaderboard(self) -> Leaderboard:
        """Ratings, and what is missing."""
        return leaderboard(self.stats)

    @cached_property
    def settings(self) -> Mapping[tuple[str, int], Mapping[str, str]]:
        """What each entry of `games` was played with."""
        return settings(self.run.name, self.run.spec)

    @cached_property
    def logs(self) -> list[Played]:
        """The matches as measures read them."""
        return list(played(self._store, [self.run], kinds()))

    @cached_property
    def behaviour(self) -> Behaviour:
        """All measures."""
        return behaviour(self.logs, list(all_measures().values()))

    @cached_property
    def ledger(self) -> Ledger:
        """What became of every pledge."""
        return ledger(self.logs)
