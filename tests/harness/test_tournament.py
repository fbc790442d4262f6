"""Whole runs: begun, gone on with, changed, stopped, killed; with bots and with a provider on loopback."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.leaderboard import leaderboard
from harness.records import CallRecord
from harness.replay import verify
from harness.spec import SpecError, Tournament, parse
from harness.store import Store, StoreError
from harness.tournament import Control, RunResult, run
from tests.harness.watching import Watching
from tests.providers import Answer, Hang, Loopback, context_exceeded, legal, quota_spent, rate_limited, status
from tests.providers.fixtures import loopback as loopback

ROOT = Path(__file__).parents[2]
BOTS = """
name: table
games: [{game: so_long_sucker, options: {chips: 2}}]
players:
  - {label: a, bot: greedy}
  - {label: b, bot: banker}
  - {label: c, bot: turncoat}
  - {label: d, bot: random}
"""


@pytest.fixture
def database(tmp_path: Path) -> str:
    return str(tmp_path / "parley.db")


@pytest.fixture
def store(database: str) -> Iterator[Store]:
    with Store.open(database) as opened:
        yield opened


@pytest.fixture(autouse=True)
def house_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOUSE_KEY", "sk-house-0123456789")


def bots(text: str = "") -> Tournament:
    return parse(BOTS + text, "table.yaml")


def house(loopback: Loopback, text: str = "", player: str = "") -> Tournament:
    """Two models behind the loopback provider, and two bots."""
    model = f"model: openai/any, api_base: {loopback.api_base}, api_key_env: HOUSE_KEY, price: free{player}"
    return parse(
        f"""
