from __future__ import annotations

import pytest

from games.api import Event
from harness.prompt import Context, event_text, render, view_text
from harness.spec import Interface, Talk
from tests.games.twenty_one.build import GAME, SEATS, play, position, start
from tests.games.twenty_one.test_bots import seen
from tests.games.twenty_one.test_rounds import TWO, WALKS


def text(where, seat):
    return view_text("twenty_one", GAME.view(GAME.load(where), seat))


def rules(options, framing="neutral"):
    observation = seen(start(options))
    full = GAME.Options.model_validate(options).model_dump()
    context = Context("twenty_one", "p1", SEATS, full, None, Interface(framing=framing), Talk(), "off", {})
    return "\n".join(render(observation, observation.legal, context, (), ())[0].parts)


def lines(where, seat, beginning):
    return [line for line in text(where, seat).splitlines() if line.startswith(beginning)]


def test_towers_are_a_table_with_what_they_lack_to_21():
    where = position({"red": "p1:red6 p2:purple6 p2:orange3 p1:joker"}, "red1")
    assert lines(where, "p1", "| red |") == [
        "| red | 18 | 3 | p1 (you) | purple red orange | red6 purple6 orange3 joker=3 |"
    ]
    assert lines(where, "p2", "| purple |") == ["| purple | 0 | 21 | nobody | blue purple red | empty |"]


def test_what_was_announced_and_what_of_it_is_left():
    where = position({"red": "p1:red6"}, "joker blue4", turn=2, kinds=("numbers", "colours"), other="green1 green2")
    assert lines(where, "p1", "- announced:") == [
        "- announced: numbers 0 4 6; not placed yet: 0 4",
        "- announced: colours red green green; not placed yet: green green",
    ]
    assert lines(start(), "p1", "- announced:") == ["- announced: nothing yet in this round"] * 2


def test_the_own_hand_is_shown_and_the_others_is_counted():
    where = position({"red": "p1:red6"}, "joker blue4", turn=2, other="green1 green2")
    assert lines(where, "p1", "- hand:") == ["- hand: joker blue4", "- hand: 2 hidden"]
    assert lines(where, "p2", "- hand:") == ["- hand: 2 hidden", "- hand: green1 green2"]
    assert lines(where, None, "- hand:") == ["- hand: joker blue4", "- hand: green1 green2"]


def test_the_own_grid_is_shown_and_the_lines_that_are_left():
    where, _ = play(start(), "take column 2 colours")
    grid = where["grids"]["p1"][0]
    assert lines(where, "p1", "| row") == [
        f"| row {row + 1} | {grid[3 * row]} | taken | {grid[3 * row + 2]} |" for row in range(3)
    ]
    assert lines(where, "p1", "- lines left") == [
        "- lines left in grid 1: column 1, column 3",
        "- lines left in grid 1: row 1, row 2, row 3, column 1, column 2, column 3",
    ]
    assert "column 1 | column 2 | column 3" in text(where, "p1")
    assert "p2, grid" not in text(where, "p1")


def test_what_is_not_in_play_is_shown_to_the_spectator_and_at_the_end():
    where = position(TWO, "green4", number=4)
    removed = f"Not in play: {' '.join(where['removed'])}."
    assert removed in text(where, None)
    assert "Not in play" not in text(where, "p1")
    after, _ = play(where, "place green4 on blue")
    assert removed in text(after, "p2")
    assert text(after, "p2").startswith("The match is over, in round 4 of 6.")


@pytest.mark.parametrize("seat", [*SEATS, None])
def test_every_view_has_its_words(seat):
    for steps in WALKS:
        for where, _, after, _ in steps:
            for each in (where, after):
                words = text(each, seat)
                assert "None" not in words
                assert "\n\n\n" not in words
                assert all(line == line.rstrip() for line in words.splitlines())
                assert f"ound {each['round']} of 6" in words


def test_every_event_has_its_words_on_one_line():
    kinds = set()
    for steps in WALKS:
        for _, _, _, events in steps:
            for record in events:
                event = Event.from_json(record)
                words = event_text("twenty_one", event)
                assert words != event.kind
                assert len(words.splitlines()) == 1
                assert not set("{}[]=") & set(words)
                kinds.add(event.kind)
    for event in GAME.start(SEATS, {}, 1).events:
        kinds.add(event.kind)
        assert event_text("twenty_one", event) != event.kind
    assert kinds == {
        "deal", "round", "grid", "take", "hand", "place", "replace", "pass", "discard", "owner", "win", "draw",
        "reveal",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (("place", {"seat": "p1", "stone": "red4", "tower": "orange", "counts": 4, "total": 9}),
         "p1 places red4 on orange: total 9"),
        (("place", {"seat": "p1", "stone": "joker", "tower": "orange", "counts": 4, "total": 9}),
         "p1 places joker on orange, counting 4: total 9"),
        (("replace", {"seat": "p1", "stone": "red4", "tower": "red", "joker_of": "p2", "total": 19}),
         "p1 replaces p2's joker on red with red4: total 19"),
        (("replace", {"seat": "p1", "stone": "red4", "tower": "red", "joker_of": "p1", "total": 19}),
         "p1 replaces its own joker on red with red4: total 19"),
        (("win", {"seat": "p1", "how": "tie_break"}), "p1 wins the tie, being closer to 21"),
        (("reveal", {"removed": [], "grids": {}, "hands": {}}), "all stones are shown; not in play were none"),
    ],
)  # fmt: skip
def test_words_of_events(event, words):
    kind, fields = event
    assert event_text("twenty_one", Event(kind, "all", fields)) == words


def test_the_rules_follow_the_options():
    usual = rules({})
    assert "6 of them, drawn by chance" in usual
    assert "15 coloured and 3 grey jokers" in usual
    assert "Equally many make a draw." in usual
    assert "17 coloured and 1 grey joker." in rules({"jokers": 1})
    assert "joker" not in rules({"jokers": 0}).replace("there are no jokers", "")
    assert "smaller sum of what own towers lack to 21" in rules({"tie_break": "closest"})


@pytest.mark.parametrize("options", [{}, {"jokers": 0, "tie_break": "closest"}])
def test_the_rules_name_every_form_of_action(options):
    words = rules(options)
    for form in ("take row N colours", "take column N numbers", "place STONE on TOWER", "pass"):
        assert f"`{form}`" in words
    assert ("`replace STONE on TOWER`" in words) == (options == {})
    assert "\n\n\n" not in words


def test_the_mood_is_the_games_own():
    assert "Every tower is shared until the last stone lies on it" in rules({}, "cutthroat")
    assert "mood" not in rules({})
