"""What is written, statement by statement; each function runs inside a transaction of the writer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar, get_args

from sqlalchemy import Connection, RowMapping, Table, and_, func, insert, select, update

from harness.records import (
    OVER,
    CallRecord,
    Json,
    MatchRecord,
    MatchStatus,
    MessageRecord,
    RunRecord,
    RunStatus,
    TurnRecord,
)
from harness.store import tables
from harness.store.bulk import Bulk
from harness.store.claims import is_gone
from harness.store.log import read_messages, read_turns
from harness.store.place import StoreError
from harness.store.rows import CallDraft, match_row, run_row, seat_rows
from harness.store.texts import chunks
from harness.store.writer import Job

R = TypeVar("R", TurnRecord, MessageRecord)
_RUN, _MATCH = tables.run.c, tables.match.c


class AddCall(Job[int]):
    """One call, with its texts. Resolves to its id."""

    def __init__(self, record: CallRecord) -> None:
        super().__init__()
        self._record = record

    def collect(self, bulk: Bulk) -> None:
        """Give the row."""
        self._bulk, self._number = bulk, bulk.call(CallDraft(self._record))

    def finish(self, _: Connection) -> int:
        """The id."""
        return self._bulk.call_id(self._number)


class AddTurns(Job[None]):
    """Turns with their messages, and how the match ended, if it did."""

    def __init__(
        self, match_id: int, turns: Sequence[TurnRecord], messages: Sequence[MessageRecord], outcome: Json | None
    ) -> None:
        super().__init__()
        self._match_id = match_id
        self._turns = turns
        self._messages = messages
        self._outcome = outcome

    def check(self, connection: Connection) -> None:
        """Leave out what is there already; something else in its place means that another process plays this match."""
        _must_exist(connection, self._match_id)
        if self._turns:
            plies = [one.ply for one in self._turns]
            there = {one.ply: one for one in read_turns(connection, self._match_id, plies)}
            self._turns = _new(self._turns, there, lambda one: one.ply, f"match {self._match_id}: ply")
        if self._messages:
            seqs = [one.seq for one in self._messages]
            said = {one.seq: one for one in read_messages(connection, self._match_id, seqs)}
            self._messages = _new(self._messages, said, lambda one: one.seq, f"match {self._match_id}: message")

    def collect(self, bulk: Bulk) -> None:
        """Give the rows."""
        for turn in self._turns:
            bulk.turn(turn, self._match_id)
        for message in self._messages:
            bulk.message(message, self._match_id)

    def finish(self, connection: Connection) -> None:
        """Note the end."""
        if self._outcome is not None:
            _finish_match(connection, self._match_id, self._outcome)


def _new(records: Sequence[R], there: Mapping[int, R], key: Callable[[R], int], what: str) -> list[R]:
    new: list[R] = []
    for record in records:
        old = there.get(key(record))
        if old is None:
            new.append(record)
        elif _content(old) != _content(record):
            raise StoreError(
                f"{what} {key(record)} is there already and differs; another process is playing this match"
            )
    return new


def _content(record: TurnRecord | MessageRecord) -> Any:
    return record.model_copy(update={"at": None}) if isinstance(record, TurnRecord) else record


def now(connection: Connection) -> datetime:
    """The time by the clock that all who share the database agree on."""
    if connection.dialect.name == "sqlite":
        return datetime.now(UTC)
    return connection.execute(select(func.clock_timestamp())).scalar_one()  # type: ignore[no-any-return]


def create_run(connection: Connection, record: RunRecord, matches: Sequence[MatchRecord]) -> int:
    """A new run with its matches. Resolves to its id."""
    if connection.execute(select(_RUN.id).where(_RUN.name == record.name)).first():
        raise StoreError(f"there is a run named {record.name!r} already")
    run_id = _insert_one(connection, tables.run, run_row(record))
    _add_matches(connection, run_id, matches)
    return run_id


def extend_run(
    connection: Connection, run_id: int, spec: Json | None, source: str | None, matches: Sequence[MatchRecord]
) -> None:
    """A run's file as it is now, and more matches."""
    if connection.execute(select(_RUN.id).where(_RUN.id == run_id)).first() is None:
        raise StoreError(f"there is no run {run_id}")
    changes = {name: value for name, value in (("spec", spec), ("source", source)) if value is not None}
    if changes:
        connection.execute(update(tables.run).where(_RUN.id == run_id).values(**changes))
    _add_matches(connection, run_id, matches)


def set_run(connection: Connection, run_id: int, status: RunStatus, why: str | None) -> None:
    """How a run stands."""
    _one_of(status, RunStatus, "run status")
    ended = now(connection) if status == "finished" else None
    values = {"status": status, "why": why, "ended_at": ended}
    if not connection.execute(update(tables.run).where(_RUN.id == run_id).values(**values)).rowcount:
        raise StoreError(f"there is no run {run_id}")


def start_match(
    connection: Connection, match_id: int, start: Json, start_events: Sequence[Json], start_hash: str, versions: Json
) -> None:
    """A match begins, or goes on from the same start."""
    row = _held(connection, match_id)
    going_on = row["plies"] > 0 and row["start_hash"] is not None
    if going_on and row["start_hash"] != start_hash:
        raise StoreError(f"match {match_id}: it was played from another start position; it cannot go on from this one")
    values: dict[str, Any] = {"started_at": row["started_at"] or now(connection)}
    if not going_on:
        values |= {"start": start, "start_events": list(start_events), "start_hash": start_hash, "versions": versions}
    if row["status"] not in OVER:
        values |= {"status": "running", "why": None, "ended_at": None}
    connection.execute(update(tables.match).where(_MATCH.id == match_id).values(**values))


