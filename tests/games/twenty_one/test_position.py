from __future__ import annotations

import copy
import math

import pytest

from games.api import BadPosition
from tests.games.twenty_one.build import GAME, changed, play, position, start
from tests.games.twenty_one.laws import COLOURS
from tests.games.twenty_one.test_rounds import TWO, last

TAKE = start()
SECOND_TAKE, _ = play(start(), "take row 2 colours")
PLACE, _ = play(SECOND_TAKE, "take column 3 numbers")
REPLACED, _ = play(
    position({"red": "p1:red6 p2:purple6 p1:orange3 p2:joker"}, "orange4 red1"), "replace orange4 on red"
)
LATE = position({"green": "p1:green2 p2:joker"}, "yellow3 joker", number=5, turn=3)
WON, _ = play(position(TWO, "green4 yellow1", number=4), "place green4 on blue")
OVER, _ = play(last({"red": "p1:red3"}, "green1"), "place green1 on green")
GOOD = {
    "take": TAKE, "second take": SECOND_TAKE, "place": PLACE, "replaced": REPLACED, "late": LATE, "won": WON,
    "over": OVER,
}  # fmt: skip


@pytest.mark.parametrize("name", GOOD)
def test_dump_gives_back_what_was_loaded(name):
    before = copy.deepcopy(GOOD[name])
    assert GAME.dump(GAME.load(GOOD[name])) == before == GOOD[name]


@pytest.mark.parametrize("name", GOOD)
def test_whose_decision_it_is(name):
    state = GAME.load(GOOD[name])
    assert GAME.to_act(state) == GOOD[name]["to_act"]
    assert GAME.alive(state) == ("p1", "p2")


@pytest.mark.parametrize("key", PLACE)
def test_every_key_is_needed(key):
    with pytest.raises(BadPosition, match=rf"^{key}: "):
        GAME.load({each: value for each, value in PLACE.items() if each != key})


@pytest.mark.parametrize("key", PLACE)
@pytest.mark.parametrize("value", [True, 1.5, "red ", [1], {"p1": "x"}, math.nan, [["red4"]], -1, b"red"])
def test_every_key_has_its_type(key, value):
    with pytest.raises(BadPosition, match=rf"^{key}[:.\[]") as fault:
        GAME.load({**PLACE, key: value})
    assert str(fault.value).isprintable()


@pytest.mark.parametrize("value", [None, [], "x", 3, True, [PLACE]])
def test_a_position_is_an_object(value):
    with pytest.raises(BadPosition, match=r"^position: "):
        GAME.load(value)


def with_cell(where, seat, grid, cell, stone):
    """The position with one cell of a grid changed."""
    grids = copy.deepcopy(where["grids"][seat])
    grids[grid][cell] = stone
    return changed(where, **{f"grids__{seat}": grids})


def with_layer(where, tower, height, **fields):
    """The position with a layer of a tower changed."""
    layers = copy.deepcopy(where["towers"][tower])
    layers[height].update(fields)
    return changed(where, **{f"towers__{tower}": layers})


HAND = PLACE["hands"]["p1"]
SAID = PLACE["announced"]["p1"]
BUILT = position({"green": "p1:green5 p2:joker", "blue": "p2:blue2"}, "yellow3 joker", turn=2)
COLUMN = changed(PLACE, direction__p1="column")


