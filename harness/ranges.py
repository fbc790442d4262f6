"""Long lists of actions in short: those that differ in a tile alone are told as ranges of rows and columns. Pure.

Everything is derived from the list itself, so it holds for any game whose actions end with a tile `ROW,COLUMN`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

_TILED: Final = re.compile(r"(.*) (0|[1-9][0-9]{0,3}),(0|[1-9][0-9]{0,3})")
_SPECIAL: Final = re.compile(r"([\\^$.*+?()\[\]{}|/])")


class Tiles(NamedTuple):
    """The actions `words ROW,COLUMN` of a list: for each of their rows, rising, the columns that occur, rising."""

    words: str
    rows: tuple[tuple[int, tuple[int, ...]], ...]

    def text(self) -> str:
        """The tiles in words; neighbouring rows with the same columns stand together.

        >>> Tiles("go", ((0, (1, 2, 3)), (1, (1, 2, 3)), (4, (7,)))).text()
        'rows 0-1: columns 1-3; row 4: column 7'
        """
        parts = []
        for first, last, columns in _blocks(self.rows):
            rows = f"row {first}" if first == last else f"rows {first}-{last}"
            parts.append(f"{rows}: {'column' if len(columns) == 1 else 'columns'} {_spans(columns)}")
        return "; ".join(parts)


class Grouped(NamedTuple):
    """A list of actions taken apart: those with tiles by their words, and all others, both in the list's order."""

    tiles: tuple[Tiles, ...]
    others: tuple[str, ...]

    def pattern(self) -> str:
        """A regular expression that fits exactly the actions of the list, in the dialect that JSON schemas share.

        >>> grouped(["go 0,1", "go 0,2", "stay"]).pattern()
        '^(go (0,[12])|stay)$'
        """
        parts = [f"{_escaped(group.words)} ({_rows_pattern(group.rows)})" for group in self.tiles]
        return f"^({'|'.join([*parts, *map(_escaped, self.others)])})$"


def grouped(actions: Iterable[str]) -> Grouped:
    """A list of actions by what they have in common."""
    found: dict[str, dict[int, set[int]]] = {}
    others = []
    for action in actions:
        parts = _TILED.fullmatch(action)
        if parts is None:
            others.append(action)
        else:
            found.setdefault(parts[1], {}).setdefault(int(parts[2]), set()).add(int(parts[3]))
    return Grouped(
        tuple(
            Tiles(words, tuple((row, tuple(sorted(rows[row]))) for row in sorted(rows)))
            for words, rows in found.items()
        ),
        tuple(others),
    )


def _blocks(rows: Sequence[tuple[int, tuple[int, ...]]]) -> list[tuple[int, int, tuple[int, ...]]]:
    blocks: list[tuple[int, int, tuple[int, ...]]] = []
    for row, columns in rows:
        if blocks and blocks[-1][1] == row - 1 and blocks[-1][2] == columns:
            blocks[-1] = (blocks[-1][0], row, columns)
        else:
            blocks.append((row, row, columns))
    return blocks


def _spans(numbers: Sequence[int]) -> str:
    spans: list[list[int]] = []
    for number in numbers:
        if spans and spans[-1][1] == number - 1:
            spans[-1][1] = number
        else:
            spans.append([number, number])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in spans)


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text)


def _rows_pattern(rows: Sequence[tuple[int, tuple[int, ...]]]) -> str:
    alike: dict[tuple[int, ...], list[int]] = {}
    for row, columns in rows:
        alike.setdefault(columns, []).append(row)
    return "|".join(f"{_one_of(numbers)},{_one_of(columns)}" for columns, numbers in alike.items())


def _one_of(numbers: Iterable[int]) -> str:
    """A pattern for a set of numbers: those that differ in the last digit alone share a class of digits."""
    ends: dict[str, str] = {}
    for text in sorted(map(str, numbers), key=int):
        ends[text[:-1]] = ends.get(text[:-1], "") + text[-1]
    starts: dict[str, list[str]] = {}
    for start, digits in ends.items():
        starts.setdefault(digits, []).append(start)
    parts = []
    for digits, before in starts.items():
        single = "".join(start for start in before if len(start) == 1)
        parts += [start + _digits(digits) for start in before if len(start) != 1]
        if single:
            parts.append(_digits(single) + _digits(digits))
    return parts[0] if len(parts) == 1 else f"({'|'.join(parts)})"


def _digits(digits: str) -> str:
    """A pattern for one of these digits, which rise."""
    if len(digits) == 1:
        return digits
    unbroken = int(digits[-1]) - int(digits[0]) == len(digits) - 1
    return f"[{digits[0]}-{digits[-1]}]" if unbroken and len(digits) > 2 else f"[{digits}]"
