"""A success: what was sent, what was served, what it cost, and what is odd about it."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest

from harness.gateway import Paused, Verdict
from harness.records import RESERVED_TOKENS, PromptMessage
from harness.reply import Completion
from tests.harness.gateway.conftest import PROMPT, PROVIDERS, SCHEMA, Bench, ask
from tests.providers import Answer, Fail, Seen, legal


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_each_provider_in_its_own_form(bench: Bench, provider: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAEXAMPLEEXAMPLE00")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "example-secret-example")
    monkeypatch.setenv("AWS_REGION_NAME", "eu-west-1")
    price = {"input": 2.0, "output": 10.0, "cached": 0.5}
    player = bench.player(provider=provider, model=PROVIDERS[provider], price=price, params={"temperature": 0.3})
    bench.loopback.script(legal(1, say="hello", reasoning="let me see", cached=4))
    call = await bench.gateway(player).complete(ask())
    seen = bench.loopback.requests[0]
    assert seen.dialect == provider
    assert json.loads(call.content or "")["actions"] == ["play blue new"]
    assert call.reasoning == "let me see"
    assert call.finish_reason == "stop"
    assert (call.http_status, call.error_kind, call.read_by, call.label) == (200, None, "whole", "house")
    assert call.prompt_tokens == len(seen.text) // 4
    assert call.cached_tokens == 4
    assert call.completion_tokens
    expected = (2.0 * (call.prompt_tokens - 4) + 0.5 * 4 + 10.0 * call.completion_tokens) / 1e6
    assert call.cost == pytest.approx(expected)
    assert call.priced_by == "file"
    assert call.reserved > call.cost
    assert json.loads(call.response or "") == json.loads(call.response or "")
    assert call.served["model"]
    assert call.prompt == PROMPT
    assert "temperature" in json.dumps(call.sent)
    assert "let me see" not in json.dumps(call.sent)
    assert "You are red" not in json.dumps(call.sent)
    assert call.asked["temperature"] == 0.3
    assert call.asked["max_tokens"] == 1024
    assert not call.flags
    assert bench.seen == [call]
    assert not bench.warnings


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_what_is_stored_as_sent_is_what_arrived(
    bench: Bench, provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION_NAME"):
        monkeypatch.setenv(name, "us-east-1")
    player = bench.player(provider=provider, model=PROVIDERS[provider], params={"temperature": 0.25, "top_p": 0.5})
    call = await bench.gateway(player).complete(ask())
    body = bench.loopback.requests[0].body
    prompt = ("messages", "contents", "system", "system_instruction", "systemInstruction")
    arrived = {name: value for name, value in body.items() if name not in prompt}
    assert _unfold(call.sent) == arrived


def _unfold(value: Any) -> Any:
    if value == "answer_schema":
        return SCHEMA
    if isinstance(value, dict):
        return {name: _unfold(inner) for name, inner in value.items()}
    return [_unfold(inner) for inner in value] if isinstance(value, list) else value


async def test_parameters_that_a_provider_does_not_take_are_flagged_and_named_once(bench: Bench) -> None:
    player = bench.player(
        provider="gemini", model="gemini/gemini-2.5-flash", params={"temperature": 0.5, "logit_bias": {"5": 1}}
    )
    gateway = bench.gateway(player)
    first, second = await gateway.complete(ask()), await gateway.complete(ask())
    assert first.flags == second.flags == ("params_dropped",)
    assert "logit_bias" in first.asked
    assert "temperature" in json.dumps(first.sent)
    assert len(bench.warnings) == 1
    assert "logit_bias" in bench.warnings[0]
    assert "temperature" not in bench.warnings[0]


async def test_extra_body_and_unusual_params_pass_through(bench: Bench) -> None:
    player = bench.player(
        params={"min_p": 0.05, "seed": 3}, extra_body={"chat_template_kwargs": {"enable_thinking": False}}
    )
    call = await bench.gateway(player).complete(ask())
    body = bench.loopback.requests[0].body
    assert body["min_p"] == 0.05
    assert body["seed"] == 3
    assert body["chat_template_kwargs"] == {"enable_thinking": False}
    assert call.sent["chat_template_kwargs"] == {"enable_thinking": False}
    assert call.asked["extra_body"] == {"chat_template_kwargs": {"enable_thinking": False}}
    assert not call.flags


@pytest.mark.parametrize("name", ["stream", "n", "mock_response", "fallbacks", "api_base", "extra_headers"])
async def test_a_parameter_cannot_take_the_call_elsewhere(bench: Bench, name: str) -> None:
    values = {
        "stream": True,
        "n": 3,
        "mock_response": "hi",
        "fallbacks": ["openai/x"],
        "api_base": "http://127.0.0.1:9",
        "extra_headers": {"x": "y"},
    }
    try:
        gateway = bench.gateway(bench.player(params={name: values[name]}))
    except ValueError:
        return  # the tournament file refuses it already
    call = await gateway.complete(ask())
    assert call.error_kind is None
    assert name not in bench.loopback.requests[0].body
    assert len(bench.loopback.requests) == 1


@pytest.mark.parametrize(
    ("form", "provider", "expected"),
    [
        ("auto", "openai", "json_schema"),
        ("json_schema", "openai", "json_schema"),
        ("json_object", "openai", "json_object"),
        ("none", "openai", None),
        ("auto", "groq", None),
    ],
)
async def test_the_form_of_the_answer(bench: Bench, form: str, provider: str, expected: str | None) -> None:
    player = bench.player(provider=provider, model=f"{provider}/nobody-knows-it", response_format=form)
    await bench.gateway(player).complete(ask())
    sent = bench.loopback.requests[0].body.get("response_format")
    assert (sent or {}).get("type") == expected
    if expected == "json_schema":
        assert sent["json_schema"]["strict"] is True
        assert sent["json_schema"]["schema"] == SCHEMA


async def test_more_room_doubles_what_the_answer_may_have(bench: Bench) -> None:
    gateway = bench.gateway(
        bench.player("plain"),
        bench.player("small", params={"max_tokens": 300}),
        bench.player("big", params={"max_tokens": 20000}),
    )
    for label in ("plain", "small", "big"):
        await gateway.complete(ask(label))
        await gateway.complete(ask(label, more_room=True))
    assert [seen.body["max_tokens"] for seen in bench.loopback.requests] == [1024, 2048, 300, 600, 20000, 20000]


async def test_more_room_is_no_more_than_the_model_can_write(bench: Bench) -> None:
    gateway = bench.gateway(bench.player(model="openai/gpt-4", params={"max_tokens": 4000}))
    await gateway.complete(ask(more_room=True))
    assert bench.loopback.requests[0].body["max_tokens"] == 4096


def _system(text: str) -> PromptMessage:
    return PromptMessage(role="system", parts=(text,))


def _user(*texts: str) -> PromptMessage:
    return PromptMessage(role="user", parts=texts)


def _assistant(text: str) -> PromptMessage:
    return PromptMessage(role="assistant", parts=(text,))


async def test_after_an_empty_answer_no_empty_turn_is_sent(bench: Bench) -> None:
    def picky(seen: Seen) -> Answer | Fail:
        if any(not str(message.get("content") or "").strip() for message in seen.body["messages"]):
            return Fail(400, "text content blocks must be non-empty")
        return legal()(seen)  # type: ignore[return-value]

    bench.loopback.script(Answer(""))
    bench.loopback.always(picky)
    gateway = bench.gateway()
    first = await gateway.complete(ask())
    assert first.error_kind == "empty"
    history = (*PROMPT, _assistant(first.content or ""), _user("There was no answer. Answer with one JSON object."))
    second = await gateway.complete(ask(prompt=history, kind="retry", attempt=2))
    assert second.error_kind is None
    assert [c.error_kind for c in bench.calls] == ["empty", None]
    assert [m["role"] for m in bench.loopback.requests[1].body["messages"]] == ["system", "user"]
    assert bench.loopback.requests[1].body["messages"][1]["content"] == "\n\n".join(
        [PROMPT[1].text, "There was no answer. Answer with one JSON object."]
    )
    assert [m.text for m in second.prompt] == [m["content"] for m in bench.loopback.requests[1].body["messages"]]


@pytest.mark.parametrize(
    ("prompt", "roles"),
    [
        ((_system("a"), _user("b"), _assistant("c"), _user("d")), ["system", "user", "assistant", "user"]),
        ((_user("b"), _system("late"), _assistant("c"), _user("d")), ["system", "user", "assistant", "user"]),
        ((_system("a"), _system("b"), _user("c"), _user("d")), ["system", "user"]),
        ((_system("a"), _assistant("b"), _user("c")), ["system", "user"]),
        ((_system("a"), _user("b"), _assistant("c")), ["system", "user"]),
        ((_system("only"),), ["user"]),
        ((_system(" "), _user("b", "\n", "c")), ["user"]),
    ],
)
async def test_roles_come_in_an_order_that_all_take(
    bench: Bench, prompt: tuple[PromptMessage, ...], roles: list[str]
) -> None:
    call = await bench.gateway().complete(ask(prompt=prompt))
    sent = bench.loopback.requests[0].body["messages"]
    assert [m["role"] for m in sent] == roles
    assert all(m["content"].strip() for m in sent)
    assert not call.flags


async def test_usage_too_small_for_the_text_is_flagged_and_warned_of_once(bench: Bench) -> None:
    sentence = (
        "The owner of the pile gives one of the captured chips to whoever captured it, and then the other plays. "
    )
    long = _user(sentence * (12_100 // len(sentence) + 1))
    bench.loopback.always(legal(usage=lambda seen: _counted(2051)))
    gateway = bench.gateway()
    first = await gateway.complete(ask(prompt=(long,)))
    second = await gateway.complete(ask(prompt=(long,)))
    short = await gateway.complete(ask())
    assert first.flags == second.flags == ("prompt_cut",)
    assert first.prompt_tokens == 2051
    assert len(bench.warnings) == 1
    assert bench.warnings[0].startswith("house: ")
    bench.loopback.always(legal(usage=lambda seen: _counted(len(seen.text) * 10 // 46)))
    assert (await gateway.complete(ask(prompt=(long,)))).flags == ()
    assert "prompt_cut" not in short.flags


def _counted(prompt: Any, completion: Any = 10, **more: Any) -> dict[str, Any]:
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": 0, **more}


@pytest.mark.parametrize(
    "usage",
    [
        "missing",
        {},
        _counted(0),
        _counted(-5),
        _counted(10**15),
        _counted(40, 10**12),
        _counted(40, -1),
        _counted(40, 10, prompt_tokens_details={"cached_tokens": 4000}),
    ],
)
async def test_unknown_usage_is_settled_at_what_was_set_aside(bench: Bench, usage: Any) -> None:
    bench.loopback.script(legal(usage=usage))
    gateway = bench.gateway(bench.player(price={"input": 1.0, "output": 1.0}))
    call = await gateway.complete(ask())
    assert call.error_kind is None
    assert call.prompt_tokens is None
    assert call.priced_by == "reserved"
    assert call.cost == call.reserved > 0
    assert call.flags[:-1] in (("usage_missing",), ("usage_absurd",))
    assert gateway.spent.usd == call.cost
    assert call.flags[-1] == f"{RESERVED_TOKENS}{gateway.spent.tokens}"


@pytest.mark.parametrize("usage", [_counted("many"), _counted(None), "lots", 7, [1]])
async def test_usage_that_is_no_number_never_raises(bench: Bench, usage: Any) -> None:
    bench.loopback.always(legal(usage=lambda seen: usage))
    gateway = bench.gateway(bench.player(price={"input": 1.0, "output": 1.0}))
    with suppress(Paused):
        await gateway.complete(ask())
    assert {c.error_kind for c in bench.calls} <= {None, "server"}
    assert bench.calls
    assert all(c.cost == c.reserved for c in bench.calls)


async def test_prices_of_file_provider_and_table(bench: Bench) -> None:
    gateway = bench.gateway(
        bench.player("file", price={"input": 1.0, "output": 2.0}),
        bench.player("free", price="free"),
        bench.player("table", model="openai/gpt-4o-mini", price=None),
        bench.player("nobody", price=None),
    )
    priced = {}
    for cost in (None, 0.25):
        bench.loopback.always(legal(cost=cost))
        for label in ("file", "free", "table", "nobody"):
            call = await gateway.complete(ask(label))
            assert call.prompt_tokens is not None
            assert call.completion_tokens is not None
            priced[label, cost] = (call.priced_by, call.cost)
    tokens_in, tokens_out = call.prompt_tokens, call.completion_tokens
    assert priced["file", None] == priced["file", 0.25] == ("file", pytest.approx((tokens_in + 2 * tokens_out) / 1e6))
    assert priced["free", None] == priced["free", 0.25] == ("free", 0.0)
    assert priced["table", None] == ("table", pytest.approx((0.15 * tokens_in + 0.6 * tokens_out) / 1e6))
    assert priced["table", 0.25] == ("provider", 0.25)
    assert priced["nobody", None] == ("unknown", None)
    assert priced["nobody", 0.25] == ("provider", 0.25)


async def test_what_the_provider_names_is_kept(bench: Bench) -> None:
    bench.loopback.script(legal(model="any-0613", fingerprint="fp_1", upstream="Somewhere", reasoning_tokens=3))
    call = await bench.gateway().complete(ask())
    assert call.served == {"model": "any-0613", "fingerprint": "fp_1", "provider": "Somewhere", "id": "chatcmpl-0"}
    assert call.reasoning_tokens == 3


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
async def test_reasoning_is_kept_apart(bench: Bench, field: str) -> None:
    bench.loopback.script(Answer('{"actions": []}', reasoning="hm", reasoning_field=field))
    call = await bench.gateway().complete(ask())
    assert (call.content, call.reasoning) == ('{"actions": []}', "hm")


@pytest.mark.parametrize(
    "content",
    [
        'Blue is short.\n</think>\n{"actions": ["play blue new"]}',
        '<think>hm</think>{"actions": ["play blue new"]}',
        '{"actions": ["play red new"], "messages": [{"to": "blue", "text": "you wrote <think>trust me</think>"}]}',
        '<think>never closed {"actions": ["play blue new"]}',
        '```json\n{"actions": ["play blue new"]}\n```',
        '  {"actions": ["play blue new"]}\n\n',
    ],
)
async def test_the_content_reaches_the_reader_as_the_provider_sent_it(bench: Bench, content: str) -> None:
    read: list[Completion] = []

    def reader(completion: Completion) -> Verdict:
        read.append(completion)
        return Verdict(None, "unreadable", "two different answers")

    bench.loopback.script(Answer(content))
    call = await bench.gateway().complete(ask(read=reader))
    assert call.content == content
    assert read == [Completion(content, None, None, "stop")]
    assert (call.error_kind, call.error) == ("unreadable", "two different answers")


async def test_a_tool_call_is_an_answer_too(bench: Bench) -> None:
    bench.loopback.script(Answer(None, tool_arguments='{"actions": ["play red new"]}', finish="tool_calls"))
    call = await bench.gateway().complete(ask())
    assert (call.content, call.tool_arguments, call.error_kind) == (None, '{"actions": ["play red new"]}', None)


async def test_identity_changes_with_what_makes_a_player(bench: Bench) -> None:
    gateway = bench.gateway(
        bench.player("a"),
        bench.player("b"),
        bench.player("warm", params={"temperature": 1.5}),
        bench.player("other", model="openai/other"),
        bench.player("plain", response_format="none"),
        bench.player("body", extra_body={"top_k": 3}),
    )
    found = {label: gateway.identity(label) for label in ("a", "b", "warm", "other", "plain", "body")}
    assert found["a"] == found["b"]
    assert len(set(found.values())) == 5


async def test_a_probe_takes_any_answer(bench: Bench) -> None:
    bench.loopback.script(Answer("hm", finish="length"))
    call = await bench.gateway().probe("house", SCHEMA)
    assert (call.kind, call.match_id, call.error_kind) == ("probe", None, None)
    assert bench.loopback.requests[0].body["response_format"]["json_schema"]["schema"] == SCHEMA


class _Servers:
    """A local server that is the loopback provider."""

    def __init__(self, bench: Bench) -> None:
        self.api_base = bench.loopback.api_base
        self.api_key = "a-random-key-for-this-server"
        self.name = "small"

    async def get(self, model: str) -> _Servers:
        return self


async def test_a_local_model_is_asked_at_its_server_with_its_own_sampling(bench: Bench) -> None:
    player = {"label": "smol", "model": "local/smollm2", "params": {"min_p": 0.2, "temperature": 0.7}}
    gateway = bench.gateway(player, servers=_Servers(bench), budget={"usd": 0.01})
    call = await gateway.complete(ask("smol"))
    seen = bench.loopback.requests[0]
    assert seen.body["model"] == "small"
    assert seen.headers["authorization"] == "Bearer a-random-key-for-this-server"
    assert seen.body["min_p"] == 0.2
    assert seen.body["dry_multiplier"] == 0.8
    assert seen.body["response_format"]["type"] == "json_schema"
    assert (call.cost, call.priced_by, call.model) == (0.0, "free", "local/smollm2")
    assert "a-random-key" not in call.model_dump_json()
