"""What crosses to a player, and what does not."""

from __future__ import annotations

from collections import Counter

import pytest

from games import get_game
from games.api import Allowance, Event, Message
from harness.observation import Memory, Record, chance_key, observe, shown_order
from tests.harness.tables import SEATS

GAME = get_game("so_long_sucker")
STATE = GAME.start(SEATS, GAME.Options(chips=3), 1).state


def seen_by(seat: str, record: Record, memory: Memory | None = None, **more: object) -> object:
    usual: dict[str, object] = {"asked": "act", "talk": None, "pledges": True}
    return observe(GAME, STATE, seat, SEATS, record, memory or Memory(), **{**usual, **more})  # type: ignore[arg-type]


def test_events_reach_their_audience_alone() -> None:
    record = Record(events=[Event("a", "all", {}), Event("b", ("blue",), {}), Event("c", ("red", "blue"), {})])
    heard = {seat: "".join(event.kind for event in seen_by(seat, record).events) for seat in SEATS}  # type: ignore[attr-defined]
    assert heard == {"red": "ac", "blue": "abc", "green": "a", "yellow": "a"}


def test_messages_reach_sender_addressee_and_all() -> None:
    record = Record(messages=[Message("red", "all", "x"), Message("red", "blue", "y"), Message("blue", "red", "z")])
    heard = {seat: "".join(message.text for message in seen_by(seat, record).messages) for seat in SEATS}  # type: ignore[attr-defined]
    assert heard == {"red": "xyz", "blue": "xyz", "green": "x", "yellow": "x"}


def test_only_what_is_new_since_the_last_decision() -> None:
    record = Record(events=[Event("a", "all", {}), Event("b", "all", {})], messages=[Message("red", "all", "x")])
    seen = seen_by("blue", record, Memory(events_seen=1, messages_seen=1))
    assert [event.kind for event in seen.events] == ["b"]  # type: ignore[attr-defined]
    assert seen.messages == ()  # type: ignore[attr-defined]


def test_no_seed_and_no_generator_is_shown() -> None:
    for seat in SEATS:
        assert "chance" not in seen_by(seat, Record()).view  # type: ignore[attr-defined]


def test_in_a_talk_round_no_action_is_offered() -> None:
    assert seen_by("red", Record(), asked="talk").legal == ()  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("talk", "pledges", "offered"), [(None, True, False), (Allowance(1, 9, True), False, False),
                                     (Allowance(1, 9, True), True, True)]
)  # fmt: skip
def test_pledges_are_offered_where_they_can_be_carried(talk: Allowance | None, pledges: bool, offered: bool) -> None:
    assert bool(seen_by("red", Record(), talk=talk, pledges=pledges).pledges) is offered  # type: ignore[attr-defined]


def test_the_shown_order_is_a_shuffle_that_puts_each_action_first_alike() -> None:
    legal = tuple("abcdef")
    firsts = Counter(shown_order(chance_key("run", 0, "red", k, "shown"), legal)[0] for k in range(3000))
    assert sorted(shown_order("x", legal)) == list(legal)
    assert min(firsts.values()) > 400
    assert max(firsts.values()) < 600


def test_chance_differs_by_run_match_seat_decision_and_purpose() -> None:
    keys = {
        chance_key(run, number, seat, decision, purpose)
        for run in ("a", "b")
        for number in (0, 1)
        for seat in ("red", "blue")
        for decision in (0, 1)
        for purpose in ("shown", "choice")
    }
    assert len(keys) == 32
