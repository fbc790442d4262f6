"""How a match ends: five home, attrition, the cap; what is shown then, and the outcome derived from the position."""

from __future__ import annotations

import pytest

from games.api import IllegalAction
from tests.games.trap_race.build import GAME, SEATS, kinds, legal, play, position, tokens


def outcome(where):
    result = GAME.outcome(GAME.load(where))
    return None if result is None else result.to_json()


def won(seat, reason):
    other = SEATS[1 - SEATS.index(seat)]
    return {"winners": [seat], "places": {seat: 1, other: 2}, "reason": reason}


def test_five_points_win_at_once():
    where = position({1: "29,7"}, left=(1, 11), score=(4, 4))
    after, events = play(where, "move 1 north")
    assert kinds(events) == ["move", "score", "win", "reveal"]
    assert events[2] == {"kind": "win", "audience": "all", "seat": "south", "how": "five"}
    assert (after["phase"], after["to_act"]) == ("over", None)
    assert (after["turn"], after["pool"]) == (12, 9)
    assert legal(after) == []
    assert outcome(after) == won("south", "five")
    with pytest.raises(IllegalAction, match="the match is over"):
        play(after, "end")


def test_everything_is_revealed_at_the_end():
    where = position({1: "29,7"}, left=(1, 11), score=(4, 4), south_traps={"9,9": "spent"})
    after, events = play(where, "move 1 north")
    assert events[-1] == {
        "kind": "reveal", "audience": "all",
        "traps": after["traps"], "pickup": after["pickup"], "boxes": after["boxes"],
    }  # fmt: skip
    state = GAME.load(after)
    whole = {key: value for key, value in after.items() if key != "chance"}
    for seat in SEATS:
        assert GAME.view(state, seat) == {**whole, "you": seat}


@pytest.mark.parametrize(("before", "ends"), [(5, True), (6, False)])
def test_attrition_reach_counts_the_living_and_the_scored(before, ends):
    where = position({1: "17,10"}, north_traps={"18,10": "live"}, left=(before - 2, 15), score=(2, 0))
    after, events = play(where, "move 1 north")
    assert (after["phase"] == "over") is ends
    assert ("win" in kinds(events)) is ends
    if ends:
        assert events[2] == {"kind": "win", "audience": "all", "seat": "north", "how": "attrition"}
        assert outcome(after) == won("north", "attrition")


@pytest.mark.parametrize(("before", "ends"), [(5, True), (6, False)])
def test_attrition_alive_counts_the_living_alone(before, ends):
    where = position(
        {1: "17,10"}, north_traps={"18,10": "live"}, left=(before, 15), score=(3, 0), options={"attrition": "alive"}
    )
    after, _ = play(where, "move 1 north")
    assert (after["phase"] == "over") is ends


def test_attrition_alive_can_be_lost_by_scoring_but_five_points_come_first():
    fewer = position({1: "29,7"}, left=(5, 12), score=(2, 3), options={"attrition": "alive"})
    after, events = play(fewer, "move 1 north")
    assert kinds(events) == ["move", "score", "win", "reveal"]
    assert outcome(after) == won("north", "attrition")
    fifth = position({1: "29,7"}, left=(5, 12), score=(4, 3), options={"attrition": "alive"})
    assert outcome(play(fifth, "move 1 north")[0]) == won("south", "five")


def test_scoring_counts_before_attrition():
    where = position({1: "29,7"}, left=(3, 12), score=(2, 3))
    after, events = play(where, "move 1 north")
    assert kinds(events) == ["move", "score"]
    assert after["phase"] == "turn"


def test_attrition_strikes_on_anybodys_turn():
    where = position({1: "15,5"}, {4: "15,6"}, left=(15, 5), tokens=tokens(1))
    after, events = play(where, "nerf 4")
    assert kinds(events) == ["nerf", "win", "reveal"]
    assert outcome(after) == won("south", "attrition")


def test_a_booby_trap_can_decide():
    boxes = {"8,25": {"holds": "booby", "open": False}, "22,4": {"holds": "booby", "open": False}}
    where = position({1: "21,4"}, left=(5, 15), boxes=boxes)
    assert kinds(play(where, "move 1 north")[1]) == ["move", "box", "win", "reveal"]


def test_who_drowns_loses_after_the_end_of_the_turn():
    where = position({1: "20,10"}, left=(5, 15), terrain={"21,10": "w"}, bridge={"south": ["1"], "north": []})
    after, events = play(where, "move 1 north", "end")
    assert kinds(events) == ["drowned", "end", "win", "reveal"]
    assert outcome(after) == won("north", "attrition")
    assert after["turn"] == 12


CAPPED = {"cap": 12}


def test_the_cap_ends_the_match_after_that_turn():
    assert play(position(options={"cap": 13}), "end")[0]["phase"] == "turn"
    after, events = play(position(options=CAPPED, score=(0, 1), left=(15, 14)), "end")
    assert kinds(events) == ["end", "win", "reveal"]
    assert events[1] == {"kind": "win", "audience": "all", "seat": "north", "how": "cap"}
    assert after["turn"] == 12
    assert outcome(after) == won("north", "cap")


@pytest.mark.parametrize(
    ("score", "left", "winner"),
    [
        ((2, 1), (6, 14), "south"),
        ((1, 1), (6, 7), "north"),
        ((1, 1), (8, 7), "south"),
        ((2, 1), (6, 7), "south"),
        ((1, 1), (7, 7), None),
        ((0, 0), (15, 15), None),
    ],
)
def test_the_cap_goes_by_score_then_by_the_living_and_scored(score, left, winner):
    after, events = play(position(options=CAPPED, score=score, left=left), "end")
    if winner is None:
        assert kinds(events) == ["end", "draw", "reveal"]
        assert events[1] == {"kind": "draw", "audience": "all"}
        assert outcome(after) == {"winners": ["south", "north"], "places": {"south": 1, "north": 1}, "reason": "draw"}
    else:
        assert outcome(after) == won(winner, "cap")


def test_at_the_cap_attrition_comes_first():
    where = position(
        {1: "20,10"}, left=(3, 15), score=(2, 0), terrain={"21,10": "w"}, bridge={"south": ["1"], "north": []},
        options=CAPPED,
    )  # fmt: skip
    after, _ = play(where, "move 1 north", "end")
    assert outcome(after) == won("north", "attrition")


def test_marks_and_gifts_end_with_the_last_turn_too():
    where = position(
        {1: "10,10"}, {1: "12,12"}, options=CAPPED, marks=[{"tile": "9,9", "until": "south"}], bonus={"1": 1},
        sense=["1"], pickup={"tile": "12,20", "kind": "trap", "found": True}, power="trap", spent={"1": 1}, pool=9,
    )  # fmt: skip
    after, _ = play(where, "end")
    assert (after["marks"], after["bonus"], after["sense"], after["power"]) == ([], {}, [], None)
    assert (after["pool"], after["spent"], after["turn"]) == (9, {"1": 1}, 12)


def test_nobody_goes_out_before_the_end():
    assert GAME.alive(GAME.load(position())) == SEATS
    assert outcome(position()) is None
