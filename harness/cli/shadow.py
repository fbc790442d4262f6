"""Which question an unfinished match is waiting on, found from outside the process that plays it.

The match's loop is deterministic, so it is run here on what is stored: bots answer as they did, models and people by
their stored answers. The first question without one is the open one. Nothing is written, and no model is asked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from games import get_game
from harness.match import Stored, Table
from harness.players import Answer, Ask, Player
from harness.players.bot import BotPlayer
from harness.players.human import HumanPlayer
from harness.players.model import ModelPlayer
from harness.records import OVER, Json, MatchRecord, MessageRecord, PlayerKind, SeatRecord, TurnRecord
from harness.spec import Tournament

if TYPE_CHECKING:
    from harness.store import Store


class _UnansweredError(Exception):
    """Nobody has answered this question yet."""


async def open_question(store: Store, spec: Tournament, run: str, match: MatchRecord, seat: str) -> Ask | None:
    """The question that the match waits on; that to `seat` if several are asked at once. None where it has ended.

    Raises:
        LogDiffers: when the stored part of the match does not come out again.
    """
    if match.id is None or match.status in OVER:
        return None
    asked: list[Ask] = []
    table = Table(
        match=match,
        spec=spec,
        run=run,
        players={place.seat: _Watched(_player(store, spec, match, place), asked) for place in match.seats},
        log=_NoLog(),
        watcher=_Nobody(),
        stop=asyncio.Event(),
        stored=Stored(store.turns(match.id), store.messages(match.id), store.calls(match.id)),
    )
    try:
        await table.play()
    except _UnansweredError:
        return next((ask for ask in asked if ask.observation.seat == seat), asked[0])
    return None


def _player(store: Store, spec: Tournament, match: MatchRecord, place: SeatRecord) -> Player:
    if place.kind == "human":
        return _Person(place.label, store)
    if place.kind == "bot":
        bot = next(player.bot for player in spec.players if player.label == place.label)
        return BotPlayer(place.label, get_game(match.game).bots[bot or ""])
    return ModelPlayer(place.label, cast("Any", _NoGateway()), bounded=False)


class _Watched:
    """A player whose unanswered questions are kept."""

    def __init__(self, player: Player, asked: list[Ask]) -> None:
        self.label = player.label
        self.kind: PlayerKind = player.kind
        self._player = player
        self._asked = asked

    async def answer(self, ask: Ask) -> Answer:
        """As the player answered."""
        try:
            return await self._player.answer(ask)
        except _UnansweredError:
            self._asked.append(ask)
            raise


class _Person:
    """A person, by the answers in the inbox."""

    kind: PlayerKind = "human"

    def __init__(self, label: str, store: Store) -> None:
        self.label = label
        self._store = store

    async def answer(self, ask: Ask) -> Answer:
        """The answer given to this attempt."""
        texts = self._store.inbox(ask.match_id, ask.observation.seat, ask.observation.decision)
        if len(texts) <= len(ask.failures):
            raise _UnansweredError

        async def given(match_id: int, seat: str, decision: int) -> Sequence[str]:  # noqa: ARG001
            return texts

        return await HumanPlayer(self.label, given).answer(ask)


class _NoGateway:
    """Stands where a model would be asked."""

    async def complete(self, request: object) -> object:  # noqa: ARG002
        """Never answers."""
        raise _UnansweredError


class _NoLog:
    """Keeps nothing."""

    async def start(self, match_id: int, start: Json, events: Sequence[Json], start_hash: str) -> None:
        """Nothing."""

    async def turns(
        self, match_id: int, turns: Sequence[TurnRecord], messages: Sequence[MessageRecord], outcome: Json | None
    ) -> None:
        """Nothing."""

    async def messages(self, match_id: int, messages: Sequence[MessageRecord]) -> None:
        """Nothing."""


class _Nobody:
    """Watches nothing."""

    def turn(self, match: MatchRecord, turn: TurnRecord) -> None:
        """Nothing."""
