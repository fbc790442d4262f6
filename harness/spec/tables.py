"""Tables: how many seats a game is played with here, and how its matches are packed."""

from __future__ import annotations

from math import factorial

from games.api import Game
from harness.spec.faults import FieldError
from harness.spec.models import GameEntry, PlayerSpec, Tournament

MAX_PACK = 5040
"""`balanced` is refused for tables whose orders are more than this (eight seats)."""


def pool(spec: Tournament, entry: GameEntry) -> tuple[PlayerSpec, ...]:
    """Who plays this entry of `games`, in the file's order."""
    return tuple(player for player in spec.players if entry.players is None or player.label in entry.players)


def seats_at(entry: GameEntry, game: Game, players: int) -> int:
    """How many seats a table of this entry has: as the file says, else the most that the game and the players allow.

    Raises `FieldError`.
    """
    counts = ", ".join(str(number) for number in game.players)
    if entry.seats is None:
        fitting = [number for number in game.players if number <= players]
        if not fitting:
            raise FieldError("players", f"{_many(players)}; {game.name} needs at least {game.players[0]}")
        return max(fitting)
    if entry.seats not in game.players:
        raise FieldError("seats", f"{entry.seats} is not allowed; {game.name} is played with {counts}")
    if entry.seats > players:
        raise FieldError("players", f"{_many(players)}, fewer than the {entry.seats} seats of {game.name}")
    return entry.seats


def _many(players: int) -> str:
    return "only 1 player" if players == 1 else f"only {players} players"


def pack_size(spec: Tournament, seats: int) -> int:
    """How many matches a pack has: those that are played on one match seed so that every player has every seat.

    Raises `FieldError` for a table too large for `balanced`.
    """
    if spec.seating == "rotate":
        return seats
    if spec.seating != "balanced":
        return 1
    size = factorial(seats)
    if size > MAX_PACK:
        raise FieldError("seating", f"balanced plays all {size:,} orders of {seats} seats; use rotate")
    return size
