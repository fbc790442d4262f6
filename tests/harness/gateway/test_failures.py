"""Every way in which a provider fails, told apart and treated as its kind is to be."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from harness.gateway import Patience, Paused
from tests.harness.gateway.conftest import PROVIDERS, SCHEMA, Bench, ask
from tests.providers import (
    Answer,
    Behaviour,
    Drop,
    Fail,
    Hang,
    Raw,
    bad_enum,
    content_policy,
    context_exceeded,
    legal,
    quota_spent,
    rate_limited,
    status,
    strict_schema,
)

PASSING = {
    "429": (rate_limited(), "rate_limit", 429),
    "408": (status(408), "timeout", 408),
    "500": (status(500), "server", 500),
    "502": (status(502), "server", 502),
    "503": (status(503), "server", 503),
    "529": (status(529), "server", 529),
    "drop": (Drop("before"), "connection", None),
    "half a body": (Drop("middle"), None, 200),
    "not json": (Raw(b"<html>busy</html>", content_type="text/html"), "server", 200),
    "half json": (Raw(b'{"choices": [{"message": {"content": "{'), "server", 200),
    "nothing": (Raw(b""), "server", 200),
    "a list": (Raw(b"[]"), "server", 200),
    "error inside": (Raw(b'{"error": {"message": "upstream is busy", "code": 502}}'), "server", 200),
    "error in the choice": (
        Raw(b'{"choices": [{"index": 0, "error": {"message": "died", "code": 502}, "message": {"content": ""}}]}'),
        "server",
        200,
    ),
    "limit inside": (Raw(b'{"error": {"message": "slow down", "code": 429}}'), "rate_limit", 200),
}


@pytest.mark.parametrize("name", PASSING)
async def test_what_may_pass_is_asked_again(bench: Bench, name: str) -> None:
    behaviour, kind, code = PASSING[name]
    bench.loopback.script(behaviour)
    call = await bench.gateway().complete(ask(attempt=4))
    assert call.error_kind is None
    assert [c.attempt for c in bench.calls] == [4, 5]
    assert call.attempt == 5
    assert call.id == 2
    failed = bench.calls[0]
    assert failed.error_kind == (kind or failed.error_kind)
    assert failed.error_kind in ("rate_limit", "timeout", "server", "connection")
    assert failed.http_status in (code, None) if code is None else failed.http_status is not None
    assert failed.error
    assert "\n" not in failed.error
    assert len(bench.loopback.requests) == 2
    assert len(bench.clock.waits) >= 1


REFUSED = {
    "401": (status(401), "auth", True),
    "403": (status(403), "auth", True),
    "404": (status(404), "unknown_model", True),
    "402": (Fail(402, "Insufficient credits", None), "quota", False),
    "quota": (quota_spent(), "quota", False),
    "400": (
        Fail(400, "Unsupported value: 'temperature' does not support 0.7", "unsupported_value"),
        "bad_request",
        False,
    ),
    "422": (Fail(422, "top_k is not permitted", None), "bad_request", False),
    "413": (Fail(413, "Request too large", None), "context", False),
    "bad key by 400": (Fail(400, "API key not valid. Please pass a valid API key.", None), "auth", True),
    "model by 400": (Fail(400, "meta/nobody is not a valid model ID", None), "unknown_model", True),
    "too large for a minute": (
        Fail(413, "Request too large for model `x` on tokens per minute (TPM): Limit 6000, Requested 9000", None),
        "limit",
        False,
    ),
    "too large, by 429": (
        Fail(429, "Request too large for gpt on tokens per min (TPM): Limit 30000, Requested 40000", None),
        "limit",
        False,
    ),
    "context": (Fail(400, "maximum context length is 8192 tokens", "context_length_exceeded"), "context", False),
}


@pytest.mark.parametrize("name", REFUSED)
async def test_a_refused_request_is_asked_once(bench: Bench, name: str) -> None:
    behaviour, kind, everyone = REFUSED[name]
    bench.loopback.always(behaviour)
    with pytest.raises(Paused) as paused:
        await bench.gateway().complete(ask())
    assert paused.value.kind == kind
    assert paused.value.everyone is everyone
    assert paused.value.why.startswith("house: ")
    assert "\n" not in paused.value.why
    assert behaviour.message.rstrip(".") in paused.value.why
    assert len(bench.loopback.requests) == 1
    assert [c.error_kind for c in bench.calls] == [kind]
    assert bench.calls[0].http_status == behaviour.status
    assert bench.calls[0].response
    assert bench.clock.waits == []


OWN: dict[str, tuple[Behaviour, str]] = {
    "empty": (Answer(""), "empty"),
    "null": (Answer(None), "empty"),
    "no choices": (Answer(choices=False), "empty"),
    "cut off": (Answer('{"thoughts": "so', finish="length"), "truncated"),
    "only thoughts": (Answer("", reasoning="hmm " * 50, finish="length"), "empty"),
    "filter": (Answer("", finish="content_filter"), "content_filter"),
    "filter by 400": (content_policy(), "content_filter"),
    "not JSON, by 400": (
        Fail(400, "Failed to generate JSON.", "json_validate_failed"),
        "unreadable",
    ),
    "moderated": (
        Fail(403, "Your chosen model requires moderation and your input was flagged", None),
        "content_filter",
    ),
    "refusal": (Answer(None, refusal="I will not\nbetray anyone."), "refusal"),
    "prose": (Answer("I think about it."), "unreadable"),
}


@pytest.mark.parametrize("name", OWN)
async def test_the_models_own_fault_is_an_answer(bench: Bench, name: str) -> None:
    behaviour, kind = OWN[name]
    bench.loopback.script(behaviour)
    call = await bench.gateway().complete(ask())
    assert call.error_kind == kind
    assert call.id == 1
    assert call.error
    assert "\n" not in call.error
    assert len(bench.loopback.requests) == 1


@pytest.mark.parametrize("provider", ["gemini", "bedrock", "groq", "openrouter"])
@pytest.mark.parametrize(
    ("answer", "kinds"),
    [
        (Answer(""), {"empty"}),
        (Answer(choices=False), {"empty"}),
        (Answer("", finish="content_filter"), {"content_filter"}),
        (Answer('{"thoughts": "so', finish="length"), {"truncated"}),
        (Answer("Well, I think"), {"unreadable"}),
    ],
)
async def test_the_models_own_fault_in_each_providers_form(
    bench: Bench, provider: str, answer: Answer, kinds: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION_NAME"):
        monkeypatch.setenv(name, "us-east-1")
    bench.loopback.script(answer)
    call = await bench.gateway(bench.player(provider=provider, model=PROVIDERS[provider])).complete(ask())
    assert call.error_kind in kinds
    assert len(bench.calls) == 1


async def test_a_prompt_that_gemini_blocks_is_the_models_own_affair(bench: Bench) -> None:
    bench.loopback.script(
        Raw(b'{"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {"promptTokenCount": 9}}')
    )
    player = bench.player(provider="gemini", model=PROVIDERS["gemini"])
    call = await bench.gateway(player).complete(ask())
    assert call.error_kind == "content_filter"
    assert len(bench.loopback.requests) == 1


@pytest.mark.parametrize("provider", ["openai", "groq", "openrouter"])
@pytest.mark.parametrize(
    "envelope", [{}, {"usage": {"prompt_tokens": "many", "completion_tokens": None}}, {"created": "soon", "model": 7}]
)
async def test_an_answer_is_used_though_its_envelope_is_odd(
    bench: Bench, provider: str, envelope: dict[str, Any]
) -> None:
    """It was paid for; whether litellm can make something of it does not matter."""
    choice = {
        "message": {"role": "assistant", "content": '{"actions": []}', "reasoning": "hm"},
        "finish_reason": "stop",
    }
    bench.loopback.script(Raw(json.dumps({"choices": [choice], **envelope}).encode()))
    player = bench.player(provider=provider, model=PROVIDERS[provider], price={"input": 1.0, "output": 1.0})
    call = await bench.gateway(player).complete(ask())
    assert (call.content, call.reasoning, call.finish_reason) == ('{"actions": []}', "hm", "stop")
    assert call.error_kind is None
    assert call.cost == call.reserved
    assert len(bench.loopback.requests) == 1


async def test_a_whole_answer_counts_though_the_envelope_speaks_of_a_filter(bench: Bench) -> None:
    bench.loopback.script(Answer('{"actions": ["play red new"]}', finish="content_filter"))
    call = await bench.gateway().complete(ask())
    assert (call.error_kind, call.read_by, call.finish_reason) == (None, "whole", "content_filter")


async def test_strict_schema_is_refused_in_the_providers_words(bench: Bench) -> None:
    bench.loopback.always(strict_schema())
    gateway = bench.gateway()
    assert (await gateway.complete(ask())).error_kind is None
    lax = SCHEMA | {"required": ["thoughts", "actions"]}
    with pytest.raises(Paused) as paused:
        await gateway.complete(ask(schema=lax))
    assert paused.value.kind == "bad_request"
    assert "'required' must include every key. Missing 'messages'" in paused.value.why
    assert "2 values of 25 characters" in paused.value.why
    assert len(bench.loopback.requests) == 2


@pytest.mark.parametrize("provider", ["openai", "gemini"])
async def test_a_bare_refusal_of_a_large_enum_names_values_and_characters(
    bench: Bench, provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOUSE_KEY", "house-key-123")
    model = {"openai": "openai/any", "gemini": "gemini/gemini-2.5-flash"}[provider]
    bench.loopback.always(bad_enum(600))
    moves = [f"horse {row} to the far end" for row in range(60)]
    large = SCHEMA | {"properties": {"actions": {"type": "array", "items": {"type": "string", "enum": moves}}}}
    large["required"] = ["actions"]
    gateway = bench.gateway(bench.player(provider=provider, model=model, api_key_env="HOUSE_KEY"))
    with pytest.raises(Paused) as paused:
        await gateway.probe("house", large)
    assert paused.value.kind == "bad_request"
    assert f"60 values of {sum(map(len, moves))} characters" in paused.value.why
    assert "Request contains an invalid argument." in paused.value.why
    assert len(bench.loopback.requests) == 1


async def test_an_over_long_conversation_is_a_kind_of_its_own(bench: Bench) -> None:
    bench.loopback.always(context_exceeded(6000))
    gateway = bench.gateway()
    assert (await gateway.complete(ask())).error_kind is None
    long = ask().prompt[1].model_copy(update={"parts": ("Long ago. " * 700,)})
    with pytest.raises(Paused) as paused:
        await gateway.complete(ask(prompt=(ask().prompt[0], long)))
    assert paused.value.kind == "context"
    assert "history" in paused.value.why
    assert len(bench.loopback.requests) == 2
    assert bench.calls[-1].error_kind == "context"


@pytest.mark.parametrize(
    ("model", "provider"),
    [("openrouter/meta/any", "openrouter"), ("groq/any", "groq"), ("gemini/gemini-2.5-flash", "gemini")],
)
async def test_context_and_auth_are_told_apart_for_each_prefix(bench: Bench, model: str, provider: str) -> None:
    gateway = bench.gateway(bench.player(model=model, provider=provider))
    for behaviour, kind in (
        (Fail(400, "This endpoint's maximum context length is 100 tokens", None), "context"),
        (status(401), "auth"),
        (status(404), "unknown_model"),
        (Fail(400, "nope", None), "bad_request"),
    ):
        bench.loopback.script(behaviour)
        with pytest.raises(Paused) as paused:
            await gateway.complete(ask())
        assert paused.value.kind == kind
    bench.loopback.script(rate_limited("2"), status(503), legal())
    assert (await gateway.complete(ask())).error_kind is None
    assert [c.error_kind for c in bench.calls[-3:]] == ["rate_limit", "server", None]


async def test_a_refusal_that_quotes_the_prompt_is_not_judged_by_the_quotation(bench: Bench) -> None:
    body = {
        "detail": "value is not valid",
        "input": "the maximum context of trust; model x not found; moderation",
    }
    bench.loopback.script(Raw(json.dumps(body).encode(), status=422))
    with pytest.raises(Paused) as paused:
        await bench.gateway().complete(ask())
    assert paused.value.kind == "bad_request"


async def test_a_spent_quota_is_asked_about_once_for_all_of_its_players(bench: Bench) -> None:
    bench.loopback.always(quota_spent())
    gateway = bench.gateway(bench.player("one"), bench.player("two", model="openai/other"))
    for label in ("one", "two", "one"):
        with pytest.raises(Paused) as paused:
            await gateway.complete(ask(label))
        assert paused.value.kind == "quota"
        assert paused.value.why.startswith(f"{label}: the quota is spent")
    assert len(bench.loopback.requests) == 1


async def test_retry_after_is_honoured_in_each_of_its_forms(bench: Bench) -> None:
    patience = Patience(first=0.0)
    bench.loopback.script(
        rate_limited("7"),
        rate_limited(milliseconds="1500"),
        rate_limited(format_datetime(datetime.now(UTC) + timedelta(seconds=90), usegmt=True)),
        rate_limited(message="Please try again in 2.5s."),
        rate_limited("0"),
        rate_limited("soon"),
    )
    await bench.gateway(patience=patience).complete(ask())
    waits = [c.retry_after for c in bench.calls]
    assert waits[:2] == [7.0, 1.5]
    assert waits[2] == pytest.approx(90, abs=5)
    assert waits[3:] == [2.5, 0.0, None, None]
    assert bench.clock.at - 1000 >= 7 + 1.5 + 85 + 2.5


async def test_an_absurd_retry_after_is_not_waited_for(bench: Bench) -> None:
    bench.loopback.always(rate_limited("86400"))
    with pytest.raises(Paused) as paused:
        await bench.gateway().complete(ask())
    assert paused.value.kind == "rate_limit"
    assert "86400 s" in paused.value.why
    assert not paused.value.everyone
    assert len(bench.loopback.requests) == 1
    assert bench.clock.waits == []


async def test_it_gives_up_after_its_patience(bench: Bench) -> None:
    bench.loopback.always(status(503))
    with pytest.raises(Paused) as paused:
        await bench.gateway(patience=Patience(attempts=5)).complete(ask())
    assert len(bench.loopback.requests) == 5
    assert [c.attempt for c in bench.calls] == [1, 2, 3, 4, 5]
    assert "5 times" in paused.value.why
    assert "The model is overloaded" in paused.value.why
    low, high = [0.5, 1, 2, 4], [1, 2, 4, 8]
    assert len(bench.clock.waits) == 4
    assert all(a <= wait <= b for a, wait, b in zip(low, bench.clock.waits, high, strict=True))


async def test_all_of_a_server_wait_when_it_asks_one_to(bench: Bench) -> None:
    gateway = bench.gateway(bench.player("one"), bench.player("two"), patience=Patience(attempts=1))
    bench.loopback.script(rate_limited("30"))
    with pytest.raises(Paused):
        await gateway.complete(ask("one"))
    await gateway.complete(ask("two"))
    assert bench.clock.at >= 1030


async def test_a_hanging_provider_is_left_at_the_time_limit(bench: Bench) -> None:
    await bench.warm()
    bench.loopback.script(Hang(), Hang())
    gateway = bench.gateway(limits={"house": {"timeout": 1.0}})
    await gateway.complete(ask())
    assert [c.error_kind for c in bench.calls] == ["timeout", "timeout", None]
    assert all(c.latency_ms is not None and 900 < c.latency_ms < 15000 for c in bench.calls[:2])


async def test_a_server_that_always_hangs_is_given_up_after_three(bench: Bench) -> None:
    await bench.warm()
    bench.loopback.always(Hang())
    with pytest.raises(Paused) as paused:
        await bench.gateway(limits={"house": {"timeout": 0.5}}).complete(ask())
    assert paused.value.kind == "timeout"
    assert len(bench.loopback.requests) == 3


async def test_a_server_that_is_not_there(bench: Bench) -> None:
    player = bench.player() | {"api_base": "http://127.0.0.1:9/v1"}
    with pytest.raises(Paused) as paused:
        await bench.gateway(player, patience=Patience(attempts=2)).complete(ask())
    assert paused.value.kind == "connection"
    assert [c.error_kind for c in bench.calls] == ["connection", "connection"]


async def test_a_cancelled_call_is_written_down(bench: Bench) -> None:
    bench.loopback.script(Hang())
    gateway = bench.gateway()
    task = asyncio.create_task(gateway.complete(ask()))
    await bench.loopback.arrived(1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert [c.error_kind for c in bench.calls] == ["cancelled"]
    assert bench.calls[0].sent["max_tokens"] == 1024


async def test_a_megabyte_of_an_answer(bench: Bench) -> None:
    text = '{"actions": ["' + "x" * 1_000_000 + '"]}'
    bench.loopback.script(Answer(text))
    call = await bench.gateway().complete(ask())
    assert call.content == text
