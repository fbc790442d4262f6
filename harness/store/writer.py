"""The one thread of a process that writes: jobs from a queue, many to a transaction, each told when it is durable.

Durable means committed: it outlives the end of the process at any instant. SQLite in WAL with `synchronous=NORMAL` may
lose the last commits when the whole machine loses power, never the file's consistency.
"""

from __future__ import annotations

import atexit
import contextlib
import queue
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, TypeVar

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError, IntegrityError, StatementError

from harness.store.bulk import Bulk
from harness.store.engines import PATIENCE, explain, first_line, may_pass, transaction
from harness.store.memory import Memory
from harness.store.pending import Pending, together
from harness.store.place import Place, SqliteFile, StoreError

T = TypeVar("T")
BATCH = 200
"""The most jobs of one transaction."""
_WAITS = (0.05, 0.2, 0.8, 3.2, 6.4)
"""Seconds to wait before a server is asked again, after a deadlock or a lost connection."""


class _MayBeDoneError(StoreError):
    """Whether the transaction was committed cannot be known, so it may not be repeated."""


class Job(ABC, Generic[T]):
    """Something to be written. All of it happens, or none of it."""

    def __init__(self) -> None:
        self.future: Pending[T] = Pending()
        # Whoever waits for it may be cancelled; what is to be written is written all the same.
        self.future.set_running_or_notify_cancel()

    forget: int | None = None

    def check(self, connection: Connection) -> None:
        """Look at what is there already, and leave out of `collect` what is. Only called when the quick way failed."""

    def collect(self, bulk: Bulk) -> None:
        """Give the rows that can go in together with those of other jobs."""

    @abstractmethod
    def finish(self, connection: Connection) -> T:
        """Do the rest, and say what the future resolves to."""


class Do(Job[T]):
    """A job that is one function. What a writer remembers of `forget`, a match (0: of anything), is not used after it.

    A match that is claimed may have been taken away, and its number given to another, since it was last written to.
    """

    def __init__(self, work: Callable[[Connection], T], *, forget: int | None = None) -> None:
        super().__init__()
        self._work = work
        self.forget = forget

    def finish(self, connection: Connection) -> T:
        """Call it."""
        return self._work(connection)


class Writer:
    """Takes jobs from any thread and writes them in order, in batches."""

    def __init__(self, place: Place, engine: Engine, patience: float = PATIENCE) -> None:
        self._place = place
        self._engine = engine
        self._patience = patience
        self._jobs: queue.SimpleQueue[Job[Any] | None] = queue.SimpleQueue()
        self._memory = Memory()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._closed = False

    def submit(self, job: Job[T]) -> Pending[T]:
        """Queue a job. After `close` its future fails at once."""
        with self._lock:
            if self._closed:
                job.future.set_exception(
                    StoreError(f"database {self._place.shown}: it was closed before this was written")
                )
                return job.future
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="parley-store", daemon=True)
                self._thread.start()
                atexit.register(self.close)
            self._jobs.put(job)
        return job.future

    def forget(self) -> None:
        """Refer to nothing that is there already: some of it may have been taken away."""
        self._memory.forget()

    def close(self) -> None:
        """Write what is queued, then stop. Harmless when repeated."""
        with self._lock:
            self._closed = True
            thread = self._thread
            if thread is not None and thread.is_alive():
                self._jobs.put(None)
        if thread is not None and thread is not threading.current_thread():
            thread.join()
            atexit.unregister(self.close)

    def _run(self) -> None:
        open_still = True
        while open_still:
            jobs, open_still = self._next()
            try:
                self._write(jobs)
            except BaseException as error:
                fault = _as_store_error(self._place, error)
                with together():
                    for job in jobs:
                        if not job.future.done():
                            job.future.set_exception(fault)

    def _next(self) -> tuple[list[Job[Any]], bool]:
        jobs: list[Job[Any]] = []
        job = self._jobs.get()
        while job is not None:
            jobs.append(job)
            if len(jobs) == BATCH:
                return jobs, True
            try:
                job = self._jobs.get_nowait()
            except queue.Empty:
                return jobs, True
        return jobs, False

    def _write(self, jobs: Sequence[Job[Any]]) -> None:
        waits = iter(_WAITS)
        at_once = True
        while jobs:
            try:
                self._together(jobs) if at_once else self._one_by_one(jobs)
                return
            except _MayBeDoneError:
                raise
            except Exception as error:
                if not _lies_outside(error) and at_once:
                    at_once = False
                    # What it refers to may be gone.
                    self._memory.forget()
                    continue
                wait = next(waits, None)
                if wait is None or isinstance(self._place, SqliteFile) or not may_pass(error):
                    raise
                time.sleep(wait)

    def _together(self, jobs: Sequence[Job[Any]]) -> None:
        bulk = Bulk()
        for job in jobs:
            job.collect(bulk)
            if job.forget is not None:
                self._memory.forget(job.forget or None)
        with self._committed() as connection:
            fresh = bulk.insert(connection, self._memory)
            results = [job.finish(connection) for job in jobs]
        self._memory.remember(*fresh)
        with together():
            for job, result in zip(jobs, results, strict=True):
                job.future.set_result(result)

    def _one_by_one(self, jobs: Sequence[Job[Any]]) -> None:
        done: list[tuple[Job[Any], Any]] = []
        failed: list[tuple[Job[Any], Exception]] = []
        with self._committed() as connection:
            for job in jobs:
                try:
                    with connection.begin_nested():
                        bulk = Bulk()
                        job.check(connection)
                        job.collect(bulk)
                        bulk.insert(connection, self._memory)
                        result = job.finish(connection)
                    done.append((job, result))
                except Exception as error:
                    if _lies_outside(error):
                        raise
                    failed.append((job, error))
        with together():
            for job, result in done:
                job.future.set_result(result)
            for job, fault in failed:
                job.future.set_exception(_as_store_error(self._place, fault))

    @contextlib.contextmanager
    def _committed(self) -> Iterator[Connection]:
        """A transaction that is committed afterwards, or not; where that cannot be known, it says so."""
        committing = False
        try:
            with transaction(self._engine, self._patience) as connection:
                yield connection
                committing = True
        except DBAPIError as error:
            if committing and error.connection_invalidated:
                said = "the connection was lost while this was being written; it may be there or not"
                raise _MayBeDoneError(f"database {self._place.shown}: {said}") from error
            raise


def _lies_outside(error: Exception) -> bool:
    """Whether the database as a whole failed, not what one job asked of it."""
    return (
        isinstance(error, DBAPIError)
        and not isinstance(error, IntegrityError)
        and (
            may_pass(error)
            or type(error).__name__ in ("OperationalError", "InternalError", "InterfaceError", "DatabaseError")
        )
    )


def _as_store_error(place: Place, error: BaseException) -> StoreError:
    if isinstance(error, StoreError):
        return error
    if isinstance(error, StatementError):
        said = explain(place, error.orig or error)
    else:
        said = f"database {place.shown}: {type(error).__name__}: {first_line(error)}"
    wrapped = StoreError(said)
    wrapped.__cause__ = error
    return wrapped
