from __future__ import annotations

import pytest

from games.chance import Draws
from tests.games.so_long_sucker.build import GAME, SEATS
from tests.games.so_long_sucker.laws import ALL_SWITCHES
from tests.games.so_long_sucker.reference import Table


def compare(position, draws):
    """Play at random on the engine and the plain reading of the rules side by side."""
    state, table = GAME.load(position), Table(position)
    while GAME.to_act(state) is not None:
        legal = GAME.legal(state)
        assert list(legal) == table.legal()
        action = draws.choice(legal)
        table.events.clear()
        table.act(action)
        state, events = GAME.apply(state, action)
        assert [event.to_json() for event in events] == table.events
        assert GAME.dump(state) == table.at
    assert table.legal() == []


@pytest.mark.parametrize("switches", ALL_SWITCHES, ids=lambda switches: "-".join(switches.values()))
def test_the_engine_agrees_with_a_plain_reading_of_the_rules(switches):
    draws = Draws(str(switches))
    for seed in range(6):
        options = {"chips": 2 + seed % 4, **switches}
        compare(GAME.dump(GAME.start(SEATS, options, seed).state), draws)
        for scenario in GAME.scenarios.values():
            compare(scenario(SEATS, options, seed), draws)


@pytest.mark.soak
@pytest.mark.parametrize("switches", ALL_SWITCHES, ids=lambda switches: "-".join(switches.values()))
def test_they_agree_over_many_matches(switches):
    draws = Draws(f"soak {switches}")
    for seed in range(200):
        compare(GAME.dump(GAME.start(SEATS, {"chips": 1 + seed % 12, **switches}, seed).state), draws)
