"""A question as litellm is handed it: messages in an order that every provider takes, the schema where the model
has it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

from harness.gateway.keys import key_of, provider_of
from harness.records import Json, PromptMessage
from harness.spec import PlayerSpec

ROOM = 1024
"""Tokens that an answer may have (`max_tokens`) unless the player's params say otherwise."""
MOST_ROOM = 8192
"""More room is not given beyond this, unless the player asked for more by itself."""
MESSAGE_TOKENS = 16
"""More than any provider adds to a message for its role and borders."""
REQUEST_TOKENS = 512
"""More than any provider adds to a request of its own (how tools and schemas are introduced)."""

_OURS = frozenset(
    [
        "model",
        "messages",
        "stream",
        "stream_options",
        "n",
        "timeout",
        "request_timeout",
        "num_retries",
        "max_retries",
        "fallbacks",
        "context_window_fallback_dict",
        "context_window_fallbacks",
        "api_key",
        "api_base",
        "base_url",
        "response_format",
        "tools",
        "tool_choice",
        "functions",
        "function_call",
        "caching",
        "cache",
        "client",
        "shared_session",
        "logger_fn",
        "mock_response",
        "mock_tool_calls",
        "mock_timeout",
        "headers",
        "extra_headers",
        "extra_body",
        "drop_params",
        "max_tokens",
        "max_completion_tokens",
        "metadata",
        "callbacks",
        "input_cost_per_token",
        "output_cost_per_token",
        "custom_llm_provider",
    ]
)
"""Parameters that the harness alone decides: one answer a request, whole, to the address and with the key of the
file."""
_SCHEMA_BY_ADDRESS = frozenset(
    {"openai", "custom_openai", "openai_like", "hosted_vllm", "openrouter", "vllm", "lm_studio"}
)
"""Prefixes that pass a JSON schema through to whatever server `api_base` names."""
_SAME = {
    "maxtokens": ("maxtokens", "maxcompletiontokens", "maxoutputtokens", "numpredict"),
    "stop": ("stop", "stopsequences"),
    "reasoningeffort": ("reasoningeffort", "reasoning", "thinking", "thinkingconfig", "thinkingbudget"),
    "thinking": ("thinking", "thinkingconfig", "reasoning", "reasoningconfig"),
    "responseformat": (
        "responseformat", "responseschema", "responsejsonschema", "responsemimetype", "outputconfig", "toolconfig",
        "tools", "format",
    ),
}  # fmt: skip
"""How providers call the parameters that they know by another name, letters only."""


_JSON = json.JSONEncoder(ensure_ascii=False, check_circular=False)


class Server(NamedTuple):
    """A local model's server: its address, its key, and what the model is called there."""

    api_base: str
    api_key: str
    name: str


class Question(NamedTuple):
    """One call, ready to be made. `tokens_in` is a bound on the prompt's tokens, `room` on the answer's; `texts` are
    the messages as they are sent."""

    kwargs: Json
    asked: Json
    prompt: tuple[PromptMessage, ...]
    texts: tuple[str, ...]
    schema: Json | None
    tokens_in: int
    room: int


def room_of(params: Json, *, more: bool = False, most: int = MOST_ROOM) -> int:
    """Tokens that the answer may have; twice as many, but not over `most`, with `more`."""
    own = params.get("max_tokens", params.get("max_completion_tokens", ROOM))
    room = own if isinstance(own, int) and own > 0 else ROOM
    return max(room, min(2 * room, most, MOST_ROOM)) if more else room


@cache
def _most_output(library: Any, model: str) -> int:
    """Tokens that the model can write at most, by litellm's table; it refuses a request for more."""
    entry = library.model_cost.get(model) or library.model_cost.get(model.partition("/")[2]) or {}
    most = entry.get("max_output_tokens")
    return most if isinstance(most, int) and most > 0 else MOST_ROOM


def arrange(prompt: Sequence[PromptMessage]) -> tuple[PromptMessage, ...]:
    """The messages as every provider takes them: system first, no empty one, user and assistant in turn, the user
    at both ends.

    Messages of the same role that meet become one, whose text is theirs with a blank line between. An assistant's
    message
    before any user's has nothing to answer and is left out, as is one after the last.
    """
    system: list[PromptMessage] = []
    turns: list[PromptMessage] = []
    for message in prompt:
        if not all(map(str.strip, message.parts)):
            message = message.model_copy(update={"parts": tuple(part for part in message.parts if part.strip())})
        if not message.parts:
            continue
        if message.role == "system":
            system.append(message)
        elif turns and turns[-1].role == message.role:
            turns[-1] = _joined(turns[-1], message)
        elif turns or message.role == "user":
            turns.append(message)
    while turns and turns[-1].role == "assistant":
        turns.pop()
    head = (_joined(*system),) if system else ()
    if turns:
        return (*head, *turns)
    return (PromptMessage(role="user", parts=head[0].parts if head else ()),)


def _joined(first: PromptMessage, *others: PromptMessage) -> PromptMessage:
    """Messages of one role as one; the very first where it is alone."""
    if not others:
        return first
    parts = [part for message in (first, *others) for part in message.parts]
    return PromptMessage(role=first.role, parts=tuple(parts))


def mode_of(library: Any, player: PlayerSpec) -> str:
    """How this player is held to the answer's form: `json_schema`, `json_object` or `none`."""
    from harness.local import is_local

    if player.response_format != "auto":
        return player.response_format
    model = player.model or ""
    if is_local(model):
        return "json_schema"
    if "response_format" in _unsupported(library, model):
        return "none"
    if player.api_base is not None and provider_of(model) in _SCHEMA_BY_ADDRESS:
        return "json_schema"
    return "json_schema" if _takes_schema(library, model) else "none"


