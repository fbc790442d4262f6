"""The rows of a table: each player's figures, what it took, and what the matches that are missing could change."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import fsum
from typing import NamedTuple

from harness.intervals import Interval
from harness.ratings.ballots import Player
from harness.ratings.missing import MISSING, NOT_COUNTED, fate
from harness.ratings.rate import NOTHING, Standing
from harness.ratings.table import Ratings, ranked
from harness.records import PlayerKind, SeatStats


class Case(NamedTuple):
    """What a player would stand at if its missing matches had all ended one way."""

    win_rate: float
    mean_place: float


class Row(NamedTuple):
    """One player in one table. Shares are of `decisions`; None where there is nothing to divide by."""

    rank: int | None
    """By the chance to win; equal ones share it. None without a counted match, and where seats are not balanced."""
    ranks: tuple[int, int] | None
    """The best and the worst rank that the pairs told apart leave open; None where no pair could be judged."""
    label: str
    kind: PlayerKind
    identity: str
    group: int
    """Players who are linked by matches have the same; between groups nothing is compared."""
    matches: int
    """Counted matches."""
    packs: int
    wins: float
    """A first place shared by k counts 1/k."""
    win_rate: float | None
    win_interval: Interval | None
    mean_place: float | None
    place_interval: Interval | None
    probability: float | None
    """To win against an average table, in each seat equally often: see `harness.ratings.rate.Standing`."""
    probability_interval: Interval | None
    strength: float | None
    strength_interval: Interval | None
    decisions: int
    """Replies wanted: decisions that were not forced."""
    forced: int
    illegal: int
    """Illegal answers to its decisions; one that was asked again may have several."""
    illegal_per_decision: float | None
    unreadable: int
    """Answers to its decisions in which no action was found: of any kind in `harness.records.UNREADABLE`."""
    unreadable_per_decision: float | None
    talk_faults: int
    """Answers in talk rounds that could not be used; talk rounds are no decisions."""
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
    with_forfeits: Standing | None
    """With the matches that a forfeit ended, as they ended; None where there is no such match in the table."""


def share(part: float, whole: int) -> float | None:
    """A part of a whole; None of nothing."""
    return part / whole if whole else None


def rows_of(
    players: Mapping[Player, Sequence[SeatStats]], rated: Ratings, fell: set[tuple[str, int]], seats: int
) -> tuple[Row, ...]:
    """A row for each player, group by group, the best first; those without a counted match are last.

    `fell` are the counted matches in which anybody fell back, by run and the database's number.
    """
    main = rated.main
    order: list[tuple[int | None, tuple[int, int] | None, Player, int, Standing]] = [
        (rank, open_, main.players[at], main.groups[at], main.standings[at]) for rank, at, open_ in ranked(main)
    ]
    there = {player for _, _, player, _, _ in order}
    last = max(main.groups, default=-1) + 1
    order += [(None, None, player, last, NOTHING) for player in sorted(players) if player not in there]
    return tuple(
        _row(players[player], player, standing, seats)._replace(
            rank=rank,
            ranks=open_,
            group=group,
            with_fallback=len(fell & {(stat.run, stat.match_id) for stat in players[player]}),
            without_fallback=rated.without_fallback.get(player, NOTHING) if rated.without_fallback else None,
            with_forfeits=rated.with_forfeits.get(player, NOTHING) if rated.with_forfeits else None,
        )
        for rank, open_, player, group, standing in order
    )


def _case(standing: Standing, lost: int, open_: int, seats: int, *, best: bool) -> Case | None:
    """The player's figures with `lost` more matches lost, and `open_` more all won or all lost."""
    number = standing.matches + lost + open_
    if not lost + open_:
        return None
    places = (standing.mean_place or 0.0) * standing.matches + lost * seats + open_ * (1 if best else seats)
    return Case((standing.wins + (open_ if best else 0)) / number, places / number)


def _matches(stats: Iterable[SeatStats]) -> int:
    """How many matches these seats are of: a player may sit in several of one."""
    return len({(stat.run, stat.match_id) for stat in stats})


def _row(stats: Sequence[SeatStats], player: Player, standing: Standing, seats: int) -> Row:
    by_fate: defaultdict[str, list[SeatStats]] = defaultdict(list)
    for stat in stats:
        by_fate[fate(stat)].append(stat)
    played = [*by_fate["counted"], *by_fate["forfeit"]]
    apart = [stat for became, some in by_fate.items() if became not in ("counted", "forfeit") for stat in some]
    own = _matches(stat for stat in by_fate["forfeit"] if (stat.place or 1) > 1)
    missing = sum(_matches(by_fate[became]) for became in MISSING)
    decisions = sum(stat.decisions for stat in played)
    illegal, unreadable = sum(stat.illegal for stat in played), sum(stat.unreadable for stat in played)
    fallback, calls = sum(stat.fallback for stat in played), sum(stat.calls for stat in played)
    return Row(
        rank=None,
        ranks=None,
        label=player.label,
        kind=player.kind,
        identity=player.identity,
        group=0,
        **standing._asdict(),
        decisions=decisions,
        forced=sum(stat.forced for stat in played),
        illegal=illegal,
        illegal_per_decision=share(illegal, decisions),
        unreadable=unreadable,
        unreadable_per_decision=share(unreadable, decisions),
        talk_faults=sum(stat.talk_faults for stat in played),
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
        not_counted={kind: _matches(by_fate[kind]) for kind in NOT_COUNTED},
        cost_not_counted=fsum(stat.cost for stat in apart),
        started=sum(_matches(some) for became, some in by_fate.items() if became != "queued"),
        missing=missing,
        best=_case(standing, own, missing - own, seats, best=True),
        worst=_case(standing, own, missing - own, seats, best=False),
        with_fallback=0,
        without_fallback=None,
        with_forfeits=None,
    )
