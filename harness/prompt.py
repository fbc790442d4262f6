"""What a model is shown: an observation rendered as messages, and the schema of the answer. Pure.

What never changes in a tournament comes first, then what never changes in a match, then what grows, then the present,
so that a provider's prefix cache serves as much as possible. All wording is in the templates of the package `prompts`;
words that a model wrote reach them only through the filters `quoted` and `line`. Seats are named, models never.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import jinja2

from games.api import Event, Json, Message, Observation, Seat
from harness.records import PromptMessage, Source
from harness.reply import PLEDGE_TURNS, clean, quote, spoken

if TYPE_CHECKING:
    from harness.spec import Interface, Talk

ENUM_ITEMS: Final = 200
ENUM_CHARS: Final = 4_000
"""Legal actions stand in the schema as an enum where they are at most so many, with so many characters together."""
REPEATED_CHARS: Final = 4_000
"""An earlier reply is repeated to its author up to this length."""


class Context(NamedTuple):
    """What one seat's prompts have in common throughout a match.

    `options` are the game's with every default filled in, `persona` the name of one of `personas()`; `pledges` is the
    tournament file's `off`, `silent` or `announced`, `pledge_kinds` what each kind that the game knows means.
    """

    game: str
    seat: Seat
    seats: tuple[Seat, ...]
    options: Json
    persona: str | None
    interface: Interface
    talk: Talk
    pledges: str
    pledge_kinds: Mapping[str, str]


class Past(NamedTuple):
    """An earlier decision of the same seat: what was new then, and the text it answered (None where it gave none).

    `played` are the actions that were applied, `dropped` the reasons for what was left out of its answer: it is told.
    """

    decision: int
    asked: Literal["act", "talk"]
    events: tuple[Event, ...]
    messages: tuple[Message, ...]
    reply: str | None
    played: tuple[str, ...]
    source: Source
    dropped: tuple[str, ...] = ()


class Failure(NamedTuple):
    """An answer of this decision that could not be used: its text (None where there was none) and what was wrong."""

    reply: str | None
    error_kind: str
    error: str


# Templates

_CONTROL_WORDS = re.compile(r"<(?=[^\s\d=-])|\[(?=/?[A-Z_]+\])")


def _defused(text: str) -> str:
    """Text without the tags by which chat templates part one speaker from the next, such as `<|im_start|>`.

    The bracket that opens one is written as JSON escapes it, so inside a JSON string nothing changes.
    """
    return _CONTROL_WORDS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _quoted(text: str) -> str:
    """Somebody's words as one JSON string on one line."""
    return _defused(quote(text, limit=len(text)))


def _line(text: str) -> str:
    """A sentence that may repeat foreign words, on one line."""
    return _defused(" ".join(clean(text).split()))[:600]


def _root() -> Traversable:
    return files("prompts")


@cache
def _source(name: str) -> str | None:
    """The text of a prompt file, None where there is none."""
    found = _root().joinpath(*name.split("/"))
    return found.read_text(encoding="utf-8") if found.is_file() else None


@cache
def _templates() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_source),
        undefined=jinja2.StrictUndefined,
        autoescape=False,  # noqa: S701 - the result is plain text; foreign words go through `quoted`
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(quoted=_quoted, line=_line)
    return environment


def _render(template: str, **values: Any) -> str:
    return _templates().get_template(template).render(values).strip()


@cache
def personas() -> tuple[str, ...]:
    """The names of the personas that a player may have, sorted."""
    found = _root().joinpath("personas").iterdir()
    return tuple(sorted(item.name.removesuffix(".md") for item in found if item.name.endswith(".md")))


def _files(folder: Traversable, path: str = "") -> Iterator[tuple[str, bytes]]:
    for item in folder.iterdir():
        name = f"{path}{item.name}"
        if item.is_dir():
            yield from _files(item, f"{name}/")
        elif item.name.endswith((".j2", ".md")):
            yield name, item.read_bytes()


