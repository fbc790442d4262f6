"""A success as the record wants it: the answer apart from its reasoning, the usage, who served it, and what is odd
about it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NamedTuple

from harness.gateway.request import Question
from harness.gateway.wire import Exchange
from harness.records import Json

CHARS_A_TOKEN = 5.5
"""More characters than tokens hold on average in any natural text (blanks and rules taken together)."""
ORDINARY = 4.4
"""Characters a token that nobody need look into."""
SURE_WORDS = 300
"""In a shorter prompt the counts say too little to accuse a server of having cut it."""
REMEMBERED = 4096
"""Parts of prompts whose measure is kept: they come again with every decision."""

_WORDS = re.compile(r"[^\W\d_]+|\d+")
_RUNS = re.compile(r"(\W)\1+")


class Usage(NamedTuple):
    """Tokens as the provider counted them; None where it did not, or not in a way that can be true."""

    prompt: int | None = None
    cached: int | None = None
    completion: int | None = None
    reasoning: int | None = None

    @property
    def known(self) -> bool:
        """Whether it can be priced."""
        return self.prompt is not None and self.completion is not None


class Success(NamedTuple):
    """What a model answered."""

    content: str | None
    reasoning: str | None
    tool_arguments: str | None
    finish_reason: str | None
    refusal: str | None
    usage: Usage
    served: Json
    flags: tuple[str, ...]


def is_answer(exchange: Exchange | None) -> bool:
    """Whether the body is an answer in OpenAI's form, whatever litellm made of it: it was paid for, so it is used."""
    return exchange is not None and exchange.status == 200 and bool(_first_choice(exchange.json).get("message"))


def parse(response: Any, exchange: Exchange | None, question: Question) -> Success:
    """The answer, in the provider's own words where its body has OpenAI's form.

    litellm takes `<think>` out of contents, fails on an envelope that lacks a field it knows, and makes up usage. For
    the other forms its `response` counts; for OpenAI's it may be None.
    """
    raw = exchange.json if exchange is not None else {}
    choices = getattr(response, "choices", None) or []
    message = getattr(choices[0], "message", None) if choices else None
    choice = _first_choice(raw)
    own = choice.get("message")
    usage, flags = _usage(response, raw, question)
    if isinstance(own, dict):
        parts: tuple[object, ...] = (
            own["content"] if isinstance(own.get("content"), str) else getattr(message, "content", None),
            own.get("reasoning_content") or own.get("reasoning") or _thoughts(message, own),
            _arguments(own.get("tool_calls")),
            choice.get("finish_reason"),
            own.get("refusal"),
        )
    else:
        calls = getattr(message, "tool_calls", None)
        parts = (
            getattr(message, "content", None),
            getattr(message, "reasoning_content", None),
            getattr(getattr(calls[0], "function", None), "arguments", None) if calls else None,
            getattr(choices[0], "finish_reason", None) if choices else None,
            None,
        )
    content, reasoning, arguments, finish, refusal = (part if isinstance(part, str) else None for part in parts)
    return Success(
        content,
        reasoning or None,
        arguments,
        finish or None,
        refusal if refusal and refusal.strip() else None,
        usage,
        _served(response, raw),
        flags,
    )


def _first_choice(raw: Json) -> Json:
    choices = raw.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    return first if isinstance(first, dict) else {}


def _thoughts(message: Any, own: Json) -> object:
    """Reasoning that litellm found elsewhere; not what it cut out of the content, where the reader looks for it."""
    return getattr(message, "reasoning_content", None) if not isinstance(own.get("content"), str) else None


def _arguments(calls: object) -> object:
    call = calls[0] if isinstance(calls, list) and calls else None
    function = call.get("function") if isinstance(call, dict) else None
    return function.get("arguments") if isinstance(function, dict) else None


def _served(response: Any, raw: Json) -> Json:
    served = {
        "model": raw.get("model") or raw.get("modelVersion") or getattr(response, "model", None),
        "id": raw.get("id") or raw.get("responseId"),
        "provider": raw.get("provider"),
        "fingerprint": raw.get("system_fingerprint"),
    }
    return {name: str(value)[:200] for name, value in served.items() if value}


def _count(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return int(value) if 0 <= value < 2**53 else None


def _usage(response: Any, raw: Json, question: Question) -> tuple[Usage, tuple[str, ...]]:
    """The counts, unless there are none (litellm then makes some up) or they are beyond all that could be."""
    usage: Any = getattr(response, "usage", None)
    if "choices" in raw:
        usage = raw.get("usage")
    elif "candidates" in raw and not isinstance(raw.get("usageMetadata"), dict):
        usage = None
    prompt, completion = _count(_part(usage, "prompt_tokens")), _count(_part(usage, "completion_tokens"))
    cached = _count(_part(_part(usage, "prompt_tokens_details"), "cached_tokens"))
    reasoning = _count(_part(_part(usage, "completion_tokens_details"), "reasoning_tokens"))
    if not prompt or completion is None:
        return Usage(), ("usage_missing",)
    if prompt > 4 * question.tokens_in or completion > 4 * question.room + 4096 or (cached or 0) > prompt:
        return Usage(), ("usage_absurd",)
    flags: tuple[str, ...] = ("prompt_cut",) if was_cut(question, prompt) else ()
    if prompt > question.tokens_in or completion > question.room:
        flags = (*flags, "over_reserve")
    return Usage(prompt, cached, completion, reasoning), flags


def _part(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else getattr(value, name, None)


def least_tokens(parts: Iterable[str]) -> int:
    """Fewer tokens than these a text of such parts cannot be: a word is one at least, and they do not hold more
    characters on average."""
    words = chars = 0
    for part in parts:
        more_words, more_chars = _measured(part)
        words += more_words
        chars += more_chars
    return int(max(0.95 * words, chars / CHARS_A_TOKEN)) if words >= SURE_WORDS else 0


@lru_cache(REMEMBERED)
def _measured(part: str) -> tuple[int, int]:
    """A part's words, and its characters with runs of the same sign taken as one."""
    return len(_WORDS.findall(part)), len(_RUNS.sub(r"\1", part))


def was_cut(question: Question, prompt_tokens: int) -> bool:
    """Whether a server that counted so few tokens cannot have read the whole prompt."""
    if ORDINARY * prompt_tokens >= sum(map(len, question.texts)):
        return False
    return prompt_tokens < least_tokens(part for message in question.prompt for part in message.parts)
