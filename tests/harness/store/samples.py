"""Plain records to store."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from harness.records import CallRecord, MatchRecord, MessageRecord, PromptMessage, RunRecord, SeatRecord, TurnRecord
from harness.store import Store

NOON = datetime(2026, 5, 4, 12, 0, 0, 250, tzinfo=UTC)
SEATS = ("red", "blue", "green", "yellow")
OUTCOME = {"winners": ["red"], "places": {"red": 1, "blue": 2, "green": 3, "yellow": 4}, "reason": "last alive"}


def run_of(name: str = "one", **fields: Any) -> RunRecord:
    return RunRecord(**{"name": name, "spec": {"name": name}, "seed": 7, "created_at": NOON, **fields})


def match_of(number: int = 0, seats: tuple[str, ...] = SEATS, **fields: Any) -> MatchRecord:
    sitting = tuple(
        SeatRecord(seat=seat, label=f"p{place}", kind="bot", model="greedy", identity=f"id{place}")
        for place, seat in enumerate(seats)
    )
    return MatchRecord(
        **{
            "number": number,
            "game": "so_long_sucker",
            "options": {"chips": 3},
            "seed": 100 + number,
            "seats": sitting,
            **fields,
        }
    )


def turn_of(ply: int, seat: str = "red", **fields: Any) -> TurnRecord:
    return TurnRecord(
        **{
            "ply": ply,
            "seat": seat,
            "action": "play red new",
            "source": "player",
            "position_hash": f"{ply:064x}",
            "events": ({"kind": "played", "audience": "all", "color": "red"},),
            "decision": ply - 1,
            "at": NOON,
            **fields,
        }
    )


def message_of(seq: int, sender: str = "red", **fields: Any) -> MessageRecord:
    return MessageRecord(**{"seq": seq, "ply": 1, "sender": sender, "addressee": "all", "text": "hello", **fields})


def call_of(**fields: Any) -> CallRecord:
    return CallRecord(
        **{
            "label": "p0",
            "seat": "red",
            "model": "openai/any",
            "prompt": (
                PromptMessage(role="system", parts=("the rules", "the table")),
                PromptMessage(role="user", parts=("line 1", "line 2", "what now?")),
            ),
            "answer_schema": {"type": "object", "required": ["actions"]},
            "asked": {"temperature": 0.8},
            "sent": {"temperature": 0.8, "max_tokens": 300},
            "content": '{"actions": ["play red new"]}',
            "response": '{"choices": []}',
            "prompt_tokens": 700,
            "completion_tokens": 45,
            "cost": 0.001,
            "priced_by": "file",
            "started_at": NOON,
            **fields,
        }
    )


def new_match(store: Store, name: str = "one") -> int:
    """The id of the only match of a new run."""
    run_id = store.create_run(run_of(name), [match_of()]).result()
    match_id = store.matches(run_id)[0].id
    assert match_id is not None
    return match_id
