"""A turn: steps with all that they set off, nerfs, powers, and the turn's end."""

from __future__ import annotations

from typing import Any

from games.api import Event
from games.trap_race.actions import price
from games.trap_race.board import GOAL, HALF, PLAINS, SEATS, TEXT, WALL, WATER, neighbours
from games.trap_race.options import GOALS, NERF_COST, PIECES, POOL, POWER_COST, STEPS, TOKENS
from games.trap_race.setup import with_tile
from games.trap_race.state import (
    Mark,
    State,
    Tiles,
    living,
    names,
    pair,
    pickup_json,
    traps_json,
)

NONE_SPENT = (0,) * PIECES


def _event(kind: str, **fields: Any) -> Event:
    return Event(kind, "all", fields)


def _private(to: int, kind: str, **fields: Any) -> Event:
    return Event(kind, (SEATS[to],), fields)


def _without(traps: tuple[Tiles, Tiles], seat: int, tile: int) -> tuple[Tiles, Tiles]:
    return (traps[0] - {tile}, traps[1]) if seat == 0 else (traps[0], traps[1] - {tile})


def _set(values: tuple[int, ...], number: int, value: int) -> tuple[int, ...]:
    return (*values[: number - 1], value, *values[number:])


def _side(pieces: tuple[tuple[int, ...], ...], seat: int, own: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    return (own, pieces[1]) if seat == 0 else (pieces[0], own)


def move(state: State, seat: int, number: int, step: int) -> tuple[State, tuple[Event, ...]]:
    """A step that was found legal, with all that it sets off, in the rulebook's order."""
    own = state.pieces[seat]
    old = own[number - 1]
    to = old + step
    cost = price(state, seat, number, to)
    free = min(state.bonus[number - 1], cost)
    paid = cost - free
    grid = bytearray(state.grid)
    grid[old] = state.terrain[old]
    grid[to] = WALL
    wet = state.terrain[to] == WATER
    # Written out rather than by `_replace`, which takes several times as long: this is what most actions are.
    state = State(
        state.options, state.seed, state.drawn, state.phase, state.to_act, state.turn, state.terrain, bytes(grid),
        state.biome, state.first, state.boxes, state.pickup,
        _side(state.pieces, seat, (*own[: number - 1], to, *own[number:])),
        state.gone, state.score, state.live, state.sprung, state.relaid, state.known, state.held, state.coming,
        state.pool - paid,
        _set(state.spent, number, state.spent[number - 1] + paid) if paid else state.spent,
        _set(state.bonus, number, state.bonus[number - 1] - free) if free else state.bonus,
        _less(state.bridge, seat, number) if wet else state.bridge,
        state.sense, state.power, state.marks,
    )  # fmt: skip
    stepped = _event("move", seat=SEATS[seat], piece=str(number), **{"from": TEXT[old], "to": TEXT[to]}, cost=cost)
    if (
        to not in state.live[1 - seat]
        and to not in GOAL[seat]
        and number not in state.sense
        and to not in _attractions(state)
    ):
        return state, (stepped,)
    events = [stepped]
    state = _arrive(state, seat, number, to, events)
    return _judge(state, events), tuple(events)


def _attractions(state: State) -> tuple[int, ...]:
    """Where something may lie to be picked up."""
    boxes = (state.boxes[0].tile, state.boxes[1].tile)
    return boxes if state.pickup is None else (*boxes, state.pickup.tile)


def _less(bridge: tuple[frozenset[int], frozenset[int]], seat: int, number: int) -> Any:
    return (bridge[0] - {number}, bridge[1]) if seat == 0 else (bridge[0], bridge[1] - {number})


def _arrive(state: State, seat: int, number: int, tile: int, events: list[Event]) -> State:
    """What a tile does to the piece that has just stepped on it."""
    enemy = 1 - seat
    if tile in state.live[enemy]:
        events.append(_event("sprung", seat=SEATS[seat], piece=str(number), tile=TEXT[tile]))
        state = state._replace(
            live=_without(state.live, enemy, tile),
            sprung=with_tile(state.sprung, enemy, tile),
            known=_without(state.known, seat, tile),
            relaid=pair(state.relaid, enemy, -tile) if state.relaid[enemy] == tile else state.relaid,
        )
        return _lost(state, seat, number)
    box = next((box for box in state.boxes if box.tile == tile and not box.open), None)
    if box is not None and tile in HALF[enemy]:
        events.append(_event("box", seat=SEATS[seat], piece=str(number), tile=TEXT[tile], holds=box.holds))
        state = state._replace(boxes=tuple(each._replace(open=True) if each == box else each for each in state.boxes))
        if box.holds == "booby":
            return _lost(state, seat, number)
        state = _gift(state, seat, number, box.holds)
    pickup = state.pickup
    if pickup is not None and pickup.tile == tile and not pickup.found:
        events.append(_event("found", seat=SEATS[seat], tile=TEXT[tile]))
        events.append(_private(seat, "power", seat=SEATS[seat], holds=pickup.kind))
        state = state._replace(pickup=pickup._replace(found=True), power=pickup.kind)
    if number in state.sense:
        new = state.live[enemy].intersection(neighbours(tile)) - state.known[seat]
        if new:
            events.append(_private(seat, "sensed", tiles=names(new)))
            known = state.known[seat] | new
            state = state._replace(known=(known, state.known[1]) if seat == 0 else (state.known[0], known))
    if tile in GOAL[seat] and state.terrain[tile] != WATER:
        state = _score(state, seat, number, events)
    return state


def _gift(state: State, seat: int, number: int, holds: str) -> State:
    if holds == "steps":
        return state._replace(bonus=_set(state.bonus, number, state.bonus[number - 1] + STEPS))
    if holds == "bridge":
        own = state.bridge[seat] | {number}
        return state._replace(bridge=(own, state.bridge[1]) if seat == 0 else (state.bridge[0], own))
    return state._replace(sense=state.sense | {number})


def _off_board(state: State, seat: int, number: int) -> State:
    """A piece leaves the board, and with it all that it had."""
    own = state.pieces[seat]
    tile = own[number - 1]
    grid = bytearray(state.grid)
    grid[tile] = state.terrain[tile]
    state = state._replace(
        pieces=_side(state.pieces, seat, _set(own, number, 0)),
        grid=bytes(grid),
        bridge=_less(state.bridge, seat, number),
    )
    if seat != state.to_act:
        return state
    return state._replace(
        spent=_set(state.spent, number, 0), bonus=_set(state.bonus, number, 0), sense=state.sense - {number}
    )


def _lost(state: State, seat: int, number: int) -> State:
    state = _off_board(state, seat, number)
    return state._replace(gone=pair(state.gone, seat, 1))


def _score(state: State, seat: int, number: int, events: list[Event]) -> State:
    state = _off_board(state, seat, number)
    score = pair(state.score, seat, 1)
    events.append(_event("score", seat=SEATS[seat], piece=str(number), points=score[seat]))
    more = state.held[seat] + state.coming[seat] < TOKENS
    return state._replace(score=score, coming=pair(state.coming, seat, 1) if more else state.coming)


def nerf(state: State, seat: int, number: int) -> tuple[State, tuple[Event, ...]]:
    """The enemy's piece is gone; no trap is checked."""
    enemy = 1 - seat
    tile = state.pieces[enemy][number - 1]
    events = [_event("nerf", seat=SEATS[seat], of=SEATS[enemy], piece=str(number), tile=TEXT[tile])]
    state = _lost(state, enemy, number)._replace(
        held=pair(state.held, seat, -1), pool=state.pool - NERF_COST, marks=(*state.marks, Mark(tile, enemy))
    )
    return _judge(state, events), tuple(events)


def extra_trap(state: State, seat: int, tile: int) -> tuple[State, tuple[Event, ...]]:
    """The extra trap is hidden. That is public, where it lies is not, even if a spent trap of the own lies there."""
    events = (_event("trap_used", seat=SEATS[seat]), _private(seat, "trap", seat=SEATS[seat], tile=TEXT[tile]))
    state = state._replace(
        live=with_tile(state.live, seat, tile),
        relaid=pair(state.relaid, seat, tile) if tile in state.sprung[seat] else state.relaid,
        sprung=_without(state.sprung, seat, tile),
        pool=state.pool - POWER_COST,
        power=None,
    )
    return state, events


def terraform(state: State, seat: int, tile: int) -> tuple[State, tuple[Event, ...]]:
    """A tile becomes plains, whoever stands on it."""
    terrain, grid = bytearray(state.terrain), bytearray(state.grid)
    terrain[tile] = PLAINS
    if grid[tile] != WALL:
        grid[tile] = PLAINS
    state = state._replace(terrain=bytes(terrain), grid=bytes(grid), pool=state.pool - POWER_COST, power=None)
    return state, (_event("terraform", seat=SEATS[seat], tile=TEXT[tile]),)


def end(state: State, seat: int) -> tuple[State, tuple[Event, ...]]:
    """The turn ends: who stands on water drowns, what was for this turn only is gone, the other side is next."""
    events: list[Event] = []
    for number, tile in enumerate(state.pieces[seat], start=1):
        if tile and state.terrain[tile] == WATER:
            events.append(_event("drowned", seat=SEATS[seat], piece=str(number), tile=TEXT[tile]))
            state = _lost(state, seat, number)
    events.append(_event("end", seat=SEATS[seat]))
    state = state._replace(
        bonus=NONE_SPENT,
        sense=frozenset(),
        power=None,
        marks=tuple(mark for mark in state.marks if mark.until != seat) if state.marks else (),
    )
    state = _judge(state, events, capped=state.turn == state.options.cap)
    if state.phase == "over":
        return state, tuple(events)
    mover = 1 - seat
    coming = state.coming[mover]
    state = state._replace(
        to_act=mover,
        turn=state.turn + 1,
        pool=POOL,
        spent=NONE_SPENT,
        held=pair(state.held, mover, coming),
        coming=pair(state.coming, mover, -coming),
    )
    return state, tuple(events)


def beaten(state: State, seat: int) -> bool:
    """Whether a seat has lost by attrition."""
    alive = living(state, seat)
    return (alive if state.options.attrition == "alive" else alive + state.score[seat]) < GOALS


def verdict(state: State, *, capped: bool) -> tuple[int | None, str] | None:
    """Who has won (None: nobody) and how, None while the match goes on: by five, else attrition, else the cap."""
    for seat in (0, 1):
        if state.score[seat] >= GOALS:
            return seat, "five"
    for seat in (0, 1):
        if beaten(state, seat):
            return 1 - seat, "attrition"
    if not capped:
        return None
    worth = [(state.score[seat], living(state, seat) + state.score[seat]) for seat in (0, 1)]
    if worth[0] == worth[1]:
        return None, "draw"
    return int(worth[1] > worth[0]), "cap"


def _judge(state: State, events: list[Event], *, capped: bool = False) -> State:
    result = verdict(state, capped=capped)
    if result is None:
        return state
    winner, how = result
    events.append(_event("draw") if winner is None else _event("win", seat=SEATS[winner], how=how))
    events.append(_event("reveal", **revealed(state)))
    return state._replace(phase="over", to_act=None)


def revealed(state: State) -> dict[str, Any]:
    """All that was hidden, in the position's shapes."""
    return {
        "traps": {SEATS[seat]: traps_json(state.live[seat], state.sprung[seat]) for seat in (0, 1)},
        "pickup": pickup_json(state),
        "boxes": {TEXT[box.tile]: {"holds": box.holds, "open": box.open} for box in state.boxes},
    }
