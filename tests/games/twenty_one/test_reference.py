"""The engine against the plain second reading of its rules, step by step."""

from __future__ import annotations

import pytest

from games.chance import Draws
from tests.games.casefile import cases
from tests.games.table import play_bots
from tests.games.twenty_one.build import GAME, SEATS
from tests.games.twenty_one.laws import OPTIONS
from tests.games.twenty_one.reference import Table


def agree(position, draws):
    """Play a position to its end in both, by chance; the number of actions."""
    state, table, steps = GAME.load(position), Table(position), 0
    while legal := GAME.legal(state):
        assert list(legal) == table.legal()
        action = draws.choice(legal)
        step, table.events = GAME.apply(state, action), []
        table.play(action)
        state = step.state
        assert GAME.dump(state) == table.at
        assert [event.to_json() for event in step.events] == table.events
        steps += 1
    assert table.legal() == []
    return steps


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_random_matches(options):
    for seed in range(40):
        agree(GAME.dump(GAME.start(SEATS, options, seed).state), Draws(f"agree:{seed}"))


@pytest.mark.parametrize("scenario", GAME.scenarios)
def test_scenarios(scenario):
    assert sum(agree(GAME.scenarios[scenario](SEATS, {}, seed), Draws(seed)) for seed in range(10)) >= 10


def test_the_positions_of_the_cases():
    for case in cases("twenty_one"):
        if not case.get("load_refused"):
            agree(case["position"], Draws(case["name"]))


def test_matches_that_are_played_to_win():
    """Greedy play reaches instant wins and replacements that chance seldom does."""
    reasons = set()
    for seed in range(25):
        log = play_bots("twenty_one", ["greedy", "greedy"], {}, seed, None)
        table = Table(GAME.dump(GAME.start(SEATS, {}, seed).state))
        for _, reply in log.replies:
            table.play(reply.actions[0])
        assert table.at == GAME.dump(log.state)
        told = [event.to_json() for event in log.events]
        assert told[len(told) - len(table.events) :] == table.events
        reasons.add(GAME.outcome(log.state).reason)
    assert reasons == {"instant", "towers", "draw"}
