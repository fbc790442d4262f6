"""Sums that the database computes itself: spend, progress, and each seat's figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Case, ColumnElement, Connection, FromClause, Select, String, case, func, select, type_coerce

from harness.records import INFRASTRUCTURE, OF_DECISIONS, OWN, RESERVED_TOKENS, UNREADABLE, SeatStats, Spend
from harness.store import forks, house, tables
from harness.store.reads import Reader
from harness.store.texts import chunks

_CALL, _MATCH, _SEAT, _TURN = tables.call.c, tables.match.c, tables.seat.c, tables.turn.c
_NOT_OF_A_SEAT = ("judge", "probe", "copied")
_OF_DECISIONS = _CALL.kind.in_(sorted(OF_DECISIONS))
_TOKENS = func.coalesce(_CALL.prompt_tokens, 0) + func.coalesce(_CALL.completion_tokens, 0)
_SPEND = (func.sum(_CALL.cost).label("usd"), func.sum(_TOKENS).label("tokens"), func.count().label("calls"))
_Key = tuple[int, str]


class Sums(Reader):
    """A reader that also sums."""

    def spend(self, run_id: int) -> Spend:
        """What a run has cost so far. Calls of unknown cost count as nothing; tokens that were set aside for calls of
        unknown usage count as spent."""
        with self.reading() as connection:
            spend = _spend(connection.execute(select(*_SPEND).where(_CALL.run_id == run_id)).mappings().one())
            return _more_tokens(spend, sum(_reserved(connection, run_id).values()))

    def spend_by(self, run_id: int) -> dict[tuple[int | None, str], Spend]:
        """What a run has cost by match (None: calls of no match) and player's label."""
        statement = select(_CALL.match_id, _CALL.label, *_SPEND).where(_CALL.run_id == run_id)
        with self.reading() as connection:
            rows = connection.execute(statement.group_by(_CALL.match_id, _CALL.label)).mappings()
            reserved = _reserved(connection, run_id)
            keys = {(row["match_id"], row["label"]): _spend(row) for row in rows}
            return {key: _more_tokens(spend, reserved[key]) for key, spend in keys.items()}

    def progress(self, run_id: int) -> dict[str, int]:
        """How many of a run's matches stand how."""
        statement = select(_MATCH.status, func.count()).where(_MATCH.run_id == run_id).group_by(_MATCH.status)
        with self.reading() as connection:
            return dict(connection.execute(statement).all())

    def holders(self) -> dict[int, str]:
        """For each run that somebody alive plays, the owner who does."""
        with self.reading() as connection:
            return house.holders(connection)

    def forks(self) -> dict[int, forks.Origin]:
        """For each run of forks, by id, where they come from."""
        with self.reading() as connection:
            return forks.origins(connection)

    def voided(self, run_id: int) -> list[int]:
        """The ids of a run's void matches."""
        with self.reading() as connection:
            statement = select(_MATCH.id).where(_MATCH.run_id == run_id, _MATCH.status == "void")
            return list(connection.scalars(statement))

    def pause_asked(self, run_id: int) -> bool:
        """Whether somebody asked for this run to be paused since it was last begun or gone on with."""
        with self.reading() as connection:
            return house.pause_asked(connection, run_id)

    def seat_stats(self, run_ids: Sequence[int]) -> list[SeatStats]:
        """Each seat of each match with its sums: by run as given, then match number, then seat order."""
        stats: dict[int, list[SeatStats]] = {}
        wanted = list(dict.fromkeys(run_ids))
        with self.reading() as connection:
            for chunk in chunks(wanted):
                for run_id, one in _stats(connection, _MATCH.run_id.in_(chunk)):
                    stats.setdefault(run_id, []).append(one)
        return [one for run_id in wanted for one in stats.get(run_id, ())]

    def match_stats(self, match_ids: Sequence[int]) -> list[SeatStats]:
        """Each seat of these matches with its sums, by match number, then seat order; no other match is summed."""
        with self.reading() as connection:
            return [one for chunk in chunks(match_ids) for _, one in _stats(connection, _MATCH.id.in_(chunk))]


def _stats(connection: Connection, which: ColumnElement[bool]) -> Iterator[tuple[int, SeatStats]]:
    """The seats of those matches with their sums, each with its run's id."""
    sums = [_by_seat(connection.execute(one).mappings()) for one in _seat_sums(which)]
    held: dict[int, str] | None = None
    for row in connection.execute(_seats(which)).mappings():
        key = (row["match_id"], row["seat"])
        found: dict[str, Any] = dict(_NOTHING)
        for one in sums:
            found |= one.get(key, {})
        fixed = {name: row[name] for name in row if name not in ("run_id", "versions")}
        rules = row["versions"].get("rules")
        fixed["rules"] = None if rules is None else str(rules)
        if row["status"] == "running":
            held = house.holders(connection) if held is None else held
            fixed["held"] = row["run_id"] in held
        yield row["run_id"], SeatStats(**fixed, **found)


def _count(condition: ColumnElement[bool]) -> Case[int]:
    return case((condition, 1), else_=0)


def _total(number: ColumnElement[Any]) -> ColumnElement[Any]:
    return func.coalesce(func.sum(number), 0)


