"""What tokens and pickups buy: nerfs and powers, sentence by sentence."""

from __future__ import annotations

import pytest

from games.api import IllegalAction
from tests.games.trap_race.build import box, found, kinds, legal, play, position, tokens

HOME_BOX = "8,25"
BOX = "22,4"


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
