"""Which decisions put each kind of promise to the test, and how: the rulebook, sentence by sentence."""

from __future__ import annotations

import pytest

from games.api import Occasion
from tests.games.so_long_sucker.build import GAME, legal, position

HANDS = {"red": "rr", "blue": "bb", "green": "gg", "yellow": "yyyy"}
ANSWER = position(
    {"red": "", "blue": "bg", "green": "g", "yellow": "y"}, ["rb"], phase="answer", to_act="blue", asked=["blue"]
)
KILL = position({**HANDS, "red": "r"}, ["rgb"], phase="kill", captured="bgrr")
CHOICE = position(HANDS, ["rgb", "r"], phase="next", last_pile=2)


def occasions(kind, where, action):
    assert action in legal(where)
    return {to: (kept, free) for to, kept, free in GAME.pledges[kind].occasions(GAME.load(where), action)}


def test_a_promise_to_donate_is_kept_by_a_gift_and_broken_by_a_refusal():
    assert occasions("donate", ANSWER, "donate blue") == {"red": (True, True)}
    assert occasions("donate", ANSWER, "donate green") == {"red": (True, True)}
    assert occasions("donate", ANSWER, "refuse") == {"red": (False, True)}


def test_a_promise_to_refuse_is_the_other_way_round():
    assert occasions("refuse", ANSWER, "refuse") == {"red": (True, True)}
    assert occasions("refuse", ANSWER, "donate blue") == {"red": (False, True)}


@pytest.mark.parametrize(("action", "killed"), [("kill blue", "blue"), ("kill green", "green"), ("kill red", None)])
def test_a_promise_to_spare_is_broken_by_the_kill_of_that_colour(action, killed):
    assert occasions("spare", KILL, action) == {seat: (seat != killed, True) for seat in ("blue", "green")}


def test_a_pile_of_one_colour_leaves_no_choice_and_is_no_occasion():
    where = position({**HANDS, "blue": ""}, phase="kill", captured="bb")
    assert legal(where) == ["kill blue"]
    assert occasions("spare", where, "kill blue") == {}


def test_the_own_colour_is_spared_for_nobody():
    where = position(HANDS, phase="kill", captured="brr")
    assert occasions("spare", where, "kill red") == {"blue": (True, True)}


def test_the_colour_of_one_who_is_out_can_be_spared_too():
    where = position({**HANDS, "blue": ""}, phase="kill", captured="brr", out=["blue"])
    assert occasions("spare", where, "kill blue") == {"blue": (False, True)}


def test_the_captor_judges_not_the_mover():
    where = position({**HANDS, "blue": "b"}, phase="kill", captured="bgbb", to_act="blue", options={"captor": "owner"})
    assert occasions("spare", where, "kill green") == {"green": (False, True)}


def test_a_promise_of_the_turn_is_judged_by_every_choice_in_which_it_could_be_given():
    assert legal(CHOICE) == ["next red", "next blue", "next green", "next yellow"]
    for taken in ("red", "blue", "yellow"):
        wanted = {seat: (seat == taken, True) for seat in ("blue", "green", "yellow")}
        assert occasions("give_turn", CHOICE, f"next {taken}") == wanted


def test_who_may_not_be_chosen_is_not_tested():
    where = position(HANDS, ["rb"], phase="next", last_pile=1, options={"choice": "pile"})
    assert legal(where) == ["next green", "next yellow"]
    assert occasions("give_turn", where, "next green") == {"green": (True, True), "yellow": (False, True)}


@pytest.mark.parametrize("kind", ["donate", "refuse", "spare", "give_turn"])
def test_a_play_and_a_request_test_nothing(kind):
    assert occasions(kind, position(HANDS, ["rgb"]), "play red on 1") == {}
    begging = position({**HANDS, "red": ""}, ["rb"], phase="ask")
    assert occasions(kind, begging, "ask blue") == {}


def test_each_kind_is_tested_by_its_own_decisions_alone():
    for kind, where, action in (
        ("spare", ANSWER, "refuse"),
        ("donate", KILL, "kill red"),
        ("spare", CHOICE, "next red"),
    ):
        assert occasions(kind, where, action) == {}


def test_an_occasion_names_its_parts():
    assert GAME.pledges["donate"].occasions(GAME.load(ANSWER), "refuse") == (Occasion("red", kept=False, free=True),)
