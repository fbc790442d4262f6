"""Calls as records: rows, the texts that they name, and the bodies of all the calls that theirs refer to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, select

from harness.records import CallRecord
from harness.store import tables
from harness.store.bodies import prompts_of, unpack_bodies
from harness.store.rows import call_record, text_ids
from harness.store.texts import fetch

_CALL = tables.call.c
_Rows = list[Mapping[Any, Any]]


def read_calls(connection: Connection, match_id: int, *, prompts: bool) -> list[CallRecord]:
    """A match's calls by id. Raises `StoreError` for a damaged one."""
    statement = select(tables.call).where(_CALL.match_id == match_id).order_by(_CALL.id)
    rows: _Rows = [dict(row) for row in connection.execute(statement).mappings()]
    return _records(connection, rows, {row["id"]: row["body"] for row in rows}, prompts=prompts)


def read_probes(connection: Connection, run_id: int) -> list[CallRecord]:
    """A run's calls that belong to no match, by id, with their prompts. Raises `StoreError` for a damaged one."""
    statement = select(tables.call).where(_CALL.run_id == run_id, _CALL.match_id.is_(None)).order_by(_CALL.id)
    rows: _Rows = [dict(row) for row in connection.execute(statement).mappings()]
    return _records(connection, rows, {row["id"]: row["body"] for row in rows}, prompts=True)


def read_call(connection: Connection, call_id: int) -> CallRecord | None:
    """One call with its prompt. Raises `StoreError` for a damaged one."""
    row = connection.execute(select(tables.call).where(_CALL.id == call_id)).mappings().first()
    if row is None:
        return None
    bodies = {call_id: row["body"]}
    if row["match_id"] is not None:
        before = select(_CALL.id, _CALL.body)
        before = before.where(_CALL.match_id == row["match_id"], _CALL.id < call_id)
        bodies |= dict(connection.execute(before).all())
    return _records(connection, [row], bodies, prompts=True)[0]


def _records(connection: Connection, rows: _Rows, packed: Mapping[int, bytes], *, prompts: bool) -> list[CallRecord]:
    bodies = unpack_bodies(packed, [row["id"] for row in rows])
    said = prompts_of(bodies) if prompts else {}
    texts = fetch(connection, (number for row in rows for number in text_ids(row, prompts=prompts)))
    return [call_record(row, texts.__getitem__, bodies[row["id"]], said.get(row["id"])) for row in rows]
