"""What all tables over matches have in common: which there are, who plays, sums by pack, and how they are gathered.

A gatherer is fed with one match after the other, so that several of them share one reading of the log.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import fsum
from typing import Generic, NamedTuple, TypeVar

from harness.behaviour.bootstrap import LEAST_PACKS, Cell
from harness.behaviour.log import Played
from harness.intervals import LEVEL, Interval
from harness.ratings.versions import TableKey
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


@dataclass(frozen=True, kw_only=True)
class Head:
    """Of what a table is: one game of one run with so many seats, under one version of the rules."""

    run: str
    game: str
    game_index: int
    seats: int
    rules: str | None
    """The version of the rules; None where no match began."""
    matches: dict[str, int]
    """How many matches there are, by what became of them; those of `COUNTED` enter the figures."""
    packs: int
    """Packs with a match that enters them."""
    forks: bool
    """Whether these are forks: each began where a match stood, and all that come from one match are one pack."""

    @property
    def key(self) -> TableKey:
        """What tells it from all other tables; the leaderboard's of the same matches has the same."""
        return self.run, self.game_index, self.game, self.seats, self.rules or ""

    @property
    def counted(self) -> int:
        """Matches that enter the figures."""
        return sum(self.matches.get(fate, 0) for fate in COUNTED)

    def to_json(self) -> Json:
        """Plain values: no time, no number of the database's making."""
        names = ("run", "game", "game_index", "seats", "rules", "matches", "packs", "forks", "counted")
        return {name: getattr(self, name) for name in names}


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

    @property
    def cell(self) -> Cell:
        """As the bootstrap takes it."""
        return Cell(self.part, self.whole)


def table_key(match: Played) -> TableKey:
    """Which table a match belongs to."""
    return match.run, match.match.game_index, match.match.game, len(match.seats), match.rules


def players_of(match: Played) -> dict[str, Player]:
    """Who sits in each seat."""
    return {seat.seat: Player(seat.label, seat.identity, seat.kind) for seat in match.match.seats}


Made = TypeVar("Made", bound=Head)


class Tables(NamedTuple, Generic[Made]):
    """All tables of one kind, by run and by place in the file."""

    tables: tuple[Made, ...]

    def to_json(self) -> Json:
        """Plain values, with what holds for all tables."""
        return {"level": LEVEL, "least_packs": LEAST_PACKS, "tables": [table.to_json() for table in self.tables]}


class Part(ABC, Generic[Made]):
    """What the matches of one table add up to."""

    def __init__(self) -> None:
        self._fates: Counter[str] = Counter()
        self._packs: set[int] = set()
        self._forks = False

    def add(self, match: Played) -> None:
        """One more match."""
        self._fates[match.fate] += 1
        self._forks = self._forks or match.match.forked
        self.seen(match)
        if match.fate in COUNTED:
            self._packs.add(match.match.pack)
            self.counted(match)

    def seen(self, match: Played) -> None:
        """Any match, whatever became of it."""

    @abstractmethod
    def counted(self, match: Played) -> None:
        """A match that enters the figures."""

    def head(self, key: TableKey) -> Head:
        """What the table is of."""
        run, game_index, game, seats, rules = key
        return Head(
            run=run,
            game=game,
            game_index=game_index,
            seats=seats,
            rules=rules or None,
            matches=dict(sorted(self._fates.items())),
            packs=len(self._packs),
            forks=self._forks,
        )

    @abstractmethod
    def table(self, key: TableKey) -> Made:
        """The figures."""


class Gatherer(Generic[Made]):
    """Tables by run and by place in the file, made of matches one by one."""

    def __init__(self, part: Callable[[], Part[Made]]) -> None:
        self._part = part
        self._parts: dict[TableKey, Part[Made]] = {}

    def add(self, match: Played) -> None:
        """One more match."""
        key = table_key(match)
        part = self._parts.get(key)
        if part is None:
            part = self._parts[key] = self._part()
        part.add(match)

    def result(self) -> Tables[Made]:
        """The tables of the matches so far."""
        return Tables(tuple(self._parts[key].table(key) for key in sorted(self._parts)))

    def of(self, matches: Iterable[Played]) -> Tables[Made]:
        """The tables with these matches added."""
        for match in matches:
            self.add(match)
        return self.result()


def figure(cell: Cell, interval: Interval | None, matches: int) -> Figure:
    """A cell with its interval."""
    return Figure(cell.value, interval, fsum(cell.part.values()), fsum(cell.whole.values()), matches, len(cell.packs))


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
