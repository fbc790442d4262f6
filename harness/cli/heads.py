"""The line above a table: what it is of, and what tells it from the other tables of the same run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from harness.cli.output import say, several


class Headed(Protocol):
    """What the head of a table tells."""

    @property
    def run(self) -> str:
        """The run's name."""

    @property
    def game(self) -> str:
        """The game's name."""

    @property
    def game_index(self) -> int:
        """Which entry of the tournament file's `games`, from 0."""

    @property
    def seats(self) -> int:
        """How many there are."""

    @property
    def rules(self) -> str | None:
        """The version of the rules; None where no match began."""

    @property
    def matches(self) -> dict[str, int]:
        """How many, by what became of them."""

    @property
    def counted(self) -> int:
        """How many enter the figures."""

    @property
    def packs(self) -> int:
        """In how many packs."""

    @property
    def forks(self) -> bool:
        """Whether they are forks."""


def head(one: Headed, tables: Iterable[Headed], more: str = "") -> None:
    """Print the line above one of these tables; `more` goes to its end."""
    counted = several(one.counted, "match", "matches")
    say(
        (one.run, "bold"),
        f" · {one.game}{_apart(one, list(tables))}, {one.seats} seats{' · from forks' if one.forks else ''}"
        f" · {counted} counted in {several(one.packs, 'pack', 'packs')}{more}",
    )


def _apart(one: Headed, tables: Iterable[Headed]) -> str:
    """Which entry of the file's `games` a table is of, and by which rules it was played, to go behind its game; each
    only where another of these is of the same run and game, or of the same entry, and differs in it."""
    alike = [other for other in tables if (other.run, other.game) == (one.run, one.game)]
    told = ""
    if len({other.game_index for other in alike}) > 1:
        told = f" (entry {one.game_index + 1} of the file's games)"
    if len({_rules(other) for other in alike if other.game_index == one.game_index}) > 1:
        told += f", rules {_rules(one)}"
    return told


def _rules(one: Headed) -> str:
    return one.rules or "not known"
