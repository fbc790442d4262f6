from __future__ import annotations

import pytest

from games.api import BadStart
from tests.games.twenty_one.build import GAME, SEATS, legal, play, start

VARIANTS = [{"jokers": jokers, "tie_break": tie} for jokers in (0, 1, 2, 3) for tie in ("none", "closest")]
NEEDS_JOKERS = ("joker_top", "replace_choice")


def build(name, options=None, seed=3):
    """The position, loaded to prove it sound, and its legal actions."""
    position = GAME.scenarios[name](SEATS, options or {}, seed)
    assert GAME.dump(GAME.load(position)) == position
    return position, legal(position)


def possible(name, options):
    return options["jokers"] or name not in NEEDS_JOKERS


@pytest.mark.parametrize("name", GAME.scenarios)
def test_every_scenario_is_sound_whatever_the_options_and_the_seed(name):
    for options in VARIANTS:
        if possible(name, options):
            for seed in range(20):
                position, _ = build(name, options, seed)
                assert position["options"] == options
                assert position["chance"]["seed"] == seed


@pytest.mark.parametrize("name", NEEDS_JOKERS)
def test_options_without_jokers_contradict_a_joker(name):
    with pytest.raises(BadStart, match=rf"^options\.jokers: {name} needs 1 or more"):
        GAME.scenarios[name](SEATS, {"jokers": 0}, 1)


def test_opening_is_the_usual_start():
    for options in VARIANTS:
        assert build("opening", options, 9)[0] == start(options, 9)


def test_joker_top_has_a_joker_on_top_and_one_in_hand_that_finds_no_place():
    for options in VARIANTS:
        if options["jokers"]:
            position, actions = build("joker_top", options)
            assert position["towers"]["green"][-1]["stone"] == "joker"
            assert "joker" in position["hands"][position["to_act"]]
            assert actions == ["place yellow4 on orange", "place yellow4 on yellow", "place yellow4 on green"]


def test_two_twenty_ones_is_one_stone_from_an_instant_win():
    for options in VARIANTS:
        position, _ = build("two_twenty_ones", options)
        made = [
            layers[-1]["by"] for layers in position["towers"].values() if sum(each["counts"] for each in layers) == 21
        ]
        assert made == ["p1", "p1"]
        after, events = play(position, "place green4 on blue")
        assert after["phase"] == "over"
        assert [event.get("how") for event in events if event["kind"] == "win"] == ["instant"]


def test_only_pass():
    for options in VARIANTS:
        assert build("only_pass", options)[1] == ["pass"]


def test_replace_choice_offers_several_replacements_and_places():
    for options in VARIANTS:
        if options["jokers"]:
            _, actions = build("replace_choice", options)
            assert [action for action in actions if action.startswith("replace")] == [
                "replace red5 on red", "replace red5 on purple", "replace orange4 on red",
            ]  # fmt: skip
            assert actions[0].startswith("place")
            assert "pass" not in actions


@pytest.mark.parametrize("name", GAME.scenarios)
def test_the_seed_deals_what_is_not_named(name):
    assert build(name, seed=1) == build(name, seed=1)
    hidden = {str(build(name, seed=seed)[0]["grids"]) for seed in range(10)}
    assert len(hidden) == 10


@pytest.mark.parametrize("name", GAME.scenarios)
def test_bad_starts_are_refused_as_at_any_start(name):
    for seats, options, seed, field in [
        (SEATS[::-1], {}, 1, "seats"),
        (SEATS, {"jokers": 4}, 1, r"options\.jokers"),
        (SEATS, {"joker": 3}, 1, r"options\.joker"),
        (SEATS, {}, -1, "seed"),
    ]:
        with pytest.raises(BadStart, match=rf"^{field}: "):
            GAME.scenarios[name](seats, options, seed)
