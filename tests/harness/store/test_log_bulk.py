"""Whole runs read at once, on both kinds of database."""

from __future__ import annotations

import gc

from harness.behaviour.ledger import ledger
from harness.behaviour.tables import behaviour, kinds
from harness.store import Store
from harness.store.log_bulk import played
from tests.harness.logs import logged, pledging
from tests.harness.store.samples import call_of, run_of
from tests.harness.test_behaviour import HIT, START
from tests.harness.test_behaviour_measures import OUTCOME, match_of, of, said


def test_the_store_gives_what_the_records_hold(store: Store) -> None:
    """A match through the database gives the figures that its records give."""
    match, turns = logged(START, HIT, status="queued", outcome=None, plies=0)
    messages = [pledging("blue", 1, "spare", "red"), said(1, 2, "red", "blue", "a line\x00 of it")]
    run_id = store.create_run(run_of("run"), [match]).result()
    match_id = store.matches(run_id)[0].id or 0
    store.start_match(match_id, start=START, start_events=[], start_hash="", versions={}).result()
    illegal = call_of(match_id=match_id, seat="red", ply=1, error_kind="illegal", latency_ms=100.0)
    store.add_call(illegal).result()
    store.add_call(call_of(match_id=match_id, seat="red", kind="probe", error_kind="empty")).result()
    in_talk = call_of(match_id=match_id, seat="red", kind="talk", error_kind="empty")
    store.add_call(in_talk).result()
    store.add_turns(match_id, turns, messages, outcome=OUTCOME).result()
    whole = kinds()
    (seen,) = played(store, store.runs(), whole)
    again = of(
        store.turns(match_id),
        store.messages(match_id),
        [illegal, in_talk],
        match=store.match(match_id),
    )
    again.stats = seen.stats
    assert behaviour([seen]).to_json() == behaviour([again]).to_json()
    assert ledger([seen]).to_json() == ledger([again]).to_json()
    assert [(fault.seat, fault.kind) for fault in seen.faults] == [("red", "illegal")]
    assert seen.match == store.match(match_id)


def test_a_match_that_has_not_begun_is_read_as_nothing(store: Store) -> None:
    store.create_run(run_of("run"), [match_of(status="queued", outcome=None, plies=0, id=None)]).result()
    (seen,) = played(store, store.runs(), kinds())
    assert (list(seen.turns), seen.fate, seen.plies) == ([], "queued", 0)


def test_many_matches_come_by_number_each_with_its_own(store: Store) -> None:
    """More matches than are read at once, put in out of order."""
    match, turns = logged(START, HIT, status="queued", outcome=None, plies=0)
    numbers = [*range(60, 120), *range(60)]
    matches = [match.model_copy(update={"number": number, "id": None}) for number in numbers]
    run_id = store.create_run(run_of("run"), matches).result()
    ids = {one.number: one.id or 0 for one in store.matches(run_id)}
    for number in numbers:
        store.start_match(ids[number], start=START, start_events=[], start_hash="", versions={}).result()
        store.add_turns(ids[number], turns[: 1 + number % 6]).result()
    seen = list(played(store, store.runs(), kinds()))
    assert [one.match.number for one in seen] == list(range(120))
    assert [len(one.turns) for one in seen] == [1 + number % 6 for number in range(120)]
    assert gc.isenabled()
