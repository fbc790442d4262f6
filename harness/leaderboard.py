"""Who wins how often, how sure that is, and what it took: pure functions over the seats of matches.

One table is one entry of `games` in one run, under one version of the rules: matches of another run, game, or version
are never pooled unless asked for, and then marked. Only matches that were finished by the rules enter ratings. A match
ended by `forfeit` is finished, so that its decisions, tokens and cost count, but nobody's skill is read from it; what
it would change stands in a second row, like what is left without matches in which anybody fell back. All that does not
count stands beside it. Forks are runs of their own, and their tables are marked: they began where somebody stood
better than others, so that nobody is rated by them.

The ratings themselves are made in `harness.ratings` (docs/ratings.md says what each figure is).

**What is missing.** A match that began and gave no result that counts (paused, void, ended by forfeit, or without a
result) is missing, and seldom by chance. Where more than 5 % of those begun are missing, or some player lacks 5 points
more of its own than another, the table is not comparable; each player's best and worst case say what the missing
matches could make of it: all won alone, or all lost as the last. One that it forfeited itself is lost in both.

Every sum is exact before it is rounded, so the order of the rows changes no byte.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from games import GAMES, get_game
from harness.adaptive import Stopping, by_looks, stopped, unjudged
from harness.intervals import LEVEL
from harness.ratings.ballots import Player, called
from harness.ratings.missing import (
    MISSING,
    NOT_COUNTED,
    Cause,
    Lacking,
    causes,
    incomplete_packs,
    too_much_missing,
)
from harness.ratings.missing import fate as fate
from harness.ratings.rows import Case as Case
from harness.ratings.rows import Row as Row
from harness.ratings.rows import rows_of
from harness.ratings.rows import share as share
from harness.ratings.table import Ratings, ratings
from harness.ratings.values import plain, ratings_json
from harness.ratings.versions import TableKey, entry_of, latest_rules, rules_of
from harness.records import Json, RunRecord, SeatStats

NAMED = 4
"""So many players, and groups of them, are named where no match links them."""
Settings = Mapping[tuple[str, int], Mapping[str, str]]
"""Of a run's entry of `games`: what it was played with, by name."""


class Looked(NamedTuple):
    """An entry of `games` of a run that was pooled though it stops once two players are told apart."""

    run: str
    game_index: int
    stopping: Stopping


class Table(NamedTuple):
    """One game of one run, or of several where they were pooled."""

    run: str
    game: str
    game_index: int
    seats: int
    rules: str | None
    """The version of the rules; None where no match began."""
    pooled: tuple[str, ...]
    """The runs that were pooled, where several were."""
    differing: tuple[str, ...]
    """The settings in which those differ."""
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
    seats_fixed: str | None
    """The part of it that seats are to blame for."""
    causes: tuple[Cause, ...]
    """Why matches are missing, the commonest first."""
    with_fallback: int
    """Counted matches in which anybody fell back."""
    shared: int
    """Counted matches whose first place several seats share: the win is split among them."""
    forks: bool
    """Whether these are forks: no start of theirs was a fair one, so they enter no rating."""
    rows: tuple[Row, ...]
    """Group by group, the best first."""
    ratings: Ratings
    self_play: bool = False
    """Whether each match is one player in all seats: then seats are rated, and nobody is."""
    stopping: Stopping | None = None
    """Of a run that stops once two players are told apart: what the last look says of them."""
    same_seed: tuple[tuple[str, ...], ...] = ()
    """Of the runs that were pooled, those that have a seed in common: they are played on the same starts, so that their
    packs are the same ones."""
    pooled_stopping: tuple[Looked, ...] = ()
    """Of the runs that were pooled, those that stop so. The figures of their two players take the last look for the
    only one, so that their intervals do not hold; the pair is not judged."""

    @property
    def key(self) -> TableKey:
        """What tells it from all other tables."""
        return self.run, self.game_index, self.game, self.seats, self.rules or ""

    @property
    def counted(self) -> int:
        """How many matches enter the figures."""
        return self.matches["counted"]


class Leaderboard(NamedTuple):
    """All tables, by run and by place in the file."""

    tables: tuple[Table, ...]

    def to_json(self) -> Json:
        """Plain values: no time, no number of the database's making."""
        return {"level": LEVEL, "tables": [_table_json(table) for table in self.tables]}


