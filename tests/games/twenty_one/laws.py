"""What the laws need to know of towers to twenty-one: options to try, turns of the wheel, what a seat cannot know."""

from __future__ import annotations

import copy
from typing import Any

from games.api import Json
from games.chance import Draws

COLOURS = ("red", "orange", "yellow", "green", "blue", "purple")
SEATS = ("p1", "p2")
EVERY = [f"{colour}{number}" for colour in COLOURS for number in range(1, 7)]
OPTIONS: list[Json] = [
    {},
    {"jokers": 0},
    {"jokers": 1, "tie_break": "closest"},
    {"jokers": 2},
    {"tie_break": "closest"},
]


def relabellings(position: Json) -> list[dict[str, str]]:
    """A turn of the wheel by one and a reflection; together they give every relabelling that keeps neighbours."""
    turn = {colour: COLOURS[(place + 1) % 6] for place, colour in enumerate(COLOURS)}
    mirror = {colour: COLOURS[-place % 6] for place, colour in enumerate(COLOURS)}
    return [turn, mirror]


def relabel(value: Any, names: dict[str, str]) -> Any:
    """The same under other names of colours or seats; announced colours stay in wheel order."""
    if isinstance(value, str):
        return " ".join(names.get(word, _stone(word, names)) for word in value.split(" "))
    if isinstance(value, list):
        return [relabel(item, names) for item in value]
    if isinstance(value, dict):
        renamed = {names.get(key, key): relabel(item, names) for key, item in value.items()}
        for key in ("items", "left"):
            if key in renamed and any(item in COLOURS for item in renamed[key]):
                renamed[key].sort(key=(*COLOURS, "grey").index)
        return renamed
    return value


def _stone(word: str, names: dict[str, str]) -> str:
    return names[word[:-1]] + word[-1] if word[:-1] in names and word in EVERY else word


def item(stone: str, kind: str) -> str | int:
    """What a stone is announced as."""
    if kind == "colours":
        return "grey" if stone == "joker" else stone[:-1]
    return 0 if stone == "joker" else int(stone[-1])


def second_grids(position: Json) -> bool:
    """Whether the second grids have been shown to their owners."""
    return position["round"] >= 4


def rearranged(position: Json, seat: str, draws: Draws) -> Json:
    """A position that differs in all that a seat cannot know, and in which everything it was told is as true.

    What it has not seen (the other's grids and hand, the removed stones, its own second grid before round 4) is dealt
    anew: each player keeps its share of jokers, and the other's hand is one of which the same is left to announce.
    """
    if position["phase"] == "over":
        return {**position, "chance": {"seed": draws.pick(2**53), "drawn": draws.pick(100)}}
    result: Json = copy.deepcopy(position)
    other = SEATS[1 - SEATS.index(seat)]
    hidden = result["grids"][other] + ([] if second_grids(position) else [result["grids"][seat][1]])
    places = [(cells, cell) for cells in hidden for cell, stone in enumerate(cells) if stone not in (None, "joker")]
    pool = [cells[cell] for cells, cell in places] + result["removed"]
    pool += [stone for stone in result["hands"][other] if stone != "joker"]
    draws.shuffle(pool)
    announced = result["announced"][other]
    hand = []
    for left in announced["left"] if announced else ():
        if left in ("grey", 0):
            hand.append("joker")
        else:
            stone = next(stone for stone in pool if item(stone, announced["kind"]) == left)
            pool.remove(stone)
            hand.append(stone)
    draws.shuffle(hand)
    result["hands"][other] = hand
    for cells, cell in places:
        cells[cell] = pool.pop()
    result["removed"] = pool
    for cells in [result["grids"][seat][1]] if not second_grids(position) else []:
        _shuffle_left([cells], draws)
    _shuffle_left(result["grids"][other], draws)
    result["chance"] = {"seed": draws.pick(2**53), "drawn": draws.pick(100)}
    return result


def _shuffle_left(grids: list[list[str | None]], draws: Draws) -> None:
    """Mix what is left of a player's grids, jokers included."""
    left = [stone for cells in grids for stone in cells if stone is not None]
    draws.shuffle(left)
    for cells in grids:
        cells[:] = [None if stone is None else left.pop() for stone in cells]
