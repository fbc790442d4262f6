"""Golden playthroughs: what a game does is what its committed text shows."""

from __future__ import annotations

import pytest

from games import GAMES
from tests.games.playthrough import path_of, playthrough


@pytest.mark.parametrize("name", GAMES)
def test_every_game_has_a_playthrough(name: str) -> None:
    assert path_of(name).is_file(), f"make it with: python -m tests.games.playthrough {name}"


@pytest.mark.parametrize("name", GAMES)
def test_the_game_plays_as_its_playthrough_shows(name: str) -> None:
    assert path_of(name).read_text(encoding="utf-8") == playthrough(name)
