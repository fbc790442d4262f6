"""A turn: points, steps, and what a step sets off and in which order, sentence by sentence."""

from __future__ import annotations

import pytest

from games.api import IllegalAction
from tests.games.trap_race.build import GAME, box, found, kinds, legal, play, position, tokens

HOME_BOX = "8,25"
BOX = "22,4"


def moves(where, number):
    return [action for action in legal(where) if action.startswith(f"move {number} ")]


def test_plains_cost_one_and_forest_two_from_pool_and_piece():
    where = position({1: "10,10"}, terrain={"11,10": "f"})
    after, events = play(where, "move 1 north")
    assert events == [
        {"kind": "move", "audience": "all", "seat": "south", "piece": "1", "from": "10,10", "to": "11,10", "cost": 2}
    ]
    assert (after["pool"], after["spent"]) == (8, {"1": 2})
    after, _ = play(where, "move 1 north", "move 1 east")
    assert (after["pool"], after["spent"]) == (7, {"1": 3})


def test_north_is_a_row_up_and_east_a_column_up():
    where = position({1: "10,10"})
    words = ("north", "south", "east", "west")
    ends = {word: play(where, f"move 1 {word}")[0]["pieces"]["south"]["1"] for word in words}
    assert ends == {"north": "11,10", "south": "9,10", "east": "10,11", "west": "10,9"}


def test_a_piece_spends_at_most_three():
    where = position({1: "10,10"}, terrain={"13,10": "f"})
    after, _ = play(where, "move 1 north", "move 1 north")
    assert moves(after, 1) == ["move 1 south", "move 1 east", "move 1 west"]
    with pytest.raises(IllegalAction, match="the step to 13,10 costs 2, and piece 1 can spend 1 more this turn"):
        play(after, "move 1 north")
    after, _ = play(after, "move 1 east")
    assert moves(after, 1) == []


def test_the_pool_is_ten_for_all():
    where = position({n: f"10,{n}" for n in range(1, 6)})
    steps = [f"move {n} north" for n in (1, 1, 1, 2, 2, 2, 3, 3, 3, 4)]
    after, _ = play(where, *steps)
    assert after["pool"] == 0
    assert after["spent"] == {"1": 3, "2": 3, "3": 3, "4": 1}
    assert legal(after) == ["end"]


def test_points_left_over_are_lost():
    after, _ = play(position({1: "10,10"}), "move 1 north", "end", "end")
    assert (after["to_act"], after["pool"], after["spent"]) == ("south", 10, {})


def test_no_two_pieces_on_a_tile_and_none_passes_another():
    where = position({1: "10,0", 2: "11,0"}, {1: "10,1"})
    assert moves(where, 1) == ["move 1 south"]
    for direction, why in (
        ("north", "a piece stands on 11,0"),
        ("east", "a piece stands on 10,1"),
        ("west", "that step leads off the board from 10,0"),
    ):
        with pytest.raises(IllegalAction, match=why):
            play(where, f"move 1 {direction}")


@pytest.mark.parametrize(
    ("tile", "missing"),
    [("0,29", {"south", "east"}), ("29,0", {"west"}), ("30,0", {"north", "west"}), ("5,29", {"east"})],
)
def test_the_board_ends_at_its_edges(tile, missing):
    words = {action.split(" ")[2] for action in moves(position({1: tile}), 1)}
    assert words == {"north", "south", "east", "west"} - missing


def test_water_is_entered_with_a_bridge_only():
    where = position({1: "10,10", 2: "11,11"}, terrain={"11,10": "w"})
    assert "move 1 north" not in legal(where)
    assert "move 2 west" not in legal(where)
    with pytest.raises(IllegalAction, match="11,10 is water, and piece 1 has no bridge"):
        play(where, "move 1 north")
    bridged = {**where, "bridge": {"south": ["1"], "north": []}}
    assert "move 1 north" in legal(bridged)
    assert "move 2 west" not in legal(bridged)


def test_a_bridge_is_used_up_on_entering_water_and_kept_until_then():
    where = position({1: "9,10"}, terrain={"11,10": "w", "12,10": "w"}, bridge={"south": ["1"], "north": []})
    after, _ = play(where, "move 1 north")
    assert after["bridge"]["south"] == ["1"]
    kept, _ = play(after, "end", "end")
    assert kept["bridge"]["south"] == ["1"]
    wet, events = play(kept, "move 1 north")
    assert events[0]["cost"] == 1
    assert wet["bridge"]["south"] == []
    assert "move 1 north" not in legal(wet)
    dry, _ = play(wet, "move 1 east", "end")
    assert dry["pieces"]["south"]["1"] == "11,11"


def test_a_piece_on_water_drowns_at_the_end_of_the_turn_by_number():
    where = position(
        {2: "10,10", 11: "10,12"},
        terrain={"11,10": "w", "11,12": "w"},
        bridge={"south": ["2", "11"], "north": []},
    )
    after, events = play(where, "move 11 north", "move 2 north", "end")
    assert events == [
        {"kind": "drowned", "audience": "all", "seat": "south", "piece": "2", "tile": "11,10"},
        {"kind": "drowned", "audience": "all", "seat": "south", "piece": "11", "tile": "11,12"},
        {"kind": "end", "audience": "all", "seat": "south"},
    ]
    assert after["gone"]["south"] == 2


