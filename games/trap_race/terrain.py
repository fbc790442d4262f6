"""What chance makes before the players come: terrain that both sides can cross, boxes, biome, who begins."""

from __future__ import annotations

from typing import NamedTuple

from games.chance import Draws
from games.trap_race.board import (
    COLUMNS,
    FOREST,
    GOAL,
    NEUTRAL,
    PLAINS,
    ROWS,
    SIZE,
    TILES,
    WALL,
    WATER,
    WIDTH,
    column_of,
    neighbours,
    row_of,
    tile_at,
    turned,
)
from games.trap_race.state import Box

LEAST_CUT = 4
"""So many land tiles at least it must take to cut the two goal rows apart."""
BIOMES = ("grass", "desert", "ice")
_CONTENTS = ((0.40, "steps"), (0.65, "bridge"), (0.90, "sense"), (1.0, "booby"))
_BOX_TILES = tuple(tile for tile in TILES if 5 <= row_of(tile) <= 12 and 3 <= column_of(tile) <= 26)
_EAST_EDGE = frozenset(tile_at(row, COLUMNS - 1) for row in range(ROWS))
_AROUND = tuple(row + step for row in (-WIDTH, 0, WIDTH) for step in (-1, 0, 1) if row or step)
_DRAWN = tuple(
    tile_at(row, column)
    for row in range(3, NEUTRAL + 1)
    for column in range(COLUMNS if row < NEUTRAL else COLUMNS // 2)
)
"""The tiles that have a draw of their own, in its order; each mirror image follows its original."""


class World(NamedTuple):
    """What chance settles before the setup. `first` is the index of the seat that begins."""

    terrain: bytes
    boxes: tuple[Box, Box]
    biome: str
    first: int


def make(draws: Draws, water: float, forest: float) -> World:
    """A new world: terrain drawn until it can be crossed, two boxes, the biome, who begins."""
    while not crossable(terrain := _terrain(draws, water, forest)):
        pass
    reached = reachable(terrain)
    terrain = bytes(WATER if cost < WATER and tile not in reached else cost for tile, cost in enumerate(terrain))
    places = [tile for tile in _BOX_TILES if terrain[tile] < WATER]
    place = draws.choice(places)
    boxes = (Box(place, _contents(draws), False), Box(turned(place), _contents(draws), False))
    return World(terrain, boxes, BIOMES[draws.pick(len(BIOMES))], draws.pick(2))


def _terrain(draws: Draws, water: float, forest: float) -> bytes:
    costs = bytearray([WALL]) * SIZE
    for tile in TILES:
        costs[tile] = PLAINS
    for tile in _DRAWN:
        u = draws.next() / 2**64
        cost = WATER if u < water else FOREST if u < water + forest else PLAINS
        costs[tile] = costs[turned(tile)] = cost
    return bytes(costs)


def _contents(draws: Draws) -> str:
    u = draws.next() / 2**64
    return next(holds for limit, holds in _CONTENTS if u < limit)


def reachable(terrain: bytes) -> frozenset[int]:
    """The land that row 0 can reach over land, and its own."""
    found = {tile for tile in GOAL[1] if terrain[tile] < WATER}
    waiting = list(found)
    while waiting:
        for tile in neighbours(waiting.pop()):
            if terrain[tile] < WATER and tile not in found:
                found.add(tile)
                waiting.append(tile)
    return frozenset(found)


def crossable(terrain: bytes) -> bool:
    """Whether it takes at least `LEAST_CUT` land tiles to cut row 0 off from row 30.

    What cuts them apart is a chain of tiles from the west edge to the east edge, each next to the one before or
    diagonal to it, all water or taken away. So the least cut is the chain with the fewest land tiles.
    """
    chained = bytearray(SIZE)
    ahead = [tile_at(row, 0) for row in range(ROWS)]
    taken: list[int] = []
    for _ in range(LEAST_CUT):
        for tile in taken:
            if tile in _EAST_EDGE:
                return False
            ahead += [tile + step for step in _AROUND]
        taken = []
        while ahead:
            tile = ahead.pop()
            if chained[tile] or terrain[tile] == WALL:
                continue
            chained[tile] = 1
            if terrain[tile] < WATER:
                taken.append(tile)  # to be taken away in the next round, for one more
            elif tile in _EAST_EDGE:
                return False
            else:
                ahead += [tile + step for step in _AROUND]
    return True
