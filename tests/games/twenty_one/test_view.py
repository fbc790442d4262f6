from __future__ import annotations

import json

import pytest

from tests.games.twenty_one.build import GAME, SEATS, play, position
from tests.games.twenty_one.test_position import GOOD
from tests.games.twenty_one.test_rounds import TWO, WALKS


def view(where, seat):
    return GAME.view(GAME.load(where), seat)


@pytest.mark.parametrize("name", GOOD)
def test_the_spectator_sees_the_position_without_chance(name):
    where = {key: value for key, value in GOOD[name].items() if key != "chance"}
    assert view(GOOD[name], None) == {**where, "you": None}


@pytest.mark.parametrize("seat", SEATS)
@pytest.mark.parametrize("name", ["won", "over"])
def test_when_it_is_over_every_seat_sees_everything(name, seat):
    where = {key: value for key, value in GOOD[name].items() if key != "chance"}
    assert view(GOOD[name], seat) == {**where, "you": seat}


@pytest.mark.parametrize("seat", SEATS)
@pytest.mark.parametrize("steps", WALKS)
def test_what_a_seat_sees_at_every_turn(steps, seat):
    other = SEATS[1 - SEATS.index(seat)]
    for where, _, _, _ in steps:
        seen = view(where, seat)
        covered = {each: [[stone and "?" for stone in grid] for grid in where["grids"][each]] for each in SEATS}
        own = where["grids"][seat] if where["round"] > 3 else [where["grids"][seat][0], covered[seat][1]]
        assert seen == {
            **{key: value for key, value in where.items() if key not in ("chance", "removed")},
            "grids": {seat: own, other: covered[other]},
            "hands": {seat: where["hands"][seat], other: ["?"] * len(where["hands"][other])},
            "you": seat,
        }


def test_hidden_stones_are_counted_by_marks_and_taken_ones_are_null():
    seen = view(GOOD["place"], "p1")
    assert seen["grids"]["p2"] == [["?", "?", None] * 3, ["?"] * 9]
    assert seen["hands"]["p2"] == ["?"] * 3


def test_an_instant_win_before_round_4_shows_both_second_grids():
    built = {
        colour: tower.replace("green6", "orange6").replace("p1:orange6", "p1:red5 p1:red1", 1)
        for colour, tower in TWO.items()
    }
    where = position(built, "green4", number=3)
    after, events = play(where, "place green4 on blue")
    assert after["phase"] == "over"
    assert "?" not in json.dumps(view(after, "p2"))
    assert events[-1]["grids"] == where["grids"]


def test_a_view_shares_nothing_with_the_state():
    state = GAME.load(GOOD["place"])
    for seat in (*SEATS, None):
        before = json.dumps(GAME.view(state, seat))
        seen = GAME.view(state, seat)
        for value in (seen["grids"]["p1"][0], seen["hands"]["p1"], seen["towers"]["red"], seen["discards"]["p2"]):
            value.append("red4")
        seen["announced"]["p1"]["left"].clear()
        assert json.dumps(GAME.view(state, seat)) == before
