"""The `sampler` bot: it assumes the hidden stones many times over, and plays each legal action out."""

from __future__ import annotations

import json
from random import Random
from typing import NamedTuple

from games.api import Json, Observation, Reply
from games.chance import Draws
from games.twenty_one.playout import Table
from games.twenty_one.rules import INSTANT
from games.twenty_one.stones import EACH, INDEX, JOKER, SEATS, SECOND_GRID, STONES, TOWER, VALUE
from games.twenty_one.tactics import NAMED, Towers, mask, placements, seen_stones
from games.twenty_one.view import HIDDEN

DEALS = 40
"""So many times the hidden stones are dealt anew for one decision."""


class Memory(NamedTuple):
    """What it carries in its notes: the round, and the stones that the other cannot have in hand, having passed."""

    round: int = 0
    absent: tuple[str, ...] = ()

    def to_notes(self) -> str:
        """The notes as JSON text."""
        return json.dumps(self._asdict())


def sampler(seen: Observation, draws: Draws) -> Reply:
    """The action with the best mean result over deals that fit everything known; ties by legal order.

    One that wins at once is played without a try: none can be better.
    """
    if not seen.legal:
        return Reply(())
    memory = recall(seen)
    action = seen.legal[0] if len(seen.legal) == 1 else _best(seen, memory, draws)
    return Reply((action,), notes=memory.to_notes())


def recall(seen: Observation) -> Memory:
    """The memory from the notes and from what happened since; notes of another round or of another make count not."""
    number = seen.view["round"]
    try:
        kept = json.loads(seen.notes)
        absent = {name for name in kept["absent"] if name in INDEX} if kept["round"] == number else set()
    except (ValueError, TypeError, KeyError, RecursionError):
        absent = set()
    return Memory(number, tuple(sorted(absent | _unplaceable(seen), key=INDEX.__getitem__)))


def _unplaceable(seen: Observation) -> set[str]:
    """The stones that nobody could have placed when the other passed: it had none of them left.

    Told are the events since the last decision, so the towers of that moment are today's less what was built since.
    """
    absent: set[str] = set()
    towers = {colour: list(layers) for colour, layers in seen.view["towers"].items()}
    for event in reversed(seen.events):
        fields = event.fields
        if event.kind == "round":
            return absent
        if event.kind == "pass" and fields["seat"] != seen.seat:
            then = Towers.seen({"towers": towers})
            absent |= {
                STONES[stone]
                for stone in range(len(STONES))
                if any(not replacing for _, _, replacing in placements(then, 0, stone, 0))
            }
        elif event.kind in ("place", "replace"):
            towers[fields["tower"]].pop()
            if event.kind == "replace":
                below = towers[fields["tower"]][-1]
                joker = {"stone": STONES[JOKER], "by": fields["joker_of"], "counts": below["counts"]}
                towers[fields["tower"]].append(joker)
    return absent


def _best(seen: Observation, memory: Memory, draws: Draws) -> str:
    # Many small draws are wanted: Python's own generator, whose `random()` is the same everywhere, is seeded by one.
    random = Random(draws.next())  # noqa: S311
    sums = [0.0] * len(seen.legal)
    me = SEATS.index(seen.seat)
    for _ in range(DEALS):
        table = deal(seen, memory, random)
        for index, action in enumerate(seen.legal):
            trial = table.copy()
            _play(trial, me, action)
            if trial.towers.goals[me] >= INSTANT:
                return action
            result = trial.play_out(random)
            sums[index] += 1 - result if me else result
    return seen.legal[sums.index(max(sums))]


def _play(table: Table, seat: int, action: str) -> None:
    verb, *words = action.split(" ")
    if verb == "take":
        table.take(seat, words[0], words[1], words[2])
        return
    if verb != "pass":
        table.build(seat, INDEX[words[0]], TOWER[words[2]], verb == "replace")
    table.turn += 1