@cache
def _takes_schema(library: Any, model: str) -> bool:
    try:
        return bool(library.supports_response_schema(model=model))
    except Exception:  # a model that it cannot place is told by the request itself
        return False


@cache
def _unsupported(library: Any, model: str) -> frozenset[str]:
    """The OpenAI parameters that litellm knows this model does not take.

    They are left out here. litellm would do so itself (`drop_params`), but then it also answers a 422 by sending
    the same
    request again by itself, with whatever that names left out.
    """
    try:
        name, provider, _, _ = library.get_llm_provider(model=model)
        supported = library.get_supported_openai_params(model=name, custom_llm_provider=provider)
    except Exception:  # a model that it cannot place is told by the request itself
        return frozenset()
    if not supported:
        return frozenset()
    return frozenset(library.OPENAI_CHAT_COMPLETION_PARAMS) - frozenset(supported)


def build(
    library: Any,
    player: PlayerSpec,
    prompt: Sequence[PromptMessage],
    schema: Json | None,
    *,
    more_room: bool,
    timeout: float,
    server: Server | None,
    defaults: Json,
) -> Question:
    """What litellm is called with. `server` is the local model's; `defaults` are sampling parameters below the
    player's."""
    model = player.model or ""
    params = {**defaults, **player.params}
    room = room_of(params, more=more_room, most=_most_output(library, model))
    arranged = arrange(prompt)
    texts = tuple(message.text for message in arranged)
    mode = mode_of(library, player) if schema is not None else "none"
    kwargs: Json = {name: value for name, value in params.items() if name not in _OURS}
    room_name = "max_completion_tokens" if "max_completion_tokens" in params else "max_tokens"
    asked: Json = {**params, room_name: room}
    if player.extra_body:
        asked["extra_body"] = player.extra_body
        kwargs["extra_body"] = dict(player.extra_body)
    if server is None:
        unsupported = _unsupported(library, model)
        kwargs = {name: value for name, value in kwargs.items() if name not in unsupported}
    if mode == "json_schema":
        kwargs["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": "answer", "strict": True, "schema": schema},
        }
    elif mode == "json_object":
        kwargs["response_format"] = {"type": "json_object"}
    if mode != "none":
        asked["response_format"] = mode
    kwargs |= {
        "model": f"openai/{server.name}" if server is not None else model,
        "messages": [{"role": message.role, "content": text} for message, text in zip(arranged, texts, strict=True)],
        room_name: room,
        "timeout": timeout,
        "num_retries": 0,
        "max_retries": 0,
    }
    address = server.api_base if server is not None else player.api_base
    key = server.api_key if server is not None else key_of(player)
    if address is not None:
        kwargs["api_base"] = address
    if key is not None:
        kwargs["api_key"] = key
    size = sum(len(text.encode()) + MESSAGE_TOKENS for text in texts)
    size += len(_JSON.encode(schema).encode()) if mode == "json_schema" else 0
    held = schema if mode == "json_schema" else None
    return Question(kwargs, asked, arranged, texts, held, size + REQUEST_TOKENS, room)


def likely_tokens(question: Question) -> int:
    """About what a call takes of its tokens a minute: four bytes a token, and all of its room."""
    return (question.tokens_in - REQUEST_TOKENS) // 4 + question.room


def sent_params(body: Json, question: Question) -> tuple[Json, tuple[str, ...]]:
    """The parameters of a request's body as it went out, and flags for what differs from what was asked.

    The prompt and the schema are stored elsewhere; they are left out if they are as asked, and kept whole if not.
    """
    flags = []
    sent: Json = {}
    for name, value in body.items():
        if name in ("messages", "contents", "system", "system_instruction", "systemInstruction"):
            continue
        sent[name] = _without_schema(value, question.schema)
    texts = sorted(text for key in body if key not in sent for text in _texts(body[key]))
    if body and texts != sorted(question.texts):
        flags.append("prompt_changed")
        sent |= {name: value for name, value in body.items() if name not in sent}
    if body and dropped_params(body, question.asked):
        flags.append("params_dropped")
    return sent, tuple(flags)


def dropped_params(sent: Json, asked: Json) -> list[str]:
    """The parameters asked for that are not in what was sent."""
    missing = [name for name in asked if name != "extra_body" and name not in sent]
    if not missing:
        return []
    known = set(_names(sent))
    return [name for name in missing if not _is_in(name, known)]


def _letters(name: str) -> str:
    return name.replace("_", "").lower()


def _is_in(name: str, known: set[str]) -> bool:
    plain = _letters(name)
    plain = "maxtokens" if plain == "maxcompletiontokens" else plain
    return any(other in known for other in _SAME.get(plain, (plain,)))


def _names(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for name, inner in value.items():
            if name not in ("messages", "contents", "schema", "properties"):
                yield _letters(name)
                yield from _names(inner)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)
    elif isinstance(value, dict):
        for name in ("content", "text", "parts"):
            if name in value:
                yield from _texts(value[name])


def _without_schema(value: Any, schema: Json | None) -> Any:
    if schema is not None and value == schema:
        return "answer_schema"
    if isinstance(value, dict):
        return {name: _without_schema(inner, schema) for name, inner in value.items()}
    if isinstance(value, list):
        return [_without_schema(inner, schema) for inner in value]
    return value
