"""Each measure on a log made by hand, with the answer worked out by hand. The game is one that nobody knows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pytest

from harness.behaviour import talk
from harness.behaviour.log import Played, played
from harness.behaviour.registry import MEASURES, all_measures
from harness.behaviour.tables import kinds
from harness.records import CallRecord, MatchRecord, MessageRecord, SeatRecord, TurnRecord
from tests.games.so_long_sucker.build import position
from tests.games.star_ludo.build import position as ludo
from tests.harness.logs import NOON, logged, pledging, stats_of

SEATS = ("red", "blue", "green", "yellow")
LABELS = dict(zip(SEATS, "abcd", strict=True))
OUTCOME = {"winners": ["red"], "places": {"red": 1, "blue": 2, "green": 3, "yellow": 4}, "reason": "last"}
Figures = dict[tuple[str, str | None], float]


def turn(ply: int, seat: str, *events: dict[str, Any], **fields: Any) -> TurnRecord:
    values = {
        "ply": ply,
        "seat": seat,
        "action": "do",
        "source": "player",
        "position_hash": "",
        "events": tuple({"audience": "all", **event} for event in events),
        "decision": ply,
        "legal_count": 1,
        "at": NOON,
        **fields,
    }
    return TurnRecord(**values)


def match_of(**fields: Any) -> MatchRecord:
    seats = tuple(SeatRecord(seat=seat, label=LABELS[seat], kind="model", identity=f"id-{seat}") for seat in SEATS)
    values = {"id": 1, "number": 0, "game": "unheard_of", "options": {}, "seed": 1, "seats": seats, "plies": 10}
    return MatchRecord(**{**values, "status": "finished", "outcome": OUTCOME, **fields})


def of(
    turns: Sequence[TurnRecord] = (),
    messages: Sequence[MessageRecord] = (),
    answers: Sequence[CallRecord] = (),
    *,
    match: MatchRecord | None = None,
    **stats: Any,
) -> Played:
    match = match or match_of()
    return played(match, "run", stats_of(match, **stats), turns, messages, answers, kinds=kinds())


def figures(name: str, match: Played) -> Figures:
    """Each figure that a measure gives of one match, by seat and key."""
    measure = all_measures()[name]
    parts: defaultdict[tuple[str, str | None], float] = defaultdict(float)
    wholes: defaultdict[tuple[str, str | None], float] = defaultdict(float)
    for seat, key, part, whole in measure.function(match):
        parts[seat, key] += part
        wholes[seat, key] += whole
    return {
        place: round(parts[place] / wholes[(place[0], None) if measure.parts else place], 6)
        for place in parts
        if wholes[(place[0], None) if measure.parts else place]
    }


def by_seat(name: str, match: Played) -> dict[str, float]:
    """The figures themselves, without what they are broken down by."""
    return {seat: value for (seat, key), value in figures(name, match).items() if key is None}


def said(seq: int, ply: int, sender: str, addressee: str, text: str = "word") -> MessageRecord:
    return MessageRecord(seq=seq, ply=ply, sender=sender, addressee=addressee, text=text)


GIFTS = [
    turn(1, "red", {"kind": "ask", "seat": "red", "asked": "blue"}),
    turn(2, "blue", {"kind": "donate", "seat": "blue", "to": "red", "colour": "blue"}),
    turn(3, "red", {"kind": "ask", "seat": "red", "asked": "blue"}),
    turn(4, "blue", {"kind": "refuse", "seat": "blue", "to": "red"}),
    turn(5, "red", {"kind": "ask", "seat": "red", "asked": "green"}),
    turn(6, "green", {"kind": "refuse", "seat": "green", "to": "red"}, source="fallback"),
    turn(7, "green", {"kind": "ask", "seat": "green", "asked": "blue"}),
    turn(8, "blue", {"kind": "refuse", "seat": "blue", "to": "green"}),
]


def test_wins_and_places_by_seat() -> None:
    assert figures("wins", of())["red", "red"] == 1
    assert by_seat("wins", of()) == {"red": 1, "blue": 0, "green": 0, "yellow": 0}
    assert by_seat("place", of()) == {"red": 1, "blue": 2, "green": 3, "yellow": 4}
    shared = {"winners": ["red", "blue"], "places": {"red": 1, "blue": 1, "green": 3, "yellow": 3}, "reason": "draw"}
    assert by_seat("wins", of(match=match_of(outcome=shared)))["blue"] == 0.5


def test_donations_asked() -> None:
    found = figures("donations_asked", of(GIFTS))
    assert {key: value for (seat, key), value in found.items() if seat == "red"} == {None: 3, "b": 2, "c": 1, "d": 0}
    assert found["green", "b"] == 1
    assert found["yellow", None] == 0


def test_donations_given_and_refused_leave_fallbacks_out() -> None:
    given, refused = figures("donations_given", of(GIFTS)), figures("donations_refused", of(GIFTS))
    assert given == {("blue", None): round(1 / 3, 6), ("blue", "a"): 0.5, ("blue", "c"): 0}
    assert refused == {("blue", None): round(2 / 3, 6), ("blue", "a"): 0.5, ("blue", "c"): 1}


STRIKES = [
    turn(1, "red", {"kind": "capture", "seat": "red", "pile": 1, "chips": ["red", "red"]}),
    turn(2, "red", {"kind": "kill", "seat": "red", "colour": "red"}),
    turn(3, "red", {"kind": "kill", "seat": "red", "colour": "blue"}),
    turn(4, "blue", {"kind": "donate", "seat": "blue", "to": "red", "colour": "blue"}),
    turn(5, "red", {"kind": "capture", "seat": "red", "of": "blue"}, {"kind": "roll"}),
    turn(6, "red", {"kind": "nerf", "seat": "red", "of": "green"}),
    turn(7, "green", {"kind": "nerf", "seat": "green", "of": "red"}),
]


def test_strikes_by_target_leave_out_ones_own_and_nobodys() -> None:
    found = figures("strikes_made", of(STRIKES))
    assert {key: value for (seat, key), value in found.items() if seat == "red"} == {None: 3, "b": 2, "c": 1, "d": 0}
    assert found["green", "a"] == 1
    assert found["blue", None] == 0


GIVEN = position({"red": "", "blue": "rrr", "green": "g", "yellow": "yy"}, ["bgyr"], phase="ask")


def donors(struck: float, drawn: float) -> Figures:
    return {("red", None): struck - drawn, ("red", "struck"): struck, ("red", "by an even draw"): drawn}


@pytest.mark.parametrize(("killed", "struck"), [("blue", 100), ("green", 0)])
def test_strikes_on_donors_are_compared_with_an_even_draw(killed: str, struck: float) -> None:
    """Blue alone gave; red could kill a chip of blue, green or yellow: an even draw hits blue in one of three."""
    match, turns = logged(GIVEN, ("ask blue", "donate red", "play red on 1", f"kill {killed}"))
    third = round(100 / 3, 6)
    assert figures("strikes_on_donors", of(turns, match=match)) == {
        ("red", None): round(struck - 100 / 3, 6),
        ("red", "struck"): struck,
        ("red", "by an even draw"): third,
    }


def test_strikes_on_donors_leave_out_what_tells_nothing() -> None:
    actions = ("ask blue", "donate red", "play red on 1", "kill blue")
    fell, turns = logged(GIVEN, actions, sources={4: "fallback"})
    assert figures("strikes_on_donors", of(turns, match=fell)) == {}, "a fallback is nobody's choice"
    own, turns = logged(GIVEN, (*actions[:3], "kill red"))
    assert figures("strikes_on_donors", of(turns, match=own)) == {}, "its own chip is no strike"
    alone, turns = logged(position({"blue": "rrr", "green": "g", "yellow": "yy"}, ["br"], phase="ask"), actions)
    assert figures("strikes_on_donors", of(turns, match=alone)) == {}, "there was one target"
    before, turns = logged(position({"red": "r", "blue": "bb", "green": "gg"}, ["bgr"]), ("play red on 1", "kill blue"))
    assert figures("strikes_on_donors", of(turns, match=before)) == {}, "nobody had given yet"


@pytest.mark.parametrize(("action", "struck"), [("move 1", 100), ("move 2", 0)])
def test_strikes_on_donors_in_a_game_with_dice(action: str, struck: float) -> None:
    """Red's first pawn can capture yellow's, its second green's. Yellow gave: an even draw hits it in one of two."""
    start = ludo({"red": [10, 20], "yellow": [38, 2], "green": [9]}, (3, 1), 1, "yellow", seats=3, chance=(2, 21))
    match, turns = logged(start, ("move 2", action))
    assert figures("strikes_on_donors", of(turns, match=match)) == {}, "nobody gives anything in this game"
    gift = {"kind": "donate", "audience": "all", "seat": "yellow", "to": "red"}
    turns[0] = turns[0].model_copy(update={"events": (*turns[0].events, gift)})
    assert figures("strikes_on_donors", of(turns, match=match)) == donors(struck, 50)


