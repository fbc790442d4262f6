"""What may stand in a player's `params`: anything the provider knows, but for what the harness itself decides."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.spec.faults import FieldError, path_text, shown

_OURS = {
    "model": "the player's model says it",
    "messages": "the harness writes the prompt",
    "response_format": "use the player's response_format",
    "api_base": "use the player's api_base",
    "base_url": "use the player's api_base",
    "stream": "replies are read whole",
    "n": "one answer is asked for",
    "tools": "the answer is asked for as JSON",
    "tool_choice": "the answer is asked for as JSON",
    "functions": "the answer is asked for as JSON",
    "timeout": "use limits: {label: {timeout: 60}}",
    "request_timeout": "use limits: {label: {timeout: 60}}",
    "max_retries": "the harness retries",
    "num_retries": "the harness retries",
    "fallbacks": "a player is one model",
    "mock_response": "a bot needs no model",
    "extra_body": "use the player's extra_body",
}
_NUMBERS: dict[str, tuple[float | None, float | None]] = {
    "temperature": (0, None),
    "top_p": (0, 1),
    "min_p": (0, 1),
    "presence_penalty": (None, None),
    "frequency_penalty": (None, None),
    "repeat_penalty": (0, None),
}
_WHOLE: dict[str, int | None] = {"max_tokens": 1, "max_completion_tokens": 1, "top_k": None, "seed": None}


def check_params(params: Mapping[str, Any]) -> None:
    """Refuse parameters that the harness sets itself, and wrong types of those that every provider has.

    Raises `FieldError` with the parameter's name as its path.
    """
    for name, value in params.items():
        key = path_text((name,))
        if name in _OURS:
            raise FieldError(key, f"not a parameter to pass on; {_OURS[name]}")
        if value is None:
            raise FieldError(key, "null is no value; leave the key out")
        if name in _NUMBERS:
            _number(key, value, *_NUMBERS[name])
        if name in _WHOLE:
            if isinstance(value, bool) or not isinstance(value, int):
                raise FieldError(key, f"{shown(value)} is not a whole number")
            least = _WHOLE[name]
            if least is not None and value < least:
                raise FieldError(key, f"{shown(value)} is not at least {least}")


def _number(key: str, value: object, least: float | None, most: float | None) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise FieldError(key, f"{shown(value)} is not a number")
    if least is not None and value < least:
        raise FieldError(key, f"{shown(value)} is not at least {least:g}")
    if most is not None and value > most:
        raise FieldError(key, f"{shown(value)} is not at most {most:g}")
