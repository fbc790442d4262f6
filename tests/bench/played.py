"""Matches of talking models, played by the real loop with a model inside the process: what a store has to keep.

The model answers at once, in words drawn by chance from those of a small vocabulary, as often as people use them, with
one of the actions that it is offered. No two answers are alike, and the same matches come out of the same seed.
"""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Sequence
from concurrent.futures import Future
from datetime import UTC, datetime
from typing import Any, NamedTuple

from harness.gateway import CallRequest
from harness.match import Stopped, Table
from harness.players.model import ModelPlayer
from harness.records import CallRecord, Json, MatchRecord, MessageRecord, TurnRecord
from harness.reply import Completion
from harness.schedule import schedule
from harness.spec import Tournament
from harness.store import Store

MODEL = "openai/gpt-test-mini"
_VOCABULARY = (
    "the you I to a my pile is and chips me of in on if your we with not it next for red blue will turn green yellow "
    "play so that this have can move he be at now us but are them before capture hold down wait first one new another "
    "trust last two they him all still donate spare keep both leave take prisoner best has colour gets mine table kill "
    "nobody alone because then after promise safe same dead need only bottom deal together free until start stay out "
    "lead who want cover left threat agree honest giving killed side what against sure three owe top strong weak help "
    "seat offer beat again buried chance early remember over nothing later risk eliminated pass when long order twice "
    "fair friend attack rescue cheap soon believe"
)
"""Some of the words in which the game is talked about, the commonest first."""
WORDS = _VOCABULARY.split()
WEIGHTS = [1 / (rank + 3) for rank in range(len(WORDS))]


class Played(NamedTuple):
    """One write of a match, as it was asked of the store: a call, or turns with what was said and the outcome."""

    match_id: int
    ply: int
    call: CallRecord | None
    turns: Sequence[TurnRecord] = ()
    messages: Sequence[MessageRecord] = ()
    outcome: Json | None = None


def spec_of(name: str, *, matches: int, history: str) -> Tournament:
    """The tournament: four models, seven chips, talk on."""
    return Tournament.model_validate(
        {
            "name": name,
            "seed": 7,
            "matches": matches,
            "parallel": matches,
            "games": [{"game": "so_long_sucker", "options": {"chips": 7}, "seats": 4}],
            "players": [{"label": f"p{number}", "model": MODEL, "price": "free"} for number in range(4)],
            "interface": {"history": history},
        }
    )


def _words(chance: random.Random, least: int, most: int) -> str:
    said = " ".join(chance.choices(WORDS, WEIGHTS, k=chance.randint(least, most)))
    return f"{said[0].upper()}{said[1:]}."


def answer(request: CallRequest, chance: random.Random) -> str:
    """What the model says: thoughts, an action, now and then a message with or without a pledge, and notes."""
    if request.schema is None:
        raise ValueError("a question of a match has a schema")
    wanted = request.schema["properties"]
    said: Json = {}
    if "thoughts" in wanted:
        said["thoughts"] = _words(chance, 12, 40)
    if "actions" in wanted:
        said["actions"] = [chance.choice(wanted["actions"]["items"]["enum"])]
    if "messages" in wanted and chance.random() < (0.4 if "actions" in wanted else 0.8):
        kinds = wanted["messages"]["items"]["properties"]
        message: Json = {"to": chance.choice(kinds["to"]["enum"]), "text": _words(chance, 6, 20), "pledges": []}
        if "pledges" in kinds and chance.random() < 0.25:
            to = kinds["pledges"]["items"]["properties"]
            kind, whom = chance.choice(to["kind"]["enum"]), chance.choice(to["to"]["enum"])
            message["pledges"].append({"kind": kind, "to": whom, "turns": chance.randint(2, 8), "if": None})
        said["messages"] = [message]
    elif "messages" in wanted:
        said["messages"] = []
    if "notes" in wanted:
        said["notes"] = _words(chance, 8, 16) if chance.random() < 0.2 else None
    return json.dumps(said, ensure_ascii=False)


def body_of(content: str, chance: random.Random, used: Json) -> str:
    """A response as an OpenAI-like server gives it."""
    return json.dumps(
        {
            "id": f"chatcmpl-{chance.getrandbits(116):029x}",
            "object": "chat.completion",
            "created": 1780000000 + chance.randrange(10_000),
            "model": "gpt-test-mini-2026-05-01",
            "choices": [
                {
                    "index": 0,
                    "message": {"role": "assistant", "content": content, "refusal": None, "annotations": []},
                    "logprobs": None,
                    "finish_reason": "stop",
                }
            ],
            "usage": used,
            "service_tier": "default",
            "system_fingerprint": "fp_44709d6fcb",
        }
    )


