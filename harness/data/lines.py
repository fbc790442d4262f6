"""JSON lines read back by the schema: every fault names the file, the line, the field and what would be right."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Never

from harness.data.schema import KINDS, Kind, Table
from harness.data.write import file_name
from harness.spec.faults import shown
from harness.store.columns import unescape

Row = dict[str, Any]
_LONGEST = 1 << 28
"""Bytes of a line, at most."""
_LIMIT = 1 << 63


class BadImport(ValueError):
    """Why files cannot be imported, in one line."""


class Lines:
    """The lines of one table's file, in order. Every method raises `BadImport` for a line that is not right."""

    def __init__(self, folder: Path, table: Table) -> None:
        self._path = folder / file_name(table.name, "jsonl")
        self._columns = [(column.name, column.null, _READERS[column.kind], column.kind) for column in table.columns]
        self._names = frozenset(table.names)
        self._rows = self._read()
        self.number = 0
        """Of the line read last, from 1."""
        self.rows = 0
        """How many were read."""
        self._next: Row | None = None
        self._advance()

    def __iter__(self) -> Iterator[Row]:
        while (row := self.take()) is not None:
            yield row

    def peek(self) -> Row | None:
        """The next line; None at the end."""
        return self._next

    def take(self) -> Row | None:
        """The next line, which is then behind; None at the end."""
        row = self._next
        if row is not None:
            self._advance()
        return row

    def of(self, match: int) -> Iterator[Row]:
        """The lines that come next, for as long as they are of that match."""
        while self._next is not None and self._next["match"] == match:
            row = self._next
            self._advance()
            yield row

    def fault(self, row: Row, field: str, what: str) -> BadImport:
        """What is wrong with a line, in one line."""
        return BadImport(f"{self._path} line {row['']}: {field}: {what}")

    def end(self) -> None:
        """Refuse what is left."""
        if self._next is not None:
            row = self._next
            told = "it is in no line of matches.jsonl, or its lines do not stand together in the order of matches.jsonl"
            raise self.fault(row, "match", f"{shown(row['match'])}: {told}")

    def _advance(self) -> None:
        self._next = next(self._rows, None)

    def _read(self) -> Iterator[Row]:
        try:
            with self._path.open("rb") as file:
                while line := file.readline(_LONGEST + 1):
                    self.number += 1
                    if len(line) > _LONGEST:
                        self._refuse(f"it is longer than {_LONGEST:,} bytes")
                    if line.strip():
                        yield self._row(line)
        except OSError as error:
            raise BadImport(f"{self._path}: it cannot be read: {error.strerror}") from error

    def _refuse(self, what: str) -> Never:
        raise BadImport(f"{self._path} line {self.number}: {what}")

    def _row(self, line: bytes) -> Row:
        try:
            row = _loads(line.decode("utf-8"))
        except UnicodeDecodeError:
            self._refuse("it is no UTF-8 text")
        except (ValueError, RecursionError) as error:
            self._refuse(f"it is no JSON ({_why(error)})")
        if not isinstance(row, dict):
            self._refuse(f"{shown(row)} is no JSON object; each line is one")
        if row.keys() != self._names:
            self._wrong_names(row)
        for name, null, reader, kind in self._columns:
            value = row[name]
            if value is None:
                if not null:
                    self._refuse(f"{name}: it is null; {KINDS[kind][1]} is wanted")
            else:
                row[name] = self._value(name, value, reader, kind)
        # No column has an empty name: under it stands where the line is.
        row[""] = self.number
        self.rows += 1
        return row

    def _wrong_names(self, row: Row) -> Never:
        missing = [name for name, *_ in self._columns if name not in row]
        if missing:
            self._refuse(f"{missing[0]}: it is missing")
        odd = next(name for name in row if name not in self._names)
        self._refuse(f"{shown(odd)} is no column of {self._path.stem}; there are {', '.join(sorted(self._names))}")

    def _value(self, name: str, value: Any, reader: Callable[[Any], Any], kind: Kind) -> Any:
        try:
            return reader(value)
        except KeyError:
            self._refuse(f"{name}: it has U+0010 without the four hexadecimal digits that belong behind it")
        except (ValueError, OverflowError, RecursionError) as error:
            why = f" ({_why(error)})" if str(error) else ""
            self._refuse(f"{name}: {shown(value)} is not right{why}; {KINDS[kind][1]} is wanted")


def _why(error: BaseException) -> str:
    return "nested too deep" if isinstance(error, RecursionError) else str(error)


def _loads(text: str) -> Any:
    return json.loads(text, parse_constant=_no_number)


def _no_number(name: str) -> Never:
    raise ValueError(f"{name} is no number of JSON")


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError
    return unescape(value)


def _json(value: Any) -> Any:
    return _loads(_text(value))


def _int(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not -_LIMIT <= value < _LIMIT:
        raise ValueError
    return value


def _float(value: Any) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
        raise ValueError
    return float(value)


def _bool(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError
    return value


def _time(value: Any) -> datetime:
    moment = datetime.fromisoformat(_text(value))
    if moment.tzinfo is None:
        raise ValueError("it has no time zone")
    return moment.astimezone(UTC)


_READERS: dict[Kind, Callable[[Any], Any]] = {
    "text": _text,
    "json": _json,
    "int": _int,
    "float": _float,
    "bool": _bool,
    "time": _time,
}
