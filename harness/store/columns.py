"""How values lie in a column, alike on SQLite and PostgreSQL and without loss.

PostgreSQL takes no NUL in a text, and UTF-8 has no lone surrogate; a model's words may hold both.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from pydantic_core import PydanticSerializationError
from pydantic_core import to_json as json_core
from sqlalchemy import TIMESTAMP, BigInteger, Dialect, Integer, Text
from sqlalchemy.types import TypeDecorator, TypeEngine

_UNSAFE = re.compile("[\x00\x10\ud800-\udfff]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_SECOND_OF_TWO = re.compile("(?<=[\ud800-\udbff])[\udc00-\udfff]")
_ESCAPES = {code: f"\x10{code:04x}" for code in (0, 0x10, *range(0xD800, 0xE000))}
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_ESCAPED = {escaped[1:]: chr(code) for code, escaped in _ESCAPES.items()}


def escape(text: str) -> str:
    """A text that any database takes: NUL, a lone surrogate and U+0010 become U+0010 and four hex digits."""
    if text.isascii() and "\x00" not in text and "\x10" not in text:
        return text
    return text.translate(_ESCAPES) if _UNSAFE.search(text) else text


def unescape(text: str) -> str:
    """The inverse of `escape`."""
    first, *rest = text.split("\x10")
    return first + "".join([_ESCAPED[piece[:4]] + piece[4:] for piece in rest]) if rest else first


def to_json(value: Any) -> str:
    """JSON that people and tools can read. Lone surrogates are escaped as JSON does it.

    Two lone ones that would make a pair are the exception, since JSON cannot tell them from the character that they
    make: the second is written as `escape` writes it.
    """
    text = json_bytes(value).decode("utf-8", "surrogatepass")
    if text.isascii():
        return text
    text = _SECOND_OF_TWO.sub(lambda found: escape(found[0]), text)
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def json_bytes(value: Any) -> bytes:
    """JSON in UTF-8, lone surrogates as they are. Raises `TypeError` for what JSON has no form for."""
    try:
        return json_core(value)
    except PydanticSerializationError:
        # It refuses lone surrogates, besides what is no JSON.
        return _encode(value).encode("utf-8", "surrogatepass")


def from_json(text: str) -> Any:
    """The inverse of `to_json`."""
    return json.loads(unescape(text))


def pack(text: str) -> bytes:
    """A long text as bytes: UTF-8 (lone surrogates let through), then zlib."""
    return zlib.compress(text.encode("utf-8", "surrogatepass"))


def unpack(body: bytes) -> str:
    """The inverse of `pack`."""
    return zlib.decompress(body).decode("utf-8", "surrogatepass")


class Words(TypeDecorator[str]):
    """A text of any content, readable as it stands unless it holds what a database refuses."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, _: Dialect) -> str | None:
        """To the database."""
        return None if value is None else escape(value)

    def process_result_value(self, value: str | None, _: Dialect) -> str | None:
        """From the database."""
        return None if value is None else unescape(value)


class JsonText(TypeDecorator[Any]):
    """A JSON value as readable text."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, _: Dialect) -> str | None:
        """To the database."""
        return None if value is None else to_json(value)

    def process_result_value(self, value: str | None, _: Dialect) -> Any:
        """From the database."""
        return None if value is None else from_json(value)


class Whole(TypeDecorator[int]):
    """A whole number of 64 bits. SQLite counts its rows only in a column declared `INTEGER`."""

    impl = BigInteger
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """The engine's own type."""
        return dialect.type_descriptor(Integer() if dialect.name == "sqlite" else BigInteger())


class Moment(TypeDecorator[datetime]):
    """A time in UTC to the microsecond: `timestamptz` on PostgreSQL; on SQLite ISO 8601 of one width, which sorts."""

    impl = Text
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """The engine's own type."""
        return dialect.type_descriptor(Text() if dialect.name == "sqlite" else TIMESTAMP(timezone=True))

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> Any:
        """To the database. A time without its zone raises `ValueError`: it could be any hour."""
        if value is None:
            return None
        return sortable(value) if dialect.name == "sqlite" else _in_utc(value)

    def process_result_value(self, value: Any, _: Dialect) -> datetime | None:
        """From the database."""
        if value is None:
            return None
        return datetime.fromisoformat(value) if isinstance(value, str) else value.astimezone(UTC)


def _in_utc(moment: datetime) -> datetime:
    if moment.tzinfo is UTC:
        return moment
    if moment.tzinfo is None:
        raise ValueError(f"the time {moment.isoformat()} has no time zone; times are stored in UTC")
    return moment.astimezone(UTC)


def sortable(moment: datetime) -> str:
    """A time as SQLite keeps it: ISO 8601 in UTC of one width."""
    return _in_utc(moment).isoformat(timespec="microseconds")


def binder(kind: TypeEngine[Any], dialect: Dialect) -> Callable[[Any], Any] | None:
    """What makes of a value that is not None what the database's driver takes; None where it takes it as it is."""
    if isinstance(kind, Words):
        return escape
    if isinstance(kind, JsonText):
        return to_json
    if isinstance(kind, Moment):
        return sortable if dialect.name == "sqlite" else _in_utc
    return None
