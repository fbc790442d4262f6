"""Runs taken in from elsewhere, in one transaction: records as they were, under numbers of this database."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Connection, insert, select, update

from harness.records import CallRecord, MatchRecord, MessageRecord, RunRecord, Stretch, TurnRecord
from harness.store import tables, writes
from harness.store.bulk import Bulk
from harness.store.memory import Memory
from harness.store.rows import CallDraft
from harness.store.texts import chunks

_RUN, _MATCH = tables.run.c, tables.match.c
_CALLS_AT_ONCE = 100


class Typed(NamedTuple):
    """What a person answered for a seat, and when it was used (None: not yet)."""

    seat: str
    decision: int
    text: str
    put_at: datetime
    used_at: datetime | None


class Intake:
    """Adds runs inside one transaction. Every method raises `StoreError` for what cannot be."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._memory = Memory()

    def has_run(self, name: str) -> bool:
        """Whether a run of that name is there."""
        return self._connection.execute(select(_RUN.id).where(_RUN.name == name)).first() is not None

    def run(self, record: RunRecord) -> int:
        """Add a run without matches; its id."""
        return writes.create_run(self._connection, record, ())

    def matches(self, run_id: int, records: Sequence[MatchRecord]) -> list[int]:
        """Add matches; their ids, in the same order."""
        writes.extend_run(self._connection, run_id, None, None, records)
        ids: dict[int, int] = {}
        for chunk in chunks([record.number for record in records]):
            statement = select(_MATCH.number, _MATCH.id).where(_MATCH.run_id == run_id, _MATCH.number.in_(chunk))
            ids |= dict(self._connection.execute(statement).all())
        return [ids[record.number] for record in records]

    def match_of(self, run: str, number: int, start_hash: str | None) -> int | None:
        """The match of that number in the run of that name, if it began from that start."""
        statement = select(_MATCH.id).join(tables.run, _MATCH.run_id == _RUN.id)
        same = (_RUN.name == run, _MATCH.number == number, _MATCH.start_hash == start_hash)
        return self._connection.scalar(statement.where(*same))

    def link(self, match_id: int, parent_id: int | None, lineage: Iterable[Stretch]) -> None:
        """Say where a fork comes from, in this database's numbers."""
        values = {"parent_id": parent_id, "lineage": [stretch.model_dump(mode="json") for stretch in lineage]}
        self._connection.execute(update(tables.match).where(_MATCH.id == match_id).values(**values))

    def calls(self, records: Iterable[CallRecord]) -> dict[int, int]:
        """Add calls of one match, or of none, in their order; the new id of each by the one that its record has."""
        self._memory.forget_calls()
        ids: dict[int, int] = {}
        for some in chunks(records, _CALLS_AT_ONCE):
            bulk = Bulk()
            for record in some:
                bulk.call(CallDraft(record, of_no_run=record.kind == "copied"))
            self._memory.remember(*bulk.insert(self._connection, self._memory))
            ids |= {record.id or 0: bulk.call_id(place) for place, record in enumerate(some)}
        return ids

    def log(self, match_id: int, turns: Iterable[TurnRecord], messages: Iterable[MessageRecord]) -> None:
        """Add what was played and said."""
        bulk = Bulk()
        for turn in turns:
            bulk.turn(turn, match_id)
        for message in messages:
            bulk.message(message, match_id)
        bulk.insert(self._connection, self._memory)

    def answers(self, match_id: int, given: Sequence[Typed]) -> None:
        """Add what people typed."""
        if given:
            rows: list[Mapping[str, object]] = [{"match_id": match_id, **one._asdict()} for one in given]
            self._connection.execute(insert(tables.inbox), rows)
