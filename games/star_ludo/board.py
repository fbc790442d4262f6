"""The board, and what follows from it: tables worked out once, so that a move asks and does not reckon.

A ring of 52 squares; a pawn's place counts from its own start: -1 in the yard, 0 to 50 on the ring, 51 to 55 in its
home row, 56 home.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from games.api import Seat

RING: Final = 52
YARD: Final = -1
LAST: Final = 50
"""The last place on the ring; the home row begins after it."""
HOME: Final = 56
PAWNS: Final = 4
EXITS: Final = (1, 6)
"""The numbers with which a pawn leaves its yard."""
STARTS: Final = {"red": 0, "green": 13, "yellow": 26, "blue": 39}
"""The ring square of each seat's place 0."""
STAR_SQUARES: Final = frozenset({0, 8, 13, 21, 26, 34, 39, 47})
STARS: Final = STAR_SQUARES
"""The places of stars: the same numbers for every seat, since the stars look alike from all four starts."""
NOWHERE: Final = -2
"""No place: where a number cannot be played."""

Pawns = tuple[int, ...]
"""The places of a seat's four pawns, by number."""
Spots = tuple[tuple[int, int], ...]
"""Where opponents would stand on one square: an opponent (index among the seats), and the square as its own place."""

TARGETS: Final = tuple(
    (
        *(place + die if place + die <= HOME else NOWHERE for place in range(HOME + 1)),
        0 if die in EXITS else NOWHERE,  # the yard's place, -1, counts from the end
    )
    for die in range(7)
)
"""`TARGETS[die][place]`: the place that a number leads to, whoever stands there; `NOWHERE` if it leads to none."""

ACTIONS: Final = tuple(f"move {pawn + 1}" for pawn in range(PAWNS))
PAWN_OF: Final = {action: pawn for pawn, action in enumerate(ACTIONS)}
LISTS: Final = tuple(
    tuple(action for pawn, action in enumerate(ACTIONS) if mask >> pawn & 1) for mask in range(1 << PAWNS)
)
"""The legal list for each set of pawns, as a number with a bit for each."""


class Table(NamedTuple):
    """The seats of a match, and for each (by its index) and each of its places what opponents do there.

    `blockers[seat][place]`: an opponent on one of these spots closes the square, a star. `victims[seat][place]`: one on
    these is captured (on a plain square of the ring, and on the own start star, which only an exit enters).
    """

    seats: tuple[Seat, ...]
    blockers: tuple[tuple[Spots, ...], ...]
    victims: tuple[tuple[Spots, ...], ...]


def square_of(seat: Seat, place: int) -> int | None:
    """The ring square of a seat's place; None off the ring."""
    return (STARTS[seat] + place) % RING if 0 <= place <= LAST else None


def place_of(seat: Seat, square: int) -> int:
    """A ring square as the place of a seat. The square before its start is 51 and none of its places on the ring."""
    return (square - STARTS[seat]) % RING


def _spots(seats: tuple[Seat, ...], seat: Seat, place: int) -> Iterator[tuple[int, int]]:
    square = square_of(seat, place)
    for index, other in enumerate(seats):
        if square is not None and other != seat and place_of(other, square) <= LAST:
            yield index, place_of(other, square)


def _table(*seats: Seat) -> Table:
    def spots(*, stars: bool) -> tuple[tuple[Spots, ...], ...]:
        return tuple(
            tuple(
                tuple(_spots(seats, seat, place)) if (place in STARS and place > 0) == stars else ()
                for place in range(HOME + 1)
            )
            for seat in seats
        )

    return Table(seats, blockers=spots(stars=True), victims=spots(stars=False))


TABLES: Final = {
    2: _table("red", "yellow"),
    3: _table("red", "green", "yellow"),
    4: _table("red", "green", "yellow", "blue"),
}
"""By number of players."""