def test_a_piece_on_water_may_nerf():
    where = position(
        {1: "10,10"}, {4: "12,10"}, terrain={"11,10": "w"}, bridge={"south": ["1"], "north": []}, tokens=tokens(1)
    )
    after, events = play(where, "move 1 north", "nerf 4")
    assert kinds(events) == ["nerf"]
    assert after["gone"]["north"] == 1


def test_water_on_the_goal_row_never_scores():
    where = position({1: "29,5"}, terrain={"30,5": "w"}, bridge={"south": ["1"], "north": []})
    after, events = play(where, "move 1 north")
    assert kinds(events) == ["move"]
    assert after["score"]["south"] == 0
    _, events = play(after, "move 1 east")
    assert kinds(events) == ["move", "score"]


def test_a_trap_springs_reveals_itself_and_is_spent():
    where = position({1: "17,10"}, north_traps={"18,10": "live"})
    after, events = play(where, "move 1 north")
    assert events[1:] == [{"kind": "sprung", "audience": "all", "seat": "south", "piece": "1", "tile": "18,10"}]
    assert after["traps"]["north"]["18,10"] == "spent"
    assert after["gone"]["south"] == 1
    assert "1" not in after["pieces"]["south"]
    assert after["spent"] == {}
    assert after["pool"] == 9
    assert GAME.view(GAME.load(after), "south")["traps"]["north"] == {"18,10": "spent"}


def test_own_traps_and_spent_traps_do_nothing():
    where = position({1: "13,10"}, south_traps={"14,10": "live"}, north_traps={"15,10": "spent"})
    after, events = play(where, "move 1 north", "move 1 north")
    assert kinds(events) == ["move"]
    assert after["pieces"]["south"]["1"] == "15,10"


def test_a_trap_comes_before_everything_else_on_its_tile():
    where = position({1: "29,7"}, north_traps={"30,7": "live"})
    assert kinds(play(where, "move 1 north")[1]) == ["move", "sprung"]
    there = position({1: "17,20"}, pickup={"tile": "18,20", "kind": "trap", "found": False})
    assert kinds(play(there, "move 1 north")[1]) == ["move", "found", "power"]
    own = position(
        {1: "17,20"},
        south_traps={"18,20": "live"},
        pickup={"tile": "18,20", "kind": "trap", "found": True},
        north_traps={"18,20": "live"},
    )
    assert kinds(play(own, "move 1 north")[1]) == ["move", "sprung"]


def test_a_known_trap_that_springs_is_known_no_more():
    where = position({1: "17,10"}, north_traps={"18,10": "live"}, known={"south": ["18,10"], "north": []})
    assert play(where, "move 1 north")[0]["known"]["south"] == []


def test_extra_steps_go_first_and_count_against_neither_pool_nor_three():
    where = position({1: "21,4"}, terrain={"23,4": "f", "24,4": "f"}, boxes=box("steps"), pool=5, spent={"1": 2})
    opened, events = play(where, "move 1 north")
    assert events[1] == {"kind": "box", "audience": "all", "seat": "south", "piece": "1", "tile": BOX, "holds": "steps"}
    assert (opened["pool"], opened["spent"], opened["bonus"]) == (4, {"1": 3}, {"1": 2})
    assert opened["boxes"][BOX] == {"holds": "steps", "open": True}
    after, events = play(opened, "move 1 north")
    assert events[0]["cost"] == 2
    assert (after["pool"], after["spent"], after["bonus"]) == (4, {"1": 3}, {})
    assert moves(after, 1) == []


def test_a_step_may_be_paid_partly_from_each():
    where = position({1: "10,10"}, terrain={"11,10": "f"}, bonus={"1": 1}, spent={"1": 2}, pool=7)
    after, _ = play(where, "move 1 north")
    assert (after["pool"], after["spent"], after["bonus"]) == (6, {"1": 3}, {})
    poor = position({1: "10,10"}, terrain={"11,10": "f"}, bonus={"1": 1}, pool=0)
    assert moves(poor, 1) == ["move 1 south", "move 1 east", "move 1 west"]
    assert play(poor, "move 1 east")[0]["pool"] == 0


def test_extra_steps_are_gone_with_the_turn():
    after, _ = play(position({1: "10,10"}, bonus={"1": 2}), "end")
    assert after["bonus"] == {}


def test_a_booby_trap_takes_the_piece():
    after, events = play(position({1: "21,4"}, boxes=box("booby")), "move 1 north")
    assert kinds(events) == ["move", "box"]
    assert after["gone"]["south"] == 1
    assert after["boxes"][BOX]["open"] is True


