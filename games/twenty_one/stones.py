"""Stones, towers and lines: the fixed tables of the game.

Inside the engine a coloured stone is a number from 0 (red1) to 35 (purple6) in wheel order, the joker is 36, and a
tower is the number of its colour on the wheel.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

SEATS: Final = ("p1", "p2")
"""Player 1 has the red dot, player 2 the green one. Inside the engine a seat is its index here."""
COLOURS: Final = ("red", "orange", "yellow", "green", "blue", "purple")
"""The wheel: each colour is the neighbour of the ones before and after it, the last of the first."""
GREY: Final = "grey"
"""A joker's colour in an announcement."""
NUMBERS: Final = (1, 2, 3, 4, 5, 6)
GOAL: Final = 21
"""What a tower is built to, and never above."""
EACH: Final = 18
"""Stones a player starts with, jokers included."""
GRID: Final = 9
"""Stones of a grid, three by three, row by row."""
HAND: Final = 3
"""Stones of a line, and turns of a player in a round."""
ROUNDS: Final = 6
SECOND_GRID: Final = 4
"""The round from which on grid 2 is used, and seen by its owner."""

STONES: Final = (*(f"{colour}{number}" for colour in COLOURS for number in NUMBERS), "joker")
JOKER: Final = len(STONES) - 1
INDEX: Final[Mapping[str, int]] = {name: stone for stone, name in enumerate(STONES)}
TOWER: Final[Mapping[str, int]] = {colour: tower for tower, colour in enumerate(COLOURS)}
VALUE: Final = (*(number for _ in COLOURS for number in NUMBERS), 0)
"""What a stone is announced as, and what a coloured one counts in a tower."""
COLOUR: Final = (*(colour for colour in COLOURS for _ in NUMBERS), GREY)
"""A stone's colour as it is announced."""
FITS: Final = (
    *(
        tuple(sorted({(wheel - 1) % len(COLOURS), wheel, (wheel + 1) % len(COLOURS)}))
        for wheel in range(len(COLOURS))
        for _ in NUMBERS
    ),
    tuple(range(len(COLOURS))),
)
"""The towers that a stone's colour fits, in wheel order: its own and the two beside it; every one for a joker."""

DIRECTIONS: Final = ("row", "column")
LINES: Final[Mapping[tuple[str, str], tuple[int, ...]]] = {
    **{("row", f"{row + 1}"): (3 * row, 3 * row + 1, 3 * row + 2) for row in range(3)},
    **{("column", f"{column + 1}"): (column, column + 3, column + 6) for column in range(3)},
}
"""The cells of each line of a grid, by direction and number, in the order of the legal list."""
ANNOUNCED: Final = ("colours", "numbers")
