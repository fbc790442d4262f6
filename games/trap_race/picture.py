"""What a bot knows of a match, turned so that its own goal row is row 30: a copy on which it tries things out."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from games.api import Json, Seat
from games.trap_race import paths
from games.trap_race.board import BY_TEXT, DIRECTIONS, GOAL, LETTERS, SEATS, SIZE, TEXT, WALL, WIDTH, turned
from games.trap_race.options import GOALS, PIECES, POOL, TOKENS

_STEP_WORDS = {step: word for word, step in DIRECTIONS.items()}
_TO_COSTS = bytes(LETTERS.get(chr(code), WALL) for code in range(256))
_EDGE, _SIDE = bytes([WALL]) * WIDTH, bytes([WALL])


@dataclass(slots=True)
class Side:
    """One side's pieces by number (0: off the board; number 0 is never used), points, and tokens."""

    pieces: list[int]
    score: int
    held: int
    coming: int

    def living(self) -> list[int]:
        """The numbers of the pieces on the board."""
        return [number for number, tile in enumerate(self.pieces) if tile]

    def copy(self) -> Side:
        """The same, to be changed without changing this one."""
        return replace(self, pieces=self.pieces.copy())


@dataclass(slots=True)
class Picture:
    """The board as the side sees it whose turn is planned.

    `avoid` are the enemy's live traps that it knows, `hidden` its own; `deadly` are traps unknown to it, which there
    are when one side imagines the other's turn. Fields of costs are worked out when they are first asked for.
    """

    terrain: bytes
    mine: Side
    theirs: Side
    avoid: frozenset[int]
    hidden: frozenset[int]
    deadly: frozenset[int]
    boxes: frozenset[int]
    power: str | None
    pool: int = POOL
    spent: list[int] = field(default_factory=lambda: [0] * (PIECES + 1))
    bonus: list[int] = field(default_factory=lambda: [0] * (PIECES + 1))
    _alone: list[int] | None = None
    _enemy: list[int] | None = None
    _walled: list[int] | None = None

    def copy(self) -> Picture:
        """The same, to be changed without changing this one."""
        return replace(
            self, mine=self.mine.copy(), theirs=self.theirs.copy(), spent=self.spent.copy(), bonus=self.bonus.copy()
        )

    def alone(self) -> list[int]:
        """S: the cheapest way home from every tile, avoiding known traps, as if there were no pieces."""
        if self._alone is None:
            self._alone = paths.field(paths.walled(self.terrain, self.avoid), GOAL[0])
        return self._alone

    def enemy(self) -> list[int]:
        """The enemy's S, as far as this side knows."""
        if self._enemy is None:
            self._enemy = paths.field(self.terrain, GOAL[1])
        return self._enemy

    def home(self, tile: int) -> int:
        """D: the cheapest way home from a tile with enemy pieces as walls; 500 and S where there is none."""
        if self._walled is None:
            self._walled = paths.field(paths.walled(self.terrain, (*self.avoid, *self.theirs.pieces)), GOAL[0])
        found = self._walled[tile]
        return found if found < paths.FAR else 500 + self.alone()[tile]

    def enemies_changed(self) -> None:
        """An enemy's piece has left the board."""
        self._walled = None

    def ground_changed(self, terrain: bytes) -> None:
        """A tile has become plains."""
        self.terrain = terrain
        self._alone = self._enemy = self._walled = None

    def grid(self) -> bytes:
        """What a step onto each tile costs; walls where pieces stand and where a known trap lies."""
        return paths.walled(self.terrain, (*self.avoid, *self.mine.pieces, *self.theirs.pieces))

    def other_side(self) -> Picture:
        """The enemy's turn after this one, as this side imagines it: the enemy knows none of its traps."""
        theirs = replace(self.theirs, pieces=_turned(self.theirs.pieces))
        theirs.held, theirs.coming = min(TOKENS, theirs.held + theirs.coming), 0
        return Picture(
            terrain=self.terrain[::-1],
            mine=theirs,
            theirs=replace(self.mine, pieces=_turned(self.mine.pieces)),
            avoid=frozenset(),
            hidden=frozenset(),
            deadly=frozenset(map(turned, self.hidden)),
            boxes=frozenset(map(turned, self.boxes)),
            power=None,
            _alone=self.enemy()[::-1],
        )

    def won(self) -> bool:
        """Whether the side has its five points."""
        return self.mine.score >= GOALS


def _turned(pieces: list[int]) -> list[int]:
    return [turned(tile) if tile else 0 for tile in pieces]


def see(view: Json, seat: Seat) -> Picture:
    """The picture of a seat from its view."""
    north = SEATS.index(seat) == 1
    other = SEATS[0] if north else SEATS[1]

    def tile(text: str) -> int:
        return turned(BY_TEXT[text]) if north else BY_TEXT[text]

    def side(name: Seat) -> Side:
        pieces = [0] * (PIECES + 1)
        for number, text in view["pieces"][name].items():
            pieces[int(number)] = tile(text)
        return Side(pieces, view["score"][name], view["tokens"][name]["held"], view["tokens"][name]["coming"])

    def numbers(values: dict[str, int]) -> list[int]:
        return [values.get(str(number), 0) for number in range(PIECES + 1)]

    def live(name: Seat) -> frozenset[int]:
        return frozenset(tile(text) for text, status in view["traps"][name].items() if status == "live")

    rows = (row.encode().translate(_TO_COSTS) for row in view["terrain"])
    terrain = _EDGE + b"".join(_SIDE + row + _SIDE for row in rows) + _EDGE
    return Picture(
        terrain=terrain[::-1] if north else terrain,
        mine=side(seat),
        theirs=side(other),
        avoid=live(other),
        hidden=live(seat),
        deadly=frozenset(),
        boxes=frozenset(map(tile, view["boxes"])),
        power=view["power"],
        pool=view["pool"],
        spent=numbers(view["spent"]),
        bonus=numbers(view["bonus"]),
    )


class Words:
    """Actions in words, as the seat has to say them whose picture is turned."""

    def __init__(self, seat: Seat) -> None:
        self._turn = SEATS.index(seat) == 1

    def tile(self, verb: str, tile: int) -> str:
        """An action on a tile."""
        return f"{verb} {TEXT[SIZE - 1 - tile if self._turn else tile]}"

    def move(self, number: int, step: int) -> str:
        """A step of a piece."""
        return f"move {number} {_STEP_WORDS[-step if self._turn else step]}"
