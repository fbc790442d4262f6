"""Ways across the board: what it costs to get from any tile to a row, and what a piece can reach."""

from __future__ import annotations

from collections.abc import Iterable

from games.trap_race.board import PLAINS, SIZE, WALL, WATER, WIDTH, neighbours

FAR = 10_000
"""The distance of what cannot be reached."""


def field(costs: bytes, goals: Iterable[int]) -> list[int]:
    """For every tile the least cost of walking from it to one of the goals, over land without walls.

    A tile that cannot be entered, such as one where a piece stands, still has the cost of leaving it.
    """
    far = [FAR] * SIZE
    now = [tile for tile in goals if costs[tile] < WATER]
    for tile in now:
        far[tile] = 0
    soon: list[int] = []
    later: list[int] = []
    distance = 0
    while now or soon:
        for tile in now:
            cost = costs[tile]
            if far[tile] != distance or cost >= WATER:
                continue
            total = distance + cost
            bucket = soon if cost == PLAINS else later
            near = tile + WIDTH
            if far[near] > total:
                far[near] = total
                bucket.append(near)
            near = tile - WIDTH
            if far[near] > total:
                far[near] = total
                bucket.append(near)
            near = tile + 1
            if far[near] > total:
                far[near] = total
                bucket.append(near)
            near = tile - 1
            if far[near] > total:
                far[near] = total
                bucket.append(near)
        now, soon, later = soon, later, []
        distance += 1
    return far


def walled(costs: bytes, tiles: Iterable[int]) -> bytes:
    """The same costs with walls on these tiles; tile 0, where pieces off the board are, has one anyway."""
    grid = bytearray(costs)
    for tile in tiles:
        grid[tile] = WALL
    return bytes(grid)


def reach(grid: bytes, start: int, budget: int) -> dict[int, tuple[int, int]]:
    """The tiles that can be reached for at most `budget`: each with its cost and the tile before it on the way."""
    found = {start: (0, start)}
    rings: list[list[int]] = [[] for _ in range(budget + 1)]
    rings[0].append(start)
    for spent, ring in enumerate(rings):
        for tile in ring:
            if found[tile][0] != spent:
                continue
            for near in neighbours(tile):
                total = spent + grid[near]
                if grid[near] < WATER and total <= budget and (near not in found or found[near][0] > total):
                    found[near] = (total, tile)
                    rings[total].append(near)
    del found[start]
    return found


def downhill(far: list[int], costs: bytes, start: int, steps: int) -> list[int]:
    """The first tiles of a cheapest way from a tile to the goals of a field."""
    way: list[int] = []
    tile = start
    while len(way) < steps and far[tile]:
        ahead = [near for near in neighbours(tile) if costs[near] < WATER and far[near] + costs[near] == far[tile]]
        if not ahead:
            break
        tile = ahead[0]
        way.append(tile)
    return way
