"""Start positions by name. Terrain and who begins come from the seed; what a scenario shows is alike for both sides."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

from games.api import BadStart, Json, Scenario, Seat
from games.chance import Draws
from games.trap_race.board import (
    HOME,
    NEUTRAL_ROW,
    PLAINS,
    TILES,
    TRAPPING,
    WATER,
    column_of,
    row_of,
    tile_at,
    turned,
)
from games.trap_race.options import NEUTRAL_TRAPS, PIECES, TRAPS
from games.trap_race.rules import apply, start
from games.trap_race.state import Box, Pickup, State, dump, with_walls

BOX = tile_at(22, 8)
"""Where the box that south can open stands in every scenario but `opening`; north's is its mirror image."""
PICKUP = tile_at(7, 4)


def opening(seats: tuple[Seat, ...], options: Any, seed: int) -> Json:
    """Both sides are set up by chance; the race begins."""
    return dump(_opening(seats, options, seed))


def box_race(seats: tuple[Seat, ...], options: Any, seed: int) -> Json:
    """Each side has three pieces within a turn or two of the box that it can open; what it holds is drawn."""
    runners = [tile_at(19, 8), tile_at(20, 6), tile_at(19, 10)]
    return dump(_scene(seats, options, seed, runners, plain=_around(BOX, 4)))


def nerf_range(seats: tuple[Seat, ...], options: Any, seed: int) -> Json:
    """Each side holds a token and has pieces next to the other's; each has one piece home already."""
    pieces = [tile_at(15, 14), tile_at(16, 15), tile_at(13, 11)]
    state = _scene(seats, options, seed, pieces, plain=_around(tile_at(15, 14), 5), home=PIECES - len(pieces) - 1)
    return dump(state._replace(score=(1, 1), held=(1, 1)))


def last_five(seats: tuple[Seat, ...], options: Any, seed: int) -> Json:
    """Each side has five pieces left, none home: the next one lost loses the match."""
    pieces = [tile_at(21, 3), tile_at(22, 12), tile_at(23, 17), tile_at(22, 22), tile_at(20, 27)]
    state = _scene(seats, options, seed, pieces, home=0)
    return dump(state._replace(gone=(PIECES - len(pieces),) * 2))


def bridge_crossing(seats: tuple[Seat, ...], options: Any, seed: int) -> Json:
    """Each side has a piece with a bridge before a river one tile wide, and others for whom it is a long way round."""
    state = _opening(seats, options, seed)
    if state.options.water == 0:
        raise BadStart("options.water: bridge_crossing needs more than 0, since it has a river")
    river = [tile_at(25, column) for column in range(4, 26)]
    pieces = [tile_at(24, 14), tile_at(24, 9), tile_at(23, 19)]
    banks = [tile_at(row, column) for row in (22, 23, 24, 26) for column in range(3, 27)]
    state = _scene(seats, options, seed, pieces, plain=banks, river=river)
    boxes = tuple(box._replace(holds="bridge", open=True) for box in state.boxes)
    return dump(state._replace(boxes=boxes, bridge=(frozenset({1}),) * 2))


def trap_alley(seats: tuple[Seat, ...], options: Any, seed: int) -> Json:
    """The only way leads through an alley four tiles wide in which six traps lie; each side has sensed two of them."""
    state = _opening(seats, options, seed)
    if state.options.water == 0:
        raise BadStart("options.water: trap_alley needs more than 0, since water leaves the alley alone")
    alley = [tile_at(row, column) for row in range(18, 22) for column in range(13, 17)]
    river = [tile_at(row, column) for row in range(18, 22) for column in range(30) if not 13 <= column <= 16]
    pieces = [tile_at(17, column) for column in range(12, 18)]
    mouth = [tile_at(row, column) for row in (16, 17, 22) for column in range(10, 20)]
    hidden = [tile_at(18, 14), tile_at(19, 13), tile_at(19, 16), tile_at(20, 15), tile_at(21, 13), tile_at(21, 16)]
    state = _scene(seats, options, seed, pieces, plain=alley + mouth, river=river, hidden=hidden)
    sensed = frozenset(hidden[:2])
    boxes = tuple(box._replace(holds="sense", open=True) for box in state.boxes)
    return dump(state._replace(boxes=boxes, known=(sensed, frozenset(map(turned, sensed)))))


def _opening(seats: tuple[Seat, ...], options: Any, seed: int) -> State:
    state = cast("State", start(seats, options, seed).state)
    return cast("State", apply(apply(state, "auto").state, "auto").state)


def _around(tile: int, reach: int) -> list[int]:
    return [
        each
        for each in TILES
        if abs(row_of(each) - row_of(tile)) <= reach and abs(column_of(each) - column_of(tile)) <= reach
    ]


def _scene(
    seats: tuple[Seat, ...],
    options: Any,
    seed: int,
    pieces: list[int],
    *,
    plain: Iterable[int] = (),
    river: Iterable[int] = (),
    hidden: Iterable[int] = (),
    home: int | None = None,
) -> State:
    """A race on the seed's terrain in which both sides stand alike.

    South's pieces 1, 2, ... stand on `pieces`, `home` more (default: all others) on its home rows; `plain` and `river`
    are made plains and water; north has traps on `hidden`, the others lie by chance on tiles that none of this touches.
    South's view is described: north's is its mirror image.
    """
    opened = _opening(seats, options, seed)
    draws = Draws(seed, opened.drawn)
    terrain = bytearray(opened.terrain)
    touched = {BOX, turned(BOX), PICKUP, *pieces, *map(turned, pieces)}
    for tiles, cost in ((plain, PLAINS), (river, WATER), ([BOX, PICKUP, *pieces], PLAINS)):
        for tile in tiles:
            terrain[tile] = terrain[turned(tile)] = cost
            touched |= {tile, turned(tile)}
    own = (*pieces, *HOME[0][8 : 8 + (PIECES - len(pieces) if home is None else home)])
    own += (0,) * (PIECES - len(own))
    both = (own, tuple(turned(tile) if tile else 0 for tile in own))
    live = frozenset(_hidden(draws, terrain, list(hidden), touched))
    kinds = [box.holds for box in opened.boxes]
    return opened._replace(
        drawn=draws.drawn,
        terrain=bytes(terrain),
        grid=with_walls(bytes(terrain), ([tile for tile in side if tile] for side in both)),
        boxes=(Box(turned(BOX), kinds[0], False), Box(BOX, kinds[1], False)),
        pickup=Pickup(PICKUP, opened.pickup.kind if opened.pickup else "trap", False),
        pieces=both,
        live=(frozenset(map(turned, live)), live),
    )


def _hidden(draws: Draws, terrain: bytearray, traps: list[int], touched: set[int]) -> list[int]:
    """North's traps: those given, and as many more as it may have, by chance."""
    land = [tile for tile in TRAPPING[1] if terrain[tile] < WATER and tile not in touched]
    draws.shuffle(land)
    neutral = 0
    for tile in land:
        if tile in NEUTRAL_ROW:
            # The mirror image of a trap in row 15 lies there too, where both sides may have one.
            neutral += 1
            if neutral > NEUTRAL_TRAPS:
                continue
        if len(traps) < TRAPS:
            traps.append(tile)
    return traps


SCENARIOS: Mapping[str, Scenario] = {
    "opening": opening,
    "box_race": box_race,
    "nerf_range": nerf_range,
    "last_five": last_five,
    "bridge_crossing": bridge_crossing,
    "trap_alley": trap_alley,
}
"""The start positions by the names that a tournament file uses."""