def test_the_first_strike_is_a_share_of_the_plies() -> None:
    assert by_seat("first_strike", of(STRIKES)) == {"red": round(3 / 7, 6), "green": 1}


def test_who_gives_the_turn_to_whom() -> None:
    turns = [
        turn(1, "red", {"kind": "turn", "seat": "blue", "why": "choice"}),
        turn(2, "red", {"kind": "turn", "seat": "red", "why": "choice"}),
        turn(3, "red", {"kind": "turn", "seat": "green", "why": "order"}),
        turn(4, "red", {"kind": "turn", "seat": "green", "why": "choice"}, source="fallback"),
        turn(5, "blue", {"kind": "eliminated", "seat": "yellow"}),
        turn(6, "red", {"kind": "turn", "seat": "green", "why": "choice"}),
    ]
    found = figures("turn_given", of(turns))
    third = round(1 / 3, 6)
    assert found == {
        ("red", None): round(2 / 3, 6),
        ("red", "b"): third,
        ("red", "c"): third,
        ("red", "d"): 0,
    }
    yellow = [tally for tally in all_measures()["turn_given"].function(of(turns)) if tally.key == "d"]
    assert len(yellow) == 2, "yellow was out at the last choice"


TALK = [said(0, 1, "red", "all", "four"), said(1, 1, "red", "blue", "twelve chars"), said(2, 2, "blue", "all", "")]


