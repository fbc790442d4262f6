"""The state of a match, and its form as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from games.api import Event, Json, Step
from games.so_long_sucker.options import Switches

NAME = "so_long_sucker"
SEATS = ("red", "blue", "green", "yellow")
"""The seats clockwise around the table. Inside the engine a seat, and the colour it owns, is its index here."""
INDEX: Mapping[str, int] = {name: seat for seat, name in enumerate(SEATS)}
EVERYONE = (0, 1, 2, 3)
Counts = tuple[int, ...]
"""How many chips of each colour, by colour."""


class Pile(NamedTuple):
    """A pile on the table: its number, never used again in the match, and its chips from the bottom to the top."""

    id: int
    chips: tuple[int, ...]


class State(NamedTuple):
    """A position. Seats and colours are indices into `SEATS`.

    `hands[seat][colour]` counts chips in hand: the own colour is the supply, the others are prisoners. `mover` has the
    move; `to_act` decides now (the captor in phase `kill`, the one asked in phase `answer`, else the mover). `trail`
    holds who gave the move away, the latest last. `captured` is set in phase `kill` alone, `last_pile` in `next` alone.
    """

    options: Switches
    seed: int
    drawn: int
    alive: tuple[int, ...]
    eliminated: tuple[int, ...]
    hands: tuple[Counts, ...]
    piles: tuple[Pile, ...]
    next_pile: int
    last_pile: int | None
    dead: Counts
    phase: str
    mover: int | None
    to_act: int | None
    trail: tuple[int, ...]
    captured: tuple[int, ...] | None
    asked: tuple[int, ...]


class Draft:
    """A position while an action changes it, with what has happened so far; the fields are those of `State`.

    An action changes several fields one after the other. A new `State` for each change is what the engine would spend
    most of its time on, so there is one draft for the whole action and one `State` at its end.
    """

    __slots__ = (*State._fields, "events")

    def __init__(self, state: State) -> None:
        (
            self.options,
            self.seed,
            self.drawn,
            self.alive,
            self.eliminated,
            self.hands,
            self.piles,
            self.next_pile,
            self.last_pile,
            self.dead,
            self.phase,
            self.mover,
            self.to_act,
            self.trail,
            self.captured,
            self.asked,
        ) = state
        self.events: list[Event] = []

    def tell(self, kind: str, **fields: Any) -> None:
        """An event that everybody learns of."""
        self.events.append(Event(kind, "all", fields))

    def step(self) -> Step:
        """The position as it is now, and all the events."""
        state = State(
            self.options,
            self.seed,
            self.drawn,
            self.alive,
            self.eliminated,
            self.hands,
            self.piles,
            self.next_pile,
            self.last_pile,
            self.dead,
            self.phase,
            self.mover,
            self.to_act,
            self.trail,
            self.captured,
            self.asked,
        )
        return Step(state, tuple(self.events))


def missing_from(state: State | Draft, chips: tuple[int, ...]) -> list[int]:
    """The living players whose colour is not among these chips, in seat order."""
    return [seat for seat in state.alive if seat not in chips]


def donatable(state: State, seat: int) -> list[int]:
    """The colours that a seat could donate, in seat order: any it holds, or its prisoners only (option `donors`)."""
    hand = state.hands[seat]
    prisoners_only = state.options.donors == "prisoners"
    return [colour for colour in EVERYONE if hand[colour] and not (prisoners_only and colour == seat)]


def can_donate(state: State | Draft, seat: int) -> bool:
    """Whether a seat has anything to donate."""
    hand = state.hands[seat]
    return any(hand[:seat]) or any(hand[seat + 1 :]) if state.options.donors == "prisoners" else any(hand)


def askable(state: State | Draft) -> list[int]:
    """The living others who have something to donate and were not asked yet on this turn, in seat order."""
    mover, asked = state.mover, state.asked
    return [seat for seat in state.alive if seat != mover and seat not in asked and can_donate(state, seat)]


def dump(state: State) -> Json:
    """The whole position as JSON, with every option resolved."""
    return {
        "game": NAME,
        "options": state.options._asdict(),
        "chance": {"seed": state.seed, "drawn": state.drawn},
        **shown(state),
    }


def shown(state: State) -> Json:
    """What lies on the table and in the hands, as JSON: the position without game, options and chance."""
    return {
        "alive": _names(state.alive),
        "eliminated": _names(state.eliminated),
        "supply": {SEATS[seat]: state.hands[seat][seat] for seat in EVERYONE},
        "prisoners": {
            SEATS[seat]: {
                SEATS[colour]: count for colour, count in enumerate(state.hands[seat]) if count and colour != seat
            }
            for seat in EVERYONE
        },
        "piles": [{"id": pile.id, "chips": _names(pile.chips)} for pile in state.piles],
        "next_pile": state.next_pile,
        "last_pile": state.last_pile,
        "dead": {SEATS[colour]: state.dead[colour] for colour in EVERYONE},
        "phase": state.phase,
        "mover": None if state.mover is None else SEATS[state.mover],
        "to_act": None if state.to_act is None else SEATS[state.to_act],
        "trail": _names(state.trail),
        "captured": None if state.captured is None else _names(state.captured),
        "asked": _names(state.asked),
    }


def _names(seats: tuple[int, ...]) -> list[str]:
    return [SEATS[seat] for seat in seats]
