"""The dice to come show nowhere: whatever the generator holds, a seat is told the same until they are thrown."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import pytest

from games.api import Event, IllegalAction
from games.chance import Draws
from harness.observation import Memory, Record, observe
from harness.prompt import Context, Failure, render
from harness.spec import Interface, Talk
from tests.games.star_ludo.build import GAME, SEATS
from tests.games.star_ludo.laws import rearranged

TALK, INTERFACE = Talk(), Interface()
ATTEMPTED = ["move 1", "move 2", "move 3", "move 4", "move 5", "nonsense"]


class Told(NamedTuple):
    """What a seat is shown, asked in words, and answered when it tries what it may not."""

    shown: str
    prompt: str
    refusals: str


def told(state: Any, seat: str, seats: tuple[str, ...], record: Record) -> Told:
    seen = observe(GAME, state, seat, seats, record, Memory(), asked="act", talk=None, pledges=True)
    refusals = [refusal(state, action) for action in ATTEMPTED]
    context = Context(
        "star_ludo", seat, seats, GAME.dump(state)["options"], None, INTERFACE, TALK, "silent",
        {kind: meaning.meaning for kind, meaning in GAME.pledges.items()},
    )  # fmt: skip
    failures = [Failure('{"actions": ["move 9"]}', "illegal", line) for line in refusals if line != "legal"]
    prompt = [part for message in render(seen, seen.legal, context, (), failures) for part in message.parts]
    shown = [*seen[:6], [event.to_json() for event in seen.events], seen.legal, seen.alive]
    return Told(json.dumps(shown), "\n".join(prompt), "\n".join(refusals))


def refusal(state: Any, action: str) -> str:
    try:
        GAME.apply(state, action)
    except IllegalAction as refused:
        return f"{type(refused).__name__}: {refused}"
    return "legal"


@pytest.mark.parametrize("number", [2, 3, 4])
def test_other_dice_to_come_are_told_the_same(number):
    seats, compared, different = SEATS[number], 0, 0
    draws = Draws(f"secrecy {number}")
    state, events = GAME.start(seats, {"cap": 100}, number)
    record = Record()
    record.events += events
    while seat := GAME.to_act(state):
        other = GAME.load(rearranged(GAME.dump(state), seat, draws))
        assert told(other, seat, seats, record) == told(state, seat, seats, record)
        action = draws.choice(GAME.legal(state))
        step = GAME.apply(state, action)
        compared += 1
        different += step.events != GAME.apply(other, action).events
        state = step.state
        record.events += step.events
    assert compared > 90
    assert different > 40, "the dice must differ, or nothing is tested"


def test_neither_seed_nor_count_of_draws_is_named():
    """Numbers that occur nowhere else in a position."""
    state, events = GAME.start(SEATS[4], {}, 987654321987654)
    where = {**GAME.dump(state), "chance": {"seed": 987654321987654, "drawn": 76543212345}}
    record = Record()
    record.events += [Event.from_json(event.to_json()) for event in events]
    state = GAME.load(where)
    for text in told(state, GAME.to_act(state) or "", SEATS[4], record):
        assert "987654321987654" not in text
        assert "76543212345" not in text
