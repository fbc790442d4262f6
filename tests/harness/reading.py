"""What red is shown at a table of four, and a reply to it, read."""

from __future__ import annotations

import json
from typing import Any

from games.api import Allowance, Observation
from harness.reply import Completion, Reading, read

SEATS = ("red", "blue", "green", "yellow")
LEGAL = ("play red on 1", "play red on 2", "play red new", "play blue new")
KINDS = ("donate", "refuse", "spare", "give_turn")


def seen(**changes: Any) -> Observation:
    """What red is shown, with changes."""
    base = Observation(
        game="so_long_sucker",
        seat="red",
        seats=SEATS,
        decision=0,
        asked="act",
        view={},
        events=(),
        messages=(),
        legal=LEGAL,
        alive=SEATS,
        talk=Allowance(2, 280, private=True),
        pledges=KINDS,
    )
    return base._replace(**changes)


def text(content: str | None, finish: str = "stop", **changes: Any) -> Reading:
    return read(Completion(content, finish_reason=finish), seen(**changes))


def said(*messages: Any, **changes: Any) -> Reading:
    return text(json.dumps({"actions": ["play red new"], "messages": list(messages)}), **changes)


def pledged(**pledge: Any) -> Reading:
    return said({"to": "all", "text": "hear me", "pledges": [pledge]})
