"""A second game, smaller than any real one, beside So Long Sucker."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest
from pydantic import BaseModel, ConfigDict

import games
from games.api import BadStart, Json, Reply, Step


class TinyOptions(BaseModel):
    """One whole number."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    width: int = 2


def _narrow(seats: tuple[str, ...], options: Any, seed: int) -> Json:
    if options.width > 3:
        raise BadStart("options.width: narrow needs at most 3")
    return {"width": options.width, "seed": seed}


class Tiny:
    """As much of a game as a tournament file asks about."""

    name = "tiny"
    version = "3"
    players = (2, 3, 9)
    Options = TinyOptions
    bots: ClassVar = {"greedy": lambda seen, draws: Reply(()), "random": lambda seen, draws: Reply(())}
    scenarios: ClassVar = {"narrow": _narrow}

    def seats(self, number: int) -> tuple[str, ...]:
        """`a`, `b`, ..."""
        return tuple("abcdefghi"[:number])

    def start(self, seats: tuple[str, ...], options: Any, seed: int) -> Step:
        """Nothing but the options."""
        return Step((seats, options, seed), ())

    def load(self, position: Json) -> Json:
        """The position as it is."""
        return position


@pytest.fixture
def two_games(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have `tiny` found like any other game."""
    real = games.get_game
    monkeypatch.setattr(games, "GAMES", (*games.GAMES, "tiny"))
    monkeypatch.setattr(games, "get_game", lambda name: Tiny() if name == "tiny" else real(name))
