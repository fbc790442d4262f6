"""Keeping house: a run held as a whole, asked to pause, taken away, copied."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from harness.store import PAUSE_ASKED, Store, StoreError, new_owner, owner_shown
from tests.harness.store.samples import OUTCOME, call_of, match_of, message_of, run_of, turn_of


def new_run(store: Store, name: str = "one", matches: int = 3) -> int:
    return store.create_run(run_of(name), [match_of(number) for number in range(matches)]).result()


def test_a_run_has_one_holder_at_a_time(store: Store) -> None:
    run_id, other = new_run(store), new_run(store, "other")
    mine, yours = new_owner(), new_owner()
    assert store.holders() == {}
    assert store.claim_run(run_id, mine).result() is None
    assert store.claim_run(run_id, mine).result() is None
    assert store.claim_run(run_id, yours).result() == mine
    assert store.claim_run(other, yours).result() is None
    assert store.holders() == {run_id: mine, other: yours}
    assert not store.claim_match(store.matches(run_id)[0].id or 0, yours).result()
    store.release_run(run_id, yours).result()
    assert store.holders()[run_id] == mine
    store.release_run(run_id, mine).result()
    assert store.claim_run(run_id, yours).result() is None


def test_a_lease_ends_with_its_time_or_its_process_and_can_be_renewed(store: Store) -> None:
    run_id = new_run(store)
    gone = f"{socket.gethostname()}:{2**22 + 1}::dead"
    assert store.claim_run(run_id, gone).result() is None
    assert store.holders() == {}
    late = new_owner()
    assert store.claim_run(run_id, late, lease_seconds=-1).result() is None
    assert store.holders() == {}
    store.renew_run(run_id, late, lease_seconds=60).result()
    assert store.holders() == {run_id: late}
    assert owner_shown(late) == f"process {os.getpid()} on {socket.gethostname()}"


def test_what_is_over_is_neither_claimed_nor_held(store: Store) -> None:
    run_id = new_run(store, matches=1)
    match_id = store.matches(run_id)[0].id or 0
    owner = new_owner()
    store.claim_run(run_id, owner).result()
    store.set_match(match_id, "void", "why").result()
    assert store.holders() == {}
    assert store.claim_run(run_id, new_owner()).result() is None


def test_a_pause_is_asked_for_until_the_run_is_claimed_again(store: Store) -> None:
    run_id, owner = new_run(store), new_owner()
    store.claim_run(run_id, owner).result()
    assert not store.pause_asked(run_id)
    store.ask_pause(run_id).result()
    assert store.pause_asked(run_id)
    store.set_run(run_id, "paused", "the budget is spent").result()
    assert not store.pause_asked(run_id)
    store.ask_pause(run_id).result()
    assert (run := store.run(run_id)) is not None
    assert (run.status, run.why) == ("paused", PAUSE_ASKED)
    store.claim_run(run_id, owner).result()
    assert not store.pause_asked(run_id)
    assert (run := store.run(run_id)) is not None
    assert (run.status, run.why) == ("running", None)


def test_a_run_is_taken_away_whole_and_others_stay(store: Store) -> None:
    kept = new_run(store, "kept", 1)
    gone = new_run(store, "gone", 2)
    for run_id in (kept, gone):
        for match in store.matches(run_id):
            match_id = match.id or 0
            call_id = store.add_call(call_of(match_id=match_id, asked={"of": run_id})).result()
            store.add_turns(
                match_id, [turn_of(1, call_id=call_id)], [message_of(0, call_id=call_id)], outcome=OUTCOME
            ).result()
            store.put_inbox(match_id, "red", 0, "x").result()
    fork = new_run(store, "fork", 0)
    parent = store.matches(gone)[0].id
    store.extend_run(fork, matches=[match_of(0, parent_id=parent, parent_ply=1)]).result()
    removed = store.remove_run(gone)
    assert removed == {"matches": 2, "calls": 2, "texts": 1}
    assert [run.name for run in store.runs()] == ["kept", "fork"]
    orphan = store.matches(fork)[0]
    assert (orphan.parent_id, orphan.parent_ply, orphan.forked) == (None, 1, True)
    (match,) = store.matches(kept)
    (call,) = store.calls(match.id or 0, prompts=True)
    assert call.prompt == call_of().prompt
    assert len(store.turns(match.id or 0)) == len(store.messages(match.id or 0)) == 1
    # The same texts come back if they are needed again.
    again = new_run(store, "gone", 1)
    store.add_call(call_of(match_id=store.matches(again)[0].id, asked={"of": gone})).result()
    assert store.calls(store.matches(again)[0].id or 0)[0].asked == {"of": gone}


def test_a_run_that_is_played_is_not_taken_away(store: Store) -> None:
    run_id, owner = new_run(store), new_owner()
    store.claim_run(run_id, owner).result()
    with pytest.raises(StoreError, match=f"process {os.getpid()} on .*pause it first"):
        store.remove_run(run_id)
    assert len(store.matches(run_id)) == 3


def test_lines_of_calls_come_in_order_with_those_of_no_match(store: Store) -> None:
    run_id = new_run(store, matches=1)
    match_id = store.matches(run_id)[0].id
    ids = [
        store.add_call(call_of(run_id=run_id, kind="probe", flags=("prompt_cut",))).result(),
        store.add_call(call_of(match_id=match_id, error_kind="server", error="down")).result(),
    ]
    other = new_run(store, "other", 1)
    store.add_call(call_of(match_id=store.matches(other)[0].id)).result()
    lines = store.call_lines(run_id)
    assert [call.id for call in lines] == ids
    assert [(call.kind, call.match_id, call.flags, call.error) for call in lines] == [
        ("probe", None, ("prompt_cut",), None),
        ("act", match_id, (), "down"),
    ]


def test_a_copy_is_of_a_file_alone(store: Store, url: str, tmp_path: Path) -> None:
    new_run(store)
    target = tmp_path / "copy.db"
    if url.startswith("postgresql"):
        with pytest.raises(StoreError, match="pg_dump"):
            store.back_up(target)
        assert not target.exists()
    else:
        assert store.back_up(target) == target.stat().st_size
        with Store.open_readonly(target) as copy:
            assert [run.name for run in copy.runs()] == ["one"]


def test_what_was_opened_for_reading_takes_nothing_away(store: Store, url: str) -> None:
    run_id = new_run(store)
    with Store.open_readonly(url) as reader, pytest.raises(StoreError, match="reading only"):
        reader.remove_run(run_id)
