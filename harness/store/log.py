"""The log of a match as records: for readers, and for writers that look whether something is there already."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import Connection, select

from harness.records import MessageRecord, TurnRecord
from harness.store import tables
from harness.store.rows import message_record, turn_record


def read_turns(
    connection: Connection, match_id: int, plies: Iterable[int] | None = None, *, after: int = 0
) -> list[TurnRecord]:
    """The turns of a match in order, all beyond a ply or those of some plies."""
    columns = tables.turn.c
    statement = select(tables.turn).where(columns.match_id == match_id, columns.ply > after).order_by(columns.ply)
    if plies is not None:
        statement = statement.where(columns.ply.in_(list(plies)))
    return [turn_record(row) for row in connection.execute(statement).mappings()]


def read_messages(
    connection: Connection, match_id: int, seqs: Iterable[int] | None = None, *, after: int = -1
) -> list[MessageRecord]:
    """The messages of a match in order, all beyond a number or those of some numbers."""
    columns, promised = tables.message.c, tables.pledge.c
    statement = select(tables.message).where(columns.match_id == match_id, columns.seq > after).order_by(columns.seq)
    pledged = (
        select(tables.pledge)
        .where(promised.match_id == match_id, promised.seq > after)
        .order_by(promised.seq, promised.number)
    )
    if seqs is not None:
        wanted = list(seqs)
        statement, pledged = statement.where(columns.seq.in_(wanted)), pledged.where(promised.seq.in_(wanted))
    pledges: dict[int, list[Any]] = {}
    for row in connection.execute(pledged).mappings():
        pledges.setdefault(row["seq"], []).append(row)
    return [message_record(row, pledges.get(row["seq"], ())) for row in connection.execute(statement).mappings()]
