"""Positions from outside: each is checked down to the last pawn before it becomes a state."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from games.api import BadPosition, Seat
from games.chance import SEED_LIMIT
from games.faults import first_fault
from games.star_ludo.board import HOME, LISTS, PAWNS, TABLES, YARD, Pawns, square_of
from games.star_ludo.options import read_options
from games.star_ludo.rules import movable
from games.star_ludo.state import State

Name = Literal["red", "green", "yellow", "blue"]
Reason = Literal["double_six", "capture", "home"]
Place = Annotated[int, Field(ge=YARD, le=HOME)]
Places = Annotated[list[Place], Field(min_length=PAWNS, max_length=PAWNS)]
_STRICT = ConfigDict(extra="forbid", strict=True)


class _Chance(BaseModel):
    model_config = _STRICT
    seed: Annotated[int, Field(ge=0, lt=SEED_LIMIT)]
    drawn: Annotated[int, Field(ge=0, lt=SEED_LIMIT)]


class _Position(BaseModel):
    """The shape of a position: which keys, which types. Whether they fit each other is checked after."""

    model_config = _STRICT
    game: Literal["star_ludo"]
    options: dict[str, Any]
    chance: _Chance
    seats: list[Name]
    pawns: dict[Name, Places]
    to_act: Name | None
    dice: list[Annotated[int, Field(ge=1, le=6)]]
    die: Annotated[int, Field(ge=0, le=1)]
    extra: list[Reason]
    rolls: Annotated[int, Field(ge=1, lt=SEED_LIMIT)]
    phase: Literal["move", "over"]


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
        options = read_options(read.options)
    except ValidationError as error:
        raise BadPosition(first_fault(error, "options")) from None
    pawns = _pawns(read)
    if read.rolls > options.cap:
        raise BadPosition(f"rolls: {read.rolls} is beyond options.cap, {options.cap}")
    if read.phase == "over":
        _check_over(read, pawns, options.cap)
        legal: tuple[str, ...] = ()
    else:
        legal = _check_move(read, pawns)
    return State(
        options=options,
        seed=read.chance.seed,
        drawn=read.chance.drawn,
        seats=tuple(read.seats),
        pawns=pawns,
        to_act=None if read.to_act is None else read.seats.index(read.to_act),
        dice=tuple(read.dice),
        die=read.die,
        extra=tuple(read.extra),
        rolls=read.rolls,
        legal=legal,
    )


def _pawns(read: _Position) -> tuple[Pawns, ...]:
    """The pawns by seat; every square of the ring and of a home row holds one at most."""
    table = TABLES.get(len(read.seats))
    if table is None or tuple(read.seats) != table.seats:
        allowed = "; ".join(", ".join(each.seats) for each in TABLES.values())
        raise BadPosition(f"seats: must be exactly one of these, in this order: {allowed}")
    strangers = [name for name in read.pawns if name not in read.seats]
    if strangers:
        raise BadPosition(f"pawns.{strangers[0]}: {strangers[0]} has no seat in this match")
    on_ring: dict[int, str] = {}
    for name in read.seats:
        if name not in read.pawns:
            raise BadPosition(f"pawns.{name}: Field required")
        _check_own(name, read.pawns[name], on_ring)
    return tuple(tuple(read.pawns[name]) for name in read.seats)


def _check_own(name: Seat, places: list[int], on_ring: dict[int, str]) -> None:
    for pawn, place in enumerate(places):
        if YARD < place < HOME and place in places[:pawn]:
            first = places.index(place) + 1
            raise BadPosition(f"pawns.{name}[{pawn}]: place {place} is taken by the own pawn {first}")
        square = square_of(name, place)
        if square is None:
            continue
        if square in on_ring:
            raise BadPosition(f"pawns.{name}[{pawn}]: ring square {square} is taken by {on_ring[square]}")
        on_ring[square] = f"{name}'s pawn {pawn + 1}"


def _check_over(read: _Position, pawns: tuple[Pawns, ...], cap: int) -> None:
    for field, value, rest in (
        ("to_act", read.to_act, None),
        ("dice", read.dice, []),
        ("die", read.die, 0),
        ("extra", read.extra, []),
    ):
        if value != rest:
            raise BadPosition(f"{field}: {'null' if rest is None else rest} when the match is over")
    finished = pawns.count((HOME,) * PAWNS)
    if finished > 1:
        raise BadPosition("pawns: the match ends when one seat has four pawns home, so two cannot")
    if not finished and read.rolls != cap:
        raise BadPosition(f"phase: over with four pawns of a seat home, or after {cap} rolls (options.cap)")


def _check_move(read: _Position, pawns: tuple[Pawns, ...]) -> tuple[str, ...]:
    """The legal list of a position that waits for a decision."""
    if read.to_act is None:
        raise BadPosition("to_act: a seat of the match until it is over")
    if read.to_act not in read.seats:
        raise BadPosition(f"to_act: {read.to_act} has no seat in this match")
    if len(read.dice) != 2:
        raise BadPosition("dice: two numbers until the match is over")
    if read.dice[0] < read.dice[1]:
        raise BadPosition("dice: the larger number stands first")
    if read.dice == [6, 6] and "double_six" not in read.extra:
        raise BadPosition("extra: holds double_six from the roll of a double six on")
    if (HOME,) * PAWNS in pawns:
        raise BadPosition("phase: over when a seat has four pawns home")
    mask = movable(TABLES[len(read.seats)], pawns, read.seats.index(read.to_act), read.dice[read.die])
    if not mask:
        raise BadPosition(
            f"die: {read.to_act} has no legal action for the {read.dice[read.die]}, so it would have been skipped"
        )
    return LISTS[mask]
