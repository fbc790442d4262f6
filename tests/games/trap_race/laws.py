"""What the laws need to know of the trap race: options to try, the half-turn, and what a seat cannot know."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Any

from games.api import Json
from games.chance import Draws
from games.trap_race.board import BY_TEXT, HOME, NEUTRAL_ROW, PICKUP_TILES, TEXT, TILES, TRAPPING, turned

# Random play seldom ends by rule, so the cap decides how long a match is.
OPTIONS: list[Json] = [
    {"cap": 3},
    {"cap": 4, "water": 0.3, "forest": 0.0},
    {"cap": 4, "water": 0.0, "forest": 0.7, "attrition": "alive"},
    {"cap": 8},
]
OTHER = {"south": "north", "north": "south"}
WORDS = {**OTHER, "east": "west", "west": "east", **{TEXT[tile]: TEXT[turned(tile)] for tile in TILES}}


def relabellings(position: Json) -> list[dict[str, str]]:
    """The half-turn, which swaps the sides; not in the setup, where south goes first and `auto` draws from lists."""
    return [] if position["phase"] == "setup" else [OTHER]


def relabel(value: Any, names: dict[str, str]) -> Any:
    """The same with the board turned by half; lists of tiles stay in the order of rows."""
    if isinstance(value, str):
        return " ".join(WORDS.get(word, word) for word in value.split(" "))
    if isinstance(value, list):
        turned_list = [relabel(item, names) for item in value]
        tiles = all(isinstance(item, str) and item in BY_TEXT for item in turned_list)
        return sorted(turned_list, key=BY_TEXT.__getitem__) if tiles else turned_list
    if isinstance(value, dict):
        renamed = {WORDS.get(key, key): relabel(item, names) for key, item in value.items()}
        if "terrain" in renamed:
            renamed["terrain"] = [row[::-1] for row in reversed(value["terrain"])]
        return renamed
    return value


def rearranged(position: Json, seat: str, draws: Draws) -> Json:
    """A position that differs in all that a seat cannot know.

    That is the generator's state, and until the match is over: what closed boxes hold, where and what the pickup is,
    what the other found, where its unseen traps lie (also on top of its spent ones), what it knows, its whole setup.
    """
    new = copy.deepcopy(position)
    new["chance"] = {"seed": draws.pick(2**53), "drawn": draws.pick(2000)}
    if position["phase"] == "over":
        return new
    for box in new["boxes"].values():
        if not box["open"]:
            box["holds"] = draws.choice(("steps", "bridge", "sense", "booby"))
    if position["phase"] == "setup":
        _another_setup(new, seat, draws)
    else:
        _other_powers(new, seat, draws)
        _other_traps(new, seat, draws)
        _other_pickup(new, draws)
    return new


def _another_setup(new: Json, seat: str, draws: Draws) -> None:
    other = OTHER[seat]
    if new["to_act"] == other:
        pieces, traps = draws.pick(16), draws.pick(11)
        if pieces == 15 and traps == 10:
            traps = 9
    elif other == "south":
        pieces, traps = 15, 10
    else:
        return
    side = ("south", "north").index(other)
    homes = list(HOME[side])
    draws.shuffle(homes)
    new["pieces"][other] = {str(number): TEXT[homes[number - 1]] for number in range(1, pieces + 1)}
    land = [tile for tile in TRAPPING[side] if _is_land(new, tile) and TEXT[tile] not in new["boxes"]]
    draws.shuffle(land)
    neutral = [tile for tile in land if tile in NEUTRAL_ROW][:3]
    allowed = [tile for tile in land if tile not in NEUTRAL_ROW or tile in neutral]
    new["traps"][other] = {TEXT[tile]: "live" for tile in allowed[:traps]}


def _is_land(position: Json, tile: int) -> bool:
    row, column = map(int, TEXT[tile].split(","))
    return position["terrain"][row][column] != "w"


def _extra_used(position: Json) -> bool:
    return "relaid" in position or any(len(traps) > 10 for traps in position["traps"].values())


def _other_powers(new: Json, seat: str, draws: Draws) -> None:
    """What the other seat found, unless its traps show it; where it is not found yet, see `_other_pickup`."""
    holder_sees = new["power"] is not None and new["to_act"] == seat
    if not new["pickup"]["found"] or holder_sees or _extra_used(new):
        return
    new["pickup"]["kind"] = draws.choice(("trap", "terraform"))
    if new["power"] is not None:
        new["power"] = new["pickup"]["kind"]


def _other_traps(new: Json, seat: str, draws: Draws) -> None:
    other = OTHER[seat]
    traps, known = new["traps"][other], new["known"][seat]
    hidden = [tile for tile, status in traps.items() if status == "live" and tile not in known]
    relaid = new.get("relaid", {}).get(other)
    seen = {tile: status for tile, status in traps.items() if tile not in hidden}
    if relaid in hidden:
        seen[relaid] = "spent"
    hidden_extra = relaid not in known and (relaid is not None or len(traps) > 10)
    taken = {*seen, *new["boxes"], *new["pieces"][seat].values()}
    places = [TEXT[tile] for tile in TILES if TEXT[tile] not in taken]
    draws.shuffle(places)
    moved = dict.fromkeys(places[: len(hidden)], "live")
    spent = [tile for tile, status in seen.items() if status == "spent" and tile not in new["boxes"]]
    if relaid not in known:
        new.pop("relaid", None) if relaid else None
        if hidden_extra and hidden and spent and draws.pick(2):
            moved = dict.fromkeys(places[: len(hidden) - 1], "live")
            on_top = draws.choice(spent)
            seen[on_top] = "live"
            new["relaid"] = {other: on_top}
    new["traps"][other] = {**seen, **moved}
    mine = [tile for tile, status in new["traps"][seat].items() if status == "live"]
    new["known"][other] = _in_order(tile for tile in mine if draws.pick(2))


def _in_order(tiles: Iterable[str]) -> list[str]:
    return sorted(tiles, key=BY_TEXT.__getitem__)


def _other_pickup(new: Json, draws: Draws) -> None:
    if new["pickup"]["found"]:
        return
    live = {tile for traps in new["traps"].values() for tile, status in traps.items() if status == "live"}
    places = [TEXT[tile] for tile in PICKUP_TILES if TEXT[tile] not in live and TEXT[tile] not in new["boxes"]]
    new["pickup"] = {"tile": draws.choice(places), "kind": draws.choice(("trap", "terraform")), "found": False}


PLAYTHROUGH: Json = {"scenario": "last_five", "options": {"cap": 6}, "bot": "normal", "seed": 3}
