from __future__ import annotations

import pytest

from games.api import BadStart
from tests.games.star_ludo.build import GAME, SEATS, kinds, legal, play

VARIANTS = [
    (number, options)
    for number in SEATS
    for options in ({}, {"extra": "stack"}, {"cap": 1}, {"cap": 30, "extra": "stack"})
]
SET_UP = [name for name in GAME.scenarios if name != "opening"]


def build(name, number, options=None, seed=3):
    where = GAME.scenarios[name](SEATS[number], options or {}, seed)
    assert GAME.dump(GAME.load(where)) == where, "every option is filled in"
    return where


def test_their_names():
    assert list(GAME.scenarios) == ["opening", "double_six", "start_ambush", "home_stretch", "blocked_star"]


@pytest.mark.parametrize("name", SET_UP)
def test_each_is_for_any_number_of_seats_and_options_and_keeps_the_seed(name):
    for number, options in VARIANTS:
        where = build(name, number, options, seed=99)
        assert where["chance"] == {"seed": 99, "drawn": 3}
        assert where["options"] == GAME.Options.model_validate(options).model_dump()
        assert where["seats"] == list(SEATS[number])
        assert (where["to_act"], where["die"], where["rolls"]) == ("red", 0, 1)
        assert len(legal(where)) >= (1 if name == "blocked_star" else 2), "there is something to choose or to see"


def test_opening_is_the_start():
    for number, options in VARIANTS:
        assert build("opening", number, options, 8) == GAME.dump(GAME.start(SEATS[number], options, 8).state)


@pytest.mark.parametrize("number", SEATS)
def test_double_six_has_a_double_six(number):
    where = build("double_six", number)
    assert (where["dice"], where["extra"]) == ([6, 6], ["double_six"])
    assert kinds(play(where, "move 1")[1]) == ["exit"]
    assert "extra_turn" in kinds(play(where, "move 1", "move 1")[1])


@pytest.mark.parametrize("number", SEATS)
def test_start_ambush_has_an_opponent_on_the_own_start_star(number):
    where = build("start_ambush", number)
    _, events = play(where, "move 1")
    assert kinds(events) == ["exit", "capture"]
    assert (events[1]["of"], events[1]["square"]) == (SEATS[number][-1], 0)


@pytest.mark.parametrize("number", SEATS)
def test_home_stretch_brings_a_pawn_home_or_into_the_home_row(number):
    where = build("home_stretch", number)
    assert all(places.count(56) == 2 for places in where["pawns"].values())
    assert "home" in kinds(play(where, "move 3")[1])
    assert play(where, "move 2")[0]["pawns"]["red"][1] == 52


@pytest.mark.parametrize("number", SEATS)
def test_blocked_star_closes_a_star(number):
    where = build("blocked_star", number)
    assert legal(where) == ["move 2"]
    last = SEATS[number][-1]
    free = {**where, "pawns": {**where["pawns"], last: [-1] * 4}}
    assert legal(free) == ["move 1", "move 2"]


@pytest.mark.parametrize("name", GAME.scenarios)
def test_bad_starts_are_refused_as_at_any_start(name):
    for seats, options, seed, field in [
        (("red", "green"), {}, 1, "seats"),
        ((), {}, 1, "seats"),
        (("pink",), {}, 1, "seats"),
        (SEATS[4], {"cap": 0}, 1, "options.cap"),
        (SEATS[4], {"caps": 3}, 1, "options.caps"),
        (SEATS[4], {}, -1, "seed"),
    ]:
        with pytest.raises(BadStart, match=rf"^{field}: "):
            GAME.scenarios[name](seats, options, seed)


@pytest.mark.parametrize("name", GAME.scenarios)
def test_the_same_arguments_give_the_same_position(name):
    assert build(name, 4, GAME.Options(cap=40), 5) == build(name, 4, {"cap": 40}, 5)
