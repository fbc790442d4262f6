from __future__ import annotations

import pytest

from tests.games.twenty_one.build import kinds, legal, play, position
from tests.games.twenty_one.laws import COLOURS, EVERY


@pytest.mark.parametrize("stone", EVERY)
def test_a_stone_fits_its_own_colours_tower_and_the_two_beside_it(stone):
    place = COLOURS.index(stone[:-1])
    fitting = {COLOURS[place - 1], COLOURS[place], COLOURS[(place + 1) % 6]}
    assert legal(position(hand=stone)) == [f"place {stone} on {tower}" for tower in COLOURS if tower in fitting]


def test_a_placed_stone_lies_on_top_and_counts_its_number():
    where = position({"orange": "p2:red6"}, "yellow3 blue1", turn=2)
    after, events = play(where, "place yellow3 on orange")
    assert after["towers"]["orange"] == [
        {"stone": "red6", "by": "p2", "counts": 6},
        {"stone": "yellow3", "by": "p1", "counts": 3},
    ]
    assert after["hands"]["p1"] == ["blue1"]
    assert events == [
        {
            "kind": "place", "audience": "all", "seat": "p1", "stone": "yellow3", "tower": "orange", "counts": 3,
            "total": 9,
        },
        {"kind": "owner", "audience": "all", "tower": "orange", "seat": "p1"},
    ]  # fmt: skip


def test_the_owner_is_told_when_it_changes_and_only_then():
    assert kinds(play(position(hand="red4"), "place red4 on red")[1]) == ["place", "owner"]
    theirs = position({"red": "p2:red6"}, "red4")
    assert play(theirs, "place red4 on red")[1][1] == {"kind": "owner", "audience": "all", "tower": "red", "seat": "p1"}
    own = position({"red": "p1:red6"}, "red4")
    assert kinds(play(own, "place red4 on red")[1]) == ["place"]


@pytest.mark.parametrize(
    ("tower", "open_to"), [("red6 orange6 purple3 orange2", 4), ("red6 orange6 purple4 orange2", 3)]
)
def test_a_total_never_exceeds_21(tower, open_to):
    built = {"red": " ".join(f"p{1 + place % 2}:{stone}" for place, stone in enumerate(tower.split()))}
    for number in (3, 4, 5):
        where = position(built, f"red{number}")
        assert (f"place red{number} on red" in legal(where)) == (number <= open_to)


def test_a_tower_at_21_takes_nothing():
    built = {"red": "p1:red6 p2:orange6 p1:purple6 p2:red3"}
    assert legal(position(built, "red1 joker", turn=2)) == ["place red1 on orange", "place red1 on purple"]


def test_a_joker_counts_as_the_coloured_stone_it_lies_on():
    where = position({"green": "p1:green2 p2:blue5"}, "joker")
    after, events = play(where, "place joker on green")
    assert after["towers"]["green"][-1] == {"stone": "joker", "by": "p1", "counts": 5}
    assert (events[0]["counts"], events[0]["total"]) == (5, 12)


def test_a_joker_fits_every_tower_with_a_coloured_top():
    built = {colour: f"p{1 + place % 2}:{colour}1" for place, colour in enumerate(COLOURS)}
    assert legal(position(built, "joker")) == [f"place joker on {colour}" for colour in COLOURS]


def test_a_joker_never_begins_a_tower_and_never_lies_on_a_joker():
    assert legal(position({"green": "p1:green2 p2:joker", "blue": "p2:blue2"}, "joker")) == ["place joker on blue"]


def test_a_stone_lies_on_a_joker_whatever_its_number():
    where = position({"green": "p1:green2 p2:joker"}, "blue1")
    after, events = play(where, "place blue1 on green")
    assert events[0]["total"] == 5
    assert [layer["counts"] for layer in after["towers"]["green"]] == [2, 2, 1]


@pytest.mark.parametrize(
    ("below", "possible"),
    [("p1:red6 p2:purple6 p1:red3 p2:orange3", True), ("p1:red6 p2:purple6 p1:red5 p2:orange3", False)],
)
def test_a_jokers_total_is_at_most_21_too(below, possible):
    assert legal(position({"red": below}, "joker")) == (["place joker on red"] if possible else ["pass"])


def test_legal_actions_stand_in_wheel_order_with_rising_numbers_jokers_last():
    built = {"green": "p2:green6"}
    assert legal(position(built, "joker purple2 red5", turn=0)) == [
        "place red5 on red", "place red5 on orange", "place red5 on purple",
        "place purple2 on red", "place purple2 on blue", "place purple2 on purple",
        "place joker on green",
    ]  # fmt: skip
    assert legal(position(built, "blue5 blue3", turn=2)) == [
        f"place blue{number} on {tower}" for number in (3, 5) for tower in ("green", "blue", "purple")
    ]


