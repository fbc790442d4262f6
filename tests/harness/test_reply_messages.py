"""What a reply says to others and to itself: messages, notes and pledges, kept, cut or dropped."""

from __future__ import annotations

import json
from typing import Any

import pytest

from games.api import Allowance, Pledge
from harness.reply import NOTES_CHARS, PLEDGES_A_MESSAGE, REASONS, Completion, read
from tests.harness.reading import pledged, said, seen, text


@pytest.mark.parametrize(
    ("to", "delivered"),
    [
        ("Blue", "blue"),
        (" ALL ", "all"),
        ("everyone", None),
        (["blue", "green"], None),
        (None, None),
        ({"seat": "blue"}, None),
        ("red", None),
        ("", None),
        ("blue\u200b", None),
        (3, None),
    ],
)
def test_addressees_are_evened_out_and_nothing_more(to: Any, delivered: str | None) -> None:
    reading = said({"to": to, "text": "hi"})
    assert reading.reply is not None
    assert [message.to for message in reading.reply.messages] == ([delivered] if delivered else [])
    assert len(reading.dropped) == (0 if delivered else 1)


def test_a_message_without_addressee_is_dropped_and_the_action_stands() -> None:
    reading = said(
        {"text": "hi"}, "hello", 3, None, [], {"to": "all"}, {"to": "all", "text": 5}, {"to": "all", "text": "\u200b "}
    )
    assert reading.reply is not None
    assert reading.reply.actions == ("play red new",)
    assert reading.reply.messages == ()
    assert len(reading.dropped) == 8


@pytest.mark.parametrize("messages", ["hi", {"to": "all", "text": "hi"}, 4, True])
def test_messages_of_a_wrong_type_are_dropped(messages: Any) -> None:
    reading = text(json.dumps({"actions": ["play red new"], "messages": messages}))
    assert reading.reply is not None
    assert len(reading.dropped) == 1


def test_dropped_messages_do_not_use_up_the_allowance() -> None:
    reading = said({"to": "red", "text": "x"}, *({"to": "all", "text": str(number)} for number in range(5)))
    assert reading.reply is not None
    assert [message.text for message in reading.reply.messages] == ["0", "1"]
    assert len(reading.dropped) == 4


def test_where_nothing_may_be_said_nothing_is() -> None:
    hello = {"to": "all", "text": "hi"}
    assert said(hello, talk=None).dropped == ("nothing may be said now",)
    assert said(hello, talk=Allowance(0, 280, private=True)).dropped == ("nothing may be said now",)
    assert said({"to": "blue", "text": "hi"}, talk=Allowance(2, 280, private=False)).dropped != ()
    assert said(hello, talk=Allowance(2, 280, private=False)).dropped == ()


def test_cutting_is_marked_by_place_and_counts_clean_characters() -> None:
    reading = said(
        {"to": "all", "text": "\u200b" * 50 + "abcde"},
        {"to": "all", "text": "abcdef"},
        talk=Allowance(2, 5, private=True),
    )
    assert reading.reply is not None
    assert [message.text for message in reading.reply.messages] == ["abcde", "abcde"]
    assert reading.cut == (1,)


def test_reasons_are_bounded() -> None:
    reading = said(*["x"] * 5_000)
    assert len(reading.dropped) == REASONS + 1
    assert reading.dropped[-1] == f"{5_000 - REASONS} more messages dropped"


def test_direction_and_width_are_taken_out_of_all_that_is_passed_on() -> None:
    tricky = "I promise to \u202eyarteb\u202c you \u2066never\u200b \ufeffagain"
    plain = "I promise to yarteb you never again"
    answer = {
        "actions": ["play red new"],
        "messages": [{"to": "all", "text": tricky}],
        "notes": tricky,
        "thoughts": tricky,
    }
    reading = read(Completion(json.dumps(answer), tricky, None, "stop"), seen())
    assert reading.reply is not None
    assert reading.reply.messages[0].text == reading.reply.notes == reading.reply.thoughts == reading.reasoning == plain