name: house
games: [{{game: so_long_sucker, options: {{chips: 2}}}}]
seating: fixed
players:
  - {{label: ann, {model}}}
  - {{label: bob, {model}}}
  - {{label: c, bot: turncoat}}
  - {{label: d, bot: random}}
{text}""",
        "house.yaml",
    )


async def go(spec: Tournament, store: Store, **more: Any) -> tuple[RunResult, Watching]:
    progress = more.pop("progress", None) or Watching()
    return await run(spec, store, progress=progress, **more), progress


def log_of(store: Store, run_id: int) -> list[Any]:
    """All that the matches of a run came to, without times and row numbers."""
    found = []
    for match in store.matches(run_id):
        assert match.id is not None
        turns = [turn.model_dump(exclude={"at", "call_id"}) for turn in store.turns(match.id)]
        messages = [message.model_dump(exclude={"call_id"}) for message in store.messages(match.id)]
        found.append((match.number, match.seed, match.outcome, turns, messages))
    return found


def verified(store: Store, run_id: int) -> None:
    for match in store.matches(run_id, with_start=True):
        assert match.id is not None
        assert verify(match, store.turns(match.id)) is None


async def test_a_run_of_bots_is_played_logged_and_verifies(store: Store) -> None:
    result, progress = await go(bots("matches: 8\nparallel: 3\n"), store)
    assert (result.status, result.counts, result.played) == ("finished", {"finished": 8}, 8)
    assert progress.begun == [("table", 8, 0)]
    assert len(progress.ended) == 8
    verified(store, result.run_id)
    found = store.run("table")
    assert found is not None
    assert found.status == "finished"
    assert set(found.versions) == {"parley", "litellm", "prompts"}
    assert all(set(match.versions) == {"parley", "litellm", "prompts", "rules"} for match in store.matches(1))


async def test_the_same_seed_gives_the_same_leaderboard_to_the_byte(tmp_path: Path) -> None:
    texts = []
    for number, parallel in enumerate((1, 5)):
        with Store.open(str(tmp_path / f"{number}.db")) as store:
            result, _ = await go(bots(f"matches: 8\nparallel: {parallel}\n"), store)
            texts.append(json.dumps(leaderboard(store.seat_stats([result.run_id])).to_json()))
    assert texts[0] == texts[1]


async def test_another_seed_gives_other_matches(store: Store) -> None:
    first, _ = await go(bots(), store)
    second, _ = await go(bots("seed: 2\n").with_overrides(name="other"), store)
    assert log_of(store, first.run_id) != log_of(store, second.run_id)


async def test_a_finished_run_plays_nothing_and_fresh_begins_another(store: Store) -> None:
    await go(bots(), store)
    again, progress = await go(bots(), store)
    assert (again.status, again.played, progress.turns) == ("nothing", 0, 0)
    names = [(await go(bots(), store, fresh=True))[0].name for _ in range(2)]
    assert names == ["table-2", "table-3"]


async def test_more_matches_are_added_and_the_earlier_ones_stay(store: Store) -> None:
    first, _ = await go(bots("matches: 4\n"), store)
    before = log_of(store, first.run_id)
    more, _ = await go(bots("matches: 8\nparallel: 2\n"), store)
    assert (more.run_id, more.played) == (first.run_id, 4)
    assert log_of(store, first.run_id)[:4] == before


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ("seed: 9\n", "seed"),
        ("matches: 4\n", "matches"),
        ("retries: 1\n", "retries"),
        ("talk: {round: 2}\n", "talk"),
        ("interface: {notes: false}\n", "interface"),
    ],
)
async def test_a_changed_file_is_refused_with_the_key_that_differs(store: Store, change: str, key: str) -> None:
    await go(bots("matches: 8\n"), store)
    with pytest.raises(SpecError, match=key) as refused:
        await go(bots(change if key == "matches" else f"matches: 8\n{change}"), store)
    assert "--fresh" in str(refused.value)
    assert "\n" not in str(refused.value)


async def test_a_player_that_changed_under_its_label_is_not_gone_on_with(store: Store, database: str) -> None:
    control = Control()
    await go(bots(), store, control=control, progress=Watching(on_turn=lambda *_: control.stop.set()))
    import sqlite3

    with sqlite3.connect(database) as other:
        other.execute("update seat set identity = 'another' where label = 'b'")
    with pytest.raises(SpecError, match="'b'"):
        await go(bots(), store)


async def test_models_are_asked_probed_once_and_everything_is_kept(loopback: Loopback, store: Store) -> None:
    result, progress = await go(house(loopback), store)
    assert result.status == "finished"
    calls = store.calls(1, prompts=True)
    probes = [call for call in progress.calls if call.kind == "probe"]
    assert sorted(call.label for call in probes) == ["ann", "bob"]
    assert len(loopback.requests) == len(calls) + len(probes)
    kinds = Counter(call.kind for call in calls)
    assert set(kinds) == {"act", "talk"}
    turns = store.turns(1)
    for turn in turns:
        if turn.seat in ("red", "blue") and turn.source == "player":
            call = next(call for call in calls if call.id == turn.call_id)
            assert (call.ply, call.seat, call.decision) == (turn.ply - turn.plan_index, turn.seat, turn.decision)
            assert turn.action in (call.content or "")
    assert all(call.prompt and call.response and call.latency_ms for call in calls)
    assert "sk-house" not in json.dumps([call.model_dump(mode="json") for call in calls])
    verified(store, result.run_id)


async def test_a_model_that_is_always_illegal_ends_its_match_by_counted_fallbacks(
    loopback: Loopback, store: Store
) -> None:
    loopback.always(Answer('{"actions": ["fly to the moon"]}'))
    result, _ = await go(house(loopback, "talk: off\nretries: 1\n"), store)
    assert result.status == "finished"
    stats = {stat.label: stat for stat in store.seat_stats([result.run_id])}
    assert stats["ann"].fallback == stats["ann"].decisions > 0
    assert stats["ann"].illegal == 2 * stats["ann"].decisions
    assert stats["c"].fallback == 0


async def test_an_outage_pauses_the_match_and_the_same_command_goes_on(
    loopback: Loopback, store: Store, tmp_path: Path
) -> None:
    served = 0

    def failing(seen: Any) -> Any:
        nonlocal served
        served += 1
        return legal("hash")(seen) if served <= 12 else status(401)

    loopback.always(failing)
    result, _ = await go(house(loopback), store)
    assert result.status == "paused"
    assert "ann" in (result.why or "") or "bob" in (result.why or "")
    match = store.match(1)
    assert match is not None
    assert match.status == "paused"
    kept = [call for call in store.calls(1) if call.error_kind is None]
    loopback.clear()
    loopback.always(legal("hash"))
    again, _ = await go(house(loopback), store)
    assert again.status == "finished"
    paid = [call for call in store.calls(1) if call.error_kind is None]
    assert len(loopback.requests) == len(paid) - len(kept) + 2
    assert len({(call.seat, call.decision) for call in paid}) == len(paid)
    verified(store, again.run_id)
    with Store.open(str(tmp_path / "whole.db")) as whole:
        await go(house(loopback), whole)
        assert log_of(whole, 1) == log_of(store, 1)


async def test_a_prompt_that_is_too_long_is_asked_once_and_never_again(loopback: Loopback, store: Store) -> None:
    loopback.always(context_exceeded(1_500))
    result, _ = await go(house(loopback), store)
    assert result.status == "paused"
    refused = [call for call in store.calls(1) if call.error_kind == "context"]
    assert len(refused) == 1
    asked = len(loopback.requests)
    again, _ = await go(house(loopback), store)
    assert again.status == "paused"
    assert "context" in (again.why or "").lower() or "long" in (again.why or "").lower()
    assert len(loopback.requests) == asked + 2, "the two probes and nothing else"


async def test_a_history_that_grows_too_long_is_shortened_the_same_way_after_a_stop(
    loopback: Loopback, store: Store, tmp_path: Path
) -> None:
    loopback.always(context_exceeded(5_500))
    control = Control()

    def stop(call: CallRecord) -> None:
        if "history:-" in str(call.flags):
            control.stop.set()

    first, _ = await go(house(loopback), store, control=control, progress=Watching(on_call=stop))
    assert first.status == "paused"
    again, _ = await go(house(loopback), store)
    assert again.status == "finished"
    refused = [call for call in store.calls(1) if call.error_kind == "context"]
    assert refused
    questions = [(call.seat, call.decision, call.flags) for call in store.calls(1)]
    assert len(questions) == len(set(questions)), "nothing was asked twice in the same form"
    verified(store, 1)
    with Store.open(str(tmp_path / "whole.db")) as whole:
        _, progress = await go(house(loopback), whole)
        assert log_of(whole, 1) == log_of(store, 1)
        assert questions == [(call.seat, call.decision, call.flags) for call in whole.calls(1)]
        assert sum("its prompt is too long" in note for note in progress.notes) in (1, 2)


async def test_a_key_that_is_missing_is_told_before_anything_is_asked(
    loopback: Loopback, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HOUSE_KEY")
    with pytest.raises(SpecError, match="HOUSE_KEY"):
        await go(house(loopback), store)
    assert not loopback.requests


async def test_a_refused_schema_is_told_before_match_one(loopback: Loopback, store: Store) -> None:
    loopback.always(status(400, "Invalid schema for response_format"))
    with pytest.raises(SpecError, match=r"ann.*Invalid schema"):
        await go(house(loopback), store)
    assert store.progress(1) == {"queued": 1}


async def test_a_spent_budget_pauses_and_more_of_it_goes_on(loopback: Loopback, store: Store) -> None:
    price = ", params: {max_tokens: 64}"
    first, _ = await go(house(loopback, "budget: {tokens: 30000}\n", price), store)
    assert first.status == "paused"
    assert "budget" in (first.why or "")
    assert store.spend(first.run_id).tokens <= 30_000
    again, _ = await go(house(loopback, "budget: {tokens: 9000000}\n", price), store)
    assert again.status == "finished"


async def test_a_stop_lets_the_answer_under_way_come_in(loopback: Loopback, store: Store) -> None:
    control = Control()

    def stop(call: CallRecord) -> None:
        if call.kind != "probe" and call.ply >= 3:
            control.stop.set()

    result, progress = await go(house(loopback), store, control=control, progress=Watching(on_call=stop))
    assert result.status == "paused"
    assert result.why == "stopped by hand"
    assert len(loopback.requests) == len(progress.calls)
    again, _ = await go(house(loopback), store)
    assert again.status == "finished"


def stand(store: Store, name: str = "house") -> tuple[str, str | None]:
    """What the database says of a run."""
    found = store.run(name)
    assert found is not None
    return found.status, found.why


async def test_a_stop_sends_nothing_more_though_a_call_is_backing_off(loopback: Loopback, store: Store) -> None:
    control = Control()
    loopback.script(legal(), legal())
    loopback.always(rate_limited("60"))

    def stop(call: CallRecord) -> None:
        if call.error_kind == "rate_limit":
            control.stop.set()

    spec = house(loopback, "matches: 4\nparallel: 4\n")
    async with asyncio.timeout(30):
        result, progress = await go(spec, store, control=control, progress=Watching(on_call=stop))
    assert (result.status, result.why) == ("paused", "stopped by hand")
    assert {why for _, status, why in progress.ended if status == "paused"} == {"stopped by hand"}
    assert len(loopback.requests) == len(progress.calls) <= 2 + 4
    loopback.always(legal("hash"))
    assert (await go(spec, store))[0].status == "finished"


@pytest.mark.parametrize("hung", [False, True], ids=["backing off", "under way"])
async def test_a_stop_in_the_first_questions_pauses_the_run(hung: bool, loopback: Loopback, store: Store) -> None:
    control = Control(grace=0.2)
    loopback.always(Hang() if hung else rate_limited("60"))

    async def stop() -> None:
        await asyncio.to_thread(loopback.wait_for, 2)
        control.stop.set()

    async with asyncio.timeout(30):
        (result, progress), _ = await asyncio.gather(go(house(loopback), store, control=control), stop())
    loopback.release()
    assert result.status == "paused"
    assert (result.why or "").startswith("stopped by hand")
    assert stand(store) == ("paused", result.why)
    assert len(loopback.requests) == len(progress.calls) == 2, "both models are asked at once, and once"
    loopback.always(legal("hash"))
    assert (await go(house(loopback), store))[0].status == "finished"


async def test_a_provider_that_is_away_at_the_start_pauses_the_run(loopback: Loopback, store: Store) -> None:
    loopback.always(quota_spent())
    result, _ = await go(house(loopback), store)
    assert result.status == "paused"
    assert "quota" in (result.why or "")
    assert stand(store) == ("paused", result.why)
    match = store.match(1)
    assert match is not None
    assert (match.status, match.why) == ("paused", result.why)
    loopback.always(legal("hash"))
    assert (await go(house(loopback), store))[0].status == "finished"


async def test_one_model_that_is_refused_is_told_though_the_other_is_only_away(
    loopback: Loopback, store: Store
) -> None:
    loopback.script(quota_spent())
    loopback.always(status(401))
    with Loopback() as other:
        text = house(loopback).to_json()
        text["players"][1]["api_base"] = other.api_base
        other.always(status(404))
        with pytest.raises(SpecError, match="bob"):
            await go(Tournament.from_json(text), store)
    state, why = stand(store)
    assert state == "paused"
    assert "bob" in (why or "")


async def test_a_budget_of_the_whole_run_is_the_reason_of_every_match(loopback: Loopback, store: Store) -> None:
    spec = house(loopback, "matches: 6\nparallel: 4\nbudget: {tokens: 30000}\n", ", params: {max_tokens: 64}")
    result, _ = await go(spec, store)
    assert result.status == "paused"
    whys = {match.why for match in store.matches(1) if match.status != "finished"}
    assert whys
    assert all("budget.tokens" in (why or "") for why in whys)
    assert "budget.tokens" in (stand(store)[1] or "")


async def test_two_processes_do_not_play_one_match_twice(store: Store, database: str) -> None:
    with Store.open(database) as other:
        spec = bots("matches: 16\nparallel: 4\n")
        await store_run(spec, store)
        results = await asyncio.gather(go(spec, store), go(spec, other))
    assert sum(result.played for result, _ in results) == 16
    assert store.progress(1) == {"finished": 16}
    verified(store, 1)


async def test_two_processes_that_begin_one_run_at_once_share_it(database: str) -> None:
    spec = bots("matches: 8\n")
    with Store.open(database) as one, Store.open(database) as other:
        results = await asyncio.gather(go(spec, one), go(spec, other))
        assert sum(result.played for result, _ in results) == 8
        assert [found.name for found in one.runs()] == ["table"]


async def store_run(spec: Tournament, store: Store) -> None:
    """Set a run up without playing it."""
    control = Control()
    control.stop.set()
    await run(spec, store, progress=Watching(), control=control)


KILLED = """
import asyncio, os, signal, sys
from harness.spec import parse
from harness.store import Store, StoreError
from harness.tournament import run
from tests.harness.watching import Watching
at = int(sys.argv[3])
seen = 0
def turn(match, turn):
    global seen
    seen += 1
    if seen == at:
        os.kill(os.getpid(), signal.SIGKILL)
