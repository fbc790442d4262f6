"""Every case and golden match that lies in `tests/cases/`, for every game; and the runner itself."""

from __future__ import annotations

import copy

import pytest

from games import GAMES, get_game
from tests.games.casefile import cases, golden_matches, holds, holds_in_order, run_case, run_golden

CASES = [pytest.param(name, case, id=f"{name}-{case['name']}") for name in GAMES for case in cases(name)]
GOLDEN = [
    pytest.param(name, golden, id=f"{name}-{golden['name']}") for name in GAMES for golden in golden_matches(name)
]


@pytest.mark.parametrize(("name", "case"), CASES)
def test_case(name, case):
    run_case(get_game(name), case)


@pytest.mark.parametrize(("name", "golden"), GOLDEN)
def test_golden_match(name, golden):
    run_golden(get_game(name), golden)


@pytest.mark.parametrize("name", GAMES)
def test_every_game_has_cases_and_a_golden_match(name):
    assert cases(name)
    assert golden_matches(name)


def test_partial_records_hold_key_by_key():
    assert holds({"a": 1, "b": {"c": 2, "d": 3}}, {"b": {"c": 2}})
    assert not holds({"a": 1}, {"b": 1})
    assert not holds({"a": {"b": 1}}, {"a": {}})
    assert not holds([1, 2], [1])
    assert not holds(True, 1)
    assert not holds(None, {"a": 1})


def test_partial_events_hold_in_order_only():
    events = [{"kind": "play", "n": 1}, {"kind": "turn"}, {"kind": "win"}]
    assert holds_in_order(events, [{"kind": "play"}, {"kind": "win"}])
    assert not holds_in_order(events, [{"kind": "win"}, {"kind": "play"}])
    assert not holds_in_order(events, [{"kind": "turn"}, {"kind": "turn"}])


FIRST = cases("so_long_sucker")[0]["position"]
TURN = {"position": FIRST, "action": "play green on 5"}


@pytest.mark.parametrize(
    "wrong",
    [
        {"position": FIRST, "legal": ["play red new"]},
        {"position": FIRST, "legal_includes": ["refuse"]},
        {"position": FIRST, "legal_excludes": ["play red new"]},
        {"position": FIRST, "load_refused": True},
        {"position": FIRST, "outcome": {"winners": ["red"]}},
        {"position": FIRST, "view": {"seat": "red", "includes": {"you": "blue"}}},
        {"position": FIRST, "view": {"seat": "red", "absent": ["yellow"]}},
        {**TURN, "refused": True},
        {**TURN, "events": [{"kind": "capture"}]},
        {**TURN, "events_exactly": [{"kind": "play"}]},
        {**TURN, "events_exclude": ["play"]},
        {**TURN, "then": {"next_pile": 7}},
        {"position": FIRST},
        {"position": FIRST, "lagel": []},
    ],
)
def test_the_runner_fails_a_wrong_case(wrong):
    with pytest.raises((AssertionError, pytest.fail.Exception)):
        run_case(get_game("so_long_sucker"), {"name": "wrong", "rule": "", **copy.deepcopy(wrong)})


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("hashes", {"0": "0"}),
        ("hashes", {"100000": "0"}),
        ("start_events", []),
        ("final", {}),
        ("outcome", None),
        ("seed", 2025),
    ],
)
def test_the_runner_fails_a_wrong_golden_match(key, value):
    golden = {**golden_matches("so_long_sucker")[0], key: value}
    with pytest.raises(AssertionError):
        run_golden(get_game("so_long_sucker"), golden)
