"""Forks: what is played on from a position, by whom, on which chance, and what of it counts."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest

from games.chance import Draws
from harness import lineage
from harness import match as loop
from harness.fork import plan, points
from harness.leaderboard import leaderboard
from harness.records import CallRecord
from harness.replay import build
from harness.runs import record_id
from harness.store import Store
from harness.verify import verify
from tests.harness.forking import GAMES, bots, forked, go, log_of, models, planned, steady
from tests.providers import Loopback
from tests.providers.fixtures import loopback as loopback

pytestmark = pytest.mark.usefixtures("house_key")


@pytest.fixture
def one_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    """What players leave to chance is the same in every match, so that the same players choose the same."""

    def key(_run: str, _number: int, seat: str, decision: int, purpose: str) -> str:
        return f"{seat}:{decision}:{purpose}"

    monkeypatch.setattr(loop, "chance_key", key)
    monkeypatch.setattr(lineage, "chance_key", key)


def plies_of(store: Store, match_id: int, key: str, number: int) -> list[int]:
    """Some plies that a match can be forked at between two decisions, its start and the last among them."""
    starts = [turn.ply - 1 for turn in store.turns(match_id) if turn.plan_index == 0]
    draws = Draws(key)
    return sorted({0, starts[-1], *(draws.choice(starts) for _ in range(number))})


@pytest.mark.parametrize("game", GAMES)
async def test_the_same_players_choosing_the_same_reach_the_same_end(game: str, store: Store, one_chance: None) -> None:
    await go(bots(game), store)
    for ply in plies_of(store, 1, game, 4):
        fork = await forked(store, 1, ply)
        assert log_of(store, record_id(fork)) == log_of(store, 1), f"ply {ply}"
        assert fork.outcome == store.matches(1)[0].outcome


@pytest.mark.parametrize("game", GAMES)
async def test_a_fork_by_others_keeps_what_was_played_before(game: str, store: Store) -> None:
    await go(bots(game), store)
    seat = store.matches(1)[0].seats[0]
    other = GAMES[game][1][-1]
    for ply in plies_of(store, 1, f"others {game}", 2):
        fork = await forked(store, 1, ply, seats={seat.seat: f"bot:{other}"})
        before = store.turns(1)[:ply]
        assert [turn.model_dump() for turn in store.turns(record_id(fork))[:ply]] == [
            turn.model_dump() for turn in before
        ]
        assert (fork.parent_id, fork.parent_ply, fork.plies > ply) == (1, ply, True)
        assert fork.seats[0].label == other
        assert fork.lineage[-1].seats[0].label == seat.label


async def test_in_the_middle_of_a_plan_the_seat_is_asked_anew(store: Store) -> None:
    await go(bots("trap_race"), store)
    inside = next(turn for turn in store.turns(1) if turn.plan_index > 0 and turn.source == "player")
    fork = await forked(store, 1, inside.ply - 1)
    again = store.turns(record_id(fork))[inside.ply - 1]
    assert (again.seat, again.decision, again.plan_index) == (inside.seat, inside.decision + 1, 0)


async def test_forks_by_the_same_players_differ_in_what_they_leave_to_chance(store: Store) -> None:
    await go(bots("star_ludo"), store)
    made = planned(store, [(1, 10)], times=3)
    result = await go(made.spec, store)
    logs = [str(log_of(store, record_id(match), 10)) for match in store.matches(result.run_id)]
    assert len(set(logs)) == 3
    assert {match.seed for match in store.matches(result.run_id)} == {store.matches(1)[0].seed}


async def test_the_chance_to_come_is_drawn_anew_where_that_is_asked_for(store: Store, one_chance: None) -> None:
    await go(bots("star_ludo"), store)
    fork = await forked(store, 1, 10, reseed=True)
    number = record_id(fork)
    assert log_of(store, number)[:10] == log_of(store, 1)[:10]
    assert log_of(store, number, 10) != log_of(store, 1, 10)
    (parent,) = store.matches(1, with_start=True)
    assert fork.seed != parent.seed
    assert fork.start == parent.start
    # A fork of the fork, before and after the ply at which its chance changed.
    for ply in (6, 10, 14):
        again = await forked(store, number, ply)
        expected = log_of(store, 1 if ply < 10 else number)
        assert log_of(store, record_id(again)) == expected, f"ply {ply}"
        assert [stretch.until for stretch in again.lineage] == {6: [6], 10: [10], 14: [10, 14]}[ply]


async def test_a_fork_at_the_start_may_have_other_chance_too(store: Store, one_chance: None) -> None:
    await go(bots("star_ludo"), store)
    fork = await forked(store, 1, 0, reseed=True)
    assert log_of(store, record_id(fork)) != log_of(store, 1)


@pytest.mark.parametrize("game", GAMES)
async def test_models_remember_what_their_seats_remembered(game: str, loopback: Loopback, store: Store) -> None:
    loopback.always(steady)
    await go(models(game, loopback), store)
    parent = store.calls(1, prompts=True)
    for ply in plies_of(store, 1, f"models {game}", 1)[1:]:
        fork = record_id(await forked(store, 1, ply))
        own = [call for call in store.calls(fork, prompts=True) if call.kind != "copied"]
        there = {(call.seat, call.decision, call.attempt): call for call in parent}
        for call in own:
            before = there[call.seat, call.decision, call.attempt]
            assert words(call) == words(before), f"ply {ply}, {call.seat}'s decision {call.decision}"
        assert log_of(store, fork) == log_of(store, 1)


def words(call: CallRecord) -> Counter[str]:
    """The words of a prompt, in whatever order: that of legal actions is each match's own."""
    return Counter(" ".join(message.text for message in call.prompt).replace(",", " ").split())