@pytest.mark.parametrize(
    ("where", "field"),
    [
        ({**PLACE, "extra": 1}, "extra"),
        (changed(PLACE, game="star_ludo"), "game"),
        (changed(PLACE, options__jokers=4), "options.jokers"),
        (changed(PLACE, options__jokers=True), "options.jokers"),
        (changed(PLACE, options__seats=2), "options.seats"),
        (changed(PLACE, options__jokers=2), "removed"),
        (changed(PLACE, chance__seed=-1), "chance.seed"),
        (changed(PLACE, chance__seed=2**53), "chance.seed"),
        (changed(PLACE, chance__drawn=True), "chance.drawn"),
        (changed(PLACE, chance__more=1), "chance.more"),
        (changed(PLACE, round=0), "round"),
        (changed(PLACE, round=7), "round"),
        (changed(PLACE, turn=6), "turn"),
        (changed(PLACE, phase="pause"), "phase"),
        (changed(PLACE, to_act="p3"), "to_act"),
        (changed(PLACE, hands__p3=[]), "hands.p3"),
        # Stones
        (with_cell(PLACE, "p2", 1, 0, "red7"), "grids.p2[1][0]"),
        (with_cell(PLACE, "p2", 1, 0, "Red4"), "grids.p2[1][0]"),
        (with_cell(PLACE, "p2", 1, 0, "red4 "), "grids.p2[1][0]"),
        (with_cell(PLACE, "p2", 1, 0, "?"), "grids.p2[1][0]"),
        (with_cell(PLACE, "p2", 1, 0, 4), "grids.p2[1][0]"),
        (changed(PLACE, grids__p1=[PLACE["grids"]["p1"][0]]), "grids.p1"),
        (changed(PLACE, grids__p1=[PLACE["grids"]["p1"][0], PLACE["grids"]["p1"][1][:8]]), "grids.p1[1]"),
        (changed(PLACE, removed=[*PLACE["removed"][:5], HAND[0]]), "removed[5]"),
        (changed(PLACE, removed=[*PLACE["removed"][:5], "joker"]), "removed[5]"),
        (changed(PLACE, removed=PLACE["removed"][:5]), "removed"),
        (changed(PLACE, discards__p1=["joker"]), "grids.p1"),
        (changed(PLACE, out=["joker"]), "out"),
        (changed(PLACE, out=["red4"]), "out[0]"),
        (changed(REPLACED, out=[]), "out"),
        (changed(LATE, discards__p1=[], discards__p2=LATE["discards"]["p1"] + LATE["discards"]["p2"]), "grids.p1"),
        # Towers
        (changed(BUILT, towers__pink=[]), "towers.pink"),
        (changed(BUILT, towers__green=[], towers__red=BUILT["towers"]["green"]), "towers.red[0].stone"),
        (changed(BUILT, towers__blue=BUILT["towers"]["blue"] + BUILT["towers"]["green"][1:],
                 towers__green=BUILT["towers"]["green"][:1]), "towers.blue[1].counts"),
        (changed(BUILT, towers__green=BUILT["towers"]["green"][:1],
                 towers__red=BUILT["towers"]["green"][1:]), "towers.red[0].stone"),
        (with_layer(BUILT, "green", 0, counts=4), "towers.green[0].counts"),
        (with_layer(BUILT, "green", 1, counts=4), "towers.green[1].counts"),
        (with_layer(BUILT, "green", 0, counts=7), "towers.green[0].counts"),
        (with_layer(BUILT, "green", 0, counts=True), "towers.green[0].counts"),
        (with_layer(BUILT, "green", 0, by="p3"), "towers.green[0].by"),
        (with_layer(BUILT, "green", 0, by="p2"), "grids.p1"),
        (with_layer(BUILT, "green", 0, top=True), "towers.green[0].top"),
        # Phase and turn
        (changed(PLACE, to_act=None), "to_act"),
        (changed(PLACE, to_act="p2"), "to_act"),
        (changed(PLACE, turn=1), "to_act"),
        (changed(TAKE, turn=1), "turn"),
        (changed(TAKE, to_act="p2"), "to_act"),
        (changed(SECOND_TAKE, to_act="p1"), "to_act"),
        (changed(TAKE, to_act=None), "to_act"),
        (changed(PLACE, phase="over", to_act=None), "phase"),
        (changed(WON, phase="place", to_act="p1"), "phase"),
        (changed(WON, to_act="p1"), "to_act"),
        (changed(OVER, to_act="p2"), "to_act"),
        (changed(OVER, turn=4), "phase"),
        # Announcements
        (changed(PLACE, announced__p2=None), "announced.p2"),
        (changed(TAKE, announced__p2=SAID), "announced.p2"),
        (changed(SECOND_TAKE, announced__p2=SAID), "announced.p2"),
        (changed(PLACE, announced__p1={**SAID, "kind": "stones"}), "announced.p1.kind"),
        (changed(PLACE, announced__p1={**SAID, "items": [1, 2, 3]}), "announced.p1.items[0]"),
        (changed(PLACE, announced__p1={**SAID, "items": ["grey", "pink", "grey"]}), "announced.p1.items[1]"),
        (changed(PLACE, announced__p1={**SAID, "items": SAID["items"][:2]}), "announced.p1.items"),
        (changed(PLACE, announced__p1={**SAID, "items": ["purple", "red", "red"]}), "announced.p1.items"),
        (changed(PLACE, announced__p1={**SAID, "left": SAID["left"][:2]}), "announced.p1.left"),
        (changed(PLACE, announced__p1={**SAID, "left": [*SAID["left"], "grey"]}), "announced.p1.left"),
        (changed(PLACE, announced__p1={"kind": "numbers", "items": [1, 1, 1], "left": [1, 1, 1]}), "announced.p1.left"),
        (changed(PLACE, announced__p1={"kind": "numbers", "items": [True, 1, 1], "left": []}), "announced.p1.items[0]"),
        (changed(PLACE, announced__p1={"kind": "numbers", "items": [1, 1, 1], "left": [True]}), "announced.p1.left[0]"),
        (changed(PLACE, announced__p1={"kind": "numbers", "items": [[1], 1, 1], "left": []}), "announced.p1.items[0]"),
        (changed(PLACE, announced__p1={**SAID, "line": 2}), "announced.p1.line"),
        # Grids and directions
        (changed(PLACE, direction__p1="diagonal"), "direction.p1"),
        (changed(PLACE, direction__p1=None), "direction.p1"),
        (changed(TAKE, direction__p2="row"), "direction.p2"),
        (COLUMN, "grids.p1[0]"),
        (changed(PLACE, grids__p1=PLACE["grids"]["p1"][::-1]), "grids.p1[1]"),
        (changed(LATE, grids__p1=LATE["grids"]["p1"][::-1]), "grids.p1[0]"),
        (changed(PLACE, round=2, to_act="p2"), "grids.p1[0]"),
        # Hands
        (changed(TAKE, grids__p1=PLACE["grids"]["p1"], hands__p1=HAND), "grids.p1[0]"),
        (changed(BUILT, turn=0), "hands.p1"),
        (position(hand="red4 red5", turn=0), "hands.p1"),
        (position(hand="red4", turn=2, other="green1"), "hands.p1"),
        (changed(OVER, hands__p2=OVER["discards"]["p2"][:1], discards__p2=OVER["discards"]["p2"][1:]), "hands.p2"),
    ],
)  # fmt: skip
def test_an_inconsistent_position_is_refused_by_field(where, field):
    with pytest.raises(BadPosition) as fault:
        GAME.load(where)
    line = str(fault.value)
    assert line.startswith(f"{field}:"), line
    assert line.isprintable()
    assert len(line) < 300


