"""The tables as the documentation lists them: `python -m harness.data.describe` prints that part of `docs/data.md`."""

from __future__ import annotations

import sys

from harness.data.schema import KINDS, TABLES, Column, Table

_HIDDEN = {"": "", "always": "hidden", "private": "hidden where private"}


def tables_text() -> str:
    """Every table with its columns, as Markdown."""
    return "\n".join(_table(table) for table in TABLES.values())


def _table(table: Table) -> str:
    rows = [f"### `{table.name}`: {table.row}", "", "| column | type | meaning |", "| --- | --- | --- |"]
    return "\n".join([*rows, *map(_row, table.columns), ""])


def _row(column: Column) -> str:
    kind = KINDS[column.kind][0] + (", null" if column.null else "")
    more = [f"in {column.unit}"] if column.unit else []
    more += [_HIDDEN[column.hidden]] if column.hidden else []
    meaning = column.meaning + (f" ({'; '.join(more)})" if more else "")
    return f"| `{column.name}` | {kind} | {meaning} |"


if __name__ == "__main__":
    sys.stdout.write(tables_text())
