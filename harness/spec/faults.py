"""How a fault in a tournament file is told: one line with the field, the value given and what would be right."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Sequence
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

SHOWN = 60
"""At most so many characters of a value, or of a key, are repeated in an error."""

LEFT_OUT = "‹not shown›"
"""Stands for a value that may be a key."""

_NOT_TEXT = {
    bool: "YAML reads yes, no, on and off as true and false; text like this goes in quotes",
    int: "put it in quotes if it is meant as text",
    float: "put it in quotes if it is meant as text",
}


class SpecError(ValueError):
    """A tournament file that cannot be used. Its text is one line and names the file and the field."""


class FieldError(ValueError):
    """What is wrong at one path of a file; `SpecError` is made from it once the file's name is known."""

    def __init__(self, path: str, what: str) -> None:
        super().__init__(f"{path}: {what}" if path else what)
        self.path = path
        self.what = what


def printable(text: str) -> str:
    """The text with every character that does not print (controls, direction marks, zero width) as an escape.

    >>> printable("a\\u202eb\\n")
    'a\\\\u202eb\\\\n'
    """
    short = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}
    return "".join(
        char
        if char.isprintable()
        else short.get(char) or (f"\\u{ord(char):04x}" if ord(char) < 0x10000 else f"\\U{ord(char):08x}")
        for char in text
    )


def shorten(text: str) -> str:
    """The text, printable, and cut in the middle where it is too long to be repeated."""
    text = printable(text[: 4 * SHOWN]) + ("…" if len(text) > 4 * SHOWN else "")
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"


def shown(value: object) -> str:
    """A value as an error repeats it: as JSON, printable and short.

    >>> shown({"rpm": True}), shown("7"), shown(None)
    ('{"rpm": true}', '"7"', 'null')
    """
    if isinstance(value, str):
        return f'"{shorten(value)}"'
    if isinstance(value, BaseModel):
        value = value.model_dump(mode="json")
    if isinstance(value, int) and value.bit_length() > 256:
        return "a number of more than 70 digits"
    try:
        return shorten(json.dumps(value, ensure_ascii=False))
    except (TypeError, ValueError, RecursionError):
        return shorten(type(value).__name__)


def path_text(parts: Iterable[str | int]) -> str:
    """A path as a person writes it.

    >>> path_text(("players", 1, "params", "top p"))
    'players[1].params."top p"'
    """
    text = ""
    for part in parts:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            plain = part.replace("_", "a").replace("-", "a").replace("/", "a").isalnum() and part.isascii()
            text += ("." if text else "") + (shorten(part) if plain else f'"{shorten(part)}"')
    return text


def listing(names: Iterable[str]) -> str:
    """Names, joined for a sentence; `none` for no name."""
    return ", ".join(shorten(name) for name in names) or "none"


def nearest(name: str, names: Sequence[str], *, there: str) -> str:
    """The end of a line about an unknown name: the nearest right one, else all there are.

    `there` introduces the list of all: `the keys here are`.
    """
    by_fold = {known.casefold(): known for known in names}
    near = difflib.get_close_matches(name[:200].casefold(), list(by_fold), n=1, cutoff=0.6)
    return f"did you mean {shorten(by_fold[near[0]])}?" if near else f"{there} {listing(names)}"


def _keys_at(model: type[BaseModel], loc: Sequence[str | int]) -> list[str]:
    """The keys that the model allows at a location of an error."""
    found: type[BaseModel] | None = model
    for part in loc:
        if isinstance(part, str) and found is not None and part in found.model_fields:
            found = _model_in(found.model_fields[part].annotation)
    return list(found.model_fields) if found is not None else []


def _model_in(annotation: Any) -> type[BaseModel] | None:
    """The pydantic model inside an annotation such as `tuple[Model, ...] | None`."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    for argument in getattr(annotation, "__args__", ()):
        found = _model_in(argument)
        if found is not None:
            return found
    return None


def _choices(context: dict[str, Any]) -> list[str]:
    """The words that a literal allows, from pydantic's context."""
    return [word.strip().strip("'") for word in str(context.get("expected", "")).replace(" or ", ", ").split(",")]


