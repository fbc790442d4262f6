from __future__ import annotations

import copy
import math

import pytest

from games.api import BadPosition
from tests.games.star_ludo.build import GAME, changed, over, position

MOVE = position({"red": [20, 3], "yellow": [2, 10]}, (5, 2))
THREE = position({"red": [20], "green": [0, 55], "yellow": [10]}, (5, 2), 1, "green", seats=3)
FOUR = position({"blue": [0, 50, 51, 56]}, (6, 6), 1, "blue", seats=4, extra=["double_six", "capture", "home"])
WON = over({"red": [56] * 4, "yellow": [56, 3]})
CAPPED = over({"red": [5], "yellow": [5]}, options={"cap": 10})
GOOD = {"two": MOVE, "three": THREE, "four": FOUR, "won": WON, "capped": CAPPED}


def complete(where):
    return {**where, "options": GAME.Options.model_validate(where["options"]).model_dump()}


@pytest.mark.parametrize("name", GOOD)
def test_dump_gives_back_what_was_loaded(name):
    where = complete(GOOD[name])
    before = copy.deepcopy(where)
    assert GAME.dump(GAME.load(where)) == before == where


@pytest.mark.parametrize("name", GOOD)
def test_whose_decision_it_is(name):
    state = GAME.load(GOOD[name])
    assert GAME.to_act(state) == GOOD[name]["to_act"]
    assert bool(GAME.legal(state)) == (GOOD[name]["phase"] == "move")


@pytest.mark.parametrize("key", MOVE)
def test_every_key_is_needed(key):
    with pytest.raises(BadPosition, match=rf"^{key}: "):
        GAME.load({each: value for each, value in MOVE.items() if each != key})


@pytest.mark.parametrize("key", MOVE)
@pytest.mark.parametrize("value", [True, 1.5, "red ", [True], {"red": "x"}, math.nan, [["red"]], -1, b"red"])
def test_every_key_has_its_type(key, value):
    with pytest.raises(BadPosition, match=rf"^{key}[:.\[]") as fault:
        GAME.load({**MOVE, key: value})
    assert str(fault.value).isprintable()


@pytest.mark.parametrize("value", [None, [], "x", 3, True, [MOVE]])
def test_a_position_is_an_object(value):
    with pytest.raises(BadPosition, match=r"^position: "):
        GAME.load(value)


STUCK = changed(MOVE, pawns__red=[52, 53, 54, 55])


