"""What the database sums is what one gets by adding up the records, and costs few statements however many matches."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, event

from harness.records import INFRASTRUCTURE, OWN, CallRecord, MatchRecord, MessageRecord, PledgeRecord, Spend, TurnRecord
from harness.store import Store
from harness.store.listing import Word
from tests.harness.store.samples import OUTCOME, SEATS, call_of, match_of, message_of, run_of, turn_of

ERRORS = [None, None, None, *sorted(INFRASTRUCTURE), *sorted(OWN), "bad_request", "budget"]
SOURCES = ["player", "player", "forced", "fallback", "human"]


def some_call(chance: random.Random, match_id: int) -> CallRecord:
    def tokens() -> int | None:
        return chance.choice([None, chance.randrange(2000)])

    return call_of(
        match_id=match_id,
        seat=chance.choice(SEATS),
        label=chance.choice(["p0", "p1"]),
        kind=chance.choice(["act", "act", "talk", "retry", "judge"]),
        error_kind=chance.choice(ERRORS),
        prompt_tokens=tokens(),
        cached_tokens=tokens(),
        completion_tokens=tokens(),
        reasoning_tokens=tokens(),
        cost=chance.choice([None, chance.randrange(64) / 64]),
        latency_ms=chance.choice([None, float(chance.randrange(5000))]),
    )


def some_turns(chance: random.Random) -> list[TurnRecord]:
    return [
        turn_of(ply, chance.choice(SEATS), source=chance.choice(SOURCES), decision=chance.randrange(4))
        for ply in range(1, chance.randrange(2, 25))
    ]


def some_messages(chance: random.Random) -> list[MessageRecord]:
    pledge = PledgeRecord(kind="spare", addressee="all", turns=2)
    return [
        message_of(seq, chance.choice(SEATS), pledges=(pledge,) * chance.randrange(3))
        for seq in range(chance.randrange(9))
    ]


def fill(store: Store, chance: random.Random) -> dict[int, list[int]]:
    """Two runs, and one of another kind; matches with anything in them, and one with nothing."""
    ids: dict[int, list[int]] = {}
    for name in ("one", "two"):
        # Numbers against the order of insertion: results go by number.
        run_id = store.create_run(
            run_of(name), [match_of(number, pack=number // 2, game_index=number % 2) for number in (2, 0, 1)]
        ).result()
        ids[run_id] = [match.id or 0 for match in store.matches(run_id)]
        for match_id in ids[run_id][:2]:
            store.add_turns(match_id, some_turns(chance), some_messages(chance))
            for _ in range(40):
                store.add_call(some_call(chance, match_id))
        store.add_turns(ids[run_id][0], [], outcome=OUTCOME | {"places": dict.fromkeys(SEATS, 1)}).result()
        store.add_call(call_of(run_id=run_id, seat="", kind="probe", label="p1", cost=0.25)).result()
    store.create_run(run_of("empty")).result()
    return ids


def added_up(store: Store, match: MatchRecord, seat: str) -> dict[str, Any]:
    match_id = match.id or 0
    turns = [turn for turn in store.turns(match_id) if turn.seat == seat]
    calls = [call for call in store.calls(match_id) if call.seat == seat and call.kind != "judge"]
    messages = [message for message in store.messages(match_id) if message.sender == seat]

    def total(name: str) -> Any:
        return sum(getattr(call, name) or 0 for call in calls)

    return {
        "turns": len(turns),
        "forced": sum(turn.source == "forced" for turn in turns),
        "fallback": sum(turn.source == "fallback" for turn in turns),
        "decisions": len({turn.decision for turn in turns if turn.source != "forced"}),
        "illegal": sum(call.kind != "talk" and call.error_kind == "illegal" for call in calls),
        "unreadable": sum(call.kind != "talk" and call.error_kind in OWN - {"illegal"} for call in calls),
        "talk_faults": sum(call.kind == "talk" and call.error_kind in OWN for call in calls),
        "failed": sum(call.error_kind in INFRASTRUCTURE for call in calls),
        "calls": len(calls),
        **{name: total(name) for name in ("prompt_tokens", "cached_tokens", "completion_tokens", "reasoning_tokens")},
        "cost": total("cost"),
        "unpriced": sum(call.cost is None for call in calls),
        "latency_ms": total("latency_ms"),
        "messages": len(messages),
        "pledges": sum(len(message.pledges) for message in messages),
    }


def spent(calls: list[CallRecord]) -> Spend:
    tokens = sum((call.prompt_tokens or 0) + (call.completion_tokens or 0) for call in calls)
    return Spend(usd=sum(call.cost or 0 for call in calls), tokens=tokens, calls=len(calls))


@pytest.mark.parametrize("seed", [1, 2])
def test_each_seats_figures(store: Store, seed: int) -> None:
    ids = fill(store, random.Random(seed))
    first, second = ids
    stats = store.seat_stats([second, first, second, 99])
    expected = [
        {
            "run": run.name,
            "match_id": match.id,
            "number": match.number,
            "game": match.game,
            "game_index": match.game_index,
            "status": match.status,
            "held": match.status != "running",
            "pack": match.pack,
            "seat": seat.seat,
            "seats": 4,
            "label": seat.label,
            "kind": seat.kind,
            "identity": seat.identity,
            "place": 1 if match.status == "finished" else None,
            "winners": 4 if match.status == "finished" else None,
            "reason": OUTCOME["reason"] if match.status == "finished" else None,
            "why": match.why,
            "parent_ply": None,
            "rules": None,
            **added_up(store, match, seat.seat),
        }
        for run in (store.run(second), store.run(first))
        if run is not None
        for match in store.matches(run.id or 0)
        for seat in match.seats
    ]
    assert [one.model_dump() for one in stats] == expected
    assert len(stats) == 24
    assert store.seat_stats([]) == []


def test_spend(store: Store) -> None:
    ids = fill(store, random.Random(3))
    for run_id, match_ids in ids.items():
        probe = call_of(run_id=run_id, seat="", kind="probe", label="p1", cost=0.25)
        calls = [call for match_id in match_ids for call in store.calls(match_id)]
        assert store.spend(run_id) == spent([*calls, probe])
        by = store.spend_by(run_id)
        assert by.pop((None, "p1")) == spent([probe])
        for (match_id, label), spend in by.items():
            assert spend == spent([call for call in calls if (call.match_id, call.label) == (match_id, label)])
        assert sum(spend.calls for spend in by.values()) == len(calls)
        counts = store.run_counts()[run_id]
        whole = store.spend(run_id)
        assert counts == {
            "matches": {"finished": 1, "queued": 2},
            "forks": 0,
            "calls": whole.calls,
            "tokens": whole.tokens,
            "cost": whole.usd,
            "unpriced": sum(call.cost is None for call in [*calls, probe]),
        }
    assert store.run_counts()[3] == {"matches": {}, "forks": 0, "calls": 0, "tokens": 0, "cost": 0.0, "unpriced": 0}
    assert store.spend(3) == store.spend(99) == Spend()
    assert store.spend_by(3) == {}


READS: dict[str, Callable[[Store], Any]] = {
    "runs": lambda store: store.runs(),
    "matches": lambda store: store.matches(1),
    "matches with start": lambda store: store.matches(1, with_start=True),
    "spend": lambda store: store.spend(1),
    "spend_by": lambda store: store.spend_by(1),
    "progress": lambda store: store.progress(1),
    "run_counts": lambda store: store.run_counts(),
    "run_counts again": lambda store: (store.run_counts(), store.run_counts()),
    "seat_stats": lambda store: store.seat_stats([1]),
    "match_stats": lambda store: store.match_stats([1]),
    "holders": lambda store: store.holders(),
    "sheet": lambda store: store.sheet(1, size=3),
    "sheet of a word": lambda store: store.sheet(1, words=[Word("p1")], statuses=["queued"], size=3),
    "turns": lambda store: store.turns(1),
    "messages": lambda store: store.messages(1),
    "calls": lambda store: store.calls(1, prompts=True),
}


def statements(engine: Engine, read: Callable[[], Any]) -> list[tuple[str, Any]]:
    """The statements that a read makes, transactions aside."""
    seen: list[tuple[str, Any]] = []

    def note(_connection: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        if statement.startswith("SELECT"):
            seen.append((statement, parameters))

    event.listen(engine, "before_cursor_execute", note)
    read()
    event.remove(engine, "before_cursor_execute", note)
    return seen


@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_more_rows_cost_no_more_statements(tmp_path: Path, read: Callable[[Store], Any]) -> None:
    with Store.open(tmp_path / "parley.db") as store:
        store.create_run(run_of(), [match_of(0)]).result()
        few = len(statements(store._engine, lambda: read(store)))
        store.extend_run(1, matches=[match_of(number) for number in range(1, 50)]).result()
        for ply in range(30):
            store.add_call(call_of(match_id=1, ply=ply)).result()
            store.add_turns(1, [turn_of(ply + 1)], [message_of(ply)]).result()
        assert 1 <= len(statements(store._engine, lambda: read(store))) <= few + 1


@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_no_sum_reads_what_models_wrote(tmp_path: Path, read: Callable[[Store], Any]) -> None:
    """Tables that hold long texts are reached by an index, and for sums by an index alone."""
    path = tmp_path / "parley.db"
    with Store.open(path) as store:
        fill(store, random.Random(4))
        made = statements(store._engine, lambda: read(store))
    connection = sqlite3.connect(path)
    for statement, parameters in made:
        steps = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}", parameters)]
        for step in steps:
            if step.split()[1] in ("call", "turn", "message", "text", "match"):
                assert "COVERING INDEX" in step or step.startswith("SEARCH"), (statement, steps)
    connection.close()


def test_tokens_set_aside_for_calls_of_unknown_usage_count_as_spent(store: Store) -> None:
    run_id = store.create_run(run_of("one"), [match_of(0)]).result()
    match_id = store.matches(run_id)[0].id
    unknown: dict[str, Any] = {"match_id": match_id, "prompt_tokens": None, "completion_tokens": None}
    store.add_call(call_of(match_id=match_id))
    store.add_call(call_of(**unknown, flags=("usage_missing", "reserved_tokens:2082")))
    store.add_call(call_of(**unknown, flags=("reserved_tokens:18",), label="p1"))
    store.add_call(call_of(**unknown, flags=("usage_missing",), label="p1"))
    store.add_call(call_of(match_id=match_id, flags=("reserved_tokens:1000000",))).result()
    assert store.spend(run_id).tokens == 2 * 745 + 2082 + 18
    by = store.spend_by(run_id)
    assert by[match_id, "p0"].tokens == 2 * 745 + 2082
    assert by[match_id, "p1"].tokens == 18
