"""What tells the tables of one game in one run apart, in the lines above them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol


class Placed(Protocol):
    """A table's place."""

    @property
    def run(self) -> str:
        """The run's name."""

    @property
    def game(self) -> str:
        """The game's name."""

    @property
    def game_index(self) -> int:
        """Which entry of the tournament file's `games`, from 0."""


def entry(one: Placed, tables: Iterable[Placed]) -> str:
    """Which entry of the file's `games` a table is of, to go behind its game; empty where no other of these is of the
    same game and run."""
    entries = {other.game_index for other in tables if (other.run, other.game) == (one.run, one.game)}
    return f" (entry {one.game_index + 1} of the file's games)" if len(entries) > 1 else ""
