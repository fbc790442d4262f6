"""The state of a match, and its form as JSON."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from games.api import Json
from games.trap_race.board import COLUMNS, LETTERS, ROWS, SEATS, TEXT, WALL, tile_at
from games.trap_race.options import Settings

NAME = "trap_race"
LETTER_OF = {cost: letter for letter, cost in LETTERS.items()}
Tiles = frozenset[int]


class Box(NamedTuple):
    """A mystery box: its tile, what it holds (`steps`, `bridge`, `sense` or `booby`), and whether it was opened."""

    tile: int
    holds: str
    open: bool


class Pickup(NamedTuple):
    """The hidden power: its tile, its kind (`trap` or `terraform`), and whether it was found."""

    tile: int
    kind: str
    found: bool


class Mark(NamedTuple):
    """Where a nerf landed, shown until the end of that seat's next turn."""

    tile: int
    until: int


class State(NamedTuple):
    """A position. Seats are indices into `SEATS`, tiles are numbers as in `board`.

    `pieces[seat][n - 1]` is the tile of piece n, 0 when it is off the board; in setup the pieces not yet placed are off
    it. `terrain` holds the cost of entering each tile, `grid` the same with a wall where a piece stands. `spent` and
    `bonus` are those of the pieces of the seat whose turn it is, by number. `relaid[seat]` is the tile of a spent
    trap on which that seat has hidden its extra trap, 0 if there is none: the other seat goes on seeing the spent one.
    """

    options: Settings
    seed: int
    drawn: int
    phase: str
    to_act: int | None
    turn: int
    terrain: bytes
    grid: bytes
    biome: str
    first: int
    boxes: tuple[Box, ...]
    pickup: Pickup | None
    pieces: tuple[tuple[int, ...], ...]
    gone: tuple[int, int]
    score: tuple[int, int]
    live: tuple[Tiles, Tiles]
    sprung: tuple[Tiles, Tiles]
    relaid: tuple[int, int]
    known: tuple[Tiles, Tiles]
    held: tuple[int, int]
    coming: tuple[int, int]
    pool: int
    spent: tuple[int, ...]
    bonus: tuple[int, ...]
    bridge: tuple[frozenset[int], frozenset[int]]
    sense: frozenset[int]
    power: str | None
    marks: tuple[Mark, ...]


def with_walls(terrain: bytes, pieces: Iterable[Iterable[int]]) -> bytes:
    """The terrain with a wall on every tile where a piece stands."""
    grid = bytearray(terrain)
    for side in pieces:
        for tile in side:
            grid[tile] = WALL
    return bytes(grid)


def living(state: State, seat: int) -> int:
    """How many pieces a seat has on the board."""
    pieces = state.pieces[seat]
    return len(pieces) - pieces.count(0)


def pair(values: tuple[int, int], seat: int, change: int) -> tuple[int, int]:
    """A pair by seat with one value changed by so much."""
    return (values[0] + change, values[1]) if seat == 0 else (values[0], values[1] + change)


def dump(state: State) -> Json:
    """The whole position as JSON, with every option."""
    return {
        "game": NAME,
        "options": state.options._asdict(),
        "chance": {"seed": state.seed, "drawn": state.drawn},
        **whole(state),
    }


def whole(state: State) -> Json:
    """All that lies on the board and in the hands, as JSON: the position without game, options and chance.

    `relaid` is named only where there is one.
    """
    relaid = {SEATS[seat]: TEXT[tile] for seat, tile in enumerate(state.relaid) if tile}
    return {
        **public(state),
        "boxes": {TEXT[box.tile]: {"holds": box.holds, "open": box.open} for box in state.boxes},
        "pickup": pickup_json(state),
        "pieces": {SEATS[seat]: pieces_json(state, seat) for seat in (0, 1)},
        "traps": {SEATS[seat]: traps_json(state.live[seat], state.sprung[seat]) for seat in (0, 1)},
        "known": {SEATS[seat]: names(state.known[seat]) for seat in (0, 1)},
        "power": state.power,
        **({"relaid": relaid} if relaid else {}),
    }


def public(state: State) -> Json:
    """What both seats may know at any time, as JSON."""
    return {
        "phase": state.phase,
        "to_act": None if state.to_act is None else SEATS[state.to_act],
        "turn": state.turn,
        "terrain": terrain_rows(state.terrain),
        "biome": state.biome,
        "first": SEATS[state.first],
        "gone": dict(zip(SEATS, state.gone, strict=True)),
        "score": dict(zip(SEATS, state.score, strict=True)),
        "tokens": {SEATS[seat]: {"held": state.held[seat], "coming": state.coming[seat]} for seat in (0, 1)},
        "pool": state.pool,
        "spent": _by_number(state.spent),
        "bonus": _by_number(state.bonus),
        "bridge": {SEATS[seat]: [str(number) for number in sorted(state.bridge[seat])] for seat in (0, 1)},
        "sense": [str(number) for number in sorted(state.sense)],
        "marks": [{"tile": TEXT[mark.tile], "until": SEATS[mark.until]} for mark in state.marks],
    }


def _by_number(values: tuple[int, ...]) -> dict[str, int]:
    return {str(number): value for number, value in enumerate(values, start=1) if value}


def names(tiles: Iterable[int]) -> list[str]:
    """Tiles by name, row by row."""
    return [TEXT[tile] for tile in sorted(tiles)]


def pieces_json(state: State, seat: int) -> dict[str, str]:
    """A seat's pieces on the board, by number."""
    return {str(number): TEXT[tile] for number, tile in enumerate(state.pieces[seat], start=1) if tile}


def traps_json(live: Iterable[int], sprung: Iterable[int]) -> dict[str, str]:
    """Traps by tile, row by row."""
    status = dict.fromkeys(live, "live") | dict.fromkeys(sprung, "spent")
    return {TEXT[tile]: status[tile] for tile in sorted(status)}


def pickup_json(state: State) -> Json | None:
    """The pickup with all there is to know of it."""
    pickup = state.pickup
    return None if pickup is None else {"tile": TEXT[pickup.tile], "kind": pickup.kind, "found": pickup.found}


_ROW_STARTS = tuple(tile_at(row, 0) for row in range(ROWS))
_TO_LETTERS = bytes(ord(LETTER_OF.get(cost, "?")) for cost in range(256))


def terrain_rows(terrain: bytes) -> list[str]:
    """The terrain as one string of letters a row, row 0 first."""
    letters = terrain.translate(_TO_LETTERS).decode("ascii")
    return [letters[start : start + COLUMNS] for start in _ROW_STARTS]
