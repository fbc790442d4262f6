"""Reading a model's reply: the kept cases, which object is the answer, and the action in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from games.api import Allowance, Message
from harness.reply import Completion, read
from tests.harness.reading import seen, text

CASES = json.loads((Path(__file__).parents[1] / "cases" / "replies" / "cases.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_kept_cases(case: dict[str, Any]) -> None:
    raw, expect = case["reply"], case["expect"]
    completion = Completion(raw["content"], raw["reasoning_content"], raw["tool_arguments"], raw["finish_reason"])
    observation = seen(
        seat=case["seat"],
        seats=tuple(case["seats"]),
        legal=tuple(case["legal"]),
        alive=tuple(seat for seat in case["seats"] if seat not in case["out"]),
        talk=Allowance(case["limits"]["messages"], case["limits"]["chars"], private=True),
    )
    reading = read(completion, observation)
    if "error" in expect:
        assert reading.reply is None
        assert reading.error_kind == expect["error"]
        assert reading.error
        return
    assert reading.reply is not None
    assert list(reading.reply.actions) == expect["actions"]
    assert reading.read_by == expect["read_by"]
    if "reasoning" in expect:
        assert reading.reasoning == expect["reasoning"]
    if "messages" in expect:
        assert [{"to": message.to, "text": message.text} for message in reading.reply.messages] == expect["messages"]
    assert len(reading.dropped) == expect.get("dropped", 0)
    assert len(reading.dropped_pledges) == expect.get("dropped_pledges", 0)


# Thinking

LONE = 'Blue is short of chips. {"actions": ["play red new"]} would feed him, so no.\n</think>\n'


def test_all_before_a_lone_closing_tag_is_thinking() -> None:
    reading = text(LONE + '{"actions": ["play blue new"]}')
    assert reading.reply is not None
    assert reading.reply.actions == ("play blue new",)
    assert reading.read_by == "whole"
    assert reading.reasoning is not None
    assert reading.reasoning.startswith("Blue is short of chips.")


def test_thinking_alone_is_an_empty_reply() -> None:
    assert text(LONE).error_kind == "empty"


@pytest.mark.parametrize("words", ["you wrote <think>trust me</think>, I do not", "your <think> tag does not fool me"])
@pytest.mark.parametrize(
    "frame", ["{}", "Here it is: {} done", "```json\n{}\n```", "<think>hm</think>{}", "hm</think>{}"]
)
def test_a_tag_in_a_string_is_text(words: str, frame: str) -> None:
    answer = json.dumps({"actions": ["play red new"], "messages": [{"to": "blue", "text": words}]})
    reading = text(frame.replace("{}", answer))
    assert reading.reply is not None
    assert reading.reply.actions == ("play red new",)
    assert reading.reply.messages == (Message("red", "blue", words),)


@pytest.mark.parametrize(
    ("content", "actions"),
    [
        ('<think>a<think>b</think>c</think>{"actions": ["play blue new"]}', ("play blue new",)),
        ('{"actions": ["play red new"]}</think>{"actions": ["play blue new"]}', ("play blue new",)),
        ('<think>a</think>{"actions": ["play red new"]}</think>{"actions": ["play blue new"]}', ("play blue new",)),
        ('{"actions": ["play blue new"]}<think>or {"actions": ["play red new"]}?', ("play blue new",)),
        ('{"actions": <think>which?</think> ["play blue new"]}', ("play blue new",)),
    ],
)
def test_thinking_in_odd_places(content: str, actions: tuple[str, ...]) -> None:
    reading = text(content)
    assert reading.reply is not None
    assert reading.reply.actions == actions


def test_reasoning_of_both_kinds_is_joined_and_cleaned() -> None:
    reading = read(Completion('<think>b\u202e</think>{"action": "play red new"}', "a\x1b", None, "stop"), seen())
    assert reading.reasoning == "a\n\nb"


# Which object is the answer


def test_fenced_answers_go_before_embedded_ones() -> None:
    reading = text('Not {"actions": ["play red new"]} but\n```json\n{"actions": ["play blue new"]}\n```')
    assert reading.reply is not None
    assert reading.reply.actions == ("play blue new",)
    assert reading.read_by == "fenced"


def test_backticks_in_a_string_close_no_fence() -> None:
    answer = '{"actions": ["play red new"], "messages": [{"to": "all", "text": "```"}]}'
    reading = text(f"```json\n{answer}\n```\nNot {answer.replace('red', 'blue')}")
    assert reading.reply is not None
    assert reading.read_by == "fenced"
    assert reading.reply.actions == ("play red new",)


def test_a_longer_fence_holds_a_shorter_one() -> None:
    reading = text('````\n```\n{"actions": ["play red new"]}\n````\n{"actions": ["play blue new"]}')
    assert reading.reply is not None
    assert reading.read_by == "fenced"


@pytest.mark.parametrize(
    "content",
    [
        '{"actions": ["play red new"], "actions": ["play blue new"]}',
        '{"actions": ["play red new"], "action": "play blue new"}',
        '```\n{"actions": ["play red new"]}\n```\n```\n{"actions": ["play blue new"]}\n```',
        'a {"actions": ["play red new"]} b {"actions": ["play red new"], "messages": [{"to": "all", "text": "hi"}]}',
        '[{"actions": ["play red new"]}, {"actions": ["play blue new"]}]',
    ],
)
def test_two_different_answers(content: str) -> None:
    reading = text(content)
    assert reading.error_kind == "unreadable"
    assert reading.error == "the reply holds two different answers"


@pytest.mark.parametrize(
    "content",
    [
        '{"actions": ["play red new"], "actions": ["play red new"]}',
        '{"actions": ["play red new"], "action": "Play red new"}',
        '{"actions": null, "action": "play red new"}',
        'a {"actions": ["play red new"]} b {"action": "PLAY red  new", "sure": true}',
        '{"actions": ["play red new"], "odd": 1, "odd": 2}',
    ],
)
def test_the_same_answer_twice_is_one(content: str) -> None:
    reading = text(content)
    assert reading.reply is not None
    assert reading.reply.actions == ("play red new",)


@pytest.mark.parametrize(
    "content",
    [
        '{"plan": {"actions": ["play red new"]}}',
        '{"plan": {"actions": ["play red new"]},}',
        '{"plan": {"actions": ["play red new"]}',
        '{"actions": ["play red new"], "x": NaN}',
        '{"actions": ["play red new"], "x": -Infinity}',
        '{"actions": ["play red new"], "x": 01}',
        '{"actions": ["play red new"], "x": "a\nb"}',
        '{"actions": ["play red new"], "x": "\\x41"}',
        '{"actions": ["play red new"] /* mine */}',
        "{}",
        '["play red new"]',
        '"play red new"',
    ],
)
def test_what_is_no_answer(content: str) -> None:
    assert text(content).error_kind == "unreadable"


def test_a_broken_brace_before_the_answer_does_not_hide_it() -> None:
    for before in ("{", "{blue, red}", '{"', '{"a": 1, ', 'the set {"red", "blue"} and ', '{"actions": [...]} like '):
        reading = text(before + '{"actions": ["play red new"]}')
        assert reading.reply is not None, before
        assert reading.read_by == "embedded"


def test_tool_arguments_count_only_without_content() -> None:
    arguments = '{"actions": ["play red new"]}'
    assert read(Completion("I play.", None, arguments, "stop"), seen()).error_kind == "unreadable"
    assert read(Completion(" \n", None, arguments, "tool_calls"), seen()).read_by == "tool"
    assert read(Completion("<think>so</think>", None, arguments, "stop"), seen()).read_by == "tool"
    assert read(Completion("", None, '{"actions": ["play', "length"), seen()).error_kind == "truncated"


@pytest.mark.parametrize(
    ("content", "finish", "kind"),
    [
        (None, "content_filter", "content_filter"),
        ("I will not", "content_filter", "content_filter"),
        ("I cannot help with that.", "refusal", "refusal"),
        (None, "length", "truncated"),
        ("<think>hm", "length", "truncated"),
        (" \n\t", "stop", "empty"),
        ('{"actions": ["play red on 9"]}', "length", "illegal"),
    ],
)
def test_why_there_is_no_answer(content: str | None, finish: str, kind: str) -> None:
    assert text(content, finish).error_kind == kind


def test_an_answer_before_a_filter_stopped_the_rest_counts() -> None:
    assert text('{"actions": ["play red new"]} and', "content_filter").reply is not None


# Actions


def test_an_illegal_action_is_named_short_and_clean() -> None:
    reading = text(json.dumps({"actions": ["play \u202e\x07red\non 3" + "x" * 500]}))
    assert reading.error_kind == "illegal"
    assert reading.read_by == "whole"
    assert reading.error is not None
    assert reading.error.startswith('"play red\\non 3x')
    assert "\n" not in reading.error
    assert len(reading.error) < 150


def test_only_the_first_action_of_a_plan_is_judged_here() -> None:
    reading = text('{"actions": ["PLAY red new", "Next  Blue"]}')
    assert reading.reply is not None
    assert reading.reply.actions == ("play red new", "next blue")


@pytest.mark.parametrize("action", ["", " ", "play\u00a0red new", "play red new\n", "plɑy red new", "ＰLAY red new"])
def test_nothing_else_is_evened_out(action: str) -> None:
    assert text(json.dumps({"actions": [action]})).error_kind == "illegal"


def test_a_talk_round_needs_no_action() -> None:
    reading = text(
        'Well: {"messages": [{"to": "Blue", "text": "hi"}], "actions": ["play red new"]}', asked="talk", legal=()
    )
    assert reading.reply is not None
    assert reading.reply.actions == ()
    assert reading.reply.messages == (Message("red", "blue", "hi"),)
    assert text("{}", asked="talk", legal=()).reply is not None
    assert text("hello all", asked="talk", legal=()).error_kind == "unreadable"
