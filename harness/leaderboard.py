"""Who wins how often, and what it took: pure functions over the seats of matches.

One table is one entry of `games` in one run: matches of another run, another game or other options are never pooled.
Only matches that were finished by the rules enter places and win rates. A match ended by `forfeit` is finished, so that
its decisions, tokens and cost count, but nobody's skill is read from it. All that does not count stands beside it.
Forks are runs of their own, and their tables are marked: they began where somebody stood better than others.

**Intervals** (95 %). The matches of a pack share a seed and a line-up, so packs are the independent units, not matches.
The variance that packs really have, over the one that independent matches would have, is the design effect; a single
player's would be too rough with few packs, so it is taken from all players of the table together, and never below 1.
A player's matches divided by it, but at least its packs, are its effective matches. The win rate's interval is Wilson's
for that many matches (it stays within 0 and 1, and says something of a player who never won); the mean place's is the
usual one round a mean. Both use Student's t, with (packs - 1) x (seats - 1) degrees of freedom, since the design effect
is itself an estimate. No interval is given for fewer than two packs. A pack of which some matches do not count, as in a
run that is under way or was stopped, still enters with those that do, and is told as incomplete.

**What is missing.** A match that began and gave no result that counts (paused, void, ended by forfeit, or without a
result) is missing, and seldom by chance. Where more than 5 % of those begun are missing, or some player lacks 5 points
more of its own than another, the table is not comparable; each player's best and worst case say what the missing
matches could make of it: all won alone, or all lost as the last. One that it forfeited itself is lost in both. Matches
in which anybody fell back count like all others; what is left without them is a second row, never the first.

Every sum is exact before it is rounded, so the order of the rows changes no byte.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from math import fsum
from typing import NamedTuple

from harness.intervals import LEVEL, Interval, design_effect, effective, place_interval, student_t, wilson
from harness.records import Json, PlayerKind, SeatStats

NOT_COUNTED = ("forfeit", "paused", "void", "running", "queued", "no_result")
"""Fates of matches that enter no win rate; `no_result` is finished without places."""


MISSING = ("forfeit", "paused", "void", "no_result")
"""Those of them that began and are not under way any more."""
BEARABLE = 0.05
"""The share of matches that may be missing, and by how much it may differ between players, in a comparable table."""


class Standing(NamedTuple):
    """Places and wins in some of a player's matches; None where there are none, intervals from two packs on."""

    matches: int
    packs: int
    wins: float
    win_rate: float | None
    win_interval: Interval | None
    mean_place: float | None
    place_interval: Interval | None


class Case(NamedTuple):
    """What a player would stand at if its missing matches had all ended one way."""

    win_rate: float
    mean_place: float


