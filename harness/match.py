"""The loop of one match: who is asked, what is played, what is written down.

The loop always runs from the start. In a match that an earlier process left unfinished, decisions whose calls are
stored are read again instead of asked, so that it comes by itself to where it stopped and goes on from there.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple, Protocol

from games import get_game
from games.api import Allowance, Event, Game, IllegalAction, Observation, Outcome, Reply, Seat
from harness.decide import Decision, Policy, decide
from harness.lineage import Before, LogDiffers
from harness.observation import Memory, Record, chance_key, observe, shown_order
from harness.players import Ask, Player
from harness.players.bot import reply_text
from harness.prompt import Context, Past
from harness.records import CallRecord, Json, MatchRecord, MessageRecord, PledgeRecord, TurnRecord
from harness.replay import position_hash
from harness.spec import Tournament
from harness.starts import handed_on, start


class Log(Protocol):
    """Where a match is written down. Every method returns when its rows are durable."""

    async def start(self, match_id: int, start: Json, events: Sequence[Json], start_hash: str) -> None:
        """The start position and its events."""

    async def turns(
        self, match_id: int, turns: Sequence[TurnRecord], messages: Sequence[MessageRecord], outcome: Json | None
    ) -> None:
        """The turns of one decision with what was said, in one transaction; with `outcome` the match is finished."""

    async def messages(self, match_id: int, messages: Sequence[MessageRecord]) -> None:
        """What was said in a talk round."""


class Halt(Protocol):
    """What may end a match before its next question."""

    def is_set(self) -> bool:
        """Whether no further question is to be asked."""


class Watcher(Protocol):
    """Who looks on while a match is played."""

    def turn(self, match: MatchRecord, turn: TurnRecord) -> None:
        """A turn was committed."""


class Stopped(Exception):
    """The run was asked to stop; everything so far is committed."""


class Stored(NamedTuple):
    """What an earlier process left of a match."""

    turns: Sequence[TurnRecord] = ()
    messages: Sequence[MessageRecord] = ()
    calls: Sequence[CallRecord] = ()


@dataclass
class Table:
    """One match being played."""

    match: MatchRecord
    spec: Tournament
    run: str
    players: Mapping[Seat, Player]
    log: Log
    watcher: Watcher
    stop: Halt
    stored: Stored = field(default_factory=Stored)

    def __post_init__(self) -> None:
        if self.match.id is None:
            raise ValueError("a match is played once it has an id")
        self.match_id: int = self.match.id
        self.game: Game = get_game(self.match.game)
        self.seats: tuple[Seat, ...] = tuple(seat.seat for seat in self.match.seats)
        self.personas = {seat.seat: seat.persona for seat in self.match.seats}
        self.policy = Policy(self.spec.retries, self.spec.on_illegal)
        self.record = Record()
        self.memories = {seat: Memory() for seat in self.seats}
        self.contexts = {seat: self._context(seat) for seat in self.seats}
        self.ply = 0
        self.said = 0
        self.rounds = 0
        self.decided_at = 0
        self.talk_called = False
        self.state: Any = None
        self.recorded: dict[tuple[Seat, int], list[CallRecord]] = defaultdict(list)
        for call in self.stored.calls:
            self.recorded[call.seat, call.decision].append(call)
        self.before: Before | None = None
        if self.match.lineage:
            self.before = Before(self.match, self.stored.turns, self.stored.messages, self.stored.calls)

    async def play(self) -> Json:
        """Play to the end and return the outcome.

        Raises:
            Paused: when a player cannot be reached or a budget is spent.
            Stopped: when `stop` was set before the next question.
            LogDiffers: when the stored part of the match does not come out again.
        """
        await self._start()
        while (seat := self.game.to_act(self.state)) is not None:
            order = await self._talk_round() if self._talk_is_due() else None
            decision = await self._decide(seat, "act")
            self.decided_at = self.ply + 1
            if decision.forfeited:
                outcome = self._forfeit(seat)
                await self.log.turns(self.match_id, [], [], outcome)
                return outcome
            await self._play(seat, decision, order)
        outcome_now = self.game.outcome(self.state)
        if outcome_now is None:
            raise LogDiffers(f"{self.match.game} has nobody to act and no outcome")
        outcome = outcome_now.to_json()
        if self.ply == 0:
            await self.log.turns(self.match_id, [], [], outcome)
        return outcome

    async def _start(self) -> None:
        if self.match.start is not None:
            self.state = self.game.load(self.match.start)
            events = tuple(Event.from_json(event) for event in self.match.start_events)
        else:
            self.state, events = start(self.match)
        position = self.game.dump(self.state)
        start_hash = position_hash(position)
        if self.match.start_hash not in (None, start_hash):
            raise LogDiffers("its start position is not the one that its log began from; the run cannot go on")
        await self.log.start(self.match_id, position, [event.to_json() for event in events], start_hash)
        self._happened(events)
        self._hand_over()

    def _hand_over(self) -> bool:
        """Where others take over from those who played before, give them what there is; whether it is so here."""
        if self.before is None or self.ply not in self.before.ends:
            return False
        self.state = handed_on(self.match, self.game, self.state, self.ply)
        for player in self.before.seated(self.ply):
            memory = self.memories[player.seat]
            memory.notes = self.before.carried(player.seat, self.ply, memory.notes, player)
        return True

    def _happened(self, events: tuple[Event, ...]) -> None:
        self.record.events.extend(events)
        if any(event.kind in self.game.talk_events for event in events):
            self.talk_called = True

    def _allowance(self, seat: Seat) -> Allowance | None:
        talk = self.spec.talk
        left = talk.messages
        if talk.per_match is not None:
            left = min(left, talk.per_match - self.memories[seat].said)
        return Allowance(left, talk.chars, talk.private) if left > 0 else None

    def _talk_is_due(self) -> bool:
        """In games of three or more: before every `round`-th turn, and whenever the game calls for it."""
        every = self.spec.talk.round
        if every == 0 or self.spec.talk.messages == 0 or len(self.seats) < 3:
            return False
        return self.talk_called or (self.ply + 1) // every > self.decided_at // every

    async def _talk_round(self) -> tuple[Seat, ...]:
        """Every living seat speaks once, in an order that moves on by one seat each round."""
        living = self.game.alive(self.state)
        first = self.rounds % len(living)
        order = living[first:] + living[:first]
        self.rounds += 1
        self.talk_called = False
        speaking = [seat for seat in order if self._allowance(seat) is not None]
        said: list[MessageRecord] = []
        if self.spec.talk.order == "simultaneous":
            asked = (self._decide(seat, "talk") for seat in speaking)
            for seat, decision in zip(speaking, await _all(*asked), strict=True):
                said.extend(self._say(seat, decision, talk=True))
        else:
            for seat in speaking:
                said.extend(self._say(seat, await self._decide(seat, "talk"), talk=True))
        new = [message for message in said if message.seq >= len(self.stored.messages)]
        if new:
            await self.log.messages(self.match_id, new)
        return order

    async def _decide(self, seat: Seat, asked: Literal["act", "talk"]) -> Decision:
        if self.stop.is_set():
            raise Stopped
        memory = self.memories[seat]
        allowance = self._allowance(seat)
        observation = observe(
            self.game,
            self.state,
            seat,
            self.seats,
            self.record,
            memory,
            asked=asked,
            talk=allowance,
            pledges=self.spec.pledges != "off",
        )
        memory.events_seen = len(self.record.events)
        memory.messages_seen = len(self.record.messages)
        memory.shown = self._shown(seat, observation)
        memory.decision += 1
        before = self.before if self.before is not None and self.ply < self.before.ply else None
        if asked == "act" and allowance is None and len(observation.legal) == 1:
            decision = Decision(observation.legal, "forced")
        elif before is not None:
            decision = before.decision(observation, self.ply)
        else:
            key = chance_key(self.run, self.match.number, seat, observation.decision, "choice")
            ask = Ask(
                observation=observation,
                shown=memory.shown,
                context=self.contexts[seat],
                history=tuple(memory.past),
                failures=(),
                match_id=self.match_id,
                ply=self.ply + 1,
                chance=key,
                recorded=self.recorded.get((seat, observation.decision), ()),
            )
            decision = await decide(self.players[seat], ask, self.policy)
        kind = self.players[seat].kind if before is None else before.player(seat, self.ply).kind
        if decision.notes is not None and (self.spec.interface.notes or kind == "bot"):
            memory.notes = decision.notes
        memory.past.append(
            Past(
                decision=observation.decision,
                asked=asked,
                events=observation.events,
                messages=observation.messages,
                reply=self._reminder(decision) if decision.source in ("player", "human") else None,
                played=decision.actions[:1],
                source=decision.source,
                dropped=decision.dropped,
            )
        )
        return decision

    def _reminder(self, decision: Decision) -> str:
        """An answer as its own author is reminded of it: the form it answers in, without what was dropped."""
        reply = Reply(decision.actions, decision.messages, None, decision.thoughts)
        return reply_text(reply, pledges=self.spec.pledges != "off" and bool(self.game.pledges))

    def _shown(self, seat: Seat, observation: Observation) -> tuple[str, ...]:
        key = chance_key(self.run, self.match.number, seat, observation.decision, "shown")
        return shown_order(key, observation.legal)

    def _context(self, seat: Seat) -> Context:
        return Context(
            game=self.match.game,
            seat=seat,
            seats=self.seats,
            options=self.match.options,
            persona=self.personas[seat],
            interface=self.spec.interface,
            talk=self.spec.talk,
            pledges=self.spec.pledges,
            pledge_kinds={kind: pledge.meaning for kind, pledge in self.game.pledges.items()},
        )

    def _say(self, seat: Seat, decision: Decision, *, talk: bool) -> list[MessageRecord]:
        records = []
        for index, message in enumerate(decision.messages):
            self.record.messages.append(message)
            records.append(
                MessageRecord(
                    seq=self.said,
                    ply=self.ply + 1,
                    sender=seat,
                    addressee=message.to,
                    text=message.text,
                    cut=index in decision.cut,
                    talk=talk,
                    call_id=decision.call_id,
                    pledges=tuple(
                        PledgeRecord(
                            kind=pledge.kind, addressee=pledge.to, turns=pledge.turns, condition=pledge.condition
                        )
                        for pledge in message.pledges
                    ),
                )
            )
            self.said += 1
            self.memories[seat].said += 1
        return records

    async def _play(self, seat: Seat, decision: Decision, talk: tuple[Seat, ...] | None) -> None:
        """Play a plan: action by action while it is still this seat's decision and nothing new was learnt."""
        messages = self._say(seat, decision, talk=False)
        number = self.memories[seat].decision - 1
        turns: list[TurnRecord] = []
        for index, action in enumerate(decision.actions):
            legal = self.game.legal(self.state)
            try:
                step = self.game.apply(self.state, action)
            except IllegalAction as error:
                if not turns:
                    raise
                turns[-1] = turns[-1].model_copy(update={"plan_fault": str(error)})
                break
            self.state = step.state
            self.ply += 1
            self._happened(step.events)
            turns.append(
                TurnRecord(
                    ply=self.ply,
                    seat=seat,
                    action=action,
                    source=decision.source,
                    position_hash=position_hash(self.game.dump(self.state)),
                    events=tuple(event.to_json() for event in step.events),
                    decision=number,
                    plan_index=index,
                    call_id=decision.call_id,
                    shown_index=self._shown_index(seat, action) if index == 0 else None,
                    legal_count=len(legal),
                    thoughts=decision.thoughts if index == 0 else None,
                    notes=decision.notes if index == 0 else None,
                    dropped=decision.dropped if index == 0 else (),
                    talk=talk if index == 0 else None,
                    at=datetime.now(UTC),
                )
            )
            news = any(event.kind in self.game.news and event.reaches(seat) for event in step.events)
            if self._hand_over() or news or self.game.to_act(self.state) != seat:
                break
        played = tuple(turn.action for turn in turns)
        past = self.memories[seat].past
        past[-1] = past[-1]._replace(played=played)
        await self._commit(turns, messages)

    def _shown_index(self, seat: Seat, action: str) -> int | None:
        return None if self.spec.interface.legal == "none" else self.memories[seat].shown.index(action)

    async def _commit(self, turns: list[TurnRecord], messages: list[MessageRecord]) -> None:
        done = len(self.stored.turns)
        for turn in turns:
            if turn.ply <= done:
                logged = self.stored.turns[turn.ply - 1]
                if (logged.action, logged.position_hash) != (turn.action, turn.position_hash):
                    raise LogDiffers(
                        f"ply {turn.ply} is {logged.action!r} in the log and came out as {turn.action!r} now; "
                        "the run cannot go on with this version"
                    )
        new = [turn for turn in turns if turn.ply > done]
        outcome = self.game.outcome(self.state)
        if new or outcome is not None:
            heard = [message for message in messages if message.seq >= len(self.stored.messages)]
            await self.log.turns(self.match_id, new, heard, None if outcome is None else outcome.to_json())
        for turn in new:
            self.watcher.turn(self.match, turn)

    def _forfeit(self, loser: Seat) -> Json:
        """The match ends here: the loser is last, the others share the first place."""
        winners = tuple(seat for seat in self.seats if seat != loser)
        places = {seat: len(self.seats) if seat == loser else 1 for seat in self.seats}
        return Outcome(winners, places, "forfeit").to_json()


async def _all(*decisions: Awaitable[Decision]) -> list[Decision]:
    """Wait for every one, also when one fails: what the others paid for must be stored before the failure is told."""
    results = await asyncio.gather(*decisions, return_exceptions=True)
    answered = []
    for result in results:
        if isinstance(result, BaseException):
            raise result
        answered.append(result)
    return answered
