"""Reading a model's reply: the kept cases, the public faults, and any text at all."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.api import Allowance, Message, Observation, Pledge
from harness.jsontext import DEPTH, objects
from harness.records import OWN
from harness.reply import NOTES_CHARS, PLEDGES_A_MESSAGE, REASONS, Completion, Reading, clean, quote, read, spoken
from tests.bench.reader import KINDS as TEXTS
from tests.bench.reader import OBSERVATION, SIZES

CASES = json.loads((Path(__file__).parents[1] / "cases" / "replies" / "cases.json").read_text(encoding="utf-8"))
SEATS = ("red", "blue", "green", "yellow")
LEGAL = ("play red on 1", "play red on 2", "play red new", "play blue new")
KINDS = ("donate", "refuse", "spare", "give_turn")


def seen(**changes: Any) -> Observation:
    """What red is shown, with changes."""
    base = Observation(
        game="so_long_sucker",
        seat="red",
        seats=SEATS,
        decision=0,
        asked="act",
        view={},
        events=(),
        messages=(),
        legal=LEGAL,
        alive=SEATS,
        talk=Allowance(2, 280, private=True),
        pledges=KINDS,
    )
    return base._replace(**changes)


def text(content: str | None, finish: str = "stop", **changes: Any) -> Reading:
    return read(Completion(content, finish_reason=finish), seen(**changes))


def said(*messages: Any, **changes: Any) -> Reading:
    return text(json.dumps({"actions": ["play red new"], "messages": list(messages)}), **changes)


def pledged(**pledge: Any) -> Reading:
    return said({"to": "all", "text": "hear me", "pledges": [pledge]})


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


# Messages


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


# Any text at all

PIECES = [
    *(
        '{"actions": ',
        '["play red new"]',
        '{"actions": ["play blue new"]}',
        '"messages"',
        "null",
        "1e999",
        "9" * 30,
        "NaN",
    ),
    *(
        "}",
        "{",
        "[",
        "]",
        '"',
        "\\",
        '\\"',
        ":",
        ",",
        "```",
        "`",
        "<think>",
        "</think>",
        " ",
        "\n",
        "\ud800",
        "\\ud800",
    ),
]
WILD = st.text(max_size=200) | st.lists(st.sampled_from(PIECES), max_size=30).map("".join)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=12)
    | st.sampled_from([*SEATS, *LEGAL, *KINDS]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["to", "text", "pledges", "kind", "turns", "if"]), inner)
    ),
    max_leaves=12,
)
ANSWERS = st.dictionaries(st.sampled_from(["actions", "action", "messages", "notes", "thoughts", "x"]), VALUES).map(
    lambda answer: json.dumps(answer)
)


@settings(max_examples=300, deadline=None)
@given(
    st.none() | WILD | ANSWERS,
    st.none() | WILD,
    st.none() | WILD | ANSWERS,
    st.sampled_from(["stop", "length", "content_filter", "refusal", "tool_calls", None, "odd"]),
    st.sampled_from(["act", "talk"]),
    st.none() | st.builds(Allowance, st.integers(0, 3), st.integers(1, 5), st.booleans()),
)
def test_any_text_gives_a_reply_or_an_error(
    content: Any, reasoning: Any, tool: Any, finish: Any, asked: Any, talk: Any
) -> None:
    observation = seen(asked=asked, legal=LEGAL if asked == "act" else (), talk=talk)
    reading = read(Completion(content, reasoning, tool, finish), observation)
    assert (reading.reply is None) != (reading.error is None)
    assert (reading.error is None) == (reading.error_kind is None)
    repr(reading).encode()
    if reading.reply is None:
        assert reading.error_kind in OWN
        return
    assert reading.read_by is not None
    assert asked == "talk" or reading.reply.actions[0] in LEGAL
    assert len(reading.reply.messages) <= (talk.messages if talk else 0)
    for message in reading.reply.messages:
        assert message.to in ("all", "blue", "green", "yellow")
        assert message.text.strip()
        assert len(message.text) <= talk.chars
    assert all(index < len(reading.reply.messages) for index in reading.cut)


@settings(max_examples=300, deadline=None)
@given(WILD | ANSWERS)
def test_objects_are_those_of_the_standard_decoder(content: str) -> None:
    """One object after the other, each as the standard library reads it, none where it reads none at that brace."""

    def refuse(word: str) -> Any:
        raise ValueError(word)

    decoder = json.JSONDecoder(parse_constant=refuse)
    free = 0
    for item in objects(content):
        assert item.start >= free
        free = item.end
        value, end = decoder.raw_decode(content, item.start)
        assert end == item.end
        assert isinstance(value, dict)
    first = next((start for start, char in enumerate(content) if char == "{" and _reads(decoder, content, start)), None)
    if first is not None and not any(_opens(content, start, first) for start in range(first)):
        assert objects(content)[0].start == first


def _reads(decoder: json.JSONDecoder, content: str, start: int) -> bool:
    try:
        decoder.raw_decode(content, start)
    except ValueError:
        return False
    return True


def _opens(content: str, start: int, end: int) -> bool:
    """Whether a broken object may be open from `start` at `end`: then what lies in it is part of something broken."""
    return content[start] == "{" and content[start + 1 :].lstrip(" \t\n\r")[:1] in ('"', "}")


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=80))
def test_clean_text_is_encodable_visible_and_stays(content: str) -> None:
    shown = clean(content)
    shown.encode()
    assert clean(shown) == shown
    assert not any((ord(char) < 32 and char != "\n") or 0x7F <= ord(char) < 0xA0 for char in shown)
    assert "\n" not in quote(content)
    assert json.loads(quote(content)) == shown or len(content) > 80 or len(shown) > 80


def test_line_breaks_stay_and_letters_of_every_script_too() -> None:
    kept = "a\nb é 한국 עברית العربية हिन्दी 漢字 😀"
    assert clean(kept) == kept
    assert clean("a\r\nb\u2028c\u2029d\te") == "a\nb\nc\nde"


def test_numbers_without_end_are_no_trouble() -> None:
    for number in ("9" * 10_000, "-" + "9" * 10_000, "0." + "1" * 10_000, "1e99999"):
        reading = text(
            '{"actions": ["play red new"], "x": NUMBER, "messages": [{"to": "all", "text": "a", "pledges": '
            '[{"kind": "donate", "to": "blue", "turns": NUMBER}]}]}'.replace("NUMBER", number)
        )
        assert reading.reply is not None
        assert len(reading.dropped_pledges) == 1


def test_depth_is_bounded() -> None:
    def nested(depth: int) -> str:
        return '{"actions": ["play red new"], "x": ' + "[" * (depth - 1) + "]" * (depth - 1) + "}"

    assert text(nested(DEPTH)).reply is not None
    assert text(nested(DEPTH + 1)).error_kind == "unreadable"
    assert text(nested(500_000)).error_kind == "unreadable"


def test_what_was_spoken_leaves_the_thinking_out() -> None:
    assert spoken('<think>a</think>\n{"actions": ["x"]}') == '{"actions": ["x"]}'
    assert spoken('{"notes": "<think>"}') == '{"notes": "<think>"}'
    assert spoken("<think>a") == ""


@pytest.mark.parametrize("filled", TEXTS.values(), ids=TEXTS.keys())
def test_a_long_text_of_any_kind_is_read_in_linear_time(filled: Any) -> None:
    """The bound is some fifty times what it takes; a reader that began anew at each bracket would need minutes."""
    content = filled(SIZES[1])
    start = time.process_time()
    reading = read(Completion(content, content[:1000], None, "stop"), OBSERVATION)
    assert time.process_time() - start < 20
    assert (reading.reply is None) != (reading.error is None)