class InProcess:
    """Stands where a gateway stands: answers by itself, stores each call as a gateway does, and keeps a copy.

    With `bodies` each call has a response body, as those that went over a wire do.
    """

    def __init__(self, store: Store, run_id: int, written: list[Played], *, bodies: bool, calls: int | None) -> None:
        self._store = store
        self._run_id = run_id
        self._written = written
        self._bodies = bodies
        self._left = calls

    async def complete(self, request: CallRequest) -> CallRecord:
        """One question, one stored call."""
        if self._left is not None:
            if self._left == 0:
                raise Stopped
            self._left -= 1
        chance = random.Random(f"{request.match_id}:{request.seat}:{request.decision}:{request.attempt}")
        content = answer(request, chance)
        read = request.read(Completion(content, None, None, "stop"))
        tokens = sum(len(message.text) for message in request.prompt) // 4
        cached = tokens * chance.randrange(60, 95) // 100
        used: Json = {"prompt_tokens": tokens, "completion_tokens": len(content) // 4, "total_tokens": tokens}
        used |= {"prompt_tokens_details": {"cached_tokens": cached}}
        body = body_of(content, chance, used) if self._bodies else None
        served = {"model": "gpt-test-mini-2026-05-01", "fingerprint": "fp_44709d6fcb"}
        call = CallRecord(
            run_id=self._run_id,
            match_id=request.match_id,
            ply=request.ply,
            seat=request.seat,
            decision=request.decision,
            kind=request.kind,
            attempt=request.attempt,
            label=request.label,
            model=MODEL,
            prompt=request.prompt,
            answer_schema=request.schema,
            asked={"max_tokens": 1024, "response_format": "schema"},
            sent={"model": "gpt-test-mini", "max_tokens": 1024, "response_format": "schema"},
            served={**served, "id": json.loads(body)["id"]} if body is not None else {},
            content=content,
            finish_reason="stop",
            response=body,
            read_by=read.read_by,
            error_kind=read.error_kind,
            error=read.error,
            http_status=None if body is None else 200,
            prompt_tokens=tokens,
            cached_tokens=cached,
            completion_tokens=used["completion_tokens"],
            cost=0.0,
            priced_by="free",
            latency_ms=round(chance.uniform(400, 4000), 3),
            started_at=datetime.now(UTC),
            flags=request.flags,
        )
        self._written.append(Played(request.match_id or 0, request.ply, call))
        number = await self._store.add_call(call)
        return call.model_copy(update={"id": number})


class _Log:
    """The log of a match in the store, and a copy."""

    def __init__(self, store: Store, written: list[Played]) -> None:
        self._store = store
        self._written = written

    async def start(self, match_id: int, start: Json, events: Sequence[Json], start_hash: str) -> None:
        versions = {"rules": "1"}
        done = self._store.start_match(
            match_id, start=start, start_events=events, start_hash=start_hash, versions=versions
        )
        await done

    async def turns(
        self, match_id: int, turns: Sequence[TurnRecord], messages: Sequence[MessageRecord], outcome: Json | None
    ) -> None:
        self._written.append(Played(match_id, turns[-1].ply, None, turns, messages, outcome))
        await self._store.add_turns(match_id, turns, messages, outcome=outcome)

    async def messages(self, match_id: int, messages: Sequence[MessageRecord]) -> None:
        self._written.append(Played(match_id, messages[0].ply, None, (), messages))
        await self._store.add_messages(match_id, messages)


class _Nobody:
    def turn(self, match: MatchRecord, turn: TurnRecord) -> None:
        pass


async def play(store: Store, spec: Tournament, *, bodies: bool, calls: int | None = None) -> list[Played]:
    """Play every match of a new run at once, to its end or until so many calls were made in all.

    Gives all that was written, in order.
    """
    run_id, matches = new_run(store, spec)
    written: list[Played] = []
    gateway: Any = InProcess(store, run_id, written, bodies=bodies, calls=calls)
    players = {player.label: ModelPlayer(player.label, gateway, bounded=False) for player in spec.players}
    log, stop = _Log(store, written), asyncio.Event()
    tables = [
        Table(
            match=match,
            spec=spec,
            run=spec.name,
            players={seat.seat: players[seat.label] for seat in match.seats},
            log=log,
            watcher=_Nobody(),
            stop=stop,
        )
        for match in matches
    ]
    for ended in await asyncio.gather(*(table.play() for table in tables), return_exceptions=True):
        if isinstance(ended, BaseException) and not isinstance(ended, Stopped):
            raise ended
    return written


def waves(written: Sequence[Played]) -> list[list[Played]]:
    """The writes in order, in lists in which no match is twice: what waits at once when all play at once."""
    found: list[list[Played]] = [[]]
    there: set[int] = set()
    for one in written:
        if one.match_id in there:
            found.append([])
            there.clear()
        found[-1].append(one)
        there.add(one.match_id)
    return found


async def write(store: Store, written: Sequence[Played]) -> None:
    """Write again what was written, as matches at once do: each waits until its write is durable."""
    for wave in waves(written):
        await asyncio.gather(*(submit(store, one) for one in wave))


def submit(store: Store, one: Played) -> Future[Any]:
    """Ask the store for one write."""
    if one.call is not None:
        return store.add_call(one.call)
    if one.turns:
        return store.add_turns(one.match_id, one.turns, one.messages, outcome=one.outcome)
    return store.add_messages(one.match_id, one.messages)


def new_run(store: Store, spec: Tournament) -> tuple[int, list[MatchRecord]]:
    """A run with its matches, none of them begun."""
    from tests.harness.store.samples import run_of

    run_id = store.create_run(run_of(spec.name, spec=spec.to_json()), schedule(spec)).result()
    return run_id, store.matches(run_id)
