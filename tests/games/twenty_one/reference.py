"""The rules once more, slow and plain, on positions as JSON: a second opinion for the engine.

Written from the rules alone, it shares nothing with the engine but the form of positions and events.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

WHEEL = ["red", "orange", "yellow", "green", "blue", "purple"]
STARTERS = {1: "p1", 2: "p2", 3: "p1", 4: "p1", 5: "p2", 6: "p1"}
ORDER = [f"{colour}{number}" for colour in WHEEL for number in range(1, 7)] + ["joker"]


def other(seat: str) -> str:
    return "p2" if seat == "p1" else "p1"


def number(stone: str) -> int:
    return 0 if stone == "joker" else int(stone[-1])


def colour(stone: str) -> str:
    return "grey" if stone == "joker" else stone.rstrip("123456")


class Table:
    """A position (complete, taken as sound) on which actions are played; `events` collects what happens."""

    def __init__(self, position: dict[str, Any]) -> None:
        self.at = deepcopy(position)
        self.events: list[dict[str, Any]] = []

    def tell(self, kind: str, audience: Any = "all", **fields: Any) -> None:
        self.events.append({"kind": kind, "audience": audience, **deepcopy(fields)})

    @property
    def grid_number(self) -> int:
        return 0 if self.at["round"] <= 3 else 1

    def total(self, tower: str) -> int:
        return sum(layer["counts"] for layer in self.at["towers"][tower])

    def owners(self) -> dict[str, str]:
        """Who owns each tower that is not empty."""
        return {tower: layers[-1]["by"] for tower, layers in self.at["towers"].items() if layers}

    def line(self, seat: str, direction: str, line: int) -> list[int]:
        """The cells of a line that is still whole, else nothing."""
        grid = self.at["grids"][seat][self.grid_number]
        cells = [cell for cell in range(9) if (cell // 3 if direction == "row" else cell % 3) == line - 1]
        return cells if all(grid[cell] for cell in cells) else []

    def fits(self, stone: str, tower: str) -> bool:
        apart = abs(WHEEL.index(colour(stone)) - WHEEL.index(tower))
        return apart in (0, 1, 5)

    def can_place(self, stone: str, tower: str) -> bool:
        layers = self.at["towers"][tower]
        if stone == "joker":
            return bool(layers) and layers[-1]["stone"] != "joker" and self.total(tower) + layers[-1]["counts"] <= 21
        return self.fits(stone, tower) and self.total(tower) + number(stone) <= 21

    def can_replace(self, stone: str, tower: str) -> bool:
        layers = self.at["towers"][tower]
        if stone == "joker" or not layers or layers[-1]["stone"] != "joker" or not self.fits(stone, tower):
            return False
        joker = layers[-1]["counts"]
        with_joker, without = self.total(tower) + number(stone), self.total(tower) - joker + number(stone)
        return with_joker > 21 >= without and number(stone) > joker

    def legal(self) -> list[str]:
        seat = self.at["to_act"]
        if seat is None:
            return []
        if self.at["phase"] == "take":
            own = self.at["direction"][seat]
            return [
                f"take {direction} {line} {kind}"
                for direction in ("row", "column")
                if own in (None, direction)
                for line in (1, 2, 3)
                if self.line(seat, direction, line)
                for kind in ("colours", "numbers")
            ]
        hand = [stone for stone in ORDER if stone in self.at["hands"][seat]]
        places = [f"place {stone} on {tower}" for stone in hand for tower in WHEEL if self.can_place(stone, tower)]
        replaces = [
            f"replace {stone} on {tower}" for stone in hand for tower in WHEEL if self.can_replace(stone, tower)
        ]
        return places + replaces + ([] if places else ["pass"])

    def play(self, action: str) -> None:
        assert action in self.legal()
        words = action.split()
        seat = self.at["to_act"]
        if words[0] == "take":
            self.take(seat, words[1], int(words[2]), words[3])
            return
        if words[0] == "pass":
            self.tell("pass", seat=seat)
        else:
            self.build(seat, words[0], words[1], words[3])
            if sum(self.total(tower) == 21 for tower, owner in self.owners().items() if owner == seat) >= 3:
                self.finish(seat, "instant")
                return
        self.go_on(seat)

    def take(self, seat: str, direction: str, line: int, kind: str) -> None:
        cells = self.line(seat, direction, line)
        grid = self.at["grids"][seat][self.grid_number]
        stones = [grid[cell] for cell in cells]
        for cell in cells:
            grid[cell] = None
        if kind == "numbers":
            items: list[Any] = sorted(number(stone) for stone in stones)
        else:
            items = [each for each in [*WHEEL, "grey"] for stone in stones if colour(stone) == each]
        self.at["direction"][seat] = direction
        self.at["hands"][seat] = stones
        self.at["announced"][seat] = {"kind": kind, "items": items, "left": list(items)}
        self.tell("take", seat=seat, direction=direction, line=line, announces=kind, items=items)
        self.tell("hand", [seat], seat=seat, stones=stones)
        if seat != STARTERS[self.at["round"]]:
            self.at["phase"] = "place"
        self.at["to_act"] = other(seat)

    def build(self, seat: str, verb: str, stone: str, tower: str) -> None:
        layers = self.at["towers"][tower]
        before = self.owners().get(tower)
        counts = number(stone) or layers[-1]["counts"]
        joker_of = None
        if verb == "replace":
            joker_of = layers.pop()["by"]
            self.at["out"].append("joker")
        layers.append({"stone": stone, "by": seat, "counts": counts})
        if verb == "replace":
            self.tell("replace", seat=seat, stone=stone, tower=tower, joker_of=joker_of, total=self.total(tower))
        else:
            self.tell("place", seat=seat, stone=stone, tower=tower, counts=counts, total=self.total(tower))
        if before != seat:
            self.tell("owner", tower=tower, seat=seat)
        self.at["hands"][seat].remove(stone)
        said = self.at["announced"][seat]
        said["left"].remove(number(stone) if said["kind"] == "numbers" else colour(stone))

    def go_on(self, seat: str) -> None:
        at = self.at
        if at["turn"] < 5:
            at["turn"] += 1
            at["to_act"] = other(seat)
            return
        starter = STARTERS[at["round"]]
        for each in (starter, other(starter)):
            if at["hands"][each]:
                self.tell("discard", seat=each, stones=at["hands"][each])
                at["discards"][each] += at["hands"][each]
                at["hands"][each] = []
        if at["round"] == 6:
            self.score()
            return
        at.update(round=at["round"] + 1, turn=0, phase="take", announced={"p1": None, "p2": None})
        at["to_act"] = STARTERS[at["round"]]
        self.tell("round", round=at["round"], starter=at["to_act"])
        if at["round"] == 4:
            at["direction"] = {"p1": None, "p2": None}
            for each in ("p1", "p2"):
                self.tell("grid", [each], seat=each, stones=at["grids"][each][1])

    def score(self) -> None:
        owned = {
            seat: [self.total(tower) for tower, owner in self.owners().items() if owner == seat]
            for seat in STARTERS.values()
        }
        ranks = [("towers", {seat: len(totals) for seat, totals in owned.items()})]
        if self.at["options"]["tie_break"] == "closest":
            ranks.append(("tie_break", {seat: totals.count(21) for seat, totals in owned.items()}))
            ranks.append(("tie_break", {seat: -sum(21 - total for total in totals) for seat, totals in owned.items()}))
        for how, rank in ranks:
            if rank["p1"] != rank["p2"]:
                self.finish(max(rank, key=rank.__getitem__), how)
                return
        self.finish(None, "draw")

    def finish(self, winner: str | None, how: str) -> None:
        if winner is None:
            self.tell("draw")
        else:
            self.tell("win", seat=winner, how=how)
        self.at.update(phase="over", to_act=None)
        self.tell("reveal", removed=self.at["removed"], grids=self.at["grids"], hands=self.at["hands"])
