"""What is read: records of runs, matches, turns, messages and calls. Safe from any thread."""

from __future__ import annotations

import contextlib
import zlib
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, Engine, Select, func, select

from harness.records import CallLine, CallRecord, MatchRecord, MessageRecord, RunRecord, SeatRecord, TurnRecord
from harness.store import house, tables
from harness.store.calls import read_call, read_calls
from harness.store.engines import plain_errors
from harness.store.log import read_messages, read_turns
from harness.store.place import Place
from harness.store.rows import match_record, run_record, seat_record

_LAST_ID = 2**63 - 1
_LIGHT = tuple(column for column in tables.match.c if column.name not in ("start", "start_events"))


class Log(NamedTuple):
    """A match with its turns, and what is kept apart from its outcome for tables of results."""

    match: MatchRecord
    turns: list[TurnRecord]
    reason: str | None
    places: dict[str, int | None]
    """By seat."""


class Reader:
    """Reads a database through connections of its own, which cannot write."""

    def __init__(self, place: Place, engine: Engine) -> None:
        self._place = place
        self._engine = engine

    @contextlib.contextmanager
    def reading(self) -> Iterator[Connection]:
        """One state of the database, for as long as it is open."""
        with plain_errors(self._place), self._engine.connect() as connection, connection.begin():
            yield connection

    def runs(self) -> list[RunRecord]:
        """Every run, in the order in which they were made."""
        with self.reading() as connection:
            rows = connection.execute(select(tables.run).order_by(tables.run.c.id)).mappings()
            return [run_record(row) for row in rows]

    def run(self, name_or_id: str | int) -> RunRecord | None:
        """The run of that name, or of that id (a number, or digits that are no run's name)."""
        columns = tables.run.c
        with self.reading() as connection:
            row = None
            if isinstance(name_or_id, str):
                row = connection.execute(select(tables.run).where(columns.name == name_or_id)).mappings().first()
            if row is None and (number := _number(name_or_id)) is not None:
                row = connection.execute(select(tables.run).where(columns.id == number)).mappings().first()
            return None if row is None else run_record(row)

    def matches(self, run_id: int, *, with_start: bool = False) -> list[MatchRecord]:
        """A run's matches by number; start positions and their events only `with_start`."""
        match, seat = tables.match.c, tables.seat.c
        wanted = select(tables.match) if with_start else select(*_LIGHT)
        of_run = select(tables.seat).join(tables.match, seat.match_id == match.id).where(match.run_id == run_id)
        with self.reading() as connection:
            seats = _seats(connection, of_run.order_by(seat.match_id, seat.number))
            rows = connection.execute(wanted.where(match.run_id == run_id).order_by(match.number)).mappings()
            return [match_record(row, seats.get(row["id"], ())) for row in rows]

    def playing(self) -> list[MatchRecord]:
        """The matches that somebody plays now, those begun first first; without their starts."""
        match, seat = tables.match.c, tables.seat.c
        with self.reading() as connection:
            held = list(house.holders(connection))
            running = (match.status == "running") & match.run_id.in_(held)
            of_running = select(tables.seat).join(tables.match, seat.match_id == match.id).where(running)
            seats = _seats(connection, of_running.order_by(seat.match_id, seat.number))
            rows = connection.execute(select(*_LIGHT).where(running).order_by(match.started_at, match.id)).mappings()
            return [match_record(row, seats.get(row["id"], ())) for row in rows]

    def match(self, match_id: int) -> MatchRecord | None:
        """One match, with its start."""
        if match_id > _LAST_ID:
            return None
        with self.reading() as connection:
            return _match(connection, match_id)

    def match_numbers(self, run_name: str) -> dict[int, int] | None:
        """The numbers in the schedule of that run's matches, by id, in their order; nothing else of a row is read.
        None where no run has that name."""
        match = tables.match.c
        statement = select(match.id, match.number).join(tables.run, match.run_id == tables.run.c.id)
        with self.reading() as connection:
            if connection.execute(select(tables.run.c.id).where(tables.run.c.name == run_name)).first() is None:
                return None
            rows = connection.execute(statement.where(tables.run.c.name == run_name).order_by(match.number))
            return dict(rows.all())

    def run_of_match(self, match_id: int) -> str | None:
        """The name of the run that a match belongs to; nothing else of a row is read."""
        statement = select(tables.run.c.name).join(tables.match, tables.match.c.run_id == tables.run.c.id)
        with self.reading() as connection:
            return connection.scalar(statement.where(tables.match.c.id == match_id))

    def mark(self, match_id: int) -> str | None:
        """A short text that begins with a match's status and changes whenever something of it is written; None where
        there is no such match. It costs the same however long the match is."""
        match, message, call = tables.match.c, tables.message.c, tables.call.c
        said = select(func.max(message.seq)).where(message.match_id == match_id).scalar_subquery()
        asked = select(func.max(call.id)).where(call.match_id == match_id).scalar_subquery()
        columns = (match.status, match.plies, said, asked, match.why, match.ended_at, match.start_hash)
        if match_id > _LAST_ID:
            return None
        with self.reading() as connection:
            row = connection.execute(select(*columns).where(match.id == match_id)).first()
        if row is None:
            return None
        status, *numbers = row[:4]
        rest = zlib.crc32(repr(tuple(row[4:])).encode("utf-8", "surrogatepass"))
        return ".".join([status, *("-" if number is None else str(number) for number in numbers), f"{rest:08x}"])

    def log(self, match_id: int) -> Log | None:
        """One match, with its start, its turns and how it is listed to have ended: all at one moment."""
        reason = select(tables.match.c.reason).where(tables.match.c.id == match_id)
        seat = tables.seat.c
        places = select(seat.seat, seat.place).where(seat.match_id == match_id).order_by(seat.number)
        with self.reading() as connection:
            match = _match(connection, match_id)
            if match is None:
                return None
            turns = read_turns(connection, match_id)
            return Log(match, turns, connection.scalar(reason), dict(connection.execute(places).all()))

    def turns(self, match_id: int, *, after: int = 0) -> list[TurnRecord]:
        """A match's turns in order, those of plies beyond `after`."""
        with self.reading() as connection:
            return read_turns(connection, match_id, after=after)

    def messages(self, match_id: int, *, after: int = -1) -> list[MessageRecord]:
        """A match's messages in order, with their pledges, those of a `seq` beyond `after`."""
        with self.reading() as connection:
            return read_messages(connection, match_id, after=after)

    def calls(self, match_id: int, *, prompts: bool = False) -> list[CallRecord]:
        """A match's calls in the order in which they ended; prompts and schemas only if asked for."""
        with self.reading() as connection:
            return read_calls(connection, match_id, prompts=prompts)

    def call_lines(self, run_id: int) -> list[CallLine]:
        """Every call of a run in the order in which they ended, those of no match included, without their texts."""
        columns = tables.call.c
        statement = select(*(columns[name] for name in CallLine._fields)).where(columns.run_id == run_id)
        with self.reading() as connection:
            rows = connection.execute(statement.order_by(columns.id)).mappings()
            return [CallLine(**{**row, "flags": tuple(row["flags"])}) for row in rows]

    def call(self, call_id: int) -> CallRecord | None:
        """One call, with its prompt and schema."""
        if call_id > _LAST_ID:
            return None
        with self.reading() as connection:
            return read_call(connection, call_id)

    def inbox(self, match_id: int, seat: str, decision: int) -> list[str]:
        """Every answer given for that decision of that seat, used or not, oldest first."""
        box = tables.inbox.c
        statement = select(box.text).where(box.match_id == match_id, box.seat == seat, box.decision == decision)
        with self.reading() as connection:
            return list(connection.scalars(statement.order_by(box.id)))


