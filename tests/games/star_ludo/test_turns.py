from __future__ import annotations

import pytest

from games.chance import draw
from tests.games.star_ludo.build import GAME, kinds, legal, play, position

CLEAR = {"red": [20, 30], "yellow": [2, 10]}


def chance(*dice):
    """A seed and the number of draws after which these numbers come (the throws that follow each other)."""
    flat = [number for throw in dice for number in throw]
    for seed in range(100_000):
        if [1 + (draw(seed, 21 + k) * 6 >> 64) for k in range(len(flat))] == flat:
            return seed, 21
    raise AssertionError("no such seed")


def test_two_draws_a_roll_larger_first_in_the_position_and_as_thrown_in_the_event():
    where = position(CLEAR, (5, 2), 1, chance=chance((2, 4)))
    after, events = play(where, "move 1")
    assert events[1:] == [
        {"kind": "turn", "seat": "yellow"},
        {"kind": "roll", "seat": "yellow", "dice": [2, 4]},
    ]
    assert (after["dice"], after["die"], after["to_act"], after["rolls"]) == ([4, 2], 0, "yellow", 11)
    assert after["chance"]["drawn"] == 23


def test_each_die_is_its_own_decision_with_any_pawn():
    where = position(CLEAR, (5, 2))
    assert legal(where) == ["move 1", "move 2"]
    after, events = play(where, "move 2")
    assert kinds(events) == ["move"]
    assert (after["dice"], after["die"], after["to_act"]) == ([5, 2], 1, "red")
    assert legal(after) == ["move 1", "move 2"]
    assert play(after, "move 2")[0]["pawns"]["red"] == [20, 37, -1, -1]
    assert play(after, "move 1")[0]["pawns"]["red"] == [22, 35, -1, -1]


def test_equal_dice_are_two_plays():
    after, _ = play(position(CLEAR, (3, 3)), "move 1", "move 1")
    assert after["pawns"]["red"] == [26, 30, -1, -1]


def test_a_larger_die_without_a_move_is_skipped():
    where = position({"red": [52], "yellow": [2]}, (2, 1), 1, to_act="yellow", chance=chance((2, 5)))
    after, events = play(where, "move 1")
    assert events[1:] == [
        {"kind": "turn", "seat": "red"},
        {"kind": "roll", "seat": "red", "dice": [2, 5]},
        {"kind": "skip", "seat": "red", "die": 5},
    ]
    assert (after["dice"], after["die"], legal(after)) == ([5, 2], 1, ["move 1"])


def test_a_skipped_die_is_not_tried_again():
    """The 4 has no move; once the 1 has brought a pawn out it would, but the turn is over."""
    where = position({"red": [55], "yellow": [2]}, (2, 1), 1, to_act="yellow", chance=chance((4, 1), (2, 3)))
    after, events = play(where, "move 1")
    assert events[-1] == {"kind": "skip", "seat": "red", "die": 4}
    _, events = play(after, "move 2")
    assert kinds(events)[:3] == ["exit", "turn", "roll"]


def test_a_smaller_die_without_a_move_is_skipped():
    after, events = play(position({"red": [50], "yellow": [2, 9]}, (5, 3), chance=chance((2, 3))), "move 1")
    assert events[1:3] == [{"kind": "skip", "seat": "red", "die": 3}, {"kind": "turn", "seat": "yellow"}]
    assert after["to_act"] == "yellow"


def test_a_die_that_has_a_move_must_be_played():
    """The 5 would leave a pawn in danger and the 3 would get one home; there is no other action."""
    assert legal(position({"red": [53, 20], "yellow": [49]}, (5, 3))) == ["move 2"]


def test_two_skips_pass_the_turn():
    where = position({"red": [20]}, (4, 4), 1, chance=chance((5, 3), (6, 3)))
    after, events = play(where, "move 1")
    assert events[1:] == [
        {"kind": "turn", "seat": "yellow"},
        {"kind": "roll", "seat": "yellow", "dice": [5, 3]},
        {"kind": "skip", "seat": "yellow", "die": 5},
        {"kind": "skip", "seat": "yellow", "die": 3},
        {"kind": "turn", "seat": "red"},
        {"kind": "roll", "seat": "red", "dice": [6, 3]},
    ]
    assert (after["to_act"], after["rolls"]) == ("red", 12)


