"""Whole runs that stop: by hand, by a budget or an outage, by a kill; and two processes at one run."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from harness.records import CallRecord, RunStatus
from harness.spec import SpecError, Tournament, parse
from harness.store import PAUSE_ASKED, Store, StoreError
from harness.tournament import Control, run
from tests.harness.watching import Watching
from tests.harness.whole_runs import bots, go, house, log_of, verified
from tests.providers import Hang, Loopback, legal, quota_spent, rate_limited, status
from tests.providers.fixtures import loopback as loopback

pytestmark = pytest.mark.usefixtures("house_key")
ROOT = Path(__file__).parents[2]


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


@pytest.mark.parametrize("at", [pytest.param(1, marks=pytest.mark.soak), 9, pytest.param(23, marks=pytest.mark.soak)])
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


@pytest.mark.parametrize(("left", "why"), [("running", None), ("paused", PAUSE_ASKED)])
async def test_a_run_whose_last_note_was_lost_is_finished_when_it_is_gone_on_with(
    store: Store, left: RunStatus, why: str | None
) -> None:
    spec = bots()
    result, _ = await go(spec, store)
    assert result.status == "finished"
    await store.set_run(result.run_id, left, why)
    again, _ = await go(spec, store)
    assert (again.status, again.played) == ("nothing", 0)
    record = store.run("table")
    assert record is not None
    assert (record.status, record.why) == ("finished", None)
    assert record.ended_at is not None


async def test_a_finished_run_keeps_the_time_at_which_it_ended(store: Store) -> None:
    spec = bots()
    await go(spec, store)
    before = store.run("table")
    await go(spec, store)
    assert store.run("table") == before
