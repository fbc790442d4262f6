"""Whole runs at once, for measures: matches with their logs in lines, a few hundred matches a statement."""

from __future__ import annotations

import contextlib
import gc
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, Text, func, select, type_coerce

from harness.behaviour.log import Fault, Kinds, MessageLine, Played, TurnLine
from harness.ratings.versions import Entry, latest_rules, rules_of
from harness.records import OF_DECISIONS, OWN, MatchRecord, PledgeRecord, RunRecord, SeatStats
from harness.store import tables
from harness.store.columns import from_json
from harness.store.sums import Sums
from harness.store.texts import chunks

_TURN, _MESSAGE, _PLEDGE, _CALL = tables.turn.c, tables.message.c, tables.pledge.c, tables.call.c
_MATCHES_AT_ONCE = 50


def played(store: Sums, runs: Iterable[RunRecord], kinds: Iterable[str]) -> Iterator[Played]:
    """Every match of these runs by number, its log beside it; of events only those of some kinds are read.

    Matches that have not begun come without turns.
    """
    read = Kinds(kinds)
    for run in runs:
        if run.id is None:
            continue
        seats: dict[int, list[SeatStats]] = defaultdict(list)
        stats = store.seat_stats([run.id])
        for stat in stats:
            seats[stat.match_id].append(stat)
        latest = latest_rules(stats)
        matches = store.matches(run.id, with_start=True)
        for some in chunks(matches, _MATCHES_AT_ONCE):
            yield from _logs(store, run.name, some, seats, read, latest)


def _logs(
    store: Sums,
    run: str,
    matches: Sequence[MatchRecord],
    seats: dict[int, list[SeatStats]],
    kinds: Kinds,
    latest: Mapping[Entry, str],
) -> Iterator[Played]:
    ids = [match.id for match in matches if match.id is not None]
    with store.reading() as connection, no_collection():
        turns, messages, faults = _turns(connection, ids), _messages(connection, ids), _faults(connection, ids)
    for match in matches:
        of = match.id or 0
        rules = rules_of(seats[of][0], latest) if seats[of] else ""
        yield Played(match, run, seats[of], turns[of], messages[of], faults[of], kinds, _events, rules)


@contextlib.contextmanager
def no_collection() -> Iterator[None]:
    """Without looking for cycles: rows have none, and a third of the time would go into looking through them."""
    wanted = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if wanted:
            gc.enable()


def _plain(column: ColumnElement[Any]) -> ColumnElement[str]:
    """A column's text as it lies there: names and action texts hold nothing that has to be unescaped."""
    return type_coerce(column, Text)


def _turns(connection: Connection, ids: Sequence[int]) -> dict[int, list[TurnLine]]:
    found: defaultdict[int, list[TurnLine]] = defaultdict(list)
    statement = (
        select(
            _TURN.match_id,
            *(_TURN.ply, _plain(_TURN.seat), _plain(_TURN.action), _plain(_TURN.source), _TURN.decision),
            *(_TURN.plan_index, _TURN.shown_index, _TURN.legal_count, _plain(_TURN.events)),
        )
        .where(_TURN.match_id.in_(ids))
        .order_by(_TURN.match_id, _TURN.ply)
    )
    for match_id, *line in connection.execute(statement).all():
        found[match_id].append(TurnLine._make(line))
    return found


def _messages(connection: Connection, ids: Sequence[int]) -> dict[int, list[MessageLine]]:
    pledges: defaultdict[tuple[int, int], list[PledgeRecord]] = defaultdict(list)
    promised = (
        select(_PLEDGE.match_id, _PLEDGE.seq, _PLEDGE.kind, _PLEDGE.addressee, _PLEDGE.turns, _PLEDGE.condition)
        .where(_PLEDGE.match_id.in_(ids))
        .order_by(_PLEDGE.match_id, _PLEDGE.seq, _PLEDGE.number)
    )
    for match_id, seq, kind, addressee, turns, condition in connection.execute(promised).all():
        one = PledgeRecord(kind=kind, addressee=addressee, turns=turns, condition=condition)
        pledges[match_id, seq].append(one)
    found: defaultdict[int, list[MessageLine]] = defaultdict(list)
    columns = (_MESSAGE.seq, _MESSAGE.ply, _plain(_MESSAGE.sender), _plain(_MESSAGE.addressee))
    text = _plain(_MESSAGE.text)
    # What `columns.escape` writes as five characters is one.
    chars = 4 * func.length(func.replace(text, "\x10", "")) - 3 * func.length(text)
    statement = (
        select(_MESSAGE.match_id, *columns, chars, _MESSAGE.talk)
        .where(_MESSAGE.match_id.in_(ids))
        .order_by(_MESSAGE.match_id, _MESSAGE.seq)
    )
    for match_id, seq, ply, sender, addressee, length, talk in connection.execute(statement).all():
        made = tuple(pledges.get((match_id, seq), ()))
        found[match_id].append(MessageLine(seq, ply, sender, addressee, length, bool(talk), made))
    return found


def _faults(connection: Connection, ids: Sequence[int]) -> dict[int, list[Fault]]:
    found: defaultdict[int, list[Fault]] = defaultdict(list)
    statement = (
        select(_CALL.match_id, _CALL.seat, _CALL.decision, _CALL.attempt, _CALL.error_kind)
        .where(_CALL.match_id.in_(ids), _CALL.error_kind.in_(sorted(OWN)), _CALL.kind.in_(sorted(OF_DECISIONS)))
        .order_by(_CALL.match_id, _CALL.id)
    )
    for match_id, *fault in connection.execute(statement):
        found[match_id].append(Fault(*fault))
    return found


def _events(text: str) -> list[Any]:
    """The events of turns; few texts hold anything that has to be unescaped."""
    events: list[Any] = from_json(text) if "\x10" in text else json.loads(text)
    return events
