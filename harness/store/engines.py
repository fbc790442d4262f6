"""Connections: how each database is opened for writing and for reading, and what its errors mean in one line."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.pool import NullPool, QueuePool

from harness.store.place import Place, Server, SqliteFile, StoreError

BUSY_MS = 5000
"""How long SQLite itself waits for a lock, in milliseconds, before the writer asks again."""
PATIENCE = 60.0
"""How long a write waits for other processes in all, in seconds."""
CONNECT_SECONDS = 10
LOOKING = "parley_looking"
"""Execution option of a transaction on a writing engine that will only read."""


def writing(place: Place, *, patience: float = PATIENCE, migrating: bool = False) -> Engine:
    """An engine whose transactions begin as writers, so that locks are waited for. `migrating`: no foreign keys."""
    if isinstance(place, Server):
        return _server(place, {})

    def connect() -> sqlite3.Connection:
        connection = _open_file(place, "mode=rwc")
        connection.execute(f"PRAGMA busy_timeout = {min(BUSY_MS, int(patience * 1000))}")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute(f"PRAGMA foreign_keys = {'OFF' if migrating else 'ON'}")
        return connection

    engine = create_engine("sqlite://", creator=connect, poolclass=QueuePool)

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        looking = connection.get_execution_options().get(LOOKING)
        connection.exec_driver_sql("BEGIN" if looking else "BEGIN IMMEDIATE")

    return engine


def reading(place: Place) -> Engine:
    """An engine that cannot write; each transaction sees one state of the database."""
    if isinstance(place, Server):
        return _server(place, {"isolation_level": "REPEATABLE READ"}).execution_options(postgresql_readonly=True)

    connection, still = _open_to_read(place)
    connection.close()
    # What reads the file as it lies must not see it change: there no connection outlives its transaction.
    pool = NullPool if still else QueuePool
    engine = create_engine("sqlite://", creator=lambda: _open_to_read(place)[0], poolclass=pool)

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN")

    return engine


def _open_to_read(place: SqliteFile) -> tuple[sqlite3.Connection, bool]:
    """A connection that cannot write, and whether it takes the file for one that nobody changes."""
    connection = _open_file(place, "mode=ro")
    connection.execute(f"PRAGMA busy_timeout = {BUSY_MS}")
    try:
        connection.execute("SELECT 1 FROM sqlite_master LIMIT 1")
    except sqlite3.OperationalError as error:
        connection.close()
        # In a folder that may not be written to, SQLite cannot make the index of its log. Where there is no log,
        # nobody is writing.
        refused = error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)
        if not refused or _log_of(place).exists():
            raise
        return _open_file(place, "mode=ro&immutable=1"), True
    return connection, False


def _open_file(place: SqliteFile, options: str) -> sqlite3.Connection:
    address = f"file:{quote(str(place.path.absolute()))}?{options}"
    return sqlite3.connect(address, uri=True, check_same_thread=False, isolation_level=None)


@contextlib.contextmanager
def copying(place: SqliteFile, target: Path) -> Iterator[tuple[sqlite3.Connection, sqlite3.Connection]]:
    """A connection that reads the database, and one to the file that is to become its copy."""
    source, _ = _open_to_read(place)
    with contextlib.closing(source), contextlib.closing(sqlite3.connect(target, isolation_level=None)) as copy:
        yield source, copy


def _log_of(place: SqliteFile) -> Path:
    return place.path.with_name(place.path.name + "-wal")


def _server(place: Server, options: dict[str, Any]) -> Engine:
    connect = {} if "connect_timeout" in place.url.query else {"connect_timeout": CONNECT_SECONDS}
    try:
        return create_engine(place.url, connect_args=connect, pool_pre_ping=True, **options)
    except ModuleNotFoundError as error:
        raise StoreError("database: PostgreSQL needs psycopg; pip install 'parley-harness[postgres]'") from error
    except (SQLAlchemyError, TypeError, ValueError) as error:
        raise StoreError(f"database {place.shown}: {first_line(error)}") from error


def use_wal(connection: Connection) -> None:
    """Turn a SQLite database to write-ahead logging for good. Outside of any transaction.

    Nobody else may be inside the file at that moment, and SQLite does not wait for it by itself.
    """
    raw: object = connection.connection.dbapi_connection
    if not isinstance(raw, sqlite3.Connection):
        return
    deadline = time.monotonic() + PATIENCE
    while raw.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        try:
            raw.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if not is_locked(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.02)


@contextlib.contextmanager
def transaction(engine: Engine, patience: float = PATIENCE) -> Iterator[Connection]:
    """One transaction that writes. Waits up to `patience` seconds for its turn."""
    with engine.connect() as connection:
        deadline = time.monotonic() + patience
        while True:
            try:
                begun = connection.begin()
                break
            except DBAPIError as error:
                if not may_pass(error) or time.monotonic() > deadline:
                    raise
                time.sleep(0.02)
        with begun:
            yield connection


@contextlib.contextmanager
def plain_errors(place: Place) -> Iterator[None]:
    """Turns a database's errors into a `StoreError` of one line."""
    try:
        yield
    except DBAPIError as error:
        raise StoreError(explain(place, error.orig or error)) from error
    except (sqlite3.Error, SQLAlchemyError) as error:
        raise StoreError(explain(place, error)) from error


def explain(place: Place, error: BaseException) -> str:
    """One line saying what is wrong with the database."""
    said = first_line(error)
    where = f"database {place.shown}"
    if isinstance(place, Server):
        return f"{where}: {_without_password(place, said)}"
    if is_locked(error):
        return f"{where}: another process keeps it locked; end what is writing to it"
    if "not a database" in said or "malformed" in said or "encrypted" in said:
        return f"{where}: the file is not an SQLite database, or is damaged ({said})"
    if "readonly" in said:
        return f"{where}: the file or its folder may not be written to"
    if "full" in said or "I/O error" in said:
        return f"{where}: the disk is full or faulty ({said})"
    if "unable to open" in said:
        reason = "its folder may not be written to" if not os.access(place.path.parent, os.W_OK) else "no permission"
        return f"{where}: it cannot be opened ({reason})"
    return f"{where}: {said}"


def _without_password(place: Server, said: str) -> str:
    password = place.url.password
    return said.replace(str(password), "***") if password else said


def first_line(error: BaseException) -> str:
    """The first line of what an error says, or its type's name."""
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__


def is_locked(error: BaseException) -> bool:
    """Whether SQLite gave up because another process holds the lock."""
    code = getattr(error, "sqlite_errorcode", None)
    return isinstance(code, int) and code & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def may_pass(error: BaseException) -> bool:
    """Whether the same transaction may succeed if tried again: after a lock, a deadlock, without a connection."""
    if isinstance(error, DBAPIError):
        if error.connection_invalidated:
            return True
        return error.orig is not None and may_pass(error.orig)
    if is_locked(error):
        return True
    if not hasattr(error, "sqlstate"):
        return False
    # What psycopg finds out by itself, such as that nobody answers, has no state of the server's.
    return error.sqlstate in ("40P01", "40001", "55P03", "57P01", "57P02", "57P03") or (
        error.sqlstate is None and type(error).__name__ == "OperationalError"
    )
