"""A success as the record wants it: the answer apart from its reasoning, the usage, who served it, and what is odd
about it."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from harness.gateway.request import Question
from harness.gateway.wire import Exchange
from harness.records import Json

CHARS_A_TOKEN = 5.5
"""More characters than tokens hold on average in any natural text (blanks and rules taken together)."""
SURE_WORDS = 300
"""In a shorter prompt the counts say too little to accuse a server of having cut it."""

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


def parse(response: Any, exchange: Exchange | None, question: Question) -> Success:
    """litellm's response, with the provider's own words where its body has them: litellm takes `<think>` out of
    contents."""
    raw = exchange.json if exchange is not None else {}
    choices = getattr(response, "choices", None) or []
    message = choices[0].message if choices else None
    own = _own_message(raw)
    content = own.get("content") if isinstance(own.get("content"), str) else getattr(message, "content", None)
    reasoning = getattr(message, "reasoning_content", None)
    for name in ("reasoning_content", "reasoning"):
        if own and isinstance(own.get(name), str):
            reasoning = own[name]
            break
    else:
        if own and content is not None and content != getattr(message, "content", None):
            reasoning = None
    calls = getattr(message, "tool_calls", None) or []
    arguments = getattr(getattr(calls[0], "function", None), "arguments", None) if calls else None
    refusal = own.get("refusal")
    usage, flags = _usage(response, raw, question)
    return Success(
        content,
        reasoning if isinstance(reasoning, str) and reasoning else None,
        arguments if isinstance(arguments, str) else None,
        str(choices[0].finish_reason) if choices and choices[0].finish_reason else None,
        refusal if isinstance(refusal, str) and refusal.strip() else None,
        usage,
        _served(response, raw),
        flags,
    )


def _own_message(raw: Json) -> Json:
    choices = raw.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, dict) else None
    return message if isinstance(message, dict) else {}


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
    """The counts, unless there are none (litellm then makes some up) or they are beyond what was sent or allowed."""
    usage = getattr(response, "usage", None)
    if usage is None or ("choices" in raw and not isinstance(raw.get("usage"), dict)):
        return Usage(), ("usage_missing",)
    if "candidates" in raw and not isinstance(raw.get("usageMetadata"), dict):
        return Usage(), ("usage_missing",)
    prompt, completion = (
        _count(getattr(usage, "prompt_tokens", None)),
        _count(getattr(usage, "completion_tokens", None)),
    )
    cached = _count(getattr(getattr(usage, "prompt_tokens_details", None), "cached_tokens", None))
    reasoning = _count(getattr(getattr(usage, "completion_tokens_details", None), "reasoning_tokens", None))
    if not prompt or completion is None:
        return Usage(), ("usage_missing",)
    if prompt > 4 * question.tokens_in or completion > 4 * question.room + 4096 or (cached or 0) > prompt:
        return Usage(), ("usage_absurd",)
    flags = ("prompt_cut",) if was_cut(question, prompt) else ()
    return Usage(prompt, cached, completion, reasoning), flags


def least_tokens(text: str) -> int:
    """Fewer tokens than these a text cannot be: a word is one at least, and they do not hold more characters on
    average."""
    words = sum(1 for _ in _WORDS.finditer(text))
    if words < SURE_WORDS:
        return 0
    return int(max(0.95 * words, len(_RUNS.sub(r"\1", text)) / CHARS_A_TOKEN))


def was_cut(question: Question, prompt_tokens: int) -> bool:
    """Whether a server that counted so few tokens cannot have read the whole prompt."""
    if 4 * prompt_tokens >= question.tokens_in:
        return False
    return prompt_tokens < least_tokens("\n".join(message.text for message in question.prompt))