class Cause(NamedTuple):
    """Missing matches of one fate for one reason, and how many of them each player sat in."""

    fate: str
    why: str | None
    matches: int
    players: dict[str, int]


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
    started: int
    """Matches that began."""
    missing: int
    """Of these, the ones of the fates in `MISSING`."""
    best: Case | None
    worst: Case | None
    """With every missing match won or lost; None where none is missing."""
    with_fallback: int
    """Counted matches in which anybody fell back."""
    without_fallback: Standing | None
    """The counted matches without those; None where there is no such match in the table."""


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
    packs_incomplete: int
    """Those of them of which some match does not count: not played yet, or missing."""
    started: int
    missing: int
    """Matches that began, and those of them that are missing."""
    not_comparable: str | None
    """Why the rows cannot be compared, if they cannot."""
    causes: tuple[Cause, ...]
    """Why matches are missing, the commonest first."""
    with_fallback: int
    """Counted matches in which anybody fell back."""
    forks: bool
    """Whether these are forks: no start of theirs was a fair one, so they enter no rating."""
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
    matches: dict[int, list[SeatStats]] = defaultdict(list)
    players: dict[tuple[str, str], defaultdict[str, list[SeatStats]]] = defaultdict(lambda: defaultdict(list))
    for stat in stats:
        matches[stat.match_id].append(stat)
        players[stat.label, stat.identity][fate(stat)].append(stat)
    fates = {number: fate(seated[0]) for number, seated in matches.items()}
    fell = {
        number
        for number, seated in matches.items()
        if fates[number] == "counted" and any(stat.fallback for stat in seated)
    }
    counted = {key: _by_pack(mine["counted"]) for key, mine in players.items()}
    clean = {
        key: _by_pack([stat for stat in mine["counted"] if stat.match_id not in fell]) for key, mine in players.items()
    }
    packs = len({pack for mine in counted.values() for pack in mine})
    spread = _Spread(counted.values(), seats, packs)
    clean_spread = _Spread(clean.values(), seats, len({pack for mine in clean.values() for pack in mine}))
    rows = [
        _row(mine, counted[key], spread)._replace(
            with_fallback=sum(stat.match_id in fell for stat in mine["counted"]),
            without_fallback=_standing(clean[key], clean_spread) if fell else None,
        )
        for key, mine in players.items()
    ]
    tally = Counter(fates.values())
    started = sum(number for became, number in tally.items() if became != "queued")
    missing = sum(tally[became] for became in MISSING)
    return Table(
        run=run,
        game=game,
        game_index=game_index,
        seats=seats,
        matches={kind: tally[kind] for kind in ("counted", *NOT_COUNTED)},
        packs=packs,
        packs_incomplete=_incomplete(matches, fates),
        started=started,
        missing=missing,
        not_comparable=_not_comparable(started, missing, rows),
        causes=_causes(matches, fates),
        with_fallback=len(fell),
        forks=any(stat.parent_ply is not None for stat in stats),
        rows=_ranked(rows),
    )


def _incomplete(matches: dict[int, list[SeatStats]], fates: dict[int, str]) -> int:
    """How many packs have matches that count and others that do not."""
    kinds: dict[int, set[bool]] = defaultdict(set)
    for number, seated in matches.items():
        kinds[seated[0].pack].add(fates[number] == "counted")
    return sum(len(found) > 1 for found in kinds.values())


def _not_comparable(started: int, missing: int, rows: Sequence[Row]) -> str | None:
    if missing > BEARABLE * started:
        return f"{missing} of {started} matches begun are missing ({100 * missing / started:.0f} %)"
    lacking = sorted((row.missing / row.started, row.label, row.identity) for row in rows if row.started)
    if lacking and lacking[-1][0] - lacking[0][0] > BEARABLE:
        (least, fewest, _), (most, label, _) = lacking[0], lacking[-1]
        return f"matches are missing unevenly: {100 * most:.0f} % of {label}'s, {100 * least:.0f} % of {fewest}'s"
    return None


def _causes(matches: dict[int, list[SeatStats]], fates: dict[int, str]) -> tuple[Cause, ...]:
    found: dict[tuple[str, str | None], list[list[SeatStats]]] = defaultdict(list)
    for number, seated in matches.items():
        became = fates[number]
        if became in MISSING:
            forfeited = sorted(stat.label for stat in seated if (stat.place or 1) > 1)
            why = f"by {', '.join(forfeited)}" if became == "forfeit" else seated[0].why
            found[became, why].append(seated)
    causes = [
        Cause(became, why, len(them), dict(sorted(Counter(stat.label for seated in them for stat in seated).items())))
        for (became, why), them in found.items()
    ]
    return tuple(sorted(causes, key=lambda cause: (-cause.matches, cause.fate, cause.why or "")))


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