@pytest.mark.parametrize(
    ("seats", "order"),
    [(2, ["red", "yellow"]), (3, ["red", "green", "yellow"]), (4, ["red", "green", "yellow", "blue"])],
)
def test_the_next_seat_in_order_rolls(seats, order):
    pawns = {seat: [5, 14] for seat in order}
    for seat, following in zip(order, order[1:] + order[:1], strict=True):
        _, events = play(position(pawns, (2, 1), 1, to_act=seat, seats=seats), "move 1")
        assert events[1] == {"kind": "turn", "seat": following}


# Extra turns


def test_a_double_six_earns_an_extra_turn():
    where = position(CLEAR, (2, 1), 1, to_act="yellow", chance=chance((6, 6), (3, 2)))
    after, _ = play(where, "move 1")
    assert (after["to_act"], after["dice"], after["extra"]) == ("red", [6, 6], ["double_six"]), "from the roll on"
    after, events = play(after, "move 1", "move 1")
    assert events[1:] == [
        {"kind": "extra_turn", "seat": "red", "why": ["double_six"]},
        {"kind": "roll", "seat": "red", "dice": [3, 2]},
    ]
    assert (after["to_act"], after["extra"]) == ("red", [])


def test_a_double_six_counts_though_its_dice_were_skipped():
    stuck = {"red": [51, 52, 53, 54], "yellow": [2, 10]}
    where = position(stuck, (2, 1), 1, to_act="yellow", chance=chance((6, 6), (2, 1)))
    after, events = play(where, "move 1")
    assert kinds(events) == ["move", "turn", "roll", "skip", "skip", "extra_turn", "roll"]
    assert events[5] == {"kind": "extra_turn", "seat": "red", "why": ["double_six"]}
    assert (after["to_act"], after["dice"]) == ("red", [2, 1])


def test_other_doubles_earn_none():
    where = position(CLEAR, (2, 1), 1, to_act="yellow", chance=chance((5, 5)))
    assert play(where, "move 1")[0]["extra"] == []


def test_a_capture_earns_an_extra_turn_after_the_smaller_die():
    where = position({"red": [10, 20], "yellow": [41]}, (5, 2), chance=chance((3, 2)))
    after, events = play(where, "move 1")
    assert (kinds(events), after["die"], after["extra"]) == (["move", "capture"], 1, ["capture"])
    _, events = play(after, "move 2")
    assert events[1] == {"kind": "extra_turn", "seat": "red", "why": ["capture"]}


def test_a_pawn_home_earns_an_extra_turn():
    after, _ = play(position({"red": [51, 20]}, (5, 2)), "move 1")
    assert after["extra"] == ["home"]
    _, events = play(after, "move 2")
    assert events[1] == {"kind": "extra_turn", "seat": "red", "why": ["home"]}


def test_there_is_no_limit_in_a_row():
    where = position(CLEAR, (6, 6), 1, chance=chance((6, 6), (6, 6), (6, 6)))
    happened = []
    while where["rolls"] < 13:
        where, events = play(where, legal(where)[-1])
        happened += kinds(events)
    assert happened.count("extra_turn") == 3
    assert "turn" not in happened
    assert where["to_act"] == "red"


MANY = {"red": [50, 10, 56], "yellow": [42, 3]}
"""Red has double six: pawn 1 gets home with one 6, pawn 2 captures with the other."""


def test_reasons_stand_in_the_order_in_which_they_came_repeats_kept():
    after, _ = play(position(MANY, (6, 6)), "move 1")
    assert after["extra"] == ["double_six", "home"]
    after, _ = play(position(MANY, (6, 6)), "move 2")
    assert after["extra"] == ["double_six", "capture"]
    _, events = play(after, "move 1")
    assert next(event for event in events if event["kind"] == "extra_turn")["why"] == ["double_six", "capture", "home"]
    two = {"red": [50, 50 + 1, 20]}
    after, _ = play(position(two, (6, 5)), "move 1")
    _, events = play(after, "move 2")
    assert next(event for event in events if event["kind"] == "extra_turn")["why"] == ["home", "home"]


def test_with_one_an_extra_turn_spends_them_all():
    after, events = play(position(MANY, (6, 6), chance=chance((3, 2))), "move 1", "move 2")
    assert events[-2:] == [
        {"kind": "extra_turn", "seat": "red", "why": ["double_six", "home", "capture"]},
        {"kind": "roll", "seat": "red", "dice": [3, 2]},
    ]
    assert after["extra"] == []


def test_with_stack_it_spends_the_oldest_and_the_next_turn_starts_with_the_rest():
    where = position(MANY, (6, 6), options={"extra": "stack"}, chance=chance((3, 2), (4, 3)))
    after, events = play(where, "move 1", "move 2")
    assert events[-2] == {"kind": "extra_turn", "seat": "red", "why": ["double_six"]}
    assert after["extra"] == ["home", "capture"]
    after, events = play(after, "move 2", "move 2")
    assert events[-2] == {"kind": "extra_turn", "seat": "red", "why": ["home"]}
    assert after["extra"] == ["capture"]


