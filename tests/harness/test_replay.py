"""Logs re-executed: what is intact verifies, what was touched is found at its ply."""

from __future__ import annotations

from typing import Any

import pytest

from games.api import BadStart, Event
from harness.recorded import ending_difference, planned, record_difference
from harness.records import MatchRecord, TurnRecord
from harness.replay import BrokenLog, build, frames
from harness.starts import start
from harness.verify import sound, verify
from tests.harness.tables import SEATS, finished, table, tournament


async def played() -> tuple[MatchRecord, list[TurnRecord], Any]:
    one, log = table(spec=tournament("talk: {round: 0}\n"))
    match = finished(log, await one.play())
    return match.model_copy(update={"versions": {"rules": "1"}}), log.all_turns, log


async def test_an_intact_log_verifies() -> None:
    match, turns, _ = await played()
    assert verify(match, turns) is None


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"position_hash": "0" * 64}, "hash"),
        ({"events": ()}, "events"),
        ({"action": "fly"}, "action"),
        ({"ply": 99}, "ply"),
        ({"seat": "nobody"}, "seat"),
        ({"source": "human"}, "source"),
        ({"legal_count": 99}, "number of legal actions"),
        ({"shown_index": 99}, "place as shown"),
        ({"shown_index": -1}, "place as shown"),
    ],
)
async def test_a_turn_that_was_touched_is_found_at_its_ply(changes: dict[str, Any], what: str) -> None:
    match, turns, _ = await played()
    turns[6] = turns[6].model_copy(update=changes)
    difference = verify(match, turns)
    assert difference is not None
    assert difference.ply == 7
    assert what in difference.what
    assert difference.line().startswith("ply 7: ")


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"start_hash": "0" * 64}, "hash"),
        ({"start_events": ()}, "events"),
        ({"start": {"game": "so_long_sucker"}}, "start"),
        ({"start": None}, "start"),
        ({"versions": {"rules": "0"}}, "rules"),
        ({"plies": 3}, "turns"),
        ({"outcome": {"winners": ["red"], "places": {}, "reason": "x"}}, "outcome"),
        ({"outcome": None}, "outcome"),
        ({"outcome": None, "status": "running"}, "outcome"),
        ({"status": "running"}, "status"),
        ({"status": "queued"}, "status"),
        ({"game": "noughts"}, "game"),
        ({"scenario": "gone"}, "start"),
    ],
)
async def test_a_match_that_was_touched_is_found(changes: dict[str, Any], what: str) -> None:
    match, turns, _ = await played()
    difference = verify(match.model_copy(update=changes), turns)
    assert difference is not None
    assert what in difference.what


async def test_a_scenario_that_the_game_no_longer_has_is_no_start() -> None:
    match, turns, _ = await played()
    lost = match.model_copy(update={"scenario": "gone"})
    with pytest.raises(BadStart, match=r"^scenario: so_long_sucker has no 'gone'; it has .*opening"):
        start(lost)
    difference = verify(lost, turns)
    assert difference is not None
    assert "scenario: so_long_sucker has no 'gone'" in difference.line()


async def test_a_log_cut_short_is_no_finished_match() -> None:
    match, turns, _ = await played()
    short = match.model_copy(update={"plies": len(turns) - 1})
    difference = verify(short, turns[:-1])
    assert difference is not None
    assert difference.what == "outcome"
    assert verify(short.model_copy(update={"status": "paused", "outcome": None}), turns[:-1]) is None


async def test_a_void_match_keeps_its_outcome() -> None:
    match, turns, _ = await played()
    assert verify(match.model_copy(update={"status": "void"}), turns) is None


@pytest.mark.parametrize("written", ["{} ", " {}", "  {}"])
async def test_an_action_is_kept_as_the_game_writes_it(written: str) -> None:
    match, turns, _ = await played()
    turns[6] = turns[6].model_copy(update={"action": written.format(turns[6].action)})
    difference = verify(match, turns)
    assert difference is not None
    assert (difference.ply, difference.what) == (7, "action")


async def test_a_forced_action_was_the_only_one() -> None:
    match, turns, _ = await played()
    at = next(index for index, turn in enumerate(turns) if turn.legal_count > 1)
    turns[at] = turns[at].model_copy(update={"source": "forced"})
    difference = verify(match, turns)
    assert difference is not None
    assert (difference.ply, difference.what) == (at + 1, "source")


