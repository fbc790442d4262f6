from __future__ import annotations

from collections import Counter

import pytest
from pydantic import ValidationError

from games.api import BadStart
from games.chance import Draws
from tests.games.twenty_one.build import GAME, SEATS, changed, position, start
from tests.games.twenty_one.laws import COLOURS, EVERY


def test_two_seats_p1_and_p2():
    assert GAME.players == (2,)
    assert GAME.seats(2) == ("p1", "p2")


@pytest.mark.parametrize("number", [0, 1, 3])
def test_two_seats_only(number):
    with pytest.raises(BadStart, match=r"^seats: "):
        GAME.seats(number)


@pytest.mark.parametrize("seats", [("p2", "p1"), ("p1",), ("p1", "p2", "p1"), ("P1", "p2"), ()])
def test_start_takes_exactly_these_seats_in_this_order(seats):
    with pytest.raises(BadStart, match=r"^seats: "):
        GAME.start(seats, {}, 1)


@pytest.mark.parametrize("jokers", [0, 1, 2, 3])
def test_the_stones_are_dealt_by_the_bag(jokers):
    """The bag in wheel order is shuffled, then p1's stones with its jokers, then p2's."""
    where = start({"jokers": jokers}, seed=11)
    draws, bag, each = Draws(11), list(EVERY), 18 - jokers
    draws.shuffle(bag)
    for seat, dealt in (("p1", bag[:each]), ("p2", bag[each : 2 * each])):
        share = dealt + ["joker"] * jokers
        draws.shuffle(share)
        assert where["grids"][seat] == [share[:9], share[9:]]
    assert where["removed"] == bag[2 * each :]
    assert where["chance"] == {"seed": 11, "drawn": draws.drawn}
    assert draws.drawn == 35 + 17 + 17


@pytest.mark.parametrize("jokers", [0, 1, 2, 3])
def test_eighteen_stones_each_and_two_removed_for_each_joker(jokers):
    where = start({"jokers": jokers})
    stones = Counter(stone for seat in SEATS for grid in where["grids"][seat] for stone in grid)
    assert stones.total() == 36
    assert stones["joker"] == 2 * jokers
    assert len(where["removed"]) == 2 * jokers
    assert sorted(set(stones) - {"joker"} | set(where["removed"])) == sorted(EVERY)
    assert sum(int(stone[-1]) for stone in EVERY) == 6 * 21


def test_a_match_begins_with_nothing_taken_and_nothing_built():
    where = start()
    assert (where["round"], where["turn"], where["phase"], where["to_act"]) == (1, 0, "take", "p1")
    assert where["towers"] == {colour: [] for colour in COLOURS}
    assert list(where["towers"]) == list(COLOURS)
    assert where["hands"] == where["discards"] == {"p1": [], "p2": []}
    assert where["direction"] == where["announced"] == {"p1": None, "p2": None}
    assert where["out"] == []


def test_the_events_of_the_start():
    state, events = GAME.start(SEATS, {}, 7)
    where = GAME.dump(state)
    assert [event.to_json() for event in events] == [
        {"kind": "deal", "audience": "all"},
        {"kind": "round", "audience": "all", "round": 1, "starter": "p1"},
        {"kind": "grid", "audience": ["p1"], "seat": "p1", "stones": where["grids"]["p1"][0]},
        {"kind": "grid", "audience": ["p2"], "seat": "p2", "stones": where["grids"]["p2"][0]},
    ]


def test_options_have_defaults_and_may_come_as_a_mapping_or_as_options():
    assert GAME.Options().model_dump() == {"jokers": 3, "tie_break": "none"}
    assert start({"jokers": 1}) == start(GAME.Options(jokers=1)) == start({"jokers": 1, "tie_break": "none"})
    assert GAME.dump(GAME.start(SEATS, None, 7).state) == start()


def test_a_position_may_leave_options_out_and_gets_them_all_back():
    for options in ({}, {"jokers": 3}, {"tie_break": "none"}):
        where = changed(position(hand="red4"), options=options)
        assert GAME.dump(GAME.load(where))["options"] == {"jokers": 3, "tie_break": "none"}


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"jokers": -1}, "options.jokers"),
        ({"jokers": 4}, "options.jokers"),
        ({"jokers": True}, "options.jokers"),
        ({"jokers": 3.0}, "options.jokers"),
        ({"jokers": None}, "options.jokers"),
        ({"tie_break": "None"}, "options.tie_break"),
        ({"tie_break": None}, "options.tie_break"),
        ({"joker": 3}, "options.joker"),
        ([], "options"),
        ("none", "options"),
    ],
)
def test_bad_options_are_named(options, field):
    with pytest.raises(BadStart, match=rf"^{field}: ") as fault:
        GAME.start(SEATS, options, 1)
    assert str(fault.value).isprintable()
    with pytest.raises(ValidationError):
        GAME.Options.model_validate(options)


@pytest.mark.parametrize("seed", [-1, 2**53, 1.0, True, "7", None])
def test_bad_seeds_are_refused(seed):
    with pytest.raises(BadStart, match=r"^seed: "):
        GAME.start(SEATS, {}, seed)


def test_the_largest_seed_is_taken():
    assert start(seed=2**53 - 1)["chance"]["seed"] == 2**53 - 1


def test_at_most_48_decisions():
    assert GAME.longest(SEATS, {}) == 48


def test_what_the_harness_reads_of_the_game():
    assert (GAME.name, GAME.version, GAME.title) == ("twenty_one", "1", "Towers to Twenty-One")
    assert GAME.news == frozenset(), "no event is news"
    assert GAME.talk_events == frozenset()
    assert GAME.turn_events == {"place", "replace", "pass"}
    assert GAME.pledges == {}
    assert list(GAME.bots) == ["random", "greedy", "sampler"]
    assert list(GAME.scenarios) == ["opening", "joker_top", "two_twenty_ones", "only_pass", "replace_choice"]
