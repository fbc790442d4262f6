"""Texts kept once: looked up by content when written, by id when read."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from hashlib import sha256
from itertools import islice
from typing import TypeVar

from sqlalchemy import Connection, Executable, select
from sqlalchemy.dialects import postgresql, sqlite

from harness.store import tables
from harness.store.columns import pack, unpack

T = TypeVar("T")
_REMEMBERED = 1000
"""How many texts a writer keeps in memory with their ids: some 5 MB."""
_CHUNK = 500


def chunks(items: Iterable[T], size: int = _CHUNK) -> Iterator[list[T]]:
    """The items in lists that fit one statement."""
    rest = iter(items)
    while chunk := list(islice(rest, size)):
        yield chunk


def digest(text: str) -> bytes:
    """What a text is known by: the SHA-256 of its UTF-8 bytes, lone surrogates let through."""
    return sha256(text.encode("utf-8", "surrogatepass")).digest()


class TextIds:
    """The ids of texts that are known to be stored for good, by the text: most calls name the same few."""

    def __init__(self) -> None:
        self._known: dict[str, int] = {}

    def store(self, connection: Connection, texts: Collection[str]) -> tuple[dict[str, int], dict[str, int]]:
        """The id of each text, those not yet there being added; and what to `remember` once that is committed."""
        new = [text for text in texts if text not in self._known]
        fresh = _insert(connection, {digest(text): text for text in new}) if new else {}
        return {text: fresh[text] if text in fresh else self._known[text] for text in texts}, fresh

    def forget(self) -> None:
        """Know no id any more."""
        self._known = {}

    def remember(self, fresh: Mapping[str, int]) -> None:
        """Take note of ids that are committed now."""
        self._known.update(fresh)
        while len(self._known) > _REMEMBERED:
            del self._known[next(iter(self._known))]


def _insert(connection: Connection, new: Mapping[bytes, str]) -> dict[str, int]:
    # In one order everywhere: two writers that add the same texts would otherwise wait for each other in a ring.
    rows = [{"hash": key, "body": pack(new[key])} for key in sorted(new)]
    statement: Executable
    if connection.dialect.name == "sqlite":
        statement = sqlite.insert(tables.text).on_conflict_do_nothing()
    else:
        statement = postgresql.insert(tables.text).on_conflict_do_nothing()
    connection.execute(statement, rows)
    hashes = tables.text.c.hash
    found: dict[str, int] = {}
    for chunk in chunks(new):
        for number, key in connection.execute(select(tables.text.c.id, hashes).where(hashes.in_(chunk))):
            found[new[bytes(key)]] = number
    return found


def fetch(connection: Connection, ids: Iterable[int]) -> dict[int, str]:
    """The texts of these ids."""
    column = tables.text.c.id
    found: dict[int, str] = {}
    for chunk in chunks(sorted(set(ids))):
        for number, body in connection.execute(select(column, tables.text.c.body).where(column.in_(chunk))):
            found[number] = unpack(body)
    return found
