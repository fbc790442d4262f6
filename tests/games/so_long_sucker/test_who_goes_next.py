from __future__ import annotations

import pytest

from tests.games.so_long_sucker.build import legal, play, position, turn

HANDS = {"red": "rr", "blue": "bb", "green": "gg", "yellow": "yy"}
PILE = {"choice": "pile"}
LATEST = {"order": "latest"}


def test_table_choice_if_a_living_colour_lies_in_no_pile():
    where = position({**HANDS, "red": "rry"}, ["gb", "r"])
    after, events = play(where, "play red on 1")
    assert [event["kind"] for event in events] == ["play"]
    assert (after["phase"], after["mover"], after["to_act"], after["last_pile"]) == ("next", "red", "red", 1)
    assert legal(after) == ["next red", "next blue", "next green", "next yellow"]
    after, events = play(where, "play yellow on 1")
    assert events[-1] == turn("green", "order")


def test_table_choice_counts_the_chip_just_laid():
    after, events = play(position(HANDS, ["gb", "y"]), "play red on 2")
    assert (after["phase"], events[-1]) == ("play", turn("yellow", "order"))


def test_table_choice_ignores_the_dead():
    where = position({"red": "rr", "blue": "bb", "yellow": "yy"}, ["by"], out=["green"])
    after, events = play(where, "play red on 1")
    assert (after["phase"], events[-1]) == ("play", turn("blue", "order"))


def test_table_choice_is_among_the_living():
    where = position({"red": "rr", "blue": "bb", "yellow": "yy"}, ["b"], out=["green"])
    after, _ = play(where, "play red on 1")
    assert legal(after) == ["next red", "next blue", "next yellow"]


def test_a_choice_passes_the_move_and_the_giver_joins_the_trail():
    where = position(HANDS, ["b"], trail=["yellow"])
    after, events = play(where, "play red on 1", "next green")
    assert events == [turn("green", "choice")]
    assert (after["mover"], after["phase"], after["trail"], after["last_pile"]) == (
        "green", "play", ["yellow", "red"], None,
    )  # fmt: skip


def test_choosing_oneself_leaves_the_trail():
    after, events = play(position(HANDS, ["b"], trail=["yellow"]), "play red on 1", "next red")
    assert events == [turn("red", "choice")]
    assert (after["mover"], after["trail"]) == ("red", ["yellow"])


def test_pile_choice_among_two_or_more_whose_colour_is_missing_from_this_pile():
    where = position(HANDS, ["b", "gy"], options=PILE)
    after, _ = play(where, "play red on 1")
    assert (after["phase"], after["last_pile"]) == ("next", 1)
    assert legal(after) == ["next green", "next yellow"]


def test_pile_choice_of_the_mover_himself_if_he_is_missing():
    where = position({**HANDS, "red": "rb"}, ["gy"], options=PILE)
    after, _ = play(where, "play blue new")
    assert legal(after) == ["next red", "next green", "next yellow"]
    after, events = play(after, "next red")
    assert (events, after["trail"]) == ([turn("red", "choice")], [])


def test_pile_choice_with_exactly_one_missing_is_no_choice():
    where = position(HANDS, ["bg", "y"], options={**PILE, **LATEST})
    after, events = play(where, "play red on 1")
    assert events[-1] == turn("yellow", "order")
    assert (after["phase"], after["trail"]) == ("play", ["red"])


def test_pile_choice_with_only_the_mover_missing_goes_to_him():
    where = position({**HANDS, "red": "rb"}, ["gy"], options=PILE, trail=["green"])
    after, events = play(where, "play blue on 1")
    assert events[-1] == turn("red", "order")
    assert after["trail"] == ["green"]


def test_pile_choice_does_not_count_the_dead_as_missing():
    where = position({"red": "rr", "blue": "bb", "yellow": "yy"}, ["b"], out=["green"], options=PILE)
    _, events = play(where, "play red on 1")
    assert events[-1] == turn("yellow", "order")


def test_pile_choice_with_nobody_missing_follows_the_order():
    where = position(HANDS, ["ybg"], options=PILE)
    _, events = play(where, "play red on 1")
    assert events[-1] == turn("yellow", "order")


@pytest.mark.parametrize(
    ("order", "pile", "seat"),
    [
        ("deepest", "gbyrb", "green"),
        ("latest", "gbygb", "yellow"),
        ("deepest", "bgyb", "blue"),
        ("latest", "bgyb", "green"),
        ("latest", "ygbg", "yellow"),
        ("latest", "ryrgbg", "yellow"),
    ],
)
def test_order_within_the_pile(order, pile, seat):
    """Red lays its chip on top in each; all four colours lie on the table."""
    where = position({**HANDS, "blue": "b"}, [pile], options={"order": order, "choice": "table"})
    after, events = play(where, "play red on 1")
    assert events[-1] == turn(seat, "order")
    assert (after["mover"], after["trail"]) == (seat, ["red"])


@pytest.mark.parametrize(("order", "seat"), [("deepest", "blue"), ("latest", "yellow")])
def test_dead_colours_in_the_pile_are_passed_over(order, seat):
    where = position({"red": "rr", "blue": "bb", "yellow": "yy"}, ["gbygb"], out=["green"], options={"order": order})
    _, events = play(where, "play red on 1")
    assert events[-1] == turn(seat, "order")


@pytest.mark.parametrize("order", ["deepest", "latest"])
def test_no_living_owner_in_the_pile_means_again(order):
    where = position(
        {"red": "ry", "blue": "b"}, ["g", "rb"], out=["green", "yellow"], trail=["blue"], options={"order": order}
    )
    after, events = play(where, "play yellow on 1")
    assert events[-1] == turn("red", "again")
    assert (after["mover"], after["trail"]) == ("red", ["blue"])


def test_the_order_may_give_the_move_to_the_mover_himself():
    where = position(HANDS, ["rb", "gy"], trail=["blue"])
    after, events = play(where, "play red on 2", "play green on 1")
    assert events[-1] == turn("red", "order")
    after, events = play(after, "play red on 1")
    assert events[-1] == turn("red", "order")
    assert after["trail"] == ["blue", "red", "green"]
