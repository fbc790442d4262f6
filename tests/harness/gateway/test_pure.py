"""Parts of the gateway that need no provider, held to what they promise of any input."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.gateway.errors import SENTENCE, kind_of, one_line, retry_after
from harness.gateway.request import arrange, room_of
from harness.gateway.response import least_tokens
from harness.gateway.wire import Exchange
from harness.records import INFRASTRUCTURE, OWN, REFUSED, PromptMessage

messages = st.builds(
    PromptMessage,
    role=st.sampled_from(["system", "user", "assistant"]),
    parts=st.lists(st.text(alphabet="ab \n", max_size=4), max_size=3).map(tuple),
)


@given(st.lists(messages, max_size=12))
def test_any_prompt_is_arranged_so_that_every_provider_takes_it(prompt: list[PromptMessage]) -> None:
    arranged = arrange(prompt)
    assert arrange(arranged) == arranged
    spoken = [message for message in prompt if message.text.strip()]
    if not spoken or all(message.role == "assistant" for message in spoken):
        return
    roles = [message.role for message in arranged]
    assert "system" not in roles[1:]
    turns = roles[1:] if roles[0] == "system" else roles
    assert turns[0] == turns[-1] == "user"
    assert all(first != second for first, second in pairwise(turns))
    assert all(part.strip() for message in arranged for part in message.parts)
    said = [part for message in prompt if message.role != "assistant" for part in message.parts if part.strip()]
    kept = [part for message in arranged if message.role != "assistant" for part in message.parts]
    assert sorted(said) == sorted(kept)


@given(st.integers(400, 599), st.text())
def test_every_status_has_a_kind(status: int, text: str) -> None:
    assert kind_of(status, text) in INFRASTRUCTURE | REFUSED | OWN


@given(st.text(), st.text(min_size=8))
def test_words_from_outside_are_one_short_line_without_the_key(text: str, key: str) -> None:
    line = one_line(f"{text}{key}{text}", [key])
    assert len(line) <= SENTENCE
    assert line.splitlines() in ([], [line])
    assert "\x1b" not in line
    assert "\u202e" not in line


@given(st.text(), st.text(max_size=200))
def test_no_retry_after_is_too_odd(value: str, body: str) -> None:
    exchange = Exchange(b"")
    exchange.headers = {"retry-after": value, "retry-after-ms": body}
    seconds = retry_after(exchange, body)
    assert seconds is None or seconds >= 0


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("3", 3.0), ("0.5", 0.5), ("-4", 0.0), ("nan", None), ("inf", None), ("1e400", None), ("", None), ("x", None)],
)
def test_retry_after_in_seconds(value: str, seconds: float | None) -> None:
    exchange = Exchange(b"")
    exchange.headers = {"retry-after": value}
    assert retry_after(exchange, "") == seconds


@pytest.mark.parametrize(
    ("body", "seconds"),
    [
        ('{"details": [{"retryDelay": "37s"}]}', 37.0),
        ("Please try again in 1m2.5s.", 62.5),
        ("Please retry in 250ms", 0.25),
        ("try again later", None),
    ],
)
def test_retry_after_in_words(body: str, seconds: float | None) -> None:
    assert retry_after(None, body) == seconds


@pytest.mark.parametrize("size", [10_000, 1_000_000])
def test_a_huge_error_is_told_in_time(size: int) -> None:
    text = ("model " + "x" * 50 + " \u202e\x1b[31m") * (size // 60)
    assert len(one_line(text, ["k" * 20])) <= SENTENCE
    assert kind_of(400, text[:4000]) in REFUSED


def test_room_never_shrinks_and_never_grows_beyond_its_cap() -> None:
    assert [room_of({}), room_of({}, more=True)] == [1024, 2048]
    assert [room_of({"max_tokens": 6000}, more=True), room_of({"max_tokens": 9000}, more=True)] == [8192, 9000]
    assert [room_of({"max_completion_tokens": 50}), room_of({"max_tokens": 100}, more=True, most=150)] == [50, 150]


def test_short_texts_accuse_nobody() -> None:
    assert least_tokens(["a few words"]) == 0
    assert least_tokens(["word " * 1000]) == 950
    assert least_tokens(["-" * 50_000]) == 0
    assert least_tokens(["incomprehensibilities " * 1000]) == 4000