@pytest.mark.parametrize(
    ("where", "field"),
    [
        ({**MOVE, "more": 1}, "more"),
        ({**MOVE, "x\u202e" * 500: 1}, "x"),
        (changed(MOVE, game="ludo"), "game"),
        (changed(MOVE, options__cap=0), "options.cap"),
        (changed(MOVE, options__extra="two"), "options.extra"),
        (changed(MOVE, options__stars=8), "options.stars"),
        (changed(MOVE, chance__seed=-1), "chance.seed"),
        (changed(MOVE, chance__seed=2**53), "chance.seed"),
        (changed(MOVE, chance__seed=True), "chance.seed"),
        (changed(MOVE, chance__drawn=-1), "chance.drawn"),
        (changed(MOVE, chance__more=1), "chance.more"),
        (changed(MOVE, seats=["red"]), "seats"),
        (changed(MOVE, seats=[]), "seats"),
        (changed(MOVE, seats=["yellow", "red"]), "seats"),
        (changed(MOVE, seats=["red", "green"]), "seats"),
        (changed(MOVE, seats=["red", "red"]), "seats"),
        (changed(MOVE, seats=["red", "pink"]), "seats[1]"),
        (changed(MOVE, seats=["red", "green", "yellow"]), "pawns.green"),
        (changed(MOVE, pawns__green=[-1] * 4), "pawns.green"),
        (changed(MOVE, pawns__pink=[-1] * 4), "pawns.pink"),
        (changed(MOVE, pawns={"red": [20, 3, -1, -1]}), "pawns.yellow"),
        (changed(MOVE, pawns__red=[20, 3, -1]), "pawns.red"),
        (changed(MOVE, pawns__red=[20, 3, -1, -1, -1]), "pawns.red"),
        (changed(MOVE, pawns__red=[57, 3, -1, -1]), "pawns.red[0]"),
        (changed(MOVE, pawns__red=[20, -2, -1, -1]), "pawns.red[1]"),
        (changed(MOVE, pawns__red=[20, 3, True, -1]), "pawns.red[2]"),
        (changed(MOVE, pawns__red=[20, 3, 4.0, -1]), "pawns.red[2]"),
        (changed(MOVE, pawns__red=[20, 3, 20, -1]), "pawns.red[2]"),
        (changed(MOVE, pawns__red=[20, 53, 53, -1]), "pawns.red[2]"),
        (changed(MOVE, pawns__red=[0, 3, 20, 0]), "pawns.red[3]"),
        (changed(MOVE, pawns__yellow=[-1, 46, -1, -1]), "pawns.yellow[1]"),
        (changed(MOVE, pawns__red=[26, 3, -1, -1], pawns__yellow=[0, -1, -1, -1]), "pawns.yellow[0]"),
        (changed(MOVE, to_act="green"), "to_act"),
        (changed(MOVE, to_act="pink"), "to_act"),
        (changed(MOVE, to_act=None), "to_act"),
        (changed(MOVE, dice=[2, 5]), "dice"),
        (changed(MOVE, dice=[5]), "dice"),
        (changed(MOVE, dice=[]), "dice"),
        (changed(MOVE, dice=[5, 4, 3]), "dice"),
        (changed(MOVE, dice=[7, 2]), "dice[0]"),
        (changed(MOVE, dice=[5, 0]), "dice[1]"),
        (changed(MOVE, dice=[5, True]), "dice[1]"),
        (changed(MOVE, die=2), "die"),
        (changed(MOVE, die=True), "die"),
        (STUCK, "die"),
        (changed(MOVE, pawns__red=[-1] * 4), "die"),
        (changed(MOVE, extra=["double"]), "extra[0]"),
        (changed(MOVE, dice=[6, 6]), "extra"),
        (changed(MOVE, dice=[6, 6], extra=["home"]), "extra"),
        (changed(MOVE, rolls=0), "rolls"),
        (changed(MOVE, rolls=2001), "rolls"),
        (changed(MOVE, options__cap=9), "rolls"),
        (changed(MOVE, phase="play"), "phase"),
        (changed(MOVE, pawns__yellow=[56] * 4), "phase"),
        (changed(WON, phase="move", to_act="yellow", dice=[5, 2]), "phase"),
        (changed(WON, to_act="red"), "to_act"),
        (changed(WON, dice=[5, 2]), "dice"),
        (changed(WON, die=1), "die"),
        (changed(WON, extra=["home"]), "extra"),
        (changed(WON, pawns__yellow=[56] * 4), "pawns"),
        (changed(CAPPED, rolls=9), "phase"),
        (changed(CAPPED, rolls=11), "rolls"),
    ],
)
def test_an_inconsistent_position_is_refused_by_field(where, field):
    with pytest.raises(BadPosition) as fault:
        GAME.load(where)
    line = str(fault.value)
    assert line.startswith(f"{field}:" if field != "x" else "x")
    assert line.isprintable()
    assert len(line) < 300


@pytest.mark.parametrize(
    "where",
    [
        changed(MOVE, extra=["home", "capture", "home", "double_six"]),
        changed(MOVE, chance={"seed": 0, "drawn": 0}),
        changed(MOVE, rolls=2000),
        changed(MOVE, pawns__red=[50, 51, 52, 55]),
        changed(WON, rolls=1),
        changed(WON, options__cap=10),
        over({"red": [56] * 4, "yellow": [56, 56, 56, 55]}),
        position({"red": [20], "green": [51], "yellow": [51], "blue": [51]}, seats=4),
    ],
)
def test_a_position_that_no_play_could_reach_is_accepted(where):
    state = GAME.load(where)
    assert GAME.dump(state) == complete(where)
    for action in GAME.legal(state):
        GAME.load(GAME.dump(GAME.apply(state, action).state))


def test_the_order_of_pawns_in_the_object_does_not_matter():
    turned = changed(MOVE, pawns=dict(reversed(MOVE["pawns"].items())))
    assert GAME.load(turned) == GAME.load(MOVE)