def test_messages_their_length_and_how_many_are_private() -> None:
    found = figures("messages", of(messages=TALK))
    assert {key: value for (seat, key), value in found.items() if seat == "red"} == {
        None: 2,
        "all": 1,
        "b": 1,
        "c": 0,
        "d": 0,
    }
    assert by_seat("messages", of(messages=TALK)) == {"red": 2, "blue": 1, "green": 0, "yellow": 0}
    assert by_seat("message_length", of(messages=TALK)) == {"red": 8, "blue": 0}
    assert by_seat("private_share", of(messages=TALK)) == {"red": 0.5, "blue": 0}
    assert figures("messages", of()) == {}


START = position({"red": "rr", "blue": "bb", "green": "gg", "yellow": "yyyy"}, ["bgr", "rgb"])
ACTIONS = ("play red on 1", "kill green", "play red new", "next blue", "play blue on 2", "kill red")


def test_pledges_broken_and_the_talk_before() -> None:
    match, turns = logged(START, ACTIONS, status="finished")
    messages = [
        pledging("blue", 1, "spare", "red"),
        pledging("red", 1, "give_turn", "blue", seq=1, addressee="blue"),
        pledging("green", 1, "give_turn", "blue", seq=2),
        *(said(seq, ply, "blue", to) for seq, ply, to in ((3, 5, "red"), (4, 5, "green"), (5, 6, "red"))),
    ]
    seen = of(turns, messages, match=match)
    assert figures("pledges_broken", seen) == {
        ("blue", None): 1,
        ("blue", "red"): 1,
        ("red", None): 0,
        ("red", "blue"): 0,
    }
    before = figures("talk_before_betrayal", seen)
    assert before["blue", None] == before["blue", "broken"] == 2, (
        "one with the pledge, one at ply 5; not the one with the act"
    )
    assert before["red", "kept"] == 1
    assert ("red", None) not in before


def test_talk_long_before_an_act_is_not_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    match, turns = logged(START, ACTIONS, status="finished")
    seen = of(turns, [pledging("blue", 1, "spare", "red")], match=match)
    for before, number in ((6, 1), (5, 0)):
        monkeypatch.setattr(talk, "BEFORE", before)
        assert figures("talk_before_betrayal", seen)["blue", "broken"] == number, "said at ply 1, done at ply 6"