def leaderboard(
    stats: Iterable[SeatStats],
    *,
    pool: bool = False,
    settings: Settings | None = None,
    runs: Iterable[RunRecord] = (),
) -> Leaderboard:
    """The tables of these seats; their order does not matter.

    `pool` puts the matches of all runs of a game with as many seats into one table, which is marked with what of
    `settings` (of a run's entry of `games`: values by name) differs. Self-play is never pooled with other matches,
    and a run of forks with no other run.
    Runs of one seed are played on the same starts, so that their packs are pooled too.
    `runs` are the runs of these seats: of those that stop once two players are told apart, the figures of these two are
    the ones that hold though it was looked again and again. Of several that are pooled there are none such: the table
    is marked, and the two are not judged.
    """
    stats, runs = list(stats), list(runs)
    parts = _parts(stats)
    looked = stopped(runs, stats)
    if not pool:
        return Leaderboard(tuple(_table([key], parts[key], (), looked) for key in sorted(parts)))
    return Leaderboard(
        tuple(
            _table(keys, _by_start(keys, parts, runs), _differing(keys, settings or {}), looked)._replace(
                same_seed=_same_seed({key[0] for key in keys}, runs)
            )
            for _, keys in sorted(_groups(parts).items())
        )
    )


def seats_of(table: Table, stats: Iterable[SeatStats], runs: Iterable[RunRecord] = ()) -> list[SeatStats]:
    """Of the seats and runs that the leaderboard was made of, the seats of this table's matches, whatever became of
    them. Their `run` and `pack` name a pack of the table: of a pooled one, `run` may be no run's name."""
    parts = _parts(stats)
    if not table.pooled:
        return parts.get(table.key, [])
    alone = table.pooled[0] if table.forks else ""
    return _by_start(_groups(parts)[table.game, table.seats, table.self_play, alone], parts, runs)


def _table_json(table: Table) -> Json:
    fields = table._asdict()
    del fields["ratings"]
    fields["stopping"] = None if table.stopping is None else _stopping_json(table.stopping)
    fields["pooled_stopping"] = tuple(
        {"run": one.run, "game_index": one.game_index, **_stopping_json(one.stopping)} for one in table.pooled_stopping
    )
    return {**plain(fields), **ratings_json(table.ratings)}


def _stopping_json(stand: Stopping) -> Json:
    return {**stand._asdict(), "line": stand.line()}


def win_share(stat: SeatStats) -> float:
    """1 for a win, 1/k for a first place that k share, else 0."""
    return 1 / stat.winners if stat.place == 1 and stat.winners else 0.0


def _parts(stats: Iterable[SeatStats]) -> dict[TableKey, list[SeatStats]]:
    """Seats by what their table would be."""
    stats = list(stats)
    latest = latest_rules(stats)
    parts: dict[TableKey, list[SeatStats]] = defaultdict(list)
    for stat in stats:
        parts[*entry_of(stat), rules_of(stat, latest)].append(stat)
    return parts


def _groups(parts: Mapping[TableKey, Sequence[SeatStats]]) -> dict[tuple[str, int, bool, str], list[TableKey]]:
    """What is pooled with one another: by game, number of seats, whether it is self-play, and the run of forks."""
    groups: dict[tuple[str, int, bool, str], list[TableKey]] = defaultdict(list)
    for key in sorted(parts):
        alone = key[0] if _forked(parts[key]) else ""
        groups[key[2], key[3], _self_play(parts[key]), alone].append(key)
    return groups


def _by_start(
    keys: Sequence[TableKey], parts: Mapping[TableKey, Sequence[SeatStats]], runs: Iterable[RunRecord]
) -> list[SeatStats]:
    """The seats of a pooled table, such that a pack is what is played on the same starts: of runs of one seed it is the
    same one, and of two entries of one run it is another."""
    stats = [stat for key in keys for stat in parts[key]]
    seeds: dict[str, int | str] = {run.name: run.seed for run in runs}
    entries = {key[:2] for key in keys}
    starts = {(run, index): f"{seeds.get(run, run)} {index}" for run, index in entries}
    if len(set(starts.values())) == len({run for run, _ in entries}) == len(entries):
        return stats
    return [stat.model_copy(update={"run": starts[stat.run, stat.game_index]}) for stat in stats]


def _same_seed(pooled: Collection[str], runs: Iterable[RunRecord]) -> tuple[tuple[str, ...], ...]:
    by_seed: dict[int, list[str]] = defaultdict(list)
    for run in runs:
        if run.name in pooled:
            by_seed[run.seed].append(run.name)
    return tuple(sorted(tuple(sorted(names)) for names in by_seed.values() if len(names) > 1))


