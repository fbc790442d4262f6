"""Who wins how often, and what it took: pure functions over the seats of matches.

One table is one entry of `games` in one run: matches of another run, another game or other options are never pooled.
Only matches that were finished by the rules enter places and win rates. A match ended by `forfeit` is finished, so that
its decisions, tokens and cost count, but nobody's skill is read from it. All that does not count stands beside it.

**Intervals** (95 %). The matches of a pack share a seed and a line-up, so packs are the independent units, not matches.
The variance that packs really have, over the one that independent matches would have, is the design effect; a single
player's would be too rough with few packs, so it is taken from all players of the table together, and never below 1.
A player's matches divided by it, but at least its packs, are its effective matches. The win rate's interval is Wilson's
for that many matches (it stays within 0 and 1, and says something of a player who never won); the mean place's is the
usual one round a mean. Both use Student's t, with (packs - 1) x (seats - 1) degrees of freedom, since the design effect
is itself an estimate. No interval is given for fewer than two packs.

Every sum is exact before it is rounded, so the order of the rows changes no byte.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from math import fsum, sqrt
from statistics import NormalDist
from typing import NamedTuple

from harness.records import Json, PlayerKind, SeatStats

LEVEL = 0.95
Interval = tuple[float, float]

NOT_COUNTED = ("forfeit", "paused", "void", "running", "queued", "no_result")
"""Fates of matches that enter no win rate; `no_result` is finished without places."""


class Row(NamedTuple):
    """One player in one table. Shares are of `decisions`; None where there is nothing to divide by."""

    rank: int | None
    """By win rate; equal rates share it. None without a counted match."""
    label: str
    kind: PlayerKind
    identity: str
    matches: int
    """Counted matches."""
    packs: int
    wins: float
    """A first place shared by k counts 1/k."""
    win_rate: float | None
    win_interval: Interval | None
    mean_place: float | None
    place_interval: Interval | None
    decisions: int
    """Replies wanted: decisions that were not forced."""
    forced: int
    illegal: int
    """Illegal answers; a decision that was asked again may have several, so their share can pass 1."""
    illegal_share: float | None
    unreadable: int
    unreadable_share: float | None
    fallback: int
    """Decisions made for the player after its answers were used up."""
    fallback_share: float | None
    calls: int
    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int
    reasoning_tokens: int
    cost: float
    """USD, of the calls whose price is known."""
    unpriced: int
    """Calls whose price is not known: the cost is at least `cost`."""
    latency_ms: float | None
    """Mean of a call."""
    forfeits: int
    """Matches that ended by its own forfeit."""
    not_counted: dict[str, int]
    """Its matches by fate: see `NOT_COUNTED`."""
    cost_not_counted: float
    """USD spent in matches that are neither counted nor forfeit."""


class Table(NamedTuple):
    """One game of one run."""

    run: str
    game: str
    game_index: int
    seats: int
    matches: dict[str, int]
    """How many matches by fate: `counted`, and those of `NOT_COUNTED`."""
    packs: int
    """Packs with a counted match."""
    rows: tuple[Row, ...]


class Leaderboard(NamedTuple):
    """All tables, by run and by place in the file."""

    tables: tuple[Table, ...]

    def to_json(self) -> Json:
        """Plain values: no time, no number of the database's making."""
        return {"level": LEVEL, "tables": [_table_json(table) for table in self.tables]}


def leaderboard(stats: Iterable[SeatStats]) -> Leaderboard:
    """The tables of these seats; their order does not matter."""
    groups: dict[tuple[str, int, str, int], list[SeatStats]] = defaultdict(list)
    for stat in stats:
        groups[stat.run, stat.game_index, stat.game, stat.seats].append(stat)
    return Leaderboard(tuple(_table(*key, groups[key]) for key in sorted(groups)))


def fate(stat: SeatStats) -> str:
    """What became of a match: `counted`, or one of `NOT_COUNTED`."""
    if stat.status != "finished":
        return stat.status
    if stat.reason == "forfeit":
        return "forfeit"
    return "no_result" if stat.place is None or not stat.winners else "counted"


def _table(run: str, game_index: int, game: str, seats: int, stats: list[SeatStats]) -> Table:
    fates: dict[int, str] = {}
    players: dict[tuple[str, str], defaultdict[str, list[SeatStats]]] = defaultdict(lambda: defaultdict(list))
    for stat in stats:
        became = fates[stat.match_id] = fate(stat)
        players[stat.label, stat.identity][became].append(stat)
    counted = {key: _by_pack(mine["counted"]) for key, mine in players.items()}
    packs = len({pack for mine in counted.values() for pack in mine})
    spread = _Spread(counted.values(), seats, packs)
    rows = [_row(mine, counted[key], spread) for key, mine in players.items()]
    tally = Counter(fates.values())
    return Table(
        run=run,
        game=game,
        game_index=game_index,
        seats=seats,
        matches={kind: tally[kind] for kind in ("counted", *NOT_COUNTED)},
        packs=packs,
        rows=_ranked(rows),
    )


