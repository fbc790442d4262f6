"""Actions as text: reading what was typed or written, and the words for why it cannot be played.

A refusal speaks of nothing but what the seat to act can see.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from games.api import UnreadableAction, even_out
from games.faults import quoted
from games.trap_race.board import (
    BY_TEXT,
    DIRECTIONS,
    HOME,
    HOME_SET,
    NEUTRAL,
    NEUTRAL_ROW,
    PLAINS,
    SEATS,
    TEXT,
    TILES,
    TRAPPING,
    WALL,
    WATER,
    neighbours,
)
from games.trap_race.options import NERF_COST, NEUTRAL_TRAPS, PIECE_POINTS, PIECES, POWER_COST, TRAPS
from games.trap_race.state import State, living

FORMS = "piece R,C, trap R,C, auto, move N DIRECTION, nerf N, terraform R,C, end"
_ARGUMENTS: Mapping[str, int] = {"piece": 1, "trap": 1, "auto": 0, "move": 2, "nerf": 1, "terraform": 1, "end": 0}
_SETUP = ("piece", "trap", "auto")
_TURN = ("move", "nerf", "trap", "terraform", "end")


class Action(NamedTuple):
    """An action that names tiles, pieces and directions that there are; whether it can be played now is not said.

    `number` is the piece of `move` and `nerf`; `value` the step of `move`, the tile of `piece`, `trap` and `terraform`.
    """

    verb: str
    number: int = 0
    value: int = 0


MOVES = tuple(
    tuple((f"move {number} {word}", step) for word, step in DIRECTIONS.items()) for number in range(PIECES + 1)
)
"""For each piece number the texts of its four moves with their steps, in the order of the legal list."""
NERFS = tuple(f"nerf {number}" for number in range(PIECES + 1))
PIECE = {tile: f"piece {TEXT[tile]}" for side in HOME for tile in side}
TRAP = {tile: f"trap {TEXT[tile]}" for tile in TILES}
TERRAFORM = {tile: f"terraform {TEXT[tile]}" for tile in TILES}

KNOWN: Mapping[str, Action] = {
    "auto": Action("auto"),
    "end": Action("end"),
    **{text: Action("move", number, step) for number in range(1, PIECES + 1) for text, step in MOVES[number]},
    **{NERFS[number]: Action("nerf", number) for number in range(1, PIECES + 1)},
    **{f"piece {text}": Action("piece", 0, tile) for text, tile in BY_TEXT.items()},
    **{text: Action("trap", 0, tile) for tile, text in TRAP.items()},
    **{text: Action("terraform", 0, tile) for tile, text in TERRAFORM.items()},
}
"""Every action that could ever be played, by its text."""


def read(text: str) -> Action | str:
    """The action of a text, or, where it has the form of one with impossible words, the reason why it is none.

    Raises `UnreadableAction` for a text without the form of any.
    """
    evened = even_out(text)
    if evened in KNOWN:
        return KNOWN[evened]
    verb, *words = evened.split(" ")
    if _ARGUMENTS.get(verb) != len(words):
        raise UnreadableAction(f"{quoted(text)} has not the form of an action; the forms are: {FORMS}")
    if verb == "move" and words[1] not in DIRECTIONS:
        return f"there is no direction {quoted(words[1])}; the directions are {', '.join(DIRECTIONS)}"
    if verb in ("move", "nerf"):
        return f"there is no piece {quoted(words[0])}; pieces have numbers from 1 to {PIECES}"
    return f"there is no tile {quoted(words[0])}; tiles go from 0,0 to 30,29"


def objection(state: State, action: Action) -> str | None:
    """Why an action cannot be played now, in the game's words; None if it can."""
    seat = state.to_act
    if seat is None:
        return "the match is over"
    if state.phase == "setup":
        if action.verb not in _SETUP:
            return f"{SEATS[seat]} is setting up"
        if action.verb == "auto":
            return None
        return (no_piece if action.verb == "piece" else no_setup_trap)(state, seat, action.value)
    if action.verb not in _TURN:
        return f"the setup is over; it is {SEATS[seat]}'s turn"
    match action.verb:
        case "move":
            return _no_move(state, seat, action.number, action.value)
        case "nerf":
            return _no_nerf(state, seat, action.number)
        case "trap":
            return _no_power(state, "trap") or _no_extra_trap(state, seat, action.value)
        case "terraform":
            return _no_power(state, "terraform") or _no_terraform(state, action.value)
    return None


