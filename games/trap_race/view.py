"""What a seat sees: named piece by piece, so that nothing hidden can slip in."""

from __future__ import annotations

from games.api import Json, Seat
from games.trap_race.board import SEATS, TEXT
from games.trap_race.state import NAME, State, names, pieces_json, public, traps_json, whole


def view(state: State, seat: Seat | None) -> Json:
    """The position as one seat may know it, without `chance` and with `you` (null for the spectator).

    At the end every seat sees what the spectator sees all along: everything.
    """
    if seat is None or state.phase == "over":
        return {"game": NAME, "options": state.options._asdict(), **whole(state), "you": seat}
    me = SEATS.index(seat)
    enemy = 1 - me
    set_up = state.phase == "setup"
    return {
        "game": NAME,
        "options": state.options._asdict(),
        **public(state),
        "boxes": {
            TEXT[box.tile]: {"holds": box.holds, "open": True} if box.open else {"open": False} for box in state.boxes
        },
        "pickup": _pickup(state),
        "pieces": {SEATS[side]: {} if set_up and side == enemy else pieces_json(state, side) for side in (0, 1)},
        "traps": {
            SEATS[side]: traps_json(state.live[me], state.sprung[me]) if side == me else _seen_traps(state, me)
            for side in (0, 1)
        },
        "known": {seat: names(state.known[me])},
        "power": state.power if state.to_act == me else None,
        "you": seat,
    }


def _pickup(state: State) -> Json | None:
    pickup = state.pickup
    if pickup is None:
        return None
    return {"found": True, "tile": TEXT[pickup.tile]} if pickup.found else {"found": False}


def _seen_traps(state: State, me: int) -> dict[str, str]:
    """The enemy's traps that this seat has seen: sensed ones and spent ones, those under a hidden new one, too."""
    enemy = 1 - me
    spent = set(state.sprung[enemy])
    if state.relaid[enemy] and state.relaid[enemy] not in state.known[me]:
        spent.add(state.relaid[enemy])
    return traps_json(state.known[me], spent)
