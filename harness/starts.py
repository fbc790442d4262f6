"""Where a match starts: the game's own start, or a scenario of it."""

from __future__ import annotations

from games import get_game
from games.api import Step
from harness.records import MatchRecord


def start(match: MatchRecord) -> Step:
    """The first position of a match and its events, from its game, options, scenario and seed alone.

    A scenario begins without an event.

    Raises:
        BadStart: when the game cannot start so.
    """
    game = get_game(match.game)
    seats = tuple(seat.seat for seat in match.seats)
    options = game.Options.model_validate(match.options)
    if match.scenario is None:
        return game.start(seats, options, match.seed)
    return Step(game.load(game.scenarios[match.scenario](seats, options, match.seed)), ())
