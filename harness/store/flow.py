"""Whole runs as rows of plain values, a few matches at a time: what exports and data frames are made of.

Texts stay as they lie in the database (see `columns.escape`), JSON and times as text, so that a million rows cost
little more than their reading.
"""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Boolean, ColumnElement, Connection, Engine, Table, Text, select, type_coerce
from sqlalchemy.types import TypeEngine

from harness.records import CallRecord
from harness.store import tables
from harness.store.calls import read_probes
from harness.store.columns import JsonText, Moment, Words, escape, from_json, sortable
from harness.store.listing import Lister
from harness.store.log_bulk import no_collection
from harness.store.place import Place

Values = tuple[Any, ...]
_TURN, _MESSAGE, _PLEDGE, _SEAT = tables.turn.c, tables.message.c, tables.pledge.c, tables.seat.c
_MATCH, _INBOX = tables.match.c, tables.inbox.c
MATCH = (
    *("game_index", "options", "scenario", "seed", "pack", "rotation", "status", "why", "plies", "reason", "outcome"),
    *(
        "versions",
        "parent_id",
        "parent_ply",
        "lineage",
        "started_at",
        "ended_at",
        "start_hash",
        "start",
        "start_events",
    ),
)
SEAT = ("seat", "number", "label", "kind", "model", "persona", "identity", "place")
TURN = (
    *("action", "source", "decision", "plan_index", "shown_index", "legal_count", "events", "position_hash", "call_id"),
    *("thoughts", "notes", "dropped", "plan_fault", "talk", "at"),
)
MESSAGE = ("text", "cut", "talk", "call_id")
PLEDGE = ("kind", "turns", "condition")
ANSWER = ("seat", "decision", "text", "put_at", "used_at")


class Head(NamedTuple):
    """A match as its rows name it."""

    id: int
    number: int
    game: str
    values: Values
    """Those of `MATCH`."""
    seats: tuple[Values, ...]
    """Those of `SEAT`, in the game's order."""
    forked: bool
    since: int
    """Turns and messages up to this ply were played in the match that this one was forked from."""
    stretches: tuple[tuple[int, Mapping[str, str]], ...]
    """Of those: up to which ply who sat where, as labels by seat."""

    @property
    def labels(self) -> dict[str, str]:
        """Who sits where."""
        return {seat[0]: seat[2] for seat in self.seats}

    def labels_at(self, ply: int) -> Mapping[str, str]:
        """Who sat where at a ply."""
        return next((labels for until, labels in self.stretches if ply <= until), self.labels)


class Snapshot(Lister):
    """One state of a database: whatever is read of it belongs together, though others write meanwhile."""

    def __init__(self, place: Place, engine: Engine, connection: Connection) -> None:
        super().__init__(place, engine)
        self._connection = connection

    @contextlib.contextmanager
    def reading(self) -> Iterator[Connection]:
        """The one state."""
        yield self._connection

    def match_ids(self, run_id: int) -> list[int]:
        """A run's matches by number."""
        statement = select(_MATCH.id).where(_MATCH.run_id == run_id).order_by(_MATCH.number)
        return list(self._connection.scalars(statement))

    def heads(self, ids: Sequence[int]) -> list[Head]:
        """These matches, in their order."""
        seats = self._grouped(tables.seat, SEAT, ids, (_SEAT.number,))
        rows = self._rows(tables.match, ("id", "number", "game", *MATCH), _MATCH.id.in_(ids), ())
        found = {row[0]: _head(row, seats[row[0]]) for row in rows}
        return [found[number] for number in ids]

    def turn_rows(self, ids: Sequence[int]) -> dict[int, list[Values]]:
        """The turns of each match: its id, ply, seat, and what `TURN` names."""
        return self._grouped(tables.turn, ("ply", "seat", *TURN), ids, (_TURN.ply,))

    def message_rows(self, ids: Sequence[int]) -> dict[int, list[Values]]:
        """The messages of each match: its id, seq, ply, sender, addressee, and what `MESSAGE` names."""
        return self._grouped(tables.message, ("seq", "ply", "sender", "addressee", *MESSAGE), ids, (_MESSAGE.seq,))

    def pledge_rows(self, ids: Sequence[int]) -> dict[int, list[Values]]:
        """The pledges of each match: its id, seq, number, addressee, and what `PLEDGE` names."""
        order = (_PLEDGE.seq, _PLEDGE.number)
        return self._grouped(tables.pledge, ("seq", "number", "addressee", *PLEDGE), ids, order)

    def answer_rows(self, ids: Sequence[int]) -> dict[int, list[Values]]:
        """What people typed in each match: its id, and what `ANSWER` names."""
        return self._grouped(tables.inbox, ANSWER, ids, (_INBOX.id,))

    def probes(self, run_id: int) -> list[CallRecord]:
        """A run's calls that belong to no match, with their prompts."""
        return read_probes(self._connection, run_id)

    def _grouped(
        self, table: Table, names: Sequence[str], ids: Sequence[int], order: Sequence[ColumnElement[Any]]
    ) -> dict[int, list[Values]]:
        of = table.c.match_id
        found: defaultdict[int, list[Values]] = defaultdict(list)
        for row in self._rows(table, ("match_id", *names), of.in_(ids), (of, *order)):
            found[row[0]].append(row)
        return found

    def _rows(
        self, table: Table, names: Sequence[str], which: ColumnElement[bool], order: Sequence[ColumnElement[Any]]
    ) -> list[Values]:
        statement = select(*(_plain(table.c[name]) for name in names)).where(which).order_by(*order)
        # As the driver gives them: of so many small rows, each would cost more to dress up than to read.
        cursor: Any = self._connection.execute(statement).cursor
        with no_collection():
            rows: list[Values] = cursor.fetchall()
        cursor.close()
        changed = {place: bind for place, name in enumerate(names) if (bind := self._change(table.c[name].type))}
        return [_with(row, changed) for row in rows] if changed else rows

    def _change(self, kind: TypeEngine[Any]) -> Callable[[Any], Any] | None:
        """What makes of a driver's value that is not None what it is in every database."""
        if self._connection.dialect.name == "sqlite":
            return bool if isinstance(kind, Boolean) else None
        return sortable if isinstance(kind, Moment) else None


def _plain(column: ColumnElement[Any]) -> ColumnElement[Any]:
    """A column as it lies there, where that is text."""
    return type_coerce(column, Text) if isinstance(column.type, Words | JsonText | Moment) else column


def _with(row: Values, changed: Mapping[int, Callable[[Any], Any]]) -> Values:
    values = list(row)
    for place, change in changed.items():
        if values[place] is not None:
            values[place] = change(values[place])
    return tuple(values)


def _head(row: Values, seats: Sequence[Values]) -> Head:
    id_, number, game, *values = row
    named = dict(zip(MATCH, values, strict=True))
    return Head(
        id_,
        number,
        game,
        tuple(values),
        tuple(seat[1:] for seat in seats),
        named["parent_ply"] is not None,
        named["parent_ply"] or 0,
        _stretches(named["lineage"]),
    )


def _stretches(lineage: str | None) -> tuple[tuple[int, Mapping[str, str]], ...]:
    if lineage is None:
        return ()
    return tuple(
        (stretch["until"], {seat["seat"]: escape(seat["label"]) for seat in stretch["seats"]})
        for stretch in from_json(lineage)
    )