def _differing(keys: Sequence[TableKey], settings: Settings) -> tuple[str, ...]:
    """The names of what is not the same in all that is pooled."""
    each = [{**settings.get((key[0], key[1]), {}), "rules": key[4]} for key in keys]
    names = sorted({name for one in each for name in one})
    return tuple(name for name in names if len({one.get(name) for one in each}) > 1)


def _table(
    keys: Sequence[TableKey],
    stats: Sequence[SeatStats],
    differing: tuple[str, ...],
    looked: Mapping[tuple[str, int], Stopping],
) -> Table:
    run, game_index, game, seats, rules = keys[0]
    matches: dict[tuple[str, int], list[SeatStats]] = defaultdict(list)
    players: dict[Player, list[SeatStats]] = defaultdict(list)
    for stat in stats:
        matches[stat.run, stat.match_id].append(stat)
        players[Player(stat.label, stat.identity, stat.kind)].append(stat)
    fates = {key: fate(seated[0]) for key, seated in matches.items()}
    counted = [key for key in matches if fates[key] == "counted"]
    fell = {key for key in counted if any(stat.fallback for stat in matches[key])}
    forks = _forked(stats)
    alone = _self_play(stats)
    rated = ratings(stats, seat_order(game, seats), fell, fair=not forks, alone=alone)
    entries = dict.fromkeys(key[:2] for key in keys)
    stands = tuple(Looked(*entry, looked[entry]) for entry in entries if entry in looked)
    mixed = stands if len(keys) > 1 else ()
    stand = stands[0].stopping if stands and not mixed else None
    rated = unjudged(rated, [one.stopping for one in mixed]) if stand is None else by_looks(rated, stand)
    tally = Counter(fates.values())
    started = sum(number for became, number in tally.items() if became != "queued")
    missing = sum(tally[became] for became in MISSING)
    rows = rows_of(players, rated, fell, seats)
    if alone:
        rows = tuple(row._replace(best=None, worst=None) for row in rows)
    lacking = too_much_missing(
        started, missing, [Lacking(row.label, row.identity, row.started, row.missing) for row in rows]
    )
    reasons = [reason for reason in (rated.main.uneven, None if alone else _apart(rated), lacking) if reason]
    return Table(
        run=run if len(keys) == 1 else "pooled",
        game=game,
        game_index=game_index,
        seats=seats,
        rules=rules or None,
        pooled=tuple(dict.fromkeys(key[0] for key in keys)) if len(keys) > 1 else (),
        differing=differing,
        matches={kind: tally[kind] for kind in ("counted", *NOT_COUNTED)},
        packs=len({(key[0], matches[key][0].pack) for key in counted}),
        packs_incomplete=incomplete_packs(matches, fates),
        started=started,
        missing=missing,
        not_comparable="; ".join(reasons) or None,
        seats_fixed=rated.main.uneven,
        causes=causes(matches, fates),
        with_fallback=len(fell),
        shared=sum((matches[key][0].winners or 0) > 1 for key in counted),
        forks=forks,
        rows=rows,
        ratings=rated,
        self_play=alone,
        stopping=stand,
        pooled_stopping=mixed,
    )


def _forked(stats: Iterable[SeatStats]) -> bool:
    return any(stat.parent_ply is not None for stat in stats)


def _self_play(stats: Sequence[SeatStats]) -> bool:
    """Whether each match is one player in all seats, from a fair start."""
    sitting: dict[tuple[str, int], set[Player]] = defaultdict(set)
    for stat in stats:
        sitting[stat.run, stat.match_id].add(Player(stat.label, stat.identity, stat.kind))
    return all(len(players) == 1 for players in sitting.values()) and all(stat.parent_ply is None for stat in stats)


def seat_order(game: str, seats: int) -> tuple[str, ...] | None:
    """Seats as the game names them in order; None for a game that is not here."""
    return get_game(game).seats(seats) if game in GAMES and seats in get_game(game).players else None


def _apart(rated: Ratings) -> str | None:
    """Which players nothing links, in words."""
    groups: dict[int, list[str]] = defaultdict(list)
    named = called([(player.label, player.identity) for player in rated.main.players])
    for name, group in zip(named, rated.main.groups, strict=True):
        groups[group].append(name)
    if len(groups) < 2:
        return None
    told = [", ".join(labels[:NAMED]) + (", …" if len(labels) > NAMED else "") for labels in groups.values()]
    more = f" | {len(told) - NAMED} more" if len(told) > NAMED else ""
    return f"no match links these players: {' | '.join(told[:NAMED])}{more}"
