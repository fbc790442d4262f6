"""The games. Each is a folder here whose `GAME` follows `games.api.Game`; nothing else has to be edited to add one."""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module
from typing import cast

from games.api import Game

GAMES: tuple[str, ...] = tuple(sorted(module.name for module in pkgutil.iter_modules(__path__) if module.ispkg))
"""The names of all games, sorted."""


@cache
def get_game(name: str) -> Game:
    """The game of that name. Raises `KeyError` for a name that is not in `GAMES`."""
    if name not in GAMES:
        raise KeyError(name)
    return cast("Game", import_module(f"games.{name}").GAME)
