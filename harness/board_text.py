"""A leaderboard in words, for a terminal. Labels are as the file gives them: escape them for markup."""

from __future__ import annotations

from collections.abc import Callable

from harness.intervals import Interval
from harness.leaderboard import NOT_COUNTED, Case, Row, Standing, Table, share
from harness.telling import money

CAUSES = 6
"""Reasons for missing matches that are told one by one."""
COLUMNS: tuple[str, ...] = (
    "#",
    "player",
    "matches",
    "win rate",
    "mean place",
    "illegal",
    "unreadable",
    "fallback",
    "tokens in",
    "cached",
    "tokens out",
    "reasoning",
    "cost",
    "latency",
)


def table_rows(table: Table) -> list[tuple[str, ...]]:
    """The players' rows as text under `COLUMNS`."""
    return [_cells(row) for row in table.rows]


def all_rows(table: Table) -> list[tuple[str, ...]]:
    """The same, each followed by its row without fallbacks and, in a table that cannot be compared, its two cases."""
    rows = []
    for row, cells in zip(table.rows, table_rows(table), strict=True):
        rows.append(cells)
        if row.without_fallback is not None:
            rows.append(_under("  without fallbacks", row.without_fallback))
        if table.not_comparable and row.best is not None and row.worst is not None:
            rows.append(_under("  at best", row.best))
            rows.append(_under("  at worst", row.worst))
    return rows


def _under(title: str, what: Standing | Case) -> tuple[str, ...]:
    counted = what if isinstance(what, Standing) else None
    wins = _with_interval(what.win_rate, counted and counted.win_interval, lambda rate: f"{100 * rate:.0f}", " %")
    places = _with_interval(what.mean_place, counted and counted.place_interval, lambda place: f"{place:.2f}", "")
    return ("", title, "" if counted is None else str(counted.matches), wins, places, *[""] * (len(COLUMNS) - 5))


def _cells(row: Row) -> tuple[str, ...]:
    return (
        "–" if row.rank is None else str(row.rank),
        row.label,
        str(row.matches),
        _with_interval(row.win_rate, row.win_interval, lambda rate: f"{100 * rate:.0f}", " %"),
        _with_interval(row.mean_place, row.place_interval, lambda place: f"{place:.2f}", ""),
        _percent(row.illegal_share),
        _percent(row.unreadable_share),
        _percent(row.fallback_share),
        f"{row.prompt_tokens:,}",
        _percent(share(row.cached_tokens, row.prompt_tokens)),
        f"{row.completion_tokens:,}",
        f"{row.reasoning_tokens:,}",
        _cost(row),
        "–" if row.latency_ms is None else f"{row.latency_ms / 1000:.1f} s",
    )


def _with_interval(value: float | None, interval: Interval | None, text: Callable[[float], str], unit: str) -> str:
    if value is None:
        return "–"
    between = f" ({text(interval[0])}–{text(interval[1])})" if interval else ""
    return f"{text(value)}{unit}{between}"


def _percent(share: float | None) -> str:
    if share is None:
        return "–"
    return "0 %" if share == 0 else f"{100 * share:.1f} %"


def _cost(row: Row) -> str:
    return money(row.cost, row.unpriced, calls=row.calls)


_WORDS = {"forfeit": "ended by forfeit", "no_result": "without a result"}


def not_counted_lines(table: Table) -> list[str]:
    """What the table does not count, in words: the matches by fate, each player's where it has any, why they are
    missing; and what else there is to know before rows are compared. Empty where there is nothing to say."""
    lines = []
    if table.not_comparable:
        lines.append(f"Not comparable: {table.not_comparable}. What they could change: at best, at worst.")
    whole = _counts(table.matches)
    if whole:
        lines.append(f"Not counted: {whole}.")
        for row in sorted(table.rows, key=lambda row: (row.label, row.identity)):
            counts = _counts(row.not_counted)
            if counts:
                own = f"; forfeited {row.forfeits}" if row.forfeits else ""
                spent = f"; ${row.cost_not_counted:.4f} spent in them" if row.cost_not_counted else ""
                lines.append(f"  {row.label}: {counts}{own}{spent}")
    for cause in table.causes[:CAUSES]:
        seats = ", ".join(f"{label} {number}" for label, number in cause.players.items())
        why = f": {cause.why}" if cause.why else ""
        lines.append(f"  {cause.matches} {_WORDS.get(cause.fate, cause.fate)}{why} ({seats})")
    if len(table.causes) > CAUSES:
        rest = sum(cause.matches for cause in table.causes[CAUSES:])
        lines.append(f"  {rest} for {len(table.causes) - CAUSES} other reasons")
    if table.with_fallback:
        lines.append(
            f"In {table.with_fallback} of {table.matches['counted']} counted matches somebody fell back; "
            "the second row leaves them out."
        )
    unpriced = sum(row.unpriced for row in table.rows)
    if unpriced:
        calls = f"{unpriced:,} {'call' if unpriced == 1 else 'calls'}"
        lines.append(f"The price of {calls} is not known; the cost is at least what is shown.")
    if table.packs < 2 and table.matches["counted"]:
        lines.append("No intervals: they need at least two packs of matches.")
    return lines


def _counts(found: dict[str, int]) -> str:
    return ", ".join(f"{found[kind]} {_WORDS.get(kind, kind)}" for kind in NOT_COUNTED if found[kind])
