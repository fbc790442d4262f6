"""Where a database is: a URL or a plain path, read into something that can be opened and shown."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from sqlalchemy import URL

DEFAULT = "runs/parley.db"


class StoreError(Exception):
    """What the store could not do, in one line that holds no password."""


def default_url() -> str:
    """The database that is meant when none is named: `PARLEY_DB`, or `runs/parley.db` below the working directory."""
    return os.environ.get("PARLEY_DB") or DEFAULT


class SqliteFile(NamedTuple):
    """A database in one file."""

    path: Path

    @property
    def shown(self) -> str:
        """The place as messages name it."""
        return str(self.path)


class Server(NamedTuple):
    """A database on a PostgreSQL server."""

    url: URL

    @property
    def shown(self) -> str:
        """The place as messages name it: without password and options."""
        return self.url.set(drivername="postgresql", query={}).render_as_string(hide_password=True)


Place = SqliteFile | Server


def find(url: str | os.PathLike[str] | None) -> Place:
    """The place that a URL or a plain path means. Raises `StoreError` for one that cannot be a database of ours."""
    text = os.fspath(url) if url is not None else default_url()
    if "://" not in text:
        if not text.strip():
            raise StoreError("database: the path is empty; give a file's path or a postgresql:// URL")
        if text == ":memory:":
            raise StoreError("database: it cannot be kept in memory; give a file's path")
        return SqliteFile(Path(text).expanduser())
    return _from_url(text)


def _from_url(text: str) -> Place:
    from sqlalchemy import make_url
    from sqlalchemy.exc import ArgumentError

    wanted = "give a file's path, sqlite:///PATH or postgresql://USER@HOST/NAME"
    try:
        url = make_url(text)
        kind = url.drivername.partition("+")[0]
    except (ArgumentError, ValueError) as error:
        raise StoreError(f"database: {hide(text)!r} is not a URL that can be read; {wanted}") from error
    if kind == "sqlite":
        if not url.database or url.database == ":memory:":
            raise StoreError("database: it cannot be kept in memory; give sqlite:///PATH")
        if url.query or url.host:
            raise StoreError(f"database: sqlite:///PATH takes no host and no options, got {hide(text)!r}")
        return SqliteFile(Path(url.database))
    if kind in ("postgresql", "postgres"):
        if url.drivername not in ("postgresql", "postgres", "postgresql+psycopg"):
            raise StoreError(
                f"database: PostgreSQL is reached by psycopg 3, not {url.drivername!r}; write postgresql://"
            )
        return Server(url.set(drivername="postgresql+psycopg"))
    raise StoreError(f"database: {kind!r} is not a kind that Parley knows; {wanted}")


def hide(text: str) -> str:
    """A URL with its password and options taken out, even where it cannot be parsed."""
    text = re.sub(r"(://[^/@]*?:)[^@]*@", r"\1***@", text)
    return text.partition("?")[0] if "://" in text else text
