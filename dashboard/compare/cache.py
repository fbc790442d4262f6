"""Results that were made once and are kept until something new was written. They are shared by all who look.

What is kept belongs to one reading of the log: a page goes on with the one that it began with, and is told when there
is something newer.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence

from harness.records import RunRecord
from harness.store import Store
from harness.store.marks import run_mark
from harness.views.base import Choice, Section
from harness.views.results import Pooled, Results, View

MOST_RESULTS = 3
"""Results of so many runs, or of groups of them that are pooled: of a large run they take some hundred megabytes."""
MOST_VIEWS = 64
"""Views of each of them, one for every page and choice."""
Marks = tuple[str | None, ...]


def marks(store: Store, runs: Sequence[RunRecord]) -> Marks:
    """Of each run, whether something was written: see `run_mark`."""
    return tuple(run_mark(store, run.id or 0) for run in runs)


class Kept:
    """One reading of the log, with all that was made of it."""

    def __init__(self, store: Store, runs: Sequence[RunRecord], mark: Marks, *, pool: bool) -> None:
        self.store = store
        self.pool = pool
        self.results = Pooled(store, runs) if pool else Results(store, runs[0])
        self.mark = mark
        self._views: OrderedDict[tuple[View, Choice], Sequence[Section]] = OrderedDict()
        self._lock = threading.RLock()
        self._games: list[str] | None = None
        self._players: list[str] = []

    def has(self, view: View, choice: Choice) -> bool:
        """Whether a view is there, so that nobody waits for it."""
        return (view, choice) in self._views

    def sections(self, view: View, choice: Choice) -> Sequence[Section]:
        """A view. It is made by whoever asks first; whoever asks meanwhile waits for that."""
        with self._lock:
            found = self._views.get((view, choice))
            if found is None:
                found = self._views[view, choice] = view(self.results, choice)
                while len(self._views) > MOST_VIEWS:
                    self._views.popitem(last=False)
            self._views.move_to_end((view, choice))
            return found

    def choices(self) -> tuple[Sequence[str], Sequence[str]]:
        """The games that were played and the labels of those who did."""
        with self._lock:
            if self._games is None:
                self._players = sorted({one.label for one in self.results.stats})
                self._games = sorted({one.game for one in self.results.stats})
            return self._games, self._players


class _Slot:
    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.kept: Kept | None = None


_slots: OrderedDict[tuple[Store, tuple[int | None, ...], bool], _Slot] = OrderedDict()
_lock = threading.Lock()


def read(store: Store, runs: Sequence[RunRecord], *, pool: bool = False, anew: bool = False) -> Kept:
    """The results of a run, or of several that are pooled, as their log stands now: those that are there already where
    nothing was written since, unless they are wanted `anew`."""
    key = (store, tuple(run.id for run in runs), pool)
    with _lock:
        slot = _slots.setdefault(key, _Slot())
        _slots.move_to_end(key)
        while len(_slots) > MOST_RESULTS:
            _slots.popitem(last=False)
    with slot.lock:
        mark = marks(store, runs)
        if anew or slot.kept is None or slot.kept.mark != mark:
            slot.kept = Kept(store, runs, mark, pool=pool)
        return slot.kept