def _ranked(rows: list[Row]) -> tuple[Row, ...]:
    def order(row: Row) -> tuple[float, float, str, str]:
        return (-(row.win_rate or 0.0) if row.matches else 1.0, row.mean_place or 0.0, row.label, row.identity)

    ordered = sorted(rows, key=order)
    rates = [row.win_rate for row in ordered]
    return tuple(row._replace(rank=rates.index(row.win_rate) + 1) if row.matches else row for row in ordered)


Packs = dict[int, list[SeatStats]]


def _by_pack(stats: Sequence[SeatStats]) -> Packs:
    """A player's matches by pack."""
    packs: Packs = defaultdict(list)
    for stat in stats:
        packs[stat.pack].append(stat)
    return packs


def win_share(stat: SeatStats) -> float:
    """1 for a win, 1/k for a first place that k share, else 0."""
    return 1 / stat.winners if stat.place == 1 and stat.winners else 0.0


def _place(stat: SeatStats) -> float:
    return float(stat.place or 0)


class _Spread:
    """What a table's players together tell about how matches of a pack hang together."""

    def __init__(self, players: Iterable[Packs], seats: int, packs: int) -> None:
        players = list(players)
        self.seats = seats
        self.wins = design_effect([_values(mine, win_share) for mine in players])
        self.places = design_effect([_values(mine, _place) for mine in players])
        self.t = student_t((packs - 1) * max(seats - 1, 1)) if packs > 1 else 0.0


def _values(packs: Packs, value: Callable[[SeatStats], float]) -> list[list[float]]:
    return [[value(stat) for stat in packs[pack]] for pack in packs]


def design_effect(players: Sequence[Sequence[Sequence[float]]]) -> float | None:
    """Variance of the players' means with packs as units, over that with single matches as units; at least 1.

    Each player is its values by pack; players with fewer than two packs are passed over. None where nothing varies.
    """
    between, alone = [], []
    for packs in players:
        values = [value for pack in packs for value in pack]
        if len(packs) < 2:
            continue
        mean = fsum(values) / len(values)
        residuals = fsum((fsum(pack) - mean * len(pack)) ** 2 for pack in packs)
        between.append(residuals * len(packs) / (len(packs) - 1) / len(values) ** 2)
        alone.append(fsum((value - mean) ** 2 for value in values) / (len(values) - 1) / len(values))
    single = fsum(alone)
    return max(1.0, fsum(between) / single) if single > 0 else None


