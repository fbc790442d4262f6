"""Runs as data frames: the tables of an export, and the figures of the command line, for pandas, polars and Arrow."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal

from harness.data.schema import TABLES, arrow_table

if TYPE_CHECKING:
    import pyarrow as pa

    from harness.data.read import Rows
    from harness.records import Json

As = Literal["pandas", "polars", "arrow"]
AS: tuple[As, ...] = ("pandas", "polars", "arrow")
_NESTED = ("best", "worst", "without_fallback", "with_forfeits")
"""Keys of a leaderboard's row that hold figures of their own, or nothing."""


class NoFrame(ValueError):
    """Why no data frame of that kind can be had, in one line."""


def arrow_of(table: str, rows: Iterable[tuple[str, Rows]]) -> pa.Table:
    """The rows of one table as an Arrow table with the schema of the export."""
    import pyarrow as pa

    parts = [arrow_table(TABLES[table], some) for _, some in rows]
    return pa.concat_tables([arrow_table(TABLES[table], ()), *parts]).combine_chunks()


def converted(table: pa.Table, wanted: As) -> Any:
    """An Arrow table as it was asked for. Raises `NoFrame`."""
    if wanted not in AS:
        raise NoFrame(f"as_: {wanted!r} is none of {', '.join(AS)}")
    if wanted == "arrow":
        return table
    if wanted == "pandas":
        return table.to_pandas()
    try:
        import polars
    except ModuleNotFoundError as error:
        raise NoFrame("as_: polars is not installed; pip install polars") from error
    return polars.from_arrow(table)


def frame_of(records: Iterable[Mapping[str, Any]], wanted: As, blank: Callable[[], Iterable[Mapping[str, Any]]]) -> Any:
    """Records as a data frame with a column for every key that any of them has; without records, for every key that
    those of `blank` have. Raises `NoFrame`."""
    import pandas as pd
    import pyarrow as pa

    rows = list(records)
    frame = pd.DataFrame.from_records(rows or list(blank())).iloc[: len(rows)]
    return frame if wanted == "pandas" else converted(pa.Table.from_pandas(frame, preserve_index=False), wanted)


def leaderboard_records(board: Json) -> Iterator[Json]:
    """A row for each player of each table of a leaderboard's JSON."""
    for table in board["tables"]:
        heads = ("run", "game", "game_index", "seats", "rules", "forks", "not_comparable")
        for row in table["rows"]:
            yield {**{name: table[name] for name in heads}, **_flat(row)}


def behaviour_records(found: Json) -> Iterator[Json]:
    """A row for each figure of a behaviour's JSON."""
    for table in found["tables"]:
        heads = {name: table[name] for name in ("run", "game", "game_index", "seats", "rules", "forks")}
        for measure in table["measures"]:
            named = {
                "measure": measure["name"],
                "title": measure["title"],
                "unit": measure["unit"],
                "by": measure["by"],
            }
            for row in measure["rows"]:
                yield {**heads, **named, **_flat(row)}


def ledger_records(found: Json, part: Literal["rows", "says"]) -> Iterator[Json]:
    """A row for each group of pledges of a ledger's JSON, or for each kind of pledge and how much it says."""
    for table in found["tables"]:
        heads = {name: table[name] for name in ("run", "game", "game_index", "seats", "rules", "forks")}
        for row in table[part]:
            yield {**heads, **_flat(row)}


def _flat(record: Mapping[str, Any], before: str = "") -> Json:
    """Figures inside figures as columns of their own: an interval's ends as `…_low` and `…_high`."""
    flat: Json = {}
    for key, value in record.items():
        name = f"{before}{key}"
        if key.endswith("interval") or key == "ranks":
            flat[f"{name}_low"], flat[f"{name}_high"] = value or (None, None)
        elif isinstance(value, Mapping):
            flat |= _flat(value, f"{name}_")
        elif not (value is None and key in _NESTED):
            flat[name] = value
    return flat