async def test_a_forfeit_is_the_seat_to_acts() -> None:
    match, turns, _ = await played()
    turns = turns[:5]
    loser = [frame.to_act for frame in frames(match, turns)][-1]

    def forfeit(by: str | None) -> MatchRecord:
        places = {seat: 4 if seat == by else 1 for seat in SEATS}
        outcome = {"winners": [seat for seat in SEATS if seat != by], "places": places, "reason": "forfeit"}
        return match.model_copy(update={"plies": 5, "outcome": outcome})

    assert verify(forfeit(loser), turns) is None
    difference = verify(forfeit(next(seat for seat in SEATS if seat != loser)), turns)
    assert difference is not None
    assert difference.what == "outcome"


async def test_what_tables_read_of_the_end_is_compared_with_the_outcome() -> None:
    match, _, _ = await played()
    assert match.outcome is not None
    reason, places = match.outcome["reason"], match.outcome["places"]
    assert ending_difference(match, reason, places) is None
    for other_reason, other_places, what in [
        ("forfeit", places, "reason"),
        (None, places, "reason"),
        (reason, {**places, "blue": None}, "place of blue"),
        (reason, {**places, "blue": 9}, "place of blue"),
    ]:
        difference = ending_difference(match, other_reason, other_places)
        assert difference is not None
        assert (difference.ply, difference.what) == (None, what)
    unfinished = match.model_copy(update={"outcome": None})
    assert ending_difference(unfinished, None, dict.fromkeys(SEATS)) is None
    assert ending_difference(unfinished, None, {"red": 1}) is not None


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("game", "skull"),
        ("game_index", 1),
        ("options", {}),
        ("scenario", "x"),
        ("seed", 0),
        ("pack", 5),
        ("rotation", 3),
    ],
)
def test_a_record_is_compared_with_the_runs_file(field: str, value: Any) -> None:
    plan = planned(tournament().to_json())[0]
    assert record_difference(plan, plan) is None
    changed = plan.model_copy(update={field: value})
    difference = record_difference(changed, plan)
    assert difference is not None
    assert difference.what == field
    assert record_difference(changed.model_copy(update={"parent_id": 1, "parent_ply": 2}), plan) is None
    assert record_difference(plan, None) is not None


@pytest.mark.parametrize("field", ["seat", "label", "kind", "model", "persona"])
def test_a_seat_is_compared_with_the_runs_file(field: str) -> None:
    plan = planned(tournament().to_json())[0]
    first, *rest = plan.seats
    changed = plan.model_copy(update={"seats": (first.model_copy(update={field: "other"}), *rest)})
    difference = record_difference(changed, plan)
    assert difference is not None
    assert difference.what == f"{field} of seat 1"
    assert record_difference(plan.model_copy(update={"seats": plan.seats[1:]}), plan) is not None
    whose = plan.model_copy(update={"seats": (first.model_copy(update={"identity": "other"}), *rest)})
    assert record_difference(whose, plan) is None, "it depends on what is installed"


async def test_the_sound_part_of_a_log_ends_before_the_first_turn_that_does_not_come_out() -> None:
    match, turns, _ = await played()
    assert sound(match, turns) == (turns, None)
    for changes in ({"action": "fly"}, {"position_hash": "0" * 64}, {"ply": 99}):
        changed = [*turns[:6], turns[6].model_copy(update=changes), *turns[7:]]
        good, difference = sound(match, changed)
        assert good == turns[:6]
        assert difference is not None
        assert difference.ply == 7
    good, difference = sound(match.model_copy(update={"start": {}}), turns)
    assert good == []
    assert difference is not None
    assert difference.ply == 0


async def test_frames_of_a_broken_log_say_where() -> None:
    match, turns, _ = await played()
    turns[2] = turns[2].model_copy(update={"action": "fly"})
    with pytest.raises(BrokenLog) as broken:
        list(frames(match, turns))
    assert broken.value.difference.ply == 3


async def test_a_replay_is_one_json_value_with_every_ply_and_shared_parts() -> None:
    match, turns, log = await played()
    replay = build(match, turns, log.all_messages, [], run="a run")
    assert [frame["ply"] for frame in replay["frames"]] == list(range(len(turns) + 1))
    assert replay["match"]["run"] == "a run"
    assert [seat["seat"] for seat in replay["match"]["seats"]] == list(SEATS)
    assert replay["frames"][1]["events"][0]["text"]
    assert [Event.from_json(event).kind for event in turns[0].events] == [
        event["kind"] for event in replay["frames"][1]["events"]
    ]
    for frame in replay["frames"]:
        assert set(frame["views"]) == {"spectator", *SEATS}
        views = [replay["views"][index] for index in frame["views"].values()]
        assert all("you" not in view and "chance" not in view for view in views)
    assert len(replay["views"]) == len(turns) + 1, "all of it is public, so that one view a ply is enough"
