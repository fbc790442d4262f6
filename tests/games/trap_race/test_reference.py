"""The engine beside a plain second reading of the rules: the same lists and the same positions."""

from __future__ import annotations

import pytest

from games.api import Json
from games.chance import Draws
from tests.games.trap_race import reference
from tests.games.trap_race.build import GAME, SEATS

OPTIONS = ({"cap": 25}, {"cap": 25, "attrition": "alive", "water": 0.3, "forest": 0.5})


def compare(where: Json, key: str) -> set[str]:
    """Play to the end by chance, powers and nerfs before all else and steps ahead before others; what was met."""
    state, draws, met = GAME.load(where), Draws(key), set()
    while (seat := GAME.to_act(state)) is not None:
        position = GAME.dump(state)
        legal = list(GAME.legal(state))
        assert legal == reference.legal(position)
        rare = [action for action in legal if action.startswith(("nerf", "trap", "terraform"))]
        ahead = [action for action in legal if action.endswith(" north" if seat == "south" else " south")]
        pick = draws.pick(10)
        action = draws.choice(rare if rare and pick < 5 else ahead if ahead and pick < 8 else legal)
        state, events = GAME.apply(state, action)
        assert GAME.dump(state) == reference.play(position, action), action
        met |= {event.kind for event in events}
    return met


@pytest.mark.parametrize("options", OPTIONS, ids=["usual", "wet"])
@pytest.mark.parametrize("name", list(GAME.scenarios))
def test_the_engine_agrees_with_the_plain_reading(name, options):
    for seed in range(2):
        compare(GAME.scenarios[name](SEATS, options, seed), f"{name} {seed}")


def sensing(seed: int) -> Json:
    """The alley with trap sense in hand for the pieces before it: what a box gives too seldom by chance."""
    return {**GAME.scenarios["trap_alley"](SEATS, {"cap": 15}, seed), "sense": ["1", "2", "3", "4", "5", "6"]}


def armed(seed: int) -> Json:
    """The race to the boxes with a power in hand, an extra trap and terraform by turns."""
    kind = ("trap", "terraform")[seed % 2]
    start = GAME.scenarios["box_race"](SEATS, {"cap": 15}, seed)
    return {**start, "pickup": {**start["pickup"], "kind": kind, "found": True}, "power": kind}


@pytest.mark.soak
def test_the_engine_agrees_with_the_plain_reading_in_many_matches():
    met = set()
    for seed in range(20):
        met |= compare(sensing(seed), f"sensing {seed}") | compare(armed(seed), f"armed {seed}")
        for name, build in GAME.scenarios.items():
            met |= compare(build(SEATS, OPTIONS[seed % 2], seed), f"{name} {seed}")
    assert met >= {"sprung", "box", "found", "power", "sensed", "score", "nerf", "terraform", "trap_used", "drowned"}
    assert met >= {"win", "draw", "reveal"}


def test_the_comparison_meets_what_there_is():
    met = set()
    for seed in range(3):
        met |= compare(sensing(seed), f"sensing {seed}") | compare(armed(seed), f"armed {seed}")
        for name in ("box_race", "nerf_range", "bridge_crossing"):
            met |= compare(GAME.scenarios[name](SEATS, {"cap": 15}, seed), f"met {name} {seed}")
    assert met >= {"move", "sprung", "box", "sensed", "nerf", "trap_used", "terraform", "end", "reveal"}
