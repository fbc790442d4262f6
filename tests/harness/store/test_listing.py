"""Sheets of matches, the filter, and counts that are kept up to date, on both kinds of database."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.records import MatchRecord, SeatRecord
from harness.store import Store, new_owner
from harness.store.listing import Exact, Word
from tests.harness.store.samples import OUTCOME, SEATS, call_of, match_of, message_of, run_of, turn_of
from tests.harness.store.test_sums import statements


def seated(number: int, *labels: str, persona: str | None = None) -> MatchRecord:
    """A match of players of those labels, each a model of its own."""
    seats = tuple(
        SeatRecord(
            seat=seat, label=label, kind="model", model=f"maker/{label}", persona=persona, identity=f"id {label}"
        )
        for seat, label in zip(SEATS, labels, strict=False)
    )
    return match_of(number).model_copy(update={"seats": seats})


def numbers(store: Store, *words: str, statuses: tuple[str, ...] | None = None, run_id: int = 1) -> list[int]:
    """The numbers of the matches on the first sheet."""
    found = store.sheet(run_id, words=[Word(word) for word in words], statuses=statuses, size=50)
    assert len(found.matches) == sum(found.counts[one] for one in found.counts if statuses is None or one in statuses)
    return [match.number for match in found.matches]


def test_sheets_go_by_number_and_count_every_status(store: Store) -> None:
    store.create_run(run_of("other"), [match_of(0)]).result()
    # Made out of order: the order is that of the schedule.
    run_id = store.create_run(run_of("many"), [match_of(number) for number in (*range(20, 30), *range(20))]).result()
    ids = {match.number: match.id or 0 for match in store.matches(run_id)}
    for number in (3, 7, 25):
        store.set_match(ids[number], "void", "ended by hand").result()
    first = store.sheet(run_id, size=12)
    assert [match.number for match in first.matches] == list(range(12))
    assert (first.number, first.sheets, first.all) == (0, 3, 30)
    assert first.counts == {"queued": 27, "void": 3}
    assert first.matches == store.matches(run_id)[:12]
    last = store.sheet(run_id, number=99, size=12)
    assert ([match.number for match in last.matches], last.number) == (list(range(24, 30)), 2)
    void = store.sheet(run_id, statuses=["void"], size=2, number=1)
    assert ([match.number for match in void.matches], void.sheets) == ([25], 2)
    assert void.counts == first.counts
    for none in (["running"], []):
        assert store.sheet(run_id, statuses=none, size=12) == ([], 0, 1, first.counts, 30)
    assert store.sheet(99, size=12) == ([], 0, 1, {}, 0)


def test_a_word_is_looked_for_in_all_that_a_list_shows(store: Store) -> None:
    store.create_run(
        run_of(), [seated(0, "Anna", "Bert"), seated(1, "Carl", "Dora", persona="grim"), match_of(2)]
    ).result()
    first, second, third = (match.id or 0 for match in store.matches(1))
    store.set_match(second, "paused", "No Connection").result()
    store.add_turns(third, [turn_of(1)], outcome=OUTCOME).result()
    assert numbers(store, "anna") == numbers(store, "MAKER/ANN") == [0]
    assert numbers(store, "GRIM") == numbers(store, "connection") == numbers(store, "no", "conn", "dor") == [1]
    assert numbers(store, "anna", "dora") == []
    assert numbers(store, "green") == [2]
    assert numbers(store, "red") == [0, 1, 2]
    assert numbers(store, "LONG_sucker") == [0, 1, 2]
    assert numbers(store, "paused") == [], "how a status is called is the list's to say"
    found = store.sheet(1, words=[Word("anything", statuses=("paused", "finished"))], size=9)
    assert [match.number for match in found.matches] == [1, 2]
    assert found.counts == {"paused": 1, "finished": 1}
    assert store.sheet(1, words=[Word("anything", games=("so_long_sucker",))], size=9).counts["queued"] == 1
    assert numbers(store, "red", statuses=("finished", "queued")) == [0, 2]
    assert numbers(store, f"#{first}") == numbers(store, "anna", f"{first}") == [0]
    assert numbers(store, "#") == [0, 1, 2]
    assert numbers(store, "#9999") == numbers(store, "##") == []


HOSTILE = ("%", "_", "/", "\\", "'", '"', "'; --", "%%", "a_b", "50%", "\x00", "\ud800", "\x10", "[x]", "😀", "*", "?")


@pytest.mark.parametrize("word", HOSTILE)
def test_a_word_stands_for_nothing_but_itself(store: Store, word: str) -> None:
    labels = [f"x{other}x" for other in HOSTILE] + ["plain", "axb", "50", "x"]
    bots = [(SeatRecord(seat="seat", label=label, kind="bot", identity="one"),) for label in labels]
    # A game's name is looked at too; this one holds none of the words.
    matches = [match_of(number).model_copy(update={"seats": one, "game": "any"}) for number, one in enumerate(bots)]
    store.create_run(run_of(), matches).result()
    assert numbers(store, word) == [number for number, label in enumerate(labels) if word in label]


def test_faulty_answers_to_decisions_are_told_from_those_in_talk_rounds(store: Store) -> None:
    run_id = store.create_run(run_of("faulty"), [match_of(number) for number in range(4)]).result()
    ids = [match.id or 0 for match in store.matches(run_id)]
    for match_id, kind, error in zip(
        ids, ("act", "retry", "talk", "act"), ("empty", "illegal", "empty", None), strict=True
    ):
        store.add_call(call_of(match_id=match_id, kind=kind, error_kind=error)).result()

    def found(had: str) -> list[int]:
        return [match.number for match in store.sheet(run_id, exact=Exact(had=had), size=50).matches]

    assert found("empty") == [0, 2]
    assert found("answer:empty,truncated") == [0]
    assert found("answer:empty,illegal") == [0, 1]
    assert found("talk:empty,illegal") == [2]


def test_the_case_of_letters_of_all_alphabets_is_evened_out(store: Store) -> None:
    store.create_run(
        run_of(), [seated(0, "Émile"), seated(1, "émile"), seated(2, "ÉMILE"), seated(3, "Emile")]
    ).result()
    for word in ("émile", "ÉMILE", "Émile"):
        assert numbers(store, word) == [0, 1, 2]
    assert numbers(store, "EMILE") == [3]


def test_the_sums_of_some_matches_are_those_of_the_whole_run(store: Store) -> None:
    store.create_run(run_of("other"), [match_of(0)]).result()
    run_id = store.create_run(run_of("many"), [match_of(number) for number in range(5)]).result()
    ids = [match.id or 0 for match in store.matches(run_id)]
    for match_id in ids:
        store.add_turns(match_id, [turn_of(1), turn_of(2, "blue", source="forced")], [message_of(0)])
        store.add_call(call_of(match_id=match_id, ply=match_id)).result()
    whole = store.seat_stats([run_id])
    assert store.match_stats([ids[3], ids[1]]) == [one for one in whole if one.match_id in (ids[1], ids[3])]
    assert store.match_stats([]) == store.match_stats([999]) == []


def fresh(url: str) -> dict[int, dict[str, Any]]:
    """The counts as one who never asked before is told them."""
    with Store.open_readonly(url) as other:
        return other.run_counts()


def test_counts_that_are_kept_are_those_that_are_there(store: Store, url: str) -> None:
    assert store.run_counts() == {}
    one, two = (store.create_run(run_of(name), [match_of(0), match_of(1)]).result() for name in ("one", "two"))
    costs: Iterator[float | None] = iter([0.25, None, 0.5, 1.0, None, 2.0, 4.0])
    for run_id in (one, two, one, one, two, two):
        store.add_call(call_of(run_id=run_id, cost=next(costs))).result()
        assert store.run_counts() == fresh(url)
        assert store.run_counts() == fresh(url)
    assert store.run_counts()[one] == {
        "matches": {"queued": 2},
        "forks": 0,
        "calls": 3,
        "tokens": 3 * 745,
        "cost": 1.75,
        "unpriced": 0,
    }
    assert store.run_counts()[two]["unpriced"] == 2
    store.set_match(store.matches(one)[0].id or 0, "void").result()
    assert store.run_counts()[one]["matches"] == {"queued": 1, "void": 1}


def test_counts_forget_a_run_that_is_taken_away(store: Store, url: str) -> None:
    keep, gone = (store.create_run(run_of(name), [match_of(0)]).result() for name in ("keep", "gone"))
    for run_id in (keep, gone, gone):
        store.add_call(call_of(run_id=run_id)).result()
    assert store.run_counts()[gone]["calls"] == 2
    store.remove_run(gone)
    # Their numbers may be given again.
    new = store.create_run(run_of("new"), [match_of(0)]).result()
    for run_id in (keep, new, new, new):
        store.add_call(call_of(run_id=run_id, cost=0.5)).result()
    counts = store.run_counts()
    assert counts == fresh(url)
    assert (counts[keep]["calls"], counts[new]["calls"]) == (2, 3)


def test_asked_again_only_new_calls_are_looked_at(tmp_path: Path) -> None:
    with Store.open(tmp_path / "parley.db") as store:
        run_id = store.create_run(run_of(), [match_of(0)]).result()
        store.add_call(call_of(run_id=run_id)).result()

        def summing() -> list[tuple[str, Any]]:
            made = statements(store._engine, store.run_counts)
            return [(one, parameters) for one, parameters in made if "FROM call" in one and "max(" not in one]

        assert len(summing()) == 1
        assert summing() == []
        store.add_call(call_of(run_id=run_id)).result()
        ((statement, parameters),) = summing()
        with store.reading() as connection:
            steps = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", tuple(parameters)).all()
        assert any("SEARCH call USING INTEGER PRIMARY KEY" in step[3] for step in steps), steps


def test_who_is_gone_does_not_hide_who_holds_a_run(store: Store) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    runs = [store.create_run(run_of(name), [match_of(number) for number in range(3)]).result() for name in "abc"]
    ids = {run_id: [match.id or 0 for match in store.matches(run_id)] for run_id in runs}
    dead, alive = f"{socket.gethostname()}:{ended.pid}:1:x", new_owner()
    for match_id in ids[runs[0]][:2]:
        assert store.claim_match(match_id, dead).result()
    assert store.claim_match(ids[runs[0]][2], alive).result()
    assert store.claim_match(ids[runs[1]][1], dead).result()
    assert store.holders() == {runs[0]: alive}
    assert store.claim_run(runs[2], alive, 60).result() is None
    assert store.holders() == {runs[0]: alive, runs[2]: alive}
