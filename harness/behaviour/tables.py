"""All measures over matches: sums by player and pack, then figures with their intervals.

One table is one game of one run with so many seats; nothing is pooled. Matches that were finished count, those ended by
forfeit too except where a measure says otherwise; matches that are queued, running, paused or void, and those that
ended without a result, enter no figure and are told by what became of them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import fsum
from typing import NamedTuple

from harness.behaviour.bootstrap import LEAST_PACKS, Cell, Replicates
from harness.behaviour.log import Played
from harness.behaviour.registry import Measure, Tally, all_measures
from harness.intervals import LEVEL, Interval
from harness.records import Json, PlayerKind

COUNTED = ("counted", "forfeit")
"""Fates (see `harness.ratings.missing.fate`) of matches that enter figures."""


class Player(NamedTuple):
    """Who played: a label, and the hash of all that makes that player."""

    label: str
    identity: str
    kind: PlayerKind


class Figure(NamedTuple):
    """One figure: `part` over `whole`, from so many matches in so many packs. No interval under 20 packs."""

    value: float | None
    interval: Interval | None
    part: float
    whole: float
    matches: int
    packs: int


class Row(NamedTuple):
    """A player's figure in one measure; `key` None is the figure itself, else a part of it."""

    player: Player
    key: str | None
    figure: Figure


class MeasureRows(NamedTuple):
    """One measure in one table."""

    measure: Measure
    rows: tuple[Row, ...]

    def of(self, player: Player, key: str | None = None) -> Figure | None:
        """One figure; None where there is none."""
        return next((row.figure for row in self.rows if (row.player, row.key) == (player, key)), None)

    def keys(self) -> list[str]:
        """What it is broken down by."""
        return list(dict.fromkeys(row.key for row in self.rows if row.key is not None))


class Table(NamedTuple):
    """One game of one run."""

    run: str
    game: str
    game_index: int
    seats: int
    matches: dict[str, int]
    """How many matches there are, by what became of them; those of `COUNTED` enter the figures."""
    packs: int
    """Packs with a match that enters them."""
    forks: bool
    """Whether these are forks: each began where a match stood, and all that come from one match are one pack."""
    players: tuple[Player, ...]
    measures: tuple[MeasureRows, ...]
    """Those that found anything."""

    @property
    def counted(self) -> int:
        """Matches that enter the figures."""
        return sum(self.matches.get(fate, 0) for fate in COUNTED)


class Behaviour(NamedTuple):
    """All tables, by run and by place in the file."""

    tables: tuple[Table, ...]

    def to_json(self) -> Json:
        """Plain values: no time, no number of the database's making."""
        return {"level": LEVEL, "least_packs": LEAST_PACKS, "tables": [_table_json(table) for table in self.tables]}


class Sums:
    """The sums of one figure while matches go by."""

    __slots__ = ("matches", "part", "whole")

    def __init__(self) -> None:
        self.part: dict[int, float] = {}
        self.whole: dict[int, float] = {}
        self.matches = 0

    def add(self, pack: int, part: float, whole: float) -> None:
        """What one match adds."""
        self.part[pack] = self.part.get(pack, 0.0) + part
        self.whole[pack] = self.whole.get(pack, 0.0) + whole
        self.matches += 1


TableKey = tuple[str, int, str, int]
_Place = tuple[str, Player, str | None]


def table_key(match: Played) -> TableKey:
    """Which table a match belongs to: run, place in the file, game, number of seats."""
    return match.run, match.match.game_index, match.match.game, len(match.seats)


def players_of(match: Played) -> dict[str, Player]:
    """Who sits in each seat."""
    return {seat.seat: Player(seat.label, seat.identity, seat.kind) for seat in match.match.seats}


class MeasureFailed(ValueError):
    """A measure that cannot be taken of a match, in one line."""


def _by_player(tallies: Iterable[Tally], seated: Mapping[str, Player]) -> dict[tuple[Player, str | None], list[float]]:
    """The tallies of one match, those of one player and key together."""
    found: dict[tuple[Player, str | None], list[float]] = {}
    for seat, key, part, whole in tallies:
        place = (seated[seat], key)
        if place in found:
            found[place][0] += part
            found[place][1] += whole
        else:
            found[place] = [part, whole]
    return found