def test_more_jokers_than_a_player_was_dealt():
    """p1's jokers against p2's coloured stones: the whole is right, the shares are not."""
    where = copy.deepcopy(TAKE)
    mine, theirs = where["grids"]["p1"], where["grids"]["p2"]
    (grid, cell) = next((g, c) for g in range(2) for c in range(9) if mine[g][c] != "joker")
    (other, place) = next((g, c) for g in range(2) for c in range(9) if theirs[g][c] == "joker")
    mine[grid][cell], theirs[other][place] = theirs[other][place], mine[grid][cell]
    with pytest.raises(BadPosition, match=r"^grids\.p1: .* hold 14 coloured"):
        GAME.load(where)


def test_a_tower_above_21():
    with pytest.raises(BadPosition, match=r"^towers\.red: counts 22 together"):
        GAME.load(position({"red": "p1:red6 p2:purple6 p1:orange6 p2:red4"}, "red1"))


def test_both_cannot_have_won():
    tops = {
        colour: [f"p{1 + (place + number) % 2}:{colour}{number}" for number in range(1, 7)]
        for place, colour in enumerate(COLOURS)
    }
    where = position(
        {colour: " ".join(tower) for colour, tower in tops.items()}, number=6, turn=5, other="", options={"jokers": 0}
    )
    with pytest.raises(BadPosition, match=r"^towers: both players own 3 towers of 21"):
        GAME.load(changed(where, phase="over", to_act=None))


@pytest.mark.parametrize(
    "where",
    [
        position({"red": "p1:red6 p1:purple6 p1:orange6"}, "green1 green2", number=2, turn=3, other="joker blue1"),
        position({"red": "p1:red1"}, "green1", number=6, turn=4, options={"jokers": 0}),
        changed(BUILT, chance={"seed": 2**53 - 1, "drawn": 0}),
    ],
)
def test_a_position_that_no_play_could_reach_is_accepted(where):
    state = GAME.load(where)
    assert GAME.dump(state) == where
    for action in GAME.legal(state):
        GAME.load(GAME.dump(GAME.apply(state, action).state))
