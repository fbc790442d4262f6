"""Reading a reply that may be any text at all: it never raises, ends soon, and passes on what can be shown."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.api import Allowance
from harness.jsontext import DEPTH, objects
from harness.records import OWN
from harness.reply import Completion, clean, quote, read, spoken
from tests.bench.reader import KINDS as TEXTS
from tests.bench.reader import OBSERVATION, SIZES
from tests.harness.reading import KINDS, LEGAL, SEATS, seen, text

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
