from __future__ import annotations

import pytest
from pydantic import ValidationError

from games.api import BadStart
from games.chance import Draws
from tests.games.star_ludo.build import GAME, SEATS, YARD, position

numbers = pytest.mark.parametrize("number", [2, 3, 4])


def start(options=None, seed=7, number=4):
    return GAME.start(SEATS[number], {} if options is None else options, seed)


def test_two_to_four_seats_in_their_order():
    assert GAME.players == (2, 3, 4)
    assert GAME.seats(2) == ("red", "yellow")
    assert GAME.seats(3) == ("red", "green", "yellow")
    assert GAME.seats(4) == ("red", "green", "yellow", "blue")


@pytest.mark.parametrize("number", [0, 1, 5])
def test_no_other_number_of_seats(number):
    with pytest.raises(BadStart, match=r"^seats: "):
        GAME.seats(number)


@numbers
def test_everyone_starts_in_the_yard(number):
    for seed in range(5):
        state, _ = start(seed=seed, number=number)
        assert GAME.dump(state)["pawns"] == dict.fromkeys(SEATS[number], YARD)
        assert GAME.alive(state) == SEATS[number]


@numbers
@pytest.mark.parametrize("seed", range(12))
def test_one_draw_picks_who_begins_and_each_roll_takes_two(number, seed):
    state, events = start(seed=seed, number=number)
    draws = Draws(seed)
    first = SEATS[number][draws.pick(number)]
    assert events[0].to_json() == {"kind": "start", "audience": "all", "seat": first}
    rolls = [event.to_json() for event in events if event.kind == "roll"]
    assert rolls[0]["seat"] == first
    assert [roll["dice"] for roll in rolls] == [[1 + draws.pick(6), 1 + draws.pick(6)] for _ in rolls]
    position = GAME.dump(state)
    assert position["chance"] == {"seed": seed, "drawn": 1 + 2 * len(rolls)}
    assert position["rolls"] == len(rolls)


@numbers
def test_every_seat_can_begin(number):
    assert {start(seed=seed, number=number).events[0].fields["seat"] for seed in range(40)} == set(SEATS[number])


def test_the_start_runs_on_through_skips_to_a_decision():
    for seed in range(30):
        state, events = start(seed=seed)
        assert [event.kind for event in events[:2]] == ["start", "roll"], "no turn before the first roll"
        assert GAME.legal(state) == ("move 1",), "only an exit is possible"
        assert {event.kind for event in events[2:]} <= {"skip", "turn", "roll", "extra_turn"}
        position = GAME.dump(state)
        assert position["dice"][position["die"]] in (1, 6)


def test_a_match_may_end_at_its_start():
    seed = next(seed for seed in range(50) if not {1, 6} & set(start(seed=seed).events[1].fields["dice"]))
    state, events = start({"cap": 1}, seed)
    assert [event.kind for event in events] == ["start", "roll", "skip", "skip", "cap"]
    assert GAME.outcome(state).to_json() == {
        "winners": list(SEATS[4]), "places": dict.fromkeys(SEATS[4], 1), "reason": "cap",
    }  # fmt: skip


def test_defaults():
    assert GAME.Options().model_dump() == {"cap": 2000, "extra": "one"}
    assert GAME.dump(start().state)["options"] == {"cap": 2000, "extra": "one"}


def test_options_may_come_as_a_mapping_or_as_options():
    assert start({"extra": "stack"}) == start(GAME.Options(extra="stack"))


def test_a_position_may_leave_options_out_and_gets_them_all_back():
    where = {**position({"red": [5]}), "options": {"extra": "stack"}}
    assert GAME.dump(GAME.load(where))["options"] == {"cap": 2000, "extra": "stack"}


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"cap": 0}, "options.cap"),
        ({"cap": -1}, "options.cap"),
        ({"cap": True}, "options.cap"),
        ({"cap": 2.0}, "options.cap"),
        ({"cap": "9"}, "options.cap"),
        ({"cap": None}, "options.cap"),
        ({"cap": 2**53}, "options.cap"),
        ({"extra": "all"}, "options.extra"),
        ({"extra": None}, "options.extra"),
        ({"extra": ["one"]}, "options.extra"),
        ({"caps": 3}, "options.caps"),
        ([], "options"),
        ("one", "options"),
    ],
)
def test_bad_options_are_named(options, field):
    with pytest.raises(BadStart, match=rf"^{field}: ") as fault:
        start(options)
    assert str(fault.value).isprintable()
    with pytest.raises(ValidationError):
        GAME.Options.model_validate(options)


@pytest.mark.parametrize("seed", [-1, 2**53, 1.0, True, "7", None])
def test_bad_seeds_are_refused(seed):
    with pytest.raises(BadStart, match=r"^seed: "):
        start(seed=seed)


def test_the_largest_seed_is_taken():
    assert GAME.dump(start(seed=2**53 - 1).state)["chance"]["seed"] == 2**53 - 1


@pytest.mark.parametrize(
    "seats",
    [
        (), ("red",), ("yellow", "red"), ("red", "green"), ("red", "blue"), ("red", "yellow", "green"),
        ("red", "green", "blue"), ("red", "blue", "green", "yellow"), ("red", "green", "yellow", "Blue"),
        ("red", "green", "yellow", "blue", "red"),
    ],
)  # fmt: skip
def test_start_takes_exactly_the_listed_seats_in_their_order(seats):
    with pytest.raises(BadStart, match=r"^seats: "):
        GAME.start(seats, {}, 1)


def test_the_bound_on_decisions_is_two_for_each_roll():
    assert GAME.longest(SEATS[4], {}) == 4000
    assert GAME.longest(SEATS[2], {"cap": 30}) == 60
    assert GAME.longest(SEATS[2], GAME.Options(cap=7)) == 14


def test_what_the_harness_reads_of_the_game():
    assert (GAME.name, GAME.version, GAME.title) == ("star_ludo", "1", "Star Ludo")
    assert GAME.news == {"roll", "capture"}
    assert GAME.turn_events == {"turn", "extra_turn"}
    assert GAME.talk_events == frozenset()
    assert list(GAME.pledges) == ["spare"]
    assert all(len(kind.meaning.splitlines()) == 1 for kind in GAME.pledges.values())
    assert list(GAME.bots) == ["random", "casual", "balanced", "strategic", "aggressive", "alpha", "beta"]
