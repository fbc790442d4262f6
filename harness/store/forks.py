"""Forks: matches whose log begins with a copy of another's. And which runs are made of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Table, and_, func, insert, literal, select

from harness.records import MatchRecord, RunRecord
from harness.store import tables, writes
from harness.store.bulk import Bulk
from harness.store.calls import read_calls
from harness.store.memory import Memory
from harness.store.rows import CallDraft

_MATCH = tables.match.c
_NOT_COPIED = ("judge", "probe")
_FREE: dict[str, Any] = {
    "kind": "copied",
    **dict.fromkeys(("prompt_tokens", "cached_tokens", "completion_tokens", "reasoning_tokens")),
    "cost": 0.0,
    "priced_by": "free",
    "reserved": 0.0,
    "latency_ms": None,
    "response": None,
}
"""What a copied call has in place of its own: it was paid for where it was made, and belongs to no run's sums."""


class Origin(NamedTuple):
    """Where the matches of a run of forks come from."""

    matches: int
    """How many forks there are."""
    parents: tuple[int, int] | None
    """The lowest and the highest number of a parent that is still there."""
    plies: tuple[int, int]
    """The lowest and the highest ply."""


def create_forks(connection: Connection, run: RunRecord, matches: Sequence[MatchRecord]) -> int:
    """A run of forks with the logs up to where each was forked, copied from its parent. Resolves to the run's id."""
    run_id = writes.create_run(connection, run, matches)
    statement = select(_MATCH.id, _MATCH.parent_id, _MATCH.parent_ply).where(_MATCH.run_id == run_id)
    for fork, parent, ply in connection.execute(statement.order_by(_MATCH.number)).all():
        _copy(connection, fork, parent, ply)
    return run_id


def _copy(connection: Connection, fork: int, parent: int, ply: int) -> None:
    def of_parent(table: Table) -> ColumnElement[bool]:
        return and_(table.c.match_id == parent, table.c.ply <= ply)

    calls = Bulk()
    for call in read_calls(connection, parent, prompts=True):
        if call.ply <= ply and call.kind not in _NOT_COPIED:
            # What it says refers to other calls of its match, so it is said anew.
            copy = call.model_copy(update={**_FREE, "match_id": fork})
            calls.call(CallDraft(copy, of_no_run=True))
    calls.insert(connection, Memory())
    for table in (tables.turn, tables.message):
        own = {"match_id": literal(fork), "call_id": _copy_of(table.c.call_id, fork)}
        _insert(connection, table, of_parent(table), own)
    pledge, message = tables.pledge.c, tables.message.c
    said = select(message.seq).where(of_parent(tables.message))
    promised = and_(pledge.match_id == parent, pledge.seq.in_(said))
    _insert(connection, tables.pledge, promised, {"match_id": literal(fork)})


def _copy_of(call_id: ColumnElement[Any], fork: int) -> ColumnElement[Any]:
    """The fork's copy of a call: the request of that number of the same decision."""
    copy, made = tables.call.alias(), tables.call.alias()
    same = [copy.c[name] == made.c[name] for name in ("seat", "decision", "attempt")]
    found = select(func.min(copy.c.id)).where(made.c.id == call_id, copy.c.match_id == fork, *same)
    return found.correlate(call_id.table).scalar_subquery()


def _insert(connection: Connection, table: Table, condition: ColumnElement[bool], own: dict[str, Any]) -> None:
    """Copy rows inside the database, whatever their columns hold, with some values of their own."""
    rows = select(*(own.get(column.name, column) for column in table.c)).where(condition)
    connection.execute(insert(table).from_select([column.name for column in table.c], rows))


def origins(connection: Connection) -> dict[int, Origin]:
    """For each run of forks, where they come from."""
    statement = (
        select(
            _MATCH.run_id,
            func.count(),
            *(
                function(column)
                for column in (_MATCH.parent_id, _MATCH.parent_ply)
                for function in (func.min, func.max)
            ),
        )
        .where(_MATCH.parent_ply.is_not(None))
        .group_by(_MATCH.run_id)
    )
    return {
        run_id: Origin(number, None if first is None else (first, last), (least, most))
        for run_id, number, first, last, least, most in connection.execute(statement)
    }
