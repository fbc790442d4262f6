from __future__ import annotations

import pytest

from games.api import BadStart
from tests.games.so_long_sucker.build import GAME, SEATS
from tests.games.so_long_sucker.laws import ALL_SWITCHES

VARIANTS = [
    {"chips": chips, **switches} for chips in (1, 2, 3, 4, 7, 12) for switches in ALL_SWITCHES
] + [{"rules": "classic"}, {}]  # fmt: skip


def build(name, options, seed=3):
    position = GAME.scenarios[name](SEATS, options, seed)
    state = GAME.load(position)
    assert GAME.dump(state) == position, "every option is resolved"
    return position, GAME.legal(state)


def kinds(position, action):
    return [(event.kind, event.fields.get("seat")) for event in GAME.apply(GAME.load(position), action).events]


def test_their_names():
    assert list(GAME.scenarios) == [
        "opening", "capture_ready", "donation_needed", "choose_next", "prisoner_play", "endgame_two", "many_piles",
    ]  # fmt: skip


@pytest.mark.parametrize("name", GAME.scenarios)
def test_each_is_for_any_chips_and_switches_and_keeps_the_seed(name):
    for options in VARIANTS:
        if name == "capture_ready" and options.get("chips") == 1:
            continue
        position, legal = build(name, options, seed=99)
        assert position["chance"] == {"seed": 99, "drawn": 1}
        assert position["options"] == GAME.Options.model_validate(options).model_dump()
        assert legal


def test_opening_is_the_start():
    for options in VARIANTS:
        assert build("opening", options, 8)[0] == GAME.dump(GAME.start(SEATS, options, 8).state)
    assert {build("opening", {}, seed)[0]["mover"] for seed in range(30)} == set(SEATS)


def test_capture_ready_lets_the_mover_capture():
    for options in VARIANTS:
        if options.get("chips") != 1:
            position, legal = build("capture_ready", options)
            assert "play red on 1" in legal
            assert ("capture", "red") in kinds(position, "play red on 1")


@pytest.mark.parametrize("options", [{"chips": 1}, {"chips": 1, "rules": "classic"}])
def test_capture_ready_cannot_be_with_one_chip(options):
    with pytest.raises(BadStart, match=r"^options\.chips: .*2 or more"):
        build("capture_ready", options)


def test_donation_needed_has_an_empty_mover_and_three_to_ask():
    for options in VARIANTS:
        position, legal = build("donation_needed", options)
        assert position["phase"] == "ask"
        assert legal == ("ask blue", "ask green", "ask yellow")


def test_choose_next_offers_a_choice():
    for options in VARIANTS:
        position, legal = build("choose_next", options)
        assert position["phase"] == "next"
        assert len(legal) >= 2
        assert {"next green", "next yellow"} <= set(legal)


def test_prisoner_play_holds_prisoners_to_play():
    for options in VARIANTS:
        position, legal = build("prisoner_play", options)
        assert sum(position["prisoners"]["red"].values()) == 2
        assert {action.split(" ")[1] for action in legal} > {"red", "blue"}
        if options.get("chips", 7) > 1:
            captor = "blue" if position["options"]["captor"] == "owner" else "red"
            assert ("capture", captor) in kinds(position, "play blue on 1")


def test_endgame_two_has_two_alive():
    for options in VARIANTS:
        position, _ = build("endgame_two", options)
        assert (position["alive"], position["eliminated"]) == (["red", "blue"], ["yellow", "green"])
        assert position["phase"] == "play"


def test_many_piles():
    for options in VARIANTS:
        position, _ = build("many_piles", options)
        assert len(position["piles"]) >= (5 if options.get("chips", 7) > 2 else 3)


@pytest.mark.parametrize("name", GAME.scenarios)
def test_bad_starts_are_refused_as_at_any_start(name):
    for seats, options, seed, field in [
        (SEATS[:3], {}, 1, "seats"),
        (SEATS, {"chips": 0}, 1, "options.chips"),
        (SEATS, {"chip": 3}, 1, "options.chip"),
        (SEATS, {}, -1, "seed"),
    ]:
        with pytest.raises(BadStart, match=rf"^{field}: "):
            GAME.scenarios[name](seats, options, seed)


@pytest.mark.parametrize("name", GAME.scenarios)
def test_the_same_arguments_give_the_same_position(name):
    options = GAME.Options(chips=4)
    assert build(name, options, 5) == build(name, {"chips": 4}, 5)
