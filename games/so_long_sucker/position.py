"""Positions from outside: each is checked down to the last chip before it becomes a state."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from games.api import BadPosition
from games.chance import SEED_LIMIT
from games.faults import first_fault
from games.so_long_sucker.options import read_options, switches
from games.so_long_sucker.state import EVERYONE, SEATS, Counts, Pile, State, askable, missing_from

Name = Literal["red", "blue", "green", "yellow"]
Count = Annotated[int, Field(ge=0)]
Number = Annotated[int, Field(ge=1, lt=SEED_LIMIT)]
_STRICT = ConfigDict(extra="forbid", strict=True)


class _Chance(BaseModel):
    model_config = _STRICT
    seed: Annotated[int, Field(ge=0, lt=SEED_LIMIT)]
    drawn: Annotated[int, Field(ge=0, lt=SEED_LIMIT)]


class _BySeat(BaseModel):
    model_config = _STRICT
    red: Count
    blue: Count
    green: Count
    yellow: Count

    def counts(self) -> Counts:
        return (self.red, self.blue, self.green, self.yellow)


class _Prisoners(BaseModel):
    model_config = _STRICT
    red: dict[Name, Number]
    blue: dict[Name, Number]
    green: dict[Name, Number]
    yellow: dict[Name, Number]


class _Pile(BaseModel):
    model_config = _STRICT
    id: Number
    chips: Annotated[list[Name], Field(min_length=1)]


class _Position(BaseModel):
    """The shape of a position: which keys, which types. Whether they fit each other is checked after."""

    model_config = _STRICT
    game: Literal["so_long_sucker"]
    options: dict[str, Any]
    chance: _Chance
    alive: list[Name]
    eliminated: list[Name]
    supply: _BySeat
    prisoners: _Prisoners
    piles: list[_Pile]
    next_pile: Number
    last_pile: Number | None
    dead: _BySeat
    phase: Literal["play", "kill", "next", "ask", "answer", "over"]
    mover: Name | None
    to_act: Name | None
    trail: list[Name]
    captured: list[Name] | None
    asked: list[Name]


def load(position: Any) -> State:
    """The state of a position from outside.

    One that no play could reach is accepted as long as it does not contradict itself and the seat it waits for has a
    legal action. Raises `BadPosition`, whose text begins with the field at fault.
    """
    try:
        read = _Position.model_validate(position)
    except ValidationError as error:
        raise BadPosition(first_fault(error, "position", whole=True)) from None
    try:
        options = switches(read_options(read.options))
    except ValidationError as error:
        raise BadPosition(first_fault(error, "options")) from None
    supply = read.supply.counts()
    prisoners = [
        {SEATS.index(colour): count for colour, count in held.items()}
        for held in (read.prisoners.red, read.prisoners.blue, read.prisoners.green, read.prisoners.yellow)
    ]
    for seat in EVERYONE:
        if seat in prisoners[seat]:
            raise BadPosition(f"prisoners.{SEATS[seat]}: chips of the own colour belong to the supply")
    state = State(
        options=options,
        seed=read.chance.seed,
        drawn=read.chance.drawn,
        alive=_indices(read.alive),
        eliminated=_indices(read.eliminated),
        hands=tuple(
            tuple(supply[seat] if seat == colour else prisoners[seat].get(colour, 0) for colour in EVERYONE)
            for seat in EVERYONE
        ),
        piles=tuple(Pile(pile.id, _indices(pile.chips)) for pile in read.piles),
        next_pile=read.next_pile,
        last_pile=read.last_pile,
        dead=read.dead.counts(),
        phase=read.phase,
        mover=None if read.mover is None else SEATS.index(read.mover),
        to_act=None if read.to_act is None else SEATS.index(read.to_act),
        trail=_indices(read.trail),
        captured=None if read.captured is None else _indices(read.captured),
        asked=_indices(read.asked),
    )
    _check_players(state)
    _check_presence(state)
    _check_table(state)
    _check_phase(state)
    return state


def _indices(names: list[Name]) -> tuple[int, ...]:
    return tuple(SEATS.index(name) for name in names)


def _check_players(state: State) -> None:
    if list(state.alive) != sorted(set(state.alive)):
        raise BadPosition("alive: each seat once, in seat order (red, blue, green, yellow)")
    if not state.alive:
        raise BadPosition("alive: at least one seat must be in the game")
    if sorted(state.alive + state.eliminated) != list(EVERYONE):
        raise BadPosition("eliminated: every seat must stand either here or under alive, once")
    for seat in state.eliminated:
        if state.hands[seat][seat]:
            raise BadPosition(f"supply.{SEATS[seat]}: {SEATS[seat]} is eliminated and holds nothing")
        if any(state.hands[seat]):
            raise BadPosition(f"prisoners.{SEATS[seat]}: {SEATS[seat]} is eliminated and holds nothing")


def _check_presence(state: State) -> None:
    """What belongs to one phase only is absent in the others."""
    if (state.captured is None) == (state.phase == "kill"):
        raise BadPosition("captured: the captured pile's chips in phase kill, else null")
    if (state.last_pile is None) == (state.phase == "next"):
        raise BadPosition("last_pile: the number of the pile just played on in phase next, else null")
    if state.asked and state.phase not in ("ask", "answer"):
        raise BadPosition("asked: empty but in the phases ask and answer")


def _check_table(state: State) -> None:
    ids = [pile.id for pile in state.piles]
    if ids != sorted(set(ids)):
        raise BadPosition("piles: pile numbers must rise")
    if ids and ids[-1] >= state.next_pile:
        raise BadPosition(f"next_pile: must be above every pile on the table, so {ids[-1] + 1} or more")
    lying = [colour for pile in state.piles for colour in pile.chips] + list(state.captured or ())
    for colour, name in enumerate(SEATS):
        total = sum(hand[colour] for hand in state.hands) + lying.count(colour) + state.dead[colour]
        if total != state.options.chips:
            raise BadPosition(
                f"supply.{name}: supply, prisoners, piles, captured and dead hold {total} {name} chips together "
                f"instead of {state.options.chips} (options.chips)"
            )


def _check_phase(state: State) -> None:
    phase, mover, to_act = state.phase, state.mover, state.to_act
    if (len(state.alive) == 1) != (phase == "over"):
        raise BadPosition("phase: over when one player is alive, and only then")
    if phase == "over":
        if mover is not None:
            raise BadPosition("mover: null when the match is over")
        if to_act is not None:
            raise BadPosition("to_act: null when the match is over")
        return
    if mover is None or mover not in state.alive:
        raise BadPosition("mover: must be a living player until the match is over")
    if to_act is None or to_act not in state.alive:
        raise BadPosition("to_act: must be a living player until the match is over")
    if phase in ("play", "next", "ask") and to_act != mover:
        raise BadPosition(f"to_act: in phase {phase} the mover decides")
    if phase == "play" and not any(state.hands[mover]):
        raise BadPosition("mover: holds no chip, so it has no legal action in phase play")
    if phase in ("ask", "answer"):
        _check_request(state, mover, to_act)
    elif phase == "kill":
        _check_captor(state, mover, to_act)
    elif phase == "next":
        _check_choice(state)


def _check_request(state: State, mover: int, to_act: int) -> None:
    if any(state.hands[mover]):
        raise BadPosition(f"mover: asks for a donation in phase {state.phase}, so it may hold no chip")
    if len(set(state.asked)) != len(state.asked) or mover in state.asked or not set(state.asked) <= set(state.alive):
        raise BadPosition("asked: living players other than the mover, each once")
    if state.phase == "ask":
        if not askable(state):
            raise BadPosition("asked: nobody is left to be asked, so the mover has no legal action")
    elif not state.asked or state.asked[-1] != to_act:
        raise BadPosition("asked: ends with the player who answers, to_act")


def _check_captor(state: State, mover: int, to_act: int) -> None:
    if not state.captured:
        raise BadPosition("captured: holds no chip, so the captor has no legal action")
    if state.options.captor == "mover" and to_act != mover:
        raise BadPosition("to_act: the captor is the mover (option captor: mover)")
    if state.options.captor == "owner" and to_act != state.captured[-1]:
        raise BadPosition("to_act: the captor is the owner of the chip on top (option captor: owner)")


def _check_choice(state: State) -> None:
    pile = next((pile for pile in state.piles if pile.id == state.last_pile), None)
    if pile is None:
        raise BadPosition(f"last_pile: there is no pile {state.last_pile} on the table")
    if state.options.choice == "pile" and not missing_from(state, pile.chips):
        raise BadPosition(
            f"last_pile: every living player's colour lies in pile {pile.id}, so the mover has no legal action"
        )
