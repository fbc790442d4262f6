"""Positions from outside: what is accepted as it stands, and what is refused with the field at fault."""

from __future__ import annotations

import json
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.api import BadPosition
from games.chance import Draws
from games.trap_race.board import BY_TEXT
from tests.games.trap_race.build import GAME, SEATS, changed, found, ground, play, position, tokens

RACE = position({1: "10,10"}, {1: "20,20"})
START = GAME.dump(GAME.start(SEATS, {}, 2).state)
HALF = play(START, "auto")[0]
OVER = play(position(options={"cap": 12}), "end")[0]
CLOSED = {"holds": "steps", "open": False}
PIECES = RACE["pieces"]["south"]


@pytest.mark.parametrize(
    ("where", "field"),
    [
        (None, "position"),
        ([], "position"),
        ({**RACE, "game": "ludo"}, "game"),
        ({**RACE, "weather": "fine"}, "weather"),
        ({key: value for key, value in RACE.items() if key != "marks"}, "marks"),
        ({**RACE, "options": {"cap": 0}}, "options.cap"),
        ({**RACE, "options": {"speed": 1}}, "options.speed"),
        ({**RACE, "options": None}, "options"),
        (changed(RACE, chance__seed=-1), "chance.seed"),
        (changed(RACE, chance__drawn=2**53), "chance.drawn"),
        ({**RACE, "phase": "night"}, "phase"),
        ({**RACE, "to_act": None}, "to_act"),
        ({**RACE, "to_act": "east"}, "to_act"),
        ({**RACE, "turn": 0}, "turn"),
        ({**RACE, "turn": 201}, "turn"),
        ({**RACE, "turn": True}, "turn"),
        ({**RACE, "terrain": RACE["terrain"][:-1]}, "terrain"),
        ({**RACE, "terrain": [*RACE["terrain"][:-1], "." * 29]}, "terrain[30]"),
        ({**RACE, "terrain": ["." * 29 + "x", *RACE["terrain"][1:]]}, "terrain[0]"),
        ({**RACE, "terrain": ["." * 30 + "\n", *RACE["terrain"][1:]]}, "terrain[0]"),
        ({**RACE, "biome": "moon"}, "biome"),
        ({**RACE, "first": "east"}, "first"),
        ({**RACE, "boxes": {}}, "boxes"),
        ({**RACE, "boxes": {"8,25": CLOSED}}, "boxes"),
        ({**RACE, "boxes": {"8,25": CLOSED, "9,4": CLOSED}}, "boxes"),
        ({**RACE, "boxes": {"15,25": CLOSED, "22,4": CLOSED}}, "boxes"),
        ({**RACE, "boxes": {"8,25": CLOSED, "22,4": CLOSED, "23,4": CLOSED}}, "boxes"),
        ({**RACE, "boxes": {"8,25": CLOSED, "31,4": CLOSED}}, "boxes.31,4"),
        ({**RACE, "boxes": {"8,25": {"holds": "gold", "open": False}, "22,4": CLOSED}}, "boxes.8,25.holds"),
        ({**RACE, "pickup": None}, "pickup"),
        (changed(RACE, pickup__tile="2,20"), "pickup.tile"),
        (changed(RACE, pickup__tile="15,20"), "pickup.tile"),
        (changed(RACE, pickup__tile="8,25"), "pickup.tile"),
        (changed(RACE, pickup__tile="4,20"), "pickup.tile"),
        (changed(RACE, pickup__kind="gold"), "pickup.kind"),
        (changed(RACE, pieces__south={**PIECES, "2": "10,10"}), "pieces.south.1"),
        (changed(RACE, pieces__south={**PIECES, "1": "20,20"}), "pieces.south.1"),
        (changed(RACE, pieces__south={**PIECES, "16": "9,9"}), "pieces.south.16"),
        (changed(RACE, pieces__south={**PIECES, "1": "31,0"}), "pieces.south.1"),
        (changed(RACE, pieces__south={**PIECES, "1": "10, 10"}), "pieces.south.1"),
        (changed(RACE, pieces__south={"1": "10,10"}), "pieces.south"),
        (changed(RACE, gone__south=1), "pieces.south"),
        (changed(RACE, gone__north=-1), "gone.north"),
        (changed(RACE, score__north=1), "pieces.north"),
        (changed(RACE, score__north=6), "score.north"),
        (changed(RACE, traps__south={}), "traps.south"),
        (changed(RACE, traps__south={**RACE["traps"]["south"], "9,9": "live"}), "traps.south"),
        (changed(RACE, traps__south={**RACE["traps"]["south"], "4,20": "armed"}), "traps.south.4,20"),
        (position(south_traps={"8,25": "live"}), "traps.south"),
        (position(north_traps={"30,30": "live"}), "traps.north"),
        (changed(RACE, known__south=["9,9"]), "known.south"),
        (changed(RACE, known__south=["26,9", "26,8"]), "known.south"),
        (changed(RACE, known__south=["26,8", "26,8"]), "known.south"),
        (position(north_traps={"18,1": "spent"}, known={"south": ["18,1"], "north": []}), "known.south"),
        ({**RACE, "tokens": tokens(3)}, "tokens.south.held"),
        ({**RACE, "tokens": tokens(0, 2, coming=(0, 1))}, "tokens.north"),
        ({**RACE, "pool": 11}, "pool"),
        ({**RACE, "pool": -1}, "pool"),
        ({**RACE, "pool": 9, "spent": {"1": 2}}, "pool"),
        ({**RACE, "pool": 5, "spent": {"1": 4}}, "spent.1"),
        ({**RACE, "pool": 5, "spent": {"1": 0}}, "spent.1"),
        (position(left=(10, 15), pool=5, spent={"11": 1}), "spent"),
        ({**RACE, "bonus": {"1": 3}}, "bonus.1"),
        ({**RACE, "bonus": {"1": 0}}, "bonus.1"),
        (position(left=(10, 15), bonus={"11": 1}), "bonus"),
        (position(left=(10, 15), bridge={"south": ["11"], "north": []}), "bridge.south"),
        ({**RACE, "bridge": {"south": ["2", "1"], "north": []}}, "bridge.south"),
        ({**RACE, "bridge": {"south": ["1", "1"], "north": []}}, "bridge.south"),
        (position(left=(10, 15), sense=["11"]), "sense"),
        ({**RACE, "sense": ["3", "2"]}, "sense"),
        ({**RACE, "power": "trap"}, "power"),
        (changed({**RACE, "power": "trap"}, pickup__found=True), "power"),
        ({**RACE, "power": "flight"}, "power"),
        ({**RACE, "marks": [{"tile": "9,9", "until": "east"}]}, "marks[0].until"),
        ({**RACE, "marks": [{"tile": "9,99", "until": "south"}]}, "marks"),
        ({**RACE, "marks": [{"tile": "9,9", "until": "south"}] * 2}, "marks"),
        ({**RACE, "relaid": {}}, "relaid"),
        ({**RACE, "relaid": {"south": "4,20"}}, "traps.south"),
        (changed({**RACE, "relaid": {"south": "9,9"}}, pickup=found("trap")), "relaid.south"),
        ({**RACE, "phase": "over"}, "to_act"),
        ({**RACE, "phase": "over", "to_act": None}, "phase"),
        (position(left=(4, 15)), "phase"),
        (position(left=(10, 15), score=(5, 0)), "phase"),
        ({**OVER, "to_act": "south"}, "to_act"),
        ({**position(left=(4, 4)), "phase": "over", "to_act": None}, "pieces"),
        ({**position(left=(10, 10), score=(5, 5)), "phase": "over", "to_act": None}, "score"),
    ],
)
def test_an_inconsistent_position_is_refused_by_its_field(where, field):
    with pytest.raises(BadPosition) as refused:
        GAME.load(where)
    line = str(refused.value)
    assert line.partition(": ")[0] == field, line
    assert line.isprintable()