def student_t(freedom: int) -> float:
    """The two-sided 95 % point of Student's t, by the expansion round the normal's (within 0.1 % from 3 degrees on)."""
    if freedom < 3:
        return (12.7062, 4.3027)[freedom - 1]
    z = NormalDist().inv_cdf((1 + LEVEL) / 2)
    terms = (
        z,
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return fsum(term / freedom**power for power, term in enumerate(terms))


def wilson(rate: float, number: float, t: float) -> Interval:
    """Wilson's interval for a rate seen in that many independent matches."""
    middle = (rate + t * t / (2 * number)) / (1 + t * t / number)
    half = t / (1 + t * t / number) * sqrt(rate * (1 - rate) / number + t * t / (4 * number * number))
    return max(0.0, middle - half), min(1.0, middle + half)


def _effective(matches: int, packs: int, effect: float | None) -> float:
    """How many independent matches these are worth; where nothing varied, no more than the packs."""
    return float(packs) if effect is None else max(matches / effect, float(packs))


def _place_interval(places: Sequence[float], packs: int, spread: _Spread) -> Interval:
    mean = fsum(places) / len(places)
    number = _effective(len(places), packs, spread.places)
    variance = fsum((place - mean) ** 2 for place in places) / (len(places) - 1)
    if variance == 0:
        # Always the same place: no spread to go by, so the widest that a place on this scale can have is taken.
        low, high = wilson((mean - 1) / max(spread.seats - 1, 1), number, spread.t)
        return 1 + low * (spread.seats - 1), 1 + high * (spread.seats - 1)
    half = spread.t * sqrt(variance / number)
    return max(1.0, mean - half), min(float(spread.seats), mean + half)


def _row(by_fate: defaultdict[str, list[SeatStats]], packs: Packs, spread: _Spread) -> Row:
    played = [*by_fate["counted"], *by_fate["forfeit"]]
    apart = [stat for became, stats in by_fate.items() if became not in ("counted", "forfeit") for stat in stats]
    first = (played or apart)[0]
    shares = [share for pack in _values(packs, win_share) for share in pack]
    places = [place for pack in _values(packs, _place) for place in pack]
    wins = fsum(shares)
    rate = round(wins / len(shares), 9) if shares else None
    known = len(packs) > 1 and rate is not None
    decisions = sum(stat.decisions for stat in played)
    illegal, unreadable = sum(stat.illegal for stat in played), sum(stat.unreadable for stat in played)
    fallback, calls = sum(stat.fallback for stat in played), sum(stat.calls for stat in played)
    return Row(
        rank=None,
        label=first.label,
        kind=first.kind,
        identity=first.identity,
        matches=len(shares),
        packs=len(packs),
        wins=round(wins, 6),
        win_rate=rate,
        win_interval=wilson(rate, _effective(len(shares), len(packs), spread.wins), spread.t)
        if known and rate is not None
        else None,
        mean_place=fsum(places) / len(places) if places else None,
        place_interval=_place_interval(places, len(packs), spread) if known else None,
        decisions=decisions,
        forced=sum(stat.forced for stat in played),
        illegal=illegal,
        illegal_share=_share(illegal, decisions),
        unreadable=unreadable,
        unreadable_share=_share(unreadable, decisions),
        fallback=fallback,
        fallback_share=_share(fallback, decisions),
        calls=calls,
        prompt_tokens=sum(stat.prompt_tokens for stat in played),
        cached_tokens=sum(stat.cached_tokens for stat in played),
        completion_tokens=sum(stat.completion_tokens for stat in played),
        reasoning_tokens=sum(stat.reasoning_tokens for stat in played),
        cost=fsum(stat.cost for stat in played),
        unpriced=sum(stat.unpriced for stat in played),
        latency_ms=_share(fsum(stat.latency_ms for stat in played), calls),
        forfeits=sum(1 for stat in by_fate["forfeit"] if (stat.place or 1) > 1),
        not_counted={kind: len(by_fate[kind]) for kind in NOT_COUNTED},
        cost_not_counted=fsum(stat.cost for stat in apart),
    )


def _share(part: float, whole: int) -> float | None:
    return part / whole if whole else None


def _table_json(table: Table) -> Json:
    return {**table._asdict(), "rows": [_row_json(row) for row in table.rows]}


def _row_json(row: Row) -> Json:
    return {key: _rounded(value) for key, value in row._asdict().items()}


def _rounded(value: object) -> object:
    """To six places: what lies beyond differs between machines and means nothing."""
    if isinstance(value, float):
        return round(value, 6)
    return [round(bound, 6) for bound in value] if isinstance(value, tuple) else value


COLUMNS: tuple[str, ...] = (
    "#",
    "player",
    "matches",
    "win rate",
    "mean place",
    "illegal",
    "fallback",
    "tokens in",
    "cached",
    "tokens out",
    "reasoning",
    "cost",
    "latency",
)


def table_rows(table: Table) -> list[tuple[str, ...]]:
    """The rows as text under `COLUMNS`, for a terminal. Labels are as the file gives them: escape them for markup."""
    return [_cells(row) for row in table.rows]


def _cells(row: Row) -> tuple[str, ...]:
    return (
        "–" if row.rank is None else str(row.rank),
        row.label,
        str(row.matches),
        _with_interval(row.win_rate, row.win_interval, lambda rate: f"{100 * rate:.0f}", " %"),
        _with_interval(row.mean_place, row.place_interval, lambda place: f"{place:.2f}", ""),
        _percent(row.illegal_share),
        _percent(row.fallback_share),
        f"{row.prompt_tokens:,}",
        _percent(_share(row.cached_tokens, row.prompt_tokens)),
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
    if row.unpriced:
        return f"≥ ${row.cost:.4f}" if row.cost else "unknown"
    return f"${row.cost:.4f}" if row.cost else "–"


_WORDS = {"forfeit": "ended by forfeit", "no_result": "without a result"}


def not_counted_lines(table: Table) -> list[str]:
    """What the table does not count, in words: the matches by fate, then each player's where it has any; else empty."""
    lines = []
    whole = _counts(table.matches)
    if whole:
        lines.append(f"Not counted: {whole}.")
        for row in sorted(table.rows, key=lambda row: (row.label, row.identity)):
            counts = _counts(row.not_counted)
            if counts:
                own = f"; forfeited {row.forfeits}" if row.forfeits else ""
                spent = f"; ${row.cost_not_counted:.4f} spent in them" if row.cost_not_counted else ""
                lines.append(f"  {row.label}: {counts}{own}{spent}")
    unpriced = sum(row.unpriced for row in table.rows)
    if unpriced:
        lines.append(f"The price of {unpriced:,} calls is not known; cost is at least what is shown.")
    if table.packs < 2 and table.matches["counted"]:
        lines.append("No intervals: they need at least two packs of matches.")
    return lines


def _counts(found: dict[str, int]) -> str:
    return ", ".join(f"{found[kind]} {_WORDS.get(kind, kind)}" for kind in NOT_COUNTED if found[kind])
