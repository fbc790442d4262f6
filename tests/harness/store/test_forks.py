"""Forks in the database, on both kinds of it: what is copied, what of it counts, what is left when the parent goes."""

from __future__ import annotations

from harness.records import MatchRecord, PledgeRecord, Stretch
from harness.store import Store
from harness.store.find import Span
from harness.store.forks import Origin
from tests.harness.store.samples import call_of, match_of, message_of, run_of, turn_of

PROMISED = (PledgeRecord(kind="donate", addressee="blue", turns=4, condition="spare"),)


def parent(store: Store) -> MatchRecord:
    """A match of three plies: two answers each for the first two, and one that is not copied."""
    run_id = store.create_run(run_of("parent"), [match_of(0), match_of(1)]).result()
    match = store.matches(run_id)[0]
    number = match.id or 0
    for ply in (1, 2, 3):
        fields = {"match_id": number, "ply": ply, "seat": "red", "decision": ply - 1, "label": "p0", "cost": 0.5}
        store.add_call(call_of(**fields, attempt=1, kind="act", error_kind="illegal", error="no such pile")).result()
        call_id = store.add_call(call_of(**fields, attempt=2, kind="retry", content=f"reply {ply}")).result()
        said = [message_of(ply - 1, ply=ply, text=f"words {ply}", call_id=call_id, pledges=PROMISED)]
        store.add_turns(number, [turn_of(ply, call_id=call_id, notes=f"note {ply}")], said).result()
    store.add_call(call_of(match_id=number, ply=1, seat="red", kind="judge", cost=0.5)).result()
    return match


def fork_of(match: MatchRecord, number: int, ply: int) -> MatchRecord:
    stretch = Stretch(until=ply, match_id=match.id or 0, run="parent", number=0, seed=match.seed, seats=match.seats)
    return match_of(number, parent_id=match.id, parent_ply=ply, lineage=(stretch,), plies=ply)


def forks(store: Store, *plies: int) -> list[MatchRecord]:
    match = parent(store)
    made = [fork_of(match, number, ply) for number, ply in enumerate(plies)]
    return store.matches(store.create_forks(run_of("forks"), made).result())


def test_a_forks_log_begins_with_a_copy_of_its_parents(store: Store) -> None:
    made = forks(store, 2, 0, 3)
    for match, ply in zip(made, (2, 0, 3), strict=True):
        number = match.id or 0
        own = {"call_id"}
        turns, said, calls = store.turns(number), store.messages(number), store.calls(number, prompts=True)
        assert [turn.model_dump(exclude=own) for turn in turns] == [
            turn.model_dump(exclude=own) for turn in store.turns(1)[:ply]
        ]
        assert [message.model_dump(exclude=own) for message in said] == [
            message.model_dump(exclude=own) for message in store.messages(1)[:ply]
        ]
        assert [(call.content, call.prompt, call.error_kind) for call in calls] == [
            (call.content, call.prompt, call.error_kind) for call in store.calls(1, prompts=True)[: 2 * ply]
        ]
        contents = {call.id: call.content for call in calls}
        assert [contents[turn.call_id] for turn in turns] == [f"reply {turn.ply}" for turn in turns]
        assert [contents[message.call_id] for message in said] == [f"reply {turn.ply}" for turn in turns]
        assert {(call.kind, call.run_id, call.cost, call.prompt_tokens, call.response) for call in calls} <= {
            ("copied", None, 0.0, None, None)
        }


def test_what_was_copied_counts_in_no_sum(store: Store) -> None:
    before = parent(store)
    spent = (store.spend(1), store.seat_stats([1]))
    run_id = store.create_forks(run_of("forks"), [fork_of(before, 0, 2)]).result()
    (match,) = store.matches(run_id)
    number = match.id or 0
    assert store.spend(run_id).calls == 0
    assert store.spend_by(run_id) == {}
    assert store.run_counts()[run_id]["calls"] == 0
    assert store.run_counts()[run_id]["forks"] == len(store.matches(run_id)) > 0
    assert store.call_lines(run_id) == []
    figures = ("turns", "decisions", "illegal", "calls", "cost", "messages", "pledges")
    assert all(getattr(stat, name) == 0 for stat in store.seat_stats([run_id]) for name in figures)
    store.add_call(call_of(match_id=number, ply=3, seat="red", kind="act", cost=0.25)).result()
    store.add_turns(number, [turn_of(3)], [message_of(2, ply=3, pledges=PROMISED)]).result()
    red = store.seat_stats([run_id])[0]
    assert [getattr(red, name) for name in figures] == [1, 1, 0, 1, 0.25, 1, 1]
    assert (red.parent_ply, store.spend(run_id).usd) == (2, 0.25)
    assert (store.spend(1), store.seat_stats([1])) == spent
    assert [stat.parent_ply for stat in store.seat_stats([1])] == [None] * 8


