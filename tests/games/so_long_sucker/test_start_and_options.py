from __future__ import annotations

from itertools import product

import pytest
from pydantic import ValidationError

from games.api import BadStart
from games.chance import Draws
from tests.games.so_long_sucker.build import GAME, SEATS, position
from tests.games.so_long_sucker.laws import SWITCHES

MODERN = {"captor": "mover", "choice": "table", "order": "deepest", "donors": "any", "heir": "rebound"}
CLASSIC = {"captor": "owner", "choice": "pile", "order": "latest", "donors": "prisoners", "heir": "rebound"}


def start(options=None, seed=7, seats=SEATS):
    return GAME.start(seats, {} if options is None else options, seed)


def test_the_table_is_red_blue_green_yellow():
    assert GAME.seats(4) == ("red", "blue", "green", "yellow")
    assert GAME.players == (4,)


@pytest.mark.parametrize("number", [0, 1, 2, 3, 5])
def test_four_seats_only(number):
    with pytest.raises(BadStart, match=r"^seats: "):
        GAME.seats(number)


def test_everyone_starts_with_own_chips_and_nothing_else():
    position = GAME.dump(start({"chips": 5}, seed=3).state)
    assert position["supply"] == dict.fromkeys(SEATS, 5)
    assert position["prisoners"] == {seat: {} for seat in SEATS}
    assert position["dead"] == dict.fromkeys(SEATS, 0)
    assert (position["piles"], position["next_pile"], position["last_pile"]) == ([], 1, None)
    assert (position["alive"], position["eliminated"], position["trail"], position["asked"]) == (
        list(SEATS),
        [],
        [],
        [],
    )
    assert position["captured"] is None


@pytest.mark.parametrize("seed", range(12))
def test_one_draw_picks_the_first_mover(seed):
    state, events = start(seed=seed)
    position = GAME.dump(state)
    mover = SEATS[Draws(seed).pick(4)]
    assert (position["mover"], position["to_act"], position["phase"]) == (mover, mover, "play")
    assert position["chance"] == {"seed": seed, "drawn": 1}
    assert [event.to_json() for event in events] == [{"kind": "start", "audience": "all", "mover": mover}]


def test_every_seat_can_be_first():
    assert {GAME.to_act(start(seed=seed).state) for seed in range(40)} == set(SEATS)


@pytest.mark.parametrize(("given_options", "switches"), [({}, MODERN), ({"rules": "classic"}, CLASSIC)])
def test_presets(given_options, switches):
    options = GAME.dump(start(given_options).state)["options"]
    assert options == {"chips": 7, "rules": given_options.get("rules", "modern"), **switches}


@pytest.mark.parametrize(("rules", "switch"), list(product(["modern", "classic"], SWITCHES)))
def test_a_switch_overrides_the_preset(rules, switch):
    preset = {"modern": MODERN, "classic": CLASSIC}[rules]
    for value in SWITCHES[switch]:
        options = GAME.dump(start({"rules": rules, switch: value}).state)["options"]
        assert options == {"chips": 7, "rules": rules, **preset, switch: value}


def test_options_may_come_as_a_mapping_or_as_options():
    assert start({"rules": "classic"}) == start(GAME.Options.model_validate({"rules": "classic"}))
    assert GAME.Options().model_dump() == {"chips": 7, "rules": "modern", **MODERN}


def test_a_position_may_leave_options_out_and_gets_them_all_back():
    where = {**position({"red": "r"}, chips_each=7), "options": {"rules": "classic", "order": "deepest"}}
    assert GAME.dump(GAME.load(where))["options"] == {"chips": 7, "rules": "classic", **CLASSIC, "order": "deepest"}


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"chips": 0}, "options.chips"),
        ({"chips": 13}, "options.chips"),
        ({"chips": True}, "options.chips"),
        ({"chips": 3.0}, "options.chips"),
        ({"chips": "3"}, "options.chips"),
        ({"chips": None}, "options.chips"),
        ({"rules": "Modern"}, "options.rules"),
        ({"rules": None}, "options.rules"),
        ({"rules": ["modern"]}, "options.rules"),
        ({"captor": "nobody"}, "options.captor"),
        ({"choice": None}, "options.choice"),
        ({"order": 1}, "options.order"),
        ({"donors": "all"}, "options.donors"),
        ({"heir": ""}, "options.heir"),
        ({"chip": 3}, "options.chip"),
        ([], "options"),
        ("modern", "options"),
    ],
)
def test_bad_options_are_named(options, field):
    with pytest.raises(BadStart, match=rf"^{field}: ") as fault:
        start(options)
    assert str(fault.value).isprintable()
    with pytest.raises(ValidationError):
        GAME.Options.model_validate(options)


@pytest.mark.parametrize("chips", [1, 12])
def test_one_to_twelve_chips(chips):
    assert GAME.dump(start({"chips": chips}).state)["supply"]["red"] == chips


@pytest.mark.parametrize("seed", [-1, 2**53, 1.0, True, "7", None])
def test_bad_seeds_are_refused(seed):
    with pytest.raises(BadStart, match=r"^seed: "):
        start(seed=seed)


def test_the_largest_seed_is_taken():
    assert GAME.dump(start(seed=2**53 - 1).state)["chance"]["seed"] == 2**53 - 1


@pytest.mark.parametrize("seats", [SEATS[:3], SEATS[::-1], (*SEATS, "red"), ("red", "blue", "green", "Yellow"), ()])
def test_start_takes_exactly_these_seats_in_this_order(seats):
    with pytest.raises(BadStart, match=r"^seats: "):
        start(seats=seats)


@pytest.mark.parametrize(("chips", "decisions"), [(1, 8 * 10 + 18), (3, 8 * 78 + 18), (7, 8 * 406 + 18)])
def test_the_bound_on_decisions(chips, decisions):
    assert GAME.longest(SEATS, {"chips": chips}) == decisions
    assert GAME.longest(SEATS, GAME.Options(chips=chips)) == decisions


def test_what_the_harness_reads_of_the_game():
    assert (GAME.name, GAME.version, GAME.title) == ("so_long_sucker", "1", "So Long Sucker")
    assert GAME.news == frozenset()
    assert GAME.turn_events == {"turn"}
    assert GAME.talk_events == {"ask"}
    assert list(GAME.pledges) == ["donate", "refuse", "spare", "give_turn"]
    assert all(len(kind.meaning.splitlines()) == 1 for kind in GAME.pledges.values())
    assert list(GAME.bots) == ["random", "greedy", "banker", "turncoat"]
