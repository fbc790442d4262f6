"""What `import parley` gives: the runs of a database as data frames.

Heavy libraries are imported where they are used.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self

if TYPE_CHECKING:
    from harness.behaviour.registry import Measure
    from harness.data.frames import As
    from harness.records import RunRecord
    from harness.store import Store
    from harness.store.flow import Snapshot


class ParleyError(ValueError):
    """Something that was asked for and cannot be had, in one line."""


def open(db: str | os.PathLike[str] | None = None) -> Database:  # noqa: A001 - a module's `open`, as `gzip` has one
    """A database of runs, for reading: a path or a SQLAlchemy URL (default: `PARLEY_DB`, then `runs/parley.db`).

    Raises:
        ParleyError: where there is none, or it cannot be read.
    """
    from harness.store import Store, StoreError

    try:
        return Database(Store.open_readonly(db))
    except StoreError as error:
        raise ParleyError(str(error)) from error


class Database:
    """The runs of one database. It is let go of by `close`, or at the end of a `with`."""

    def __init__(self, store: Store) -> None:
        self._opened = store
        self._closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<parley database {self._opened.where}>"

    def close(self) -> None:
        """Let go of the database. Harmless when repeated."""
        self._closed = True
        self._opened.close()

    @contextmanager
    def _reading(self) -> Iterator[Snapshot]:
        """One state of the database. What is wrong while it is read is a `ParleyError`."""
        if self._closed:
            raise ParleyError(f"{self._opened.where} was closed; parley.open opens it again")
        with _one_line(self._opened.where), self._opened.snapshot() as store:
            yield store

    def runs(self, as_: As = "pandas") -> Any:
        """A row for each run, as in an export's `runs`."""
        with self._reading() as store:
            return _table(store, store.runs(), "runs", as_)

    def run(self, name_or_number: str | int) -> Run:
        """The run of that name, or of that number in the database. Raises `ParleyError`."""
        if isinstance(name_or_number, bool) or not isinstance(name_or_number, str | int):
            raise ParleyError(f"run: {name_or_number!r} is neither a run's name nor its number")
        with self._reading() as store:
            found = store.run(name_or_number)
            if found is None:
                from difflib import get_close_matches

                names = [run.name for run in store.runs()]
                near = get_close_matches(str(name_or_number), names, n=3) or names[-3:]
                more = f" and {len(names) - len(near)} more" if len(names) > len(near) else ""
                hint = f"there is {', '.join(near)}{more}" if near else "there is none yet"
                raise ParleyError(f"no run {name_or_number!r} in {self._opened.where}; {hint}")
        return Run(self, found)

    def leaderboard(self, as_: As = "pandas") -> Any:
        """The leaderboard of every run, as of `Run.leaderboard`; forks are left out, as no rating counts them."""
        with self._reading() as store:
            forks = store.forks()
            return _leaderboard(store, [run for run in store.runs() if run.id not in forks], as_)


