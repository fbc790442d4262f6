from __future__ import annotations

import pytest

from games.chance import Draws
from tests.games.positions import agree
from tests.games.so_long_sucker.build import GAME, SEATS
from tests.games.so_long_sucker.laws import ALL_SWITCHES
from tests.games.so_long_sucker.reference import Table


@pytest.mark.parametrize("switches", ALL_SWITCHES, ids=lambda switches: "-".join(switches.values()))
def test_the_engine_agrees_with_a_plain_reading_of_the_rules(switches):
    draws = Draws(str(switches))
    for seed in range(6):
        options = {"chips": 2 + seed % 4, **switches}
        agree(GAME, Table(GAME.dump(GAME.start(SEATS, options, seed).state)), draws)
        for scenario in GAME.scenarios.values():
            agree(GAME, Table(scenario(SEATS, options, seed)), draws)


@pytest.mark.soak
@pytest.mark.parametrize("switches", ALL_SWITCHES, ids=lambda switches: "-".join(switches.values()))
def test_they_agree_over_many_matches(switches):
    draws = Draws(f"soak {switches}")
    for seed in range(200):
        agree(GAME, Table(GAME.dump(GAME.start(SEATS, {"chips": 1 + seed % 12, **switches}, seed).state)), draws)
