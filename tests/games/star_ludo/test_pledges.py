"""Which decisions put a promise to spare to the test, and how: the rulebook, sentence by sentence."""

from __future__ import annotations

from tests.games.star_ludo.build import GAME, legal, position


def occasions(where, action):
    assert action in legal(where)
    return {to: (kept, free) for to, kept, free in GAME.pledges["spare"].occasions(GAME.load(where), action)}


def prey(*squares):
    """Yellow's places of these ring squares."""
    return [(square - 26) % 52 for square in squares]


def test_a_decision_in_which_a_capture_is_legal_keeps_or_breaks_it():
    where = position({"red": [10, 20], "yellow": prey(15)}, (5, 2))
    assert legal(where) == ["move 1", "move 2"]
    assert occasions(where, "move 1") == {"yellow": (False, True)}
    assert occasions(where, "move 2") == {"yellow": (True, True)}


def test_no_capture_in_reach_is_no_occasion():
    where = position({"red": [10, 20], "yellow": prey(16)}, (5, 2))
    assert occasions(where, "move 1") == {}


def test_the_only_legal_action_is_not_free():
    where = position({"red": [10], "yellow": prey(15)}, (5, 2))
    assert legal(where) == ["move 1"]
    assert occasions(where, "move 1") == {"yellow": (False, False)}


def test_where_every_action_captures_none_is_free():
    where = position({"red": [10, 17], "yellow": prey(15, 22)}, (5, 2))
    assert legal(where) == ["move 1", "move 2"]
    assert occasions(where, "move 1") == {"yellow": (False, False)}


def test_each_opponent_is_spared_for_itself():
    where = position({"red": [10, 20], "yellow": prey(15), "green": [12]}, (5, 2), seats=4)
    assert legal(where) == ["move 1", "move 2"]
    assert occasions(where, "move 1") == {"yellow": (False, True), "green": (True, True)}
    assert occasions(where, "move 2") == {"yellow": (True, True), "green": (False, True)}


def test_the_capture_on_the_own_start_star_counts():
    where = position({"red": [-1, 20], "yellow": prey(0)}, (6, 2))
    assert occasions(where, "move 1") == {"yellow": (False, True)}
    assert occasions(where, "move 2") == {"yellow": (True, True)}