def _standing(packs: Packs, spread: _Spread) -> Standing:
    shares = [share for pack in _values(packs, win_share) for share in pack]
    places = [place for pack in _values(packs, _place) for place in pack]
    wins = fsum(shares)
    number = len(shares)
    win_interval = places_interval = None
    if len(packs) > 1:
        wins_of = effective(number, len(packs), spread.wins)
        win_interval = wilson(round(wins / number, 9), wins_of, spread.t)
        places_of = effective(number, len(packs), spread.places)
        places_interval = place_interval(places, places_of, spread.t, spread.seats)
    return Standing(
        matches=number,
        packs=len(packs),
        wins=round(wins, 6),
        win_rate=round(wins / number, 9) if shares else None,
        win_interval=win_interval,
        mean_place=fsum(places) / number if places else None,
        place_interval=places_interval,
    )


def _case(standing: Standing, lost: int, open_: int, seats: int, *, best: bool) -> Case | None:
    """The player's figures with `lost` more matches lost, and `open_` more all won or all lost."""
    number = standing.matches + lost + open_
    if not lost + open_:
        return None
    places = (standing.mean_place or 0.0) * standing.matches + lost * seats + open_ * (1 if best else seats)
    return Case((standing.wins + (open_ if best else 0)) / number, places / number)


def _row(by_fate: defaultdict[str, list[SeatStats]], packs: Packs, spread: _Spread) -> Row:
    played = [*by_fate["counted"], *by_fate["forfeit"]]
    apart = [stat for became, stats in by_fate.items() if became not in ("counted", "forfeit") for stat in stats]
    first = (played or apart)[0]
    standing = _standing(packs, spread)
    own = sum(1 for stat in by_fate["forfeit"] if (stat.place or 1) > 1)
    missing = sum(len(by_fate[became]) for became in MISSING)
    decisions = sum(stat.decisions for stat in played)
    illegal, unreadable = sum(stat.illegal for stat in played), sum(stat.unreadable for stat in played)
    fallback, calls = sum(stat.fallback for stat in played), sum(stat.calls for stat in played)
    return Row(
        rank=None,
        label=first.label,
        kind=first.kind,
        identity=first.identity,
        **standing._asdict(),
        decisions=decisions,
        forced=sum(stat.forced for stat in played),
        illegal=illegal,
        illegal_share=share(illegal, decisions),
        unreadable=unreadable,
        unreadable_share=share(unreadable, decisions),
        fallback=fallback,
        fallback_share=share(fallback, decisions),
        calls=calls,
        prompt_tokens=sum(stat.prompt_tokens for stat in played),
        cached_tokens=sum(stat.cached_tokens for stat in played),
        completion_tokens=sum(stat.completion_tokens for stat in played),
        reasoning_tokens=sum(stat.reasoning_tokens for stat in played),
        cost=fsum(stat.cost for stat in played),
        unpriced=sum(stat.unpriced for stat in played),
        latency_ms=share(fsum(stat.latency_ms for stat in played), calls),
        forfeits=own,
        not_counted={kind: len(by_fate[kind]) for kind in NOT_COUNTED},
        cost_not_counted=fsum(stat.cost for stat in apart),
        started=sum(len(stats) for became, stats in by_fate.items() if became != "queued"),
        missing=missing,
        best=_case(standing, own, missing - own, spread.seats, best=True),
        worst=_case(standing, own, missing - own, spread.seats, best=False),
        with_fallback=0,
        without_fallback=None,
    )


def share(part: float, whole: int) -> float | None:
    """A part of a whole; None of nothing."""
    return part / whole if whole else None


def _table_json(table: Table) -> Json:
    rows = [_plain(row._asdict()) for row in table.rows]
    return {**table._asdict(), "causes": [cause._asdict() for cause in table.causes], "rows": rows}


def _plain(values: Json) -> Json:
    return {key: _rounded(value) for key, value in values.items()}


def _rounded(value: object) -> object:
    """To six places: what lies beyond differs between machines and means nothing."""
    if isinstance(value, float):
        return round(value, 6)
    if isinstance(value, (Standing, Case)):
        return _plain(value._asdict())
    return [round(bound, 6) for bound in value] if isinstance(value, tuple) else value
