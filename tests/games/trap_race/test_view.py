"""What a seat sees and what it does not, sentence by sentence."""

from __future__ import annotations

import json

from tests.games.trap_race.build import GAME, SEATS, box, found, play, position, tokens

PUBLIC = (
    "game", "options", "phase", "to_act", "turn", "terrain", "biome", "first", "gone", "score", "tokens", "pool",
    "spent", "bonus", "bridge", "sense", "marks", "pieces",
)  # fmt: skip
BUSY = position(
    {1: "20,20", 2: "12,20"},
    {3: "9,9"},
    north_traps={"18,12": "live", "19,12": "spent", "21,13": "live"},
    south_traps={"9,3": "live", "9,4": "spent"},
    known={"south": ["21,13"], "north": ["9,3"]},
    boxes={"8,25": {"holds": "booby", "open": False}, "22,4": {"holds": "sense", "open": True}},
    pickup=found("terraform", "13,17"),
    power="terraform",
    tokens=tokens(1, 1, coming=(1, 0)),
    pool=6,
    spent={"1": 2},
    bonus={"1": 1},
    bridge={"south": ["1"], "north": ["3"]},
    sense=["1"],
    marks=[{"tile": "8,8", "until": "south"}],
)


def view(where, seat):
    return GAME.view(GAME.load(where), seat)


def test_the_spectator_sees_everything_but_the_chance():
    assert view(BUSY, None) == {**{key: BUSY[key] for key in BUSY if key != "chance"}, "you": None}


def test_what_is_public_stands_in_every_view():
    for seat in SEATS:
        seen = view(BUSY, seat)
        assert set(seen) == {*PUBLIC, "boxes", "pickup", "traps", "known", "power", "you"}
        assert {key: seen[key] for key in PUBLIC} == {key: BUSY[key] for key in PUBLIC}
        assert seen["you"] == seat


def test_of_the_others_traps_only_spent_and_sensed_ones_are_seen():
    south, north = view(BUSY, "south"), view(BUSY, "north")
    assert south["traps"] == {"south": BUSY["traps"]["south"], "north": {"19,12": "spent", "21,13": "live"}}
    assert north["traps"] == {"south": {"9,3": "live", "9,4": "spent"}, "north": BUSY["traps"]["north"]}


def test_traps_stand_row_by_row_whatever_order_they_were_hidden_in():
    laid = ["9,5", "3,20", "9,4", "14,1", "0,0"]
    start = GAME.dump(GAME.start(SEATS, {"water": 0.0}, 2).state)
    position_after, _ = play(start, *(f"trap {tile}" for tile in laid))
    own = list(view(position_after, "south")["traps"]["south"])
    assert own == list(position_after["traps"]["south"]) == ["0,0", "3,20", "9,4", "9,5", "14,1"]


def test_known_is_the_own_list_alone():
    assert view(BUSY, "south")["known"] == {"south": ["21,13"]}
    assert view(BUSY, "north")["known"] == {"north": ["9,3"]}


def test_a_closed_box_keeps_what_it_holds():
    for seat in SEATS:
        assert view(BUSY, seat)["boxes"] == {"8,25": {"open": False}, "22,4": {"holds": "sense", "open": True}}


def test_the_pickup_is_hidden_until_it_is_found():
    hidden = position(pickup={"tile": "13,17", "kind": "trap", "found": False})
    for seat in SEATS:
        assert view(hidden, seat)["pickup"] == {"found": False}
        assert view(BUSY, seat)["pickup"] == {"found": True, "tile": "13,17"}


def test_only_the_holder_sees_its_power():
    assert view(BUSY, "south")["power"] == "terraform"
    assert view(BUSY, "north")["power"] is None
    assert "terraform" not in json.dumps(view(BUSY, "north"))


def test_an_extra_trap_on_a_spent_one_is_not_betrayed_by_what_was_seen_there():
    """The other side saw that trap spent; it goes on seeing it so, as if the new one lay anywhere else."""
    where = position({1: "12,20"}, {1: "11,9"}, south_traps={"10,9": "spent"}, pickup=found("trap"), power="trap")
    after, events = play(where, "trap 10,9")
    assert after["traps"]["south"]["10,9"] == "live"
    assert after["relaid"] == {"south": "10,9"}
    assert len(after["traps"]["south"]) == 10
    elsewhere, _ = play(where, "trap 14,9")
    assert "relaid" not in elsewhere
    assert view(after, "north") == view(elsewhere, "north")
    assert view(after, "south")["traps"]["south"]["10,9"] == "live"
    sprung, events = play(after, "end", "move 1 south")
    assert [event["kind"] for event in events] == ["move", "sprung"]
    assert "relaid" not in sprung
    assert view(sprung, "north")["traps"]["south"] == {"10,9": "spent"}


def test_an_extra_trap_on_a_spent_one_is_seen_once_it_is_sensed():
    where = position(
        {1: "12,20"}, {1: "12,9"}, south_traps={"10,9": "spent"}, pickup=found("trap"), power="trap",
        boxes={"8,25": {"holds": "sense", "open": True}, "22,4": {"holds": "sense", "open": True}},
    )  # fmt: skip
    after, _ = play(where, "trap 10,9", "end")
    sensing = {**after, "sense": ["1"]}
    seen, events = play(sensing, "move 1 south")
    assert events[1]["tiles"] == ["10,9"]
    assert view(seen, "north")["traps"]["south"] == {"10,9": "live"}


def test_a_trap_of_the_enemy_under_an_own_relaid_one_is_not_shown():
    where = position(
        {1: "12,20"}, {1: "11,9"}, south_traps={"10,9": "spent"}, north_traps={"10,9": "live"},
        pickup=found("trap"), power="trap",
    )  # fmt: skip
    after, _ = play(where, "trap 10,9")
    assert view(after, "south")["traps"]["north"] == {}


def test_what_a_box_held_is_public_once_it_is_open():
    after, events = play(position({1: "21,4"}, boxes=box("steps")), "move 1 north")
    assert events[1]["audience"] == "all"
    assert view(after, "north")["boxes"]["22,4"] == {"holds": "steps", "open": True}
