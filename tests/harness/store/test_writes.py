"""What each write does, on either database."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import pytest

from harness.records import MatchRecord, PledgeRecord
from harness.store import Store, StoreError
from tests.harness.store import samples
from tests.harness.store.samples import OUTCOME, match_of, message_of, new_match, run_of, turn_of


def refused(future: Future[Any]) -> str:
    with pytest.raises(StoreError) as caught:
        future.result()
    message = str(caught.value)
    assert "\n" not in message
    return message


def match(store: Store, match_id: int) -> MatchRecord:
    found = store.match(match_id)
    assert found is not None
    return found


def started(store: Store, match_id: int) -> MatchRecord:
    start = {"pile": [1, 2]}
    store.start_match(
        match_id, start=start, start_events=[{"kind": "dealt"}], start_hash="h", versions={"rules": "1"}
    ).result()
    return match(store, match_id)


def test_a_name_is_given_once(store: Store) -> None:
    store.create_run(run_of("table")).result()
    assert refused(store.create_run(run_of("table"), [match_of()])) == "there is a run named 'table' already"
    assert [run.name for run in store.runs()] == ["table"]
    assert store.progress(2) == {}


def test_a_run_with_two_matches_of_one_number_is_not_made(store: Store) -> None:
    refused(store.create_run(run_of(), [match_of(0), match_of(0)]))
    assert store.runs() == []


def test_a_run_is_found_by_name_before_id(store: Store) -> None:
    first = store.create_run(run_of("table")).result()
    second = store.create_run(run_of(str(first))).result()
    assert [run.id for run in (store.run(first), store.run(str(first)), store.run(str(second))) if run] == [
        first,
        second,
        second,
    ]
    for unknown in ("nobody", "999", 999, -1, "٣", str(10**40), ""):
        assert store.run(unknown) is None


def test_a_run_is_extended(store: Store) -> None:
    run_id = store.create_run(run_of(source="a: 1"), [match_of(0)]).result()
    store.extend_run(run_id, spec={"b": 2}, source="b: 2", matches=[match_of(2), match_of(1)]).result()
    run = store.run(run_id)
    assert run is not None
    assert (run.spec, run.source) == ({"b": 2}, "b: 2")
    assert [one.number for one in store.matches(run_id)] == [0, 1, 2]
    store.extend_run(run_id, matches=[match_of(3)]).result()
    assert store.run(run_id) == run
    assert "has a match 1 already" in refused(
        store.extend_run(run_id, spec={"c": 3}, matches=[match_of(4), match_of(1)])
    )
    assert store.run(run_id) == run
    assert store.progress(run_id) == {"queued": 4}
    assert refused(store.extend_run(99, spec={})) == "there is no run 99"


def test_how_a_run_stands(store: Store) -> None:
    run_id = store.create_run(run_of()).result()
    ends = []
    for status in ("paused", "finished", "running"):
        store.set_run(run_id, status, "quota").result()
        run = store.run(run_id)
        assert run is not None
        assert (run.status, run.why) == (status, "quota")
        ends.append(run.ended_at is not None)
    assert ends == [False, True, False]
    assert refused(store.set_run(99, "paused")) == "there is no run 99"
    assert "'done' is none of running, paused, finished" in refused(store.set_run(run_id, "done"))  # type: ignore[arg-type]


def test_a_match_starts_once(store: Store) -> None:
    match_id = new_match(store)
    assert match(store, match_id).started_at is None
    first = started(store, match_id)
    assert (first.status, first.start, first.start_events, first.start_hash) == (
        "running",
        {"pile": [1, 2]},
        ({"kind": "dealt"},),
        "h",
    )
    assert first.versions == {"rules": "1"}
    store.add_turns(match_id, [turn_of(1)]).result()
    store.set_match(match_id, "paused", "rate limit").result()
    store.start_match(
        match_id, start={"pile": [1, 2]}, start_events=[], start_hash="h", versions={"rules": "1"}
    ).result()
    again = match(store, match_id)
    assert again == first.model_copy(update={"plies": 1})
    said = refused(store.start_match(match_id, start={}, start_events=[], start_hash="other", versions={}))
    assert "another start position" in said
    assert match(store, match_id) == again


@pytest.mark.parametrize("over", ["finished", "void"])
def test_a_match_that_is_over_does_not_start_again(store: Store, over: Any) -> None:
    match_id = new_match(store)
    store.set_match(match_id, over, "by hand").result()
    assert started(store, match_id).status == over


def test_turns_come_with_their_messages_or_not_at_all(store: Store) -> None:
    match_id = new_match(store)
    store.add_turns(match_id, [turn_of(1)], [message_of(0)]).result()
    broken = [
        store.add_turns(match_id, [turn_of(2)], [message_of(0, text="other words")]),
        store.add_turns(match_id, [turn_of(1, action="pass"), turn_of(2)], [message_of(1)]),
        store.add_turns(match_id, [turn_of(2, call_id=999)]),
        store.add_turns(match_id, [turn_of(2)], outcome=OUTCOME | {"odd": object()}),
    ]
    for future in broken:
        refused(future)
    assert store.turns(match_id) == [turn_of(1)]
    assert store.messages(match_id) == [message_of(0)]
    assert match(store, match_id).plies == 1


@pytest.mark.parametrize(
    "change",
    [
        {"action": "pass"},
        {"source": "fallback"},
        {"position_hash": "0"},
        {"events": ()},
        {"call_id": None, "thoughts": "hm"},
        {"talk": ("red", "blue")},
    ],
)
def test_a_different_turn_in_the_same_place_is_refused(store: Store, change: dict[str, Any]) -> None:
    match_id = new_match(store)
    store.add_turns(match_id, [turn_of(1)]).result()
    assert "another process is playing this match" in refused(store.add_turns(match_id, [turn_of(1, **change)]))
    assert store.turns(match_id) == [turn_of(1)]


def test_the_same_turn_at_another_time_is_the_same_turn(store: Store) -> None:
    match_id = new_match(store)
    store.add_turns(match_id, [turn_of(1)]).result()
    later = turn_of(1, at=samples.NOON.replace(hour=13))
    store.add_turns(match_id, [later, turn_of(2)], [message_of(0)]).result()
    assert store.turns(match_id) == [turn_of(1), turn_of(2)]


@pytest.mark.parametrize(
    "change",
    [{"text": "bye"}, {"addressee": "blue"}, {"pledges": (PledgeRecord(kind="donate", addressee="blue", turns=3),)}],
)
def test_a_different_message_in_the_same_place_is_refused(store: Store, change: dict[str, Any]) -> None:
    match_id = new_match(store)
    said = [message_of(0, pledges=(PledgeRecord(kind="donate", addressee="blue", turns=2),)), message_of(1)]
    store.add_messages(match_id, said).result()
    assert "message 0" in refused(store.add_messages(match_id, [said[0].model_copy(update=change), message_of(2)]))
    assert store.messages(match_id) == said


def test_an_outcome_ends_the_match(store: Store) -> None:
    match_id = new_match(store)
    started(store, match_id)
    assert store.claim_match(match_id, "me", 60).result()
    store.add_turns(match_id, [turn_of(1)], outcome=OUTCOME).result()
    over = match(store, match_id)
    assert (over.status, over.outcome, over.plies) == ("finished", OUTCOME, 1)
    assert over.ended_at is not None
    run_id = over.run_id or 0
    assert [seat.place for seat in store.seat_stats([run_id])] == [1, 2, 3, 4]
    store.add_turns(match_id, [turn_of(1)], outcome=OUTCOME).result()
    assert match(store, match_id) == over
    other = OUTCOME | {"reason": "cap"}
    assert "has ended otherwise" in refused(store.add_turns(match_id, [], outcome=other))
    assert match(store, match_id) == over


def test_a_match_voided_by_hand_stays_void_whatever_is_played_on(store: Store) -> None:
    match_id = new_match(store)
    started(store, match_id)
    store.set_match(match_id, "void", "wrong model").result()
    store.add_turns(match_id, [turn_of(1)], outcome=OUTCOME).result()
    void = match(store, match_id)
    assert (void.status, void.why, void.plies) == ("void", "wrong model", 1)
    store.set_match(match_id, "queued").result()
    back = match(store, match_id)
    # It was played to its end: taken back, it counts.
    assert (back.status, back.why, back.outcome) == ("finished", None, OUTCOME)


def test_a_match_that_had_ended_keeps_when_it_ended_through_void_and_back(store: Store) -> None:
    match_id = new_match(store)
    started(store, match_id)
    store.add_turns(match_id, [turn_of(1)], outcome=OUTCOME).result()
    ended = match(store, match_id).ended_at
    assert ended is not None
    store.set_match(match_id, "void", "wrong model").result()
    assert match(store, match_id).ended_at == ended
    store.set_match(match_id, "paused").result()
    assert (match(store, match_id).status, match(store, match_id).ended_at) == ("finished", ended)


def test_a_void_match_without_an_end_is_taken_back(store: Store) -> None:
    match_id = new_match(store)
    store.set_match(match_id, "void", "wrong model").result()
    assert match(store, match_id).ended_at is not None
    store.set_match(match_id, "queued").result()
    back = match(store, match_id)
    assert (back.status, back.why, back.ended_at) == ("queued", None, None)


@pytest.mark.parametrize(
    "write",
    [
        lambda store: store.set_match(99, "void"),
        lambda store: store.start_match(99, start={}, start_events=[], start_hash="", versions={}),
        lambda store: store.add_turns(99, [turn_of(1)]),
        lambda store: store.add_turns(99, [], outcome=OUTCOME),
        lambda store: store.add_messages(99, [message_of(0)]),
        lambda store: store.claim_match(99, "me"),
        lambda store: store.put_inbox(99, "red", 0, "pass"),
    ],
)
def test_a_match_that_does_not_exist(store: Store, write: Callable[[Store], Future[Any]]) -> None:
    assert refused(write(store)) == "there is no match 99"


def test_a_call_of_an_unknown_match_is_refused_and_leaves_no_text(store: Store) -> None:
    refused(store.add_call(samples.call_of(match_id=99)))
    match_id = new_match(store)
    record = samples.call_of(match_id=match_id)
    call_id = store.add_call(record).result()
    assert [call.id for call in store.calls(match_id)] == [call_id]
    assert store.call(99) is None


def test_a_call_that_json_cannot_hold_is_refused(store: Store) -> None:
    match_id = new_match(store)
    assert "JSON serializable" in refused(store.add_call(samples.call_of(match_id=match_id, served={"odd": object()})))
    assert "time zone" in refused(store.add_call(samples.call_of(started_at=samples.NOON.replace(tzinfo=None))))
    assert "99999999999999999999" not in refused(store.create_run(run_of(seed=2**70)))


def test_the_inbox_gives_each_answer_once(store: Store) -> None:
    match_id = new_match(store)
    assert store.take_inbox(match_id, "red", 3).result() is None
    for text in ("first", "second\x00"):
        store.put_inbox(match_id, "red", 3, text).result()
    store.put_inbox(match_id, "blue", 3, "theirs").result()
    store.put_inbox(match_id, "red", 4, "later").result()
    taken = [store.take_inbox(match_id, "red", 3).result() for _ in range(3)]
    assert taken == ["first", "second\x00", None]
    assert store.inbox(match_id, "red", 3) == ["first", "second\x00"]
    assert store.inbox(match_id, "green", 3) == []


def test_a_reader_reads_what_is_written_and_writes_nothing(store: Store, url: str) -> None:
    with Store.open_readonly(url) as reader:
        assert reader.runs() == []
        match_id = new_match(store)
        store.add_turns(match_id, [turn_of(1)]).result()
        assert reader.turns(match_id) == [turn_of(1)]
        assert "reading only" in refused(reader.set_match(match_id, "void"))
        with pytest.raises(StoreError), reader.reading() as connection:
            connection.exec_driver_sql("DELETE FROM turn")
    assert store.turns(match_id) == [turn_of(1)]


def test_after_closing_nothing_is_taken(store: Store) -> None:
    store.close()
    assert "closed" in refused(store.create_run(run_of()))
    store.close()


def test_closing_writes_what_is_queued(url: str) -> None:
    with Store.open(url) as store:
        match_id = new_match(store)
        futures = [store.add_turns(match_id, [turn_of(ply)]) for ply in range(1, 1001)]
    assert all(future.done() and future.exception() is None for future in futures)
    with Store.open_readonly(url) as reader:
        assert len(reader.turns(match_id)) == 1000
