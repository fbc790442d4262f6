"""The board's geometry: tiles as numbers and as text, halves, home and goal rows, and the half-turn.

A tile is a number on a grid with a border of one tile all around, so that a step never has to ask for the edge: tile
`row,column` is `(row + 1) * WIDTH + column + 1`, a step is `+-WIDTH` or `+-1`, and numbers rise row by row.
"""

from __future__ import annotations

from collections.abc import Mapping

SEATS = ("south", "north")
"""Inside the engine a seat is its index here, and the other seat is `1 - seat`."""
ROWS, COLUMNS = 31, 30
WIDTH = COLUMNS + 2
SIZE = (ROWS + 2) * WIDTH
NEUTRAL = 15
"""The row that belongs to nobody."""

PLAINS, FOREST, WATER, WALL = 1, 2, 8, 9
"""What a tile costs to enter. Water and walls (the border, a piece) cost more than any piece can ever pay."""
LETTERS: Mapping[str, int] = {".": PLAINS, "f": FOREST, "w": WATER}

DIRECTIONS: Mapping[str, int] = {"north": WIDTH, "south": -WIDTH, "east": 1, "west": -1}
"""The directions in the order of the legal list, with the step that each makes."""


def tile_at(row: int, column: int) -> int:
    """The tile of a row (0 to 30) and a column (0 to 29)."""
    return (row + 1) * WIDTH + column + 1


def row_of(tile: int) -> int:
    """The row of a tile."""
    return tile // WIDTH - 1


def column_of(tile: int) -> int:
    """The column of a tile."""
    return tile % WIDTH - 1


def turned(tile: int) -> int:
    """The tile under the half-turn, which swaps the sides: `row,column` becomes `30 - row,29 - column`."""
    return SIZE - 1 - tile


def neighbours(tile: int) -> tuple[int, int, int, int]:
    """The four tiles next to it, south before west before east before north: rising."""
    return (tile - WIDTH, tile - 1, tile + 1, tile + WIDTH)


TILES = tuple(tile_at(row, column) for row in range(ROWS) for column in range(COLUMNS))
"""All tiles, row by row."""
TEXT: Mapping[int, str] = {tile: f"{row_of(tile)},{column_of(tile)}" for tile in TILES}
"""A tile's name, `ROW,COLUMN`."""
BY_TEXT: Mapping[str, int] = {text: tile for tile, text in TEXT.items()}


def _rows(first: int, last: int) -> tuple[int, ...]:
    return tuple(tile for tile in TILES if first <= row_of(tile) <= last)


HOME = (_rows(0, 2), _rows(28, 30))
"""The tiles of each side's three home rows, row by row."""
HOME_SET = (frozenset(HOME[0]), frozenset(HOME[1]))
TRAPPING = (_rows(0, NEUTRAL), _rows(NEUTRAL, 30))
"""The tiles of each side's own half and of the neutral row, row by row."""
NEUTRAL_ROW = frozenset(_rows(NEUTRAL, NEUTRAL))
HALF = (frozenset(_rows(0, NEUTRAL - 1)), frozenset(_rows(NEUTRAL + 1, 30)))
"""Each side's own half: the enemy's territory of the other."""
GOAL = (frozenset(_rows(30, 30)), frozenset(_rows(0, 0)))
"""The tiles of each side's goal row."""
PICKUP_TILES = (*_rows(3, NEUTRAL - 1), *_rows(NEUTRAL + 1, 27))
"""Where the pickup may lie, row by row."""