def _match(connection: Connection, match_id: int) -> MatchRecord | None:
    seat = tables.seat.c
    row = connection.execute(select(tables.match).where(tables.match.c.id == match_id)).mappings().first()
    seats = _seats(connection, select(tables.seat).where(seat.match_id == match_id).order_by(seat.number))
    return None if row is None else match_record(row, seats.get(match_id, ()))


def light_matches(connection: Connection, match_ids: Sequence[int]) -> list[MatchRecord]:
    """These matches, by number, without their starts."""
    seat = tables.seat.c
    seats = _seats(connection, select(tables.seat).where(seat.match_id.in_(match_ids)).order_by(seat.number))
    statement = select(*_LIGHT).where(tables.match.c.id.in_(match_ids)).order_by(tables.match.c.number)
    return [match_record(row, seats.get(row["id"], ())) for row in connection.execute(statement).mappings()]


def _seats(connection: Connection, statement: Select[Any]) -> dict[int, list[SeatRecord]]:
    seats: dict[int, list[SeatRecord]] = {}
    for row in connection.execute(statement).mappings():
        seats.setdefault(row["match_id"], []).append(seat_record(row))
    return seats


def _number(name_or_id: str | int) -> int | None:
    if isinstance(name_or_id, str) and not (name_or_id.isascii() and name_or_id.isdecimal() and len(name_or_id) < 20):
        return None
    number = int(name_or_id)
    return number if 0 <= number <= _LAST_ID else None