def test_equal_stones_are_listed_once():
    assert legal(position({"green": "p2:green6"}, "joker joker", turn=2)) == ["place joker on green"]
    after, _ = play(position({"green": "p2:green6"}, "joker joker", turn=2), "place joker on green")
    assert after["hands"]["p1"] == ["joker"]


REPLACEABLE = {"red": "p1:red6 p2:purple6 p1:orange3 p2:joker"}
"""Stands at 18, the joker counts 3."""


def test_replace_takes_the_joker_out_and_puts_the_stone_on_top():
    after, events = play(position(REPLACEABLE, "orange4"), "replace orange4 on red")
    assert events == [
        {
            "kind": "replace", "audience": "all", "seat": "p1", "stone": "orange4", "tower": "red", "joker_of": "p2",
            "total": 19,
        },
        {"kind": "owner", "audience": "all", "tower": "red", "seat": "p1"},
    ]  # fmt: skip
    assert [layer["stone"] for layer in after["towers"]["red"]] == ["red6", "purple6", "orange3", "orange4"]
    assert after["towers"]["red"][-1] == {"stone": "orange4", "by": "p1", "counts": 4}
    assert after["out"] == ["joker"]
    assert after["announced"]["p1"]["left"] == []


def test_an_own_joker_may_be_replaced():
    built = {"red": "p1:red6 p2:purple6 p2:orange3 p1:joker"}
    after, events = play(position(built, "red5"), "replace red5 on red")
    assert kinds(events) == ["replace"], "it was the seat's own tower"
    assert events[0]["joker_of"] == "p1"
    assert after["out"] == ["joker"]


@pytest.mark.parametrize(
    ("tower", "stone", "possible"),
    [
        ("p1:red6 p2:purple6 p1:orange3 p2:joker", "orange4", True),
        ("p1:red6 p2:purple6 p1:orange3 p2:joker", "orange5", True),
        ("p1:red6 p2:purple6 p1:orange3 p2:joker", "orange6", True),
        ("p1:red6 p2:purple6 p1:orange3 p2:joker", "yellow4", False),
        ("p1:red6 p2:purple6 p1:orange3 p2:joker", "red3", False),
        ("p1:red6 p2:purple6 p1:orange3 p2:orange4", "red5", False),
        ("p1:red6 p2:purple5 p1:orange5 p2:joker", "red5", False),
        ("p1:red6 p2:purple6 p1:orange4 p2:joker", "red4", False),
        ("p1:red6 p2:purple6 p1:orange4 p2:joker", "red5", True),
        ("p1:red6 p2:purple6 p1:orange4 p1:red2 p2:joker", "red5", False),
        ("p1:red6 p2:purple6 p1:orange4 p1:red2 p2:joker", "red3", True),
    ],
)
def test_when_a_joker_may_be_replaced(tower, stone, possible):
    """The colour fits, on top it exceeds 21, in the joker's place it does not, and it counts more than the joker."""
    where = position({"red": tower}, stone)
    assert (f"replace {stone} on red" in legal(where)) == possible


def test_where_a_stone_can_be_placed_on_the_joker_it_cannot_replace_it():
    where = position({"red": "p1:red6 p2:orange3 p1:joker"}, "red5")
    assert legal(where) == ["place red5 on red", "place red5 on orange", "place red5 on purple"]


def test_replaces_stand_after_places():
    built = {**REPLACEABLE, "purple": "p1:blue6 p2:purple5 p1:blue4 p2:joker"}
    assert legal(position(built, "red5 orange4", turn=2)) == [
        "place red5 on orange", "place orange4 on orange", "place orange4 on yellow",
        "replace red5 on red", "replace red5 on purple", "replace orange4 on red",
    ]  # fmt: skip


FULL = {
    **REPLACEABLE,
    "orange": "p1:orange6 p2:orange5 p1:yellow6 p2:red1",
    "yellow": "p1:yellow5 p2:green6 p1:green5 p2:yellow2",
}


def test_pass_only_if_no_place_is_legal_and_replacing_stays_a_choice():
    where = position(FULL, "orange4")
    assert legal(where) == ["replace orange4 on red", "pass"]
    assert "pass" not in legal(position(REPLACEABLE, "orange4"))


def test_a_pass_keeps_the_stone_for_the_rest_of_the_round():
    after, events = play(position(FULL, "orange4"), "pass")
    assert events == [{"kind": "pass", "audience": "all", "seat": "p1"}]
    assert (after["hands"]["p1"], after["turn"], after["to_act"]) == (["orange4"], 5, "p2")
    assert after["announced"]["p1"]["left"] == [4]
