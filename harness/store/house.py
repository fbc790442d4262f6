"""Keeping house: who plays a run, a run that is asked to pause, taken away, or copied with all the others."""

from __future__ import annotations

import os
import sqlite3
from datetime import timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, and_, delete, select, update

from harness.records import OVER
from harness.store import tables
from harness.store.claims import PAUSE_ASKED, is_gone, owner_shown
from harness.store.engines import copying
from harness.store.place import Place, Server, StoreError
from harness.store.texts import chunks
from harness.store.writes import now

_OPEN = ("queued", "running", "paused")
_RUN, _MATCH, _CALL = tables.run.c, tables.match.c, tables.call.c
_TEXT_COLUMNS = (_CALL.asked_text, _CALL.sent_text, _CALL.opening_text)


def holders(connection: Connection) -> dict[int, str]:
    """For each run that somebody alive plays, who does."""
    moment = now(connection)
    found: dict[int, str] = {}
    gone: set[str] = set()
    while True:
        # One match of each run is enough, found by its index: a run may have many, and this is asked every second.
        mine = and_(_MATCH.run_id == _RUN.id, _MATCH.status.in_(_OPEN), _MATCH.claimed_until > moment)
        owner = select(_MATCH.claimed_by).where(mine, _MATCH.claimed_by.not_in(sorted(gone))).limit(1)
        owners = connection.execute(select(_RUN.id, owner.scalar_subquery()).where(_RUN.id.not_in(sorted(found)))).all()
        dead = {owner for _, owner in owners if owner is not None and is_gone(owner)}
        found |= {run_id: owner for run_id, owner in owners if owner is not None and owner not in dead}
        if not dead:
            return found
        gone |= dead


def claim_run(connection: Connection, run_id: int, owner: str, lease_seconds: float) -> str | None:
    """Take every match of a run that is not over, and the run is running; if somebody alive has one, say who."""
    # Whoever else claims this run waits here; the matches alone would not keep two apart on a server.
    connection.execute(select(_RUN.id).where(_RUN.id == run_id).with_for_update())
    held = holders(connection).get(run_id)
    if held is not None and held != owner:
        return held
    open_ones = and_(_MATCH.run_id == run_id, _MATCH.status.not_in(OVER))
    until = now(connection) + timedelta(seconds=lease_seconds)
    connection.execute(update(tables.match).where(open_ones).values(claimed_by=owner, claimed_until=until))
    # In the same moment: whoever asks for a pause from now on is heard.
    connection.execute(update(tables.run).where(_RUN.id == run_id).values(status="running", why=None, ended_at=None))
    return None


def renew_run(connection: Connection, run_id: int, owner: str, lease_seconds: float) -> None:
    """Hold for longer what the owner has of a run."""
    mine = and_(_MATCH.run_id == run_id, _MATCH.claimed_by == owner)
    until = now(connection) + timedelta(seconds=lease_seconds)
    connection.execute(update(tables.match).where(mine).values(claimed_until=until))


def release_run(connection: Connection, run_id: int, owner: str) -> None:
    """Let others have a run."""
    mine = and_(_MATCH.run_id == run_id, _MATCH.claimed_by == owner)
    connection.execute(update(tables.match).where(mine).values(claimed_by=None, claimed_until=None))


def pause_asked(connection: Connection, run_id: int) -> bool:
    """Whether somebody asked for a run to be paused since it was last begun or gone on with."""
    asked = and_(_RUN.id == run_id, _RUN.status == "paused", _RUN.why == PAUSE_ASKED)
    return connection.execute(select(_RUN.id).where(asked)).first() is not None


def remove_run(connection: Connection, run_id: int) -> dict[str, int]:
    """Take away a run with all that belongs to it, and the texts that no other call uses. How many of what."""
    connection.execute(select(_RUN.id).where(_RUN.id == run_id).with_for_update())
    held = holders(connection).get(run_id)
    if held is not None:
        raise StoreError(f"the run is being played by {owner_shown(held)}; pause it first")
    ids = list(connection.scalars(select(_MATCH.id).where(_MATCH.run_id == run_id)))
    of_run = [_CALL.run_id == run_id, *(_CALL.match_id.in_(chunk) for chunk in chunks(ids))]
    texts: set[int] = set()
    for condition in of_run:
        texts |= _texts_of(connection, condition)
    connection.execute(
        update(tables.match)
        .where(_MATCH.parent_id.in_(select(_MATCH.id).where(_MATCH.run_id == run_id)))
        .values(parent_id=None)
    )
    for chunk in chunks(ids):
        for table in (tables.inbox, tables.pledge, tables.message, tables.turn, tables.seat):
            connection.execute(delete(table).where(table.c.match_id.in_(chunk)))
    calls = sum(connection.execute(delete(tables.call).where(condition)).rowcount for condition in of_run)
    connection.execute(delete(tables.match).where(_MATCH.run_id == run_id))
    connection.execute(delete(tables.run).where(_RUN.id == run_id))
    unused = texts - _texts_of(connection, None) if texts else texts
    for chunk in chunks(sorted(unused)):
        connection.execute(delete(tables.text).where(tables.text.c.id.in_(chunk)))
    return {"matches": len(ids), "calls": calls, "texts": len(unused)}


def _texts_of(connection: Connection, condition: Any) -> set[int]:
    """The ids of the texts that these calls name; of all calls without a condition."""
    found: set[int] = set()
    for column in _TEXT_COLUMNS:
        statement = select(column).where(column.is_not(None)).distinct()
        found.update(connection.scalars(statement if condition is None else statement.where(condition)))
    return found


def back_up(place: Place, target: Path, *, force: bool) -> int:
    """Copy a database that may be in use to a new file, one state of it whole. Its size in bytes."""
    if isinstance(place, Server):
        raise StoreError(f"database {place.shown}: a server copies its own: pg_dump {place.shown} > {target}")
    if target.is_dir():
        raise StoreError(f"backup: {target} is a folder; give a file's path")
    if not target.parent.is_dir():
        raise StoreError(f"backup: there is no folder {target.parent}; make it first")
    if target.exists():
        if target.samefile(place.path):
            raise StoreError(f"backup: {target} is the database itself; give another file's path")
        if not force:
            raise StoreError(f"backup: {target} is there already; give another path, or --force to replace it")
        if target.with_name(target.name + "-wal").exists():
            raise StoreError(f"backup: {target} is a database in use; give another path")
    partial = target.with_name(f"{target.name}.{os.getpid()}.part")
    try:
        with copying(place, partial) as (source, copy):
            source.backup(copy)
            # A copy is one file: its log is folded in, and it is one that may lie on a disk which cannot be written.
            copy.execute("PRAGMA journal_mode = DELETE")
        os.replace(partial, target)  # noqa: PTH105 - what replaces it is told by the next line
    except sqlite3.Error as error:
        raise StoreError(f"backup: {target} cannot be written ({error})") from error
    except OSError as error:
        raise StoreError(f"backup: {target} cannot be written ({error.strerror or error})") from error
    finally:
        partial.unlink(missing_ok=True)
    return target.stat().st_size
