"""What chance makes before the players come: terrain that both sides can cross, boxes, biome, who begins."""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

from games.chance import Draws
from games.trap_race.board import (
    COLUMNS,
    FOREST,
    GOAL,
    NEUTRAL,
    PLAINS,
    SIZE,
    TILES,
    WALL,
    WATER,
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

    By Menger's theorem that is so if as many paths between them share no tile; each is found as an augmenting path.
    """
    flow = _Flow(terrain)
    return all(flow.augment() for _ in range(LEAST_CUT))


class _Flow:
    """Paths from row 0 to row 30 that share no tile, as a flow through tiles that each carry one.

    A tile is two nodes, its way in (`2 * tile`) and its way out (`2 * tile + 1`). `onward` and `back` say for each node
    on a path which one comes after and before it.
    """

    SOURCE, SINK = -2, -1

    def __init__(self, terrain: bytes) -> None:
        self.terrain = terrain
        self.onward: dict[int, int] = {}
        self.back: dict[int, int] = {}

    def augment(self) -> bool:
        """Add a path, leading others another way where needed; False if there is none."""
        starts = (2 * tile for tile in sorted(GOAL[1]) if self.terrain[tile] < WATER and 2 * tile not in self.back)
        came = dict.fromkeys(starts, self.SOURCE)
        queue = deque(came)
        while queue:
            node = queue.popleft()
            for step in self._steps(node):
                if step == self.SINK:
                    self._add(node, came)
                    return True
                if step not in came:
                    came[step] = node
                    queue.append(step)
        return False

    def _steps(self, node: int) -> list[int]:
        """Where a walk may go on: along what carries nothing yet, or against what carries a path."""
        tile, out = divmod(node, 2)
        steps = []
        if node in self.back and self.back[node] != self.SOURCE:
            steps.append(self.back[node])
        if not out:
            ahead = [node + 1]
        elif tile in GOAL[0]:
            ahead = [self.SINK]
        else:
            ahead = [2 * step for step in neighbours(tile) if self.terrain[step] < WATER]
        return steps + [step for step in ahead if self.onward.get(node) != step]

    def _add(self, last: int, came: dict[int, int]) -> None:
        walk = [self.SINK, last]
        while walk[-1] != self.SOURCE:
            walk.append(came[walk[-1]])
        pairs = list(zip(walk[1:], walk, strict=False))
        for node, step in pairs:
            if self.back.get(node) == step:
                del self.onward[step], self.back[node]
                pairs = [pair for pair in pairs if pair != (node, step)]
        for node, step in pairs:
            if node != self.SOURCE:
                self.onward[node] = step
            if step != self.SINK:
                self.back[step] = node
