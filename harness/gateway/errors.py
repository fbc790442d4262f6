"""Why a request failed, told apart by what the provider said: its status first, then its own words.

litellm's exception classes are of little help here: a spent quota is its RateLimitError, a 403 a bare APIError, and an
over-long prompt a BadRequestError for some providers and a class of its own for others.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple

from harness.gateway.keys import redact
from harness.gateway.wire import Exchange
from harness.records import ErrorKind
from harness.reply import clean

SENTENCE = 300
"""Characters of a provider's words that are kept in an error line; the stored response has them whole."""

_QUOTA = re.compile(
    r"insufficient[_ ]quota|insufficient (?:credit|balance|funds)|credit balance|out of credit|billing[_ ]hard|"
    r"payment required|quota.{0,40}per ?day|PerDay",
    re.IGNORECASE,
)
_CURRENT_QUOTA = re.compile(r"exceeded your current quota", re.IGNORECASE)
_CONTEXT = re.compile(
    r"context[_ ]length|context[_ ]window|maximum context|prompt is too long|input is too long|"
    r"too many (?:input )?tokens|"
    r"exceeds? the (?:available context|maximum number of (?:input )?tokens|context)|"
    r"input token count|reduce the length",
    re.IGNORECASE,
)
_FILTER = re.compile(
    r"content[_ ]filter|content[_ ]policy|content management policy|safety system|responsible ai|prohibited_content|"
    r"flagged (?:by|as|for)|moderation",
    re.IGNORECASE,
)
_KEY = re.compile(
    r"api[_ ]key(?: is)? (?:not valid|invalid|expired)|invalid (?:x-)?api[-_ ]key|API_KEY_INVALID|incorrect api key|"
    r"missing .{0,30}api key|security token",
    re.IGNORECASE,
)
_MODEL = re.compile(
    r"model[_ ]not[_ ]found|not a valid model|model identifier is invalid|"
    r"(?:model|models/)\S* .{0,80}(?:does not exist|not found)|"
    r"unknown model|no such model|LLM Provider NOT provided|invalid model",
    re.IGNORECASE,
)
_NEVER_FITS = re.compile(r"request too large.{0,200}per min", re.IGNORECASE | re.DOTALL)
"""A request that is larger than a whole minute's allowance (OpenAI says so by 429, Groq by 413)."""
_NOT_JSON = re.compile(r"json_validate_failed|tool_use_failed|failed to (?:generate|validate) json", re.IGNORECASE)
"""Groq checks the answer against the schema by itself and refuses to hand over one that does not fit."""
_PREFIX = re.compile(
    r"^(?:litellm\.)?\w*(?:Error|Exception|Timeout)\s*:\s*(?:litellm\.\w+:\s*)?(?:\w+Exception\s*-\s*)?"
)
_AGAIN = re.compile(
    r'"?retry_?delay"?\s*:\s*"?(?P<delay>\d+(?:\.\d+)?)s'
    r"|(?:try again|retry) in (?:(?P<m>\d+)m)?(?P<s>\d+(?:\.\d+)?)(?P<unit>ms|s)",
    re.IGNORECASE,
)


class Failure(NamedTuple):
    """What became of a request that brought no answer. `billed` is true where it may have been paid for nonetheless,
    `unsent` where there was not even a connection."""

    kind: ErrorKind
    sentence: str
    status: int | None = None
    retry_after: float | None = None
    billed: bool = False
    unsent: bool = False


def classify(error: BaseException, exchanges: list[Exchange], hidden: Iterable[str], *, late: bool) -> Failure:
    """The failure behind an exception of litellm's. `late`: the request's time was up when it came."""
    exchange = exchanges[-1] if exchanges else None
    status = exchange.status if exchange is not None else None
    body = (exchange.text or "") if exchange is not None else ""
    words = _words(exchange.json if exchange is not None else {}) or _PREFIX.sub("", str(error))
    sentence = one_line(words, hidden) or type(error).__name__
    if exchange is not None and status is None and type(exchange.failed).__name__ in ("ConnectTimeout", "PoolTimeout"):
        return Failure("timeout", f"no connection within {exchange.connect_seconds:g} s", unsent=True)
    if late or (type(error).__name__ == "Timeout" and (status is None or status < 400)):
        return Failure(
            "timeout", "no answer within the time limit of the whole call", status, billed=exchange is not None
        )
    if status is None or status < 400:
        inner = error_inside(exchange) if exchange is not None else None
        if inner is not None:
            status = inner
    if status is not None and status >= 400:
        kind = kind_of(status, body[:4000] if status == 429 else f"{words}\n{_codes(exchange)}")
        wait = retry_after(exchange, body) if kind in ("rate_limit", "server", "timeout") else None
        if kind == "rate_limit" and _CURRENT_QUOTA.search(words) and wait is None:
            kind = "quota"
        return Failure(kind, sentence, status, wait, billed=kind == "unreadable")
    if exchange is None:
        return Failure(_before_sending(error, words), sentence)
    if status is None:
        unsent = type(exchange.failed).__name__ == "ConnectError"
        return Failure("connection", sentence, billed=not unsent, unsent=unsent)
    if type(error).__name__ in ("APIConnectionError",) and not body:
        return Failure("connection", "the connection was lost before the reply came", status, billed=True)
    return Failure("server", f"the reply could not be read: {sentence}", status, billed=True)


