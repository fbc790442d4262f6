"""The list of measures. To add one, write one function; its docstring is its definition."""

from __future__ import annotations

import runpy
from collections.abc import Callable, Iterator
from importlib import import_module
from inspect import getdoc
from pathlib import Path
from typing import NamedTuple

from harness.behaviour.log import Played, Seat


class Tally(NamedTuple):
    """What one match adds to the figure of the player in `seat`: the figure is the sum of `part` over that of `whole`.

    `key` breaks the figure down (by addressee, by seat, …); None is the figure itself. A measure that has both gives
    tallies for both.
    """

    seat: Seat
    key: str | None
    part: float
    whole: float


Function = Callable[[Played], Iterator[Tally]]


class Measure(NamedTuple):
    """One measure. `unit` says what the figure is in, `by` what its keys are ("" for none).

    `events` are the event kinds without which it means nothing (any of them will do); empty for every game. A measure
    is shown of a game in whose logs it finds anything.
    """

    name: str
    title: str
    unit: str
    by: str
    events: frozenset[str]
    reads: frozenset[str]
    """All event kinds that it reads."""
    forfeits: bool
    """Whether matches that were ended by forfeit count."""
    parts: bool
    """Keys are parts of one whole: each is divided by the figure's own, and their tallies have none."""
    definition: str
    function: Function


MEASURES: dict[str, Measure] = {}
"""What has been registered so far; see `all_measures`."""
_MODULES = tuple(f"harness.behaviour.{name}" for name in ("outcomes", "dealings", "talk", "answers"))
UNITS = ("share", "points", "place", "per match", "per decision", "characters", "tokens", "USD", "seconds")


def measure(
    title: str,
    *,
    unit: str,
    by: str = "",
    events: tuple[str, ...] = (),
    reads: tuple[str, ...] = (),
    forfeits: bool = True,
    parts: bool = False,
) -> Callable[[Function], Function]:
    """Register a function as a measure; words are those of `Measure`, `reads` being kinds read beside `events`.

    Raises:
        ValueError: for a unit that is not known, kinds that are no tuple, a missing docstring, or a name that is taken.
    """

    def register(function: Function) -> Function:
        name, definition = function.__name__, getdoc(function)
        if unit not in UNITS:
            raise ValueError(f"measure {name}: the unit {unit!r} is not one of {', '.join(UNITS)}")
        given: dict[str, object] = {"events": events, "reads": reads}
        for word, some in given.items():
            if isinstance(some, str):
                raise ValueError(f"measure {name}: {word}: {some!r} is one text; a tuple of event kinds is wanted")
        if not definition:
            raise ValueError(f"measure {name}: its docstring, which is its definition, is missing")
        if name in MEASURES:
            raise ValueError(f"measure {name}: there is one of this name already")
        kinds = frozenset(events)
        one = Measure(name, title, unit, by, kinds, kinds | frozenset(reads), forfeits, parts, definition, function)
        MEASURES[name] = one
        return function

    return register


def all_measures() -> dict[str, Measure]:
    """Every measure there is by its name: those of this package first, in the order of tables, then the user's own."""
    places = {import_module(name).__name__: place for place, name in enumerate(_MODULES)}
    ordered = sorted(MEASURES.values(), key=lambda one: places.get(one.function.__module__, len(places)))
    return {one.name: one for one in ordered}


def from_file(path: Path) -> list[Measure]:
    """The measures that a Python file of the user's adds. Raises what the file raises, and what `measure` does."""
    before = set(all_measures())
    runpy.run_path(str(path))
    return [one for name, one in MEASURES.items() if name not in before]
