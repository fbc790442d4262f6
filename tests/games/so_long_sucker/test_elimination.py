from __future__ import annotations

import pytest

from tests.games.so_long_sucker.build import GAME, legal, play, position, turn

CLOCKWISE = {"heir": "clockwise"}


def last_refusal(trail, *, out=(), options=None, hands=None):
    """Red is empty and everybody else but the last one asked has refused; blue or green answers."""
    hands = hands or {"blue": "bb", "green": "gg", "yellow": "yy"}
    living = [seat for seat in ("blue", "green", "yellow") if seat not in out]
    return position(
        {seat: chips for seat, chips in hands.items() if seat in living}, ["rgby"], phase="answer",
        to_act=living[-1], asked=living, out=out, trail=trail, options=options,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("trail", "out", "heir", "why", "left"),
    [
        (["green"], [], "green", "rebound", []),
        (["yellow", "green", "blue"], [], "blue", "rebound", ["yellow", "green"]),
        (["yellow", "blue"], ["blue"], "yellow", "rebound", []),
        (["yellow", "green", "blue", "red", "blue"], ["blue"], "green", "rebound", ["yellow"]),
        ([], [], "blue", "clockwise", []),
        ([], ["blue"], "green", "clockwise", []),
        (["blue"], ["blue"], "green", "clockwise", []),
        (["red", "blue", "red"], ["blue"], "green", "clockwise", []),
    ],
)
def test_rebound(trail, out, heir, why, left):
    after, events = play(last_refusal(trail, out=out), "refuse")
    assert events[-2:] == [{"kind": "eliminated", "seat": "red"}, turn(heir, why)]
    assert (after["mover"], after["to_act"], after["trail"]) == (heir, heir, left)
    assert (after["eliminated"], after["asked"]) == ([*out, "red"], [])


@pytest.mark.parametrize(
    ("trail", "out", "heir"), [(["yellow"], [], "blue"), (["yellow", "green"], ["blue"], "green"), ([], [], "blue")]
)
def test_clockwise_keeps_the_trail(trail, out, heir):
    after, events = play(last_refusal(trail, out=out, options=CLOCKWISE), "refuse")
    assert events[-1] == turn(heir, "clockwise")
    assert (after["mover"], after["trail"]) == (heir, trail)


def test_clockwise_goes_round_the_table_from_the_one_eliminated():
    where = position(
        {"red": "r", "blue": "b"}, ["rgby"], "yellow", phase="answer", to_act="blue", asked=["red", "blue"],
        out=["green"], options=CLOCKWISE,
    )  # fmt: skip
    _, events = play(where, "refuse")
    assert events[-1] == turn("red", "clockwise")
    where = position(
        {"red": "r", "yellow": "y"}, ["rgby"], "green", phase="answer", to_act="yellow", asked=["red", "yellow"],
        out=["blue"], options=CLOCKWISE,
    )  # fmt: skip
    _, events = play(where, "refuse")
    assert events[-1] == turn("yellow", "clockwise")


def test_the_trail_is_kept_under_clockwise_too():
    where = position({"red": "rr", "blue": "bb", "green": "g", "yellow": "y"}, ["bgy"], options=CLOCKWISE)
    after, events = play(where, "play red on 1")
    assert (events[-1], after["trail"]) == (turn("blue", "order"), ["red"])


def test_an_heir_is_not_put_on_the_trail_nor_puts_anybody_there():
    after, _ = play(last_refusal(["green", "yellow"]), "refuse")
    assert (after["mover"], after["trail"]) == ("yellow", ["green"])


def test_the_chips_of_the_eliminated_stay_where_they_are():
    where = last_refusal(["blue"], hands={"blue": "bbr", "green": "gg", "yellow": "yy"})
    after, _ = play(where, "refuse")
    assert after["piles"] == where["piles"]
    assert after["prisoners"]["blue"] == {"red": 1}
    assert after["dead"] == where["dead"]
    assert "play red on 1" in legal(after)


def test_a_dead_colour_can_be_donated_and_killed():
    where = position(
        {"blue": "r", "green": "g"}, ["bgy"], "yellow", phase="ask", out=["red"], options={"choice": "pile"}
    )
    after, _ = play(where, "ask blue")
    assert legal(after) == ["donate red", "refuse"]
    kill = position({"blue": "b", "green": "g"}, [], "blue", phase="kill", captured="rbb", out=["red", "yellow"])
    after, events = play(kill, "kill red")
    assert events[0] == {"kind": "kill", "seat": "blue", "colour": "red"}


def test_an_empty_heir_with_nobody_to_ask_goes_out_at_once():
    where = position(
        {"green": "g", "yellow": ""}, ["rgby"], "red", phase="answer", to_act="green", asked=["green"],
        out=["blue"], trail=["green", "yellow"], options={"donors": "prisoners"},
    )  # fmt: skip
    after, events = play(where, "refuse")
    assert events[1:] == [
        {"kind": "eliminated", "seat": "red"},
        turn("yellow", "rebound"),
        {"kind": "eliminated", "seat": "yellow"},
        {"kind": "win", "seat": "green"},
    ]
    assert after["trail"] == ["green"]


@pytest.mark.parametrize("heir", ["rebound", "clockwise"])
def test_the_last_one_alive_wins_even_with_no_chip(heir):
    where = position(
        {"blue": "b"}, ["rgby"], phase="answer", to_act="blue", asked=["blue"], out=["yellow", "green"],
        trail=["green", "blue"], options={"heir": heir},
    )  # fmt: skip
    after, events = play(where, "refuse")
    assert events[1:] == [{"kind": "eliminated", "seat": "red"}, {"kind": "win", "seat": "blue"}]
    assert (after["phase"], after["mover"], after["to_act"], after["asked"]) == ("over", None, None, [])
    assert after["trail"] == ["green", "blue"], "no heir is sought"
    state = GAME.load(after)
    assert GAME.outcome(state).to_json() == {
        "winners": ["blue"],
        "places": {"red": 2, "blue": 1, "green": 3, "yellow": 4},
        "reason": "last_alive",
    }
    assert GAME.alive(state) == ("blue",)
    bare = position({"red": "r", "blue": ""}, ["bg"], out=["yellow", "green"], options={"donors": "prisoners"})
    after, events = play(bare, "play red on 1")
    assert events[-2:] == [{"kind": "eliminated", "seat": "blue"}, {"kind": "win", "seat": "red"}]
    assert after["supply"]["red"] == 0


def test_no_outcome_while_two_live():
    assert GAME.outcome(GAME.load(position({"red": "r", "blue": "b"}, out=["green", "yellow"]))) is None
