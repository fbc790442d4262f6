"""Actions as text: reading what was typed or written, and the words for why it cannot be played."""

from __future__ import annotations

from games.api import IllegalAction, UnreadableAction, even_out
from games.faults import quoted
from games.star_ludo.board import EXITS, HOME, NOWHERE, PAWN_OF, PAWNS, TABLES, TARGETS, YARD
from games.star_ludo.state import State


def accepted(state: State, text: str) -> str:
    """The legal action that a text means. Raises `IllegalAction`, naming the reason, or `UnreadableAction`."""
    action = even_out(text)
    if action in state.legal:
        return action
    match action.split(" "):
        case ["move", number] if not any(map(str.isspace, number)):
            raise IllegalAction(f"{quoted(text)} cannot be played: {_reason(state, number)}")
    raise UnreadableAction(f"{quoted(text)} has not the form of an action; the form is: move N, a pawn from 1 to 4")


def _reason(state: State, number: str) -> str:
    """Why a pawn cannot play the die now, in the game's words."""
    if state.to_act is None:
        return "the match is over"
    pawn = PAWN_OF.get(f"move {number}")
    if pawn is None:
        named = number if number.isascii() and number.isdigit() and len(number) <= 6 else quoted(number)
        return f"there is no pawn {named}; pawns are numbered 1 to {PAWNS}"
    own, die = state.pawns[state.to_act], state.dice[state.die]
    place = own[pawn]
    target = TARGETS[die][place]
    if place == HOME:
        return f"pawn {number} is home already"
    if place == YARD and target == NOWHERE:
        return f"pawn {number} is in the yard and leaves it with a {' or a '.join(map(str, EXITS))} only, not a {die}"
    if place == YARD and 0 in own:
        return f"pawn {number} cannot leave the yard: pawn {own.index(0) + 1} stands on the start star"
    if place == YARD:
        return f"pawns in the yard are alike: of these only the lowest number, {own.index(YARD) + 1}, is moved"
    if target == NOWHERE:
        return f"pawn {number} needs exactly {HOME - place} to get home, and {die} is too much"
    if target in own:
        return f"pawn {number} cannot end on place {target}: pawn {own.index(target) + 1} stands there"
    return f"pawn {number} cannot end on place {target}: it is a star, and {_keeper(state, target)} stands there"


def _keeper(state: State, target: int) -> str:
    """The opponent's pawn on the star at a place of the seat to act."""
    blockers = TABLES[len(state.seats)].blockers[state.to_act or 0][target]
    other, spot = next((other, spot) for other, spot in blockers if spot in state.pawns[other])
    return f"{state.seats[other]}'s pawn {state.pawns[other].index(spot) + 1}"