@pytest.mark.parametrize("taker", ["m1", "bot:random"])
async def test_nothing_that_was_copied_is_asked_paid_or_counted_again(
    taker: str, loopback: Loopback, store: Store
) -> None:
    loopback.always(steady)
    await go(models("so_long_sucker", loopback), store)
    before = (store.spend(1), store.seat_stats([1]), len(loopback.requests))
    ply = 12
    fork = await forked(store, 1, ply, seats={"red": taker})
    number, run_id = record_id(fork), fork.run_id or 0
    calls = store.calls(number)
    copied = [call for call in calls if call.kind == "copied"]
    own = [call for call in calls if call.kind != "copied"]
    assert copied
    assert own
    assert len(copied) == len([call for call in store.calls(1) if call.ply <= ply])
    assert all(call.ply <= ply and call.cost == 0 and call.prompt_tokens is None for call in copied)
    assert [call.content for call in copied] == [call.content for call in store.calls(1)[: len(copied)]]
    probes = len(loopback.requests) - before[2] - len(own)
    assert probes == len({seat.label for seat in fork.seats if seat.kind == "model"})
    paid = sum(call.cost or 0 for call in own)
    by_match = {key: spend for key, spend in store.spend_by(run_id).items() if key[0] == number}
    assert sum(spend.usd for spend in by_match.values()) == pytest.approx(paid)
    assert sum(spend.calls for spend in by_match.values()) == len(own)
    assert store.run_counts()[run_id]["calls"] == len(own) + probes
    stats = store.seat_stats([run_id])
    assert sum(stat.calls for stat in stats) == len(own)
    assert sum(stat.cost for stat in stats) == pytest.approx(paid)
    assert sum(stat.illegal for stat in stats) == sum(call.error_kind == "illegal" for call in own)
    turns = [turn for turn in store.turns(number) if turn.ply > ply]
    assert sum(stat.turns for stat in stats) == len(turns)
    assert sum(stat.decisions for stat in stats) == len(
        {(turn.seat, turn.decision) for turn in turns if turn.source != "forced"}
    )
    said = [message for message in store.messages(number) if message.ply > ply]
    assert sum(stat.messages for stat in stats) == len(said)
    assert (store.spend(1), store.seat_stats([1])) == before[:2]


async def test_a_copied_turn_names_its_own_copy_of_the_answer(loopback: Loopback, store: Store) -> None:
    loopback.always(steady)
    await go(models("twenty_one", loopback), store)
    fork = record_id(await forked(store, 1, 6))
    mine = {call.id: call for call in store.calls(fork)}
    there = {call.id: call for call in store.calls(1)}
    for here, first in zip(store.turns(fork)[:6], store.turns(1)[:6], strict=True):
        assert (here.call_id is None) == (first.call_id is None)
        if here.call_id is not None and first.call_id is not None:
            assert mine[here.call_id].content == there[first.call_id].content
    spoken = [message for message in store.messages(fork) if message.call_id is not None]
    assert all(message.call_id in mine for message in spoken)


