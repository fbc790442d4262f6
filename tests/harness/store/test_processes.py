"""Several processes on one database, and processes killed in the middle of a write."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from harness.store import Store, StoreError
from harness.store.writer import _MayBeDoneError
from tests.harness.store.child import Process, begin, child, line
from tests.harness.store.samples import OUTCOME, call_of, match_of, message_of, run_of, turn_of


def lines(process: Process) -> Iterator[str]:
    return itertools.takewhile(bool, (line(process) for _ in itertools.count()))


def check_finished(store: Store, name: str, matches: int, plies: int) -> None:
    run = store.run(name)
    assert run is not None
    assert run.id is not None
    assert (run.status, store.progress(run.id)) == ("finished", {"finished": matches})
    for match in store.matches(run.id):
        assert (match.plies, match.outcome) == (plies, OUTCOME)
        turns = store.turns(match.id or 0)
        assert [turn.ply for turn in turns] == list(range(1, plies + 1))
        calls = {call.id: call.ply for call in store.calls(match.id or 0)}
        assert [calls[turn.call_id] for turn in turns] == list(range(1, plies + 1))
        assert store.messages(match.id or 0) == [message_of(turn.ply - 1, call_id=turn.call_id) for turn in turns]


@pytest.mark.parametrize("after", [2, 40, 150])
def test_killed_while_writing_nothing_durable_is_lost_and_a_rerun_finishes(url: str, after: int) -> None:
    with child("play", url, "one", "6", "15") as process:
        begin(process)
        told = list(itertools.islice(lines(process), after))
        process.kill()
        # What it said before it died counts too.
        told += lines(process)
    assert "done" not in told
    with Store.open_readonly(url) as store:
        assert [run.name for run in store.runs()] == ["one"]
        for said in told:
            what, number, *ply = said.split()
            if what == "call":
                assert store.call(int(number)) is not None
            elif what == "turn":
                assert turn_of(int(ply[0]), call_id=store.turns(int(number))[int(ply[0]) - 1].call_id) in store.turns(
                    int(number)
                )
        for match in store.matches(1):
            turns = store.turns(match.id or 0)
            assert len(turns) == match.plies
            assert [turn.ply for turn in turns] == list(range(1, len(turns) + 1))
            assert len(store.messages(match.id or 0)) == len(turns)
    with child("play", url, "one", "6", "15") as process:
        begin(process)
        assert list(lines(process))[-1] == "done"
    with Store.open_readonly(url) as store:
        check_finished(store, "one", 6, 15)


def test_four_runs_at_once_while_matches_are_voided_and_resumed(url: str) -> None:
    with Store.open(url) as store, ExitStack() as stack:
        other = store.create_run(run_of("other"), [match_of(0)]).result()
        match_id = store.matches(other)[0].id or 0
        processes = [stack.enter_context(child("play", url, f"run {n}", "8", "12")) for n in range(4)]
        begin(*processes)
        told: list[list[str]] = [[] for _ in processes]
        readers = [
            threading.Thread(target=lambda said, process: said.extend(lines(process)), args=pair)
            for pair in zip(told, processes, strict=True)
        ]
        for reader in readers:
            reader.start()
        for round_ in itertools.count():
            store.set_match(match_id, "void", "by hand").result()
            store.put_inbox(match_id, "red", round_, "pass").result()
            store.set_match(match_id, "queued").result()
            assert store.take_inbox(match_id, "red", round_).result() == "pass"
            if not any(reader.is_alive() for reader in readers):
                break
        assert [said[-1] for said in told] == ["done"] * 4
        for number in range(4):
            check_finished(store, f"run {number}", 8, 12)


def test_two_processes_that_play_one_match_do_not_mix(url: str) -> None:
    with Store.open(url) as one, Store.open(url) as two:
        run_id = one.create_run(run_of(), [match_of(0)]).result()
        match_id = one.matches(run_id)[0].id or 0
        futures = [
            store.add_turns(match_id, [turn_of(ply, action=action)])
            for ply in range(1, 101)
            for store, action in ((one, "play red new"), (two, "pass"))
        ]
        failed = 0
        for future in futures:
            if future.exception():
                assert isinstance(future.exception(), StoreError)
                failed += 1
        assert failed == 100
        assert [turn.ply for turn in one.turns(match_id)] == list(range(1, 101))


def test_a_match_that_ends_while_it_is_voided_and_taken_back_is_finished(url: str) -> None:
    with Store.open(url) as one, Store.open(url) as two:
        run_id = one.create_run(run_of(), [match_of(number) for number in range(150)]).result()
        for match in one.matches(run_id):
            match_id = match.id or 0
            one.set_match(match_id, "void", "by hand").result()
            end = two.add_turns(match_id, [turn_of(1)], outcome=OUTCOME)
            one.set_match(match_id, "queued").result()
            end.result()
        assert one.progress(run_id) == {"finished": 150}


def test_a_reader_in_another_process_sees_each_state_whole(url: str) -> None:
    with child("play", url, "one", "4", "25") as process:
        begin(process)
        assert line(process) == "run 1"
        said = 0
        with Store.open_readonly(url) as store:
            for _ in lines(process):
                said += 1
                if said % 20 == 0:
                    for match in store.matches(1):
                        turns, messages = store.turns(match.id or 0), store.messages(match.id or 0)
                        assert match.plies <= len(turns) <= len(messages)
            check_finished(store, "one", 4, 25)


@pytest.mark.soak
def test_a_server_that_restarts_is_found_again(request: pytest.FixtureRequest) -> None:
    server = request.getfixturevalue("server")
    with Store.open(server.new_database()) as store:
        run_id = store.create_run(run_of(), [match_of(0)]).result()
        match_id = store.matches(run_id)[0].id or 0
        for ply in range(1, 4):
            server.restart()
            store.add_turns(match_id, [turn_of(ply)]).result()
        assert len(store.turns(match_id)) == 3


@pytest.mark.soak
def test_a_server_that_restarts_in_the_middle_makes_nothing_twice(request: pytest.FixtureRequest) -> None:
    server = request.getfixturevalue("server")
    with Store.open(server.new_database()) as store:
        run_id = store.create_run(run_of(), [match_of(0)]).result()
        match_id = store.matches(run_id)[0].id or 0
        futures = []
        for first in range(0, 3000, 500):
            futures += [store.add_call(call_of(match_id=match_id, ply=ply)) for ply in range(first, first + 500)]
            server.restart()
        wrong = [future.exception() for future in futures]
        assert {type(error) for error in wrong} <= {type(None), StoreError, _MayBeDoneError}
        plies = [call.ply for call in store.calls(match_id)]
        assert len(plies) == len(set(plies))
        kept = {ply for ply, error in enumerate(wrong) if error is None}
        assert kept <= set(plies)
        assert len(kept) > 1000