def no_piece(state: State, seat: int, tile: int) -> str | None:
    """Why the next piece cannot be placed on a tile."""
    if living(state, seat) == PIECES:
        return f"all {PIECES} pieces are placed"
    if tile not in HOME_SET[seat]:
        return f"{TEXT[tile]} is not in the home rows, {'0 to 2' if seat == 0 else '28 to 30'}"
    return f"an own piece stands on {TEXT[tile]}" if tile in state.pieces[seat] else None


def no_setup_trap(state: State, seat: int, tile: int) -> str | None:
    """Why a trap cannot be hidden on a tile during the setup."""
    live = state.live[seat]
    if len(live) == TRAPS:
        return f"all {TRAPS} traps are hidden"
    if tile not in TRAPPING[seat]:
        return f"{TEXT[tile]} is neither in the own half nor in row {NEUTRAL}"
    if state.terrain[tile] >= WATER:
        return f"{TEXT[tile]} is water"
    if tile in live:
        return f"an own trap lies on {TEXT[tile]}"
    if any(box.tile == tile for box in state.boxes):
        return f"a mystery box stands on {TEXT[tile]}"
    if tile in NEUTRAL_ROW and len(live & NEUTRAL_ROW) == NEUTRAL_TRAPS:
        return f"{NEUTRAL_TRAPS} own traps lie in row {NEUTRAL} already"
    return None


def budget(state: State, number: int) -> int:
    """What a piece of the seat to act can still pay this turn: its share of the pool and its extra steps."""
    return min(state.pool, PIECE_POINTS - state.spent[number - 1]) + state.bonus[number - 1]


def price(state: State, seat: int, number: int, tile: int) -> int:
    """What a step onto a tile costs a piece: a bridge makes water cost as much as plains."""
    cost = state.grid[tile]
    return PLAINS if cost == WATER and number in state.bridge[seat] else cost


def _no_move(state: State, seat: int, number: int, step: int) -> str | None:
    tile = state.pieces[seat][number - 1]
    if not tile:
        return f"{SEATS[seat]} has no piece {number} on the board"
    to = tile + step
    if to not in TEXT:
        return f"that step leads off the board from {TEXT[tile]}"
    cost = price(state, seat, number, to)
    if cost == WALL:
        return f"a piece stands on {TEXT[to]}"
    if cost == WATER:
        return f"{TEXT[to]} is water, and piece {number} has no bridge"
    left = budget(state, number)
    if cost > left:
        return f"the step to {TEXT[to]} costs {cost}, and piece {number} can spend {left} more this turn"
    return None


def _no_nerf(state: State, seat: int, number: int) -> str | None:
    enemy = 1 - seat
    tile = state.pieces[enemy][number - 1]
    if not tile:
        return f"{SEATS[enemy]} has no piece {number} on the board"
    if not state.held[seat]:
        return "there is no token to use"
    if state.pool < NERF_COST:
        return f"a nerf costs {NERF_COST} points, and {state.pool} are left"
    if not any(near in state.pieces[seat] for near in neighbours(tile)):
        return f"no own piece stands next to {TEXT[tile]}"
    return None


def _no_power(state: State, kind: str) -> str | None:
    if state.power != kind:
        return "there is no extra trap in hand" if kind == "trap" else "there is no terraform in hand"
    if state.pool < POWER_COST:
        return f"that costs {POWER_COST} points, and {state.pool} are left"
    return None


def _no_extra_trap(state: State, seat: int, tile: int) -> str | None:
    if state.grid[tile] == WALL:
        return f"a piece stands on {TEXT[tile]}"
    if any(box.tile == tile for box in state.boxes):
        return f"a mystery box stands on {TEXT[tile]}"
    return f"an own trap lies on {TEXT[tile]}" if tile in state.live[seat] else None


def _no_terraform(state: State, tile: int) -> str | None:
    return f"{TEXT[tile]} is plains already" if state.terrain[tile] == PLAINS else None