def test_forks_stay_when_their_parent_goes(store: Store) -> None:
    made = forks(store, 2, 3)
    assert store.forks() == {2: Origin(2, (1, 1), (2, 3))}
    store.remove_run(1)
    assert store.forks() == {2: Origin(2, None, (2, 3))}
    for match, ply in zip(made, (2, 3), strict=True):
        number = match.id or 0
        found = store.match(number)
        assert found is not None
        assert (found.parent_id, found.parent_ply, found.forked, found.lineage) == (None, ply, True, match.lineage)
        assert [turn.notes for turn in store.turns(number)] == [f"note {one}" for one in range(1, ply + 1)]
        assert [call.content for call in store.calls(number, prompts=True)][1::2] == [
            f"reply {one}" for one in range(1, ply + 1)
        ]
        assert all(call.prompt for call in store.calls(number, prompts=True))
    assert store.remove_run(2)["matches"] == 2
    assert store.runs() == []
    assert store.calls(made[0].id or 0) == []


def test_a_fork_of_a_fork_has_copies_of_copies(store: Store) -> None:
    (first,) = forks(store, 2)
    run_id = store.create_forks(run_of("again"), [fork_of(first, 0, 1)]).result()
    (second,) = store.matches(run_id)
    calls = store.calls(second.id or 0)
    assert [(call.kind, call.ply) for call in calls] == [("copied", 1)] * 2
    assert store.turns(second.id or 0)[0].call_id == calls[1].id


def test_rows_are_searched_alike_on_every_database(store: Store) -> None:
    match = parent(store)
    store.create_forks(run_of("forks"), [fork_of(match, 0, 2)]).result()
    assert [hit.ply for hit in store.find_messages(1, words=("WORDS",))] == [1, 2, 3]
    assert [hit.ply for hit in store.find_messages(1, words=("words", "2"), sender="p0", to="all")] == [2]
    assert [hit.pledges for hit in store.find_messages(1, kind="donate")] == [[("donate", "blue", 4, "spare", 0)]] * 3
    assert list(store.find_messages(1, kind="spare")) == []
    assert list(store.find_messages(1, words=("w_rds",))) == []
    assert [(hit.ply, hit.label, hit.game) for hit in store.find_turns(1, action="RED NEW", kind="played")] == [
        (ply, "p0", match.game) for ply in (1, 2, 3)
    ]
    assert list(store.find_turns(1, source="fallback")) == []
    assert [(hit.ply, hit.error) for hit in store.find_illegal(1, words=("PILE",))] == [
        (ply, "no such pile") for ply in (1, 2, 3)
    ]
    assert [hit.seq for hit in store.find_messages(1, pledged=True, to="p1")] == [
        hit.seq for hit in store.find_messages(1)
    ]
    assert list(store.find_messages(1, pledged=True, to="all")) == []
    assert [len(list(store.find_turns(1, seat=who))) for who in ("red", "p0", "p1")] == [3, 3, 0]
    assert [len(list(store.find_illegal(1, seat=who))) for who in ("red", "p0", "p1")] == [3, 3, 0]
    spans = (Span(0, 2), Span(0, 9), Span(1), Span(0, 0, before=0), Span(0, 3, before=1))
    for found in (store.find_messages, store.find_turns, store.find_illegal):
        assert [[hit.ply for hit in found(1, span=span)] for span in spans] == [[2, 3], [], [], [], [3]]
    assert [(act.ply, act.action, act.source) for act in store.acts(match.id or 0)] == [
        (turn.ply, turn.action, turn.source) for turn in store.turns(match.id or 0)
    ]
    assert store.kinds(1) == ["donate", "played"]
    assert store.sitters(1)[1] == {"p0", "p1", "p2", "p3"}
    # What a fork was given is its parent's.
    assert [list(found) for found in (store.find_messages(2), store.find_turns(2), store.find_illegal(2))] == [
        [],
        [],
        [],
    ]
