from __future__ import annotations

import pytest

from games.chance import Draws
from tests.games.positions import agree
from tests.games.star_ludo.build import GAME, SEATS
from tests.games.star_ludo.reference import Table

VARIANTS = [
    {"cap": cap, "extra": extra, "number": number}
    for cap, extra, number in [
        (2000, "one", 2), (2000, "stack", 2), (2000, "one", 3), (120, "stack", 3), (2000, "one", 4),
        (2000, "stack", 4), (9, "one", 4), (1, "one", 2),
    ]
]  # fmt: skip


def compare(position, draws):
    table = Table(position)
    state = agree(GAME, table, draws)
    assert GAME.outcome(state).places == table.places()


def run(variant, seeds):
    draws = Draws(str(variant))
    options = {"cap": variant["cap"], "extra": variant["extra"]}
    seats = SEATS[variant["number"]]
    for seed in seeds:
        compare(GAME.dump(GAME.start(seats, options, seed).state), draws)
        for scenario in GAME.scenarios.values():
            compare(scenario(seats, options, seed), draws)


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: "-".join(map(str, variant.values())))
def test_the_engine_agrees_with_a_plain_reading_of_the_rules(variant):
    run(variant, range(3))


@pytest.mark.soak
@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: "-".join(map(str, variant.values())))
def test_they_agree_over_many_matches(variant):
    run(variant, range(150))