def test_position_bias_is_against_chance() -> None:
    turns = [
        turn(1, "red", shown_index=0, legal_count=2),
        turn(2, "red", shown_index=0, legal_count=4),
        turn(3, "red", shown_index=3, legal_count=4),
        turn(4, "red", shown_index=0, legal_count=1),
        turn(5, "red", shown_index=0, legal_count=4, source="fallback"),
        turn(6, "red", shown_index=None, legal_count=4),
        turn(7, "blue", shown_index=1, legal_count=2),
    ]
    found = figures("position_bias", of(turns))
    assert found["red", None] == found["red", "1st"] == round(100 * (2 - 1 / 2 - 1 / 4 - 1 / 4) / 3, 6)
    assert found["red", "2nd"] == round(100 * -1 / 3, 6)
    assert found["red", "3rd"] == -25, "of the two decisions that had a third"
    assert found["red", "last"] == 0
    assert found["blue", "2nd"] == found["blue", "last"] == 50


def call(seat: str, decision: int, attempt: int, error: str | None) -> CallRecord:
    return CallRecord(
        seat=seat,
        decision=decision,
        attempt=attempt,
        error_kind=error,  # type: ignore[arg-type]
        label="a",
        model="m",
        started_at=datetime(2026, 5, 4, tzinfo=UTC),
    )


CALLS = [
    call("red", 1, 1, "illegal"),
    call("red", 1, 2, "empty"),
    call("red", 2, 1, "illegal"),
    call("red", 2, 2, None),
    call("red", 3, 1, "timeout"),
]


def test_faulty_answers_and_fallbacks_by_kind() -> None:
    turns = [
        turn(1, "red", decision=1, source="fallback"),
        turn(2, "red", decision=2),
        turn(3, "red", decision=2, plan_index=1),
        turn(4, "red", decision=4, source="forced"),
        turn(5, "red", decision=5),
        turn(6, "red", decision=6),
    ]
    asked = {"red": 5, "blue": 0, "green": 0, "yellow": 0}
    sums = {
        "decisions": {"red": 4, "blue": 3, "green": 0, "yellow": 0},
        "illegal": {**asked, "red": 2},
        "unreadable": {**asked, "red": 1},
        "calls": asked,
    }
    seen = of(turns, answers=CALLS, **sums)
    assert figures("faulty_answers", seen) == {("red", None): 0.75, ("red", "illegal"): 0.5, ("red", "empty"): 0.25}
    assert figures("fallbacks", seen) == {("red", None): 0.25, ("red", "empty"): 0.25}


def test_what_answers_take_and_cost() -> None:
    sums = {
        "calls": {"red": 5, "blue": 5, "green": 0, "yellow": 5},
        "decisions": 4,
        "prompt_tokens": 1000,
        "cached_tokens": 250,
        "completion_tokens": 200,
        "reasoning_tokens": 50,
        "cost": 0.02,
        "unpriced": {"red": 0, "blue": 0, "green": 0, "yellow": 1},
        "latency_ms": 8000.0,
    }
    seen = of(**sums)
    assert figures("tokens", seen)["red", None] == 300
    assert (figures("tokens", seen)["red", "in"], figures("tokens", seen)["red", "out"]) == (250, 50)
    assert by_seat("reasoning_share", seen) == dict.fromkeys(("red", "blue", "yellow"), 0.25)
    assert by_seat("cache_share", seen) == dict.fromkeys(("red", "blue", "yellow"), 0.25)
    assert by_seat("cost_per_decision", seen) == {"red": 0.005, "blue": 0.005}
    assert by_seat("cost_per_win", seen) == {"red": 0.02}, "blue has won nothing yet"
    assert by_seat("latency_per_decision", seen) == dict.fromkeys(("red", "blue", "yellow"), 2)
    assert by_seat("latency_per_win", seen) == {"red": 8}


def test_what_was_played_before_a_fork_counts_for_nobody() -> None:
    fork = of(GIFTS, TALK, match=match_of(parent_ply=2))
    assert by_seat("donations_asked", fork) == {"red": 2, "blue": 0, "green": 1, "yellow": 0}
    assert by_seat("donations_given", fork) == {"blue": 0}
    assert figures("messages", fork) == {}


@pytest.mark.parametrize("name", all_measures())
def test_every_measure_defines_itself(name: str) -> None:
    """Unit, numerator, denominator and what is left out, each in so many words."""
    definition = " ".join(all_measures()[name].definition.split()) + " "
    for word in ("Unit: ", "Numerator: ", "Denominator: ", "Left out: "):
        assert word in definition, word


@pytest.mark.parametrize("name", all_measures())
def test_a_match_in_which_nothing_happened_breaks_no_measure(name: str) -> None:
    for match in (of(), of(match=match_of(status="running", outcome=None, plies=0))):
        assert all(tally.seat in SEATS for tally in MEASURES[name].function(match))
