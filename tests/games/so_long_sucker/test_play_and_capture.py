from __future__ import annotations

import pytest

from tests.games.so_long_sucker.build import legal, play, position, turn

OWNER = {"captor": "owner"}


def test_every_colour_in_hand_goes_on_every_pile_or_starts_one():
    where = position({"blue": "bgg", "red": "r", "green": "g", "yellow": "y"}, ["rb", "y"], "blue", first_pile=3)
    assert legal(where) == [
        "play blue on 3", "play blue on 4", "play blue new",
        "play green on 3", "play green on 4", "play green new",
    ]  # fmt: skip


def test_the_chip_goes_on_top_and_leaves_the_hand():
    where = position({"red": "rg", "blue": "b", "green": "g", "yellow": "y"}, ["by"])
    after, events = play(where, "play green on 1")
    assert after["piles"] == [{"id": 1, "chips": ["blue", "yellow", "green"]}]
    assert (after["supply"]["red"], after["prisoners"]["red"]) == (1, {})
    assert events[0] == {"kind": "play", "seat": "red", "colour": "green", "pile": 1, "new": False}


def test_the_supply_counts_as_the_own_colour():
    after, _ = play(position({"red": "rrg", "blue": "b", "green": "g", "yellow": "y"}, ["b"]), "play red on 1")
    assert (after["supply"]["red"], after["prisoners"]["red"]) == (1, {"green": 1})


def test_a_new_pile_takes_the_next_number_and_captures_nothing():
    where = position({"red": "rr", "blue": "b", "green": "g", "yellow": "y"}, ["r"], first_pile=6)
    after, events = play(where, "play red new")
    assert after["piles"] == [{"id": 6, "chips": ["red"]}, {"id": 7, "chips": ["red"]}]
    assert after["next_pile"] == 8
    assert events == [{"kind": "play", "seat": "red", "colour": "red", "pile": 7, "new": True}]


def test_a_captured_piles_number_is_not_used_again():
    where = position({"red": "rr", "blue": "b", "green": "g", "yellow": "y"}, ["br"])
    after, events = play(where, "play red on 1", "kill red", "play blue new")
    assert (events[0]["pile"], after["next_pile"]) == (2, 3)


def test_only_the_chip_directly_below_counts():
    after, events = play(position({"red": "rr", "blue": "b", "green": "g", "yellow": "y"}, ["rb"]), "play red on 1")
    assert [event["kind"] for event in events] == ["play"]
    assert after["phase"] == "next"


def test_a_capture_takes_the_pile_off_the_table_with_the_chip_just_laid():
    where = position({"red": "r", "blue": "b", "green": "g", "yellow": "y"}, ["gyr", "b"], trail=["blue"])
    after, events = play(where, "play red on 1")
    assert events == [
        {"kind": "play", "seat": "red", "colour": "red", "pile": 1, "new": False},
        {"kind": "capture", "seat": "red", "pile": 1, "chips": ["green", "yellow", "red", "red"]},
    ]
    assert after["captured"] == ["green", "yellow", "red", "red"]
    assert after["piles"] == [{"id": 2, "chips": ["blue"]}]
    assert (after["phase"], after["mover"], after["to_act"], after["trail"]) == ("kill", "red", "red", ["blue"])


def test_a_prisoner_on_its_own_colour_captures_for_the_mover():
    where = position({"red": "g", "blue": "b", "green": "g", "yellow": "y"}, ["bg"])
    after, events = play(where, "play green on 1")
    assert events[1] == {"kind": "capture", "seat": "red", "pile": 1, "chips": ["blue", "green", "green"]}
    assert after["to_act"] == "red"


def test_a_prisoner_on_its_own_colour_captures_for_its_owner():
    where = position({"red": "g", "blue": "b", "green": "g", "yellow": "y"}, ["bg"], options=OWNER, trail=["blue"])
    after, events = play(where, "play green on 1")
    assert events[1]["seat"] == "green"
    assert (after["phase"], after["mover"], after["to_act"], after["trail"]) == ("kill", "red", "green", ["blue"])
    after, events = play(where, "play green on 1", "kill green")
    assert events == [{"kind": "kill", "seat": "green", "colour": "green"}, turn("green", "capture")]
    assert (after["mover"], after["to_act"], after["trail"]) == ("green", "green", ["blue", "red"])
    assert (after["supply"]["green"], after["prisoners"]["green"]) == (2, {"blue": 1})


def test_a_mover_captures_with_a_dead_colour_too():
    where = position({"red": "rg", "blue": "b", "yellow": "y"}, ["bg"], out=["green"])
    after, events = play(where, "play green on 1")
    assert [event["kind"] for event in events] == ["play", "capture"]
    after, _ = play(where, "play green on 1", "kill blue")
    assert after["prisoners"]["red"] == {"green": 2}


def test_a_dead_owners_capture_goes_whole_to_the_dead_box():
    where = position({"red": "rg", "blue": "b", "yellow": "y"}, ["ybg", "r"], out=["green"], options=OWNER)
    after, events = play(where, "play green on 1")
    assert events[1:] == [
        {"kind": "to_dead", "pile": 1, "chips": ["yellow", "blue", "green", "green"]},
        turn("red", "again"),
    ]
    before = where["dead"]
    assert after["dead"] == {**before, "yellow": before["yellow"] + 1, "blue": before["blue"] + 1, "green": 4}
    assert after["piles"] == [{"id": 2, "chips": ["red"]}]
    assert (after["phase"], after["mover"], after["captured"], after["trail"]) == ("play", "red", None, [])


def test_after_to_dead_an_empty_mover_asks():
    where = position({"red": "g", "blue": "b", "yellow": "y"}, ["bg"], out=["green"], options=OWNER)
    after, events = play(where, "play green on 1")
    assert events[-1] == turn("red", "again")
    assert (after["phase"], after["to_act"]) == ("ask", "red")


@pytest.mark.parametrize("colour", ["red", "blue", "yellow"])
def test_kill_any_colour_of_the_pile_and_keep_the_rest(colour):
    where = position(
        {"red": "ry", "blue": "b", "green": "g", "yellow": "y"}, phase="kill", captured="brybr", trail=["green"]
    )
    assert legal(where) == ["kill red", "kill blue", "kill yellow"]
    after, events = play(where, f"kill {colour}")
    assert events == [{"kind": "kill", "seat": "red", "colour": colour}, turn("red", "capture")]
    rest = {"red": 2, "blue": 2, "yellow": 1}
    rest[colour] -= 1
    assert after["supply"]["red"] == 1 + rest["red"]
    assert after["prisoners"]["red"] == {"blue": rest["blue"], "yellow": 1 + rest["yellow"]}
    assert after["dead"] == {**where["dead"], colour: where["dead"][colour] + 1}
    assert (after["phase"], after["mover"], after["captured"], after["trail"]) == ("play", "red", None, ["green"])


def test_the_captor_has_the_move_even_if_the_table_would_give_a_choice():
    where = position({"red": "r", "blue": "b", "green": "g", "yellow": "y"}, ["r"])
    after, events = play(where, "play red on 1", "kill red")
    assert events[-1] == turn("red", "capture")
    assert (after["phase"], after["piles"]) == ("play", [])
