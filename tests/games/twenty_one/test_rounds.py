from __future__ import annotations

import pytest

from games.chance import Draws
from tests.games.twenty_one.build import GAME, SEATS, STARTERS, kinds, legal, play, position


def walk(seed, options=None):
    """A random match: (position, action, position after, events) by turn."""
    state = GAME.start(SEATS, options or {}, seed).state
    draws = Draws(f"walk:{seed}")
    steps = []
    while actions := GAME.legal(state):
        action = draws.choice(actions)
        step = GAME.apply(state, action)
        events = [event.to_json() for event in step.events]
        steps.append((GAME.dump(state), action, GAME.dump(step.state), events))
        state = step.state
    return steps


WALKS = [walk(seed) for seed in range(8)]


def test_the_starters_are_p1_p2_p1_p1_p2_p1():
    for steps in WALKS:
        started = [
            where["to_act"]
            for where, _, _, _ in steps
            if where["phase"] == "take" and not any(where["announced"].values())
        ]
        assert started == STARTERS[: len(started)]


def test_in_each_round_two_lines_are_taken_and_the_starter_places_on_every_even_turn():
    for steps in WALKS:
        for where, _, _, _ in steps:
            starter = STARTERS[where["round"] - 1]
            if where["phase"] == "place":
                assert (where["to_act"] == starter) == (where["turn"] % 2 == 0)
            else:
                assert where["turn"] == 0
                assert (where["to_act"] == starter) == (where["announced"][starter] is None)


def test_a_match_without_instant_win_takes_48_decisions_over_six_rounds():
    whole = [steps for steps in WALKS if steps[-1][2]["round"] == 6 and steps[-1][2]["turn"] == 5]
    assert whole
    for steps in whole:
        assert len(steps) == 48
        assert steps[-1][2]["grids"] == dict.fromkeys(SEATS, [[None] * 9] * 2)


def test_rounds_1_to_3_use_grid_1_and_4_to_6_grid_2():
    for steps in WALKS:
        for where, action, after, _ in steps:
            if action.startswith("take"):
                unused, used = (0, 1) if where["round"] > 3 else (1, 0)
                seat = where["to_act"]
                assert after["grids"][seat][unused] == where["grids"][seat][unused]
                assert after["grids"][seat][used].count(None) == where["grids"][seat][used].count(None) + 3


def test_turn_counts_the_placements_of_the_round():
    where = position(hand="red4 blue2 green3", turn=0)
    after, _ = play(where, "place red4 on red")
    assert (after["turn"], after["to_act"], after["phase"]) == (1, "p2", "place")


FULL = {
    "red": "p1:red6 p2:purple6 p1:orange6",
    "orange": "p2:orange5 p1:yellow6 p2:red4 p1:yellow3",
    "purple": "p1:purple5 p2:blue6 p1:blue5 p2:purple3",
}
"""Towers that no red 4, 5 or 6 may be laid on."""


def test_what_is_left_in_hand_after_the_last_turn_is_discarded_face_up_the_starters_first():
    where = position(FULL, "green1", turn=5, other="red5")
    after, events = play(where, "place green1 on green")
    assert kinds(events) == ["place", "owner", "discard", "round", "grid", "grid"]
    assert events[2] == {"kind": "discard", "audience": "all", "seat": "p1", "stones": ["red5"]}
    assert after["hands"] == {"p1": [], "p2": []}
    assert after["discards"]["p1"] == [*where["discards"]["p1"], "red5"]
    assert after["discards"]["p2"] == where["discards"]["p2"]


def test_both_discard_the_starter_first():
    _, events = play(position(FULL, "red5", turn=5, other="joker orange2"), "pass")
    assert [(event["kind"], event.get("seat")) for event in events[:4]] == [
        ("pass", "p2"), ("discard", "p1"), ("discard", "p2"), ("round", None),
    ]  # fmt: skip
    assert events[1]["stones"] == ["joker", "orange2"], "in the order of the hand"


def test_a_turn_with_nothing_left_in_hand_discards_nothing():
    _, events = play(position(hand="green1", turn=5), "place green1 on green")
    assert "discard" not in kinds(events)


