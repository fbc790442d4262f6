"""The wording of all that is shown as text: the templates of the package `prompts`, and how foreign words enter them.

Views and events become plain text here, for prompts, terminal and pages alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

import jinja2
import jinja2.runtime

from games.api import Event, Json
from harness.reply import clean, quote

_CONTROL_WORDS = re.compile(r"<(?=[^\s\d=-])|\[(?=/?[A-Z_]+\])")


def defused(text: str) -> str:
    """Text without the tags by which chat templates part one speaker from the next, such as `<|im_start|>`.

    The bracket that opens one is written as JSON escapes it, so inside a JSON string nothing changes.
    """
    return _CONTROL_WORDS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _quoted(text: str) -> str:
    """Somebody's words as one JSON string on one line."""
    return defused(quote(text, limit=len(text)))


def _line(text: str) -> str:
    """A sentence that may repeat foreign words, on one line."""
    return defused(" ".join(clean(text).split()))[:600]


def _root() -> Traversable:
    return files("prompts")


@cache
def source(name: str) -> str | None:
    """The text of a prompt file, None where there is none."""
    found = _root().joinpath(*name.split("/"))
    return found.read_text(encoding="utf-8") if found.is_file() else None


def plan_text(game: str) -> str | None:
    """What a game whose players should plan ahead wants in one answer, in words; None for one action at a time."""
    words = source(f"{game}/plan.md")
    return None if words is None else words.strip()


class _Context(jinja2.runtime.Context):
    """Calls what a template calls as it stands: no function that templates know wants to be handed the context."""

    def call(self, function: Any, *args: Any, _loop_vars: Any = None, _block_vars: Any = None, **kwargs: Any) -> Any:
        return function(*args, **kwargs)


class _Environment(jinja2.Environment):
    """Takes a name after a dot for a key first: what templates are given is mostly plain JSON."""

    context_class = _Context

    def getattr(self, obj: Any, attribute: str) -> Any:
        try:
            return obj[attribute] if type(obj) is dict else getattr(obj, attribute)
        except (KeyError, AttributeError):
            return super().getattr(obj, attribute)


@cache
def _templates() -> jinja2.Environment:
    environment = _Environment(
        loader=jinja2.FunctionLoader(source),
        undefined=jinja2.StrictUndefined,
        autoescape=False,  # the result is plain text; foreign words go through `quoted`
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(quoted=_quoted, line=_line)
    return environment


@cache
def _template(name: str) -> tuple[jinja2.Template, Mapping[str, Any]]:
    """A template, ready to be rendered, and the functions that every template knows."""
    return _templates().get_template(name), dict(_templates().globals)


def render_text(template: str, **values: Any) -> str:
    """A template of the package `prompts` with these values, without blank lines around it."""
    found, known = _template(template)
    # `Template.render` takes longer to gather the names that a template knows than to fill it in.
    context = _Context(_templates(), {**known, **values}, found.name, found.blocks)
    return "".join(found.root_render_func(context)).strip()


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


def view_text(game: str, view: Json) -> str:
    """A view as plain text of several lines, by the game's own template if it has one."""
    template = f"{game}/view.md.j2"
    if source(template) is None:
        return "\n".join(_outline(view, ""))
    return render_text(template, view=view)


def event_text(game: str, event: Event) -> str:
    """An event as plain text on one line, by the game's own template if that has words for it."""
    # A history is rendered anew for every decision: the same few events again and again.
    key = (game, event.kind, repr(event.fields))
    text = _EVENTS.get(key)
    if text is None:
        if len(_EVENTS) >= _REMEMBERED:
            _EVENTS.clear()
        text = _EVENTS[key] = _event_text(game, event)
    return text


_EVENTS: dict[tuple[str, str, str], str] = {}
_REMEMBERED = 50_000
"""Events whose text is kept: some 10 MB."""


def _event_text(game: str, event: Event) -> str:
    template = f"{game}/events.md.j2"
    words = "" if source(template) is None else render_text(template, kind=event.kind, **event.fields)
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
