from __future__ import annotations

import pytest

from games.star_ludo.board import square_of
from tests.games.star_ludo.build import ALL, legal, play, position

STARS = [0, 8, 13, 21, 26, 34, 39, 47]


def test_places_count_from_the_own_start_round_the_ring():
    assert [square_of(seat, 0) for seat in ALL] == [0, 13, 26, 39]
    assert [square_of(seat, 50) for seat in ALL] == [50, 11, 24, 37]
    assert [square_of("red", place) for place in (-1, 51, 55, 56)] == [None] * 4


@pytest.mark.parametrize("die", range(1, 7))
def test_a_pawn_leaves_the_yard_with_a_one_or_a_six(die):
    where = position({"red": [20]}, (die, die), extra=["double_six"] if die == 6 else [])
    assert legal(where) == (["move 1", "move 2"] if die in (1, 6) else ["move 1"])


def test_it_goes_to_place_0():
    after, events = play(position({"red": [20]}, (6, 2)), "move 2")
    assert after["pawns"]["red"] == [20, 0, -1, -1]
    assert events == [{"kind": "exit", "seat": "red", "pawn": 2, "die": 6}], "an exit gives no move"


def test_no_exit_onto_an_own_pawn():
    assert legal(position({"red": [0, 20]}, (6, 2))) == ["move 1", "move 2"]


def test_pawns_in_the_yard_are_alike():
    assert legal(position({"red": [7, -1, 9, -1]}, (6, 2))) == ["move 1", "move 2", "move 3"]
    assert legal(position({}, (6, 2))) == ["move 1"]


@pytest.mark.parametrize(("seat", "place"), [("green", 39), ("yellow", 26), ("blue", 13)])
def test_an_exit_captures_on_the_start_star(seat, place):
    where = position({seat: [4, place]}, (6, 2), seats=4)
    after, events = play(where, "move 1")
    assert after["pawns"][seat] == [4, -1, -1, -1]
    assert events == [
        {"kind": "exit", "seat": "red", "pawn": 1, "die": 6},
        {"kind": "capture", "seat": "red", "pawn": 1, "of": seat, "of_pawn": 2, "square": 0},
    ]
    assert after["extra"] == ["capture"]


def test_place_and_number_reach_56_at_most():
    assert legal(position({"red": [50, 51, 52, 20]}, (5, 2))) == ["move 1", "move 2", "move 4"]
    assert legal(position({"red": [50, 51, 52, 20]}, (6, 2))) == ["move 1", "move 4"]


def test_home_holds_any_number_of_pawns():
    after, events = play(position({"red": [56, 56, 51]}, (5, 2)), "move 3")
    assert after["pawns"]["red"] == [56, 56, 56, -1]
    assert events[:2] == [
        {"kind": "move", "seat": "red", "pawn": 3, "die": 5, "from": 51, "to": 56},
        {"kind": "home", "seat": "red", "pawn": 3},
    ]


def test_a_pawn_at_home_stays():
    assert legal(position({"red": [56, 56, 20]}, (5, 2))) == ["move 3"]


@pytest.mark.parametrize("place", [1, 16, 45, 46, 49, 50])
def test_not_onto_an_own_pawn(place):
    """On the ring, on a star (21), and in the home row."""
    assert legal(position({"red": [place, place + 5, 3]}, (5, 2))) in (["move 2", "move 3"], ["move 3"])


@pytest.mark.parametrize("star", [star for star in STARS if star > 5])
@pytest.mark.parametrize("seat", ["green", "yellow", "blue"])
def test_not_onto_an_occupied_star(star, seat):
    place = (star - {"green": 13, "yellow": 26, "blue": 39}[seat]) % 52
    if place > 50:
        return
    where = position({"red": [star - 5, 1], seat: [place]}, (5, 2), seats=4)
    assert legal(where) == ["move 2"]
    free = position({"red": [star - 5, 1], seat: [place + 1 if place < 50 else 3]}, (5, 2), seats=4)
    assert legal(free) == ["move 1", "move 2"]


def test_a_foreign_start_star_is_a_star_like_any_other_even_where_its_owner_does_not_play():
    assert legal(position({"red": [8, 1], "yellow": [39]}, (5, 2))) == ["move 2"], "square 13, green's start"


@pytest.mark.parametrize("target", [square for square in range(7, 51) if square not in STARS])
def test_landing_on_an_opponents_pawn_sends_it_to_its_yard(target):
    place = (target - 26) % 52
    if place > 50:
        return
    after, events = play(position({"red": [target - 2, 56], "yellow": [-1, place]}, (2, 1)), "move 1")
    assert after["pawns"] == {"red": [target, 56, -1, -1], "yellow": [-1, -1, -1, -1]}
    assert events[1] == {"kind": "capture", "seat": "red", "pawn": 1, "of": "yellow", "of_pawn": 2, "square": target}


def test_the_ring_goes_round():
    after, events = play(position({"blue": [11], "red": [2]}, (4, 2), to_act="blue", seats=4), "move 1")
    assert events[1]["square"] == 2
    assert after["pawns"]["red"] == [-1] * 4


def test_any_pawns_may_be_passed():
    where = position({"red": [20, 21], "yellow": [48, 49]}, (5, 4))
    assert legal(where) == ["move 1", "move 2"]
    after, events = play(where, "move 1")
    assert after["pawns"] == {"red": [25, 21, -1, -1], "yellow": [48, 49, -1, -1]}
    assert [event["kind"] for event in events] == ["move"]


def test_in_the_home_row_nothing_is_captured():
    """Yellow's place 25 is the square behind red's start, which red never enters."""
    where = position({"red": [47, 9], "yellow": [25, 26, 27, 51]}, (4, 2))
    after, events = play(where, "move 1")
    assert after["pawns"] == {"red": [51, 9, -1, -1], "yellow": [25, 26, 27, 51]}
    assert [event["kind"] for event in events] == ["move"]


def test_home_rows_are_each_seats_own():
    where = position({"red": [47, 9], "yellow": [52, 51, 53, 54]}, (5, 2))
    after, events = play(where, "move 1")
    assert [event["kind"] for event in events] == ["move"]
    assert after["pawns"]["yellow"] == [52, 51, 53, 54]


def test_an_opponent_in_its_home_row_closes_no_square_of_the_ring():
    """Yellow's 52 would be ring square 26 if its way went on."""
    assert legal(position({"red": [21, 1], "yellow": [52]}, (5, 2))) == ["move 1", "move 2"]


def test_legal_order_is_by_pawn():
    assert legal(position({"red": [30, 20, 10, 1]}, (5, 2))) == ["move 1", "move 2", "move 3", "move 4"]
