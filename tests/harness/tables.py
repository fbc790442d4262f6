"""Tables for tests of the loop: scripted players and a log kept in memory."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from games import get_game
from games.api import Observation
from harness.match import Stored, Table
from harness.players import Answer, Ask, Player
from harness.players.bot import BotPlayer
from harness.records import Json, MatchRecord, MessageRecord, SeatRecord, TurnRecord
from harness.reply import Completion
from harness.spec import Tournament, parse

SEATS = ("red", "blue", "green", "yellow")


class MemoryLog:
    """A log that is a few lists."""

    def __init__(self) -> None:
        self.start_position: Json | None = None
        self.start_events: tuple[Json, ...] = ()
        self.start_hash: str | None = None
        self.all_turns: list[TurnRecord] = []
        self.all_messages: list[MessageRecord] = []
        self.outcome: Json | None = None

    async def start(self, match_id: int, start: Json, events: Sequence[Json], start_hash: str) -> None:
        self.start_position, self.start_events, self.start_hash = start, tuple(events), start_hash

    async def turns(
        self, match_id: int, turns: Sequence[TurnRecord], messages: Sequence[MessageRecord], outcome: Json | None
    ) -> None:
        self.all_turns.extend(turns)
        self.all_messages.extend(messages)
        self.outcome = outcome

    async def messages(self, match_id: int, messages: Sequence[MessageRecord]) -> None:
        self.all_messages.extend(messages)


class Quiet:
    """Nobody looks on."""

    def turn(self, match: MatchRecord, turn: TurnRecord) -> None:
        pass


class Scripted:
    """A player whose answers a function gives, as text or as JSON; it keeps every question."""

    def __init__(self, answer: Callable[[Ask], Any], *, kind: str = "model", label: str = "scripted") -> None:
        self.label = label
        self.kind: Any = kind
        self.asks: list[Ask] = []
        self._answer = answer

    async def answer(self, ask: Ask) -> Answer:
        self.asks.append(ask)
        given = self._answer(ask)
        if isinstance(given, Exception):
            raise given
        if isinstance(given, Answer):
            return given
        text = given if isinstance(given, str) or given is None else json.dumps(given)
        return Answer(Completion(text, None, None, "stop"))


def first_legal(ask: Ask) -> Json:
    """The first action as shown, and silence."""
    return {"actions": list(ask.observation.legal[:1])}


def saying(*messages: Json) -> Callable[[Ask], Json]:
    """The first legal action and these messages, whenever asked."""
    return lambda ask: {**first_legal(ask), "messages": list(messages)}


def tournament(text: str = "", **changes: Any) -> Tournament:
    """A table of four bots; `text` is more YAML."""
    spec = parse(
        "games: [{game: so_long_sucker, options: {chips: 3}}]\n"
        "players: [" + ", ".join(f"{{label: {label}, bot: random}}" for label in "abcd") + "]\n" + text,
        "table.yaml",
    )
    return spec.model_copy(update=changes)


def match_of(
    position: Json | None = None, *, seed: int = 5, chips: int = 3, scenario: str | None = None
) -> MatchRecord:
    """A match to be played; with a position it starts from there."""
    game = get_game("so_long_sucker")
    return MatchRecord(
        id=1,
        number=0,
        game="so_long_sucker",
        options=game.Options(chips=chips).model_dump(),
        scenario=scenario,
        seed=seed,
        start=position,
        seats=tuple(SeatRecord(seat=seat, label=seat[0], kind="model", identity=f"id-{seat}") for seat in SEATS),
    )


def finished(log: MemoryLog, outcome: Json | None) -> MatchRecord:
    """The record of a match of `match_of` that was played to its end, with this log."""
    return match_of().model_copy(
        update={
            "start": log.start_position,
            "start_events": log.start_events,
            "start_hash": log.start_hash,
            "plies": len(log.all_turns),
            "status": "finished",
            "outcome": outcome,
        }
    )


def table(
    players: Mapping[str, Player] | None = None,
    *,
    spec: Tournament | None = None,
    match: MatchRecord | None = None,
    stored: Stored | None = None,
    log: MemoryLog | None = None,
) -> tuple[Table, MemoryLog]:
    """A table ready to be played, and its log. Seats without a player get the random bot."""
    game = get_game("so_long_sucker")
    seated: dict[str, Player] = {seat: BotPlayer(seat, game.bots["random"]) for seat in SEATS}
    seated.update(players or {})
    log = log or MemoryLog()
    return (
        Table(
            match=match or match_of(),
            spec=spec or tournament(),
            run="test",
            players=seated,
            log=log,
            watcher=Quiet(),
            stop=asyncio.Event(),
            stored=stored or Stored(),
        ),
        log,
    )


def observations(player: Scripted) -> list[Observation]:
    """What a player was shown, in order."""
    return [ask.observation for ask in player.asks]
