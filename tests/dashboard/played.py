"""A whole match of any game, played by chance: its replay, made without a database."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache

from games import get_game
from games.api import Json
from games.chance import Draws
from harness.records import CallRecord, MatchRecord, MessageRecord, PledgeRecord, PromptMessage, SeatRecord, TurnRecord
from harness.replay import build, position_hash

NOW = datetime(2026, 1, 1, tzinfo=UTC)
OPTIONS: dict[str, Json] = {
    "so_long_sucker": {"chips": 2},
    "twenty_one": {},
    "star_ludo": {"cap": 30},
    "trap_race": {"cap": 6},
}
RULES = "The rules stand here, once for all prompts. " * 40
PRIVATE = "for your eyes alone"
PROMISE = "I give when you ask"


@cache
def played(game_name: str, seed: int = 3) -> Json:
    """The replay, not to be changed: every second seat has prompts, replies and thoughts, the first answer is illegal,
    and two messages are said, one of them in private."""
    game = get_game(game_name)
    options = game.Options.model_validate(OPTIONS[game_name])
    seats = game.seats(max(game.players))
    state, events = game.start(seats, options, seed)
    start, first = game.dump(state), tuple(event.to_json() for event in events)
    draws = Draws(f"watch {seed}")
    turns: list[TurnRecord] = []
    calls: list[CallRecord] = []
    while (seat := game.to_act(state)) is not None:
        legal = game.legal(state)
        action = "auto" if "auto" in legal else draws.choice(legal)
        ply = len(turns) + 1
        asked = seat in seats[::2]
        if asked:
            calls += _asked(ply, seat, action, retried=not calls)
        state, events = game.apply(state, action)
        turns.append(
            TurnRecord(
                ply=ply, seat=seat, action=action, source="player", position_hash=position_hash(game.dump(state)),
                events=tuple(event.to_json() for event in events), decision=ply, legal_count=len(legal),
                thoughts=f"thought of ply {ply}" if asked else None, notes=f"note of ply {ply}" if asked else None,
                at=NOW,
            )
        )  # fmt: skip
    outcome = game.outcome(state)
    assert outcome is not None
    pledges = [PledgeRecord(kind=kind, addressee=seats[1], turns=8) for kind in list(game.pledges)[:1]]
    messages = [
        MessageRecord(seq=0, ply=1, sender=seats[0], addressee="all", text=PROMISE, pledges=tuple(pledges)),
        MessageRecord(seq=1, ply=2, sender=seats[1], addressee=seats[0], text=PRIVATE),
    ]
    match = MatchRecord(
        id=7, number=0, game=game_name, options=options.model_dump(), seed=seed, status="finished", start=start,
        start_events=first, start_hash=position_hash(start), plies=len(turns), outcome=outcome.to_json(),
        seats=tuple(
            SeatRecord(seat=seat, label=f"label-{seat}", kind="model", model="openai/any", identity=seat)
            for seat in seats
        ),
    )  # fmt: skip
    return build(match, turns, messages, calls, run="watched")


def _asked(ply: int, seat: str, action: str, *, retried: bool) -> list[CallRecord]:
    prompt = (
        PromptMessage(role="system", parts=(RULES, f"You are {seat}.")),
        *(PromptMessage(role="user", parts=(f"News before ply {number}.",)) for number in range(1, ply + 1)),
    )
    call = CallRecord(
        ply=ply, seat=seat, decision=ply, label=f"label-{seat}", model="openai/any", prompt=prompt,
        sent={"temperature": 0.8}, content=f'{{"thoughts": "thought of ply {ply}", "actions": ["{action}"]}}',
        reasoning=f"reasoning of ply {ply}", finish_reason="stop", read_by="whole", prompt_tokens=900,
        completion_tokens=30, cost=0.0001, priced_by="table", latency_ms=800.0, started_at=NOW,
    )  # fmt: skip
    if not retried:
        return [call]
    refused = {"content": "a secret refusal", "error_kind": "illegal", "error": "not legal: a secret refusal"}
    return [call.model_copy(update=refused), call.model_copy(update={"attempt": 2, "kind": "retry"})]
