"""The store: every read and write of a database of runs."""

from __future__ import annotations

import contextlib
import functools
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from sqlalchemy import Connection, Engine

from harness.records import CallRecord, Json, MatchRecord, MatchStatus, MessageRecord, RunRecord, RunStatus, TurnRecord
from harness.store import engines, forks, house, upgrade, writes
from harness.store.claims import PAUSE_ASKED
from harness.store.flow import Snapshot
from harness.store.intake import Intake
from harness.store.listing import Lister
from harness.store.pending import Pending
from harness.store.place import Place, StoreError, find
from harness.store.writer import Do, Job, Writer

T = TypeVar("T")
Url = str | os.PathLike[str] | None


class Store(Lister):
    """One database of runs.

    Reads may be made from any thread and do not wait for writers. Writes return a future, which can be awaited, that
    resolves when the rows are durable; what fails gives a `StoreError` through the future. Writes are made in the order
    in which they were asked for, and a write is made even if whoever waits for it is cancelled.
    """

    def __init__(self, place: Place, reader: Engine, writer: Writer | None, write_engine: Engine | None) -> None:
        super().__init__(place, reader)
        self._writer = writer
        self._write_engine = write_engine

    @classmethod
    def open(cls, url: Url = None, *, create: bool = True, patience: float = engines.PATIENCE) -> Self:
        """Open for reading and writing. A missing database is made, an older one brought up to date.

        `url` is a plain path or a SQLAlchemy URL (default: `default_url()`), `patience` how many seconds a write waits
        for other processes; without `create` a missing database is an error. Raises `StoreError`.
        """
        place = find(url)
        upgrade.ready(place, create=create)
        engine = engines.writing(place, patience=patience)
        with engines.plain_errors(place):
            return cls(place, engines.reading(place), Writer(place, engine, patience), engine)

    @classmethod
    def open_readonly(cls, url: Url = None) -> Self:
        """Open for reading only; an older database is brought up to date first. Raises `StoreError`."""
        place = find(url)
        upgrade.readable(place)
        with engines.plain_errors(place):
            return cls(place, engines.reading(place), None, None)

    @property
    def where(self) -> str:
        """Where the database is, as messages name it: no password."""
        return self._place.shown

    def close(self) -> None:
        """Write what is queued, then let go of the database. Harmless when repeated."""
        if self._writer is not None:
            self._writer.close()
        self._engine.dispose()
        if self._write_engine is not None:
            # Last, so that SQLite folds its log into the file.
            self._write_engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _submit(self, job: Job[T]) -> Pending[T]:
        if self._writer is None:
            job.future.set_exception(StoreError(f"database {self.where}: it was opened for reading only"))
            return job.future
        return self._writer.submit(job)

    def _do(self, work: Callable[[Connection], T], *, forget: int | None = None) -> Pending[T]:
        return self._submit(Do(work, forget=forget))

    def create_run(self, run: RunRecord, matches: Sequence[MatchRecord] = ()) -> Pending[int]:
        """A new run and its matches, all or nothing. Resolves to the run's id; a name in use is a `StoreError`."""
        return self._do(lambda connection: writes.create_run(connection, run, matches), forget=0)

    def create_forks(self, run: RunRecord, matches: Sequence[MatchRecord]) -> Pending[int]:
        """A new run of forks, all or nothing: each match with `parent_id`'s turns, messages and answers up to
        `parent_ply` as its own. The copied calls are of kind `copied`, of no run, and cost nothing. Resolves to the
        run's id."""
        return self._do(lambda connection: forks.create_forks(connection, run, matches), forget=0)

    def extend_run(
        self, run_id: int, *, spec: Json | None = None, source: str | None = None, matches: Sequence[MatchRecord] = ()
    ) -> Pending[None]:
        """A run's file as it is now (unless None), and more matches."""
        return self._do(lambda connection: writes.extend_run(connection, run_id, spec, source, matches))

    def set_run(self, run_id: int, status: RunStatus, why: str | None = None) -> Pending[None]:
        """How a run stands; `finished` notes the time."""
        return self._do(lambda connection: writes.set_run(connection, run_id, status, why))

    def start_match(
        self, match_id: int, *, start: Json, start_events: Sequence[Json], start_hash: str, versions: Json
    ) -> Pending[None]:
        """A match begins, or goes on: `running` from now, `started_at` and versions as they were the first time.

        A match with turns cannot go on from another start. One that is finished or void stays so.
        """
        begin = functools.partial(writes.start_match, start_hash=start_hash, versions=versions)
        return self._do(lambda connection: begin(connection, match_id, start, start_events))

    def set_match(self, match_id: int, status: MatchStatus, why: str | None = None) -> Pending[None]:
        """How a match stands; `finished` and `void` note the time. One with an outcome is finished or void only."""
        return self._do(lambda connection: writes.set_match(connection, match_id, status, why))

    def pause_match(self, match_id: int, why: str | None) -> Pending[None]:
        """A match that is played no further for now. One that is finished or void, by whose hand ever, stays so."""
        return self._do(lambda connection: writes.pause_match(connection, match_id, why))

    def add_call(self, record: CallRecord) -> Pending[int]:
        """One call, whatever became of it. Resolves to its id. A missing `run_id` is taken from its match."""
        return self._submit(writes.AddCall(record))

    def add_turns(
        self,
        match_id: int,
        turns: Sequence[TurnRecord],
        messages: Sequence[MessageRecord] = (),
        *,
        outcome: Json | None = None,
    ) -> Pending[None]:
        """Turns and what was said with them, and with an `outcome` the match's end, all or nothing.

        A turn or message that is there already is left alone (`at` aside); a different one in its place is a
        `StoreError`: another process is playing this match. A void match stays void.
        """
        return self._submit(writes.AddTurns(match_id, turns, messages, outcome))

    def add_messages(self, match_id: int, messages: Sequence[MessageRecord]) -> Pending[None]:
        """What was said in a talk round; like `add_turns`."""
        return self._submit(writes.AddTurns(match_id, (), messages, None))

    def claim_match(self, match_id: int, owner: str, lease_seconds: float = 60) -> Pending[bool]:
        """Take a match to play it. False if it is finished or void, or if somebody else holds it.

        A lease ends after `lease_seconds`, and at once when its owner was a process of this machine that has ended (see
        `new_owner`). Read the match after claiming it: it may have moved on.
        """
        return self._do(lambda connection: writes.claim(connection, match_id, owner, lease_seconds), forget=match_id)

    def claim_run(self, run_id: int, owner: str, lease_seconds: float = 60) -> Pending[str | None]:
        """Take all of a run that is not over; it is `running` then. Resolves to None, or to the owner who has some of
        it: then nothing is taken. The lease is as that of `claim_match`."""
        return self._do(lambda connection: house.claim_run(connection, run_id, owner, lease_seconds), forget=0)

    def renew_run(self, run_id: int, owner: str, lease_seconds: float = 60) -> Pending[None]:
        """Hold for longer what is the owner's of a run."""
        return self._do(lambda connection: house.renew_run(connection, run_id, owner, lease_seconds))

    def release_run(self, run_id: int, owner: str) -> Pending[None]:
        """Let others have what is the owner's of a run."""
        return self._do(lambda connection: house.release_run(connection, run_id, owner))

    def ask_pause(self, run_id: int) -> Pending[None]:
        """Ask whoever plays a run to stop (`pause_asked`)."""
        return self.set_run(run_id, "paused", PAUSE_ASKED)

    def remove_run(self, run_id: int) -> Mapping[str, int]:
        """Take away a run with all that belongs to it, for good: how many `matches`, `calls` and `texts` that was.

        Raises `StoreError` while somebody plays it.
        """
        if self._writer is None:
            raise StoreError(f"database {self.where}: it was opened for reading only")
        # With keys enforced, each row that goes would be looked for in tables that have no index by it.
        engine = engines.writing(self._place, migrating=True)
        try:
            with engines.plain_errors(self._place), engines.transaction(engine) as connection:
                removed = house.remove_run(connection, run_id)
        finally:
            engine.dispose()
        self._writer.forget()
        return removed

    @contextlib.contextmanager
    def snapshot(self) -> Iterator[Snapshot]:
        """One state of the database for many reads, for as long as it is open; of one thread alone."""
        with self.reading() as connection:
            yield Snapshot(self._place, self._engine, connection)

    @contextlib.contextmanager
    def intake(self) -> Iterator[Intake]:
        """Take runs in from elsewhere: all that is given is there afterwards, or after an error nothing of it.

        Other writers wait meanwhile. Raises `StoreError`.
        """
        if self._writer is None or self._write_engine is None:
            raise StoreError(f"database {self.where}: it was opened for reading only")
        with engines.plain_errors(self._place), engines.transaction(self._write_engine) as connection:
            yield Intake(connection)
        self._writer.forget()

    def back_up(self, target: Path, *, force: bool = False) -> int:
        """Copy the database to a file while it may be in use; the copy is one state of it. Its size in bytes.

        Raises `StoreError` where the file is there already (unless `force`), and for a server.
        """
        with engines.plain_errors(self._place):
            return house.back_up(self._place, target, force=force)

    def put_inbox(self, match_id: int, seat: str, decision: int, text: str) -> Pending[int]:
        """A human's answer for that decision of that seat. Resolves to its id."""
        return self._do(lambda connection: writes.put_inbox(connection, match_id, seat, decision, text))

    def take_inbox(self, match_id: int, seat: str, decision: int) -> Pending[str | None]:
        """The oldest answer not used yet, marked as used; None if there is none. No two takers get the same."""
        return self._do(lambda connection: writes.take_inbox(connection, match_id, seat, decision))
