"""What a seat cannot know shows nowhere: over whole matches, in all that the seat is told until a given turn.

A match is played. Then, for one seat and one turn, the deal is changed in everything that the seat has not seen up to
there, and the same actions are played from the changed deal. The seat must be told the same from first to last.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import pytest

from games.api import Event, IllegalAction, Json
from games.chance import Draws
from harness.observation import Memory, Record, observe
from harness.prompt import Context, render
from harness.spec import Interface, Talk
from tests.games.twenty_one.build import GAME, SEATS
from tests.games.twenty_one.laws import rearranged

TALK, INTERFACE = Talk(), Interface()
LINES = {("row", n): (3 * n - 3, 3 * n - 2, 3 * n - 1) for n in (1, 2, 3)}
LINES |= {("column", n): (n - 1, n + 2, n + 5) for n in (1, 2, 3)}
ATTEMPTS = 8


class Match(NamedTuple):
    """A random match: its states by ply, the actions, and the events of each (those of the start first)."""

    states: list[Any]
    actions: list[str]
    events: list[list[Json]]


def play(seed: int, options: Json) -> Match:
    state, events = GAME.start(SEATS, options, seed)
    match = Match([state], [], [[event.to_json() for event in events]])
    draws = Draws(f"secrecy:{seed}")
    while legal := GAME.legal(state):
        match.actions.append(draws.choice(legal))
        state, events = GAME.apply(state, match.actions[-1])
        match.states.append(state)
        match.events.append([event.to_json() for event in events])
    return match


def other_deal(match: Match, seat: str, ply: int, draws: Draws) -> Json:
    """The start of the match with all changed that a seat does not know by that ply.

    Lines that the other has played out are known by then as sets of three; which cell held which is not.
    """
    where = rearranged(GAME.dump(match.states[ply]), seat, draws)
    start = GAME.dump(match.states[0])
    other = SEATS[1 - SEATS.index(seat)]
    grids = {each: [list(grid) for grid in where["grids"][each]] for each in SEATS}
    for at in range(ply):
        for event in match.events[at + 1]:
            if event["kind"] != "take":
                continue
            taker, number = event["seat"], GAME.dump(match.states[at])["round"]
            cells = LINES[event["direction"], event["line"]]
            grid = grids[taker][number > 3]
            line = [start["grids"][taker][number > 3][cell] for cell in cells]
            if taker == other:
                if number == where["round"]:
                    placed = sorted(line)
                    for stone in GAME.dump(match.states[ply])["hands"][other]:
                        placed.remove(stone)
                    line = placed + where["hands"][other]
                draws.shuffle(line)
            for cell, stone in zip(cells, line, strict=True):
                grid[cell] = stone
    return {**start, "grids": grids, "removed": where["removed"], "chance": where["chance"]}


def told(match: Match, seat: str) -> list[tuple[str, str, str]]:
    """All that a seat is told by ply: each observation, the prompt made of it, and why some actions are refused."""
    record, memory, result = Record(), Memory(), []
    context = Context(
        "twenty_one", seat, SEATS, GAME.dump(match.states[0])["options"], None, INTERFACE, TALK, "off", {}
    )
    for ply, state in enumerate(match.states):
        record.events += [Event.from_json(event) for event in match.events[ply]]
        seen = observe(GAME, state, seat, SEATS, record, memory, asked="act", talk=None, pledges=False)
        mine = GAME.to_act(state) == seat
        seen = seen if mine else seen._replace(legal=())
        shown = json.dumps([*seen[:6], [event.to_json() for event in seen.events], seen.legal], sort_keys=True)
        refusals = [refusal(state, action) for action in ATTEMPTED] if mine else []
        prompt = [part for message in render(seen, seen.legal, context, (), ()) for part in message.parts]
        result.append((shown, "\n".join(prompt), "\n".join(refusals)))
        if mine:
            memory.events_seen = len(record.events)
            memory.decision += 1
    return result


ATTEMPTED = [
    "take row 1 colours", "take column 3 numbers", "place joker on red", "place red4 on red", "replace green5 on blue",
    "place purple6 on purple", "pass", "nonsense",
]  # fmt: skip


def refusal(state: Any, action: str) -> str:
    try:
        GAME.apply(state, action)
    except IllegalAction as refused:
        return f"{type(refused).__name__}: {refused}"
    return "legal"


def replay(start: Json, match: Match, ply: int) -> Match | None:
    """The same actions from another deal; None where a hand would not have had to pass, so the seat would know."""
    state = GAME.load(start)
    opening = [dict(event) for event in match.events[0]]
    for event in opening:
        if event["kind"] == "grid":
            event["stones"] = start["grids"][event["seat"]][0]
    other = Match([state], match.actions[:ply], [opening])
    for action in other.actions:
        try:
            state, events = GAME.apply(state, action)
        except IllegalAction:
            assert action == "pass"
            return None
        other.states.append(state)
        other.events.append([event.to_json() for event in events])
    return other


@pytest.mark.parametrize("options", [{}, {"jokers": 1}, {"jokers": 0}], ids=["3 jokers", "1 joker", "no jokers"])
@pytest.mark.parametrize("seat", SEATS)
def test_another_deal_is_told_the_same(seat, options):
    compared = different = 0
    for seed in range(6):
        match, draws = play(seed, options), Draws(f"other:{seed}:{seat}")
        original = told(match, seat)
        for ply in range(0, len(match.actions), 5):
            for _ in range(ATTEMPTS):
                start = other_deal(match, seat, ply, draws)
                if other := replay(start, match, ply):
                    assert told(other, seat) == original[: ply + 1]
                    compared += ply + 1
                    different += GAME.dump(other.states[ply]) != GAME.dump(match.states[ply])
                    break
    assert compared > 600
    assert different > 40, "the deals must differ, or nothing is tested"


@pytest.mark.parametrize("seat", SEATS)
def test_no_hidden_stone_is_named_in_all_that_a_seat_is_told(seat):
    other = SEATS[1 - SEATS.index(seat)]
    for seed in range(10):
        match = play(seed, {"jokers": 3})
        for ply, (shown, prompt, _) in enumerate(told(Match(match.states[:-1], match.actions, match.events), seat)):
            where = GAME.dump(match.states[ply])
            hidden = [
                *where["removed"],
                *where["hands"][other],
                *(stone for grid in where["grids"][other] for stone in grid),
            ]
            hidden += where["grids"][seat][1] if where["round"] < 4 else []
            for stone in set(hidden) - {None, "joker"}:
                assert stone not in shown
                assert stone not in prompt.replace("such as red4", "")


def test_events_for_one_seat_are_those_that_name_stones_unseen_by_the_other():
    for seed in range(10):
        for events in play(seed, {}).events:
            for event in events:
                private = event["kind"] in ("grid", "hand")
                assert event["audience"] == ([event["seat"]] if private else "all")
