from __future__ import annotations

import copy
import math

import pytest

from games.api import BadPosition
from tests.games.so_long_sucker.build import GAME, SEATS, changed, position
from tests.games.so_long_sucker.test_refusals import (
    ANSWER,
    ASK,
    KILL,
    KILL_BY_BLUE,
    NEXT,
    NEXT_OF_PILE,
    OVER,
    PLAY,
)

GOOD = {
    "play": PLAY, "kill": KILL, "kill by owner": KILL_BY_BLUE, "next": NEXT, "next of pile": NEXT_OF_PILE, "ask": ASK,
    "answer": ANSWER, "over": OVER,
}  # fmt: skip


def complete(where):
    return {**where, "options": GAME.Options.model_validate(where["options"]).model_dump()}


@pytest.mark.parametrize("name", GOOD)
def test_dump_gives_back_what_was_loaded(name):
    where = complete(GOOD[name])
    before = copy.deepcopy(where)
    assert GAME.dump(GAME.load(where)) == before == where


@pytest.mark.parametrize("name", GOOD)
def test_whose_decision_it_is(name):
    assert GAME.to_act(GAME.load(GOOD[name])) == GOOD[name]["to_act"]


def without(where, key):
    return {each: value for each, value in where.items() if each != key}


@pytest.mark.parametrize("key", PLAY)
def test_every_key_is_needed(key):
    with pytest.raises(BadPosition, match=rf"^{key}: "):
        GAME.load(without(PLAY, key))


@pytest.mark.parametrize("key", PLAY)
@pytest.mark.parametrize("value", [True, 1.5, "red ", [1], {"red": "x"}, math.nan, [["red"]], -1, b"red"])
def test_every_key_has_its_type(key, value):
    with pytest.raises(BadPosition, match=rf"^{key}[:.\[]") as fault:
        GAME.load({**PLAY, key: value})
    assert str(fault.value).isprintable()


@pytest.mark.parametrize("value", [None, [], "x", 3, True, [PLAY]])
def test_a_position_is_an_object(value):
    with pytest.raises(BadPosition, match=r"^position: "):
        GAME.load(value)


HELD = position({"red": "rrg", "blue": "b", "green": "g", "yellow": "y"}, ["by"])


