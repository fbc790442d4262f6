"""Positions from outside: each is checked down to the last stone before it becomes a state."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import PydanticCustomError

from games.api import BadPosition
from games.chance import SEED_LIMIT
from games.faults import first_fault
from games.twenty_one.options import read_options
from games.twenty_one.rules import INSTANT, TURNS, announcement
from games.twenty_one.state import STARTERS, Announcement, Layer, State, own_goals
from games.twenty_one.stones import (
    COLOUR,
    COLOURS,
    DIRECTIONS,
    EACH,
    FITS,
    GOAL,
    GRID,
    HAND,
    INDEX,
    JOKER,
    LINES,
    ROUNDS,
    SEATS,
    SECOND_GRID,
    STONES,
    VALUE,
)


def _known(name: str) -> str:
    if name not in INDEX:
        raise PydanticCustomError("stone", "Input should be a colour and 1 to 6, such as red4, or joker")
    return name


Stone = Annotated[str, AfterValidator(_known)]
Player = Literal["p1", "p2"]
Grid = Annotated[list[Stone | None], Field(min_length=GRID, max_length=GRID)]
Grids = Annotated[list[Grid], Field(min_length=2, max_length=2)]
_STRICT = ConfigDict(extra="forbid", strict=True)


class _Chance(BaseModel):
    model_config = _STRICT
    seed: Annotated[int, Field(ge=0, lt=SEED_LIMIT)]
    drawn: Annotated[int, Field(ge=0, lt=SEED_LIMIT)]


class _Grids(BaseModel):
    model_config = _STRICT
    p1: Grids
    p2: Grids


class _Stones(BaseModel):
    model_config = _STRICT
    p1: list[Stone]
    p2: list[Stone]


class _Directions(BaseModel):
    model_config = _STRICT
    p1: Literal["row", "column"] | None
    p2: Literal["row", "column"] | None


class _Announcement(BaseModel):
    model_config = _STRICT
    kind: Literal["colours", "numbers"]
    items: list[Any]
    left: list[Any]


class _Announced(BaseModel):
    model_config = _STRICT
    p1: _Announcement | None
    p2: _Announcement | None


class _Layer(BaseModel):
    model_config = _STRICT
    stone: Stone
    by: Player
    counts: Annotated[int, Field(ge=1, le=6)]


class _Towers(BaseModel):
    model_config = _STRICT
    red: list[_Layer]
    orange: list[_Layer]
    yellow: list[_Layer]
    green: list[_Layer]
    blue: list[_Layer]
    purple: list[_Layer]


class _Position(BaseModel):
    """The shape of a position: which keys, which types. Whether they fit each other is checked after."""

    model_config = _STRICT
    game: Literal["twenty_one"]
    options: dict[str, Any]
    chance: _Chance
    round: Annotated[int, Field(ge=1, le=ROUNDS)]
    turn: Annotated[int, Field(ge=0, lt=TURNS)]
    phase: Literal["take", "place", "over"]
    to_act: Player | None
    grids: _Grids
    direction: _Directions
    hands: _Stones
    announced: _Announced
    towers: _Towers
    discards: _Stones
    removed: list[Stone]
    out: list[Literal["joker"]]


def load(position: Any) -> State:
    """The state of a position from outside.

    One that no play could reach is accepted as long as it does not contradict itself: every stone is there once, each
    seat has had its share, and lines, hands and announcements are those of the round and the turn. Raises
    `BadPosition`, whose text begins with the field at fault.
    """
    try:
        read = _Position.model_validate(position)
    except ValidationError as error:
        raise BadPosition(first_fault(error, "position", whole=True)) from None
    try:
        settings = read_options(read.options)
    except ValidationError as error:
        raise BadPosition(first_fault(error, "options")) from None
    layers = [getattr(read.towers, colour) for colour in COLOURS]
    state = State(
        options=settings,
        seed=read.chance.seed,
        drawn=read.chance.drawn,
        removed=_stones(read.removed),
        round=read.round,
        turn=read.turn,
        phase=read.phase,
        to_act=None if read.to_act is None else SEATS.index(read.to_act),
        grids=(_grids(read.grids.p1), _grids(read.grids.p2)),
        direction=(read.direction.p1, read.direction.p2),
        hands=(_stones(read.hands.p1), _stones(read.hands.p2)),
        announced=(_announced(read.announced.p1), _announced(read.announced.p2)),
        towers=tuple(
            tuple(Layer(INDEX[layer.stone], SEATS.index(layer.by), layer.counts) for layer in tower) for tower in layers
        ),
        totals=tuple(sum(layer.counts for layer in tower) for tower in layers),
        discards=(_stones(read.discards.p1), _stones(read.discards.p2)),
        out=len(read.out),
    )
    _check_stones(state)
    _check_towers(state)
    _check_phase(state)
    for seat in (0, 1):
        _check_announcement(state, seat)
        _check_grids(state, seat)
        _check_hand(state, seat)
    return state


def _stones(names: list[str]) -> tuple[int, ...]:
    return tuple(INDEX[name] for name in names)


def _grids(grids: list[list[str | None]]) -> tuple[tuple[int | None, ...], tuple[int | None, ...]]:
    first, second = (tuple(None if name is None else INDEX[name] for name in grid) for grid in grids)
    return first, second


def _announced(read: _Announcement | None) -> Announcement | None:
    return None if read is None else Announcement(read.kind, tuple(read.items), tuple(read.left))


def _shares(state: State) -> Iterator[tuple[str, int | None, int]]:
    """Every stone of the position: where it lies, whose share it is of (None: of neither), and the stone."""
    for seat, name in enumerate(SEATS):
        for number, grid in enumerate(state.grids[seat]):
            for cell, stone in enumerate(grid):
                if stone is not None:
                    yield f"grids.{name}[{number}][{cell}]", seat, stone
        for place, stone in enumerate(state.hands[seat]):
            yield f"hands.{name}[{place}]", seat, stone
    for colour, tower in zip(COLOURS, state.towers, strict=True):
        for height, layer in enumerate(tower):
            yield f"towers.{colour}[{height}].stone", layer.by, layer.stone
    for seat, name in enumerate(SEATS):
        for place, stone in enumerate(state.discards[seat]):
            yield f"discards.{name}[{place}]", seat, stone
    for place, stone in enumerate(state.removed):
        yield f"removed[{place}]", None, stone


def _check_stones(state: State) -> None:
    """Every coloured stone once; of each seat as many coloured stones and at most as many jokers as it was dealt."""
    jokers = state.options.jokers
    places: dict[int, str] = {}
    coloured, grey = [0, 0], [0, 0]
    for place, seat, stone in _shares(state):
        if stone == JOKER:
            if seat is None:
                raise BadPosition(f"{place}: only coloured stones are removed")
            grey[seat] += 1
        elif stone in places:
            raise BadPosition(f"{place}: {STONES[stone]} lies at {places[stone]}, too, and exists once")
        else:
            places[stone] = place
            if seat is not None:
                coloured[seat] += 1
    if len(state.removed) != 2 * jokers:
        raise BadPosition(f"removed: {len(state.removed)} stones instead of {2 * jokers} (2 x options.jokers)")
    for seat, name in enumerate(SEATS):
        if coloured[seat] != EACH - jokers:
            raise BadPosition(
                f"grids.{name}: grids, hand, discards and placed stones of {name} hold {coloured[seat]} coloured "
                f"stones together instead of {EACH - jokers} (18 - options.jokers)"
            )
        if grey[seat] > jokers:
            raise BadPosition(
                f"grids.{name}: grids, hand, discards and placed stones of {name} hold {grey[seat]} jokers together, "
                f"more than {jokers} (options.jokers)"
            )
    if sum(grey) + state.out != 2 * jokers:
        raise BadPosition(
            f"out: {state.out} jokers here and {sum(grey)} elsewhere instead of {2 * jokers} together "
            "(2 x options.jokers)"
        )


def _check_towers(state: State) -> None:
    for tower, colour in enumerate(COLOURS):
        below: Layer | None = None
        for height, layer in enumerate(state.towers[tower]):
            place = f"towers.{colour}[{height}]"
            if tower not in FITS[layer.stone]:
                raise BadPosition(f"{place}.stone: {STONES[layer.stone]} does not fit the {colour} tower")
            if layer.stone == JOKER and (below is None or below.stone == JOKER):
                raise BadPosition(f"{place}.stone: a joker lies on a coloured stone")
            counts = below.counts if layer.stone == JOKER and below else VALUE[layer.stone]
            if layer.counts != counts:
                raise BadPosition(f"{place}.counts: {STONES[layer.stone]} counts {counts} here")
            below = layer
        if state.totals[tower] > GOAL:
            raise BadPosition(f"towers.{colour}: counts {state.totals[tower]} together, more than {GOAL}")


def _check_phase(state: State) -> None:
    starter = STARTERS[state.round - 1]
    goals = [own_goals(state, seat) for seat in (0, 1)]
    if min(goals) >= INSTANT:
        raise BadPosition(f"towers: both players own {INSTANT} towers of {GOAL}, and only one can have won")
    won = max(goals) >= INSTANT
    played_out = state.round == ROUNDS and state.turn == TURNS - 1
    if won and state.phase != "over":
        raise BadPosition(f"phase: over as soon as a player owns {INSTANT} towers of {GOAL}")
    if state.phase == "over":
        if not won and not played_out:
            raise BadPosition(f"phase: not over before the last turn, as nobody owns {INSTANT} towers of {GOAL}")
        if state.to_act is not None:
            raise BadPosition("to_act: null when the match is over")
    elif state.phase == "take":
        if state.turn:
            raise BadPosition("turn: 0 while lines are taken")
        first = state.announced[starter] is None
        if state.to_act != (starter if first else 1 - starter):
            raise BadPosition(
                f"to_act: {SEATS[starter]} takes a line first in round {state.round}, then the other, and announced "
                f"says that {'nobody' if first else SEATS[starter]} has"
            )
    elif state.to_act != (starter + state.turn) % 2:
        raise BadPosition(f"to_act: turn {state.turn} of round {state.round} is {SEATS[(starter + state.turn) % 2]}'s")


def _took(state: State, seat: int) -> bool:
    """Whether a seat has taken its line of the round, by whose turn it is."""
    return state.phase != "take" or state.to_act == 1 - STARTERS[state.round - 1] != seat


def _check_announcement(state: State, seat: int) -> None:
    name, said = SEATS[seat], state.announced[seat]
    if said is None:
        if _took(state, seat):
            raise BadPosition(f"announced.{name}: {name} has taken a line in this round and announced it")
        return
    if not _took(state, seat):
        raise BadPosition(f"announced.{name}: null until {name} takes a line in this round")
    possible: list[Any] = list(dict.fromkeys(COLOUR if said.kind == "colours" else range(7)))
    for key, items in (("items", said.items), ("left", said.left)):
        for place, item in enumerate(items):
            if type(item) is not type(possible[0]) or item not in possible:
                raise BadPosition(
                    f"announced.{name}.{key}[{place}]: one of {', '.join(map(str, possible))} (kind {said.kind})"
                )
    if len(said.items) != HAND or list(said.items) != sorted(said.items, key=possible.index):
        raise BadPosition(f"announced.{name}.items: {HAND} items, in the order {', '.join(map(str, possible))}")
    rest = iter(said.items)
    if not all(item in rest for item in said.left):
        raise BadPosition(f"announced.{name}.left: some of announced.{name}.items, in their order")


def _check_grids(state: State, seat: int) -> None:
    name, direction = SEATS[seat], state.direction[seat]
    second = state.round >= SECOND_GRID
    unused = state.grids[seat][not second]
    if any((stone is None) != second for stone in unused):
        what = "[0]: empty from round 4 on" if second else "[1]: full before round 4"
        raise BadPosition(f"grids.{name}{what}")
    grid = state.grids[seat][second]
    place = f"grids.{name}[{int(second)}]"
    taken = (state.round - 1) % (ROUNDS // 2) + _took(state, seat)
    if (direction is None) != (taken == 0):
        why = f"has taken {taken} lines of this grid" if taken else "has taken no line of this grid"
        raise BadPosition(f"direction.{name}: {name} {why}")
    empty = {cell for cell, stone in enumerate(grid) if stone is None}
    lines = [line for (way, _), line in LINES.items() if way == (direction or DIRECTIONS[0]) and empty >= set(line)]
    if len(empty) != taken * HAND or len(lines) != taken:
        raise BadPosition(f"{place}: {taken} lines of the direction {direction} are taken, and no other stone is")


def _check_hand(state: State, seat: int) -> None:
    name, hand, said = SEATS[seat], state.hands[seat], state.announced[seat]
    if said is None:
        if hand:
            raise BadPosition(f"hands.{name}: empty until {name} takes a line in this round")
        return
    if state.phase == "over" and max(own_goals(state, each) for each in (0, 1)) < INSTANT:
        if hand:
            raise BadPosition(f"hands.{name}: discarded after the last turn")
        return
    if announcement(said.kind, hand) != said.left:
        raise BadPosition(f"announced.{name}.left: what is announced of hands.{name}")
    # In a match won at once the turn of the winning placement is not counted on.
    turns = state.turn + (state.phase == "over")
    done = (turns + 1) // 2 if seat == STARTERS[state.round - 1] else turns // 2
    if not HAND - done <= len(hand):
        raise BadPosition(f"hands.{name}: {HAND - done} stones or more, since {name} had {done} turns in this round")
