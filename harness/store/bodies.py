"""What a call says at length, as bytes: prompt and schema, what came back of it, and the response verbatim.

Nearly all of it was said before: a prompt that keeps its history begins with the one before, the table has changed by
one move, and the answer is in the response. So the body of a call of a match names two earlier calls of that match, the
last of its seat and the last of any, and holds what is new: what its prompt has beyond its seat's last one, deflated
with what those two calls say as the dictionary. So what grows with the history is never stored again.

A body is:
- one byte 1, the format;
- for the last call of its seat, then for the last of any, how far back its id is (0: there is none), as little-endian
  groups of seven bits, all but the last with the high bit set;
- the CRC-32 of what comes next before it is deflated, four bytes, the lowest first;
- deflated without a header: a JSON object in UTF-8 (lone surrogates let through) and, if its `response` is true, the
  response right behind it.

The object has `kept`, how many messages and parts of the next are as in the prompt of the seat's last call; `prompt`,
the messages after those as [role, parts]; and of `schema`, `served`, `content`, `reasoning` and `tool_arguments` what
there is. The system message that begins a prompt is a text of its own, and not in it. The dictionary is the last bytes
of what the match's last call says, object and response, and then those of the seat's last call.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence
from itertools import compress, count
from json import JSONDecoder
from operator import is_not, ne
from typing import Any, NamedTuple
from zlib import crc32

from harness.records import CallRecord, Json, PromptMessage
from harness.store.columns import json_bytes
from harness.store.place import StoreError

FORMAT = 1
LEVEL = 3
REACH = 12_000
"""How many of the last bytes of an earlier call are in a dictionary; two of them fit a window."""
WORDS = ("content", "reasoning", "tool_arguments")
_decode = JSONDecoder().raw_decode
Prompt = Sequence[PromptMessage]


class Said(NamedTuple):
    """What later calls refer to: a call's id, the last bytes of what it says, and its prompt but for the system
    message that begins it."""

    id: int
    tail: bytes
    prompt: Prompt


class Body(NamedTuple):
    """What a body holds; `kept` and `prompt` are of the difference to `seat`, the id of the seat's last call or 0."""

    seat: int
    kept: tuple[int, int]
    prompt: list[tuple[Any, list[str]]]
    schema: Json | None
    served: Json
    words: dict[str, str | None]
    """Those of `WORDS`."""
    response: str | None


def opening(prompt: Prompt) -> tuple[str, ...] | None:
    """The parts of the system message that begins a prompt; None if none does."""
    return prompt[0].parts if prompt and prompt[0].role == "system" else None


def pack_body(record: CallRecord, number: int, seat: Said | None, match: Said | None) -> tuple[bytes, Said]:
    """The body of the call that gets this id, and what later ones may refer to. Raises `TypeError` for no JSON."""
    prompt = record.prompt if opening(record.prompt) is None else record.prompt[1:]
    whole, parts = _alike(seat.prompt, prompt) if seat is not None else (0, 0)
    new = [(message.role, message.parts) for message in prompt[whole:]]
    if parts:
        new[0] = (new[0][0], new[0][1][parts:])
    fields: dict[str, Any] = {"kept": (whole, parts), "prompt": new}
    if record.answer_schema is not None:
        fields["schema"] = record.answer_schema
    if record.served:
        fields["served"] = record.served
    for name in WORDS:
        if (said := getattr(record, name)) is not None:
            fields[name] = said
    if record.response is None:
        plain = json_bytes(fields)
    else:
        fields["response"] = True
        plain = json_bytes(fields) + record.response.encode("utf-8", "surrogatepass")
    dictionary = _dictionary(seat, match)
    squeeze = zlib.compressobj(LEVEL, zlib.DEFLATED, -15, 8, zlib.Z_DEFAULT_STRATEGY, dictionary)
    head = bytes((FORMAT, *_back(number, seat), *_back(number, match)))
    body = b"".join((head, crc32(plain).to_bytes(4, "little"), squeeze.compress(plain), squeeze.flush()))
    return body, Said(number, plain[-REACH:], prompt)


