"""A second reading of a turn's rules, as plainly as can be, on the position's JSON: slow, and nobody's engine."""

from __future__ import annotations

import copy
from collections.abc import Iterator

from games.api import Json

OTHER = {"south": "north", "north": "south"}
GOAL = {"south": 30, "north": 0}
STEPS = {"north": (1, 0), "south": (-1, 0), "east": (0, 1), "west": (0, -1)}
TILES = [(row, column) for row in range(31) for column in range(30)]


def row(tile: str) -> int:
    return int(tile.split(",")[0])


def beside(tile: str, step: tuple[int, int]) -> str:
    there = int(tile.split(",")[0]) + step[0], int(tile.split(",")[1]) + step[1]
    return f"{there[0]},{there[1]}"


def around(tile: str) -> list[str]:
    return [beside(tile, step) for step in STEPS.values()]


def letter(p: Json, tile: str) -> str:
    return p["terrain"][row(tile)][int(tile.split(",")[1])]


def standing(p: Json) -> set[str]:
    return {*p["pieces"]["south"].values(), *p["pieces"]["north"].values()}


def price(p: Json, me: str, number: str, tile: str) -> int | None:
    """What the step costs in all, None if it cannot be made at any price."""
    if tuple(map(int, tile.split(","))) not in TILES or tile in standing(p):
        return None
    if letter(p, tile) == "w":
        return 1 if number in p["bridge"][me] else None
    return 2 if letter(p, tile) == "f" else 1


def legal(p: Json) -> list[str]:
    me = p["to_act"]
    return [*moves(p, me), *nerfs(p, me), *powers(p, me), "end"]


def moves(p: Json, me: str) -> Iterator[str]:
    for number in sorted(p["pieces"][me], key=int):
        for word, step in STEPS.items():
            cost = price(p, me, number, beside(p["pieces"][me][number], step))
            if cost is not None:
                paid = max(0, cost - p["bonus"].get(number, 0))
                if paid <= p["pool"] and p["spent"].get(number, 0) + paid <= 3:
                    yield f"move {number} {word}"


def nerfs(p: Json, me: str) -> Iterator[str]:
    if p["tokens"][me]["held"] and p["pool"] >= 3:
        for number in sorted(p["pieces"][OTHER[me]], key=int):
            if set(around(p["pieces"][OTHER[me]][number])) & set(p["pieces"][me].values()):
                yield f"nerf {number}"


def powers(p: Json, me: str) -> Iterator[str]:
    if p["power"] and p["pool"] >= 3:
        for tile in (f"{one},{two}" for one, two in TILES):
            if p["power"] == "terraform":
                fits = letter(p, tile) != "."
            else:
                fits = tile not in standing(p) and tile not in p["boxes"] and p["traps"][me].get(tile) != "live"
            if fits:
                yield f"{p['power']} {tile}"


def play(position: Json, action: str) -> Json:
    """The position after a legal action of a turn; what is told of it is the engine's affair alone."""
    p = copy.deepcopy(position)
    me, words = p["to_act"], action.split(" ")
    if words[0] == "move":
        step(p, me, words[1], words[2])
    elif words[0] == "nerf":
        tile = p["pieces"][OTHER[me]][words[1]]
        lose(p, OTHER[me], words[1])
        p["tokens"][me]["held"] -= 1
        p["pool"] -= 3
        p["marks"].append({"tile": tile, "until": OTHER[me]})
    elif words[0] == "trap":
        if p["traps"][me].get(words[1]) == "spent":
            p["relaid"] = {me: words[1]}
        p["traps"][me][words[1]] = "live"
        p["pool"] -= 3
        p["power"] = None
    elif words[0] == "terraform":
        line = p["terrain"][row(words[1])]
        at = int(words[1].split(",")[1])
        p["terrain"][row(words[1])] = line[:at] + "." + line[at + 1 :]
        p["pool"] -= 3
        p["power"] = None
    else:
        end(p, me)
        return p
    if decided(p, capped=False):
        p["phase"], p["to_act"] = "over", None
    return p


def leave(p: Json, side: str, number: str) -> None:
    del p["pieces"][side][number]
    if side == p["to_act"]:
        p["spent"].pop(number, None)
        p["bonus"].pop(number, None)
        p["sense"] = [each for each in p["sense"] if each != number]
    p["bridge"][side] = [each for each in p["bridge"][side] if each != number]


def lose(p: Json, side: str, number: str) -> None:
    leave(p, side, number)
    p["gone"][side] += 1


def step(p: Json, me: str, number: str, word: str) -> None:
    tile = beside(p["pieces"][me][number], STEPS[word])
    cost = price(p, me, number, tile) or 0
    free = min(cost, p["bonus"].get(number, 0))
    for purse, amount in (("bonus", -free), ("spent", cost - free)):
        p[purse][number] = p[purse].get(number, 0) + amount
        if not p[purse][number]:
            del p[purse][number]
    p["pool"] -= cost - free
    if letter(p, tile) == "w":
        p["bridge"][me] = [each for each in p["bridge"][me] if each != number]
    p["pieces"][me][number] = tile
    enemy = OTHER[me]
    if p["traps"][enemy].get(tile) == "live":
        p["traps"][enemy][tile] = "spent"
        p["known"][me] = [each for each in p["known"][me] if each != tile]
        if p.get("relaid") == {enemy: tile}:
            del p["relaid"]
        return lose(p, me, number)
    box = p["boxes"].get(tile)
    if box and not box["open"] and (row(tile) > 15) == (me == "south"):
        box["open"] = True
        if box["holds"] == "booby":
            return lose(p, me, number)
        if box["holds"] == "steps":
            p["bonus"][number] = p["bonus"].get(number, 0) + 2
        elif box["holds"] == "bridge":
            p["bridge"][me] = sorted({*p["bridge"][me], number}, key=int)
        else:
            p["sense"] = sorted({*p["sense"], number}, key=int)
    if p["pickup"]["tile"] == tile and not p["pickup"]["found"]:
        p["pickup"]["found"] = True
        p["power"] = p["pickup"]["kind"]
    if number in p["sense"]:
        seen = {each for each in around(tile) if p["traps"][enemy].get(each) == "live"}
        p["known"][me] = sorted(
            {*p["known"][me], *seen}, key=lambda each: (row(each), int(each.split(",")[1]))
        )  # fmt: skip
    if row(tile) == GOAL[me] and letter(p, tile) != "w":
        leave(p, me, number)
        p["score"][me] += 1
        if p["tokens"][me]["held"] + p["tokens"][me]["coming"] < 2:
            p["tokens"][me]["coming"] += 1
    return None


def end(p: Json, me: str) -> None:
    for number in [each for each, tile in p["pieces"][me].items() if letter(p, tile) == "w"]:
        lose(p, me, number)
    p["power"], p["bonus"], p["sense"] = None, {}, []
    p["marks"] = [mark for mark in p["marks"] if mark["until"] != me]
    if decided(p, capped=p["turn"] == p["options"]["cap"]):
        p["phase"], p["to_act"] = "over", None
        return
    p["to_act"], p["turn"], p["pool"], p["spent"] = OTHER[me], p["turn"] + 1, 10, {}
    purse = p["tokens"][OTHER[me]]
    purse["held"], purse["coming"] = purse["held"] + purse["coming"], 0


def decided(p: Json, *, capped: bool) -> bool:
    def poor(side: str) -> bool:
        able = len(p["pieces"][side]) + (p["score"][side] if p["options"]["attrition"] == "reach" else 0)
        return able < 5

    return capped or 5 in p["score"].values() or any(map(poor, OTHER))
