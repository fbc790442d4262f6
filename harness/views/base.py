"""The parts of every view. A page of the dashboard and a report show the same ones, so that they cannot differ.

Text in a view may have been written by a model or stand in anybody's tournament file: whoever shows it escapes it.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from harness.intervals import Interval
from harness.records import Json

Kind = Literal["text", "count", "number", "share", "points", "usd", "seconds", "p"]
"""How a column's values are written: a share as per cent, a difference of shares as points of per cent."""


class Behind(NamedTuple):
    """The matches behind a figure: of one run, those to which all that is said here applies."""

    run: str
    players: tuple[str, ...] = ()
    """Labels, exactly as they are; all of them sat in the match."""
    game: str | None = None
    entry: int | None = None
    """Which entry of the tournament file's `games`."""
    status: str | None = None
    """As the page Runs has it; all that count are `finished`."""
    reason: str | None = None
    """How a match ended, as `forfeit`; with a minus before it, any other way."""
    seat: str | None = None
    """The seat of the first of `players`."""
    had: str | None = None
    """What happened to the first of `players` (to anybody, without players): `fallback`, one of the `error_kind`s of
    calls (with commas between), or `flag:` and what a call's flag begins with."""
    match: int | None = None
    """One match alone, by its number in the database; then `ply` may lead to a moment of it."""
    ply: int | None = None
    matches: tuple[int, ...] = ()
    """These matches alone, where nothing else tells them."""


class Choice(NamedTuple):
    """What of the results is shown. It chooses tables and rows; no figure is made from other matches by it."""

    game: str | None = None
    settings: tuple[tuple[str, str], ...] = ()
    """Settings by name (see `harness.ratings.settings`) and the values that are wanted, as JSON."""
    player: str | None = None
    """A label."""


EVERYTHING = Choice()


class Figure(NamedTuple):
    """A number with its interval, where it has one."""

    value: float | None
    interval: Interval | None = None


Value = str | int | float | bool | None | Figure


class Column(NamedTuple):
    """One column of a table. `key` is its name in a file."""

    key: str
    title: str
    kind: Kind = "text"
    help: str = ""
    """What it says, in a sentence, where the title does not."""
    filed: bool = False
    """It stands in the file alone: what is shown says the same in words."""

    @property
    def named(self) -> bool:
        """Whether it holds names of players, of any length: they are cut so that what is told of them is seen."""
        return self.kind == "text" and self.key in _NAMED


PLAYER = Column("player", "player")
"""This and the next ones stand in several tables."""
MATCHES, PACKS, CALLS = (Column(key, key, "count") for key in ("matches", "packs", "calls"))
DECISIONS = Column("decisions", "decisions", "count", "Replies wanted of it.")
COST = Column("cost", "cost", "usd", "USD, of the calls whose price is known.")
_NAMED = frozenset(("player", "first", "second", "other", "without", "maker", "partner"))


class Row(NamedTuple):
    """One row: values by the keys of columns, and the matches behind it."""

    values: Mapping[str, Value]
    behind: Behind | None = None


class Sheet(NamedTuple):
    """A table that is shown and can be taken away as a file. `name` names that file, less its ending."""

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    folded: bool = False
    """Whether it stands behind its title until somebody opens it."""

    @property
    def shown(self) -> tuple[Column, ...]:
        """The columns that are not for the file alone."""
        return tuple(column for column in self.columns if not column.filed)

    def records(self) -> list[dict[str, Any]]:
        """Its rows as plain values; a figure becomes `key`, `key_low` and `key_high`."""
        intervals = {
            column.key
            for column in self.columns
            if any(isinstance(row.values.get(column.key), Figure) for row in self.rows)
        }
        return [self._record(row, intervals) for row in self.rows]

    def _record(self, row: Row, intervals: set[str]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for column in self.columns:
            value = row.values.get(column.key)
            if column.key not in intervals:
                found[column.key] = value
                continue
            one = value if isinstance(value, Figure) else Figure(None)
            low, high = one.interval or (None, None)
            found |= {column.key: one.value, f"{column.key}_low": low, f"{column.key}_high": high}
        return found

    def csv(self) -> str:
        """The table as CSV (RFC 4180), exact numbers, the unit of each column as in `Column.kind`.

        A text that a spreadsheet would take for a formula gets an apostrophe before it.
        """
        rows = self.records()
        heads = list(rows[0]) if rows else [column.key for column in self.columns]
        told = io.StringIO(newline="")
        writer = csv.DictWriter(told, heads)
        writer.writeheader()
        writer.writerows({key: _cell(value) for key, value in row.items()} for row in rows)
        return told.getvalue()


def _cell(value: Any) -> Any:
    if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r"):
        return f"'{value}"
    return value


class Chart(NamedTuple):
    """A Vega-Lite chart without colours of a theme's; `alt` tells in words what it shows."""

    name: str
    title: str
    alt: str
    spec: Json
    """Its one data set is `rows`; every mark's link is the field `href` of its row, which whoever shows it fills in."""
    behind: tuple[Behind | None, ...] = ()
    """The matches behind each of the rows, in their order; empty where there are none."""
    help: str = ""
    """What is drawn, to the letter: shown to who asks for it."""
    small: bool = False
    """One of several that are looked at side by side."""
    least: int = 0
    """Pixels of width below which its labels or numbers cannot be read; it is then moved under its frame."""

    @property
    def rows(self) -> list[Json]:
        """What is drawn, row by row."""
        found: list[Json] = self.spec["datasets"]["rows"]
        return found


class Section(NamedTuple):
    """One part of a page: what it is from (`lines` first), charts, then the tables they were drawn from."""

    title: str
    lines: Sequence[str] = ()
    warnings: Sequence[str] = ()
    """Why its figures cannot be compared or trusted, shown before them."""
    charts: Sequence[Chart] = ()
    sheets: Sequence[Sheet] = ()
