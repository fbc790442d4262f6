"""Logs re-executed: what is intact verifies, what was touched is found at its ply."""

from __future__ import annotations

from typing import Any

import pytest

from games.api import Event
from harness.records import MatchRecord, TurnRecord
from harness.replay import BrokenLog, build, frames, verify
from tests.harness.tables import SEATS, match_of, table, tournament


async def played() -> tuple[MatchRecord, list[TurnRecord], Any]:
    one, log = table(spec=tournament("talk: {round: 0}\n"))
    outcome = await one.play()
    match = match_of().model_copy(
        update={
            "start": log.start_position,
            "start_events": log.start_events,
            "start_hash": log.start_hash,
            "plies": len(log.all_turns),
            "status": "finished",
            "outcome": outcome,
            "versions": {"rules": "1"},
        }
    )
    return match, log.all_turns, log


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
    ],
)
async def test_a_match_that_was_touched_is_found(changes: dict[str, Any], what: str) -> None:
    match, turns, _ = await played()
    difference = verify(match.model_copy(update=changes), turns)
    assert difference is not None
    assert what in difference.what


async def test_a_log_cut_short_is_no_finished_match() -> None:
    match, turns, _ = await played()
    short = match.model_copy(update={"plies": len(turns) - 1})
    difference = verify(short, turns[:-1])
    assert difference is not None
    assert difference.what == "outcome"
    assert verify(short.model_copy(update={"status": "paused", "outcome": None}), turns[:-1]) is None


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
