"""Bringing a database to this version's tables, whole or not at all, whoever else opens it at the same moment.

A change of the tables is a new file in `migrations/versions` with the next number, which `HEAD` then names; after it
`python -m tests.harness.store.ages` keeps a database of the new age for the tests.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import Connection, Engine, inspect, text

from harness.store.engines import LOOKING, PATIENCE, plain_errors, reading, transaction, use_wal, writing
from harness.store.place import DEFAULT, Place, SqliteFile, StoreError

HEAD = "0003"
"""The newest migration; they are numbered in order."""
OURS = frozenset({"run", "match", "seat", "turn", "message", "pledge", "call", "text", "inbox"})
_LOCK = 0x5061726C6579
"""The number of PostgreSQL's advisory lock: "Parley" in ASCII."""
SCRIPTS = Path(__file__).parent / "migrations"
_LEFTOVER = "_alembic_tmp_"


class Found(NamedTuple):
    """What a database holds: the number of its last migration, and its tables."""

    version: str | None
    tables: frozenset[str]


def ready(place: Place, *, create: bool = True) -> None:
    """Make the database, or bring it up to date. Raises `StoreError` if it is not ours, or newer."""
    if isinstance(place, SqliteFile):
        _check_path(place, create=create)
    with plain_errors(place):
        engine = writing(place, migrating=True)
        try:
            with engine.connect().execution_options(**{LOOKING: True}) as connection:
                found = _look(connection)
            _judge(place, found, create=create)
            with engine.connect() as connection:
                use_wal(connection)
            if found.version != HEAD:
                _migrate(place, engine)
        finally:
            engine.dispose()


def readable(place: Place) -> None:
    """See that the database can be read as it is; an older one is brought up to date first. Raises `StoreError`."""
    if isinstance(place, SqliteFile) and not place.path.exists():
        raise StoreError(_missing(place))
    if isinstance(place, SqliteFile) and place.path.is_dir():
        raise StoreError(f"database {place.shown}: it is a folder; give a file's path")
    with plain_errors(place):
        engine = reading(place)
        try:
            with engine.connect() as connection:
                found = _look(connection)
        finally:
            engine.dispose()
    _judge(place, found, create=False)
    if found.version == HEAD:
        return
    try:
        ready(place, create=False)
    except StoreError as error:
        raise StoreError(f"{error}; an older Parley made it, and it is upgraded before it is read") from error


def _check_path(place: SqliteFile, *, create: bool) -> None:
    path, where = place.path, f"database {place.shown}"
    if path.is_dir():
        raise StoreError(f"{where}: it is a folder; give a file's path")
    if path.exists():
        if not os.access(path, os.W_OK):
            raise StoreError(f"{where}: the file may not be written to")
        return
    if not create:
        raise StoreError(_missing(place))
    if path == Path(DEFAULT):
        path.parent.mkdir(exist_ok=True)
    if not path.parent.is_dir():
        raise StoreError(f"{where}: there is no folder {path.parent}; make it first")
    if not os.access(path.parent, os.W_OK):
        raise StoreError(f"{where}: the folder {path.parent} may not be written to")


def _missing(place: Place) -> str:
    return f"there is no database at {place.shown}; `parley run FILE` makes one"


def _look(connection: Connection) -> Found:
    tables = frozenset(name for name in inspect(connection).get_table_names() if not name.startswith(_LEFTOVER))
    if "alembic_version" not in tables:
        return Found(None, tables)
    return Found(connection.scalar(text("SELECT max(version_num) FROM alembic_version")), tables)


def _judge(place: Place, found: Found, *, create: bool) -> None:
    where = f"database {place.shown}"
    if found.version is None:
        others = found.tables - {"alembic_version"}
        foreign = others if isinstance(place, SqliteFile) else others & OURS
        if foreign:
            raise StoreError(f"{where}: it holds something else (table {min(foreign)}); name another")
        if not create:
            raise StoreError(_missing(place))
    elif found.version > HEAD and found.version.isdecimal():
        raise StoreError(
            f"{where}: a newer Parley made it (schema {found.version}, known up to {HEAD}); upgrade Parley"
        )
    elif not found.version.isdecimal() or not found.tables >= OURS:
        raise StoreError(f"{where}: it holds something else (schema {found.version!r}); name another")


def _migrate(place: Place, engine: Engine) -> None:
    with transaction(engine) as connection:
        if connection.dialect.name == "postgresql":
            connection.execute(text(f"SET LOCAL lock_timeout = '{PATIENCE:.0f}s'"))
            connection.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": _LOCK})
        found = _look(connection)
        _judge(place, found, create=True)
        if found.version == HEAD:
            return
        for name in inspect(connection).get_table_names():
            if name.startswith(_LEFTOVER):
                connection.exec_driver_sql(f'DROP TABLE "{name}"')
        _run_scripts(connection)
        if connection.dialect.name == "sqlite":
            broken = connection.exec_driver_sql("PRAGMA foreign_key_check").first()
            if broken is not None:
                raise StoreError(
                    f"database {place.shown}: upgrading would leave a row of {broken[0]} without its parent"
                )


def _run_scripts(connection: Connection) -> None:
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(SCRIPTS).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
