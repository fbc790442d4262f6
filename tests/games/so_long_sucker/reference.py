"""The rules once more, slow and plain, on positions as JSON: a second opinion for the engine.

Written from the rules alone, it shares nothing with the engine but the form of positions and events.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

SEATS = ["red", "blue", "green", "yellow"]


class Table:
    """A position (complete, taken as sound) on which actions are played; `events` collects what happens."""

    def __init__(self, position: dict[str, Any]) -> None:
        self.at = deepcopy(position)
        self.rule = self.at["options"]
        self.events: list[dict[str, Any]] = []

    def tell(self, kind: str, **fields: Any) -> None:
        self.events.append({"kind": kind, "audience": "all", **fields})

    def held(self, seat: str) -> list[str]:
        """Colours in hand, in seat order."""
        return [
            c for c in SEATS if (self.at["supply"][seat] if c == seat else self.at["prisoners"][seat].get(c, 0)) > 0
        ]

    def give(self, seat: str, colour: str, count: int = 1) -> None:
        if colour == seat:
            self.at["supply"][seat] += count
        else:
            hand = self.at["prisoners"][seat]
            hand[colour] = hand.get(colour, 0) + count
            if hand[colour] == 0:
                del hand[colour]

    def may_give(self, seat: str) -> list[str]:
        return [c for c in self.held(seat) if self.rule["donors"] == "any" or c != seat]

    def may_be_asked(self) -> list[str]:
        return [
            seat for seat in self.at["alive"]
            if seat != self.at["mover"] and seat not in self.at["asked"] and self.may_give(seat)
        ]  # fmt: skip

    def legal(self) -> list[str]:
        at = self.at
        if at["phase"] == "play":
            places = [f"on {pile['id']}" for pile in at["piles"]] + ["new"]
            return [f"play {colour} {place}" for colour in self.held(at["mover"]) for place in places]
        if at["phase"] == "kill":
            return [f"kill {colour}" for colour in SEATS if colour in at["captured"]]
        if at["phase"] == "next":
            if self.rule["choice"] == "table":
                return [f"next {seat}" for seat in at["alive"]]
            (pile,) = (pile for pile in at["piles"] if pile["id"] == at["last_pile"])
            return [f"next {seat}" for seat in at["alive"] if seat not in pile["chips"]]
        if at["phase"] == "ask":
            return [f"ask {seat}" for seat in self.may_be_asked()]
        if at["phase"] == "answer":
            return [f"donate {colour}" for colour in self.may_give(at["to_act"])] + ["refuse"]
        return []

    def act(self, action: str) -> None:
        at, words = self.at, action.split()
        mover, actor = at["mover"], at["to_act"]
        if words[0] == "play":
            self.play(mover, words[1], None if words[2] == "new" else int(words[3]))
        elif words[0] == "kill":
            self.tell("kill", seat=actor, colour=words[1])
            at["captured"].remove(words[1])
            at["dead"][words[1]] += 1
            for chip in at["captured"]:
                self.give(actor, chip)
            at["captured"] = None
            self.pass_move(mover, actor, "capture")
        elif words[0] == "next":
            self.pass_move(mover, words[1], "choice")
        elif words[0] == "ask":
            self.tell("ask", seat=mover, asked=words[1])
            at["asked"].append(words[1])
            at.update(phase="answer", to_act=words[1])
        elif words[0] == "donate":
            self.tell("donate", seat=actor, to=mover, colour=words[1])
            self.give(actor, words[1], -1)
            self.give(mover, words[1])
            at.update(phase="play", to_act=mover, asked=[])
        else:
            self.tell("refuse", seat=actor, to=mover)
            self.ask_or_leave()

    def play(self, mover: str, colour: str, number: int | None) -> None:
        at = self.at
        self.give(mover, colour, -1)
        if number is None:
            number = at["next_pile"]
            at["next_pile"] += 1
            at["piles"].append({"id": number, "chips": []})
            new = True
        else:
            new = False
        (pile,) = (pile for pile in at["piles"] if pile["id"] == number)
        pile["chips"].append(colour)
        self.tell("play", seat=mover, colour=colour, pile=number, new=new)
        if len(pile["chips"]) > 1 and pile["chips"][-2] == colour:
            at["piles"].remove(pile)
            captor = mover if self.rule["captor"] == "mover" else colour
            if captor in at["alive"]:
                self.tell("capture", seat=captor, pile=number, chips=list(pile["chips"]))
                at.update(phase="kill", to_act=captor, captured=pile["chips"])
            else:
                self.tell("to_dead", pile=number, chips=list(pile["chips"]))
                for chip in pile["chips"]:
                    at["dead"][chip] += 1
                self.pass_move(mover, mover, "again")
            return
        everywhere = [chip for each in at["piles"] for chip in each["chips"]]
        where = everywhere if self.rule["choice"] == "table" else pile["chips"]
        missing = [seat for seat in at["alive"] if seat not in where]
        if self.rule["choice"] == "pile" and len(missing) == 1:
            self.pass_move(mover, missing[0], "order")
        elif missing:
            at.update(phase="next", to_act=mover, last_pile=number)
        else:
            self.by_order(mover, pile["chips"])

    def by_order(self, mover: str, pile: list[str]) -> None:
        owners = [seat for seat in self.at["alive"] if seat in pile]
        if not owners:
            self.pass_move(mover, mover, "again")
        elif self.rule["order"] == "deepest":
            self.pass_move(mover, min(owners, key=pile.index), "order")
        else:
            # The topmost chip that lies deepest is the one furthest from the top.
            self.pass_move(mover, max(owners, key=pile[::-1].index), "order")

    def pass_move(self, giver: str, seat: str, why: str) -> None:
        if giver != seat:
            self.at["trail"].append(giver)
        self.move_to(seat, why)

    def move_to(self, seat: str, why: str) -> None:
        self.tell("turn", seat=seat, why=why)
        self.at.update(phase="play", mover=seat, to_act=seat, last_pile=None, asked=[])
        if not self.held(seat):
            self.ask_or_leave()

    def ask_or_leave(self) -> None:
        at, seat = self.at, self.at["mover"]
        if self.may_be_asked():
            at.update(phase="ask", to_act=seat)
            return
        self.tell("eliminated", seat=seat)
        at["alive"].remove(seat)
        at["eliminated"].append(seat)
        at["asked"] = []
        if len(at["alive"]) == 1:
            self.tell("win", seat=at["alive"][0])
            at.update(phase="over", mover=None, to_act=None)
            return
        while self.rule["heir"] == "rebound" and at["trail"]:
            heir = at["trail"].pop()
            if heir in at["alive"]:
                self.move_to(heir, "rebound")
                return
        after = SEATS.index(seat)
        around = SEATS[after + 1 :] + SEATS[:after]
        self.move_to(next(each for each in around if each in at["alive"]), "clockwise")
