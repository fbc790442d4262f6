"""Actions as text: reading what was typed or written, and the words for why it cannot be played."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from games.api import UnreadableAction, even_out
from games.faults import quoted
from games.so_long_sucker.state import EVERYONE, INDEX, SEATS, State, can_donate, donatable, missing_from

FORMS = "play COLOUR on N, play COLOUR new, kill COLOUR, next COLOUR, ask COLOUR, donate COLOUR, refuse"
_PHASE_OF = {"play": "play", "kill": "kill", "next": "next", "ask": "ask", "donate": "answer", "refuse": "answer"}


class Action(NamedTuple):
    """The words of an action that has the form of one; whether they make sense now is not said.

    `pile` is the number's text for `play ... on`, else None; `colour` is empty for `refuse`.
    """

    verb: str
    colour: str = ""
    pile: str | None = None


KNOWN_PILES = 100
"""Piles with a number below this have their texts prepared; default matches seldom lay as many as thirty."""
NEW = tuple(f"play {colour} new" for colour in SEATS)
KILL = tuple(f"kill {colour}" for colour in SEATS)
NEXT = tuple(f"next {colour}" for colour in SEATS)
ASK = tuple(f"ask {colour}" for colour in SEATS)
DONATE = tuple(f"donate {colour}" for colour in SEATS)
"""Action texts by colour or seat."""
REFUSE = "refuse"


def play_on(colour: int, pile: int) -> str:
    """The text of playing on a pile."""
    return _ON[colour][pile] if pile < KNOWN_PILES else f"play {SEATS[colour]} on {pile}"


def read(text: str) -> Action:
    """The words of an action. Raises `UnreadableAction` for a text without the form of any."""
    return _KNOWN.get(text) or _read(text)


def _read(text: str) -> Action:
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


_ON = tuple(tuple(f"play {colour} on {pile}" for pile in range(KNOWN_PILES)) for colour in SEATS)
_KNOWN: Mapping[str, Action] = {
    text: _read(text) for texts in (NEW, *_ON, KILL, NEXT, ASK, DONATE, (REFUSE,)) for text in texts
}
"""Most texts are one of these to the letter, and these are read once."""


def objection(state: State, action: Action) -> str | None:
    """Why an action cannot be played now, in the game's words; None if it can."""
    if state.to_act is None or state.mover is None:
        return "the match is over"
    if _PHASE_OF[action.verb] != state.phase:
        return _whose_turn(state, state.to_act, state.mover)
    if action.verb == "refuse":
        return None
    colour = INDEX.get(action.colour)
    if colour is None:
        return f"there is no colour {quoted(action.colour)}; the colours are {_listed(EVERYONE)}"
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
    if pile is None or pile in [str(there.id) for there in state.piles]:
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
    if not can_donate(state, colour):
        return f"{SEATS[colour]} has nothing to donate"
    return None


def _listed(seats: tuple[int, ...]) -> str:
    return ", ".join(SEATS[seat] for seat in seats)
