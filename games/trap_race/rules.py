"""The rules of the trap race: starting, the legal actions, and which action does what."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from games.api import BadStart, Event, IllegalAction, Outcome, Seat, Step
from games.chance import SEED_LIMIT, Draws
from games.faults import first_fault, quoted
from games.trap_race import setup, turn
from games.trap_race.actions import KNOWN, MOVES, NERFS, TERRAFORM, TRAP, Action, budget, objection, read
from games.trap_race.board import PLAINS, SEATS, TILES, WALL, WATER, WIDTH, neighbours
from games.trap_race.options import NERF_COST, PIECE_POINTS, POOL, POWER_COST, read_options
from games.trap_race.state import State, Tiles
from games.trap_race.terrain import make

NO_TILES: Tiles = frozenset()
NO_NUMBERS: frozenset[int] = frozenset()


def start(seats: tuple[Seat, ...], options: Any, seed: int) -> Step:
    """A new match: terrain, boxes, biome and who begins are drawn; south sets up. Raises `BadStart`."""
    if tuple(seats) != SEATS:
        raise BadStart(f"seats: must be exactly {', '.join(SEATS)}, in this order")
    if type(seed) is not int or not 0 <= seed < SEED_LIMIT:
        raise BadStart(f"seed: must be a whole number from 0 to {SEED_LIMIT - 1}")
    try:
        settings = read_options(options)
    except ValidationError as error:
        raise BadStart(first_fault(error, "options")) from None
    draws = Draws(seed)
    world = make(draws, settings.water, settings.forest)
    state = State(
        options=settings,
        seed=seed,
        drawn=draws.drawn,
        phase="setup",
        to_act=0,
        turn=0,
        terrain=world.terrain,
        grid=world.terrain,
        biome=world.biome,
        first=world.first,
        boxes=world.boxes,
        pickup=None,
        pieces=(turn.NONE_SPENT, turn.NONE_SPENT),
        gone=(0, 0),
        score=(0, 0),
        live=(NO_TILES, NO_TILES),
        sprung=(NO_TILES, NO_TILES),
        relaid=(0, 0),
        known=(NO_TILES, NO_TILES),
        held=(0, 0),
        coming=(0, 0),
        pool=POOL,
        spent=turn.NONE_SPENT,
        bonus=turn.NONE_SPENT,
        bridge=(NO_NUMBERS, NO_NUMBERS),
        sense=NO_NUMBERS,
        power=None,
        marks=(),
    )
    return Step(state, (Event("terrain", "all", {}),))


def legal(state: State) -> tuple[str, ...]:
    """Every legal action of the seat to act, in the rulebook's order; empty when over."""
    seat = state.to_act
    if seat is None:
        return ()
    if state.phase == "setup":
        return setup.legal(state, seat)
    actions: list[str] = []
    grid, pool, spent, bonus = state.grid, state.pool, state.spent, state.bonus
    for index, tile in enumerate(state.pieces[seat]):
        if not tile:
            continue
        left = PIECE_POINTS - spent[index]
        left = (left if left < pool else pool) + bonus[index]
        if left > 0:
            north, south, east, west = MOVES[index + 1]
            if grid[tile + WIDTH] <= left:
                actions.append(north[0])
            if grid[tile - WIDTH] <= left:
                actions.append(south[0])
            if grid[tile + 1] <= left:
                actions.append(east[0])
            if grid[tile - 1] <= left:
                actions.append(west[0])
    if state.bridge[seat]:
        actions = _moves_with_bridges(state, seat)
    if pool >= NERF_COST and state.held[seat]:
        own = set(state.pieces[seat])
        actions += [
            NERFS[number]
            for number, tile in enumerate(state.pieces[1 - seat], start=1)
            if tile and not own.isdisjoint(neighbours(tile))
        ]
    if state.power is not None and pool >= POWER_COST:
        actions += _powers(state, seat)
    actions.append("end")
    return tuple(actions)


def _moves_with_bridges(state: State, seat: int) -> list[str]:
    actions = []
    for number, tile in enumerate(state.pieces[seat], start=1):
        if tile:
            left = budget(state, number)
            bridged = number in state.bridge[seat]
            for text, step in MOVES[number]:
                cost = state.grid[tile + step]
                if cost <= left or (cost == WATER and bridged and left >= PLAINS):
                    actions.append(text)
    return actions


def _powers(state: State, seat: int) -> list[str]:
    if state.power == "terraform":
        return [TERRAFORM[tile] for tile in TILES if state.terrain[tile] != PLAINS]
    live, boxes = state.live[seat], [box.tile for box in state.boxes]
    return [TRAP[tile] for tile in TILES if state.grid[tile] != WALL and tile not in live and tile not in boxes]


def apply(state: State, action: str) -> Step:
    """Play an action. Raises `IllegalAction` (also when the match is over) or `UnreadableAction`."""
    wanted = KNOWN.get(action) or read(action)
    reason = wanted if isinstance(wanted, str) else objection(state, wanted)
    seat = state.to_act
    if reason or seat is None or isinstance(wanted, str):
        raise IllegalAction(f"{quoted(action)} cannot be played: {reason}")
    if state.phase == "setup":
        return _set_up(state, seat, wanted)
    match wanted.verb:
        case "move":
            state, events = turn.move(state, seat, wanted.number, wanted.value)
        case "nerf":
            state, events = turn.nerf(state, seat, wanted.number)
        case "trap":
            state, events = turn.extra_trap(state, seat, wanted.value)
        case "terraform":
            state, events = turn.terraform(state, seat, wanted.value)
        case _:
            state, events = turn.end(state, seat)
    return Step(state, events)


def _set_up(state: State, seat: int, wanted: Action) -> Step:
    events: list[Event] = []
    match wanted.verb:
        case "piece":
            state = setup.place(state, seat, wanted.value, events)
        case "trap":
            state = setup.hide(state, seat, wanted.value, events)
        case _:
            state = setup.auto(state, seat, events)
    return Step(setup.finish(state, seat, events), tuple(events))


def outcome(state: State) -> Outcome | None:
    """How it ended, derived from the position."""
    if state.phase != "over":
        return None
    winner, reason = turn.verdict(state, capped=True) or (None, "draw")
    if winner is None:
        return Outcome(SEATS, dict.fromkeys(SEATS, 1), reason)
    return Outcome((SEATS[winner],), {name: 1 if seat == winner else 2 for seat, name in enumerate(SEATS)}, reason)


def longest(seats: tuple[Seat, ...], options: Any) -> int:
    """Setting up takes 25 actions a side, a turn at most ten paid steps, two free ones and its end."""
    return 25 * len(seats) + 13 * read_options(options).cap


def to_act(state: State) -> Seat | None:
    """Whose decision it is; None when the match is over."""
    return None if state.to_act is None else SEATS[state.to_act]


def alive(state: State) -> tuple[Seat, ...]:  # noqa: ARG001 - every game is asked with a state
    """Both seats: nobody goes out before the end."""
    return SEATS