_LIMITS = {
    "greater_than": ("gt", "more than"),
    "greater_than_equal": ("ge", "at least"),
    "less_than": ("lt", "less than"),
    "less_than_equal": ("le", "at most"),
}


def _what(error: ErrorDetails, model: type[BaseModel]) -> str:
    """What is wrong, without the path."""
    kind, value = error["type"], error["input"]
    context: dict[str, Any] = error.get("ctx", {})
    if kind == "extra_forbidden":
        *before, key = error["loc"]
        return f"unknown key; {nearest(str(key), _keys_at(model, before), there='the keys here are')}"
    if kind == "missing":
        return "missing; this key has no default"
    if kind in ("value_error", "assertion_error"):
        return " ".join(printable(str(context.get("error", error["msg"]))).split())
    return f"{shown(value)} {_wanted(kind, value, context)}" if kind != "literal_error" else _not_a_word(value, context)


def _not_a_word(value: object, context: dict[str, Any]) -> str:
    words = _choices(context)
    if not isinstance(value, str):
        return f"{shown(value)} is not one of {listing(words)}{_reading(value)}"
    near = difflib.get_close_matches(value[:200].casefold(), words, n=1, cutoff=0.7)
    return f"{shown(value)} is not one of {listing(words)}" + (f"; did you mean {near[0]}?" if near else "")


def _reading(value: object) -> str:
    hint = _NOT_TEXT.get(type(value))
    return f" ({hint})" if hint else ""


def _wanted(kind: str, value: object, context: dict[str, Any]) -> str:
    """What the value is not, in the file's words."""
    if kind in _LIMITS:
        key, words = _LIMITS[kind]
        return f"is not {words} {context.get(key)}"
    if kind == "string_type":
        return f"is not text{_reading(value)}"
    if kind == "int_type":
        return (
            "is text, not a whole number (write it without quotes, and 1e3 as 1000)"
            if _numeric(value)
            else "is not a whole number"
        )
    if kind in ("int_from_float", "int_parsing", "int_parsing_size"):
        return "is not a whole number"
    if kind in ("float_type", "float_parsing"):
        return (
            "is text, not a number (write it without quotes, and 1e3 as 1000)" if _numeric(value) else "is not a number"
        )
    if kind == "finite_number":
        return "is not a finite number"
    if kind in ("bool_type", "bool_parsing"):
        return "is not true or false"
    if kind in ("dict_type", "model_type", "model_attributes_type", "mapping_type"):
        return "is not a mapping (key: value)"
    if kind in ("list_type", "tuple_type"):
        return "is not a list"
    if kind in ("too_short", "string_too_short"):
        return f"is too short; at least {context.get('min_length')} wanted"
    if kind in ("too_long", "string_too_long"):
        return f"is too long; at most {context.get('max_length')} allowed"
    if kind == "union_tag_not_found":
        return "is neither free nor a mapping with input and output (USD per million tokens)"
    return f"is not right: {' '.join(printable(str(context.get('error', kind))).split())}"


def _numeric(value: object) -> bool:
    if not isinstance(value, str) or len(value) > SHOWN:
        return False
    try:
        float(value)
    except ValueError:
        return False
    return True


def _plain(loc: Sequence[str | int]) -> tuple[str | int, ...]:
    """A location without what pydantic adds to it: the tags of a union, the mark of a mapping's key."""
    return tuple(part for part in loc if part != "[key]" and not (isinstance(part, str) and part.startswith("«")))


def fault_of(error: ValidationError, model: type[BaseModel], *, under: str = "") -> FieldError:
    """The first fault of a refused model.

    An unknown key goes before all, since what it meant is then missing elsewhere. `under` is the path at which
    the model stands.
    """
    details = error.errors(include_url=False)
    first = min(details, key=lambda one: one["type"] != "extra_forbidden")
    path = _join(under, path_text(_plain(first["loc"])))
    inner = first.get("ctx", {}).get("error")
    if isinstance(inner, FieldError):
        return FieldError(_join(path, inner.path), inner.what)
    return FieldError(path, _what(first, model))


def _join(outer: str, inner: str) -> str:
    return outer + ("" if not outer or not inner or inner.startswith("[") else ".") + inner