def set_match(connection: Connection, match_id: int, status: MatchStatus, why: str | None) -> None:
    """How a match stands. One whose outcome is known is finished or void, whatever else is asked for."""
    _one_of(status, MatchStatus, "match status")
    row = _held(connection, match_id)
    values: dict[str, Any] = {"status": status, "why": why, "ended_at": None}
    if status in OVER:
        # One that had ended and is then declared void has not ended again.
        values["ended_at"] = row["ended_at"] or now(connection)
    elif row["outcome"] is not None:
        values = {"status": "finished", "why": None, "ended_at": row["ended_at"]}
    connection.execute(update(tables.match).where(_MATCH.id == match_id).values(**values))


def pause_match(connection: Connection, match_id: int, why: str | None) -> None:
    """A match is paused, unless it is over."""
    if _held(connection, match_id)["status"] not in OVER:
        set_match(connection, match_id, "paused", why)


def _finish_match(connection: Connection, match_id: int, outcome: Json) -> None:
    row = _held(connection, match_id)
    if row["outcome"] not in (None, outcome):
        raise StoreError(f"match {match_id} has ended otherwise already; another process is playing this match")
    if row["status"] == "finished":
        return
    values: dict[str, Any] = {"outcome": outcome, "reason": outcome.get("reason"), "ended_at": now(connection)}
    values |= {"claimed_by": None, "claimed_until": None}
    if row["status"] != "void":
        # Who voided a match by hand while it was played meant it.
        values |= {"status": "finished", "why": None}
    connection.execute(update(tables.match).where(_MATCH.id == match_id).values(**values))
    at = tables.seat.c
    for name, place in outcome.get("places", {}).items():
        of = and_(at.match_id == match_id, at.seat == name)
        connection.execute(update(tables.seat).where(of).values(place=place))


def claim(connection: Connection, match_id: int, owner: str, lease_seconds: float) -> bool:
    """Take a match to play it, unless it is over or somebody alive has it."""
    row = _held(connection, match_id)
    if row["status"] in OVER:
        return False
    at = now(connection)
    taken = row["claimed_by"] is not None and row["claimed_until"] is not None and row["claimed_until"] > at
    if taken and row["claimed_by"] != owner and not is_gone(row["claimed_by"]):
        return False
    values = {"claimed_by": owner, "claimed_until": at + timedelta(seconds=lease_seconds)}
    connection.execute(update(tables.match).where(_MATCH.id == match_id).values(**values))
    return True


def put_inbox(connection: Connection, match_id: int, seat: str, decision: int, answer: str) -> int:
    """A human's answer. Resolves to its id."""
    _must_exist(connection, match_id)
    row = {"match_id": match_id, "seat": seat, "decision": decision, "text": answer, "put_at": now(connection)}
    return _insert_one(connection, tables.inbox, row)


def take_inbox(connection: Connection, match_id: int, seat: str, decision: int) -> str | None:
    """The oldest answer not used yet, which is used now."""
    box = tables.inbox.c
    wanted = and_(box.match_id == match_id, box.seat == seat, box.decision == decision, box.used_at.is_(None))
    statement = select(box.id, box.text).where(wanted).order_by(box.id).limit(1)
    row = connection.execute(statement.with_for_update()).first()
    if row is None:
        return None
    connection.execute(update(tables.inbox).where(box.id == row.id).values(used_at=now(connection)))
    return str(row.text)


def _add_matches(connection: Connection, run_id: int, matches: Sequence[MatchRecord]) -> None:
    if not matches:
        return
    numbers = {match.number for match in matches}
    if len(numbers) != len(matches):
        raise StoreError(f"run {run_id}: two of its matches have one number")
    statement = select(_MATCH.number).where(_MATCH.run_id == run_id)
    taken = sorted(numbers.intersection(connection.scalars(statement)))
    if taken:
        raise StoreError(f"run {run_id}: it has a match {taken[0]} already")
    connection.execute(insert(tables.match), [match_row(match, run_id) for match in matches])
    statement = select(_MATCH.number, _MATCH.id).where(_MATCH.run_id == run_id)
    ids = {number: match_id for number, match_id in connection.execute(statement) if number in numbers}
    seats = [row for match in matches for row in seat_rows(match, ids[match.number])]
    for chunk in chunks(seats, 5000):
        connection.execute(insert(tables.seat), chunk)


def _insert_one(connection: Connection, table: Table, row: Mapping[str, Any]) -> int:
    key = connection.execute(insert(table).values(**row)).inserted_primary_key
    if key is None:
        raise StoreError(f"the database gave no id for a row of {table.name}")
    return int(key[0])


_STANDING = tuple(
    _MATCH[name]
    for name in (
        *("status", "plies", "outcome", "start_hash", "started_at", "ended_at"),
        *("claimed_by", "claimed_until"),
    )
)


def _held(connection: Connection, match_id: int) -> RowMapping:
    """How a match stands, which nobody else changes before this transaction ends."""
    statement = select(*_STANDING).where(_MATCH.id == match_id).with_for_update()
    row = connection.execute(statement).mappings().first()
    if row is None:
        raise StoreError(f"there is no match {match_id}")
    return row


def _must_exist(connection: Connection, match_id: int) -> None:
    if connection.execute(select(_MATCH.id).where(_MATCH.id == match_id)).first() is None:
        raise StoreError(f"there is no match {match_id}")


def _one_of(value: str, kinds: Any, what: str) -> None:
    if value not in get_args(kinds):
        raise StoreError(f"{what}: {value!r} is none of {', '.join(get_args(kinds))}")