@pytest.mark.parametrize(
    ("where", "field"),
    [
        ({**PLAY, "extra": 1}, "extra"),
        ({**PLAY, "x\u202e" * 500: 1}, "x"),
        (changed(PLAY, game="star_ludo"), "game"),
        (changed(PLAY, options__chips=13), "options.chips"),
        (changed(PLAY, options__chips=True), "options.chips"),
        (changed(PLAY, options__colour="red"), "options.colour"),
        (changed(PLAY, chance__seed=-1), "chance.seed"),
        (changed(PLAY, chance__seed=2**53), "chance.seed"),
        (changed(PLAY, chance__seed=True), "chance.seed"),
        (changed(PLAY, chance__drawn=-1), "chance.drawn"),
        (changed(PLAY, chance__more=1), "chance.more"),
        (changed(PLAY, alive=["blue", "red", "green", "yellow"]), "alive"),
        (changed(PLAY, alive=["red", "red", "blue", "green", "yellow"]), "alive"),
        (changed(PLAY, alive=["red", "blue", "green", "pink"]), "alive[3]"),
        (changed(PLAY, alive=[], eliminated=["red", "blue", "green", "yellow"]), "alive"),
        (changed(PLAY, alive=["red", "blue", "green"]), "eliminated"),
        (changed(PLAY, eliminated=["yellow"]), "eliminated"),
        (changed(PLAY, alive=["red", "blue"], eliminated=["green", "green"]), "eliminated"),
        (changed(PLAY, alive=["red", "blue", "green"], eliminated=["yellow"]), "supply.yellow"),
        (position({"red": "r", "blue": "b", "green": "g", "yellow": "b"}, out=["yellow"]), "prisoners.yellow"),
        (changed(PLAY, supply__red=1), "supply.red"),
        (changed(PLAY, supply__red=True), "supply.red"),
        (changed(PLAY, supply__red=-2), "supply.red"),
        (changed(PLAY, supply__pink=0), "supply.pink"),
        (changed(PLAY, dead__blue=0), "supply.blue"),
        (changed(PLAY, dead__blue=-1), "dead.blue"),
        (changed(PLAY, options__chips=5), "supply.red"),
        (changed(HELD, prisoners__red={"green": 1, "blue": 0}), "prisoners.red.blue"),
        (changed(HELD, prisoners__red={"green": True}), "prisoners.red.green"),
        (changed(HELD, prisoners__red={"green": 1, "pink": 1}), "prisoners.red.pink"),
        (changed(HELD, prisoners__red={"green": 1, "red": 1}), "prisoners.red"),
        (changed(HELD, prisoners__red={}), "supply.green"),
        (changed(PLAY, piles=[{"id": 1, "chips": ["blue"]}, {"id": 1, "chips": ["green"]}]), "piles"),
        (changed(PLAY, piles=PLAY["piles"][::-1]), "piles"),
        (changed(PLAY, piles=[*PLAY["piles"], {"id": 3, "chips": []}], next_pile=4), "piles[2].chips"),
        (changed(PLAY, piles=[{"id": 0, "chips": ["blue"]}, PLAY["piles"][1]]), "piles[0].id"),
        (changed(PLAY, piles=[{"id": True, "chips": ["blue"]}, PLAY["piles"][1]]), "piles[0].id"),
        (changed(PLAY, piles=[{"chips": ["blue"]}, PLAY["piles"][1]]), "piles[0].id"),
        (changed(PLAY, piles=[{**PLAY["piles"][0], "top": "blue"}, PLAY["piles"][1]]), "piles[0].top"),
        (changed(PLAY, next_pile=2), "next_pile"),
        (changed(PLAY, next_pile=0), "next_pile"),
        (changed(PLAY, next_pile=10**30), "next_pile"),
        (changed(PLAY, phase="wait"), "phase"),
        (changed(PLAY, phase="over", mover=None, to_act=None), "phase"),
        (changed(OVER, phase="play", mover="red", to_act="red"), "phase"),
        (changed(OVER, mover="red"), "mover"),
        (changed(OVER, to_act="red"), "to_act"),
        (changed(OVER, asked=["red"]), "asked"),
        (changed(PLAY, mover=None), "mover"),
        (changed(PLAY, to_act=None), "to_act"),
        (changed(PLAY, to_act="blue"), "to_act"),
        (changed(NEXT, to_act="blue"), "to_act"),
        (changed(ASK, to_act="blue"), "to_act"),
        (position({"red": "r", "blue": "b"}, mover="green", out=["green", "yellow"]), "mover"),
        (position({"blue": "b", "green": "g"}, to_act="red", phase="answer", asked=["red"]), "asked"),
        (changed(ANSWER, to_act="yellow"), "asked"),
        (changed(ANSWER, asked=[]), "asked"),
        (changed(ANSWER, asked=["blue", "green"]), "asked"),
        (changed(ANSWER, asked=["blue", "blue"]), "asked"),
        (changed(ASK, asked=["red"]), "asked"),
        (changed(ASK, asked=["green", "green"]), "asked"),
        (changed(ASK, asked=["blue", "green"]), "asked"),
        (changed(PLAY, asked=["blue"]), "asked"),
        (changed(PLAY, trail=["pink"]), "trail[0]"),
        (position({"blue": "b", "green": "g"}, ["rgb"], phase="ask", out=["yellow"], asked=["yellow"]), "asked"),
        (position({"blue": "b"}, ["rgb"], phase="ask", options={"donors": "prisoners"}), "asked"),
        (position({"blue": "b"}, ["rgb"]), "mover"),
        (position({"red": "r", "blue": "b"}, ["rgb"], phase="ask"), "mover"),
        (position({"red": "r", "blue": "b"}, phase="answer", to_act="blue", asked=["blue"]), "mover"),
        (changed(PLAY, captured=["red"]), "captured"),
        (changed(KILL, captured=None), "captured"),
        (position({"red": "r", "blue": "b"}, phase="kill", captured=""), "captured"),
        (changed(KILL, to_act="blue"), "to_act"),
        (changed(KILL_BY_BLUE, to_act="red"), "to_act"),
        (changed(KILL, last_pile=1), "last_pile"),
        (changed(PLAY, last_pile=1), "last_pile"),
        (changed(NEXT, last_pile=None), "last_pile"),
        (changed(NEXT, last_pile=2), "last_pile"),
        (changed(NEXT, last_pile=True), "last_pile"),
        (changed(NEXT_OF_PILE, piles=[{"id": 1, "chips": list(SEATS)}], dead__yellow=0), "last_pile"),
    ],
)  # fmt: skip
def test_an_inconsistent_position_is_refused_by_field(where, field):
    with pytest.raises(BadPosition) as fault:
        GAME.load(where)
    line = str(fault.value)
    assert line.startswith(f"{field}:" if field != "x" else "x")
    assert line.isprintable()
    assert len(line) < 300


def test_a_living_captor_is_needed():
    where = position({"red": "r", "blue": "b"}, phase="kill", captured="bgg", to_act="green", out=["green", "yellow"])
    with pytest.raises(BadPosition, match=r"^to_act: "):
        GAME.load(where)


@pytest.mark.parametrize(
    "where",
    [
        position({"red": "r", "blue": "b"}, ["rrr", "bb"], trail=["yellow", "red", "red"]),
        position({"red": "rrrrbbbb", "blue": "", "green": "gggg", "yellow": "yyyy"}),
        position({"red": "r", "blue": "b"}, phase="kill", captured="r"),
        position({"red": "r", "blue": "b"}, ["rbgy"], phase="next", last_pile=1),
        position({"blue": "b", "green": "g"}, phase="answer", to_act="yellow", asked=["yellow"]),
        position({"red": "r", "blue": "b"}, first_pile=900),
    ],
)
def test_a_position_that_no_play_could_reach_is_accepted(where):
    state = GAME.load(where)
    assert GAME.dump(state) == complete(where)
    for action in GAME.legal(state):
        GAME.load(GAME.dump(GAME.apply(state, action).state))