@pytest.mark.parametrize("stops", [1, 4])
async def test_a_fork_that_was_stopped_goes_on_to_the_same_end(
    stops: int, loopback: Loopback, store: Store, tmp_path: Path, database: str
) -> None:
    loopback.always(steady)
    await go(models("so_long_sucker", loopback), store)
    store.close()
    other = str(tmp_path / "other.db")
    shutil.copy(database, other)
    ends = []
    for path in (database, other):
        with Store.open(path) as opened:
            made = planned(opened, [(1, 8)], seats={"blue": "bot:turncoat"})
            if path == other:
                paused = await go(made.spec, opened, after=stops)
                assert paused.status == "paused"
                asked = len(loopback.requests)
                kept = [call for call in opened.calls(2) if call.kind != "copied"]
            result = await go(made.spec, opened)
            assert result.status == "finished"
            (match,) = opened.matches(result.run_id, with_start=True)
            assert verify(match, opened.turns(2)) is None
            ends.append((match.outcome, log_of(opened, 2)))
            if path == other:
                own = [call for call in opened.calls(2) if call.kind != "copied"]
                assert len(loopback.requests) - asked == len(own) - len(kept) + 3, "three probes, and what was left"
    assert ends[0] == ends[1]


async def test_a_fork_outlives_its_parent(loopback: Loopback, store: Store) -> None:
    loopback.always(steady)
    await go(models("so_long_sucker", loopback), store)
    made = planned(store, [(1, 9)], times=2)
    stopped = await go(made.spec.model_copy(update={"parallel": 1}), store, after=3)
    assert stopped.status == "paused"
    store.remove_run(1)
    assert store.match(1) is None
    result = await go(made.spec, store)
    assert result.status == "finished", result.why
    for match in store.matches(result.run_id, with_start=True):
        number = record_id(match)
        assert (match.parent_id, match.parent_ply) == (None, 9)
        assert verify(match, store.turns(number)) is None
        calls = store.calls(number, prompts=True)
        assert all(call.prompt for call in calls)
        replay = build(match, store.turns(number), store.messages(number), calls, run="forks")
        assert replay["fork"]["match"] is None
        assert [seat["label"] for seat in replay["fork"]["before"][0]["seats"]] == ["m0", "m1", "m2", "m3"]
    assert sum(stat.calls for stat in store.seat_stats([result.run_id])) > 0
    # The fork itself goes without a trace, though its calls are of no run.
    store.remove_run(result.run_id)
    assert store.runs() == []


async def test_a_replay_says_who_played_before_the_fork(store: Store) -> None:
    await go(bots("trap_race"), store)
    seat = store.matches(1)[0].seats[0].seat
    fork = await forked(store, 1, 7, seats={seat: "bot:hard"})
    number = record_id(fork)
    replay = build(fork, store.turns(number), store.messages(number), [], run="forks")
    told = replay["fork"]
    assert (told["match"], told["ply"]) == (1, 7)
    assert [(stretch["until"], stretch["match"], stretch["run"]) for stretch in told["before"]] == [(7, 1, "bots")]
    assert [one["label"] for one in told["before"][0]["seats"]] == ["normal", "forward"]
    assert [one["label"] for one in replay["match"]["seats"]] == ["hard", "forward"]
    assert "seed" not in str(told)
    (parent,) = store.matches(1, with_start=True)
    assert build(parent, store.turns(1), [], [], run="bots")["fork"] is None


@pytest.mark.parametrize("change", [{"seed": 4}, {"lineage": ()}])
async def test_a_fork_on_another_chance_than_its_record_says_does_not_verify(
    change: dict[str, object], store: Store
) -> None:
    await go(bots("star_ludo"), store)
    fork = await forked(store, 1, 5, reseed=True)
    assert verify(fork.model_copy(update=change), store.turns(record_id(fork))) is not None


