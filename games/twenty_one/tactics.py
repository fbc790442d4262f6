"""How a placement is valued: the rulebook's `greedy`, worked out from what a seat sees.

Values are whole hundredths, so that ties are ties on every machine. Sets of stones are bit masks, one bit a stone.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from games.api import Json
from games.twenty_one.stones import COLOUR, COLOURS, FITS, GOAL, INDEX, JOKER, NUMBERS, SEATS, STONES, VALUE

ALL = (1 << len(STONES)) - 1
GREY_BIT = 1 << JOKER
NAMED: Mapping[str, Sequence[str | int]] = {"colours": COLOUR, "numbers": VALUE}
"""What each stone is announced as, by kind of announcement."""
ALIKE: Mapping[str, Sequence[int]] = {
    kind: tuple(sum(1 << other for other, named in enumerate(names) if named == name) for name in names)
    for kind, names in NAMED.items()
}
"""The stones that are announced as a stone is, by kind of announcement and stone."""
MAKES = tuple(
    tuple(
        sum(1 << stone for stone in range(JOKER) if tower in FITS[stone] and VALUE[stone] == gap)
        for gap in range(GOAL + len(NUMBERS) + 1)
    )
    for tower in range(len(COLOURS))
)
"""The coloured stones that fit a tower and count exactly so much."""
WITHIN = tuple(tuple(sum(masks[: gap + 1]) for gap in range(len(masks))) for masks in MAKES)
"""The coloured stones that fit a tower and count at most so much."""


class Towers:
    """The towers as far as placing goes: totals, owners (-1: nobody), what the top counts and whether it is a joker.

    `goals` are the towers of exactly 21 that each seat owns.
    """

    __slots__ = ("counts", "goals", "grey", "owners", "totals")

    def __init__(
        self, totals: list[int], owners: list[int], counts: list[int], grey: list[bool], goals: list[int]
    ) -> None:
        self.totals = totals
        self.owners = owners
        self.counts = counts
        self.grey = grey
        self.goals = goals

    @classmethod
    def seen(cls, view: Json) -> Towers:
        """The towers of a view."""
        towers = [view["towers"][colour] for colour in COLOURS]
        totals = [sum(layer["counts"] for layer in tower) for tower in towers]
        owners = [SEATS.index(tower[-1]["by"]) if tower else -1 for tower in towers]
        made = [owner for total, owner in zip(totals, owners, strict=True) if total == GOAL]
        return cls(
            totals,
            owners,
            [tower[-1]["counts"] if tower else 0 for tower in towers],
            [bool(tower) and tower[-1]["stone"] == STONES[JOKER] for tower in towers],
            [made.count(0), made.count(1)],
        )

    def copy(self) -> Towers:
        """Towers that can be built on without changing these."""
        return Towers(self.totals[:], self.owners[:], self.counts[:], self.grey[:], self.goals[:])

    def build(self, seat: int, stone: int, tower: int, replacing: bool) -> None:
        """Place a stone, or replace the joker on top; it must be legal."""
        value = VALUE[stone] or self.counts[tower]
        self.totals[tower] += value - self.counts[tower] if replacing else value
        self.owners[tower] = seat
        self.counts[tower] = value
        self.grey[tower] = stone == JOKER
        if self.totals[tower] == GOAL:
            self.goals[seat] += 1


def placements(towers: Towers, seat: int, stone: int, rivals: int) -> list[tuple[int, int, bool]]:
    """Every way to place a stone or to replace a joker by it: (value in hundredths, tower, whether it replaces).

    `rivals` are the unseen stones that fit what is left of the other's announcement.
    """
    ways = []
    totals, owners, tops = towers.totals, towers.owners, towers.counts
    grey = stone == JOKER
    for tower in FITS[stone]:
        on_joker = towers.grey[tower]
        counts = tops[tower] if grey else VALUE[stone]
        total = totals[tower] + counts
        replacing = False
        if grey and (on_joker or not counts):
            continue
        if total > GOAL:
            if not on_joker or counts <= tops[tower] or total - tops[tower] > GOAL:
                continue
            replacing = True
            total -= tops[tower]
        value = 2 * counts
        owner = owners[tower]
        if owner < 0:
            value += 200
        elif owner != seat:
            value += 400
        elif total < GOAL:
            value -= 50
        if total == GOAL:
            value += 1200 + 600 * towers.goals[seat]
        else:
            gap = GOAL - total
            if grey:
                makes, fills = MAKES[tower][gap] | MAKES[tower][gap + counts], WITHIN[tower][gap]
            else:
                makes = MAKES[tower][gap] | GREY_BIT if gap == counts else MAKES[tower][gap]
                fills = WITHIN[tower][gap] | GREY_BIT if gap >= counts else WITHIN[tower][gap]
            if rivals & makes:
                value -= 500 + 400 * towers.goals[1 - seat]
            elif rivals & fills:
                value -= 100
            if gap > NUMBERS[-1]:
                value -= 50
        ways.append((value, tower, replacing))
    return ways


def mask(stones: list[str]) -> int:
    """The set of these stones, by name."""
    found = 0
    for name in stones:
        found |= 1 << INDEX[name]
    return found


def seen_stones(view: Json, seat: str) -> list[str]:
    """Every stone that a seat sees: in towers, among discards and jokers out, in its own grid and hand."""
    shown = [layer["stone"] for tower in view["towers"].values() for layer in tower]
    shown += view["out"]
    for name in SEATS:
        shown += view["discards"][name]
    own = [stone for grid in view["grids"][seat] for stone in grid] + view["hands"][seat]
    return shown + [stone for stone in own if stone in INDEX]


def rivals(view: Json, seat: str) -> int:
    """The unseen stones that fit what is left of the other's announcement; all that are unseen before there is one."""
    shown = seen_stones(view, seat)
    unseen = ALL & ~mask([stone for stone in shown if stone != STONES[JOKER]])
    if shown.count(STONES[JOKER]) == 2 * view["options"]["jokers"]:
        unseen &= ~GREY_BIT
    announced = view["announced"][SEATS[1 - SEATS.index(seat)]]
    if announced is None:
        return unseen
    return unseen & fitting(announced["kind"], announced["left"])


def fitting(kind: str, items: Collection[str | int]) -> int:
    """The stones that are announced as one of these items."""
    return sum(1 << stone for stone, name in enumerate(NAMED[kind]) if name in items)
