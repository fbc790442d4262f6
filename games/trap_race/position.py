"""Positions from outside: each is checked down to the last trap before it becomes a state."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from games.api import BadPosition
from games.chance import SEED_LIMIT
from games.faults import first_fault, quoted
from games.trap_race.board import (
    BY_TEXT,
    HALF,
    HOME_SET,
    LETTERS,
    NEUTRAL_ROW,
    PICKUP_TILES,
    SEATS,
    TEXT,
    TRAPPING,
    WALL,
    WATER,
    WIDTH,
)
from games.trap_race.options import (
    GOALS,
    NEUTRAL_TRAPS,
    PIECE_POINTS,
    PIECES,
    POOL,
    STEPS,
    TOKENS,
    TRAPS,
    Settings,
    read_options,
)
from games.trap_race.state import Box, Mark, Pickup, State, living, with_walls
from games.trap_race.turn import beaten, verdict

_STRICT = ConfigDict(extra="forbid", strict=True)
T = TypeVar("T")
Name = Literal["south", "north"]
Number = Literal["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15"]
Tile = Annotated[str, StringConstraints(pattern=r"^(0|[1-9][0-9]?),(0|[1-9][0-9]?)\z", max_length=5)]
Row = Annotated[str, StringConstraints(pattern=r"^[.fw]{30}\z", max_length=30)]
Count = Annotated[int, Field(ge=0, lt=SEED_LIMIT)]


class _Chance(BaseModel):
    model_config = _STRICT
    seed: Count
    drawn: Count


class _BySeat(BaseModel, Generic[T]):
    model_config = _STRICT
    south: T
    north: T

    def pair(self) -> tuple[T, T]:
        return (self.south, self.north)


class _Box(BaseModel):
    model_config = _STRICT
    holds: Literal["steps", "bridge", "sense", "booby"]
    open: bool


class _Pickup(BaseModel):
    model_config = _STRICT
    tile: Tile
    kind: Literal["trap", "terraform"]
    found: bool


class _Tokens(BaseModel):
    model_config = _STRICT
    held: Annotated[int, Field(ge=0, le=TOKENS)]
    coming: Annotated[int, Field(ge=0, le=TOKENS)]


class _Mark(BaseModel):
    model_config = _STRICT
    tile: Tile
    until: Name


class _Relaid(BaseModel):
    model_config = _STRICT
    south: Tile | None = None
    north: Tile | None = None


class _Position(BaseModel):
    """The shape of a position: which keys, which types. Whether they fit each other is checked after."""

    model_config = _STRICT
    game: Literal["trap_race"]
    options: dict[str, Any]
    chance: _Chance
    phase: Literal["setup", "turn", "over"]
    to_act: Name | None
    turn: Count
    terrain: Annotated[list[Row], Field(min_length=31, max_length=31)]
    biome: Literal["grass", "desert", "ice"]
    first: Name
    boxes: dict[Tile, _Box]
    pickup: _Pickup | None
    pieces: _BySeat[dict[Number, Tile]]
    gone: _BySeat[Annotated[int, Field(ge=0, le=PIECES)]]
    score: _BySeat[Annotated[int, Field(ge=0, le=GOALS)]]
    traps: _BySeat[dict[Tile, Literal["live", "spent"]]]
    known: _BySeat[list[Tile]]
    tokens: _BySeat[_Tokens]
    pool: Annotated[int, Field(ge=0, le=POOL)]
    spent: dict[Number, Annotated[int, Field(ge=1, le=PIECE_POINTS)]]
    bonus: dict[Number, Annotated[int, Field(ge=1, le=STEPS)]]
    bridge: _BySeat[list[Number]]
    sense: list[Number]
    power: Literal["trap", "terraform"] | None
    marks: list[_Mark]
    relaid: _Relaid | None = None


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
        settings = read_options(read.options)
    except ValidationError as error:
        raise BadPosition(first_fault(error, "options")) from None
    state = _state(read, settings)
    _check_board(state)
    _check_phase(state)
    if state.phase == "setup":
        _check_setup(state)
    else:
        _check_counts(state)
        _check_turn(state)
    return state


def _tile(text: str, field: str) -> int:
    if text not in BY_TEXT:
        raise BadPosition(f"{field}: there is no tile {quoted(text)}; tiles go from 0,0 to 30,29")
    return BY_TEXT[text]


def _numbers(numbers: list[Number], field: str) -> frozenset[int]:
    if [int(number) for number in numbers] != sorted({int(number) for number in numbers}):
        raise BadPosition(f"{field}: each piece once, in rising order")
    return frozenset(map(int, numbers))


def _by_number(values: dict[Number, int]) -> tuple[int, ...]:
    return tuple(dict(values).get(str(number), 0) for number in range(1, PIECES + 1))  # type: ignore[call-overload]


def _tiles(texts: Iterable[str], field: str) -> frozenset[int]:
    return frozenset(_tile(text, field) for text in texts)


def _state(read: _Position, settings: Settings) -> State:
    rows = (letters.encode().translate(_TO_COSTS) for letters in read.terrain)
    terrain = _EDGE + b"".join(_SIDE + row + _SIDE for row in rows) + _EDGE
    pieces = tuple(
        _by_number({number: _tile(tile, f"pieces.{name}.{number}") for number, tile in own.items()})
        for name, own in zip(SEATS, read.pieces.pair(), strict=True)
    )
    traps = [
        {_tile(tile, f"traps.{name}"): status for tile, status in own.items()}
        for name, own in zip(SEATS, read.traps.pair(), strict=True)
    ]
    known = read.known.pair()
    for seat, name in enumerate(SEATS):
        if [_tile(tile, f"known.{name}") for tile in known[seat]] != sorted(_tiles(known[seat], f"known.{name}")):
            raise BadPosition(f"known.{name}: each tile once, row by row")
    pickup = read.pickup
    relaid = read.relaid
    if relaid is not None and {relaid.south, relaid.north} == {None}:
        raise BadPosition("relaid: names a tile where it is given at all")
    return State(
        options=settings,
        seed=read.chance.seed,
        drawn=read.chance.drawn,
        phase=read.phase,
        to_act=None if read.to_act is None else SEATS.index(read.to_act),
        turn=read.turn,
        terrain=terrain,
        grid=with_walls(terrain, ([tile for tile in own if tile] for own in pieces)),
        biome=read.biome,
        first=SEATS.index(read.first),
        boxes=tuple(sorted(Box(_tile(tile, f"boxes.{tile}"), box.holds, box.open) for tile, box in read.boxes.items())),
        pickup=None if pickup is None else Pickup(_tile(pickup.tile, "pickup.tile"), pickup.kind, pickup.found),
        pieces=pieces,
        gone=read.gone.pair(),
        score=read.score.pair(),
        live=_status(traps, "live"),
        sprung=_status(traps, "spent"),
        relaid=(0, 0)
        if relaid is None
        else (
            _tile(relaid.south, "relaid.south") if relaid.south else 0,
            _tile(relaid.north, "relaid.north") if relaid.north else 0,
        ),
        known=(_tiles(known[0], "known.south"), _tiles(known[1], "known.north")),
        held=(read.tokens.south.held, read.tokens.north.held),
        coming=(read.tokens.south.coming, read.tokens.north.coming),
        pool=read.pool,
        spent=_by_number(read.spent),
        bonus=_by_number(read.bonus),
        bridge=(_numbers(read.bridge.south, "bridge.south"), _numbers(read.bridge.north, "bridge.north")),
        sense=_numbers(read.sense, "sense"),
        power=read.power,
        marks=tuple(Mark(_tile(mark.tile, "marks"), SEATS.index(mark.until)) for mark in read.marks),
    )


_TO_COSTS = bytes(LETTERS.get(chr(code), WALL) for code in range(256))
_SIDE = bytes([WALL])
_EDGE = _SIDE * WIDTH


def _status(traps: list[dict[int, Literal["live", "spent"]]], wanted: str) -> tuple[frozenset[int], frozenset[int]]:
    south, north = (frozenset(tile for tile, status in own.items() if status == wanted) for own in traps)
    return (south, north)


def _check_board(state: State) -> None:
    """What holds in every phase: boxes, traps and pieces lie where they can, and none where another does."""
    halves = [next((seat for seat in (0, 1) if box.tile in HALF[seat]), None) for box in state.boxes]
    if halves != [0, 1]:
        raise BadPosition("boxes: one in each half, off the neutral row")
    boxes = {box.tile for box in state.boxes}
    for seat, name in enumerate(SEATS):
        for tile in sorted((state.live[seat] | state.sprung[seat]) & boxes):
            raise BadPosition(f"traps.{name}: no trap lies on a mystery box, as at {TEXT[tile]}")
    standing = [tile for own in state.pieces for tile in own if tile]
    for seat, name in enumerate(SEATS):
        for number, tile in enumerate(state.pieces[seat], start=1):
            if tile and standing.count(tile) > 1:
                raise BadPosition(f"pieces.{name}.{number}: another piece stands on {TEXT[tile]}")
    pickup = state.pickup
    if pickup is not None:
        if pickup.tile not in PICKUP_TILES:
            raise BadPosition("pickup.tile: in rows 3 to 14 or 16 to 27")
        if pickup.tile in boxes:
            raise BadPosition("pickup.tile: not on a mystery box")
        if not pickup.found and pickup.tile in state.live[0] | state.live[1]:
            raise BadPosition("pickup.tile: not on a live trap while it is not found")
    for seat, name in enumerate(SEATS):
        if not state.known[seat] <= state.live[1 - seat]:
            raise BadPosition(f"known.{name}: only live traps of {SEATS[1 - seat]}")


def _check_phase(state: State) -> None:
    if (state.phase == "over") != (state.to_act is None):
        raise BadPosition("to_act: null when the match is over, and only then")
    if state.phase == "setup":
        if state.turn:
            raise BadPosition("turn: 0 in phase setup")
        if state.pickup is not None:
            raise BadPosition("pickup: null until both setups are done")
        return
    if not 1 <= state.turn <= state.options.cap:
        raise BadPosition(f"turn: from 1 to {state.options.cap} (options.cap) once both setups are done")
    if state.pickup is None:
        raise BadPosition("pickup: known to the position once both setups are done")


def _check_setup(state: State) -> None:
    for field, value in (
        ("gone", any(state.gone)),
        ("score", any(state.score)),
        ("traps", any(state.sprung)),
        ("known", any(state.known)),
        ("tokens", any(state.held + state.coming)),
        ("pool", state.pool != POOL),
        ("spent", any(state.spent)),
        ("bonus", any(state.bonus)),
        ("bridge", any(state.bridge)),
        ("sense", state.sense),
        ("power", state.power is not None),
        ("marks", state.marks),
        ("relaid", any(state.relaid)),
        ("boxes", any(box.open for box in state.boxes)),
    ):
        if value:
            raise BadPosition(f"{field}: as at the start while the setup lasts")
    acting = state.to_act
    for seat, name in enumerate(SEATS):
        own, live = [tile for tile in state.pieces[seat] if tile], state.live[seat]
        if state.pieces[seat][: len(own)] != tuple(own):
            raise BadPosition(f"pieces.{name}: numbered from 1 as they were placed")
        if not HOME_SET[seat].issuperset(own):
            raise BadPosition(f"pieces.{name}: in the own three home rows while the setup lasts")
        if not live <= set(TRAPPING[seat]):
            raise BadPosition(f"traps.{name}: in the own half or on the neutral row while the setup lasts")
        if any(state.terrain[tile] >= WATER for tile in live):
            raise BadPosition(f"traps.{name}: on land while the setup lasts")
        if len(live & NEUTRAL_ROW) > NEUTRAL_TRAPS:
            raise BadPosition(f"traps.{name}: at most {NEUTRAL_TRAPS} on the neutral row")
        if len(live) > TRAPS:
            raise BadPosition(f"traps.{name}: at most {TRAPS}")
        done = len(own) == PIECES and len(live) == TRAPS
        if seat == acting and done:
            raise BadPosition(f"to_act: {name} has placed everything")
        if acting == 1 and seat == 0 and not done:
            raise BadPosition(f"to_act: south sets up first: {PIECES} pieces and {TRAPS} traps")
        if acting == 0 and seat == 1 and (own or live):
            raise BadPosition("to_act: north places nothing before south is done")
    _check_room(state)


def _check_room(state: State) -> None:
    """Whatever the two sides place, the setup can be finished."""
    boxes = {box.tile for box in state.boxes}
    land = {tile for tile in TEXT if state.terrain[tile] < WATER} - boxes
    for seat, name in enumerate(SEATS):
        room = len(land & HALF[seat]) + min(NEUTRAL_TRAPS, len(land & NEUTRAL_ROW))
        if room < TRAPS:
            raise BadPosition(f"terrain: {name} has not land enough for {TRAPS} traps")
    if len(land.intersection(PICKUP_TILES)) <= 2 * TRAPS:
        raise BadPosition("terrain: not land enough in rows 3 to 14 and 16 to 27 to hide the pickup beside the traps")


def _check_counts(state: State) -> None:
    pickup = state.pickup
    used = pickup is not None and pickup.found and pickup.kind == "trap" and state.power is None
    extra = 0
    for seat, name in enumerate(SEATS):
        total = living(state, seat) + state.gone[seat] + state.score[seat]
        if total != PIECES:
            raise BadPosition(f"pieces.{name}: on the board, gone and scored are {total} together instead of {PIECES}")
        if state.held[seat] + state.coming[seat] > TOKENS:
            raise BadPosition(f"tokens.{name}: at most {TOKENS}, held and to come")
        traps = len(state.live[seat]) + len(state.sprung[seat])
        extra += traps - TRAPS + bool(state.relaid[seat])
        if not TRAPS <= traps <= TRAPS + used or extra > used:
            raise BadPosition(f"traps.{name}: {traps} instead of {TRAPS}, or {TRAPS + 1} for who used an extra trap")
        if state.relaid[seat] and state.relaid[seat] not in state.live[seat]:
            raise BadPosition(f"relaid.{name}: the tile of a live trap of {name}")


def _check_turn(state: State) -> None:
    pickup = state.pickup
    if state.power is not None and (pickup is None or not pickup.found or pickup.kind != state.power):
        raise BadPosition("power: the kind of a pickup that was found")
    for seat, name in enumerate(SEATS):
        if not all(state.pieces[seat][number - 1] for number in state.bridge[seat]):
            raise BadPosition(f"bridge.{name}: only pieces on the board")
    movers = [state.to_act] if state.to_act is not None else [0, 1]
    for field, numbers in (
        ("spent", [number for number, value in enumerate(state.spent, start=1) if value]),
        ("bonus", [number for number, value in enumerate(state.bonus, start=1) if value]),
        ("sense", sorted(state.sense)),
    ):
        if not any(all(state.pieces[seat][number - 1] for number in numbers) for seat in movers):
            raise BadPosition(f"{field}: only pieces on the board of the side whose turn it is")
    if state.pool + sum(state.spent) > POOL:
        raise BadPosition(f"pool: with what the pieces spent more than {POOL}")
    if len(set(state.marks)) != len(state.marks):
        raise BadPosition("marks: each once")
    if state.score[0] == state.score[1] == GOALS:
        raise BadPosition(f"score: only one side can have {GOALS}")
    result = verdict(state, capped=False)
    if state.phase == "turn" and result is not None:
        raise BadPosition(f"phase: over, since the match is decided ({result[1]})")
    if state.phase == "over":
        if result is None and state.turn < state.options.cap:
            raise BadPosition("phase: nobody has won and the cap is not reached, so it is not over")
        if result is not None and result[1] == "attrition" and beaten(state, 0) and beaten(state, 1):
            raise BadPosition("pieces: only one side can have lost by attrition")
