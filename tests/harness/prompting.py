"""Decisions of random matches as the seats that are asked see them, and their prompts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from games import get_game
from games.api import Allowance, Event, Message, Observation, Pledge
from games.chance import Draws
from harness.observation import Memory, Record, observe, shown_order
from harness.prompt import (
    Context,
    Past,
    render,
)
from harness.records import PromptMessage
from harness.spec import Interface, Talk

GAME = get_game("so_long_sucker")
SEATS = GAME.seats(4)
KINDS = {kind: pledge.meaning for kind, pledge in GAME.pledges.items()}
PRESETS = ("modern", "classic")
RED_FIRST = next(
    seed for seed in range(99) if GAME.to_act(GAME.start(SEATS, GAME.Options(chips=3), seed).state) == "red"
)


def options(**changes: Any) -> dict[str, Any]:
    return GAME.Options.model_validate({"chips": 3, **changes}).model_dump(mode="json")


def context(**changes: Any) -> Context:
    base = Context(GAME.name, "red", SEATS, options(), None, Interface(), Talk(), "silent", KINDS)
    return replace(base, **changes)


def states(seed: int, rules: str = "modern", chips: int = 3) -> Iterator[tuple[Any, tuple[Event, ...]]]:
    """A random match: each position with the events that led to it."""
    state, events = GAME.start(SEATS, GAME.Options.model_validate({"chips": chips, "rules": rules}), seed)
    draws = Draws(f"play {seed}")
    yield state, events
    while GAME.to_act(state) is not None:
        state, events = GAME.apply(state, draws.choice(GAME.legal(state)))
        yield state, events


def observation(seed: int = RED_FIRST, **changes: Any) -> Observation:
    """The first decision of a match."""
    state, events = next(states(seed))
    seat = GAME.to_act(state)
    assert seat is not None
    table = Record(list(events))
    seen = observe(
        GAME, state, seat, SEATS, table, Memory(), asked="act", talk=Allowance(2, 280, private=True), pledges=True
    )
    return seen._replace(**changes)


def prompt(seen: Observation | None = None, ctx: Context | None = None, **more: Any) -> tuple[PromptMessage, ...]:
    seen = seen or observation()
    ctx = replace(ctx or context(), seat=seen.seat)
    return render(seen, seen.legal, ctx, more.get("history", ()), more.get("failures", ()))


def whole(messages: tuple[PromptMessage, ...]) -> str:
    return "\n".join(f"<<{message.role}>>\n{message.text}" for message in messages)


def decisions(seed: int, ctx: Context) -> Iterator[tuple[Observation, tuple[Past, ...], tuple[PromptMessage, ...]]]:
    """Every decision of a random match as the seat that is asked sees it, with what it answered before."""
    table = Record()
    memories = {seat: Memory() for seat in SEATS}
    draws = Draws(f"play {seed}")
    state = None
    for state, events in states(seed):
        table.events.extend(events)
        seat = GAME.to_act(state)
        if seat is None:
            return
        memory = memories[seat]
        seen = observe(
            GAME, state, seat, SEATS, table, memory, asked="act", talk=Allowance(2, 280, private=True), pledges=True
        )
        shown = shown_order(f"{seed}:{seat}:{memory.decision}", seen.legal)
        yield seen, tuple(memory.past), render(seen, shown, replace(ctx, seat=seat), memory.past, ())
        memory.events_seen, memory.messages_seen = len(table.events), len(table.messages)
        memory.decision += 1
        words = Message(seat, "all", f"my decision {memory.decision}", (Pledge("spare", "blue", 3),))
        table.messages.append(words)
        reply = json.dumps({"actions": [draws.choice(seen.legal)], "messages": [{"to": "all", "text": words.text}]})
        dropped = ("nothing may be said now",) * (memory.decision % 2)
        memory.past.append(Past(seen.decision, "act", seen.events, seen.messages, reply, (), "player", dropped))