def test_with_stack_a_double_six_joins_behind_what_is_left():
    where = position(CLEAR, (3, 2), 1, extra=["home", "capture"], options={"extra": "stack"}, chance=chance((6, 6)))
    after, events = play(where, "move 1")
    assert events[1]["why"] == ["home"]
    assert after["extra"] == ["capture", "double_six"]


# The end


def test_four_pawns_home_win_at_once():
    where = position({"red": [56, 56, 52, 56], "yellow": [56, 3]}, (4, 3), extra=["capture"])
    after, events = play(where, "move 3")
    assert kinds(events) == ["move", "home", "win"]
    assert events[-1] == {"kind": "win", "seat": "red"}
    assert (after["phase"], after["to_act"], after["dice"], after["die"], after["extra"]) == ("over", None, [], 0, [])
    assert (after["rolls"], after["chance"]) == (10, where["chance"]), "the smaller die is not played"


def outcome(where, *actions):
    return GAME.outcome(GAME.load(play(where, *actions)[0]))


def test_the_others_stand_by_pawns_home_then_by_the_sum_of_places():
    pawns = {"red": [56, 56, 52, 56], "green": [56, -1, -1, -1], "yellow": [50, 50 - 1, 48, 46], "blue": [56, 0]}
    result = outcome(position(pawns, (4, 3), seats=4), "move 3")
    assert result.to_json() == {
        "winners": ["red"], "places": {"red": 1, "green": 3, "yellow": 4, "blue": 2}, "reason": "home",
    }  # fmt: skip


def test_equal_is_equal():
    pawns = {"red": [56, 56, 52, 56], "green": [56, -1, 10, 3], "yellow": [-1, 56, 6, 7], "blue": [1, 2]}
    assert outcome(position(pawns, (4, 3), seats=4), "move 3").places == {"red": 1, "green": 2, "yellow": 2, "blue": 4}


CAP = {"cap": 10}


def test_the_match_ends_after_both_dice_of_the_last_roll():
    after, events = play(position(CLEAR, (5, 2), options=CAP), "move 1")
    assert (kinds(events), after["phase"]) == (["move"], "move")
    after, events = play(after, "move 1")
    assert events[-1] == {"kind": "cap"}
    assert kinds(events) == ["move", "cap"]
    assert (after["phase"], after["to_act"], after["dice"], after["die"], after["extra"]) == ("over", None, [], 0, [])
    assert after["rolls"] == 10


def test_the_cap_stands_in_place_of_an_extra_turn_too():
    _, events = play(position({"red": [54, 20]}, (5, 2), 1, options=CAP), "move 1")
    assert kinds(events) == ["move", "home", "cap"]


def test_the_last_rolls_dice_may_be_skipped():
    stuck = {"red": [52, 53, 54, 55], "yellow": [2]}
    where = position(stuck, (2, 1), 1, to_act="yellow", rolls=9, options=CAP, chance=chance((5, 6)))
    _, events = play(where, "move 1")
    assert kinds(events) == ["move", "turn", "roll", "skip", "skip", "cap"]


def test_a_win_with_the_last_roll_is_a_win():
    result = outcome(position({"red": [56, 56, 56, 51]}, (5, 2), options=CAP), "move 4")
    assert result.reason == "home"


def test_at_the_cap_all_are_placed_and_several_may_win():
    pawns = {"red": [20, 3], "green": [22, 3], "yellow": [56], "blue": [24, 1]}
    result = outcome(position(pawns, (5, 2), 1, seats=4, options=CAP), "move 2")
    assert result.to_json() == {
        "winners": ["yellow"], "places": {"red": 2, "green": 2, "yellow": 1, "blue": 2}, "reason": "cap",
    }  # fmt: skip
    result = outcome(position({"red": [20, 3], "yellow": [22, 3]}, (5, 2), 1, options=CAP), "move 2")
    assert result.to_json() == {"winners": ["red", "yellow"], "places": {"red": 1, "yellow": 1}, "reason": "cap"}


def test_below_the_cap_it_goes_on():
    after, events = play(position(CLEAR, (5, 2), 1, rolls=9, options=CAP), "move 1")
    assert (kinds(events)[:3], after["rolls"]) == (["move", "turn", "roll"], 10)


def test_there_is_no_outcome_before_the_end():
    assert GAME.outcome(GAME.load(position(CLEAR))) is None
