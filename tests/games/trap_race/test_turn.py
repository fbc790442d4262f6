"""A turn: points, steps, what a step sets off and in which order, nerfs and powers, sentence by sentence."""

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


def test_home_gives_a_point_and_a_token_for_the_next_turn():
    after, events = play(position({1: "29,7"}), "move 1 north")
    assert events[1] == {"kind": "score", "audience": "all", "seat": "south", "piece": "1", "points": 1}
    assert "1" not in after["pieces"]["south"]
    assert after["gone"]["south"] == 0
    assert after["tokens"]["south"] == {"held": 0, "coming": 1}
    assert after["spent"] == {}
    after, _ = play(after, "end")
    assert after["tokens"]["south"] == {"held": 0, "coming": 1}
    after, _ = play(after, "end")
    assert after["tokens"]["south"] == {"held": 1, "coming": 0}


@pytest.mark.parametrize(("held", "coming", "then"), [(0, 0, 1), (1, 0, 1), (0, 1, 2), (2, 0, 0), (1, 1, 1), (0, 2, 2)])
def test_never_more_than_two_tokens(held, coming, then):
    where = position({1: "29,7"}, tokens=tokens(held, coming=(coming, 0)))
    after, _ = play(where, "move 1 north")
    assert after["tokens"]["south"] == {"held": held, "coming": then}


def test_a_nerf_costs_a_token_and_three_of_the_pool():
    where = position({1: "15,5"}, {4: "15,6"}, tokens=tokens(2))
    after, events = play(where, "nerf 4")
    assert events == [{"kind": "nerf", "audience": "all", "seat": "south", "of": "north", "piece": "4", "tile": "15,6"}]
    assert (after["pool"], after["spent"]) == (7, {})
    assert after["tokens"]["south"]["held"] == 1
    assert after["gone"]["north"] == 1
    assert "4" not in after["pieces"]["north"]


def test_who_can_be_nerfed():
    where = position({1: "15,5"}, {4: "16,6", 5: "15,7", 6: "14,5"}, tokens=tokens(1))
    assert [action for action in legal(where) if action.startswith("nerf")] == ["nerf 6"]
    for number, why in ((4, "no own piece stands next to 16,6"), (5, "no own piece stands next to 15,7")):
        with pytest.raises(IllegalAction, match=why):
            play(where, f"nerf {number}")
    with pytest.raises(IllegalAction, match="north has no piece 4 on the board"):
        play(position({1: "15,5"}, {6: "14,5"}, left=(15, 1), score=(0, 4), tokens=tokens(1)), "nerf 4")
    with pytest.raises(IllegalAction, match="there is no token to use"):
        play({**where, "tokens": tokens(0, coming=(1, 0))}, "nerf 6")
    with pytest.raises(IllegalAction, match="a nerf costs 3 points, and 2 are left"):
        play({**where, "pool": 2}, "nerf 6")


def test_a_nerf_checks_no_trap():
    where = position({1: "15,5"}, {4: "15,6"}, south_traps={"15,6": "live"}, tokens=tokens(1))
    after, events = play(where, "nerf 4")
    assert kinds(events) == ["nerf"]
    assert after["traps"]["south"]["15,6"] == "live"


def test_a_mark_stays_until_the_end_of_the_victims_next_turn():
    after, _ = play(position({1: "15,5"}, {4: "15,6"}, tokens=tokens(1)), "nerf 4")
    assert after["marks"] == [{"tile": "15,6", "until": "north"}]
    after, _ = play(after, "end")
    assert after["marks"] == [{"tile": "15,6", "until": "north"}]
    after, _ = play(after, "end")
    assert after["marks"] == []


def test_a_nerfed_piece_loses_its_bridge():
    where = position({1: "15,5"}, {4: "15,6"}, tokens=tokens(1), bridge={"south": [], "north": ["4"]})
    assert play(where, "nerf 4")[0]["bridge"] == {"south": [], "north": []}


def test_a_pickup_is_found_by_stepping_on_it():
    after, events = play(position({1: "12,19"}), "move 1 east")
    assert events[1:] == [
        {"kind": "found", "audience": "all", "seat": "south", "tile": "12,20"},
        {"kind": "power", "audience": ["south"], "seat": "south", "holds": "terraform"},
    ]
    assert after["pickup"] == {"tile": "12,20", "kind": "terraform", "found": True}
    assert after["power"] == "terraform"
    assert kinds(play(after, "move 1 west", "move 1 east")[1]) == ["move"]