@pytest.mark.parametrize(
    ("where", "field"),
    [
        ({**START, "turn": 1}, "turn"),
        ({**START, "pickup": {"tile": "9,9", "kind": "trap", "found": False}}, "pickup"),
        ({**START, "pool": 9}, "pool"),
        (changed(START, gone__south=1), "gone"),
        (changed(START, score__south=1), "score"),
        ({**START, "tokens": tokens(1)}, "tokens"),
        ({**START, "marks": [{"tile": "9,9", "until": "south"}]}, "marks"),
        (changed(START, boxes={tile: {**box, "open": True} for tile, box in START["boxes"].items()}), "boxes"),
        (changed(START, pieces__south={"1": "3,0"}), "pieces.south"),
        (changed(START, pieces__south={"2": "2,0"}), "pieces.south"),
        (changed(START, traps__south={"2,0": "spent"}), "traps"),
        (changed(START, traps__south={"16,0": "live"}), "traps.south"),
        (changed(START, traps__south={f"15,{column}": "live" for column in range(4)}), "traps.south"),
        (changed(START, traps__south={f"2,{column}": "live" for column in range(11)}), "traps.south"),
        (changed(START, pieces__north={"1": "28,0"}), "to_act"),
        ({**START, "to_act": "north"}, "to_act"),
        ({**HALF, "to_act": "south"}, "to_act"),
        (changed({**HALF, "to_act": "north"}, pieces__south={}), "to_act"),
        ({**START, "terrain": ["w" * 30] * 31}, "terrain"),
        ({**START, "terrain": ["." * 30] * 3 + ["w" * 30] * 25 + ["." * 30] * 3}, "terrain"),
    ],
)
def test_an_inconsistent_setup_is_refused_by_its_field(where, field):
    if field == "traps.south" and "15,0" in where["traps"]["south"]:
        where = {**where, "terrain": ground({})}
    with pytest.raises(BadPosition, match=f"^{field}: "):
        GAME.load(where)


