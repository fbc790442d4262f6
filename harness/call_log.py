"""Calls in a log: one line each, of names and numbers alone. No key, prompt, header, answer or sentence is in it."""

from __future__ import annotations

import logging

from harness.records import CallRecord
from harness.reply import clean

_LOG = logging.getLogger(__name__)


def log_call(call: CallRecord) -> None:
    """Log a call that has ended, at debug."""
    if _LOG.isEnabledFor(logging.DEBUG):
        _LOG.debug("%s", call_line(call))


def call_line(call: CallRecord) -> str:
    """The line of one call."""
    place = "probe" if call.match_id is None else f"match {call.match_id} ply {call.ply} {call.seat} {call.kind}"
    tokens = f"{call.prompt_tokens or 0}+{call.completion_tokens or 0} tokens ({call.cached_tokens or 0} cached)"
    cost = "cost unknown" if call.cost is None else f"${call.cost:.6f}"
    took = f"{(call.latency_ms or 0.0) / 1000:.2f} s"
    became = "ok" if call.error_kind is None else f"{call.error_kind} (HTTP {call.http_status or '–'})"
    flags = f" [{' '.join(call.flags)}]" if call.flags else ""
    label = " ".join(clean(call.label).split())
    return f"call {call.id}: {label}, {place}, request {call.attempt}: {became}, {tokens}, {cost}, {took}{flags}"
