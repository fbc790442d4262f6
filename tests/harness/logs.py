"""Logs made by hand: a position, the actions played from it, and what was said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from games import get_game
from games.api import Json
from harness.records import MatchRecord, MessageRecord, PledgeRecord, SeatRecord, SeatStats, TurnRecord
from harness.replay import position_hash

NOON = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)


def logged(
    position: Json, actions: Sequence[str], *, sources: Mapping[int, str] | None = None, **fields: Any
) -> tuple[MatchRecord, list[TurnRecord]]:
    """A match from a position and its turns; `sources` by ply, `player` where not named."""
    game = get_game(position["game"])
    state: Any = game.load(position)
    seats = position.get("seats") or list(game.seats(max(game.players)))
    turns = []
    for ply, action in enumerate(actions, start=1):
        seat, legal = game.to_act(state), game.legal(state)
        step = game.apply(state, action)
        state = step.state
        turns.append(
            TurnRecord(
                ply=ply,
                seat=seat or "",
                action=action,
                source=(sources or {}).get(ply, "player"),  # type: ignore[arg-type]
                position_hash=position_hash(game.dump(state)),
                events=tuple(event.to_json() for event in step.events),
                decision=sum(turn.seat == seat for turn in turns),
                legal_count=len(legal),
                at=NOON,
            )
        )
    outcome = game.outcome(state)
    values = {
        "id": 1,
        "number": 0,
        "game": position["game"],
        "options": position["options"],
        "seed": 5,
        "seats": tuple(SeatRecord(seat=seat, label=seat, kind="bot", identity=f"id-{seat}") for seat in seats),
        "status": "running" if outcome is None else "finished",
        "start": dict(position),
        "plies": len(turns),
        "outcome": None if outcome is None else outcome.to_json(),
        **fields,
    }
    return MatchRecord(**values), turns


def pledging(
    sender: str, ply: int, kind: str, to: str, turns: int = 8, *, condition: str | None = None, **fields: Any
) -> MessageRecord:
    """A message of a talk round before that ply, with one pledge."""
    pledge = PledgeRecord(kind=kind, addressee=to, turns=turns, condition=condition)
    values = {"seq": 0, "addressee": "all", "text": "word", "talk": True, "pledges": (pledge,), **fields}
    return MessageRecord(sender=sender, ply=ply, **values)


def stats_of(match: MatchRecord, **fields: Any) -> list[SeatStats]:
    """Each seat's sums, all nothing but those named; a value that is a map gives it by seat."""
    outcome = match.outcome or {}
    places = outcome.get("places", {})
    sums = dict.fromkeys(
        (
            *("turns", "forced", "fallback", "decisions", "illegal", "unreadable", "failed", "calls", "prompt_tokens"),
            *("cached_tokens", "completion_tokens", "reasoning_tokens", "unpriced", "messages", "pledges"),
        ),
        0,
    )

    def of(seat: str) -> dict[str, Any]:
        return {name: value[seat] if isinstance(value, dict) else value for name, value in fields.items()}

    return [
        SeatStats(
            run="run",
            match_id=match.id or 0,
            number=match.number,
            game=match.game,
            status=match.status,
            pack=match.pack,
            seats=len(match.seats),
            place=places.get(seat.seat),
            winners=len(outcome["winners"]) if outcome else None,
            reason=outcome.get("reason"),
            **{"cost": 0.0, "latency_ms": 0.0, **sums, **of(seat.seat)},
            **seat.model_dump(include={"seat", "label", "kind", "identity"}),
        )
        for seat in match.seats
    ]
