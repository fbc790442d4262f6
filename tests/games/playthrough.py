"""Golden playthroughs: one short match of a game, written out whole, so that any change of what it does shows as text.

`python -m tests.games.playthrough GAME` writes `tests/games/GAME/playthrough.txt` anew. A game says in its `laws.py`
which match is short and shows much: `PLAYTHROUGH = {"options", "seats", "scenario", "seed", "bot", "most"}`, all
optional.

A position is written key by key; keys that are as at the ply before are named, not repeated. A view is written as what
differs from the position. So every position and every view can be read off, and a secret that leaks shows as a line.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from games import get_game
from games.api import Game, Json, Observation, Seat
from games.chance import Draws

FOLDER = Path(__file__).parent


def path_of(name: str) -> Path:
    """Where a game's playthrough stands."""
    return FOLDER / name / "playthrough.txt"


def playthrough(name: str) -> str:
    """The whole text."""
    game = get_game(name)
    chosen: Json = getattr(import_module(f"tests.games.{name}.laws"), "PLAYTHROUGH", {})
    return "\n".join(_lines(game, chosen)) + "\n"


def _lines(game: Game, chosen: Json) -> Iterator[str]:
    seats = game.seats(chosen.get("seats", game.players[-1]))
    options = game.Options.model_validate(chosen.get("options", {}))
    seed, scenario = chosen.get("seed", 1), chosen.get("scenario")
    bot = chosen.get("bot") or ("random" if "random" in game.bots else min(game.bots))
    yield f"{game.title} ({game.name}), rules {game.version}"
    yield f"seats {', '.join(seats)}; seed {seed}; start {scenario or 'by the rules'}; played by the bot {bot}"
    yield f"options {_json(options.model_dump(mode='json'))}"
    if scenario is None:
        state, events = game.start(seats, options, seed)
    else:
        state, events = game.load(game.scenarios[scenario](seats, options, seed)), ()
    before: Json = {}
    notes = dict.fromkeys(seats, "")
    for ply in range(chosen.get("most", 10_000) + 1):
        yield ""
        yield f"=== ply {ply}"
        for event in events:
            yield f"event {_json(event.to_json())}"
        position = game.dump(state)
        yield from _position(position, before)
        for seat in (None, *seats):
            yield from _view(game.view(state, seat), position, seat)
        before = position
        seat = game.to_act(state)
        if seat is None:
            outcome = game.outcome(state)
            yield f"outcome {_json(outcome.to_json() if outcome else None)}"
            return
        legal = game.legal(state)
        yield f"{seat} to act; legal ({len(legal)}):"
        yield from (f"  {action}" for action in legal)
        if ply == chosen.get("most", 10_000):
            yield "(here the playthrough ends; the match would go on)"
            return
        action, notes[seat] = _choice(game, bot, state, seats, seat, ply, notes[seat])
        yield f"> {seat}: {action}"
        state, events = game.apply(state, action)


def _choice(
    game: Game, bot: str, state: Any, seats: tuple[Seat, ...], seat: Seat, ply: int, notes: str
) -> tuple[str, str]:
    seen = Observation(
        game.name, seat, seats, ply, "act", game.view(state, seat), (), (), game.legal(state), game.alive(state), notes
    )
    reply = game.bots[bot](seen, Draws(f"playthrough:{ply}"))
    return reply.actions[0], reply.notes or notes


def _position(position: Json, before: Json) -> Iterator[str]:
    same = [key for key, value in position.items() if key in before and before[key] == value]
    for key, value in position.items():
        if key not in same:
            yield f"  {key}: {_json(value)}"
    if same:
        yield f"  as before: {', '.join(same)}"


def _view(view: Json, position: Json, seat: Seat | None) -> Iterator[str]:
    yield f"view of {seat or 'the spectator'}: as the position, but"
    for key in position:
        if key not in view:
            yield f"    without {key}"
    for key, value in view.items():
        if key not in position or position[key] != value:
            yield f"    {key}: {_json(value)}"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


if __name__ == "__main__":
    for game_name in sys.argv[1:]:
        path_of(game_name).write_text(playthrough(game_name), encoding="utf-8")
        print(path_of(game_name))
