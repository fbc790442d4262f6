"""What the loopback provider can be told to do with a request."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from tests.providers.choose import fill, legal_in, nodes, schema_in

if TYPE_CHECKING:
    from tests.providers.server import Seen

Json = dict[str, Any]
Missing = Literal["missing"]


@dataclass(frozen=True)
class Answer:
    """A success. What is None is left out of the reply, as a provider would."""

    content: str | Callable[[Seen], str] | None = ""
    reasoning: str | None = None
    reasoning_field: str = "reasoning_content"
    finish: str = "stop"
    refusal: str | None = None
    tool_arguments: str | None = None
    choices: bool = True
    usage: Json | Callable[[Seen], Json] | Missing | None = None
    """None: counted from the text, four characters a token. A dict is sent as it is."""
    cached: int | None = None
    reasoning_tokens: int | None = None
    cost: float | None = None
    model: str | None = None
    upstream: str | None = None
    fingerprint: str | None = None
    delay: float = 0.0
    """Seconds before the reply begins."""


@dataclass(frozen=True)
class Fail:
    """A refusal with a status; `code` and `message` are put as the request's dialect puts them."""

    status: int
    message: str = "scripted failure"
    code: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0


@dataclass(frozen=True)
class Raw:
    """A body to be sent as it stands."""

    body: bytes
    status: int = 200
    content_type: str = "application/json"
    delay: float = 0.0


@dataclass(frozen=True)
class Drop:
    """Closes the connection: before any header, or in the middle of the body."""

    when: Literal["before", "middle"] = "before"


@dataclass(frozen=True)
class Hang:
    """Never answers until the server is told to `release()`; then it answers `then`."""

    then: Answer = field(default_factory=lambda: Answer("{}"))


Behaviour = Answer | Fail | Raw | Drop | Hang
Handler = Callable[["Seen"], Behaviour]


def legal(choose: int | Literal["hash"] = 0, say: str | None = None, **more: Any) -> Handler:
    """Answers with the k-th legal action (or one by a hash of the request's body), read from the request alone."""

    def handler(seen: Seen) -> Answer:
        actions = legal_in(seen.body)
        index = int.from_bytes(hashlib.sha256(seen.raw).digest()[:4], "big") if choose == "hash" else choose
        picked = [actions[index % len(actions)]] if actions else []
        return Answer(json.dumps(fill(schema_in(seen.body), picked, say)), **more)

    return handler


def rate_limited(
    retry_after: str | None = None, *, milliseconds: str | None = None, message: str = "Rate limit reached, slow down"
) -> Fail:
    """429 with a `Retry-After` of seconds or an HTTP date, or a `retry-after-ms`, or none."""
    headers = {}
    if retry_after is not None:
        headers["Retry-After"] = retry_after
    if milliseconds is not None:
        headers["retry-after-ms"] = milliseconds
    return Fail(429, message, "rate_limit_exceeded", headers)


def quota_spent() -> Fail:
    """429 that no waiting will cure."""
    return Fail(
        429, "You exceeded your current quota, please check your plan and billing details.", "insufficient_quota"
    )


_MESSAGES = {
    401: ("Incorrect API key provided", "invalid_api_key"),
    403: ("Your account may not use this model", "forbidden"),
    404: ("The model does not exist", "model_not_found"),
    408: ("Request timed out", "timeout"),
    500: ("The server had an error", "server_error"),
    502: ("Bad gateway", "bad_gateway"),
    503: ("The model is overloaded", "overloaded"),
    529: ("Overloaded", "overloaded_error"),
}


def status(code: int, message: str | None = None, **headers: str) -> Fail:
    """The usual error of that status."""
    usual, name = _MESSAGES.get(code, ("scripted failure", None))
    return Fail(code, message or usual, name, headers)


def context_exceeded(limit: int) -> Handler:
    """400 for messages of more than `limit` characters, else a legal answer."""

    def handler(seen: Seen) -> Behaviour:
        if len(seen.text) > limit:
            return Fail(
                400,
                f"This model's maximum context length is {limit // 4} tokens. Please reduce the length of the prompt.",
                "context_length_exceeded",
            )
        return legal()(seen)

    return handler


def content_policy() -> Fail:
    """400 of a provider that will not read the prompt."""
    return Fail(400, "The response was filtered due to our content management policy.", "content_policy_violation")


def strict_schema() -> Handler:
    """Takes a strict schema only if each object requires every property and admits no other; else 400 as OpenAI
    says it."""

    def handler(seen: Seen) -> Behaviour:
        asked = (seen.body.get("response_format") or {}).get("json_schema") or {}
        if asked.get("strict"):
            for node in nodes(asked.get("schema")):
                if not isinstance(node.get("properties"), dict):
                    continue
                missing = sorted(set(node["properties"]) - set(node.get("required", [])))
                if missing:
                    return Fail(
                        400,
                        f"invalid_json_schema: 'required' must include every key. Missing '{missing[0]}'",
                        "invalid_json_schema",
                    )
                if node.get("additionalProperties") is not False:
                    return Fail(400, "invalid_json_schema: 'additionalProperties' must be false", "invalid_json_schema")
        return legal()(seen)

    return handler


def bad_enum(limit: int) -> Handler:
    """A bare 400 once the enum values of the schema exceed `limit` characters together."""

    def handler(seen: Seen) -> Behaviour:
        schema = schema_in(seen.body) or {}
        size = sum(
            len(str(v)) for node in nodes(schema) for v in node.get("enum", []) if isinstance(node["enum"], list)
        )
        if size > limit:
            return Fail(400, "Request contains an invalid argument.", "INVALID_ARGUMENT")
        return legal()(seen)

    return handler