class Run:
    """One run. Each table is read anew, at one moment, when it is asked for.

    `as_` says what a table is given as: "pandas", "polars" or "arrow". Each method raises `ParleyError` for what cannot
    be had, such as the tables of a run that was taken away meanwhile.
    """

    def __init__(self, db: Database, record: RunRecord) -> None:
        self._db = db
        self._record = record

    def __repr__(self) -> str:
        return f"<parley run {self.name!r}>"

    @property
    def name(self) -> str:
        """Its name."""
        return self._record.name

    def matches(self, as_: As = "pandas") -> Any:
        """A row for each match."""
        return self._table("matches", as_)

    def seats(self, as_: As = "pandas") -> Any:
        """A row for each seat of each match: who sat there, and its sums."""
        return self._table("seats", as_)

    def outcomes(self, as_: As = "pandas") -> Any:
        """A row for each seat of each match: place, points, share of the win, forfeits."""
        return self._table("outcomes", as_)

    def turns(self, as_: As = "pandas") -> Any:
        """A row for each action."""
        return self._table("turns", as_)

    def messages(self, as_: As = "pandas") -> Any:
        """A row for each message."""
        return self._table("messages", as_)

    def pledges(self, as_: As = "pandas") -> Any:
        """A row for each pledge, with its verdict."""
        return self._table("pledges", as_)

    def answers(self, as_: As = "pandas") -> Any:
        """A row for each answer that a person typed."""
        return self._table("answers", as_)

    def calls(self, as_: As = "pandas", *, prompts: bool = True) -> Any:
        """A row for each request to a model. Prompts are by far the most of it: without them it is small."""
        return self._table("calls", as_, prompts=prompts)

    def leaderboard(self, as_: As = "pandas") -> Any:
        """A row for each player of each game: the figures of `parley leaderboard --json`."""
        with self._reading() as (store, run):
            return _leaderboard(store, [run], as_)

    def behaviour(self, as_: As = "pandas") -> Any:
        """A row for each figure: those of `parley behaviour --json`."""
        return self._figures(None, as_)

    def measure(self, file: str | os.PathLike[str], as_: As = "pandas") -> Any:
        """The same of the measures in a Python file of one's own, which is run."""
        from harness.data.measures import BadMeasures, user_measures

        try:
            measures = user_measures(Path(file))
        except BadMeasures as error:
            raise ParleyError(str(error)) from error
        return self._figures(measures, as_)

    def ledger(self, part: Literal["rows", "says"] = "rows", as_: As = "pandas") -> Any:
        """What became of each player's pledges, by kind, addressee and phase; or how much a pledge `says`: those of
        `parley pledges --json`."""
        from harness.behaviour.ledger import ledger
        from harness.behaviour.tables import kinds
        from harness.data.blank import blank_ledger
        from harness.data.frames import frame_of, ledger_records
        from harness.store.log_bulk import played

        if part not in ("rows", "says"):
            raise ParleyError(f"part: {part!r} is neither 'rows' nor 'says'")
        with self._reading() as (store, run):
            found = ledger(played(store, [run], kinds([])))
            return frame_of(ledger_records(found.to_json(), part), as_, lambda: ledger_records(blank_ledger(), part))

    @contextmanager
    def _reading(self) -> Iterator[tuple[Snapshot, RunRecord]]:
        """One state of the database, and the run as it is there."""
        with self._db._reading() as store:
            # Numbers and names are given anew once a run is taken away: only when it was made tells it from another.
            now = store.run(self.name)
            if now is None or now.created_at != self._record.created_at:
                raise ParleyError(f"the run {self.name!r} was taken out of {self._db._opened.where} meanwhile")
            yield store, now

    def _figures(self, measures: Sequence[Measure] | None, as_: As) -> Any:
        from harness.behaviour.tables import behaviour, kinds
        from harness.data.blank import blank_behaviour
        from harness.data.frames import behaviour_records, frame_of
        from harness.store.log_bulk import played

        with self._reading() as (store, run):
            found = behaviour(played(store, [run], kinds(measures)), measures)
            return frame_of(behaviour_records(found.to_json()), as_, lambda: behaviour_records(blank_behaviour()))

    def _table(self, table: str, as_: As, *, prompts: bool = True) -> Any:
        with self._reading() as (store, run):
            return _table(store, [run], table, as_, prompts=prompts)


def _table(store: Snapshot, runs: list[RunRecord], table: str, as_: As, *, prompts: bool = True) -> Any:
    from harness.data.frames import arrow_of, converted
    from harness.data.read import Wanted, read

    return converted(arrow_of(table, read(store, runs, Wanted((table,), prompts=prompts))), as_)


def _leaderboard(store: Snapshot, runs: list[RunRecord], as_: As) -> Any:
    from harness.data.blank import blank_leaderboard
    from harness.data.frames import frame_of, leaderboard_records
    from harness.leaderboard import leaderboard

    board = leaderboard(store.seat_stats([run.id for run in runs if run.id is not None]), runs=runs)
    return frame_of(leaderboard_records(board.to_json()), as_, lambda: leaderboard_records(blank_leaderboard()))


@contextmanager
def _one_line(where: str) -> Iterator[None]:
    """Makes a `ParleyError` of what is wrong with the database of that name, or with what is asked of it."""
    from harness.behaviour.tables import MeasureFailed
    from harness.data.frames import NoFrame
    from harness.store import StoreError

    try:
        yield
    except ParleyError:
        raise
    except (MeasureFailed, NoFrame, StoreError) as error:
        raise ParleyError(str(error)) from error
    except (ValueError, LookupError, TypeError) as error:
        # Rows that were damaged take any form.
        from harness.verify import damage

        told = " ".join(damage(error).split())
        raise ParleyError(
            f"database {where}: it cannot be read: {told}; `parley verify` names what is wrong"
        ) from error
