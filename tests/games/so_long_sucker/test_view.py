from __future__ import annotations

import json

import pytest

from tests.games.so_long_sucker.build import GAME, SEATS, position
from tests.games.so_long_sucker.test_position import GOOD, complete


@pytest.mark.parametrize("seat", [*SEATS, None])
@pytest.mark.parametrize("name", GOOD)
def test_every_seat_sees_the_position_without_chance_and_itself(name, seat):
    where = complete(GOOD[name])
    del where["chance"]
    assert GAME.view(GAME.load(GOOD[name]), seat) == {**where, "you": seat}


def test_piles_bottom_to_top_and_every_prisoner_are_seen():
    where = position({"red": "r", "blue": "brrg", "green": "g", "yellow": "y"}, ["ybg", "gb"], trail=["blue"])
    view = GAME.view(GAME.load(where), "yellow")
    assert view["piles"] == [
        {"id": 1, "chips": ["yellow", "blue", "green"]},
        {"id": 2, "chips": ["green", "blue"]},
    ]
    assert view["prisoners"]["blue"] == {"red": 2, "green": 1}


def test_a_view_shares_nothing_with_the_state():
    state = GAME.load(GOOD["kill"])
    view = GAME.view(state, "red")
    before = json.dumps(view)
    view["piles"][0]["chips"].append("red")
    view["captured"].clear()
    view["supply"]["red"] = 99
    assert json.dumps(GAME.view(state, "red")) == before


def test_alive_in_seat_order():
    where = position({"red": "r", "yellow": "y"}, out=["green", "blue"])
    assert GAME.alive(GAME.load(where)) == ("red", "yellow")
