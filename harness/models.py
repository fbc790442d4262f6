"""All that a run with models in it needs: keys and prices checked, local servers, the gateway, the first question."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Protocol

from games import get_game
from games.api import Allowance, Observation
from games.chance import Draws
from harness.answer_schema import answer_schema
from harness.gateway import Gateway, Paused, Stopped, check_limits, check_prices, missing_key
from harness.local import LocalModelError, LocalServers, is_local, resolve
from harness.observation import Memory, observe
from harness.observation import Record as TableRecord
from harness.players.model import ModelPlayer
from harness.prompt import Context, rules_text
from harness.records import INFRASTRUCTURE, CallRecord, Json, MatchRecord
from harness.spec import PlayerSpec, SpecError, Tournament
from harness.starts import start
from harness.store import Store

SAMPLED_DECISIONS = 400
"""Decisions of random play looked at to find the largest list of legal actions that a game is likely to show."""


class Watcher(Protocol):
    """Who is told of calls and warnings."""

    def call(self, record: CallRecord) -> None:
        """A request ended."""

    def note(self, line: str) -> None:
        """Something worth a line."""


def check(spec: Tournament) -> None:
    """Refuse a tournament whose models cannot be asked: a key, a price or weights are missing, or a
    limit is too low for a single call. Asks nobody.

    Raises:
        SpecError: naming the player and what is missing.
    """
    for index, entry in enumerate(spec.games if any(player.model for player in spec.players) else ()):
        game = get_game(entry.game)
        try:
            rules_text(entry.game, game.seats(entry.seats or game.players[-1]), entry.options)
        except ValueError as error:
            raise SpecError(f"games[{index}].game: {error}") from error
    for index, player in enumerate(spec.players):
        if player.model is None:
            continue
        if is_local(player.model):
            try:
                resolve(player.model)
            except LocalModelError as error:
                raise SpecError(f"players[{index}].model: {error}") from error
            continue
        missing = missing_key(player)
        if missing is not None:
            raise SpecError(f"players[{index}] ({player.label}): {missing}")
    lacking = [*check_limits(spec), *check_prices(spec)]
    if lacking:
        raise SpecError(lacking[0])


def largest_schemas(spec: Tournament, matches: Sequence[MatchRecord], *, bounded: bool) -> list[Json]:
    """For each game among a tournament's matches the largest answer schema that random play from its start leads to."""
    firsts = {match.game_index: match for match in reversed(matches)}
    return [_largest_schema(spec, firsts[index], bounded=bounded) for index in sorted(firsts)]


def _largest_schema(spec: Tournament, match: MatchRecord, *, bounded: bool) -> Json:
    game = get_game(match.game)
    seats = tuple(seat.seat for seat in match.seats)
    state = start(match).state
    draws = Draws(f"{spec.name}:largest")
    largest: Observation | None = None
    talk = spec.talk
    allowance = Allowance(talk.messages, talk.chars, talk.private) if talk.messages else None
    for _ in range(SAMPLED_DECISIONS):
        seat = game.to_act(state)
        if seat is None:
            break
        legal = game.legal(state)
        if largest is None or sum(map(len, legal)) > sum(map(len, largest.legal)):
            largest = observe(
                game, state, seat, seats, TableRecord(), Memory(), asked="act", talk=allowance,
                pledges=spec.pledges != "off",
            )  # fmt: skip
        state = game.apply(state, draws.choice(legal)).state
    if largest is None:
        raise SpecError(f"games[{match.game_index}]: the start position has nobody to act")
    context = Context(
        game=match.game,
        seat=largest.seat,
        seats=seats,
        options=match.options,
        persona=None,
        interface=spec.interface,
        talk=spec.talk,
        pledges=spec.pledges,
        pledge_kinds={kind: pledge.meaning for kind, pledge in game.pledges.items()},
    )
    return answer_schema(largest, largest.legal, context, bounded=bounded)


class ModelSide:
    """The models of one run: opened once, asked by many matches, closed at the end."""

    def __init__(
        self,
        spec: Tournament,
        run_id: int,
        matches: Sequence[MatchRecord],
        store: Store,
        watcher: Watcher,
        stop: asyncio.Event,
    ) -> None:
        self._spec = spec
        self._matches = matches
        self._run_id = run_id
        self._store = store
        self._watcher = watcher
        self._stop = stop
        self._locals = LocalServers()
        self._gateway = Gateway(
            spec,
            run_id=run_id,
            record=self._record,
            spent=store.spend_by(run_id),
            locals=self._locals,
            on_call=watcher.call,
            warn=watcher.note,
            stop=stop,
        )

    async def open(self) -> str | None:
        """Check every model, then ask all of them at once, with the largest schema of each game.

        A model that does not answer now, or may spend no more, keeps nobody else from playing: its matches pause when
        it comes to them. Why nothing can be played now, if none answers or the whole run may spend no more.

        Raises:
            SpecError: when one cannot be asked, or refuses such a question.
            Stopped: when the run was asked to stop meanwhile; it says nothing of the models then.
        """
        check(self._spec)
        models = [player for player in self._spec.players if player.model is not None]
        # All are waited for, also when one fails: what the others paid for must be stored first.
        results = await asyncio.gather(*map(self._probe, models), return_exceptions=True)
        if self._stop.is_set():
            raise Stopped
        silent: list[Paused] = []
        for result in results:
            if isinstance(result, Paused) and result.kind in (*INFRASTRUCTURE, "budget"):
                silent.append(result)
            elif isinstance(result, Paused | LocalModelError):
                raise SpecError(str(result)) from result
            elif result is not None:
                raise result
        spent = next((paused for paused in silent if paused.everyone), None)
        if spent is not None:
            return spent.why
        if silent and len(silent) == len(models):
            return silent[0].why
        for paused in silent:
            self._watcher.note(paused.why)
        return None

    async def _probe(self, player: PlayerSpec) -> None:
        """Ask one model."""
        local = player.model is not None and is_local(player.model)
        for schema in largest_schemas(self._spec, self._matches, bounded=local):
            await self._gateway.probe(player.label, schema)

    def player(self, player: PlayerSpec) -> ModelPlayer:
        """The player of that entry of the tournament file."""
        return ModelPlayer(
            player.label,
            self._gateway,
            bounded=player.model is not None and is_local(player.model),
            on_length=self._spec.on_length,
            note=self._watcher.note,
        )

    @staticmethod
    def paused(error: Exception) -> Paused | None:
        """The error as a pause, if it is one."""
        return error if isinstance(error, Paused) else None

    @staticmethod
    def stopped(error: Exception) -> bool:
        """Whether the error only says that the run was asked to stop."""
        return isinstance(error, Stopped)

    async def close(self) -> None:
        """Close connections and stop local servers."""
        await self._gateway.close()
        closed: Any = self._locals.close()
        if asyncio.iscoroutine(closed):
            await closed

    async def _record(self, call: CallRecord) -> int:
        return await self._store.add_call(call)
