"""What a file can only be checked for with the games at hand; and its defaults, filled in."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, ValidationError

import games
from games.api import BadPosition, BadStart, Game
from harness.spec.faults import FieldError, fault_of, listing, nearest, path_text, printable, shown
from harness.spec.models import GameEntry, Tournament
from harness.spec.players import PlayerSpec
from harness.spec.tables import check_until, packs_wanted, pool, seats_at


def resolve(spec: Tournament) -> Tournament:
    """The tournament with each game's seats and options filled in, checked against the games. Raises `FieldError`."""
    entries = []
    for index, entry in enumerate(spec.games):
        at = path_text(("games", index))
        game = _game(entry, at)
        _check_pool(spec, entry, at)
        _check_bots(spec, game, entry, at)
        try:
            seats = seats_at(spec, entry, game)
            packs_wanted(spec, entry, seats, spec.matches)
            if spec.until is not None:
                check_until(spec, spec.until, index, game, seats)
        except FieldError as fault:
            raise FieldError(f"{at}.{fault.path}" if fault.path == "seats" else fault.path, fault.what) from None
        options = complete_options(game, entry.options, at)
        _check_start(game, entry, seats, options, at)
        filled = options.model_dump(mode="json")
        entries.append(entry.model_copy(update={"seats": seats, "options": filled}))
    _check_idle(spec)
    check_personas(spec.players)
    return spec.model_copy(update={"games": tuple(entries)})


def _game(entry: GameEntry, at: str) -> Game:
    if entry.game not in games.GAMES:
        near = nearest(entry.game, games.GAMES, there="the games are")
        raise FieldError(f"{at}.game", f"{shown(entry.game)} is no game here; {near}")
    return games.get_game(entry.game)


def complete_options(game: Game, options: dict[str, Any], at: str = "") -> BaseModel:
    """The game's options, defaults filled in. Raises `FieldError` under the path `at`."""
    try:
        return game.Options.model_validate_json(json.dumps(options), strict=True)
    except ValidationError as error:
        raise fault_of(error, game.Options, under=f"{at}.options" if at else "options") from None


def _check_start(game: Game, entry: GameEntry, seats: int, options: BaseModel, at: str) -> None:
    """Build a start position once, so that options that contradict a scenario are known before the run."""
    if entry.start is not None and entry.start not in game.scenarios:
        near = nearest(entry.start, list(game.scenarios), there="its scenarios are")
        raise FieldError(f"{at}.start", f"{shown(entry.start)} is no scenario of {game.name}; {near}")
    try:
        names = game.seats(seats)
        if entry.start is None:
            game.start(names, options, 0)
        else:
            game.load(game.scenarios[entry.start](names, options, 0))
    except (BadStart, BadPosition) as error:
        what = " ".join(printable(str(error)).split())
        raise FieldError(f"{at}.start" if entry.start else at, f"{game.name} cannot start so: {what}") from None


def _check_pool(spec: Tournament, entry: GameEntry, at: str) -> None:
    labels = [player.label for player in spec.players]
    for place, label in enumerate(entry.players or ()):
        path = f"{at}.players[{place}]"
        if label not in labels:
            raise FieldError(
                path, f"no player has the label {shown(label)}; {nearest(label, labels, there='they are')}"
            )
        if label in (entry.players or ())[:place]:
            raise FieldError(path, f"{shown(label)} stands here already; name each player once")


def _check_idle(spec: Tournament) -> None:
    for index, player in enumerate(spec.players):
        if not any(player in pool(spec, entry) for entry in spec.games):
            path = path_text(("players", index, "label"))
            raise FieldError(path, f"{shown(player.label)} plays no game of this file; name it in some game's players")


def _check_bots(spec: Tournament, game: Game, entry: GameEntry, at: str) -> None:
    playing = pool(spec, entry)
    for index, player in enumerate(spec.players):
        if player not in playing or player.bot is None or player.bot in game.bots:
            continue
        path = path_text(("players", index, "bot"))
        others = sorted({other.game for other in spec.games if other.game != entry.game and other.game in games.GAMES})
        if others:
            has = "; ".join(f"{name} has {listing(games.get_game(name).bots)}" for name in sorted([*others, game.name]))
            raise FieldError(
                path,
                f"{shown(player.bot)} is no bot of {game.name}; {has}; "
                f"{at}.players can name those who play {game.name}",
            )
        near = nearest(player.bot, list(game.bots), there="its bots are")
        raise FieldError(path, f"{shown(player.bot)} is no bot of {game.name}; {near}")


def check_personas(players: Sequence[PlayerSpec]) -> None:
    """See that every persona of a player is there. Raises `FieldError`."""
    wanted = [(index, player.persona) for index, player in enumerate(players) if player.persona is not None]
    if not wanted:
        return
    from harness.prompt import personas

    known = personas()
    for index, persona in wanted:
        if persona not in known:
            path = path_text(("players", index, "persona"))
            raise FieldError(path, f"{shown(persona)} is no persona; there are {listing(known)}")