def test_a_power_is_for_this_turn_only():
    after, _ = play(position({1: "12,20"}, pickup=found("trap"), power="trap"), "end")
    assert after["power"] is None


def test_a_power_costs_three_of_the_pool_and_no_piece():
    for kind, action in (("trap", "trap 9,9"), ("terraform", "terraform 9,9")):
        where = position({1: "12,20"}, terrain={"9,9": "f"}, pickup=found(kind), power=kind, pool=5, spent={"1": 2})
        after, _ = play(where, action)
        assert (after["pool"], after["spent"], after["power"]) == (2, {"1": 2}, None)
        with pytest.raises(IllegalAction, match="in hand"):
            play(after, action)
        with pytest.raises(IllegalAction, match="that costs 3 points, and 2 are left"):
            play({**where, "pool": 2}, action)


def test_an_extra_trap_goes_on_any_tile_without_piece_box_or_own_live_trap():
    where = position(
        {1: "12,20"},
        {9: "20,20"},
        terrain={"14,3": "w"},
        south_traps={"14,12": "live", "9,9": "spent"},
        north_traps={"18,12": "live", "19,12": "live"},
        known={"south": ["19,12"], "north": []},
        boxes=box("sense", opened=True),
        pickup=found("trap"),
        power="trap",
    )
    listed = {action.removeprefix("trap ") for action in legal(where) if action.startswith("trap ")}
    every = {f"{row},{column}" for row in range(31) for column in range(30)}
    standing = {*where["pieces"]["south"].values(), *where["pieces"]["north"].values()}
    own = {tile for tile, status in where["traps"]["south"].items() if status == "live"}
    assert every - listed == standing | own | {BOX, HOME_BOX}
    assert {"14,3", "30,3", "18,12", "19,12", "9,9"} <= listed
    for tile, why in (("12,20", "a piece stands"), ("14,12", "an own trap lies"), (BOX, "a mystery box stands")):
        with pytest.raises(IllegalAction, match=f"{why} on {tile}"):
            play(where, f"trap {tile}")


def test_that_an_extra_trap_was_laid_is_public_where_is_not():
    where = position({1: "12,20"}, pickup=found("trap"), power="trap")
    after, events = play(where, "trap 30,3")
    assert events == [
        {"kind": "trap_used", "audience": "all", "seat": "south"},
        {"kind": "trap", "audience": ["south"], "seat": "south", "tile": "30,3"},
    ]
    assert len(after["traps"]["south"]) == 11


def test_an_extra_trap_works_like_any_other():
    where = position({1: "12,20"}, {1: "11,9"}, pickup=found("trap"), power="trap")
    after, events = play(where, "trap 10,9", "end", "move 1 south")
    assert kinds(events) == ["move", "sprung"]
    assert after["traps"]["south"]["10,9"] == "spent"


def test_terraform_makes_plains_of_any_water_or_forest_whoever_stands_there():
    where = position(
        {1: "12,20", 2: "16,3"}, {9: "5,5"},
        terrain={"12,20": "f", "16,3": "w", "5,5": "f", "6,6": "w"},
        pickup=found("terraform"), power="terraform",
    )  # fmt: skip
    listed = [action for action in legal(where) if action.startswith("terraform")]
    assert listed == ["terraform 5,5", "terraform 6,6", "terraform 12,20", "terraform 16,3"]
    for tile in ("5,5", "16,3", "12,20", "6,6"):
        after, events = play(where, f"terraform {tile}")
        row, column = map(int, tile.split(","))
        assert events == [{"kind": "terraform", "audience": "all", "seat": "south", "tile": tile}]
        assert after["terrain"][row][column] == "."
        assert after["pieces"] == where["pieces"]
    with pytest.raises(IllegalAction, match="6,7 is plains already"):
        play(where, "terraform 6,7")


def test_terraform_under_a_piece_on_water_saves_it():
    where = position({1: "12,20", 2: "16,3"}, terrain={"16,3": "w"}, pickup=found("terraform"), power="terraform")
    after, events = play(where, "terraform 16,3", "end")
    assert kinds(events) == ["end"]
    assert after["pieces"]["south"]["2"] == "16,3"


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
