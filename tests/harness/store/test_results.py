"""What results pages read besides sums: a run's mark, its calls by what became of them, matches that are asked for
exactly."""

from __future__ import annotations

import pytest

from harness.records import SeatRecord
from harness.store import Store, new_owner
from harness.store.call_sums import CallSum, FlagSum, Unconfirmed, call_sums, flag_sums, unconfirmed
from harness.store.listing import Exact
from harness.store.marks import run_mark
from tests.harness.store.samples import NOON, OUTCOME, SEATS, call_of, match_of, message_of, run_of, turn_of
from tests.harness.store.test_sums import statements


def begin(store: Store, match_id: int) -> None:
    store.start_match(match_id, start={}, start_events=[], start_hash="0", versions={"rules": "1"}).result()


def test_a_mark_changes_with_what_is_written_and_with_nothing_else(store: Store) -> None:
    run = store.create_run(run_of("one"), [match_of(number) for number in range(4)]).result()
    other = store.create_run(run_of("two"), [match_of()]).result()
    first, second, third, _ = (match.id or 0 for match in store.matches(run))
    (elsewhere,) = (match.id or 0 for match in store.matches(other))
    assert run_mark(store, 99) is None
    seen = [run_mark(store, run)]

    def changed() -> bool:
        seen.append(run_mark(store, run))
        assert run_mark(store, run) == seen[-1], "nothing was written meanwhile"
        return seen[-1] not in seen[:-1]

    store.add_call(call_of(run_id=run, kind="probe")).result()
    assert changed(), "a call of no match"
    begin(store, first)
    assert changed(), "a match begins"
    store.add_turns(first, [turn_of(1)]).result()
    assert changed(), "a turn"
    store.add_messages(first, [message_of(0)]).result()
    assert changed(), "words"
    store.add_call(call_of(match_id=first)).result()
    assert changed(), "a call"
    store.claim_run(run, new_owner(), 600).result()
    assert changed(), "somebody plays it"
    store.add_turns(first, [turn_of(2)], outcome=OUTCOME).result()
    assert changed(), "a match ends"
    begin(store, second)
    store.set_match(second, "paused", "wait").result()
    assert changed(), "a match pauses"
    store.set_match(third, "void", "by hand").result()
    assert changed(), "a match is void"
    store.extend_run(run, matches=[match_of(4)]).result()
    assert changed(), "more matches"
    begin(store, elsewhere)
    store.add_turns(elsewhere, [turn_of(1)]).result()
    assert run_mark(store, run) == seen[-1], "another run"


def test_a_mark_costs_as_many_statements_however_much_is_over(store: Store) -> None:
    run = store.create_run(run_of("one"), [match_of(number) for number in range(30)]).result()
    few = statements(store._engine, lambda: run_mark(store, run))
    for match in store.matches(run)[:25]:
        begin(store, match.id or 0)
        store.add_turns(match.id or 0, [turn_of(1)], outcome=OUTCOME).result()
    many = statements(store._engine, lambda: run_mark(store, run))
    assert 0 < len(many) <= len(few)


def test_calls_are_summed_by_label_kind_and_what_became_of_them(store: Store) -> None:
    run = store.create_run(run_of("one"), [match_of(0), match_of(1)]).result()
    one, two = (match.id or 0 for match in store.matches(run))
    store.add_call(call_of(match_id=one, cost=0.25, prompt_tokens=10, completion_tokens=1)).result()
    store.add_call(call_of(match_id=two, cost=0.5, prompt_tokens=20, completion_tokens=2)).result()
    store.add_call(call_of(match_id=one, error_kind="timeout", cost=None, prompt_tokens=None)).result()
    reserved = {"cost": 0.75, "priced_by": "reserved", "flags": ("reserved_tokens:40",)}
    store.add_call(call_of(match_id=one, error_kind="timeout", completion_tokens=None, **reserved)).result()
    store.add_call(call_of(run_id=run, kind="probe", label="p1", cost=0.0)).result()
    store.add_call(call_of(match_id=one, kind="copied", cost=9.0)).result()
    assert call_sums(store, run) == [
        CallSum("p0", "act", None, 2, 2, 30, 3, 0.75, 0, 0.0, 0),
        CallSum("p0", "act", "timeout", 2, 1, 700, 45, 0.75, 1, 0.75, 1),
        CallSum("p1", "probe", None, 1, 0, 700, 45, 0.0, 0, 0.0, 0),
    ]
    assert unconfirmed(store, run) == [Unconfirmed(one, "p0", 0.75)]
    assert call_sums(store, 99) == []


