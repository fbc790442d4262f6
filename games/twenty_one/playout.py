"""A match played out in the mind of a bot: greedily, with noise, from a position in which every stone is assumed."""

from __future__ import annotations

from random import Random

from games.twenty_one.rules import INSTANT
from games.twenty_one.state import STARTERS
from games.twenty_one.stones import COLOUR, GOAL, GRID, HAND, JOKER, LINES, ROUNDS, SECOND_GRID, VALUE
from games.twenty_one.tactics import ALIKE, ALL, GREY_BIT, Towers, placements

NOISE = 0.1
"""How often a choice is any that is possible instead of the best."""


class Table:
    """An assumed position, changed as it is played on. Seats and stones are numbers, pairs are by seat.

    `grids` are both grids; `kinds` what was announced in the round (empty: nothing yet); `known` the stones that each
    seat has seen, coloured ones as a bit mask, and `jokers` how many jokers it has not seen.
    """

    __slots__ = ("directions", "grids", "hands", "jokers", "kinds", "known", "round", "tie_break", "towers", "turn")

    def __init__(
        self,
        towers: Towers,
        grids: tuple[list[list[int | None]], list[list[int | None]]],
        hands: list[list[int]],
        directions: list[str | None],
        kinds: list[str],
        known: list[int],
        jokers: list[int],
        number: int,
        turn: int,
        *,
        tie_break: bool,
    ) -> None:
        self.towers = towers
        self.grids = grids
        self.hands = hands
        self.directions = directions
        self.kinds = kinds
        self.known = known
        self.jokers = jokers
        self.round = number
        self.turn = turn
        self.tie_break = tie_break

    def copy(self) -> Table:
        """A table that can be played on without changing this one."""
        return Table(
            self.towers.copy(),
            ([grid[:] for grid in self.grids[0]], [grid[:] for grid in self.grids[1]]),
            [self.hands[0][:], self.hands[1][:]],
            self.directions[:],
            self.kinds[:],
            self.known[:],
            self.jokers[:],
            self.round,
            self.turn,
            tie_break=self.tie_break,
        )

    def take(self, seat: int, direction: str, number: str, kind: str) -> None:
        """A seat takes a line and announces it."""
        grid = self.grids[seat][self.round >= SECOND_GRID]
        self.directions[seat] = direction
        self.kinds[seat] = kind
        for cell in LINES[direction, number]:
            stone = grid[cell]
            if stone is not None:
                self.hands[seat].append(stone)
            grid[cell] = None

    def build(self, seat: int, stone: int, tower: int, replacing: bool) -> None:
        """A seat places a stone or replaces a joker."""
        self.hands[seat].remove(stone)
        self.towers.build(seat, stone, tower, replacing)
        self.show(1 - seat, stone)

    def show(self, seat: int, stone: int) -> None:
        """A seat sees a stone for the first time."""
        if stone == JOKER:
            self.jokers[seat] -= 1
        else:
            self.known[seat] |= 1 << stone

    def rivals(self, seat: int) -> int:
        """The stones that a seat has not seen and that fit what is left of the other's announcement."""
        unseen = ALL & ~self.known[seat]
        if not self.jokers[seat]:
            unseen &= ~GREY_BIT
        kind = self.kinds[1 - seat]
        if not kind:
            return unseen
        alike = 0
        for stone in self.hands[1 - seat]:
            alike |= ALIKE[kind][stone]
        return unseen & alike

    def result(self) -> float:
        """What the end is worth to p1: 1 for a win, 0 for a loss, a half for a draw."""
        towers = self.towers
        for seat in (0, 1):
            if towers.goals[seat] >= INSTANT:
                return 1.0 - seat
        owned = [towers.owners.count(0), towers.owners.count(1)]
        if owned[0] == owned[1] and self.tie_break:
            built = list(zip(towers.totals, towers.owners, strict=True))
            gaps = [sum(GOAL - total for total, owner in built if owner == seat) for seat in (0, 1)]
            owned = [GOAL * GOAL * towers.goals[seat] - gaps[seat] for seat in (0, 1)]
        return 0.5 if owned[0] == owned[1] else float(owned[0] > owned[1])

    def play_out(self, random: Random) -> float:
        """Play to the end, greedily with noise; the result."""
        towers = self.towers
        while True:
            starter = STARTERS[self.round - 1]
            for seat in (starter, 1 - starter):
                if not self.kinds[seat]:
                    self._take_line(seat, random)
            while self.turn < 2 * HAND:
                seat = (starter + self.turn) % 2
                self.turn += 1
                if self._place(seat, random) and towers.goals[seat] >= INSTANT:
                    return self.result()
            if self.round == ROUNDS:
                return self.result()
            self._next_round()

    def _next_round(self) -> None:
        for seat in (0, 1):
            for stone in self.hands[seat]:
                self.show(1 - seat, stone)
            self.hands[seat].clear()
            self.kinds[seat] = ""
        self.round += 1
        self.turn = 0
        if self.round == SECOND_GRID:
            self.directions = [None, None]
            for seat in (0, 1):
                for seen in self.grids[seat][1]:
                    if seen is not None:
                        self.show(seat, seen)

    def _take_line(self, seat: int, random: Random) -> None:
        grid = self.grids[seat][self.round >= SECOND_GRID]
        direction = self.directions[seat]
        lines = [line for line, cells in LINES.items() if direction in (None, line[0]) and grid[cells[0]] is not None]
        if len(lines) == 1:
            line = lines[0]
        elif random.random() < NOISE:
            line = lines[int(random.random() * len(lines))]
        else:
            against = self.rivals(seat)
            worth = [0] * GRID
            for cell, stone in enumerate(grid):
                if stone is not None:
                    ways = placements(self.towers, seat, stone, against)
                    worth[cell] = max(ways)[0] if ways else 0
            line = max(lines, key=lambda each: sum([worth[cell] for cell in LINES[each]]))
        stones = [stone for cell in LINES[line] if (stone := grid[cell]) is not None]
        fewer = len({COLOUR[stone] for stone in stones}) <= len({VALUE[stone] for stone in stones})
        self.take(seat, *line, "colours" if fewer else "numbers")

    def _place(self, seat: int, random: Random) -> bool:
        """The best placement of a hand, or now and then any; whether there was one."""
        against = self.rivals(seat)
        ways = [
            (value, -stone, -tower, replacing)
            for stone in set(self.hands[seat])
            for value, tower, replacing in placements(self.towers, seat, stone, against)
        ]
        if not ways:
            return False
        _, stone, tower, replacing = ways[int(random.random() * len(ways))] if random.random() < NOISE else max(ways)
        self.build(seat, -stone, -tower, replacing)
        return True