def deal(seen: Observation, memory: Memory, random: Random) -> Table:
    """The table with every hidden stone assumed, so that announcements, passes and each seat's share are met."""
    view, seat = seen.view, seen.seat
    me = SEATS.index(seat)
    other = SEATS[1 - me]
    hidden = _Hidden(view, seat, random)
    hand = hidden.hand(view["announced"][other], memory.absent)
    theirs = hidden.fill(view["grids"][other], hidden.jokers_of(other) - hand.count(JOKER))
    mine = hidden.fill(view["grids"][seat], hidden.jokers_of(seat))
    grids: list[list[list[int | None]]] = [mine, theirs] if me == 0 else [theirs, mine]
    hands = [[INDEX[name] for name in view["hands"][seat]], hand]
    shown = seen_stones(view, seat)
    common = [layer["stone"] for tower in view["towers"].values() for layer in tower] + view["out"]
    common += view["discards"]["p1"] + view["discards"]["p2"]
    second = view["round"] >= SECOND_GRID
    own_view = common + [STONES[stone] for stone in (*hand, *(each for each in theirs[second] if each is not None))]
    knowledge = [shown, own_view]
    if me:
        hands.reverse()
        knowledge.reverse()
    jokers = 2 * view["options"]["jokers"]
    return Table(
        Towers.seen(view),
        (grids[0], grids[1]),
        hands,
        [view["direction"][name] for name in SEATS],
        [view["announced"][name]["kind"] if view["announced"][name] else "" for name in SEATS],
        [mask([name for name in known if name != STONES[JOKER]]) for known in knowledge],
        [jokers - known.count(STONES[JOKER]) for known in knowledge],
        view["round"],
        view["turn"],
        tie_break=view["options"]["tie_break"] == "closest",
    )


class _Hidden:
    """The stones that a seat has not seen, to be dealt to where they may lie."""

    def __init__(self, view: Json, seat: str, random: Random) -> None:
        self.view = view
        self.random = random
        shown = set(seen_stones(view, seat))
        self.coloured = [stone for stone in range(JOKER) if STONES[stone] not in shown]
        random.shuffle(self.coloured)

    def jokers_of(self, seat: str) -> int:
        """How many jokers of a seat lie hidden: those it was dealt, less those in sight and those replaced.

        A seat's share is 18 stones wherever they are, so what is missing of it are its jokers that were replaced.
        """
        view = self.view
        own: list[str] = [stone for grid in view["grids"][seat] for stone in grid if stone is not None]
        own += view["hands"][seat]
        own += view["discards"][seat]
        own += [layer["stone"] for tower in view["towers"].values() for layer in tower if layer["by"] == seat]
        dealt: int = view["options"]["jokers"]
        return dealt - own.count(STONES[JOKER]) - (EACH - len(own))

    def hand(self, announced: Json | None, absent: tuple[str, ...]) -> list[int]:
        """Stones for what is left of an announcement, none of them `absent` if that is possible."""
        hand: list[int] = []
        for item in announced["left"] if announced else ():
            if item in ("grey", 0):
                hand.append(JOKER)
                continue
            named = NAMED[announced["kind"]] if announced else VALUE
            fitting = [stone for stone in self.coloured if named[stone] == item]
            stone = next((stone for stone in fitting if STONES[stone] not in absent), fitting[0])
            self.coloured.remove(stone)
            hand.append(stone)
        return hand

    def fill(self, grids: list[list[str | None]], jokers: int) -> list[list[int | None]]:
        """Grids with a stone for each hidden one; so many of these are jokers."""
        hidden = sum(grid.count(HIDDEN) for grid in grids)
        share = [JOKER] * jokers + [self.coloured.pop() for _ in range(hidden - jokers)]
        self.random.shuffle(share)
        return [
            [None if name is None else share.pop() if name == HIDDEN else INDEX[name] for name in grid]
            for grid in grids
        ]
