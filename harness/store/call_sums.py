"""What became of a run's calls, summed in the database: outcomes, what was odd about them, what is not confirmed."""

from __future__ import annotations

from collections import defaultdict
from typing import Any, NamedTuple

from sqlalchemy import case, func, select

from harness.store import tables
from harness.store.reads import Reader

_CALL = tables.call.c
_NOBODYS = ("copied",)
"""What a fork was given was asked in another match."""


class CallSum(NamedTuple):
    """Calls of one player, of one kind, that came to the same."""

    label: str
    kind: str
    """What they were for: see `harness.records.CallKind`."""
    error_kind: str | None
    """None: answered."""
    calls: int
    matches: int
    """In so many matches; calls of none are in 0."""
    prompt_tokens: int
    completion_tokens: int
    cost: float
    """USD, of those whose price is known."""
    unpriced: int
    """Calls whose price is not known."""
    unconfirmed: float
    """USD of `cost` that no provider confirmed: the worst price, which was set aside for a call given up or lost."""
    unconfirmed_calls: int


class FlagSum(NamedTuple):
    """Calls of one player that are odd in the same way; the part of a flag after `:` is left out."""

    label: str
    flag: str
    calls: int
    matches: int


class Unconfirmed(NamedTuple):
    """What of a player's cost in one match no provider confirmed, in USD."""

    match_id: int | None
    label: str
    usd: float


def call_sums(store: Reader, run_id: int) -> list[CallSum]:
    """All calls of a run, by label, kind and what became of them."""
    reserved = _CALL.priced_by == "reserved"
    keys = (_CALL.label, _CALL.kind, _CALL.error_kind)
    statement = (
        select(
            *(*keys, func.count(), func.count(func.distinct(_CALL.match_id))),
            *(func.sum(_CALL.prompt_tokens), func.sum(_CALL.completion_tokens), func.sum(_CALL.cost)),
            *(func.sum(case((_CALL.cost.is_(None), 1), else_=0)), func.sum(case((reserved, _CALL.cost), else_=0.0))),
            func.sum(case((reserved & (_CALL.cost > 0), 1), else_=0)),
        )
        .where(_CALL.run_id == run_id, _CALL.kind.not_in(_NOBODYS))
        .group_by(*keys)
    )
    with store.reading() as connection:
        rows = [_sums(row) for row in connection.execute(statement)]
    return sorted(rows, key=lambda one: (one.label, one.kind, one.error_kind or ""))


def _sums(row: Any) -> CallSum:
    label, kind, error_kind, calls, matches, asked, answered, cost, unpriced, reserved, times = row
    # PostgreSQL sums whole numbers of 64 bits into decimals; a sum of nothing is null.
    return CallSum(
        label=label,
        kind=kind,
        error_kind=error_kind,
        calls=int(calls),
        matches=int(matches),
        prompt_tokens=int(asked or 0),
        completion_tokens=int(answered or 0),
        cost=float(cost or 0),
        unpriced=int(unpriced or 0),
        unconfirmed=float(reserved or 0),
        unconfirmed_calls=int(times or 0),
    )


def flag_sums(store: Reader, run_id: int) -> list[FlagSum]:
    """What was odd about a run's calls, by label and flag."""
    statement = (
        select(_CALL.label, _CALL.match_id, _CALL.flags, func.count())
        .where(_CALL.run_id == run_id, _CALL.kind.not_in(_NOBODYS), _CALL.flags != [])
        .group_by(_CALL.label, _CALL.match_id, _CALL.flags)
    )
    calls: defaultdict[tuple[str, str], int] = defaultdict(int)
    matches: defaultdict[tuple[str, str], set[int]] = defaultdict(set)
    with store.reading() as connection:
        for label, match_id, flags, number in connection.execute(statement):
            for name in {str(flag).partition(":")[0] for flag in flags}:
                calls[label, name] += int(number)
                if match_id is not None:
                    matches[label, name].add(match_id)
    return [FlagSum(*key, number, len(matches[key])) for key, number in sorted(calls.items())]


def unconfirmed(store: Reader, run_id: int) -> list[Unconfirmed]:
    """What of a run's cost no provider confirmed, by match and label."""
    keys = (_CALL.match_id, _CALL.label)
    statement = select(*keys, func.sum(_CALL.cost)).group_by(*keys)
    statement = statement.where(_CALL.run_id == run_id, _CALL.priced_by == "reserved", _CALL.cost > 0)
    with store.reading() as connection:
        return [Unconfirmed(match_id, label, float(usd)) for match_id, label, usd in connection.execute(statement)]