class _Gathered:
    """What the matches of one table add up to."""

    def __init__(self, measures: Sequence[Measure]) -> None:
        self._measures = {measure.name: measure for measure in measures}
        self._fates: Counter[str] = Counter()
        self._seen: set[str] = set()
        self._packs: set[int] = set()
        self._forks = False
        self._players: set[Player] = set()
        self._sums: defaultdict[_Place, Sums] = defaultdict(Sums)

    def add(self, match: Played) -> None:
        """One more match."""
        self._fates[match.fate] += 1
        self._forks = self._forks or match.match.forked
        seated = players_of(match)
        self._players.update(seated.values())
        if match.fate not in COUNTED:
            return
        pack = match.match.pack
        self._packs.add(pack)
        for measure in self._measures.values():
            if match.fate == "forfeit" and not measure.forfeits:
                continue
            try:
                found = _by_player(measure.function(match), seated)
            except Exception as error:
                # A log that was damaged takes any form, and a measure may be of the user's own making.
                where = f"match {match.match.number} of {match.run}"
                told = f"measure {measure.name}: {where}: {type(error).__name__}: {error}"
                raise MeasureFailed(f"{told}; does `parley verify` find the log intact?") from error
            for (player, key), (part, whole) in found.items():
                self._sums[measure.name, player, key].add(pack, part, whole)
        self._seen.update(match.by_kind)

    def table(self, key: TableKey) -> Table:
        """The figures."""
        run, game_index, game, seats = key
        places = [place for place in self._sums if self._means_anything(self._measures[place[0]])]
        cells = [Cell(self._sums[place].part, self._whole(place).whole) for place in places]
        shares = [self._measures[name].unit == "share" for name, *_ in places]
        intervals = Replicates(list(self._packs)).intervals(cells, shares=shares)
        rows: dict[str, list[Row]] = defaultdict(list)
        for place, cell, interval in zip(places, cells, intervals, strict=True):
            name, player, part_of = place
            rows[name].append(Row(player, part_of, figure(cell, interval, self._whole(place).matches)))
        return Table(
            run=run,
            game=game,
            game_index=game_index,
            seats=seats,
            matches=dict(sorted(self._fates.items())),
            packs=len(self._packs),
            forks=self._forks,
            players=tuple(sorted(self._players)),
            measures=tuple(
                MeasureRows(measure, tuple(sorted(rows[name], key=_order)))
                for name, measure in self._measures.items()
                if rows[name]
            ),
        )

    def _means_anything(self, measure: Measure) -> bool:
        """Whether the game has events of its kinds, as far as these matches show."""
        return not measure.events or not self._seen.isdisjoint(measure.events)

    def _whole(self, place: _Place) -> Sums:
        """Where the denominator of a figure stands."""
        name, player, _ = place
        return self._sums[(name, player, None) if self._measures[name].parts else place]


def figure(cell: Cell, interval: Interval | None, matches: int) -> Figure:
    """A cell with its interval."""
    return Figure(cell.value, interval, fsum(cell.part.values()), fsum(cell.whole.values()), matches, len(cell.packs))


def _order(row: Row) -> tuple[Player, bool, str]:
    return row.player, row.key is not None, row.key or ""


def behaviour(matches: Iterable[Played], measures: Sequence[Measure] | None = None) -> Behaviour:
    """The tables of these matches, in one pass over them; all measures unless some are named."""
    wanted = list(all_measures().values()) if measures is None else list(measures)
    groups: dict[TableKey, _Gathered] = {}
    for match in matches:
        key = table_key(match)
        if key not in groups:
            groups[key] = _Gathered(wanted)
        groups[key].add(match)
    return Behaviour(tuple(groups[key].table(key) for key in sorted(groups)))


def kinds(measures: Iterable[Measure] | None = None) -> frozenset[str]:
    """The event kinds that have to be read for these measures, or for all."""
    wanted = all_measures().values() if measures is None else measures
    return frozenset().union(*(measure.reads for measure in wanted))


def rounded(value: float | None) -> float | None:
    """To nine significant digits: what lies beyond differs between machines and means nothing."""
    return None if value is None else float(f"{value:.9g}")


def interval_json(interval: Interval | None) -> list[float | None] | None:
    """An interval as plain values."""
    return None if interval is None else [rounded(bound) for bound in interval]


def figure_json(one: Figure) -> Json:
    """A figure as plain values."""
    sums = {name: rounded(getattr(one, name)) for name in ("value", "part", "whole")}
    return {**one._asdict(), **sums, "interval": interval_json(one.interval)}


def _table_json(table: Table) -> Json:
    return {
        **{name: getattr(table, name) for name in ("run", "game", "game_index", "seats", "matches", "packs", "forks")},
        "counted": table.counted,
        "measures": [
            {
                **{name: getattr(one.measure, name) for name in ("name", "title", "unit", "by", "definition")},
                "rows": [{**row.player._asdict(), "key": row.key, **figure_json(row.figure)} for row in one.rows],
            }
            for one in table.measures
        ],
    }
