from __future__ import annotations

import json

import pytest

from games.star_ludo.board import PAWN_OF
from tests.games.star_ludo.build import ALL, GAME, play, position
from tests.games.star_ludo.test_position import GOOD, complete


@pytest.mark.parametrize("seat", [*ALL, None])
@pytest.mark.parametrize("name", GOOD)
def test_every_seat_sees_the_position_without_chance_and_itself(name, seat):
    where = complete(GOOD[name])
    del where["chance"]
    view = GAME.view(GAME.load(GOOD[name]), seat)
    moves = view.pop("moves")
    assert view == {**where, "you": seat}
    assert [f"move {move['pawn']}" for move in moves] == list(GAME.legal(GAME.load(GOOD[name])))


def test_what_each_move_would_do():
    where = position({"red": [-1, 3, 48, 50], "yellow": [26, 31], "green": [41]}, (6, 5), seats=3)
    assert GAME.view(GAME.load(where), "green")["moves"] == [
        {"pawn": 1, "from": -1, "to": 0, "square": 0, "star": True, "captures": {"seat": "yellow", "pawn": 1}},
        {"pawn": 2, "from": 3, "to": 9, "square": 9, "star": False, "captures": None},
        {"pawn": 3, "from": 48, "to": 54, "square": None, "star": False, "captures": None},
        {"pawn": 4, "from": 50, "to": 56, "square": None, "star": False, "captures": None},
    ]
    where = position({"blue": [10, 20], "green": [41]}, (5, 2), to_act="blue", seats=4)
    assert GAME.view(GAME.load(where), "blue")["moves"] == [
        {"pawn": 1, "from": 10, "to": 15, "square": 2, "star": False, "captures": {"seat": "green", "pawn": 1}},
        {"pawn": 2, "from": 20, "to": 25, "square": 12, "star": False, "captures": None},
    ]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("number", [2, 3, 4])
def test_the_moves_come_true(number, seed):
    where = GAME.dump(GAME.start(GAME.seats(number), {"cap": 150}, seed).state)
    while where["phase"] == "move":
        moves = GAME.view(GAME.load(where), None)["moves"]
        for move in moves:
            after, events = play(where, f"move {move['pawn']}")
            assert after["pawns"][where["to_act"]][move["pawn"] - 1] == move["to"]
            captures = [event for event in events if event["kind"] == "capture"]
            found = move["captures"]
            assert captures == [] if found is None else captures[0]["of"] == found["seat"]
            assert found is None or captures[0]["of_pawn"] == found["pawn"]
            assert found is None or captures[0]["square"] == move["square"]
        where, _ = play(where, f"move {moves[seed % len(moves)]['pawn']}")
    assert GAME.view(GAME.load(where), None)["moves"] == []


def test_a_view_shares_nothing_with_the_state():
    state = GAME.load(GOOD["four"])
    view = GAME.view(state, "red")
    before = json.dumps(view)
    view["pawns"]["blue"][0] = 9
    view["extra"].clear()
    view["moves"].clear()
    assert json.dumps(GAME.view(state, "red")) == before


def test_actions_name_pawns_from_one():
    assert list(PAWN_OF) == ["move 1", "move 2", "move 3", "move 4"]