def kind_of(status: int, text: str) -> ErrorKind:
    """The kind of an HTTP error by its status and its words."""
    if status in (413, 429) and _NEVER_FITS.search(text):
        return "limit"
    if status == 429:
        return "quota" if _QUOTA.search(text) else "rate_limit"
    if status == 402:
        return "quota"
    if status in (401, 403):
        if status == 403 and _QUOTA.search(text):
            return "quota"
        return "content_filter" if status == 403 and _FILTER.search(text) else "auth"
    if status == 408:
        return "timeout"
    if status == 413:
        return "context"
    if status == 404:
        return "unknown_model"
    if 400 <= status < 500 and status not in (409, 425):
        for pattern, kind in _BY_WORDS:
            if pattern.search(text):
                return kind
        return "bad_request"
    return "server"


_BY_WORDS: tuple[tuple[re.Pattern[str], ErrorKind], ...] = (
    (_NOT_JSON, "unreadable"),
    (_CONTEXT, "context"),
    (_FILTER, "content_filter"),
    (_KEY, "auth"),
    (_MODEL, "unknown_model"),
    (_QUOTA, "quota"),
)


def _before_sending(error: BaseException, words: str) -> ErrorKind:
    """The kind of an error that litellm raised by itself, with no request made."""
    name = type(error).__name__
    if name == "AuthenticationError" or _KEY.search(words) or "credentials" in words.lower():
        return "auth"
    if name == "NotFoundError" or _MODEL.search(words):
        return "unknown_model"
    if name == "ContextWindowExceededError":
        return "context"
    if name == "APIConnectionError":
        return "connection"
    return "bad_request"


def error_inside(exchange: Exchange) -> int | None:
    """The status of an error that a provider put into the body of a 200 in place of an answer; 500 if it names none."""
    body = exchange.json
    choices = body.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else body
    error = first.get("error") if isinstance(first, dict) else None
    if not error or (isinstance(first, dict) and first.get("message", {}) and _has_text(first)):
        return None
    code = error.get("code") if isinstance(error, dict) else None
    return code if isinstance(code, int) and 400 <= code < 600 else 500


def _has_text(choice: dict[str, Any]) -> bool:
    message = choice.get("message")
    return isinstance(message, dict) and bool(message.get("content"))


def _words(body: dict[str, Any]) -> str:
    """The provider's own sentence in an error's body."""
    choices = body.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    found = (first.get("error") if isinstance(first, dict) else None) or body.get("error", body)
    if isinstance(found, str):
        return found
    if not isinstance(found, dict):
        return ""
    said = ""
    for key in ("message", "Message", "detail", "error_description"):
        if isinstance(found.get(key), str):
            said = found[key]
            break
    meta = found.get("metadata")
    raw = meta.get("raw") if isinstance(meta, dict) else None
    if isinstance(raw, str):
        said = f"{said}: {raw}"
    code = found.get("code")
    if said and isinstance(code, str) and code.lower() not in said.lower():
        said = f"{said} ({code})"
    return said


def _codes(exchange: Exchange | None) -> str:
    """The error's own names for itself. The rest of the body is left out: some servers quote the prompt in it."""
    body = exchange.json if exchange is not None else {}
    found = body.get("error", body)
    if not isinstance(found, dict):
        return ""
    details = found.get("details")
    reasons = (
        [detail.get("reason") for detail in details if isinstance(detail, dict)] if isinstance(details, list) else []
    )
    return " ".join(str(name) for name in (found.get("code"), found.get("type"), found.get("status"), *reasons) if name)


def one_line(text: str, hidden: Iterable[str]) -> str:
    """Words from outside as they may stand in a line: no key, no control characters, not too long."""
    line = " ".join(clean(redact(text[: 2**16], hidden)[: 4 * SENTENCE]).split())
    return line if len(line) <= SENTENCE else line[: SENTENCE - 1] + "…"


def retry_after(exchange: Exchange | None, body: str) -> float | None:
    """Seconds to wait as the provider asked: its headers (seconds, milliseconds, a date), else its words."""
    headers = exchange.headers if exchange is not None else {}
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        value = headers.get(name)
        if value is None:
            continue
        try:
            seconds = float(value) / unit
        except ValueError:
            seconds = _until(value, headers.get("date"))
        if math.isfinite(seconds):
            return max(0.0, seconds)
    said = _AGAIN.search(body)
    if said is None:
        return None
    if said["delay"]:
        return float(said["delay"])
    return float(said["m"] or 0) * 60 + float(said["s"]) / (1000 if said["unit"].lower() == "ms" else 1)


def _until(date: str, said: str | None) -> float:
    """Seconds until a date, by the clock of whoever names it (`said`: when it thinks that it answers), else by ours."""
    when = _moment(date)
    if when is None:
        return math.nan
    return (when - (_moment(said or "") or datetime.now(UTC))).total_seconds()


def _moment(date: str) -> datetime | None:
    try:
        when = parsedate_to_datetime(date)
    except (TypeError, ValueError):
        return None
    return when if when.tzinfo is not None else when.replace(tzinfo=UTC)
