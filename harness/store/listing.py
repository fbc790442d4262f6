"""What lists of runs and matches show, so that a look costs what is shown and what is new, however much there is."""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    String,
    case,
    cast,
    exists,
    func,
    literal,
    or_,
    select,
    type_coerce,
)

from harness.records import OF_DECISIONS, MatchRecord
from harness.store import tables
from harness.store.find import Finder
from harness.store.place import Place
from harness.store.reads import light_matches

_CALL, _MATCH, _RUN, _SEAT = tables.call.c, tables.match.c, tables.run.c, tables.seat.c
_TOKENS = func.coalesce(_CALL.prompt_tokens, 0) + func.coalesce(_CALL.completion_tokens, 0)
_UNPRICED = func.sum(case((_CALL.cost.is_(None), 1), else_=0))
_SPENT = (func.count(), func.sum(_TOKENS), func.sum(_CALL.cost), _UNPRICED)
_LATE = 2_000
"""On a server calls are numbered before they are committed: among so many of the newest there may be others to come."""
_ASKED = {"answer": OF_DECISIONS, "talk": frozenset({"talk"})}
_NUMBER = re.compile("#?[0-9]*")


class Word(NamedTuple):
    """A word that each listed match holds somewhere."""

    text: str
    games: Sequence[str] = ()
    """The games whose title holds it."""
    statuses: Sequence[str] = ()
    """The statuses that are shown by a word which holds it."""


class Exact(NamedTuple):
    """What a listed match is exactly, where it is said."""

    players: Sequence[str] = ()
    """Labels; all of them sit in it."""
    seat: str | None = None
    """Of the first of them."""
    game: str | None = None
    entry: int | None = None
    """Of the tournament file's `games`."""
    reason: str | None = None
    """How it ended; with a minus before it, any other way."""
    had: str | None = None
    """What happened to the first of the players (to anybody, without players): `fallback`, one of the `error_kind`s of
    calls (with commas between), `answer:` or `talk:` before them for answers to decisions or in talk rounds alone, or
    `flag:` and what a call's flag begins with."""
    matches: Sequence[int] = ()
    """One of these, by id."""


class Sheet(NamedTuple):
    """Some of a run's matches, in their order."""

    matches: list[MatchRecord]
    """Without their starts."""
    number: int
    """Of the sheet, from 0."""
    sheets: int
    counts: Mapping[str, int]
    """How many hold the words, by status, whichever statuses were asked for."""
    all: int
    """How many matches the run has."""


class _Spent(NamedTuple):
    calls: int = 0
    tokens: int = 0
    cost: float = 0.0
    unpriced: int = 0

    def plus(self, other: _Spent) -> _Spent:
        return _Spent(
            self.calls + other.calls,
            self.tokens + other.tokens,
            self.cost + other.cost,
            self.unpriced + other.unpriced,
        )


class _Tally:
    """What each run's calls come to, up to the call of some number. Calls are added, and go only with their run."""

    def __init__(self) -> None:
        self._runs: dict[int, tuple[str, datetime]] = {}
        self._upto = 0
        self._spent: dict[int, _Spent] = {}
        self._lock = threading.Lock()

    def now(self, connection: Connection) -> dict[int, _Spent]:
        """The sums of every run that has calls: those of new calls are added to those that are known."""
        runs = {
            row.id: (row.name, row.created_at)
            for row in connection.execute(select(_RUN.id, _RUN.name, _RUN.created_at))
        }
        newest = connection.scalar(select(func.max(_CALL.id))) or 0
        with self._lock:
            known, upto, spent = self._runs, self._upto, self._spent
        if newest < upto or any(runs.get(run_id) != run for run_id, run in known.items()):
            upto, spent = 0, {}
        settled = newest if connection.dialect.name == "sqlite" else max(upto, newest - _LATE)
        spent = _added(spent, _between(connection, upto, settled)) if settled > upto else spent
        with self._lock:
            self._runs, self._upto, self._spent = runs, settled, spent
        return _added(spent, _between(connection, settled, newest)) if newest > settled else spent