with Store.open(sys.argv[1]) as store:
    asyncio.run(run(parse(open(sys.argv[2]).read(), "file.yaml"), store, progress=Watching(on_turn=turn)))
"""


@pytest.mark.parametrize("at", [1, 9, 23])
async def test_a_killed_run_opens_lists_and_is_finished_by_the_same_command(
    at: int, loopback: Loopback, database: str, tmp_path: Path
) -> None:
    loopback.always(legal("hash", say="well met"))
    model = f"model: openai/any, api_base: {loopback.api_base}, api_key_env: HOUSE_KEY, price: free"
    text = f"""
name: killed
games: [{{game: so_long_sucker, options: {{chips: 2}}}}]
parallel: 2
players:
  - {{label: ann, {model}}}
  - {{label: b, bot: banker}}
  - {{label: c, bot: turncoat}}
  - {{label: d, bot: random}}
"""
    file = tmp_path / "file.yaml"
    file.write_text(text)
    process = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-c", KILLED, database, str(file), str(at)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
    )
    assert process.returncode == -signal.SIGKILL, process.stderr
    with Store.open_readonly(database) as reader:
        assert sum(reader.progress(1).values()) == 4
        assert sum(len(reader.turns(match.id or 0)) for match in reader.matches(1)) >= at
    before = len(loopback.requests)
    with Store.open(database) as store:
        kept = sum(len([call for call in store.calls(number) if not call.error_kind]) for number in range(1, 5))
        result, _ = await go(parse(text, "file.yaml"), store)
        assert result.status == "finished"
        verified(store, 1)
        calls = [call for number in range(1, 5) for call in store.calls(number) if not call.error_kind]
        assert len(calls) == len({(call.match_id, call.seat, call.decision) for call in calls})
        assert len(loopback.requests) - before == len(calls) - kept + 1
        with Store.open(str(tmp_path / "whole.db")) as whole:
            await go(parse(text, "file.yaml"), whole)
            assert log_of(whole, 1) == log_of(store, 1)


async def test_a_limit_that_no_call_fits_is_told_before_anything_is_asked(loopback: Loopback, store: Store) -> None:
    with pytest.raises(SpecError, match=r"300") as refused:
        await go(house(loopback, "limits: {ann: {tpm: 300}}\n"), store)
    assert "ann" in str(refused.value)
    assert not loopback.requests


async def test_a_store_that_fails_ends_the_run_with_its_own_line(store: Store, database: str) -> None:
    import sqlite3

    with sqlite3.connect(database) as other:
        other.execute("create trigger full before insert on turn begin select raise(abort, 'the disk is full'); end")
    with pytest.raises(StoreError, match="disk is full"):
        await go(bots("matches: 8\n"), store)
    state, why = stand(store, "table")
    assert state == "paused"
    assert "disk is full" in (why or "")