async def test_forks_are_marked_and_never_pooled(store: Store) -> None:
    await go(bots("star_ludo"), store)
    before = leaderboard(store.seat_stats([1])).to_json()
    fork = await forked(store, 1, 30)
    assert leaderboard(store.seat_stats([1])).to_json() == before
    both = leaderboard(store.seat_stats([1, fork.run_id or 0])).tables
    assert [(table.run, table.forks) for table in both] == [("bots", False), ("bots-fork", True)]


async def test_the_parents_settings_are_kept_for_those_who_play_on(loopback: Loopback, store: Store) -> None:
    loopback.always(steady)
    more = (
        "retries: 1\ninterface: {legal: list, history: last 3}\nlimits: {openai: {concurrent: 2}, m0: {rpm: 900}}\n"
        "budget: {usd: 1.0, per_match: {usd: 0.5}, per_player: {m0: {usd: 0.2}, m1: {usd: 0.3}}}\n"
    )
    spec = models("twenty_one", loopback, more)
    await go(spec, store, after=6)
    seat = store.matches(1)[0].seats[0].seat
    made = planned(store, [(1, 4)], seats={seat: "bot:greedy"})
    assert (made.spec.retries, made.spec.interface, made.spec.talk) == (spec.retries, spec.interface, spec.talk)
    assert set(made.spec.limits) == {"openai"}
    assert made.spec.budget is not None
    assert spec.budget is not None
    assert (made.spec.budget.usd, made.spec.budget.per_match) == (spec.budget.usd, spec.budget.per_match)
    assert set(made.spec.budget.per_player) == {"m1"}
    assert [player.label for player in made.spec.players] == ["m1", "greedy"]
    assert (await go(made.spec, store)).status == "finished"


async def test_one_player_may_take_several_seats(loopback: Loopback, store: Store) -> None:
    loopback.always(steady)
    await go(models("so_long_sucker", loopback), store)
    fork = await forked(store, 1, 10, seats={"blue": "m0", "green": "m0", "yellow": "m0"})
    assert [seat.label for seat in fork.seats] == ["m0"] * 4


async def test_every_event_of_a_kind_is_a_place_to_fork(store: Store) -> None:
    await go(bots("so_long_sucker", "matches: 3\n"), store)
    wanted = [
        (record_id(match), turn.ply - 1)
        for match in store.matches(1)
        for turn in store.turns(record_id(match))
        if any(event["kind"] == "capture" for event in turn.events)
    ]
    found, left_out = points(store, [1, 2, 3], kind="capture")
    assert [(one.match.id, one.ply) for one in found] == wanted
    assert len(wanted) > 2
    assert left_out == []
    run = store.run(1)
    assert run is not None
    made = plan(store, run, found, times=2)
    places = [(match.parent_id, match.parent_ply) for match in made.matches]
    assert places == wanted * 2, "each position once before any comes again"
    parents = list(dict.fromkeys(match.parent_id for match in made.matches))
    assert [match.pack for match in made.matches] == [parents.index(match.parent_id) for match in made.matches]
    assert len({(match.pack, match.rotation) for match in made.matches}) == len(made.matches)


async def test_forks_of_forks_of_one_match_are_one_pack_with_its_own(store: Store) -> None:
    await go(bots("so_long_sucker", "matches: 2\n"), store)
    first = planned(store, [(1, 5), (2, 5), (1, 9)], times=2)
    run_id = (store.run(first.run.name) or pytest.fail("no run")).id or 0
    assert [match.pack for match in store.matches(run_id)] == [0, 1, 0] * 2
    await go(first.spec, store)
    ids = [record_id(match) for match in store.matches(run_id)]
    again = planned(store, [(one, ply) for one in ids for ply in (3, 12)])
    assert [match.pack for match in again.matches] == [0, 0, 1, 1, 0, 0] * 2


async def test_forks_of_matches_of_one_seed_are_one_pack(store: Store) -> None:
    rotating = bots("so_long_sucker", "matches: 8\n").model_copy(update={"seating": "rotate"})
    await go(rotating, store)
    parents = store.matches(1)
    assert [match.pack for match in parents] == [0] * 4 + [1] * 4
    made = planned(store, [(record_id(match), 6) for match in parents])
    assert [match.pack for match in made.matches] == [0] * 4 + [1] * 4
    assert [match.rotation for match in made.matches] == [0, 1, 2, 3] * 2
