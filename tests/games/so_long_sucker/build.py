"""Positions in short hand for the tests: chips by the initials of their colours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from games import get_game
from games.api import Json
from tests.games.positions import changed as changed
from tests.games.positions import legal_in, play_in

GAME = get_game("so_long_sucker")
legal, play = legal_in(GAME), play_in(GAME, openly=True)
SEATS = ("red", "blue", "green", "yellow")
BY_INITIAL = {seat[0]: seat for seat in SEATS}


def chips(initials: str) -> list[str]:
    return [BY_INITIAL[initial] for initial in initials]


def position(
    hands: Mapping[str, str],
    piles: Sequence[str] = (),
    mover: str = "red",
    *,
    out: Sequence[str] = (),
    trail: Sequence[str] = (),
    chips_each: int = 4,
    options: Json | None = None,
    phase: str = "play",
    to_act: str | None = None,
    captured: str | None = None,
    asked: Sequence[str] = (),
    last_pile: int | None = None,
    first_pile: int = 1,
) -> Json:
    """A position; what lies nowhere lies in the dead box. `hands` are all chips held, prisoners among them."""
    held = {seat: chips(hands.get(seat, "")) for seat in SEATS}
    table = [chips(pile) for pile in piles]
    taken = None if captured is None else chips(captured)
    away = [chip for group in (*held.values(), *table, taken or []) for chip in group]
    return {
        "game": "so_long_sucker",
        "options": {"chips": chips_each, **(options or {})},
        "chance": {"seed": 5, "drawn": 1},
        "alive": [seat for seat in SEATS if seat not in out],
        "eliminated": list(out),
        "supply": {seat: held[seat].count(seat) for seat in SEATS},
        "prisoners": {
            seat: {colour: held[seat].count(colour) for colour in SEATS if colour != seat and colour in held[seat]}
            for seat in SEATS
        },
        "piles": [{"id": number, "chips": pile} for number, pile in enumerate(table, start=first_pile)],
        "next_pile": first_pile + len(table),
        "last_pile": last_pile,
        "dead": {colour: chips_each - away.count(colour) for colour in SEATS},
        "phase": phase,
        "mover": mover,
        "to_act": to_act or mover,
        "trail": list(trail),
        "captured": taken,
        "asked": list(asked),
    }


def turn(seat: str, why: str) -> Json:
    return {"kind": "turn", "seat": seat, "why": why}
