"""The scenarios: each shows what its name says, alike for both sides, whatever the options."""

from __future__ import annotations

import pytest

from games.api import BadStart
from tests.games.trap_race.build import GAME, SEATS, kinds, legal, mirrored, play
from tests.games.trap_race.laws import OTHER, relabel

NAMES = ("opening", "box_race", "nerf_range", "last_five", "bridge_crossing", "trap_alley")
OPTIONS = ({}, {"cap": 1}, {"attrition": "alive"}, {"water": 0.3, "forest": 0.7}, {"water": 0.01, "forest": 0.0})


def scenario(name, options=None, seed=11):
    return GAME.scenarios[name](SEATS, options or {}, seed)


def test_the_rulebooks_six_are_there():
    assert tuple(GAME.scenarios) == NAMES


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_every_scenario_is_a_race_that_begins(name, options):
    for seed in range(5):
        position = scenario(name, options, seed)
        assert GAME.dump(GAME.load(position)) == position
        assert position["chance"]["seed"] == seed
        assert (position["phase"], position["turn"], position["pool"]) == ("turn", 1, 10)
        assert position["to_act"] == position["first"]
        assert position == scenario(name, options, seed)
        assert len(legal(position)) > 1


@pytest.mark.parametrize("name", NAMES[1:])
def test_both_sides_stand_alike(name):
    for seed in range(5):
        position = scenario(name, seed=seed)
        turned = relabel(position, OTHER)
        same = ("terrain", "pieces", "traps", "score", "gone", "tokens", "bridge", "known", "sense", "marks")
        assert {key: turned[key] for key in same} == {key: position[key] for key in same}


def test_opening_has_both_set_up():
    position = scenario("opening")
    for seat in SEATS:
        assert len(position["pieces"][seat]) == 15
        assert len(position["traps"][seat]) == 10
    start = GAME.dump(GAME.start(SEATS, {}, 11).state)
    assert position == play(start, "auto", "auto")[0]


def test_box_race_has_a_box_within_reach():
    for seed in range(6):
        position = scenario("box_race", seed=seed)
        mover = position["to_act"]
        closed = [tile for tile, box in position["boxes"].items() if not box["open"]]
        assert len(closed) == 2
        ahead = "north" if mover == "south" else "south"
        after, events = play(position, *[f"move 1 {ahead}"] * 3)
        assert "box" in kinds(events)
        assert sum(box["open"] for box in after["boxes"].values()) == 1


def test_nerf_range_has_a_token_and_somebody_to_nerf():
    for seed in range(6):
        position = scenario("nerf_range", seed=seed)
        nerfs = [action for action in legal(position) if action.startswith("nerf")]
        assert nerfs
        after, events = play(position, nerfs[0])
        assert kinds(events) == ["nerf"]
        assert after["tokens"][position["to_act"]]["held"] == 0


def test_last_five_has_five_a_side_and_the_next_loss_decides():
    for options in ({}, {"attrition": "alive"}):
        position = scenario("last_five", options)
        assert {seat: len(position["pieces"][seat]) for seat in SEATS} == {"south": 5, "north": 5}
        assert position["score"] == {"south": 0, "north": 0}
        mover = position["to_act"]
        trapped = {**position, "tokens": {**position["tokens"], mover: {"held": 1, "coming": 0}}}
        victim = position["pieces"][OTHER[mover]]["1"]
        row, column = map(int, victim.split(","))
        beside = {
            **trapped,
            "pieces": {**trapped["pieces"], mover: {**trapped["pieces"][mover], "1": f"{row},{column - 1}"}},
        }
        _, events = play(beside, "nerf 1")
        assert kinds(events) == ["nerf", "win", "reveal"]


def test_bridge_crossing_has_a_bridge_before_a_river():
    for seed in range(6):
        position = scenario("bridge_crossing", seed=seed)
        mover = position["to_act"]
        ahead = "north" if mover == "south" else "south"
        assert position["bridge"] == {"south": ["1"], "north": ["1"]}
        wet, events = play(position, f"move 1 {ahead}")
        assert events[0]["cost"] == 1
        row, column = map(int, wet["pieces"][mover]["1"].split(","))
        assert wet["terrain"][row][column] == "w"
        _, events = play(wet, f"move 1 {ahead}", "end")
        assert kinds(events) == ["end"]
        assert f"move 2 {ahead}" not in legal(position)


def test_trap_alley_has_one_way_through_with_six_traps_two_of_them_sensed():
    for seed in range(6):
        position = scenario("trap_alley", seed=seed)
        for row in range(18, 22):
            open_columns = [column for column in range(30) if position["terrain"][row][column] != "w"]
            assert open_columns == [13, 14, 15, 16]
        inside = [tile for tile in position["traps"]["north"] if tile.split(",")[0] in ("18", "19", "20", "21")]
        assert len(inside) == 6
        assert len(set(inside) & set(position["known"]["south"])) == 2
        assert {mirrored(tile) for tile in position["known"]["south"]} == set(position["known"]["north"])


@pytest.mark.parametrize("name", ["bridge_crossing", "trap_alley"])
def test_options_that_contradict_a_scenario_are_refused_by_name(name):
    with pytest.raises(BadStart, match=r"^options\.water: "):
        scenario(name, {"water": 0.0})


@pytest.mark.parametrize("name", NAMES)
def test_bad_options_seats_and_seeds_are_refused(name):
    for seats, options, seed, field in (
        (SEATS, {"cap": 0}, 1, "options.cap"),
        (("north",), {}, 1, "seats"),
        (SEATS, {}, -1, "seed"),
    ):
        with pytest.raises(BadStart, match=f"^{field}: "):
            GAME.scenarios[name](seats, options, seed)
