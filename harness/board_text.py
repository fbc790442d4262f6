"""A leaderboard in words, for a terminal. Labels are as the file gives them: escape them for markup."""

from __future__ import annotations

from collections.abc import Callable

from harness.intervals import Interval
from harness.leaderboard import Case, Row, Table, share
from harness.rating_text import bar, called, chance_with_interval, notes, percent, ranks_text, top_of
from harness.ratings.missing import NOT_COUNTED
from harness.ratings.packs import LEAST_PACKS
from harness.ratings.rate import Standing
from harness.telling import money

CAUSES = 6
"""Reasons for missing matches that are told one by one."""
COLUMNS: tuple[str, ...] = (
    "#",
    "player",
    "matches",
    "win chance",
    "drawn",
    "ranks",
    "won",
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
    top = scale(table)
    names = called([(row.label, row.identity) for row in table.rows])
    return [_cells(row, name, top) for row, name in zip(table.rows, names, strict=True)]


def scale(table: Table) -> float:
    """Where the drawn intervals end on the right, as a chance; they begin at 0."""
    return top_of([(row.probability, row.probability_interval) for row in table.rows])


def all_rows(table: Table) -> list[tuple[str, ...]]:
    """The same, each followed by its rows without fallbacks and with forfeits and, in a table in which too much is
    missing, by its two cases."""
    rows = []
    lacking = table.not_comparable is not None and any(row.best is not None for row in table.rows)
    top = scale(table)
    for row, cells in zip(table.rows, table_rows(table), strict=True):
        rows.append(cells)
        if row.without_fallback is not None:
            rows.append(_under("  without fallbacks", row.without_fallback, top))
        if row.with_forfeits is not None:
            rows.append(_under("  with forfeits", row.with_forfeits, top))
        if lacking and row.best is not None and row.worst is not None:
            rows.append(_case("  at best", row.best))
            rows.append(_case("  at worst", row.worst))
    return rows


def _under(title: str, what: Standing, top: float) -> tuple[str, ...]:
    places = _with_interval(what.mean_place, what.place_interval, lambda place: f"{place:.2f}", "")
    return _padded(
        "",
        title,
        str(what.matches),
        chance_with_interval(what.probability, what.probability_interval),
        bar(what.probability, what.probability_interval, top),
        "",
        percent(what.win_rate),
        places,
    )


def _case(title: str, what: Case) -> tuple[str, ...]:
    return _padded("", title, "", "", "", "", percent(what.win_rate), f"{what.mean_place:.2f}")


def _padded(*cells: str) -> tuple[str, ...]:
    return (*cells, *[""] * (len(COLUMNS) - len(cells)))


def _cells(row: Row, name: str, top: float) -> tuple[str, ...]:
    return (
        "–" if row.rank is None else str(row.rank),
        name,
        str(row.matches),
        chance_with_interval(row.probability, row.probability_interval),
        bar(row.probability, row.probability_interval, top),
        ranks_text(row.ranks),
        percent(row.win_rate),
        _with_interval(row.mean_place, row.place_interval, lambda place: f"{place:.2f}", ""),
        _rate(row.illegal_per_decision),
        _rate(row.unreadable_per_decision),
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


def _rate(times: float | None) -> str:
    """How often a decision had it, which can be more than once."""
    if times is None:
        return "–"
    return "<0.01" if 0 < times < 0.005 else f"{times:.2f}"


def _percent(share: float | None) -> str:
    if share is None:
        return "–"
    return "0 %" if share == 0 else f"{100 * share:.1f} %"


def _cost(row: Row) -> str:
    return money(row.cost, row.unpriced, calls=row.calls)


_WORDS = {"forfeit": "ended by forfeit", "no_result": "without a result"}


def not_counted_lines(table: Table) -> list[str]:
    """What the table does not count, in words: the matches by fate, each player's where it has others, why they are
    missing; and what else there is to know before rows are compared. Empty where there is nothing to say."""
    lines = []
    if table.not_comparable:
        cases = " What they could change: at best, at worst." if any(row.best for row in table.rows) else ""
        lines.append(f"Not comparable: {table.not_comparable}.{cases}")
    lines += notes(table.ratings)
    whole = counts(table.matches)
    if whole:
        lines.append(f"Not counted: {whole}.")
        for row in sorted(table.rows, key=lambda row: (row.label, row.identity)):
            own_counts = counts(row.not_counted)
            # A player of all those matches has nothing that the line above did not say.
            if own_counts and (own_counts != whole or row.forfeits or row.cost_not_counted):
                own = f"; forfeited {row.forfeits:,}" if row.forfeits else ""
                spent = f"; ${row.cost_not_counted:.4f} spent in them" if row.cost_not_counted else ""
                lines.append(f"  {row.label}: {own_counts}{own}{spent}")
    for cause in table.causes[:CAUSES]:
        seats = ", ".join(f"{label} {number:,}" for label, number in cause.players.items())
        why = f": {cause.why}" if cause.why else ""
        lines.append(f"  {cause.matches:,} {_WORDS.get(cause.fate, cause.fate)}{why} ({seats})")
    if len(table.causes) > CAUSES:
        rest = sum(cause.matches for cause in table.causes[CAUSES:])
        lines.append(f"  {rest:,} for {len(table.causes) - CAUSES} other reasons")
    if table.with_fallback:
        lines.append(
            f"In {table.with_fallback:,} of {table.matches['counted']:,} counted matches somebody fell back; "
            "the row without fallbacks leaves them out."
        )
    unpriced = sum(row.unpriced for row in table.rows)
    if unpriced:
        calls = f"{unpriced:,} {'call' if unpriced == 1 else 'calls'}"
        lines.append(f"The price of {calls} is not known; the cost is at least what is shown.")
    return lines + no_intervals(table)


def no_intervals(table: Table) -> list[str]:
    """Who has no interval, and why; empty where all have one, and for forks, which rate nobody."""
    if table.forks or not table.matches["counted"]:
        return []
    if table.packs < LEAST_PACKS:
        few = f"{table.packs} {'is' if table.packs == 1 else 'are'} too few to tell how much packs differ"
        return [f"No intervals: they need at least {LEAST_PACKS} packs of matches; {few}."]
    names = called([(row.label, row.identity) for row in table.rows])
    seldom = [name for name, row in zip(names, table.rows, strict=True) if 0 < row.packs < LEAST_PACKS]
    if not seldom:
        return []
    return [f"No interval for who sat in fewer than {LEAST_PACKS} packs: {', '.join(seldom)}."]


def counts(found: dict[str, int]) -> str:
    """Matches that do not count by fate, in words; empty where there are none."""
    return ", ".join(f"{found[kind]:,} {_WORDS.get(kind, kind)}" for kind in NOT_COUNTED if found[kind])
