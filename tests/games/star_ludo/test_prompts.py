from __future__ import annotations

import pytest

from games.api import Event
from games.chance import Draws
from harness.prompt import Context, event_text, render, view_text
from harness.spec import Interface, Talk
from tests.games.star_ludo.build import GAME, SEATS, position, seen
from tests.games.star_ludo.test_position import CAPPED, WON


def lines(where, seat, beginning=""):
    text = view_text("star_ludo", GAME.view(GAME.load(where), seat))
    return [line for line in text.splitlines() if line.startswith(beginning)]


def rules(options, number=4, framing="neutral"):
    where = GAME.dump(GAME.start(SEATS[number], options, 3).state)
    full = GAME.Options.model_validate(options).model_dump()
    observation = seen(where)
    context = Context(
        "star_ludo", observation.seat, SEATS[number], full, None, Interface(framing=framing), Talk(), "off", {}
    )
    return "\n".join(render(observation, observation.legal, context, (), ())[0].parts)


def test_whose_die_it_is():
    where = position({"red": [20]}, (6, 6), 1, extra=["double_six", "home"])
    assert lines(where, "red", "Roll") == [
        "Roll 10 of 2000: red (you) has 6 and 6 and plays the 6, the second die. Extra turn earned: double six, home."
    ]
    assert lines(position({"red": [20]}), None, "Roll") == [
        "Roll 10 of 2000: red has 5 and 2 and plays the 5, the first die. Extra turn earned: none."
    ]


def test_the_track_as_places_with_squares_and_stars():
    where = position({"red": [20, 8, 53, 56], "blue": [13, 50]}, seats=4)
    assert lines(where, "blue", "| red") == ["| red | 20 (square 20) | 8 (square 8, star) | 53 (home row) | home | 1 |"]
    assert lines(where, "blue", "| blue") == ["| blue (you) | 13 (square 0, star) | 50 (square 37) | yard | yard | 0 |"]


def test_what_each_legal_move_would_land_on():
    where = position({"red": [-1, 3, 49, 50], "yellow": [26, 35]}, (6, 5))
    assert lines(where, "yellow", "- move") == [
        "- move 1: from yard to 0 (square 0, star), captures yellow (you)'s pawn 1, which stands on its place 26",
        "- move 2: from 3 (square 3) to 9 (square 9), captures yellow (you)'s pawn 2, which stands on its place 35",
        "- move 3: from 49 (square 49) to 55 (home row)",
        "- move 4: from 50 (square 50) to home",
    ]


@pytest.mark.parametrize("number", [2, 3, 4])
def test_every_legal_move_has_its_line_all_match_long(number):
    draws = Draws(f"prompts {number}")
    state = GAME.start(SEATS[number], {"cap": 60}, 4).state
    while seat := GAME.to_act(state):
        text = view_text("star_ludo", GAME.view(state, seat))
        named = [line.split(":")[0].removeprefix("- ") for line in text.splitlines() if line.startswith("- move")]
        assert tuple(named) == GAME.legal(state)
        assert text.isascii()
        state = GAME.apply(state, draws.choice(GAME.legal(state))).state


def test_after_the_end():
    assert lines(WON, None)[0] == lines(CAPPED, "red")[0] == "The match is over after 10 rolls."
    assert lines(WON, None, "- move") == []


EVENTS = [
    (("start", {"seat": "red"}), "red begins"),
    (("roll", {"seat": "red", "dice": [2, 5]}), "red rolls 2 and 5"),
    (("skip", {"seat": "red", "die": 5}), "red has no move for the 5"),
    (("exit", {"seat": "red", "pawn": 2, "die": 6}), "red brings pawn 2 out of the yard with the 6"),
    (
        ("move", {"seat": "red", "pawn": 1, "die": 4, "from": 10, "to": 14}),
        "red moves pawn 1 by 4 from place 10 to 14",
    ),
    (
        ("capture", {"seat": "red", "pawn": 1, "of": "blue", "of_pawn": 3, "square": 14}),
        "red's pawn 1 captures blue's pawn 3 on square 14",
    ),
    (("home", {"seat": "red", "pawn": 4}), "red's pawn 4 is home"),
    (("extra_turn", {"seat": "red", "why": ["double_six", "home"]}), "red has an extra turn (double six, home)"),
    (("turn", {"seat": "blue"}), "blue is next"),
    (("win", {"seat": "red"}), "red wins with four pawns home"),
    (("cap", {}), "the last roll is played and the match ends"),
]


@pytest.mark.parametrize(("event", "text"), EVENTS)
def test_events_in_words(event, text):
    assert event_text("star_ludo", Event(event[0], "all", event[1])) == text


def test_the_rules_name_what_the_options_change():
    assert "several in one turn earn one together" in rules({})
    assert "so several may follow" in rules({"extra": "stack"})
    assert "ends after 2000 rolls in any case" in rules({})
    assert "ends after 1 roll in any case" in rules({"cap": 1})


@pytest.mark.parametrize("number", [2, 3, 4])
def test_the_rules_name_the_seats_and_their_starts(number):
    starts = {"red": 0, "green": 13, "yellow": 26, "blue": 39}
    text = rules({}, number)
    assert f"Start squares: {', '.join(f'{seat} {starts[seat]}' for seat in SEATS[number])}." in text
    assert ("blue" in text) == (number == 4)


def test_the_neutral_rules_urge_nothing_and_the_cutthroat_ones_do():
    assert "The mood at this table" not in rules({})
    assert "The mood at this table" in rules({}, framing="cutthroat")