def test_flags_are_counted_by_what_stands_before_their_number(store: Store) -> None:
    run = store.create_run(run_of("one"), [match_of(0), match_of(1)]).result()
    one, two = (match.id or 0 for match in store.matches(run))
    store.add_call(call_of(match_id=one, flags=("history:-1", "prompt_cut"))).result()
    store.add_call(call_of(match_id=one, flags=("history:-2",))).result()
    store.add_call(call_of(match_id=two, flags=("history:-2", "history:-2"))).result()
    store.add_call(call_of(run_id=run, kind="probe", flags=("prompt_cut",))).result()
    store.add_call(call_of(match_id=two)).result()
    assert flag_sums(store, run) == [FlagSum("p0", "history", 3, 2), FlagSum("p0", "prompt_cut", 2, 1)]


@pytest.fixture
def listed(store: Store) -> Store:
    """Matches of three games' entries, with players whose labels hold one another."""

    def seats(*labels: str) -> tuple[SeatRecord, ...]:
        return tuple(
            SeatRecord(seat=seat, label=label, kind="model", identity=label)
            for seat, label in zip(SEATS, labels, strict=True)
        )

    matches = [
        match_of(0, game="so_long_sucker").model_copy(update={"seats": seats("ann", "bob", "cid", "dan")}),
        match_of(1, game_index=1).model_copy(update={"seats": seats("bob", "ann", "cid", "dan")}),
        match_of(2, game="star_ludo").model_copy(update={"seats": seats("anna", "bob", "cid", "dan")}),
        match_of(3).model_copy(update={"seats": seats("dan", "cid", "bob", "ann")}),
    ]
    store.create_run(run_of("one"), matches).result()
    return store


def found(store: Store, **exact: object) -> list[int]:
    sheet = store.sheet(1, exact=Exact(**exact), size=50)  # type: ignore[arg-type]
    assert sum(sheet.counts.values()) == len(sheet.matches)
    assert sheet.all == 4
    return [match.number for match in sheet.matches]


def test_players_games_and_seats_are_asked_for_exactly(listed: Store) -> None:
    assert found(listed) == [0, 1, 2, 3]
    assert found(listed, players=["ann"]) == [0, 1, 3]
    assert found(listed, players=["anna", "bob"]) == [2]
    assert found(listed, players=["%"]) == []
    assert found(listed, players=["ann"], seat="red") == [0]
    assert found(listed, players=["bob", "ann"], seat="red") == [1]
    assert found(listed, seat="red") == [0, 1, 2, 3]
    assert found(listed, game="star_ludo") == [2]
    assert found(listed, game="so_long_sucker", entry=0) == [0, 3]
    assert found(listed, matches=[2, 3, 99]) == [1, 2]


def test_what_happened_to_a_player_is_asked_for(listed: Store) -> None:
    ids = [match.id or 0 for match in listed.matches(1)]
    for match_id in ids:
        begin(listed, match_id)
    listed.add_call(call_of(match_id=ids[0], label="ann", error_kind="timeout")).result()
    listed.add_call(call_of(match_id=ids[1], label="bob", error_kind="illegal", flags=("history:-3",))).result()
    listed.add_call(call_of(match_id=ids[3], label="ann", kind="copied", error_kind="timeout")).result()
    listed.add_turns(ids[1], [turn_of(1, "red", source="fallback", at=NOON)]).result()
    forfeit = {**OUTCOME, "reason": "forfeit"}
    listed.add_turns(ids[2], [turn_of(1)], outcome=forfeit).result()
    assert found(listed, had="timeout") == [0]
    assert found(listed, had="illegal,timeout") == [0, 1]
    assert found(listed, players=["bob"], had="timeout") == []
    assert found(listed, players=["bob"], had="flag:history") == [1]
    assert found(listed, had="flag:%") == []
    assert found(listed, players=["bob"], had="fallback") == [1]
    assert found(listed, players=["ann"], had="fallback") == []
    assert found(listed, had="fallback") == [1]
    assert found(listed, reason="forfeit") == [2]
    assert found(listed, reason="-forfeit") == [0, 1, 3]
