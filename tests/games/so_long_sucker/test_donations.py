from __future__ import annotations

import pytest

from tests.games.so_long_sucker.build import legal, play, position, turn

PRISONERS = {"donors": "prisoners"}


def empty_red(hands, *, out=(), options=None, trail=("yellow",), asked=()):
    return position({"red": "", **hands}, ["rbgy"], phase="ask", out=out, options=options, trail=trail, asked=asked)


def test_the_empty_mover_asks_living_others_who_hold_something():
    where = empty_red({"blue": "b", "green": "", "yellow": "r"})
    assert legal(where) == ["ask blue", "ask yellow"]


def test_he_may_ask_in_any_order_one_at_a_time():
    where = empty_red({"blue": "b", "green": "g", "yellow": "y"})
    after, events = play(where, "ask yellow")
    assert events == [{"kind": "ask", "seat": "red", "asked": "yellow"}]
    assert (after["phase"], after["to_act"], after["mover"], after["asked"]) == ("answer", "yellow", "red", ["yellow"])
    after, events = play(after, "refuse")
    assert events == [{"kind": "refuse", "seat": "yellow", "to": "red"}]
    assert (after["phase"], after["to_act"], after["asked"]) == ("ask", "red", ["yellow"])
    assert legal(after) == ["ask blue", "ask green"]
    after, _ = play(after, "ask green", "refuse")
    assert legal(after) == ["ask blue"]


def test_an_empty_turn_follows_a_turn_event():
    where = position({"red": "rr", "blue": "", "green": "g", "yellow": "y"}, ["bg", "y"])
    after, events = play(where, "play red on 1")
    assert events[-1] == turn("blue", "order")
    assert (after["phase"], after["mover"], after["to_act"], after["asked"]) == ("ask", "blue", "blue", [])


def test_any_chip_in_hand_may_be_donated_in_seat_order_then_refuse():
    where = empty_red({"blue": "bry", "green": "g", "yellow": "y"})
    after, _ = play(where, "ask blue")
    assert legal(after) == ["donate red", "donate blue", "donate yellow", "refuse"]


def test_prisoners_only():
    where = empty_red({"blue": "bry", "green": "g", "yellow": "yg"}, options=PRISONERS)
    assert legal(where) == ["ask blue", "ask yellow"]
    after, _ = play(where, "ask blue")
    assert legal(after) == ["donate red", "donate yellow", "refuse"]


@pytest.mark.parametrize(
    ("colour", "supply", "prisoners"), [("red", 1, {}), ("blue", 0, {"blue": 1}), ("yellow", 0, {"yellow": 1})]
)
def test_a_donated_chip_is_played_at_once_by_the_mover(colour, supply, prisoners):
    where = empty_red({"blue": "bry", "green": "g", "yellow": "y"}, asked=["green"])
    after, events = play(where, "ask blue", f"donate {colour}")
    assert events == [{"kind": "donate", "seat": "blue", "to": "red", "colour": colour}]
    assert (after["supply"]["red"], after["prisoners"]["red"]) == (supply, prisoners)
    assert (after["phase"], after["mover"], after["to_act"]) == ("play", "red", "red")
    assert (after["asked"], after["trail"]) == ([], ["yellow"])
    left = [each for each in ("red", "blue", "yellow") if each != colour]
    assert after["supply"]["blue"] + sum(after["prisoners"]["blue"].values()) == len(left)
    assert colour not in after["prisoners"]["blue"]


def test_each_new_empty_turn_starts_with_nobody_asked():
    where = empty_red({"blue": "br", "green": "g", "yellow": "y"})
    after, events = play(where, "ask green", "refuse", "ask blue", "donate red", "play red new")
    assert (events[-1], after["phase"], after["asked"]) == (turn("red", "order"), "ask", [])
    assert legal(after) == ["ask blue", "ask green", "ask yellow"]


def test_all_refused_and_he_is_out():
    where = empty_red({"blue": "b", "green": "g", "yellow": ""})
    after, events = play(where, "ask green", "refuse", "ask blue", "refuse")
    assert events == [
        {"kind": "refuse", "seat": "blue", "to": "red"},
        {"kind": "eliminated", "seat": "red"},
        turn("yellow", "rebound"),
    ]
    assert (after["alive"], after["eliminated"], after["asked"]) == (["blue", "green", "yellow"], ["red"], [])
    assert (after["mover"], after["phase"]) == ("yellow", "ask")


def test_nobody_can_be_asked_and_he_is_out_after_his_turn_event():
    where = position({"red": "r", "green": "", "blue": "", "yellow": ""}, ["bg", "y"], trail=["green"])
    after, events = play(where, "play red on 1")
    assert [event["kind"] for event in events] == [
        "play", "turn", "eliminated", "turn", "eliminated", "turn", "eliminated", "win",
    ]  # fmt: skip
    assert events[1:7] == [
        turn("blue", "order"),
        {"kind": "eliminated", "seat": "blue"},
        turn("red", "rebound"),
        {"kind": "eliminated", "seat": "red"},
        turn("green", "rebound"),
        {"kind": "eliminated", "seat": "green"},
    ]
    assert events[7] == {"kind": "win", "seat": "yellow"}
    assert (after["phase"], after["trail"]) == ("over", [])


def test_own_chips_of_others_do_not_save_him_where_prisoners_only_are_given():
    where = position({"red": "r", "blue": "", "green": "g", "yellow": "y"}, ["bg", "y"], options=PRISONERS)
    after, events = play(where, "play red on 1")
    assert events[1:] == [turn("blue", "order"), {"kind": "eliminated", "seat": "blue"}, turn("red", "rebound"),
                          {"kind": "eliminated", "seat": "red"}, turn("green", "clockwise")]  # fmt: skip
    assert after["mover"] == "green"