@pytest.mark.parametrize("number", range(1, 6))
def test_a_new_round_begins_with_nothing_announced(number):
    where = position(hand="green1", number=number, turn=5)
    after, events = play(where, "place green1 on green")
    assert (after["round"], after["turn"], after["phase"]) == (number + 1, 0, "take")
    assert after["announced"] == {"p1": None, "p2": None}
    assert after["to_act"] == STARTERS[number]
    started = {"kind": "round", "audience": "all", "round": number + 1, "starter": STARTERS[number]}
    shown = [{"kind": "grid", "audience": [seat], "seat": seat, "stones": where["grids"][seat][1]} for seat in SEATS]
    assert events[2:] == [started, *(shown if number == 3 else [])]
    assert after["direction"] == (dict.fromkeys(SEATS) if number == 3 else where["direction"])


TWO = {
    "red": "p1:red6 p2:purple5 p1:orange6 p1:red4",
    "yellow": "p2:yellow6 p1:yellow5 p2:green6 p1:orange4",
    "blue": "p1:blue6 p2:blue5 p2:purple6",
}
"""p1 owns two towers of 21; blue stands at 17."""


@pytest.mark.parametrize("turn", [2, 4])
def test_three_own_towers_of_21_win_at_once(turn):
    hand = "green4 yellow1 yellow2" if turn == 2 else "green4 yellow1"
    where = position(TWO, hand, number=4, turn=turn)
    after, events = play(where, "place green4 on blue")
    assert kinds(events) == ["place", "owner", "win", "reveal"]
    assert events[2] == {"kind": "win", "audience": "all", "seat": "p1", "how": "instant"}
    assert (after["phase"], after["to_act"], after["round"], after["turn"]) == ("over", None, 4, turn)
    assert after["discards"] == where["discards"], "nothing is discarded"
    assert after["hands"]["p1"] == hand.split()[1:]
    outcome = GAME.outcome(GAME.load(after))
    assert outcome.to_json() == {"winners": ["p1"], "places": {"p1": 1, "p2": 2}, "reason": "instant"}
    assert legal(after) == []


def test_the_reveal_shows_everything_in_the_shapes_of_the_position():
    after, events = play(position(TWO, "green4 yellow1", number=4), "place green4 on blue")
    assert events[-1] == {
        "kind": "reveal", "audience": "all", "removed": after["removed"], "grids": after["grids"],
        "hands": after["hands"],
    }  # fmt: skip


def test_a_replacing_stone_may_win_at_once():
    built = {**TWO, "blue": "p1:blue6 p2:blue5 p2:purple3 p1:green1 p1:green2 p2:joker"}
    after, events = play(position(built, "blue4", number=4), "replace blue4 on blue")
    assert kinds(events) == ["replace", "owner", "win", "reveal"]
    assert (events[0]["total"], events[2]["how"], after["phase"]) == (21, "instant", "over")


def test_a_placement_below_21_wins_nothing_at_once():
    built = {**TWO, "blue": "p1:blue6 p2:blue5 p2:purple3 p1:green1 p1:green2"}
    after, events = play(position(built, "blue3", number=4), "place blue3 on blue")
    assert (kinds(events), events[0]["total"], after["phase"]) == (["place"], 20, "place")


def test_three_towers_of_21_with_two_owners_win_nothing():
    built = {**TWO, "yellow": "p2:yellow6 p1:yellow5 p2:green6 p2:orange4"}
    after, events = play(position(built, "green4 yellow1", number=4), "place green4 on blue")
    assert kinds(events) == ["place", "owner"]
    assert after["phase"] == "place"


def test_a_third_tower_of_21_wins_for_its_owner_alone():
    """p2 brings a third tower to 21, and the first two are p1's."""
    after, events = play(position(TWO, "green4", number=4, turn=5), "place green4 on blue")
    assert (kinds(events), after["phase"]) == (["place", "round"], "take")


def last(towers, hand, **more):
    """The end of a match: p2 plays its last stone."""
    return position(towers, hand, number=6, turn=5, other="", **more)


