"""Runs the cases and golden matches of any game: positions with the right answer, kept in `tests/cases/<game>/`.

`cases.json` is a list of records with `name`, `rule` and `position`; what else a record may hold is listed in `KEYS`.
`golden_*.json` is a whole match with hashes of its positions by ply.
"""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from games.api import BadPosition, Event, Game, IllegalAction, Json

FOLDER = Path(__file__).parent.parent / "cases"
KEYS = {
    "name", "rule", "position", "legal", "legal_includes", "legal_excludes", "action", "actions", "refused",
    "events", "events_exactly", "events_exclude", "then", "outcome", "view", "load_refused",
}  # fmt: skip
GOLDEN_KEYS = {
    "name",
    "game",
    "seed",
    "options",
    "seats",
    "start_events",
    "start",
    "actions",
    "outcome",
    "hashes",
    "final",
}


def cases(game: str) -> list[Json]:
    """The cases of a game; none if it has no file."""
    path = FOLDER / game / "cases.json"
    return json.loads(path.read_text("utf-8")) if path.exists() else []


def golden_matches(game: str) -> list[Json]:
    """The golden matches of a game, by file name."""
    return [json.loads(path.read_text("utf-8")) for path in sorted((FOLDER / game).glob("golden_*.json"))]


def position_hash(position: Json) -> str:
    """The SHA-256 of a position's JSON with sorted keys and no blanks."""
    return hashlib.sha256(json.dumps(position, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def holds(actual: Any, expected: Any) -> bool:
    """Whether a value holds what is expected: maps key by key (an empty one exactly), everything else exactly.

    True and 1 are told apart, as JSON does.
    """
    if isinstance(expected, dict) and expected:
        return isinstance(actual, dict) and all(key in actual and holds(actual[key], expected[key]) for key in expected)
    return json.dumps(actual, sort_keys=True) == json.dumps(expected, sort_keys=True)


def holds_in_order(actual: Iterable[Json], expected: Iterable[Json]) -> bool:
    """Whether the expected partial records occur in this order; others may stand between."""
    left = iter(actual)
    return all(any(holds(record, wanted) for record in left) for wanted in expected)


def run_case(game: Game, case: Json) -> None:
    """Assert all that a case says."""
    assert set(case) <= KEYS, f"unknown keys: {set(case) - KEYS}"
    assert set(case) & (KEYS - {"name", "rule", "position", "action", "actions"}), "a case that asserts nothing"
    before = copy.deepcopy(case["position"])
    if case.get("load_refused"):
        with pytest.raises(BadPosition):
            game.load(case["position"])
        return
    state = game.load(case["position"])
    assert case["position"] == before, "load changed the position it was given"
    legal = list(game.legal(state))
    if "legal" in case:
        assert legal == case["legal"]
    assert set(case.get("legal_includes", ())) <= set(legal)
    assert not set(case.get("legal_excludes", ())) & set(legal)

    events: list[Event] = []
    actions = [case["action"]] if "action" in case else list(case.get("actions", ()))
    for ply, action in enumerate(actions):
        dumped = game.dump(state)
        if case.get("refused") and ply == len(actions) - 1:
            with pytest.raises(IllegalAction):
                game.apply(state, action)
            assert game.dump(state) == dumped, "a refused action changed the position"
            break
        step = game.apply(state, action)
        assert game.dump(state) == dumped, "apply changed the position it was given"
        state = step.state
        events += step.events

    records = [event.to_json() for event in events]
    if "events" in case:
        assert holds_in_order(records, case["events"]), records
    if "events_exactly" in case:
        wanted = case["events_exactly"]
        assert len(records) == len(wanted), records
        assert all(map(holds, records, wanted)), records
    assert not {record["kind"] for record in records} & set(case.get("events_exclude", ()))
    if "then" in case:
        dumped = game.dump(state)
        assert {key: dumped.get(key) for key in case["then"] if not holds(dumped.get(key), case["then"][key])} == {}
    if "outcome" in case:
        outcome = game.outcome(state)
        assert holds(None if outcome is None else outcome.to_json(), case["outcome"])
    if "view" in case:
        view = game.view(state, case["view"]["seat"])
        assert holds(view, case["view"].get("includes", {})) or not case["view"].get("includes")
        text = json.dumps(view)
        assert [word for word in case["view"].get("absent", ()) if word in text] == []


def run_golden(game: Game, golden: Json) -> None:
    """Replay a golden match: each action legal, each hash, the events of the start, the last position, the outcome."""
    assert set(golden) <= GOLDEN_KEYS, f"unknown keys: {set(golden) - GOLDEN_KEYS}"
    state, events = game.start(tuple(golden["seats"]), golden["options"], golden["seed"])
    if "start_events" in golden:
        assert [event.to_json() for event in events] == golden["start_events"]
    if "start" in golden:
        assert game.dump(state) == golden["start"]
    hashes = dict(golden["hashes"])
    for ply, action in enumerate([*golden["actions"], None]):
        if wanted := hashes.pop(str(ply), None):
            assert position_hash(game.dump(state)) == wanted, f"another position at ply {ply}"
        if action is not None:
            assert action in game.legal(state), f"ply {ply}"
            state = game.apply(state, action).state
    assert hashes == {}, "hashes of plies that the match does not have"
    if "final" in golden:
        assert game.dump(state) == golden["final"]
    outcome = game.outcome(state)
    assert holds(None if outcome is None else outcome.to_json(), golden["outcome"])
