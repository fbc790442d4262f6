"""All measures over matches: sums by player and pack, then figures with their intervals.

One table is one game of one run with so many seats, under one version of the rules; nothing is pooled. Matches that
were finished count, those ended by forfeit too except where a measure says otherwise; matches that are queued, running,
paused or void, and those that ended without a result, enter no figure and are told by what became of them.

Where a player has several seats of a match (self-play), each seat counts as a match of its own. What one of them does
to another enters what the player does in all; by other players it stands nowhere, since it was done to nobody else.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from harness.behaviour.bootstrap import Cell, Replicates
from harness.behaviour.gather import (
    Figure,
    Gatherer,
    Head,
    Part,
    Player,
    Sums,
    Tables,
    figure,
    figure_json,
    players_of,
)
from harness.behaviour.log import Played
from harness.behaviour.registry import Measure, Tally, all_measures
from harness.ratings.versions import TableKey
from harness.records import Json


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


@dataclass(frozen=True, kw_only=True)
class Table(Head):
    """One game of one run."""

    players: tuple[Player, ...]
    measures: tuple[MeasureRows, ...]
    """Those that found anything."""

    def to_json(self) -> Json:
        """Plain values: no time, no number of the database's making."""
        return {
            **super().to_json(),
            "measures": [
                {
                    **{name: getattr(one.measure, name) for name in ("name", "title", "unit", "by", "definition")},
                    "rows": [{**row.player._asdict(), "key": row.key, **figure_json(row.figure)} for row in one.rows],
                }
                for one in self.measures
            ],
        }


Behaviour = Tables[Table]


_Place = tuple[str, Player, str | None]


LARGEST = 1e300
"""A figure that may come to more than this is refused: beyond 1.8e308 there is no number, and sums get there."""


class MeasureFailed(ValueError):
    """A measure that cannot be taken of a match, or summed over several, in one line."""


def _by_player(tallies: Iterable[Tally], seated: Mapping[str, Player]) -> dict[tuple[Player, str | None], list[float]]:
    """The tallies of one match, those of one player and key together. Raises `ValueError` for a key that is no text."""
    found: dict[tuple[Player, str | None], list[float]] = {}
    for seat, key, part, whole in tallies:
        place = (seated[seat], key)
        if place in found:
            found[place][0] += part
            found[place][1] += whole
        else:
            found[place] = [part, whole]
    for _, key in found:
        if key is not None and not isinstance(key, str):
            raise ValueError(f"its key {key!r} is no text; write it as one, or None for the figure itself")
    return found


class _Part(Part[Table]):
    def __init__(self, measures: Sequence[Measure]) -> None:
        super().__init__()
        self._measures = {measure.name: measure for measure in measures}
        self._kinds: set[str] = set()
        self._players: set[Player] = set()
        self._sums: defaultdict[_Place, Sums] = defaultdict(Sums)

    def seen(self, match: Played) -> None:
        self._players.update(players_of(match).values())

    def counted(self, match: Played) -> None:
        seated, pack = players_of(match), match.match.pack
        for measure in self._measures.values():
            if match.fate == "forfeit" and not measure.forfeits:
                continue
            try:
                found = _by_player(measure.function(match), seated)
                odd = next((one for one in found.items() if not all(map(math.isfinite, one[1]))), None)
            except Exception as error:
                # A log that was damaged takes any form, and a measure may be of the user's own making.
                where = f"match {match.match.number} of {match.run}"
                told = f"measure {measure.name}: {where}: {type(error).__name__}: {error}"
                raise MeasureFailed(f"{told}; does `parley verify` find the log intact?") from error
            if odd is not None:
                (player, _), (part, whole) = odd
                told = (
                    f"measure {measure.name}: match {match.match.number} of {match.run}: its tally for {player.label}"
                )
                raise MeasureFailed(f"{told} is {part} of {whole}; both must be finite numbers")
            for (player, key), (part, whole) in found.items():
                # A measure of the user's own may count in numbers that do not add up with others, such as decimals.
                self._sums[measure.name, player, key].add(pack, float(part), float(whole))
        self._kinds.update(match.by_kind)

    def table(self, key: TableKey) -> Table:
        places = [place for place in self._sums if self._means_anything(self._measures[place[0]])]
        cells = [Cell(self._sums[place].part, self._whole(place).whole) for place in places]
        for place, cell in zip(places, cells, strict=True):
            if not _at_most(cell, len(self._packs)) <= LARGEST:
                name, player, _ = place
                told = f"measure {name}: {key[0]}: its tallies for {player.label} come to more than {LARGEST:g}"
                raise MeasureFailed(f"{told}, in sum or one over the other; take a larger unit")
        shares = [self._measures[name].unit == "share" for name, *_ in places]
        intervals = Replicates(list(self._packs)).intervals(cells, shares=shares)
        rows: dict[str, list[Row]] = defaultdict(list)
        for place, cell, interval in zip(places, cells, intervals, strict=True):
            name, player, part_of = place
            rows[name].append(Row(player, part_of, figure(cell, interval, self._whole(place).matches)))
        return Table(
            **vars(self.head(key)),
            players=tuple(sorted(self._players)),
            measures=tuple(
                MeasureRows(measure, tuple(sorted(rows[name], key=_order)))
                for name, measure in self._measures.items()
                if rows[name]
            ),
        )

    def _means_anything(self, measure: Measure) -> bool:
        """Whether the game has events of its kinds, as far as these matches show."""
        return not measure.events or not self._kinds.isdisjoint(measure.events)

    def _whole(self, place: _Place) -> Sums:
        """Where the denominator of a figure stands."""
        name, player, _ = place
        return self._sums[(name, player, None) if self._measures[name].parts else place]


def _at_most(cell: Cell, packs: int) -> float:
    """What neither the sums of a figure nor the figure itself can exceed, whichever so many packs are drawn."""
    part, whole = (packs * max(map(abs, sums.values()), default=0.0) for sums in cell)
    least = min((abs(one) for one in cell.whole.values() if one), default=1.0)
    return max(part, whole) / min(least, 1.0)


def _order(row: Row) -> tuple[Player, bool, str]:
    return row.player, row.key is not None, row.key or ""


class Measuring(Gatherer[Table]):
    """All measures of matches one by one, or those that are named."""

    def __init__(self, measures: Sequence[Measure] | None = None) -> None:
        wanted = list(all_measures().values()) if measures is None else list(measures)
        super().__init__(lambda: _Part(wanted))


def behaviour(matches: Iterable[Played], measures: Sequence[Measure] | None = None) -> Behaviour:
    """The tables of these matches, in one pass over them; all measures unless some are named."""
    return Measuring(measures).of(matches)


def kinds(measures: Iterable[Measure] | None = None) -> frozenset[str]:
    """The event kinds that have to be read for these measures, or for all."""
    wanted = all_measures().values() if measures is None else measures
    return frozenset().union(*(measure.reads for measure in wanted))
