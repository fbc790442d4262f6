"""Positions in short hand for the tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from games import get_game
from games.api import Json, Observation
from tests.games.positions import changed as changed
from tests.games.positions import kinds as kinds
from tests.games.positions import legal_in, play_in

GAME = get_game("star_ludo")
legal, play = legal_in(GAME), play_in(GAME, openly=True)
ALL = ("red", "green", "yellow", "blue")
SEATS = {2: ("red", "yellow"), 3: ("red", "green", "yellow"), 4: ALL}
YARD = [-1, -1, -1, -1]


def position(
    pawns: Mapping[str, list[int]],
    dice: tuple[int, int] = (5, 2),
    die: int = 0,
    to_act: str | None = "red",
    *,
    seats: int = 2,
    extra: Sequence[str] | None = None,
    rolls: int = 10,
    options: Json | None = None,
    chance: tuple[int, int] = (5, 21),
) -> Json:
    """A position that waits for a decision; pawns not named are in the yard."""
    return {
        "game": "star_ludo",
        "options": options or {},
        "chance": {"seed": chance[0], "drawn": chance[1]},
        "seats": list(SEATS[seats]),
        "pawns": {seat: [*pawns.get(seat, []), *YARD][:4] for seat in SEATS[seats]},
        "to_act": to_act,
        "dice": list(dice),
        "die": die,
        "extra": (["double_six"] if dice == (6, 6) else []) if extra is None else list(extra),
        "rolls": rolls,
        "phase": "move",
    }


def over(pawns: Mapping[str, list[int]], **more: Any) -> Json:
    """A position after the end."""
    return {**position(pawns, **more), "to_act": None, "dice": [], "die": 0, "extra": [], "phase": "over"}


def seen(where: Json, *, asked: Any = "act", notes: str = "") -> Observation:
    """What the seat to act is shown, in silence."""
    state = GAME.load(where)
    seat = GAME.to_act(state) or GAME.alive(state)[0]
    return Observation(
        game="star_ludo", seat=seat, seats=GAME.alive(state), decision=0, asked=asked, view=GAME.view(state, seat),
        events=(), messages=(), legal=GAME.legal(state) if asked == "act" else (), alive=GAME.alive(state), notes=notes,
    )  # fmt: skip
