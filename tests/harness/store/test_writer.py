"""The thread that writes: batches, faults of one job, locks, full disks, cancelled waiters."""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, event

from harness.store import Store, StoreError
from tests.harness.store.child import ROOT, begin, child, line
from tests.harness.store.samples import call_of, match_of, new_match, run_of, turn_of


class Gate:
    """Keeps the writer busy until opened, so that what is asked meanwhile becomes one batch."""

    def __init__(self, store: Store) -> None:
        self._open = threading.Event()
        entered = threading.Event()
        self._future = store._do(lambda _: (entered.set(), self._open.wait()))
        assert entered.wait(30)

    def open(self) -> None:
        self._open.set()
        self._future.result()


def commits(engine: Engine) -> list[Any]:
    seen: list[Any] = []
    event.listen(engine, "commit", seen.append)
    return seen


def test_what_waits_is_written_together(store: Store) -> None:
    match_id = new_match(store)
    assert store._write_engine is not None
    gate = Gate(store)
    futures = [store.add_turns(match_id, [turn_of(ply)]) for ply in range(1, 401)]
    seen = commits(store._write_engine)
    gate.open()
    for future in futures:
        future.result()
    assert len(seen) == 3  # the gate's own, and two of 200
    assert len(store.turns(match_id)) == 400


def test_a_fault_of_one_job_is_its_own(store: Store) -> None:
    match_id = new_match(store)
    gate = Gate(store)
    good = [
        store.add_turns(match_id, [turn_of(1)]),
        store.add_call(call_of(match_id=match_id)),
        store.create_run(run_of("two"), [match_of(0)]),
        store.add_turns(match_id, [turn_of(2)]),
        store.add_turns(match_id, [turn_of(1)]),
    ]
    bad = [
        store.add_turns(match_id, [turn_of(2, action="pass"), turn_of(3)]),
        store.add_turns(99, [turn_of(1)]),
        store.add_call(call_of(match_id=99)),
        store.add_call(call_of(match_id=match_id, served={"odd": object()})),
        store.create_run(run_of("two"), [match_of(0)]),
        store.set_match(99, "void"),
        store.create_run(run_of("three", seed=2**64)),
        store._do(lambda _: 1 / 0),
    ]
    last = store.add_call(call_of(match_id=match_id, ply=9))
    gate.open()
    for future in (*good, last):
        assert future.exception() is None
    for future in bad:
        assert isinstance(future.exception(), StoreError)
    assert [turn.ply for turn in store.turns(match_id)] == [1, 2]
    assert [call.ply for call in store.calls(match_id, prompts=True)] == [0, 9]
    assert [run.name for run in store.runs()] == ["one", "two"]


def test_order_is_kept(store: Store) -> None:
    match_id = new_match(store)
    gate = Gate(store)
    for status in ("void", "paused", "queued", "paused") * 50:
        last = store.set_match(match_id, status, status)  # type: ignore[arg-type]
    gate.open()
    last.result()
    match = store.match(match_id)
    assert match is not None
    assert (match.status, match.why) == ("paused", "paused")


@pytest.mark.parametrize("wait", [asyncio.ensure_future, asyncio.wrap_future])
async def test_a_write_outlives_whoever_waits_for_it(store: Store, wait: Callable[[Any], Any]) -> None:
    match_id = new_match(store)
    gate = Gate(store)
    future = store.add_call(call_of(match_id=match_id))
    waiting = asyncio.ensure_future(wait(future))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert not future.cancelled()
    await asyncio.to_thread(gate.open)
    call_id = await wait(future)
    assert store.call(call_id) is not None


async def test_a_loop_is_woken_once_for_all_that_is_written_together(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id = new_match(store)
    gate = Gate(store)

    async def one(ply: int) -> int:
        await store.add_turns(match_id, [turn_of(ply)])
        return ply

    waiting = [asyncio.create_task(one(ply)) for ply in range(1, 101)]
    failing = asyncio.create_task(one(1))
    await asyncio.sleep(0)
    differs = asyncio.ensure_future(store.add_turns(match_id, [turn_of(1, action="pass")]))
    await asyncio.sleep(0)
    loop, woken = asyncio.get_running_loop(), []
    wake = loop.call_soon_threadsafe
    monkeypatch.setattr(loop, "call_soon_threadsafe", lambda *given: (woken.append(given), wake(*given))[1])
    gate._open.set()
    assert await asyncio.gather(*waiting, failing) == [*range(1, 101), 1]
    with pytest.raises(StoreError, match="another process is playing this match"):
        await differs
    # The gate's own write has nobody who awaits it.
    assert len(woken) == 1


async def test_what_is_written_already_is_not_waited_for(store: Store) -> None:
    done = store.create_run(run_of())
    done.result()
    assert await done == done.result()
    refused = store.set_match(99, "void")
    assert refused.exception() is not None
    with pytest.raises(StoreError, match="there is no match 99"):
        await refused


def test_a_loop_that_was_closed_meanwhile_stops_no_other_write(store: Store) -> None:
    match_id = new_match(store)
    gate = Gate(store)

    async def leave() -> None:
        waiting = asyncio.ensure_future(store.add_turns(match_id, [turn_of(1)]))
        await asyncio.sleep(0)
        waiting.cancel()

    asyncio.run(leave())
    last = store.add_turns(match_id, [turn_of(2)])
    gate.open()
    last.result()
    assert len(store.turns(match_id)) == 2


def test_from_many_threads(store: Store) -> None:
    match_id = new_match(store)

    def some(first: int) -> None:
        for ply in range(first, first + 50):
            store.add_turns(match_id, [turn_of(ply)]).result()
            assert store.turns(match_id)

    threads = [threading.Thread(target=some, args=(1 + 50 * number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [turn.ply for turn in store.turns(match_id)] == list(range(1, 301))


def test_a_lock_is_waited_for_and_then_named(tmp_path: Path) -> None:
    path = tmp_path / "parley.db"
    with Store.open(path, patience=0.2) as store:
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        futures = [store.create_run(run_of()), store.create_run(run_of("two"))]
        for future in futures:
            with pytest.raises(StoreError, match="another process keeps it locked; end what is writing to it"):
                future.result()
        assert store.runs() == []
        other.execute("ROLLBACK")
        other.close()
        store.create_run(run_of()).result()


def test_a_lock_that_passes_is_not_noticed(tmp_path: Path) -> None:
    path = str(tmp_path / "parley.db")
    with Store.open(path) as store, child("hold", path, "0.5") as process:
        begin(process)
        assert line(process) == "locked"
        store.create_run(run_of()).result()
        assert line(process) == "let go"


def test_a_disk_that_is_full(tmp_path: Path) -> None:
    with child("fill_up", str(tmp_path / "parley.db")) as process:
        begin(process)
        refused = line(process)
        assert refused.startswith(f"refused database {tmp_path / 'parley.db'}: the disk is full or faulty")
        assert [line(process), line(process)] == ["kept True", "after True"]


def test_what_is_queued_when_the_program_ends_is_written(tmp_path: Path) -> None:
    path = str(tmp_path / "parley.db")
    code = (
        "from harness.store import Store\n"
        "from tests.harness.store.samples import run_of\n"
        f"store = Store.open({path!r})\n"
        "for number in range(300): store.create_run(run_of(str(number)))\n"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
    with Store.open_readonly(path) as store:
        assert len(store.runs()) == 300
