"""The loop of one match: who is asked when, who hears what, what is written down."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from games import get_game
from harness.lineage import LogDiffers
from harness.match import Stopped, Stored
from harness.players import Ask
from harness.players.bot import BotPlayer
from harness.records import CallRecord, Json
from harness.replay import frames, position_hash
from harness.spec import Interface, Talk
from harness.verify import verify
from tests.harness.tables import (
    SEATS,
    MemoryLog,
    Scripted,
    finished,
    first_legal,
    match_of,
    observations,
    saying,
    table,
    tournament,
)

GAME = get_game("so_long_sucker")
OFF = Talk(messages=0, round=0)


def everyone(answer: Callable[[Ask], Any]) -> dict[str, Any]:
    return {seat: Scripted(answer, label=seat) for seat in SEATS}


async def test_a_match_is_its_start_and_its_log() -> None:
    one, log = table()
    outcome = await one.play()
    match = finished(log, outcome)
    assert log.outcome == outcome
    assert verify(match, log.all_turns) is None
    assert [turn.ply for turn in log.all_turns] == list(range(1, len(log.all_turns) + 1))
    last = list(frames(match, log.all_turns))[-1]
    assert GAME.outcome(last.state).to_json() == outcome  # type: ignore[union-attr]
    assert log.start_hash == position_hash(log.start_position or {})


async def test_the_same_match_comes_out_the_same() -> None:
    logs = []
    for _ in range(2):
        one, log = table()
        await one.play()
        logs.append([(turn.action, turn.position_hash, turn.shown_index) for turn in log.all_turns])
    assert logs[0] == logs[1]


async def test_nobody_is_asked_what_is_forced_while_talk_is_off() -> None:
    players = everyone(first_legal)
    one, log = table(players, spec=tournament(talk=OFF))
    await one.play()
    assert log.all_turns[0].source == "forced"
    assert all(turn.source == ("forced" if turn.legal_count == 1 else "player") for turn in log.all_turns)
    for player in players.values():
        assert all(len(seen.legal) > 1 for seen in observations(player))


async def test_while_talk_is_on_no_seat_is_skipped() -> None:
    one, log = table(everyone(first_legal))
    await one.play()
    assert {turn.source for turn in log.all_turns} == {"player"}
    assert any(turn.legal_count == 1 for turn in log.all_turns)


async def test_the_shown_order_differs_by_decision_and_the_place_is_stored() -> None:
    players = everyone(lambda ask: {"actions": [ask.shown[0]]})
    one, log = table(players, spec=tournament(talk=OFF))
    await one.play()
    asked = [turn for turn in log.all_turns if turn.source == "player"]
    assert {turn.shown_index for turn in asked} == {0}
    orders = [ask.shown for player in players.values() for ask in player.asks]
    assert any(list(order) != sorted(order) for order in orders)
    assert all(sorted(ask.shown) == sorted(ask.observation.legal) for p in players.values() for ask in p.asks)


async def test_no_place_is_stored_where_no_list_was_shown() -> None:
    spec = tournament(talk=OFF, interface=Interface(legal="none"))
    one, log = table(everyone(first_legal), spec=spec)
    await one.play()
    assert {turn.shown_index for turn in log.all_turns} == {None}


async def test_illegal_answers_end_in_a_counted_fallback() -> None:
    players = everyone(first_legal)
    players["red"] = Scripted(lambda ask: {"actions": ["play red on 99"]})
    one, log = table(players, spec=tournament("retries: 1\n"))
    await one.play()
    red = [turn for turn in log.all_turns if turn.seat == "red"]
    assert red
    assert {turn.source for turn in red} == {"fallback"}
    assert len([ask for ask in players["red"].asks if ask.observation.asked == "act"]) == 2 * len(red)


async def test_forfeit_ends_the_match_with_that_seat_last() -> None:
    players = everyone(first_legal)
    players["green"] = Scripted(lambda ask: "no")
    one, log = table(players, spec=tournament("on_illegal: forfeit\nretries: 0\n"))
    outcome = await one.play()
    assert outcome == {
        "winners": ["red", "blue", "yellow"],
        "places": {"red": 1, "blue": 1, "green": 4, "yellow": 1},
        "reason": "forfeit",
    }
    assert log.outcome == outcome


async def test_what_is_said_reaches_its_addressee_alone() -> None:
    players = everyone(first_legal)
    players["red"] = Scripted(saying({"to": "blue", "text": "secret"}, {"to": "all", "text": "hello"}))
    one, _ = table(players)
    await one.play()
    heard = {
        seat: {message.text for seen in observations(player) for message in seen.messages}
        for seat, player in players.items()
    }
    assert heard["blue"] == {"secret", "hello"}
    assert heard["red"] == {"secret", "hello"}
    assert "hello" in heard["green"]
    assert "secret" not in heard["green"] | heard["yellow"]


async def test_nothing_is_told_twice_and_nothing_is_left_out() -> None:
    players = everyone(first_legal)
    one, log = table(players)
    await one.play()
    public = [json.dumps(event) for turn in log.all_turns for event in turn.events]
    for player in players.values():
        told = [json.dumps(event.to_json()) for seen in observations(player) for event in seen.events]
        start = json.dumps(log.start_events[0])
        assert told[0] == start
        assert told[1:] == public[: len(told) - 1]


async def test_a_talk_round_comes_before_every_fourth_turn_and_moves_on_by_one_seat() -> None:
    players = everyone(first_legal)
    one, log = table(players, spec=tournament("talk: {round: 4}\n"))
    await one.play()
    rounds = [turn for turn in log.all_turns if turn.talk is not None]
    called = {turn.ply + 1 for turn in log.all_turns for event in turn.events if event["kind"] == "ask"}
    assert [turn.ply for turn in rounds] == sorted(
        {turn.ply for turn in log.all_turns if turn.ply % 4 == 0} | {ply for ply in called if ply <= len(log.all_turns)}
    )
    assert called
    firsts = [turn.talk[0] for turn in rounds if turn.talk is not None and len(turn.talk) == 4]
    for before, after in pairwise(firsts):
        assert SEATS.index(after) == (SEATS.index(before) + 1) % 4


async def test_who_is_out_neither_speaks_nor_is_asked() -> None:
    players = everyone(first_legal)
    one, log = table(players, spec=tournament("talk: {round: 1}\n"))
    await one.play()
    out: set[str] = set()
    for turn in log.all_turns:
        assert not out & set(turn.talk or ())
        out |= {event["seat"] for event in turn.events if event["kind"] == "eliminated"}
    assert len(out) == 3
    for seen in (seen for player in players.values() for seen in observations(player)):
        assert seen.seat in seen.alive


async def test_in_a_rotating_round_the_later_hear_the_earlier() -> None:
    seen_by = await _round_of_greetings("rotate")
    assert [len(heard) for heard in seen_by] == [0, 1, 2, 3]


async def test_in_a_simultaneous_round_nobody_hears_the_others() -> None:
    seen_by = await _round_of_greetings("simultaneous")
    assert [len(heard) for heard in seen_by] == [0, 0, 0, 0]


async def _round_of_greetings(order: str) -> list[list[str]]:
    """What each speaker of the first talk round had heard of it, in the order of speaking."""
    heard: list[list[str]] = []

    def answer(ask: Ask) -> Json:
        if ask.observation.asked == "act":
            return first_legal(ask)
        heard.append([message.text for message in ask.observation.messages])
        return {"messages": [{"to": "all", "text": f"{ask.observation.seat} speaks"}]}

    one, log = table(everyone(answer), spec=tournament(f"talk: {{round: 1, order: {order}}}\n"))
    await one.play()
    assert [message.sender for message in log.all_messages[:4]] == list(log.all_turns[0].talk or ())
    assert all(message.talk for message in log.all_messages)
    assert [message.seq for message in log.all_messages] == list(range(len(log.all_messages)))
    return heard[:4]


async def test_a_seat_says_no_more_in_a_match_than_the_file_allows() -> None:
    players = everyone(saying({"to": "all", "text": "a"}, {"to": "all", "text": "b"}))
    one, log = table(players, spec=tournament("talk: {round: 0, per_match: 3}\n"))
    await one.play()
    said = [message.sender for message in log.all_messages]
    assert {seat: said.count(seat) for seat in SEATS} == dict.fromkeys(SEATS, 3)
    dropped = [reason for turn in log.all_turns for reason in turn.dropped]
    assert dropped


async def test_pledges_ride_on_messages_and_are_stored() -> None:
    pledge = {"kind": "donate", "to": "blue", "turns": 8, "if": "spare"}
    players = everyone(first_legal)
    players["red"] = Scripted(saying({"to": "blue", "text": "deal?", "pledges": [pledge]}))
    one, log = table(players)
    await one.play()
    stored = log.all_messages[0].pledges[0]
    assert (stored.kind, stored.addressee, stored.turns, stored.condition) == ("donate", "blue", 8, "spare")
    heard = next(m for seen in observations(players["blue"]) for m in seen.messages if m.pledges)
    assert heard.pledges[0].to == "blue"


async def test_where_pledges_are_off_none_is_stored() -> None:
    pledge = {"kind": "donate", "to": "blue", "turns": 8, "if": None}
    players = everyone(saying())
    players["red"] = Scripted(saying({"to": "blue", "text": "deal?", "pledges": [pledge]}))
    one, log = table(players, spec=tournament("pledges: off\n"))
    await one.play()
    assert log.all_messages
    assert all(not message.pledges for message in log.all_messages)


async def test_words_of_a_rejected_answer_are_not_said() -> None:
    def answer(ask: Ask) -> Json:
        good = bool(ask.failures)
        action = list(ask.observation.legal[:1]) if good else ["nonsense"]
        return {"actions": action, "messages": [{"to": "all", "text": "good" if good else "bad"}], "notes": str(good)}

    one, log = table(everyone(answer), spec=tournament("talk: {round: 0}\n"))
    await one.play()
    assert {message.text for message in log.all_messages} == {"good"}
    assert {turn.notes for turn in log.all_turns} == {"True"}


async def test_notes_come_back_at_the_next_decision_and_stay_without_new_ones() -> None:
    def answer(ask: Ask) -> Json:
        number = ask.observation.decision
        return {**first_legal(ask), "notes": f"note {number}" if number == 0 else None}

    players = everyone(answer)
    one, _ = table(players, spec=tournament("talk: {round: 0}\n"))
    await one.play()
    for player in players.values():
        notes = [seen.notes for seen in observations(player)]
        assert notes[0] == ""
        assert set(notes[1:]) <= {"note 0"}


async def test_models_have_no_notes_where_the_file_says_so() -> None:
    players = everyone(lambda ask: {**first_legal(ask), "notes": "kept"})
    one, _ = table(players, spec=tournament("interface: {notes: false}\n"))
    await one.play()
    assert {seen.notes for player in players.values() for seen in observations(player)} == {""}


async def test_a_plan_is_played_while_it_is_still_that_seats_decision() -> None:
    def answer(ask: Ask) -> Json:
        legal = ask.observation.legal
        nexts = [f"next {seat}" for seat in ask.observation.alive if seat != ask.observation.seat]
        return {"actions": [legal[0], *nexts[:1]]}

    one, log = table(everyone(answer), spec=tournament("talk: off\n"))
    await one.play()
    planned = [turn for turn in log.all_turns if turn.plan_index == 1]
    assert planned
    for turn in planned:
        before = log.all_turns[turn.ply - 2]
        assert (before.seat, before.decision, before.plan_index) == (turn.seat, turn.decision, 0)
        assert turn.shown_index is None


async def test_the_first_illegal_action_of_a_plan_ends_it_with_blame() -> None:
    scene = GAME.scenarios["capture_ready"](SEATS, GAME.Options(chips=3), 5)
    mover = scene["to_act"]
    players = everyone(first_legal)
    capture = next(
        action
        for action in GAME.legal(GAME.load(scene))
        if any(event.kind == "capture" for event in GAME.apply(GAME.load(scene), action).events)
    )
    players[mover] = Scripted(
        lambda ask: (
            {"actions": [capture, "kill purple", f"kill {mover}"]}
            if ask.observation.decision == 0
            else first_legal(ask)
        )
    )
    one, log = table(players, spec=tournament("talk: off\n"), match=match_of(scenario="capture_ready"))
    await one.play()
    assert log.all_turns[0].action == capture
    assert "purple" in (log.all_turns[0].plan_fault or "")
    assert log.all_turns[1].plan_index == 0


async def test_history_holds_what_was_answered_and_played() -> None:
    players = everyone(first_legal)
    one, log = table(players, spec=tournament("talk: {round: 0}\n"))
    await one.play()
    for seat, player in players.items():
        mine = [turn for turn in log.all_turns if turn.seat == seat]
        past = player.asks[-1].history
        assert [one.played for one in past] == [(turn.action,) for turn in mine[:-1]]
        assert all(json.loads(one.reply or "")["actions"] == list(one.played) for one in past)


async def test_stop_is_heeded_before_the_next_question() -> None:
    one, log = table()
    turns = 0

    def turn(*_: Any) -> None:
        nonlocal turns
        turns += 1
        if turns == 5:
            one.stop.set()

    one.watcher.turn = turn  # type: ignore[method-assign]
    with pytest.raises(Stopped):
        await one.play()
    assert len(log.all_turns) == 5
    assert log.outcome is None


@pytest.mark.parametrize("stopped_at", [1, 2, 7, 13])
async def test_a_match_goes_on_where_it_stopped_and_ends_the_same(stopped_at: int) -> None:
    whole, whole_log = table(_talkers())
    await whole.play()

    first, log = table(_talkers())
    first.watcher.turn = lambda match, turn: first.stop.set() if turn.ply == stopped_at else None  # type: ignore[method-assign]
    with pytest.raises(Stopped):
        await first.play()
    resumed = match_of().model_copy(
        update={"start": log.start_position, "start_events": log.start_events, "start_hash": log.start_hash}
    )
    stored = Stored(tuple(log.all_turns), tuple(log.all_messages), ())
    second, _ = table(_talkers(), match=resumed, stored=stored, log=log)
    await second.play()

    def played(one: MemoryLog) -> list[Any]:
        return [turn.model_dump(exclude={"at"}) for turn in one.all_turns]

    assert played(log) == played(whole_log)
    assert log.all_messages == whole_log.all_messages
    assert log.outcome == whole_log.outcome


def _talkers() -> dict[str, Any]:
    return {
        seat: BotPlayer(seat, GAME.bots[bot])
        for seat, bot in zip(SEATS, ("banker", "turncoat", "greedy", "random"), strict=True)
    }


async def test_stored_calls_reach_the_decision_that_they_were_made_for() -> None:
    from datetime import UTC, datetime

    calls = [
        CallRecord(id=7, label="r", model="m", seat=seat, decision=1, started_at=datetime.now(UTC)) for seat in SEATS
    ]
    players = everyone(first_legal)
    one, _ = table(players, stored=Stored((), (), calls))
    await one.play()
    for seat, player in players.items():
        for ask in player.asks:
            expected = [call for call in calls if call.seat == seat] if ask.observation.decision == 1 else []
            assert list(ask.recorded) == expected


async def test_a_log_that_does_not_come_out_again_is_not_gone_on_with() -> None:
    one, log = table(_talkers())
    await one.play()
    turns = list(log.all_turns)
    turns[3] = turns[3].model_copy(update={"position_hash": "0" * 64})
    match = match_of().model_copy(update={"start": log.start_position, "start_events": log.start_events})
    again, _ = table(_talkers(), match=match, stored=Stored(turns, tuple(log.all_messages), ()))
    with pytest.raises(LogDiffers, match="ply 4"):
        await again.play()


async def test_one_failure_in_a_simultaneous_round_waits_for_the_others() -> None:
    done: list[str] = []
    release = asyncio.Event()

    class Slow(Scripted):
        async def answer(self, ask: Ask) -> Any:
            if ask.observation.asked == "talk":
                release.set()
                await asyncio.sleep(0)
                done.append(ask.observation.seat)
            return await super().answer(ask)

    players: dict[str, Any] = {seat: Slow(first_legal) for seat in SEATS}
    players["red"] = Scripted(lambda ask: RuntimeError("gone") if ask.observation.asked == "talk" else first_legal(ask))
    one, _ = table(players, spec=tournament("talk: {round: 1, order: simultaneous}\n"))
    with pytest.raises(RuntimeError, match="gone"):
        await one.play()
    assert sorted(done) == ["blue", "green", "yellow"]