def test_a_setup_trap_on_water_is_refused():
    water = next(tile for tile in BY_TEXT if START["terrain"][int(tile.split(",")[0])][int(tile.split(",")[1])] == "w")
    own = water if int(water.split(",")[0]) < 15 else None
    assert own
    with pytest.raises(BadPosition, match=r"^traps.south: on land"):
        GAME.load(changed(START, traps__south={own: "live"}))


UNREACHABLE = [
    position({1: "30,14"}, first="south"),
    position(south_traps={"20,3": "live"}),
    position(terrain={"10,10": "w"}, south={1: "10,10"}),
    position(terrain={"0,0": "w"}),
    position(south_traps={"15,1": "live", "15,2": "live", "15,3": "live", "15,4": "live"}),
    position(boxes={"3,3": CLOSED, "22,4": CLOSED}),
    position(marks=[{"tile": "9,9", "until": "south"}, {"tile": "9,9", "until": "north"}]),
    position(north_traps={"10,10": "live"}, south={1: "10,10"}),
    position(south_traps={"9,9": "live"}, pickup=found("trap"), relaid={"south": "9,9"}),
    {**OVER, "spent": {"1": 2}, "pool": 4},
]


@pytest.mark.parametrize("where", UNREACHABLE, ids=range(len(UNREACHABLE)))
def test_what_no_play_reaches_is_accepted_where_it_is_consistent(where):
    assert GAME.dump(GAME.load(where)) == where


def test_a_position_may_leave_options_out():
    assert GAME.dump(GAME.load({**RACE, "options": {"cap": 90}}))["options"] == {**RACE["options"], "cap": 90}


def test_a_loaded_position_goes_on_as_the_original():
    draws = Draws("go on")
    state = GAME.load(GAME.scenarios["box_race"](SEATS, {}, 5))
    for _ in range(400):
        if GAME.to_act(state) is None:
            break
        again = GAME.load(json.loads(json.dumps(GAME.dump(state))))
        assert again == state
        action = draws.choice(GAME.legal(state))
        step = GAME.apply(state, action)
        assert GAME.apply(again, action) == step
        state = step.state


values = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 40), st.text(string.printable, max_size=6),
    st.lists(st.integers(0, 3), max_size=3), st.dictionaries(st.sampled_from(["1", "9,9", "south"]), st.integers(0, 3)),
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(key=st.sampled_from(sorted(RACE)), value=values, where=st.sampled_from([RACE, START, OVER]))
def test_a_position_spoilt_anywhere_is_refused_or_kept(key, value, where):
    spoilt = {**where, key: value}
    try:
        state = GAME.load(spoilt)
    except BadPosition:
        return
    if key != "options":
        assert GAME.dump(state) == spoilt
    assert bool(GAME.legal(state)) == (GAME.to_act(state) is not None)