def unpack_bodies(rows: Mapping[int, bytes], wanted: Iterable[int]) -> dict[int, Body]:
    """What the wanted calls say, and all that they refer to. `rows` are the bodies of a match's calls by id.

    Raises `StoreError` where a body is damaged, or one that it refers to is not there.
    """
    heads: dict[int, tuple[int, int, int]] = {}
    open_ones = list(wanted)
    while open_ones:
        number = open_ones.pop()
        if number not in heads:
            heads[number] = _head(rows, number)
            open_ones += [other for other in heads[number][:2] if other]
    tails: dict[int, Said | None] = {0: None}
    found: dict[int, Body] = {}
    for number, (seat, match, start) in sorted(heads.items()):
        body = rows[number]
        try:
            plain = zlib.decompressobj(-15, _dictionary(tails[seat], tails[match])).decompress(body[start + 4 :])
        except zlib.error as error:
            raise _damaged(number) from error
        if crc32(plain) != int.from_bytes(body[start : start + 4], "little"):
            raise _damaged(number)
        text = plain.decode("utf-8", "surrogatepass")
        fields, end = _decode(text)
        tails[number] = Said(number, plain[-REACH:], ())
        found[number] = Body(
            seat,
            tuple(fields["kept"]),
            fields["prompt"],
            fields.get("schema"),
            fields.get("served", {}),
            {name: fields.get(name) for name in WORDS},
            text[end:] if fields.get("response") else None,
        )
    return found


def prompts_of(bodies: Mapping[int, Body]) -> dict[int, list[PromptMessage]]:
    """The prompt of each call, but for the system message that begins it. Needs all that they refer to."""
    found: dict[int, list[PromptMessage]] = {0: []}
    for number, body in sorted(bodies.items()):
        whole, parts = body.kept
        earlier = found[body.seat]
        new = [PromptMessage(role=role, parts=tuple(said)) for role, said in body.prompt]
        if parts:
            first = new[0]
            new[0] = PromptMessage(role=first.role, parts=(*earlier[whole].parts[:parts], *first.parts))
        found[number] = [*earlier[:whole], *new]
    return found


def _alike(old: Prompt, new: Prompt) -> tuple[int, int]:
    """How many whole messages, and then how many parts of one more, two prompts begin with alike."""
    both = min(len(old), len(new))
    # A prompt mostly goes on with the very messages of the one before, which is seen at a glance.
    whole = next(compress(count(), map(is_not, old, new)), both)
    while whole < both:
        before, now = old[whole], new[whole]
        if before.role != now.role:
            return whole, 0
        if before.parts != now.parts:
            shorter = min(len(before.parts), len(now.parts))
            return whole, next(compress(count(), map(ne, before.parts, now.parts)), shorter)
        whole += 1
    return whole, 0


def _dictionary(seat: Said | None, match: Said | None) -> bytes:
    """What is nearest is cheapest to point at: so the likeliest stands last."""
    others = b"" if match is None or (seat is not None and seat.id == match.id) else match.tail
    return others if seat is None else others + seat.tail


def _back(number: int, earlier: Said | None) -> list[int]:
    left = 0 if earlier is None else number - earlier.id
    groups = []
    while left > 0x7F:
        groups.append(left & 0x7F | 0x80)
        left >>= 7
    return [*groups, left]


def _head(rows: Mapping[int, bytes], number: int) -> tuple[int, int, int]:
    """The ids of the two earlier calls (0: none), and where the rest begins."""
    if number not in rows:
        raise StoreError(f"call {number}: its row is missing, and later calls of its match say what is new to it")
    body = rows[number]
    if body[:1] != bytes((FORMAT,)):
        raise _damaged(number)
    place, ids = 1, []
    for _ in range(2):
        back = shift = 0
        more = True
        while more:
            if place >= len(body) or shift > 63:
                raise _damaged(number)
            back |= (body[place] & 0x7F) << shift
            more = body[place] > 0x7F
            place, shift = place + 1, shift + 7
        ids.append(number - back if back else 0)
    return ids[0], ids[1], place


def _damaged(number: int) -> StoreError:
    return StoreError(f"call {number}: what it says cannot be read; its row is damaged")
