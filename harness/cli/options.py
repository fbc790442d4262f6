"""Options and arguments that several commands take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])


def database(command: F) -> F:
    """`--db`: which database, a plain path or a SQLAlchemy URL; also from `PARLEY_DB`."""
    return click.option(
        "--db",
        metavar="URL",
        envvar="PARLEY_DB",
        help="The database: a path or a SQLAlchemy URL.  [env: PARLEY_DB; default: runs/parley.db]",
    )(command)


def as_json(command: F) -> F:
    """`--json`: the listing for programs."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON.")(command)