def test_half_a_surrogate_pair_can_still_be_encoded() -> None:
    reading = text(
        '{"actions": ["play red new"], "notes": "\\udfff", '
        '"messages": [{"to": "all", "text": "a\\ud800b \\ud83d\\ude00"}]}'
    )
    assert reading.reply is not None
    assert reading.reply.messages[0].text == "a\ufffdb 😀"
    assert reading.reply.notes == "\ufffd"
    error = text('{"actions": ["\\ud800"]}').error
    assert error is not None
    error.encode()


def test_notes_are_bounded_and_of_one_type() -> None:
    reading = text(json.dumps({"actions": ["play red new"], "notes": "n" * 5_000}))
    assert reading.reply is not None
    assert reading.reply.notes == "n" * NOTES_CHARS
    for odd in (None, 4, ["a"], {"a": 1}):
        other = text(json.dumps({"actions": ["play red new"], "notes": odd, "thoughts": odd}))
        assert other.reply is not None
        assert other.reply.notes is None
        assert other.reply.thoughts is None


# Pledges


@pytest.mark.parametrize(
    ("given", "read_as"),
    [
        ({"kind": "donate", "to": "blue", "turns": 8}, Pledge("donate", "blue", 8)),
        ({"kind": " Spare ", "to": "GREEN", "turns": 1, "if": None}, Pledge("spare", "green", 1)),
        ({"kind": "donate", "to": "blue", "turns": 40, "if": "Spare"}, Pledge("donate", "blue", 40, "spare")),
        ({"kind": "donate", "to": "blue", "turns": 8.0}, Pledge("donate", "blue", 8)),
        ({"kind": "love", "to": "blue", "turns": 8}, None),
        ({"kind": None, "to": "blue", "turns": 8}, None),
        ({"kind": ["donate"], "to": "blue", "turns": 8}, None),
        ({"kind": "donate", "to": "red", "turns": 8}, None),
        ({"kind": "donate", "to": "all", "turns": 8}, None),
        ({"kind": "donate", "to": "purple", "turns": 8}, None),
        ({"kind": "donate", "to": ["blue"], "turns": 8}, None),
        ({"kind": "donate", "to": "blue", "turns": 0}, None),
        ({"kind": "donate", "to": "blue", "turns": 41}, None),
        ({"kind": "donate", "to": "blue", "turns": -3}, None),
        ({"kind": "donate", "to": "blue", "turns": 2.5}, None),
        ({"kind": "donate", "to": "blue", "turns": True}, None),
        ({"kind": "donate", "to": "blue", "turns": "8"}, None),
        ({"kind": "donate", "to": "blue"}, None),
        ({"kind": "donate", "to": "blue", "turns": 8, "if": "love"}, None),
        ({"kind": "donate", "to": "blue", "turns": 8, "if": ["spare"]}, None),
    ],
)
def test_pledges(given: dict[str, Any], read_as: Pledge | None) -> None:
    reading = pledged(**given)
    assert reading.reply is not None
    assert reading.reply.messages[0].pledges == ((read_as,) if read_as else ())
    assert len(reading.dropped_pledges) == (0 if read_as else 1)
    assert reading.dropped == ()


def test_pledges_to_the_eliminated_or_where_none_are_taken_are_dropped() -> None:
    hello = {"to": "all", "text": "x", "pledges": [{"kind": "donate", "to": "blue", "turns": 8}]}
    assert said(hello, alive=("red", "green")).dropped_pledges != ()
    assert said(hello, pledges=()).dropped_pledges == ("no pledges are taken in this game",)
    assert said(hello).dropped_pledges == ()


def test_pledges_of_a_wrong_type_or_too_many_are_dropped() -> None:
    one = {"kind": "donate", "to": "blue", "turns": 8}
    reading = said({"to": "all", "text": "x", "pledges": [one] * 10}, {"to": "all", "text": "y", "pledges": "donate"})
    assert reading.reply is not None
    assert len(reading.reply.messages[0].pledges) == PLEDGES_A_MESSAGE
    assert len(reading.dropped_pledges) == 3
    assert len(said({"to": "all", "text": "x", "pledges": ["donate", 1, None]}).dropped_pledges) == 3
