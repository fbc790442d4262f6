"""Who meets whom, how often, and until when: the keys of the tournament file from which the schedule is made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal, Protocol

from pydantic import Discriminator, Field, Tag

from harness.spec.base import Matches, Strict
from harness.spec.faults import FieldError, nearest, path_text, shown

Labels = Annotated[tuple[str, ...], Field(strict=False, min_length=1, max_length=1000)]


class Gauntlet(Strict):
    """Challengers, each against baselines alone."""

    gauntlet: Labels
    """The baselines by label; everybody else is a challenger."""


def _line_ups_tag(value: object) -> str:
    return "«gauntlet»" if isinstance(value, dict | Gauntlet) else "«word»"


LineUps = Annotated[
    Annotated[Literal["auto", "all", "sampled", "self_play"], Tag("«word»")] | Annotated[Gauntlet, Tag("«gauntlet»")],
    Discriminator(_line_ups_tag),
]
"""Which players meet at a table."""


class Until(Strict):
    """When a run stops: two players told apart, or so many matches played."""

    apart: Annotated[tuple[str, ...], Field(strict=False, min_length=2, max_length=2)]
    """The two, by label."""
    at_most: Matches
    """Matches of each game, rounded up to whole packs."""
    ready: Annotated[tuple[Annotated[int, Field(gt=0)], ...], Field(strict=False)] | None = None
    """Of each game, how many looks its matches are made ready for. Only a stored run has it: without it, for all."""


class Added(Strict):
    """Players who were brought into a run that was there. Only a stored run has it."""

    players: Labels
    after: Matches | None = None
    """The `matches` of the run until then."""


class _File(Protocol):
    """What is checked here of a tournament file."""

    @property
    def matches(self) -> int | None: ...
    @property
    def seating(self) -> str: ...
    @property
    def line_ups(self) -> str | Gauntlet: ...
    @property
    def until(self) -> Until | None: ...
    @property
    def added(self) -> tuple[Added, ...]: ...


def check_scheduling(spec: _File, labels: Sequence[str]) -> None:
    """See that what is said of the schedule fits together. Raises `FieldError`."""
    if isinstance(spec.line_ups, Gauntlet):
        _known(("line_ups", "gauntlet"), spec.line_ups.gauntlet, labels)
        if set(spec.line_ups.gauntlet) >= set(labels):
            raise FieldError("line_ups.gauntlet", "names every player; leave out at least one as a challenger")
    if spec.until is not None:
        _check_until(spec, spec.until, labels)
    late: list[str] = []
    for index, stage in enumerate(spec.added):
        _known(("added", index, "players"), stage.players, labels)
        again = next((label for label in stage.players if label in late), None)
        if again is not None:
            raise FieldError(path_text(("added", index, "players")), f"{shown(again)} was added before")
        late += stage.players
    if isinstance(spec.line_ups, Gauntlet) and set(spec.line_ups.gauntlet) & set(late):
        raise FieldError("added", "a baseline of a gauntlet is there from the start")
    if late and spec.until is not None:
        raise FieldError("added", "a run with until has its players from the start")


def _check_until(spec: _File, until: Until, labels: Sequence[str]) -> None:
    _known(("until", "apart"), until.apart, labels)
    if spec.matches is not None:
        raise FieldError("matches", "until.at_most says how many matches there may be; leave this out")
    if spec.line_ups == "self_play":
        raise FieldError("until", "in self_play nobody plays against another, so no two are ever told apart")
    if spec.seating == "fixed":
        raise FieldError("until", "where seats are fixed, a good seat cannot be told from a good player; use rotate")


def _known(path: tuple[str | int, ...], named: Sequence[str], labels: Sequence[str]) -> None:
    for place, label in enumerate(named):
        if label not in labels:
            near = nearest(label, labels, there="the labels are")
            raise FieldError(path_text((*path, place)), f"no player has the label {shown(label)}; {near}")
        if label in named[:place]:
            raise FieldError(path_text((*path, place)), f"{shown(label)} stands here already; name each player once")