_TURN_SUMS = {
    "turns": func.count(),
    "forced": _total(_count(_TURN.source == "forced")),
    "fallback": _total(_count(_TURN.source == "fallback")),
    "decisions": func.count(func.distinct(case((_TURN.source != "forced", _TURN.decision)))),
}
_CALL_SUMS = {
    "illegal": _total(_count(_OF_DECISIONS & (_CALL.error_kind == "illegal"))),
    "unreadable": _total(_count(_OF_DECISIONS & _CALL.error_kind.in_(sorted(UNREADABLE)))),
    "talk_faults": _total(_count((_CALL.kind == "talk") & _CALL.error_kind.in_(sorted(OWN)))),
    "failed": _total(_count(_CALL.error_kind.in_(sorted(INFRASTRUCTURE)))),
    "calls": func.count(),
    "prompt_tokens": _total(_CALL.prompt_tokens),
    "cached_tokens": _total(_CALL.cached_tokens),
    "completion_tokens": _total(_CALL.completion_tokens),
    "reasoning_tokens": _total(_CALL.reasoning_tokens),
    "cost": _total(_CALL.cost),
    "unpriced": _total(_count(_CALL.cost.is_(None))),
    "latency_ms": _total(_CALL.latency_ms),
}
_NOTHING: dict[str, float] = dict.fromkeys((*_TURN_SUMS, *_CALL_SUMS, "messages", "pledges"), 0)


def _seats(which: ColumnElement[bool]) -> Select[Any]:
    others = tables.seat.alias()
    same = others.c.match_id == _MATCH.id
    seats = select(func.count()).where(same).scalar_subquery()
    winners = select(func.count()).where(same, others.c.place == 1).scalar_subquery()
    return (
        select(
            *(tables.run.c.id.label("run_id"), tables.run.c.name.label("run"), _MATCH.id.label("match_id")),
            *(
                _MATCH.number,
                _MATCH.game,
                _MATCH.game_index,
                _MATCH.status,
                _MATCH.pack,
                _MATCH.reason,
                _MATCH.why,
                _MATCH.parent_ply,
                _MATCH.versions,
                _SEAT.seat,
                _SEAT.label,
            ),
            *(_SEAT.kind, _SEAT.identity, _SEAT.place, seats.label("seats"), func.nullif(winners, 0).label("winners")),
        )
        .join(tables.match, _SEAT.match_id == _MATCH.id)
        .join(tables.run, _MATCH.run_id == tables.run.c.id)
        .where(which)
        .order_by(_MATCH.run_id, _MATCH.number, _SEAT.number)
    )


def _seat_sums(which: ColumnElement[bool]) -> list[Select[Any]]:
    """Statements whose results do not overlap. What a fork was given is left out, in statements of their own: those of
    all other matches are answered from their indexes alone, which hold no ply."""
    message, pledge = tables.message.c, tables.pledge.c
    made = (pledge.match_id == message.match_id) & (pledge.seq == message.seq)
    promised = tables.message.join(tables.pledge, made)
    calls = _sum(which, tables.call, tables.call.c.seat, _CALL_SUMS, _CALL.kind.not_in(_NOT_OF_A_SEAT))
    statements = [calls]
    for source, seat, sums in (
        (tables.turn, _TURN.seat, _TURN_SUMS),
        (tables.message, message.sender, {"messages": func.count()}),
        (promised, message.sender, {"pledges": func.count()}),
    ):
        ply = _TURN.ply if source is tables.turn else message.ply
        parts = (_MATCH.parent_ply.is_(None), ply > _MATCH.parent_ply)
        statements += [_sum(which, source, seat, sums, part) for part in parts]
    return statements


def _sum(
    which: ColumnElement[bool],
    source: FromClause,
    seat: ColumnElement[str],
    sums: Mapping[str, ColumnElement[Any]],
    condition: ColumnElement[bool],
) -> Select[Any]:
    match_id = seat.table.c.match_id
    named = (column.label(name) for name, column in sums.items())
    statement = select(match_id.label("match_id"), seat.label("seat"), *named).select_from(source)
    statement = statement.join(tables.match, match_id == _MATCH.id).where(which, condition)
    return statement.group_by(match_id, seat)


def _by_seat(rows: Any) -> dict[_Key, dict[str, Any]]:
    found: dict[_Key, dict[str, Any]] = {}
    for row in rows:
        # PostgreSQL sums whole numbers of 64 bits into decimals.
        sums = {name: _plain(value) for name, value in row.items() if name not in ("match_id", "seat")}
        found[row["match_id"], row["seat"]] = sums
    return found


def _plain(value: Any) -> float:
    return value if isinstance(value, float) else int(value)


def _reserved(connection: Connection, run_id: int) -> Counter[tuple[int | None, str]]:
    """Tokens that count as spent by calls whose usage is not known, by match and label."""
    marked = type_coerce(_CALL.flags, String).contains(RESERVED_TOKENS, autoescape=True)
    statement = select(_CALL.match_id, _CALL.label, _CALL.flags)
    found: Counter[tuple[int | None, str]] = Counter()
    for row in connection.execute(statement.where(_CALL.run_id == run_id, _CALL.prompt_tokens.is_(None), marked)):
        for flag in row.flags:
            if flag.startswith(RESERVED_TOKENS):
                found[row.match_id, row.label] += int(flag.removeprefix(RESERVED_TOKENS))
    return found


def _more_tokens(spend: Spend, tokens: int) -> Spend:
    return spend.model_copy(update={"tokens": spend.tokens + tokens}) if tokens else spend


def _spend(row: Mapping[Any, Any]) -> Spend:
    return Spend(usd=float(row["usd"] or 0), tokens=int(row["tokens"] or 0), calls=int(row["calls"]))