def _added(spent: Mapping[int, _Spent], more: Mapping[int, _Spent]) -> dict[int, _Spent]:
    return {**spent, **{run_id: spent.get(run_id, _Spent()).plus(one) for run_id, one in more.items()}}


def _between(connection: Connection, after: int, upto: int) -> dict[int, _Spent]:
    """What the calls behind a number and up to another come to. All of them are summed from an index alone."""
    statement = select(_CALL.run_id, *_SPENT).group_by(_CALL.run_id)
    if after:
        statement = statement.where(_CALL.id > after, _CALL.id <= upto)
    elif connection.dialect.name != "sqlite":
        statement = statement.where(_CALL.id <= upto)
    rows = connection.execute(statement)
    # PostgreSQL sums whole numbers of 64 bits into decimals.
    sums = {run: _Spent(calls, int(tokens), float(usd or 0), int(free)) for run, calls, tokens, usd, free in rows}
    return {run: one for run, one in sums.items() if run is not None}


class Lister(Finder):
    """A reader that also lists."""

    def __init__(self, place: Place, engine: Engine) -> None:
        super().__init__(place, engine)
        self._tally = _Tally()

    def run_counts(self) -> dict[int, dict[str, Any]]:
        """For every run: `matches` (a count for each status), `forks` (of matches that are here), `calls`, `tokens`,
        `cost` (USD) and `unpriced`: calls whose cost is not known. Asked again, only calls that were not there before
        are looked at."""
        by_status = select(_MATCH.run_id, _MATCH.status, func.count()).group_by(_MATCH.run_id, _MATCH.status)
        forked = select(_MATCH.run_id).where(_MATCH.parent_id.is_not(None))
        with self.reading() as connection:
            spent = self._tally.now(connection)
            counts: dict[int, dict[str, Any]] = {
                run_id: {"matches": {}, "forks": 0, **spent.get(run_id, _Spent())._asdict()}
                for run_id in connection.scalars(select(_RUN.id).order_by(_RUN.id))
            }
            for run_id, status, number in connection.execute(by_status):
                counts[run_id]["matches"][status] = number
            for run_id in connection.scalars(forked):
                counts[run_id]["forks"] += 1
            return counts

    def played_as(self, run_id: int) -> tuple[set[str], set[int], set[str]]:
        """The games of a run's matches, their entries in its file's `games`, and why those that ended did."""
        kinds = select(_MATCH.game, _MATCH.game_index, _MATCH.reason).where(_MATCH.run_id == run_id).distinct()
        with self.reading() as connection:
            rows = connection.execute(kinds).all()
        reasons = {reason for *_, reason in rows if reason is not None}
        return {game for game, *_ in rows}, {entry for _, entry, _ in rows}, reasons

    def sheet(
        self,
        run_id: int,
        *,
        words: Sequence[Word] = (),
        exact: Exact | None = None,
        statuses: Sequence[str] | None = None,
        number: int = 0,
        size: int,
    ) -> Sheet:
        """The `number`-th sheet (from 0; beyond the last: the last) of `size` of a run's matches, in their order: of
        these statuses (None: of any), and with each of the words in their number, game, status, reason or players."""
        of_run = _MATCH.run_id == run_id
        by_status = select(_MATCH.status, func.count()).group_by(_MATCH.status)
        with self.reading() as connection:
            fitting = [of_run, *(_holds_word(connection, word) for word in words)]
            fitting += [] if exact is None else _exactly(exact)
            whole: dict[str, int] = dict(connection.execute(by_status.where(of_run)).all())
            counts = dict(connection.execute(by_status.where(*fitting)).all()) if len(fitting) > 1 else whole
            shown = sum(one for status, one in counts.items() if statuses is None or status in statuses)
            sheets = max(1, -(-shown // size))
            number = max(0, min(number, sheets - 1))
            ids: Sequence[int] = ()
            if shown:
                # Numbers alone are sorted and passed over; whole rows are read of those on the sheet.
                if statuses is not None:
                    fitting.append(_MATCH.status.in_(statuses))
                wanted = select(_MATCH.id).where(*fitting).order_by(_MATCH.number).limit(size).offset(number * size)
                ids = connection.scalars(wanted).all()
            return Sheet(light_matches(connection, ids), number, sheets, counts, sum(whole.values()))


def _exactly(exact: Exact) -> list[ColumnElement[bool]]:
    """Whether a match is that."""
    sits = [_SEAT.match_id == _MATCH.id]
    fitting: list[ColumnElement[bool]] = [exists().where(*sits, _SEAT.label == label) for label in exact.players]
    if exact.seat is not None:
        of_first = [_SEAT.label == label for label in exact.players[:1]]
        fitting.append(exists().where(*sits, _SEAT.seat == exact.seat, *of_first))
    if exact.game is not None:
        fitting.append(_MATCH.game == exact.game)
    if exact.entry is not None:
        fitting.append(_MATCH.game_index == exact.entry)
    if exact.reason is not None:
        other = exact.reason.removeprefix("-")
        fitting.append(_MATCH.reason.is_distinct_from(other) if other != exact.reason else _MATCH.reason == other)
    if exact.had is not None:
        fitting.append(_had(exact.had, exact.players[:1]))
    if exact.matches:
        fitting.append(_MATCH.id.in_(exact.matches))
    return fitting


def _had(what: str, labels: Sequence[str]) -> ColumnElement[bool]:
    """Whether that happened in a match, to one of that label."""
    if what == "fallback":
        turn = tables.turn.c
        mine = [_SEAT.label == label for label in labels]
        of_seat = exists().where(_SEAT.match_id == turn.match_id, _SEAT.seat == turn.seat, *mine)
        # What a fork was given happened in another match.
        own = turn.ply > func.coalesce(_MATCH.parent_ply, 0)
        return exists().where(turn.match_id == _MATCH.id, turn.source == what, own, of_seat)
    of_match = [_CALL.match_id == _MATCH.id, _CALL.kind != "copied", *(_CALL.label == label for label in labels)]
    kind, _, more = what.partition(":")
    if kind == "flag":
        return exists().where(*of_match, type_coerce(_CALL.flags, String).contains(f'"{more}', autoescape=True))
    if kind in _ASKED:
        asked = _CALL.kind.in_(sorted(_ASKED[kind]))
        return exists().where(*of_match, asked, _CALL.error_kind.in_(more.split(",")))
    return exists().where(*of_match, _CALL.error_kind.in_(what.split(",")))


def _holds_word(connection: Connection, word: Word) -> ColumnElement[bool]:
    """Whether a match holds a word. Winners need no look of their own: each is a seat."""
    conditions: list[ColumnElement[bool]] = []
    if _NUMBER.fullmatch(word.text):
        conditions.append(literal("#").concat(cast(_MATCH.id, String)).contains(word.text))
    sits = or_(*(_holds(connection, _SEAT[name], word.text) for name in ("seat", "label", "model", "persona")))
    return or_(
        *conditions,
        _MATCH.status.in_(word.statuses),
        _MATCH.game.in_(word.games),
        _holds(connection, _MATCH.game, word.text),
        _holds(connection, _MATCH.why, word.text),
        exists().where(_SEAT.match_id == _MATCH.id, sits),
    )


def _holds(connection: Connection, column: ColumnElement[str], word: str) -> ColumnElement[bool]:
    """Whether a text holds a word, whatever its case."""
    # SQLite's LIKE evens out the case of ASCII letters alone, as servers may; of others, the usual spellings are
    # looked for.
    spellings = {word} if word.isascii() else {word, word.lower(), word.upper(), word.capitalize()}
    contains = column.contains if connection.dialect.name == "sqlite" else column.icontains
    return or_(*(contains(spelling, autoescape=True) for spelling in sorted(spellings)))
