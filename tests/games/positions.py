"""Positions as JSON, played on and changed by the tests of every game."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from games.api import Game, Json, Step
from games.chance import Draws


def legal_in(game: Game) -> Callable[[Json], list[str]]:
    """The legal actions of a game's positions."""

    def legal(where: Json) -> list[str]:
        return list(game.legal(game.load(where)))

    return legal


def play_in(game: Game, *, openly: bool = False) -> Callable[..., tuple[Json, list[Json]]]:
    """What gives the position after some actions, and the events of the last one, as JSON.

    `openly`: all learn of each event, so that nothing says who does.
    """

    def play(where: Json, *actions: str) -> tuple[Json, list[Json]]:
        step = Step(game.load(where), ())
        for action in actions:
            step = game.apply(step.state, action)
        after = game.dump(step.state)
        assert game.dump(game.load(after)) == after
        if not openly:
            return after, [event.to_json() for event in step.events]
        assert all(event.audience == "all" for event in step.events)
        return after, [{"kind": event.kind, **event.fields} for event in step.events]

    return play


def kinds(events: Sequence[Json]) -> list[str]:
    return [event["kind"] for event in events]


def changed(where: Json, **changes: Any) -> Json:
    """The position with some fields replaced; `a__b` names the key b of the field a."""
    result = dict(where)
    for path, value in changes.items():
        field, _, key = path.partition("__")
        result[field] = {**result[field], key: value} if key else value
    return result


class Reading(Protocol):
    """A plain reading of the rules: `at` is the position as JSON, `events` those of the last action."""

    at: Json
    events: list[Json]

    def legal(self) -> list[str]: ...

    def act(self, action: str) -> None: ...


def agree(game: Game, table: Reading, draws: Draws) -> Any:
    """Play at random on the engine and the plain reading of the rules side by side; the state at the end."""
    state = game.load(table.at)
    while game.to_act(state) is not None:
        legal = game.legal(state)
        assert list(legal) == table.legal()
        action = draws.choice(legal)
        table.events.clear()
        table.act(action)
        state, events = game.apply(state, action)
        assert [event.to_json() for event in events] == table.events
        assert game.dump(state) == table.at
    assert table.legal() == []
    return state
