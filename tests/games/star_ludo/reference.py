"""A plain second reading of the rulebook, on the position's own JSON, without tables: slow and easy to follow."""

from __future__ import annotations

import copy

from games.api import Json
from games.chance import draw

COLOURS = ["red", "green", "yellow", "blue"]
STARS = [0, 8, 13, 21, 26, 34, 39, 47]


def ring(seat: str, place: int) -> int | None:
    return (13 * COLOURS.index(seat) + place) % 52 if 0 <= place <= 50 else None


class Table:
    """A match that is played on; `at` is the position, `events` collect what happens."""

    def __init__(self, position: Json) -> None:
        self.at: Json = copy.deepcopy(position)
        self.events: list[Json] = []

    def tell(self, kind: str, **fields: object) -> None:
        self.events.append({"kind": kind, "audience": "all", **fields})

    def number(self) -> int:
        return int(self.at["dice"][self.at["die"]])

    def on_square(self, square: int) -> list[tuple[str, int]]:
        return [
            (seat, pawn)
            for seat in self.at["seats"]
            for pawn in range(4)
            if ring(seat, self.at["pawns"][seat][pawn]) == square
        ]

    def may(self, pawn: int) -> bool:
        seat, own, number = self.at["to_act"], self.at["pawns"][self.at["to_act"]], self.number()
        if own[pawn] == -1:
            return number in (1, 6) and 0 not in own and -1 not in own[:pawn]
        target = own[pawn] + number
        if target > 56:
            return False
        if target != 56 and target in own:
            return False
        square = ring(seat, target)
        return not (square in STARS and self.on_square(square))

    def legal(self) -> list[str]:
        return [] if self.at["to_act"] is None else [f"move {pawn + 1}" for pawn in range(4) if self.may(pawn)]

    def act(self, action: str) -> None:
        assert action in self.legal()
        seat, pawn, number = self.at["to_act"], int(action[-1]) - 1, self.number()
        own = self.at["pawns"][seat]
        before = own[pawn]
        own[pawn] = 0 if before == -1 else before + number
        if before == -1:
            self.tell("exit", seat=seat, pawn=pawn + 1, die=number)
        else:
            self.tell("move", seat=seat, pawn=pawn + 1, die=number, **{"from": before, "to": own[pawn]})
        square = ring(seat, own[pawn])
        for other, hit in self.on_square(square) if square is not None else []:
            if other != seat:
                self.at["pawns"][other][hit] = -1
                self.tell("capture", seat=seat, pawn=pawn + 1, of=other, of_pawn=hit + 1, square=square)
                self.at["extra"].append("capture")
        if own[pawn] == 56:
            self.tell("home", seat=seat, pawn=pawn + 1)
            if own == [56] * 4:
                self.tell("win", seat=seat)
                self.end()
                return
            self.at["extra"].append("home")
        if self.at["die"] == 0:
            self.at["die"] = 1
            self.go_on()
        else:
            self.next_turn()

    def go_on(self) -> None:
        """Wait for a decision if there is one, else skip this die."""
        if self.legal():
            return
        self.tell("skip", seat=self.at["to_act"], die=self.number())
        if self.at["die"] == 0:
            self.at["die"] = 1
            self.go_on()
        else:
            self.next_turn()

    def next_turn(self) -> None:
        if self.at["rolls"] == self.at["options"]["cap"]:
            self.tell("cap")
            self.end()
            return
        seat, extra = self.at["to_act"], self.at["extra"]
        if extra:
            spent = extra[:1] if self.at["options"]["extra"] == "stack" else extra[:]
            self.at["extra"] = extra[len(spent) :]
            self.tell("extra_turn", seat=seat, why=spent)
        else:
            seats = self.at["seats"]
            self.at["to_act"] = seats[(seats.index(seat) + 1) % len(seats)]
            self.tell("turn", seat=self.at["to_act"])
        self.roll()

    def roll(self) -> None:
        chance = self.at["chance"]
        thrown = [1 + int(draw(chance["seed"], chance["drawn"] + k) * 6 // 2**64) for k in (0, 1)]
        chance["drawn"] += 2
        self.at["rolls"] += 1
        self.tell("roll", seat=self.at["to_act"], dice=thrown)
        self.at["dice"], self.at["die"] = sorted(thrown, reverse=True), 0
        if thrown == [6, 6]:
            self.at["extra"].append("double_six")
        self.go_on()

    def end(self) -> None:
        self.at.update(to_act=None, dice=[], die=0, extra=[], phase="over")

    def places(self) -> dict[str, int]:
        merit = {seat: (pawns.count(56), sum(pawns)) for seat, pawns in self.at["pawns"].items()}
        return {seat: 1 + sum(other > mine for other in merit.values()) for seat, mine in merit.items()}