def test_a_bridge_from_a_box():
    after, _ = play(position({1: "21,4"}, boxes=box("bridge")), "move 1 north")
    assert after["bridge"] == {"south": ["1"], "north": []}


def test_only_the_invader_opens_a_box_and_only_once():
    at_home, events = play(position({1: "7,25"}), "move 1 north")
    assert kinds(events) == ["move"]
    assert at_home["boxes"][HOME_BOX]["open"] is False
    assert kinds(play(position({1: "21,4"}, boxes=box("steps", opened=True)), "move 1 north")[1]) == ["move"]


def test_sense_shows_traps_next_to_the_piece_at_once_and_after_each_of_its_steps():
    hidden = {"22,5": "live", "23,4": "live", "23,6": "live", "24,5": "spent", "21,4": "spent"}
    where = position({1: "21,4"}, north_traps=hidden, boxes=box("sense"))
    opened, events = play(where, "move 1 north")
    assert events[2] == {"kind": "sensed", "audience": ["south"], "tiles": ["22,5", "23,4"]}
    assert opened["known"]["south"] == ["22,5", "23,4"]
    assert opened["sense"] == ["1"]
    moved, events = play(opened, "move 1 west")
    assert kinds(events) == ["move"]
    assert moved["known"]["south"] == ["22,5", "23,4"]


def test_sense_tells_only_what_is_new():
    where = position(
        {1: "19,9"},
        north_traps={"20,10": "live", "21,9": "live", "20,8": "live"},
        known={"south": ["20,8"], "north": []},
        boxes=box("sense", opened=True),
        sense=["1"],
    )
    after, events = play(where, "move 1 north")
    assert events[1]["tiles"] == ["20,10", "21,9"]
    assert after["known"]["south"] == ["20,8", "20,10", "21,9"]


def test_sense_works_in_either_half_and_for_that_piece_alone():
    where = position({1: "9,9", 2: "9,20"}, north_traps={"11,9": "live", "10,21": "live"}, sense=["1"])
    assert kinds(play(where, "move 1 north")[1]) == ["move", "sensed"]
    assert kinds(play(where, "move 2 north")[1]) == ["move"]


def test_sense_is_gone_with_the_turn_but_what_was_seen_stays():
    where = position({1: "19,9"}, north_traps={"21,9": "live"}, sense=["1"])
    after, _ = play(where, "move 1 north", "end")
    assert after["sense"] == []
    assert after["known"]["south"] == ["21,9"]
    later, _ = play(after, "end")
    assert GAME.view(GAME.load(later), "south")["traps"]["north"] == {"21,9": "live"}
    assert kinds(play(later, "move 1 north")[1]) == ["move", "sprung"]


def test_sense_does_not_show_the_pickup():
    where = position({1: "19,9"}, sense=["1"], pickup={"tile": "21,9", "kind": "trap", "found": False})
    assert kinds(play(where, "move 1 north")[1]) == ["move"]


def test_the_order_on_a_tile_is_box_pickup_sense_score():
    """A pickup never lies on a box, so two tiles show the whole order."""
    on_box = position({1: "21,4"}, north_traps={"23,4": "live"}, boxes=box("sense"))
    assert kinds(play(on_box, "move 1 north")[1]) == ["move", "box", "sensed"]
    where = position(
        {1: "26,9"},
        north_traps={"28,9": "live"},
        sense=["1"],
        pickup={"tile": "27,9", "kind": "trap", "found": False},
    )
    assert kinds(play(where, "move 1 north")[1]) == ["move", "found", "power", "sensed"]
    home = position({1: "29,9"}, north_traps={"30,10": "live"}, sense=["1"])
    assert kinds(play(home, "move 1 north")[1]) == ["move", "sensed", "score"]


def test_the_list_is_moves_by_piece_then_nerfs_then_powers_then_end():
    where = position(
        {3: "20,20", 12: "20,25"}, {2: "20,21", 11: "19,20"}, left=(2, 15), score=(4, 0),
        terrain={"5,5": "f", "16,12": "w", "16,3": "w"},
        pickup=found("terraform"), power="terraform", tokens=tokens(1),
    )  # fmt: skip
    assert legal(where) == [
        "move 3 north", "move 3 west",
        "move 12 north", "move 12 south", "move 12 east", "move 12 west",
        "nerf 2", "nerf 11",
        "terraform 5,5", "terraform 16,3", "terraform 16,12",
        "end",
    ]  # fmt: skip


def test_the_turn_passes_with_a_fresh_pool():
    where = position({1: "10,10"}, pool=3, spent={"1": 3}, tokens=tokens(0, 0, coming=(0, 2)))
    after, events = play(where, "end")
    assert events == [{"kind": "end", "audience": "all", "seat": "south"}]
    assert (after["to_act"], after["turn"], after["pool"], after["spent"]) == ("north", 13, 10, {})
    assert after["tokens"]["north"] == {"held": 2, "coming": 0}
    assert "move 1 south" in legal(after)


def test_news_are_the_events_that_stop_a_plan():
    assert GAME.news == {"sprung", "box", "found", "sensed", "score"}
