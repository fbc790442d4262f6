"""The JSON schema of the answer to one decision: what a model may say, in the strictest dialect in use. Pure."""

from __future__ import annotations

from typing import Final

from games.api import Allowance, Json, Observation
from harness.prompt import ENUM_ITEMS, Context
from harness.ranges import grouped
from harness.reply import PLEDGE_TURNS
from harness.wording import plan_text

ENUM_CHARS: Final = 4_000
"""Legal actions stand in the schema as an enum where they have at most so many characters together."""
PLAN_ITEMS: Final = 13
"""The most actions of a plan in a bounded answer, which still ends within some 300 tokens."""
ACTION_CHARS: Final = 80
"""The longest action in a bounded answer that is held to no list."""


def _object(properties: Json) -> Json:
    """An object in the strictest dialect: every property required, no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _text(limit: int | None) -> Json:
    return {"type": "string"} if limit is None else {"type": "string", "maxLength": limit}


def _list(items: Json, limit: int | None) -> Json:
    return {"type": "array", "items": items} if limit is None else {"type": "array", "items": items, "maxItems": limit}


def _messages_schema(observation: Observation, talk: Allowance, *, bounded: bool) -> Json:
    number = min(talk.messages, 2) if bounded else None
    chars = min(talk.chars, 120 // max(1, number)) if number is not None else None
    others = [seat for seat in observation.alive if seat != observation.seat]
    properties: Json = {
        "to": {"type": "string", "enum": ["all", *(others if talk.private else ())]},
        "text": _text(chars),
    }
    if observation.pledges and others:
        kind = {"type": "string", "enum": list(observation.pledges)}
        term = {"minimum": PLEDGE_TURNS[0], "maximum": PLEDGE_TURNS[-1]} if bounded else {}
        pledge = _object(
            {
                "kind": kind,
                "to": {"type": "string", "enum": others},
                "turns": {"type": "integer", **term},
                "if": {"anyOf": [kind, {"type": "null"}]},
            }
        )
        properties["pledges"] = _list(pledge, 1 if bounded else None)
    return _list(_object(properties), number)


def _action_schema(shown: tuple[str, ...], *, bounded: bool) -> Json:
    """One of the legal actions: an enum where they are few, a pattern where those with tiles make a short one."""
    if len(shown) <= ENUM_ITEMS and sum(map(len, shown)) <= ENUM_CHARS:
        return {"type": "string", "enum": list(shown)}
    groups = grouped(shown)
    pattern = groups.pattern() if groups.tiles else ""
    if pattern and len(pattern) <= ENUM_CHARS:
        return {"type": "string", "pattern": pattern}
    return _text(ACTION_CHARS if bounded else None)


def answer_schema(observation: Observation, shown: tuple[str, ...], context: Context, *, bounded: bool) -> Json:
    """The JSON schema of the answer to one decision, its properties in the order in which they are wanted.

    Legal actions stand in it, where the interface says so, as an enum if they are few enough, else as a pattern. With
    `bounded`, for local servers that hold the output to a grammar, texts and lists have a longest length, so that an
    answer ends within some 300 tokens; without, no keyword is used that a strict provider may refuse.
    """
    thoughts = {"thoughts": _text(120 if bounded else None)}
    properties: Json = {}
    if context.interface.thoughts == "before":
        properties.update(thoughts)
    if observation.asked == "act":
        action = (
            _action_schema(shown, bounded=bounded)
            if context.interface.legal == "enum"
            else _text(ACTION_CHARS if bounded else None)
        )
        most = 1 if plan_text(context.game) is None else PLAN_ITEMS
        properties["actions"] = _list(action, most if bounded else None)
        if bounded:
            properties["actions"]["minItems"] = 1
    if context.interface.thoughts == "after":
        properties.update(thoughts)
    talk = observation.talk
    if talk is not None and talk.messages > 0:
        properties["messages"] = _messages_schema(observation, talk, bounded=bounded)
    if context.interface.notes:
        notes = _text(100 if bounded else None)
        properties["notes"] = {**notes, "type": ["string", "null"]}
    return _object(properties)
