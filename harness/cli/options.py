"""Options and arguments that several commands take."""

from __future__ import annotations

import math
import os
import shlex
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])


class Whole(click.IntRange):
    """A whole number from `min`, to `max` if there is one; whatever else is given is told what would be right."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number. Fails as bad input."""
        try:
            number = int(str(value))
        except ValueError:
            number = None
        least, most = self.min, self.max
        if number is None or (least is not None and number < least) or (most is not None and number > most):
            upto = "" if most is None else f" to {most}"
            self.fail(f"{str(value)!r} is not a whole number from {least}{upto}", param, ctx)
        return number


class Amount(click.FloatRange):
    """A finite number from 0, or with `above` one above 0. Not-a-number compares with nothing: no range refuses it."""

    def __init__(self, *, above: bool = False) -> None:
        super().__init__(min=0, min_open=above)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number. Fails as bad input."""
        try:
            number = float(str(value))
        except ValueError:
            number = math.nan
        if not math.isfinite(number) or number < 0 or (self.min_open and number == 0):
            self.fail(f"{str(value)!r} is not a finite number {'above' if self.min_open else 'from'} 0", param, ctx)
        return number


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


def grace_option(command: F) -> F:
    """`--grace`: how long a run that is stopped waits for the answers under way."""
    return click.option(
        "--grace",
        type=Amount(),
        default=30.0,
        metavar="SECONDS",
        help="How long a run that is stopped waits for the answers under way.  [default: 30]",
    )(command)


def database_option(db: str | None) -> str:
    """` --db …` for commands to copy, where it was given so and not by the environment; without its password."""
    from click.core import ParameterSource

    from harness.store.place import hide

    given = click.get_current_context().get_parameter_source("db") is ParameterSource.COMMANDLINE
    return f" --db {shlex.quote(hide(db))}" if db is not None and given else ""


def program() -> str:
    """This command as it can be typed again from here: its bare name if that finds it, else its path."""
    called = Path(sys.argv[0])
    if called.name != "parley" or not called.exists():
        return "parley"
    found = shutil.which("parley")
    if found is not None and called.samefile(found):
        return "parley"
    near = os.path.relpath(called)
    return shlex.quote(str(called) if near.startswith("..") else near)