@cache
def prompts_hash() -> str:
    """SHA-256 over the name and the bytes of every prompt file, in the order of their names."""
    digest = sha256()
    for name, content in sorted(_files(_root())):
        digest.update(f"{name}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


# What games show


def view_text(game: str, view: Json) -> str:
    """A view as plain text of several lines, by the game's own template if it has one."""
    template = f"{game}/view.md.j2"
    if _source(template) is None:
        return "\n".join(_outline(view, ""))
    return _render(template, view=view)


def event_text(game: str, event: Event) -> str:
    """An event as plain text on one line, by the game's own template if that has words for it."""
    template = f"{game}/events.md.j2"
    words = "" if _source(template) is None else _render(template, kind=event.kind, **event.fields)
    return words or " ".join([event.kind, *(f"{key}={_scalar(value)}" for key, value in event.fields.items())])


def _scalar(value: Any) -> str:
    if isinstance(value, str):
        return value if value.isprintable() and value.strip() == value != "" else _quoted(value)
    if value is None or isinstance(value, bool):
        return {None: "none", True: "yes", False: "no"}[value]
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_scalar(key)}: {_scalar(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_scalar(item) for item in value) + "]"
    return str(value)


def _outline(value: Mapping[str, Any], indent: str) -> Iterator[str]:
    """A view of a game without a template: one line a key, nested maps and lists of maps indented below theirs."""
    for key, item in value.items():
        name = f"{indent}{_scalar(key)}:"
        if isinstance(item, Mapping) and any(isinstance(part, Mapping | list) for part in item.values()):
            yield name
            yield from _outline(item, indent + "  ")
        elif isinstance(item, list) and any(isinstance(part, Mapping) for part in item):
            yield name
            yield from (f"{indent}  - {_scalar(part)}" for part in item)
        else:
            yield f"{name} {_scalar(item)}"


# The prompt


def _talks(context: Context) -> bool:
    return context.talk.messages > 0 and context.talk.per_match != 0


def _pledge_kinds(context: Context) -> Mapping[str, str]:
    return context.pledge_kinds if context.pledges != "off" and _talks(context) else {}


def _form(context: Context, asked: str) -> str:
    """The answer's form, with words in place of an action: an example that is copied is told apart from a choice."""
    thoughts, parts = '"thoughts": "<text>"', []
    if asked == "act":
        parts.append('"actions": ["<action>"]')
    if context.interface.thoughts != "none":
        parts.insert(0 if context.interface.thoughts == "before" else 1, thoughts)
    if _talks(context):
        said = "[]" if asked == "act" else '[{"to": "<seat or all>", "text": "<text>"}]'
        parts.append(f'"messages": {said}')
    if context.interface.notes:
        parts.append('"notes": null')
    return "{" + ", ".join(parts) + "}"


def _system(context: Context) -> PromptMessage:
    """From what is the same throughout the tournament to what is this seat's alone."""
    talk = context.talk if _talks(context) else None
    kinds = _pledge_kinds(context)
    parts = [
        _render(
            "system.md.j2", interface=context.interface, talk=talk, pledges=bool(kinds), form=_form(context, "act")
        ),
        _render(f"{context.game}/rules.md", options=context.options, seats=context.seats),
    ]
    if context.interface.framing == "cutthroat":
        own = f"{context.game}/cutthroat.md"
        parts.append(_render("cutthroat.md" if _source(own) is None else own))
    parts.append(
        _render(
            "match.md.j2",
            seats=context.seats,
            talk=talk,
            rounds=context.talk.round > 0 and len(context.seats) > 2,
            kinds=kinds,
            announced=context.pledges == "announced",
        )
    )
    persona = None
    if context.persona is not None:
        persona = _source(f"personas/{context.persona}.md") if context.persona in personas() else None
        if persona is None:
            raise ValueError(f"persona: {quote(context.persona)} is none of {', '.join(personas())}")
    parts.append(_render("seat.md.j2", seat=context.seat, persona=persona))
    return PromptMessage(role="system", parts=tuple(parts))


def _news(context: Context, new: Past | Observation, before: Past | None) -> str:
    """What is new to a seat as it is asked, and what became of its answer before that."""
    return _render(
        "news.md.j2",
        number=new.decision + 1,
        asked=new.asked,
        seat=context.seat,
        dropped=before.dropped if before is not None else (),
        events=[event_text(context.game, event) for event in new.events],
        messages=new.messages,
    )


def _repeated(reply: str | None) -> str:
    """An earlier answer as its author is shown it again: without thinking, and not without end."""
    text = _defused(clean(spoken(reply or "")))
    return text if len(text) <= REPEATED_CHARS else text[:REPEATED_CHARS] + " …"


class _Turns:
    """Messages after the first, in which user and assistant alternate and none is empty."""

    def __init__(self, first: PromptMessage) -> None:
        self._done = [first]
        self._user: list[str] = []

    def user(self, *parts: str) -> None:
        self._user.extend(part for part in parts if part)

    def assistant(self, text: str) -> None:
        """What the seat answered. Without text there is no turn, and what follows joins what went before."""
        if text:
            self._done += [self._turn(), PromptMessage(role="assistant", parts=(text,))]
            self._user = []

    def _turn(self) -> PromptMessage:
        return PromptMessage(role="user", parts=tuple(self._user))

    def done(self) -> tuple[PromptMessage, ...]:
        return (*self._done, self._turn())


def render(
    observation: Observation,
    shown: tuple[str, ...],
    context: Context,
    history: Sequence[Past],
    failures: Sequence[Failure],
) -> tuple[PromptMessage, ...]:
    """The prompt of one decision: a system message, then user and assistant turns, a user's last.

    `shown` are the legal actions in the order in which they are shown, `history` all earlier decisions of the seat (as
    many as the interface wants are used), `failures` the answers to this very decision that could not be used.

    Raises:
        ValueError: for a persona that is not there.
    """
    turns = _Turns(_system(context))
    limit = context.interface.history_limit
    first = 0 if limit is None else max(0, len(history) - limit)
    for index in range(first, len(history)):
        past = history[index]
        turns.user(_news(context, past, history[index - 1] if index else None))
        if past.source == "fallback":
            turns.user(_render("stood_in.md.j2", asked=past.asked, played=past.played))
        turns.assistant(_repeated(past.reply))
    turns.user(_news(context, observation, history[-1] if history else None))
    form = _form(context, observation.asked)
    legal = shown if context.interface.legal != "none" and observation.asked == "act" else ()
    turns.user(
        _render(
            "turn.md.j2" if observation.asked == "act" else "talk.md.j2",
            notes=observation.notes if context.interface.notes else "",
            table=view_text(context.game, observation.view),
            legal=legal,
            talk_on=_talks(context),
            talk=context.talk,
            allowance=observation.talk,
            form=form,
        )
    )
    for failure in failures:
        turns.assistant(_repeated(failure.reply))
        turns.user(_render("retry.md.j2", error=failure.error, asked=observation.asked, legal=legal, form=form))
    return turns.done()


# The answer's schema


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


def _message_schema(observation: Observation, chars: int, private: bool, *, bounded: bool) -> Json:
    others = [seat for seat in observation.alive if seat != observation.seat]
    properties: Json = {
        "to": {"type": "string", "enum": ["all", *(others if private else ())]},
        "text": _text(min(chars, 120) if bounded else None),
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
    return _object(properties)


def answer_schema(observation: Observation, shown: tuple[str, ...], context: Context, *, bounded: bool) -> Json:
    """The JSON schema of the answer to one decision, its properties in the order in which they are wanted.

    Legal actions stand in it as an enum where the interface says so and they are few enough. With `bounded`, for local
    servers that hold the output to a grammar, texts and lists have a longest length, so that an answer ends within some
    300 tokens; without, no keyword is used that a strict provider may refuse.
    """
    thoughts = {"thoughts": _text(240 if bounded else None)}
    properties: Json = {}
    if context.interface.thoughts == "before":
        properties.update(thoughts)
    if observation.asked == "act":
        listed = len(shown) <= ENUM_ITEMS and sum(map(len, shown)) <= ENUM_CHARS
        action = (
            {"type": "string", "enum": list(shown)}
            if context.interface.legal == "enum" and listed
            else _text(80 if bounded else None)
        )
        properties["actions"] = _list(action, 1 if bounded else None)
        if bounded:
            properties["actions"]["minItems"] = 1
    if context.interface.thoughts == "after":
        properties.update(thoughts)
    talk = observation.talk
    if talk is not None and talk.messages > 0:
        message = _message_schema(observation, talk.chars, talk.private, bounded=bounded)
        properties["messages"] = _list(message, min(talk.messages, 2) if bounded else None)
    if context.interface.notes:
        notes = _text(160 if bounded else None)
        properties["notes"] = {**notes, "type": ["string", "null"]}
    return _object(properties)
