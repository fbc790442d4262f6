"""The state of a match, and its form as JSON."""

from __future__ import annotations

from typing import NamedTuple

from games.api import Json, Seat
from games.star_ludo.board import Pawns
from games.star_ludo.options import Settings

NAME = "star_ludo"
REASONS = ("double_six", "capture", "home")
"""What earns an extra turn."""


class State(NamedTuple):
    """A position. Seats other than in `seats` are indices into it; pawns count from 0.

    `pawns[seat][pawn]` is a place. `dice` holds the larger first, `die` is the one being played. `extra` are the
    reasons for an extra turn that are not yet spent. `legal` follows from the rest; it is kept since it must be known
    anyway to tell whether a die is skipped. When the match is over `to_act` is None, `dice`, `extra` and `legal` are
    empty and `die` is 0.
    """

    options: Settings
    seed: int
    drawn: int
    seats: tuple[Seat, ...]
    pawns: tuple[Pawns, ...]
    to_act: int | None
    dice: tuple[int, ...]
    die: int
    extra: tuple[str, ...]
    rolls: int
    legal: tuple[str, ...]


def dump(state: State) -> Json:
    """The whole position as JSON, with every option filled in."""
    return {
        "game": NAME,
        "options": state.options._asdict(),
        "chance": {"seed": state.seed, "drawn": state.drawn},
        **shown(state),
    }


def shown(state: State) -> Json:
    """What lies on the table, as JSON: the position without game, options and chance."""
    return {
        "seats": list(state.seats),
        "pawns": {seat: list(pawns) for seat, pawns in zip(state.seats, state.pawns, strict=True)},
        "to_act": None if state.to_act is None else state.seats[state.to_act],
        "dice": list(state.dice),
        "die": state.die,
        "extra": list(state.extra),
        "rolls": state.rolls,
        "phase": "over" if state.to_act is None else "move",
    }
