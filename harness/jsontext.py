"""JSON objects in any text, and the thinking and code fences around them.

One walk over the text, in time that grows in proportion to its length whatever is in it: brackets without end,
quotation marks and backslashes in any order, tags and fences by the million. What is not standard JSON is no object.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

DEPTH: Final = 64
"""An object nested deeper than this is not read: no reply needs more than five levels."""

_TOKEN = re.compile(
    r'[ \t\n\r]*+(?:("[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*+)*+")'
    r"|(-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][+-]?[0-9]++)?+|true|false|null)|([{}\[\]:,]))"
)
_STRING, _ATOM, _MARK = 1, 2, 3
_OPENING = re.compile(r'\{(?=[ \t\n\r]*+["}])')
_VALUE: Final[Mapping[int | str, str]] = {_STRING: "more", _ATOM: "more", "{": "first key", "[": "first item"}
_GRAMMAR: Final[Mapping[str, Mapping[int | str, str]]] = {
    "value": _VALUE,
    "first item": {**_VALUE, "]": "close"},
    "first key": {_STRING: "colon", "}": "close"},
    "key": {_STRING: "colon"},
    "colon": {":": "value"},
    "{": {",": "key", "}": "close"},
    "[": {",": "value", "]": "close"},
}
"""What may come next, and what is expected after it: `more` is what may follow in the innermost thing still open."""


class Found(NamedTuple):
    """A JSON object and where it stands: `text[start:end]`. `value` is None where it is nested too deep to be read."""

    start: int
    end: int
    value: Mapping[Any, Any] | None


TWICE: Final = object()
"""The key under which an object keeps the names that it gives twice with different values."""


def _pairs(pairs: list[tuple[str, Any]]) -> dict[Any, Any]:
    record: dict[Any, Any] = dict(pairs)
    if len(record) < len(pairs):
        record[TWICE] = {name for name, value in pairs if record[name] != value}
    return record


def _whole_number(digits: str) -> float:
    return int(digits) if len(digits) <= 18 else math.inf


def _number(digits: str) -> float:
    return float(digits) if len(digits) <= 64 else math.nan


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is not standard JSON")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_pairs, parse_int=_whole_number, parse_float=_number, parse_constant=_no_number
)


def _object_end(text: str, start: int, tried: bytearray) -> tuple[int, int] | None:
    """Where the object that opens at `start` ends, and how deep it nests; None where it is not standard JSON.

    Every brace that opens an object on the way is marked in `tried`: where this one fails, so do those still open, and
    those closed are parts of a broken object. Only braces inside its strings are worth another look. So a stretch of
    text is walked at most twice: as its quotation marks were taken first, and with inside and outside swapped.
    """
    stack: list[str] = []
    deepest = 0
    expected, position = "value", start
    match_token = _TOKEN.match
    while token := match_token(text, position):
        position = token.end()
        group = token.lastindex or _MARK
        symbol: int | str = token[_MARK] if group == _MARK else group
        following = _GRAMMAR[expected].get(symbol)
        if following is None:
            return None
        if symbol == "{" or symbol == "[":
            if symbol == "{":
                tried[position - 1] = 1
            stack.append(str(symbol))
            deepest = max(deepest, len(stack))
        elif following == "close":
            stack.pop()
            if not stack:
                return position, deepest
            following = "more"
        expected = stack[-1] if following == "more" else following
    return None


def _whole(text: str) -> Found | None:
    """A text that is one object and nothing else, as most replies are; None where that takes a closer look."""
    if not text.startswith("{") or text.count("{") + text.count("[") > DEPTH:
        return None
    try:
        value, end = _DECODER.raw_decode(text)
    except ValueError:
        return None
    return Found(0, end, value) if end == len(text) else None


def objects(text: str) -> list[Found]:
    """The JSON objects that stand in a text, from left to right; none of them lies in another one."""
    whole = _whole(text)
    if whole is not None:
        return [whole]
    found: list[Found] = []
    tried = bytearray(len(text))
    free = 0
    for opening in _OPENING.finditer(text):
        start = opening.start()
        if start < free or tried[start]:
            continue
        ended = _object_end(text, start, tried)
        if ended is not None:
            free, depth = ended
            value = _DECODER.raw_decode(text, start)[0] if depth <= DEPTH else None
            found.append(Found(start, free, value))
    return found


def is_whole(text: str, found: Sequence[Found]) -> bool:
    """Whether the text is one object and nothing else."""
    return len(found) == 1 and found[0].start == 0 and found[0].end == len(text)


def _outside(pattern: re.Pattern[str], text: str, found: Sequence[Found]) -> Iterator[re.Match[str]]:
    """The matches of a pattern that lie in none of the objects: what stands in a JSON string is only text."""
    index = 0
    for match in pattern.finditer(text):
        while index < len(found) and found[index].end <= match.start():
            index += 1
        if index == len(found) or match.start() < found[index].start:
            yield match


_THINK = re.compile(r"<(/?)think>")
_FENCE = re.compile(r"`{3,}")


def without_thinking(text: str, found: Sequence[Found]) -> tuple[list[str], str]:
    """The thinking in a text, piece by piece, and what is left of it without the thinking.

    Thinking is all up to a closing tag that nothing opened, all between two tags, and all after a tag never closed.
    """
    pieces: list[tuple[bool, str]] = []
    thought = 0
    position, inside = 0, False
    for tag in _outside(_THINK, text, found):
        closing = tag[1] == "/"
        if inside and not closing:
            continue
        pieces.append((inside, text[position : tag.start()]))
        if closing and not inside:
            thought = len(pieces)
        position, inside = tag.end(), not closing
    pieces.append((inside, text[position:]))
    thinking = [piece for index, (within, piece) in enumerate(pieces) if within or index < thought]
    left = "".join(piece for index, (within, piece) in enumerate(pieces) if not within and index >= thought)
    return thinking, left


def in_fences(text: str, found: Sequence[Found]) -> list[Found]:
    """Those objects that stand in code fences. A fence is closed by as many backticks as opened it, or by the end."""
    marks = _outside(_FENCE, text, found)
    mark = next(marks, None)
    fenced: list[Found] = []
    opened = 0
    for item in found:
        while mark is not None and mark.start() < item.start:
            length = len(mark[0])
            if not opened:
                opened = length
            elif length >= opened:
                opened = 0
            mark = next(marks, None)
        if opened:
            fenced.append(item)
    return fenced
