"""What the bots reckon with: moves and dangers, worked out from nothing but the view."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from games.api import Observation, Seat
from games.star_ludo.board import HOME, LAST, STAR_SQUARES, STARS, STARTS, YARD, place_of, square_of

REACH = 6
"""The largest number of one die: an opponent so far behind may hit."""


class Move(NamedTuple):
    """A legal move. `victim` is the place of the pawn it captures, counted from that pawn's own start."""

    action: str
    pawn: int
    place: int
    target: int
    victim: int | None

    @property
    def exits(self) -> bool:
        """Whether the pawn leaves the yard."""
        return self.place == YARD

    @property
    def from_ring(self) -> bool:
        """Whether the pawn stands on the ring before it moves."""
        return YARD < self.place <= LAST

    @property
    def lands_on_star(self) -> bool:
        """Whether the pawn ends on a star of the ring."""
        return self.target in STARS


class Table:
    """The board as one seat sees it, when that seat is to play."""

    def __init__(self, seen: Observation) -> None:
        self.seat = seen.seat
        self.own: list[int] = seen.view["pawns"][seen.seat]
        self.die: int = seen.view["dice"][seen.view["die"]]
        pawns: dict[Seat, list[int]] = seen.view["pawns"]
        self.others = {seat: places for seat, places in pawns.items() if seat != seen.seat}
        self.moves = [self._move(move) for move in seen.view["moves"]]

    def _move(self, move: dict[str, object]) -> Move:
        pawn, place, target, captures = move["pawn"], move["from"], move["to"], move["captures"]
        assert isinstance(pawn, int)
        assert isinstance(place, int)
        assert isinstance(target, int)
        victim = self.others[captures["seat"]][captures["pawn"] - 1] if isinstance(captures, dict) else None
        return Move(f"move {pawn}", pawn, place, target, victim)

    def in_yard(self) -> int:
        """How many of the own pawns are in the yard."""
        return self.own.count(YARD)

    def hunted(self, place: int) -> bool:
        """Whether an opponent's pawn is one die behind an own place of the ring, which is on that pawn's way too."""
        square = square_of(self.seat, place)
        return square is not None and any(
            0 < place_of(other, square) - behind <= REACH
            for other, places in self.others.items()
            if place_of(other, square) <= LAST
            for behind in places
            if behind != YARD
        )

    def ambushed(self, place: int) -> bool:
        """Whether an own place is the start star of an opponent with a pawn in the yard."""
        square = square_of(self.seat, place)
        return any(STARTS[other] == square and YARD in places for other, places in self.others.items())

    def danger(self, place: int) -> bool:
        """Whether a pawn on an own place might be sent to its yard by an opponent's next die."""
        return self.ambushed(place) or (place not in STARS and self.hunted(place))

    def prey_ahead(self, place: int) -> int | None:
        """How far ahead of a place of the ring the nearest pawn is that could be hit from there by one die.

        It stands on no star, and where it stands the own pawn would still be on the ring. None if there is none.
        """
        return min((gap for gap in self._gaps(place) if 0 < gap <= REACH), default=None)

    def _gaps(self, place: int) -> Iterator[int]:
        if not YARD < place <= LAST:
            return
        for other, places in self.others.items():
            for theirs in places:
                square = square_of(other, theirs)
                if square is not None and square not in STAR_SQUARES and place_of(self.seat, square) <= LAST:
                    yield place_of(self.seat, square) - place


def foremost(moves: Iterable[Move]) -> Move:
    """The tie-break of all bots: the pawn farthest on, then the lowest number."""
    return max(moves, key=lambda move: (move.place, -move.pawn))


class Weights(NamedTuple):
    """What a careful bot makes of a move; `capture` is a percentage, the rest are points."""

    capture: int
    exits: int
    home: int
    home_row: int
    safe_star: int
    leave_star: int
    out_of_danger: int
    into_danger: int
    advance: int


SCALE = 2800
"""Scores are whole numbers of this part of a point, so that they are exact: halves, tenths, hundredths and 56ths."""


def score(table: Table, move: Move, weights: Weights) -> int:
    """The sum of all that applies to a move, in points times `SCALE`."""
    total = 0
    if move.victim is not None:
        total += SCALE // 200 * weights.capture * (40 + move.victim)
    if move.exits:
        total += SCALE * (weights.exits + weights.safe_star)
        return total
    total += SCALE // HOME * weights.advance * move.target
    if move.target == HOME:
        total += SCALE * weights.home
    elif move.from_ring and move.target > LAST:
        total += SCALE * weights.home_row
    before, after = table.danger(move.place), table.danger(move.target)
    if move.lands_on_star and not after:
        total += SCALE * weights.safe_star
    if move.place in STARS:
        total += SCALE * weights.leave_star
    if before and not after:
        total += SCALE // 10 * weights.out_of_danger * (move.place + 5)
    elif after and not before:
        total += SCALE // 10 * weights.into_danger * (move.target + 5)
    return total


def best(table: Table, weights: Weights) -> Move:
    """The move of the highest score."""
    scores = [score(table, move, weights) for move in table.moves]
    return foremost(move for move, points in zip(table.moves, scores, strict=True) if points == max(scores))
