"""Where a match starts: the game's own start, or a scenario of it; and on which chance a fork goes on."""

from __future__ import annotations

from typing import Any

from games import get_game
from games.api import BadStart, Game, Step
from harness.records import MatchRecord


def start(match: MatchRecord) -> Step:
    """The first position of a match and its events, from its game, options, scenario and seed alone.

    A scenario begins without an event.

    Raises:
        BadStart: when the game cannot start so, or has no such scenario.
    """
    game = get_game(match.game)
    seats = tuple(seat.seat for seat in match.seats)
    options = game.Options.model_validate(match.options)
    seed = first_seed(match)
    if match.scenario is None:
        return game.start(seats, options, seed)
    scenario = game.scenarios.get(match.scenario)
    if scenario is None:
        raise BadStart(f"scenario: {game.name} has no {match.scenario!r}; it has {', '.join(game.scenarios) or 'none'}")
    return Step(game.load(scenario(seats, options, seed)), ())


def first_seed(match: MatchRecord) -> int:
    """The seed that a match's start position came from: of a fork, that of the match where its log begins."""
    return match.lineage[0].seed if match.lineage else match.seed


def seed_after(match: MatchRecord, ply: int) -> int:
    """The seed that the draws after that ply come from."""
    return next((stretch.seed for stretch in match.lineage if ply < stretch.until), match.seed)


def handed_on(match: MatchRecord, game: Game, state: Any, ply: int) -> Any:
    """A position as a match goes on from it: with other chance to come where a fork began so, else as it is.

    What chance has laid out already stays: it is in the position. Only draws to come are others.
    """
    if all(stretch.until != ply for stretch in match.lineage):
        return state
    position = game.dump(state)
    seed = seed_after(match, ply)
    if position["chance"]["seed"] == seed:
        return state
    return game.load({**position, "chance": {**position["chance"], "seed": seed}})
