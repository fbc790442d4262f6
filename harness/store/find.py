"""Searching a run: rows that may be what is looked for, in the order of play, read only as far as somebody reads on."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Select, String, exists, or_, select, type_coerce

from harness.records import Json
from harness.store import tables
from harness.store.sums import Sums

_MATCH, _SEAT, _TURN, _CALL = tables.match.c, tables.seat.c, tables.turn.c, tables.call.c
_SAID, _PLEDGE = tables.message.c, tables.pledge.c
_BATCH = 200
"""So many rows are fetched at once."""
_SAMPLE = 20_000
"""So many turns are looked at for the kinds of events that there are."""
_PLACE = (_MATCH.id, _MATCH.number)
_OWN_CALLS = ("act", "talk", "retry")


class Span(NamedTuple):
    """What part of a run is looked at: from that ply of the match of that number on, and only matches numbered below
    `before`."""

    number: int = 0
    ply: int = 0
    before: int | None = None


WHOLE = Span()


class TurnHit(NamedTuple):
    """A turn that may be what is looked for."""

    match: int
    number: int
    ply: int
    seat: str
    label: str
    action: str
    source: str
    events: Sequence[Json]
    game: str


class MessageHit(NamedTuple):
    """A message that is what is looked for, with the pledges that were asked for (if none were: with all)."""

    match: int
    number: int
    ply: int
    seat: str
    label: str
    to: str
    text: str
    seq: int
    pledges: Sequence[tuple[str, str, int, str | None, int]]
    """Kind, addressee, turns, condition, number."""


class AnswerHit(NamedTuple):
    """An illegal answer."""

    match: int
    number: int
    ply: int
    seat: str
    label: str
    error: str


class Act(NamedTuple):
    """As much of a turn as it takes to judge pledges."""

    ply: int
    action: str
    source: str


class Finder(Sums):
    """A reader that also searches. What a fork was given is found in the match that it comes from alone."""

    def find_turns(
        self,
        run_id: int,
        *,
        words: Sequence[str] = (),
        seat: str | None = None,
        action: str | None = None,
        source: str | None = None,
        kind: str | None = None,
        span: Span = WHOLE,
    ) -> Iterator[TurnHit]:
        """A run's turns, by match number and ply: of a seat or the player of that label, with this text in the
        action, of this source, with an event of this kind, and with each of the words in the action or the events (as
        the log stores them)."""
        statement = _of_run(
            run_id, (_TURN.ply, _TURN.seat, _TURN.action, _TURN.source, _TURN.events, _MATCH.game), tables.turn, span
        )
        with self.reading() as connection:
            raw = type_coerce(_TURN.events, String)
            wanted: list[ColumnElement[bool]] = [
                or_(_holds(connection, _TURN.action, word), _holds_json(connection, raw, word)) for word in words
            ]
            if seat is not None:
                wanted.append(_is(_TURN, _TURN.seat, seat))
            if action is not None:
                wanted.append(_holds(connection, _TURN.action, action))
            if source is not None:
                wanted.append(_TURN.source == source)
            if kind is not None:
                wanted.append(raw.contains(f'"kind":{json.dumps(kind, ensure_ascii=False)}', autoescape=True))
            label = _Labels(connection)
            for row in _rows(connection, statement.where(*wanted).order_by(_MATCH.number, _TURN.ply)):
                who = label.of(row.id, row.seat)
                yield TurnHit(row.id, row.number, row.ply, row.seat, who, row.action, row.source, row.events, row.game)

    def find_messages(
        self,
        run_id: int,
        *,
        words: Sequence[str] = (),
        sender: str | None = None,
        to: str | None = None,
        pledged: bool = False,
        kind: str | None = None,
        span: Span = WHOLE,
    ) -> Iterator[MessageHit]:
        """A run's messages, by match number and place: with each of the words, from and to a seat or the player of
        that label (`to`: or `all`). With `pledged` or a `kind`, those with a pledge (of this kind), `to` is who it is
        made to, and each word may be in its kind, addressee or condition too (if only in one of its fellows')."""
        columns = (_SAID.ply, _SAID.sender, _SAID.addressee, _SAID.text, _SAID.seq)
        statement = _of_run(run_id, columns, tables.message, span)
        with self.reading() as connection:
            wanted = [] if sender is None else [_is(_SAID, _SAID.sender, sender)]
            promised: list[ColumnElement[bool]] = []
            if pledged or kind is not None:
                of_kind = [] if kind is None else [_PLEDGE.kind == kind]
                if not connection.scalar(select(exists().where(_PLEDGE.match_id.is_not(None), *of_kind))):
                    # Most kinds are of events: the messages need not be gone through for them.
                    return
                promised = of_kind + ([] if to is None else [_is(_PLEDGE, _PLEDGE.addressee, to)])
                own = exists().where(_PLEDGE.match_id == _SAID.match_id, _PLEDGE.seq == _SAID.seq)
                wanted.append(own.where(*promised))
                terms = (_PLEDGE.kind, _PLEDGE.addressee, _PLEDGE.condition)
                wanted += [
                    or_(
                        _holds(connection, _SAID.text, word),
                        own.where(or_(*(_holds(connection, term, word) for term in terms))),
                    )
                    for word in words
                ]
            else:
                wanted += [_holds(connection, _SAID.text, word) for word in words]
                if to is not None:
                    wanted.append(_is(_SAID, _SAID.addressee, to))
            label = _Labels(connection)
            for row in _rows(connection, statement.where(*wanted).order_by(_MATCH.number, _SAID.seq)):
                pledges = _pledges(connection, row.id, row.seq, promised)
                who = label.of(row.id, row.sender)
                place = (row.id, row.number, row.ply, row.sender, who)
                yield MessageHit(*place, row.addressee, row.text, row.seq, pledges)

    def find_illegal(
        self, run_id: int, *, words: Sequence[str] = (), seat: str | None = None, span: Span = WHOLE
    ) -> Iterator[AnswerHit]:
        """A run's illegal answers, by match number and ply, with each of the words in what was wrong with it; of a
        seat or the player of that label."""
        statement = _of_run(run_id, (_CALL.ply, _CALL.seat, _CALL.error), tables.call, span)
        with self.reading() as connection:
            wanted = [_CALL.error_kind == "illegal", _CALL.kind.in_(_OWN_CALLS)]
            if seat is not None:
                wanted.append(_is(_CALL, _CALL.seat, seat))
            wanted += [_holds(connection, _CALL.error, word) for word in words]
            label = _Labels(connection)
            for row in _rows(connection, statement.where(*wanted).order_by(_MATCH.number, _CALL.ply, _CALL.id)):
                who = label.of(row.id, row.seat)
                yield AnswerHit(row.id, row.number, row.ply, row.seat, who, row.error or "")

    def acts(self, match_id: int) -> list[Act]:
        """A match's actions in order."""
        statement = select(_TURN.ply, _TURN.action, _TURN.source).where(_TURN.match_id == match_id)
        with self.reading() as connection:
            return [Act(*row) for row in connection.execute(statement.order_by(_TURN.ply))]

    def kinds(self, run_id: int) -> list[str]:
        """The kinds of events and pledges that occur in a run's first turns and messages."""
        events = _of_run(run_id, (_TURN.events,), tables.turn).order_by(_MATCH.number, _TURN.ply)
        pledges = select(_PLEDGE.kind).join(tables.match, _PLEDGE.match_id == _MATCH.id).where(_MATCH.run_id == run_id)
        with self.reading() as connection:
            found = {event["kind"] for row in connection.execute(events.limit(_SAMPLE)) for event in row.events}
            return sorted(found | set(connection.scalars(pledges.distinct())))

    def sitters(self, run_id: int) -> tuple[set[str], set[str]]:
        """The seats and the labels of a run's matches."""
        statement = select(_SEAT.seat, _SEAT.label).join(tables.match, _SEAT.match_id == _MATCH.id).distinct()
        with self.reading() as connection:
            rows = connection.execute(statement.where(_MATCH.run_id == run_id)).all()
        return {seat for seat, _ in rows}, {label for _, label in rows}


def _of_run(run_id: int, columns: Sequence[ColumnElement[Any]], source: Any, span: Span = WHOLE) -> Select[Any]:
    own = or_(_MATCH.parent_ply.is_(None), source.c.ply > _MATCH.parent_ply)
    joined = select(*_PLACE, *columns).join_from(tables.match, source, source.c.match_id == _MATCH.id)
    statement = joined.where(_MATCH.run_id == run_id, own)
    if span.number or span.ply:
        # Said twice, so that the database begins at that match.
        later = or_(_MATCH.number > span.number, source.c.ply >= span.ply)
        statement = statement.where(_MATCH.number >= span.number, later)
    return statement if span.before is None else statement.where(_MATCH.number < span.before)


def _rows(connection: Connection, statement: Select[Any]) -> Iterator[Any]:
    with connection.execution_options(yield_per=_BATCH).execute(statement) as rows:
        yield from rows


def _pattern(word: str) -> str:
    return "%" + re.sub(r"([%_\\])", r"\\\1", word) + "%"


def _holds(connection: Connection, column: ColumnElement[Any], word: str) -> ColumnElement[bool]:
    """Whether a text holds a word, whatever its case."""
    text = type_coerce(column, String)
    if connection.dialect.name != "sqlite":
        return text.ilike(_pattern(word), escape="\\")
    # SQLite's LIKE evens out ASCII letters alone; of others, the usual spellings are looked for.
    spellings = {word} if word.isascii() else {word, word.lower(), word.upper(), word.capitalize()}
    return or_(*(text.like(_pattern(spelling), escape="\\") for spelling in sorted(spellings)))


def _holds_json(connection: Connection, column: ColumnElement[Any], word: str) -> ColumnElement[bool]:
    return _holds(connection, column, json.dumps(word, ensure_ascii=False)[1:-1])


def _is(source: Any, column: ColumnElement[str], who: str) -> ColumnElement[bool]:
    """Whether a seat in a table's rows is the one of that name, or of the player of that label."""
    labelled = exists().where(_SEAT.match_id == source.match_id, _SEAT.seat == column, _SEAT.label == who)
    return or_(column == who, labelled)


def _pledges(connection: Connection, match_id: int, seq: int, wanted: Sequence[ColumnElement[bool]]) -> Sequence[Any]:
    statement = select(_PLEDGE.kind, _PLEDGE.addressee, _PLEDGE.turns, _PLEDGE.condition, _PLEDGE.number)
    statement = statement.where(_PLEDGE.match_id == match_id, _PLEDGE.seq == seq, *wanted).order_by(_PLEDGE.number)
    return [tuple(row) for row in connection.execute(statement)]


class _Labels:
    """The labels at the tables that hits come from, read where there is a hit."""

    def __init__(self, connection: Connection) -> None:
        @lru_cache(maxsize=16)
        def labels(match_id: int) -> dict[str, str]:
            found = connection.execute(select(_SEAT.seat, _SEAT.label).where(_SEAT.match_id == match_id))
            return dict(found.all())

        self._labels = labels

    def of(self, match_id: int, seat: str) -> str:
        """Who sits there."""
        return self._labels(match_id).get(seat, "")
