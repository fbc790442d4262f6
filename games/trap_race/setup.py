"""The setup: placing pieces, hiding traps, and what chance does once both sides are done."""

from __future__ import annotations

from collections.abc import Iterator

from games.api import Event
from games.chance import Draws
from games.trap_race.actions import PIECE, TRAP, no_setup_trap
from games.trap_race.board import HOME, NEUTRAL_ROW, PICKUP_TILES, SEATS, TEXT, TRAPPING, WATER
from games.trap_race.options import NEUTRAL_TRAPS, PIECES, TRAPS
from games.trap_race.state import Pickup, State, Tiles, living, with_walls


def trap_tiles(state: State, seat: int) -> Iterator[int]:
    """The tiles on which a seat may still hide a trap, row by row."""
    live, boxes = state.live[seat], [box.tile for box in state.boxes]
    if len(live) == TRAPS:
        return
    full = len(live & NEUTRAL_ROW) == NEUTRAL_TRAPS
    for tile in TRAPPING[seat]:
        if (
            state.terrain[tile] < WATER
            and tile not in live
            and tile not in boxes
            and not (full and tile in NEUTRAL_ROW)
        ):
            yield tile


def legal(state: State, seat: int) -> tuple[str, ...]:
    """The setup's legal actions: pieces and traps row by row, `auto`."""
    pieces = state.pieces[seat]
    free = [PIECE[tile] for tile in HOME[seat] if tile not in pieces] if living(state, seat) < PIECES else []
    return (*free, *(TRAP[tile] for tile in trap_tiles(state, seat)), "auto")


def place(state: State, seat: int, tile: int, events: list[Event]) -> State:
    """The next piece goes on a tile."""
    own = state.pieces[seat]
    number = PIECES - own.count(0) + 1
    own = (*own[: number - 1], tile, *own[number:])
    pieces = (own, state.pieces[1]) if seat == 0 else (state.pieces[0], own)
    events.append(Event("piece", (SEATS[seat],), {"seat": SEATS[seat], "piece": str(number), "tile": TEXT[tile]}))
    return state._replace(pieces=pieces, grid=with_walls(state.terrain, pieces))


def hide(state: State, seat: int, tile: int, events: list[Event]) -> State:
    """A trap is hidden on a tile."""
    events.append(Event("trap", (SEATS[seat],), {"seat": SEATS[seat], "tile": TEXT[tile]}))
    return state._replace(live=with_tile(state.live, seat, tile))


def with_tile(traps: tuple[Tiles, Tiles], seat: int, tile: int) -> tuple[Tiles, Tiles]:
    """Traps by seat with one more."""
    return (traps[0] | {tile}, traps[1]) if seat == 0 else (traps[0], traps[1] | {tile})


def auto(state: State, seat: int, events: list[Event]) -> State:
    """The rest is placed by chance. Both shuffles always happen, so that the draws do not tell what was left to do."""
    draws = Draws(state.seed, state.drawn)
    homes = list(HOME[seat])
    draws.shuffle(homes)
    land = [tile for tile in TRAPPING[seat] if state.terrain[tile] < WATER]
    draws.shuffle(land)
    taken = state.pieces[seat]
    for tile in [tile for tile in homes if tile not in taken][: PIECES - living(state, seat)]:
        state = place(state, seat, tile, events)
    for tile in land:
        if no_setup_trap(state, seat, tile) is None:
            state = hide(state, seat, tile, events)
    return state._replace(drawn=draws.drawn)


def finish(state: State, seat: int, events: list[Event]) -> State:
    """Once all is placed the other side sets up; after both, the pickup is hidden and the race begins."""
    if living(state, seat) < PIECES or len(state.live[seat]) < TRAPS:
        return state
    events.append(Event("setup_done", "all", {"seat": SEATS[seat]}))
    if seat == 0:
        return state._replace(to_act=1)
    draws = Draws(state.seed, state.drawn)
    kind = "trap" if draws.below(0.5) else "terraform"
    taken = {box.tile for box in state.boxes} | state.live[0] | state.live[1]
    tile = draws.choice([tile for tile in PICKUP_TILES if state.terrain[tile] < WATER and tile not in taken])
    events.append(Event("begin", "all", {"seat": SEATS[state.first]}))
    return state._replace(drawn=draws.drawn, phase="turn", to_act=state.first, turn=1, pickup=Pickup(tile, kind, False))