def ended(where, action):
    after, events = play(where, action)
    assert (after["phase"], after["to_act"], after["round"], after["turn"]) == ("over", None, 6, 5)
    return GAME.outcome(GAME.load(after)).to_json(), events


def test_after_round_6_more_owned_towers_win():
    where = last({"red": "p1:red3", "orange": "p1:orange3", "blue": "p2:blue5 p1:blue4"}, "green1")
    outcome, events = ended(where, "place green1 on green")
    assert outcome == {"winners": ["p1"], "places": {"p1": 1, "p2": 2}, "reason": "towers"}
    assert kinds(events) == ["place", "owner", "win", "reveal"]
    assert events[2] == {"kind": "win", "audience": "all", "seat": "p1", "how": "towers"}
    where = last({"red": "p1:red3", "orange": "p2:orange3"}, "green1")
    assert ended(where, "place green1 on green")[0]["winners"] == ["p2"]


def test_equal_is_a_draw_and_an_empty_tower_is_nobodys():
    where = last({"red": "p1:red6 p2:red5 p1:purple6"}, "green1")
    outcome, events = ended(where, "place green1 on green")
    assert outcome == {"winners": ["p1", "p2"], "places": {"p1": 1, "p2": 1}, "reason": "draw"}
    assert kinds(events) == ["place", "owner", "draw", "reveal"]
    assert events[2] == {"kind": "draw", "audience": "all"}


@pytest.mark.parametrize(
    ("towers", "winners"),
    [
        (
            {
                "red": "p1:red6 p2:red5 p1:purple6 p1:orange4",
                "orange": "p1:yellow5",
                "blue": "p2:blue6 p2:blue5 p2:purple5",
            },
            ["p1"],
        ),
        (
            {
                "red": "p1:red6 p2:red5 p1:purple6 p2:orange4",
                "blue": "p1:blue6 p2:blue5 p1:blue4 p1:purple5",
                "purple": "p1:purple4",
            },
            ["p2"],
        ),
        ({"red": "p1:red6 p2:red5 p1:purple6", "orange": "p1:orange3", "yellow": "p2:yellow6 p2:yellow5"}, ["p1"]),
        ({"red": "p1:red1", "yellow": "p2:yellow6", "orange": "p1:orange5"}, ["p2"]),
        ({"red": "p1:red1"}, ["p1", "p2"]),
    ],
    ids=["more at 21", "more at 21, though further off", "smaller gaps", "smaller gaps of the other", "a draw at last"],
)
def test_the_closest_breaks_a_tie(towers, winners):
    """p2's last stone, green1, makes the numbers of towers equal."""
    where = last(towers, "green1", options={"tie_break": "closest"})
    outcome, events = ended(where, "place green1 on green")
    owned = [layers[-1]["by"] for layers in where["towers"].values() if layers]
    assert owned.count("p1") == owned.count("p2") + 1
    assert outcome["winners"] == winners
    assert outcome["reason"] == ("draw" if len(winners) == 2 else "tie_break")
    assert events[2] == (
        {"kind": "draw", "audience": "all"}
        if len(winners) == 2
        else {"kind": "win", "audience": "all", "seat": winners[0], "how": "tie_break"}
    )
    plain = last(towers, "green1")
    assert ended(plain, "place green1 on green")[0]["winners"] == ["p1", "p2"]


def test_a_match_may_end_with_stones_in_hand_that_are_discarded():
    where = position(FULL, "red5", number=6, turn=5, other="")
    outcome, events = ended(where, "pass")
    assert kinds(events) == ["pass", "discard", "win", "reveal"]
    assert (outcome["winners"], outcome["reason"]) == (["p1"], "towers")
    assert events[1]["stones"] == ["red5"]
    assert events[-1]["hands"] == {"p1": [], "p2": []}


def test_announced_stays_as_at_the_last_action():
    where = position(FULL, "red5", number=6, turn=5, other="")
    after, _ = play(where, "pass")
    assert after["announced"] == where["announced"]
    assert after["announced"]["p2"]["left"] == [5]
    assert GAME.dump(GAME.load(after)) == after
