"""Positions in short hand for the tests: towers bottom to top as `p1:red6 p2:joker`, hands as `red4 joker`."""

from __future__ import annotations

from collections.abc import Mapping

from games import get_game
from games.api import Json
from tests.games.positions import changed as changed
from tests.games.positions import kinds as kinds
from tests.games.positions import legal_in, play_in
from tests.games.twenty_one.laws import COLOURS, EVERY, SEATS, item

GAME = get_game("twenty_one")
legal, play = legal_in(GAME), play_in(GAME)
STARTERS = ["p1", "p2", "p1", "p1", "p2", "p1"]


def announced(line: list[str], hand: list[str], kind: str) -> Json:
    """An announcement of a line, of which the hand is left."""
    order = [*COLOURS, "grey"] if kind == "colours" else list(range(7))
    items, left = (sorted((item(stone, kind) for stone in stones), key=order.index) for stones in (line, hand))
    return {"kind": kind, "items": items, "left": left}


def layers(tower: str) -> list[Json]:
    result: list[Json] = []
    for layer in tower.split():
        seat, stone = layer.split(":")
        counts = result[-1]["counts"] if stone == "joker" else int(stone[-1])
        result.append({"stone": stone, "by": seat, "counts": counts})
    return result


def position(
    towers: Mapping[str, str] | None = None,
    hand: str = "",
    *,
    number: int = 3,
    turn: int = 4,
    other: str | None = None,
    kinds: tuple[str, str] = ("numbers", "numbers"),
    options: Json | None = None,
) -> Json:
    """A position in which a stone is placed, the lines taken being rows from the top.

    `hand` is that of the seat to act, `other` that of the other (by default as many coloured stones as it must have).
    What is not named is dealt out in wheel order: first to the grids, then to the discards, the last are removed.
    """
    options = {"jokers": 3, "tie_break": "none", **(options or {})}
    built = {colour: layers((towers or {}).get(colour, "")) for colour in COLOURS}
    placed = [layer for tower in built.values() for layer in tower]
    starter = STARTERS[number - 1]
    second = SEATS[1 - SEATS.index(starter)]
    actor, waiting = (starter, second) if turn % 2 == 0 else (second, starter)
    held = {actor: hand.split(), waiting: (other or "").split()}
    rest = [stone for stone in EVERY if stone not in [each["stone"] for each in placed] + held[actor] + held[waiting]]
    if other is None:
        count = 3 - ((turn + 1) // 2 if waiting == starter else turn // 2)
        held[waiting], rest = rest[:count], rest[count:]
    grids, discards = {}, {}
    left = 9 - 3 * ((number - 1) % 3 + 1)
    for seat in SEATS:
        own = [layer["stone"] for layer in placed if layer["by"] == seat] + held[seat]
        coloured = 18 - options["jokers"] - sum(stone != "joker" for stone in own)
        share = rest[:coloured] + ["joker"] * (options["jokers"] - own.count("joker"))
        rest = rest[coloured:]
        cells = left if number > 3 else left + 9
        assert len(share) >= cells, "more stones on towers and in hand than there can be in this round"
        discards[seat] = share[cells:]
        taken: list[str | None] = [None] * (9 - left)
        current = taken + share[:left]
        grids[seat] = [[None] * 9, current] if number > 3 else [current, share[left:cells]]
    said = {}
    for seat, kind in zip(SEATS, kinds, strict=True):
        before = [layer["stone"] for layer in placed if layer["by"] == seat][::-1] + ["red1"] * 3
        said[seat] = announced((held[seat] + before)[:3], held[seat], kind)
    return {
        "game": "twenty_one",
        "options": options,
        "chance": {"seed": 5, "drawn": 69},
        "round": number,
        "turn": turn,
        "phase": "place",
        "to_act": actor,
        "grids": grids,
        "direction": dict.fromkeys(SEATS, "row"),
        "hands": {seat: held[seat] for seat in SEATS},
        "announced": said,
        "towers": built,
        "discards": discards,
        "removed": rest,
        "out": [],
    }


def start(options: Json | None = None, seed: int = 7) -> Json:
    return GAME.dump(GAME.start(SEATS, options or {}, seed).state)
