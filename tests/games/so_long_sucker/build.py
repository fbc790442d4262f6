"""Positions in short hand for the tests: chips by the initials of their colours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from games import get_game
from games.api import Json, Step

GAME = get_game("so_long_sucker")
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


def legal(where: Json) -> list[str]:
    return list(GAME.legal(GAME.load(where)))


def play(where: Json, *actions: str) -> tuple[Json, list[Json]]:
    """The position after the actions and the events of the last one, as JSON without `audience`."""
    step = Step(GAME.load(where), ())
    for action in actions:
        step = GAME.apply(step.state, action)
    assert all(event.audience == "all" for event in step.events)
    return GAME.dump(step.state), [{"kind": event.kind, **event.fields} for event in step.events]


def turn(seat: str, why: str) -> Json:
    return {"kind": "turn", "seat": seat, "why": why}


def changed(where: Json, **changes: Any) -> Json:
    """The position with some fields replaced; `a__b` names the key b of the field a."""
    result = dict(where)
    for path, value in changes.items():
        field, _, key = path.partition("__")
        result[field] = {**result[field], key: value} if key else value
    return result
