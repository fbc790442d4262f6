"""Actions as text: reading what was typed or written, and the words for why it cannot be played."""

from __future__ import annotations

from typing import NamedTuple

from games.api import UnreadableAction, even_out
from games.faults import quoted
from games.so_long_sucker.state import EVERYONE, SEATS, State, donatable, missing_from

FORMS = "play COLOUR on N, play COLOUR new, kill COLOUR, next COLOUR, ask COLOUR, donate COLOUR, refuse"
_PHASE_OF = {"play": "play", "kill": "kill", "next": "next", "ask": "ask", "donate": "answer", "refuse": "answer"}


class Action(NamedTuple):
    """The words of an action that has the form of one; whether they make sense now is not said.

    `pile` is the number's text for `play ... on`, else None; `colour` is empty for `refuse`.
    """

    verb: str
    colour: str = ""
    pile: str | None = None


def read(text: str) -> Action:
    """The words of an action. Raises `UnreadableAction` for a text without the form of any."""
    match even_out(text).split(" "):
        case ["play", colour, "new"]:
            return Action("play", colour)
        case ["play", colour, "on", pile]:
            return Action("play", colour, pile)
        case ["kill" | "next" | "ask" | "donate" as verb, colour]:
            return Action(verb, colour)
        case ["refuse"]:
            return Action("refuse")
    raise UnreadableAction(f"{quoted(text)} has not the form of an action; the forms are: {FORMS}")


def objection(state: State, action: Action) -> str | None:
    """Why an action cannot be played now, in the game's words; None if it can."""
    if state.to_act is None or state.mover is None:
        return "the match is over"
    if _PHASE_OF[action.verb] != state.phase:
        return _whose_turn(state, state.to_act, state.mover)
    if action.verb == "refuse":
        return None
    if action.colour not in SEATS:
        return f"there is no colour {quoted(action.colour)}; the colours are {_listed(EVERYONE)}"
    colour = SEATS.index(action.colour)
    if action.verb == "play":
        return _no_play(state, state.mover, colour, action.pile)
    if action.verb == "kill":
        return None if colour in (state.captured or ()) else f"the captured pile holds no {SEATS[colour]} chip"
    if action.verb == "donate":
        return _no_donation(state, state.to_act, colour)
    if colour not in state.alive:
        return f"{SEATS[colour]} is out of the game"
    return _no_choice(state, colour) if action.verb == "next" else _no_request(state, state.mover, colour)


def choices(state: State) -> list[int]:
    """Whom the mover may give the move to in phase `next`, in seat order (option `choice`)."""
    if state.options.choice == "table":
        return list(state.alive)
    return next(missing_from(state, pile.chips) for pile in state.piles if pile.id == state.last_pile)


def _whose_turn(state: State, to_act: int, mover: int) -> str:
    doing = {
        "play": "play a chip",
        "kill": "kill a chip of the captured pile",
        "next": "choose who goes next",
        "ask": "ask for a donation",
        "answer": f"answer {SEATS[mover]}: donate a chip or refuse",
    }
    return f"it is {SEATS[to_act]}'s turn to {doing[state.phase]}"


def _no_play(state: State, mover: int, colour: int, pile: str | None) -> str | None:
    if not state.hands[mover][colour]:
        return f"{SEATS[mover]} holds no {SEATS[colour]} chip"
    if pile is None or any(pile == str(there.id) for there in state.piles):
        return None
    return f"there is no pile {pile if pile.isascii() and pile.isdigit() and len(pile) <= 6 else quoted(pile)}"


def _no_donation(state: State, giver: int, colour: int) -> str | None:
    if not state.hands[giver][colour]:
        return f"{SEATS[giver]} holds no {SEATS[colour]} chip"
    if colour not in donatable(state, giver):
        return "only prisoners may be donated, not chips of the own colour"
    return None


def _no_choice(state: State, colour: int) -> str | None:
    if colour in choices(state):
        return None
    return f"{SEATS[colour]}'s colour is not missing from pile {state.last_pile}"


def _no_request(state: State, mover: int, colour: int) -> str | None:
    if colour == mover:
        return f"{SEATS[mover]} must ask another player"
    if colour in state.asked:
        return f"{SEATS[colour]} was asked already and refused"
    if not donatable(state, colour):
        return f"{SEATS[colour]} has nothing to donate"
    return None


def _listed(seats: tuple[int, ...]) -> str:
    return ", ".join(SEATS[seat] for seat in seats)
