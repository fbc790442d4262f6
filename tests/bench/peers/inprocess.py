"""A model inside the process, and whole runs of Parley with it: `python -m tests.bench.peers.inprocess MATCHES`.

The model stands where the gateway stands, so that all of the loop but the way to a provider is measured: prompts are
rendered, replies read, actions checked, calls, turns, events and messages made durable by the store.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import tempfile
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest import mock
from zlib import crc32

from harness import models
from harness.gateway import CallRequest, Paused, Verdict
from harness.records import CallRecord, MatchRecord, TurnRecord
from harness.reply import Completion
from harness.spec import parse
from harness.store import Store
from harness.tournament import run

THOUGHTS = "Nobody can be trusted for long, but a promise that costs little now may still bring a chip back to me."
WORDS = "Give me the move when you can, and your colour stays off my list for the next two turns."
FILE = """
seed: 7
matches: {matches}
parallel: {matches}
games: [{{game: so_long_sucker}}]
players:
  - {{label: north, model: openai/inside, api_base: "http://127.0.0.1:9/v1", price: free}}
  - {{label: east, model: openai/inside, api_base: "http://127.0.0.1:9/v1", price: free}}
  - {{label: south, model: openai/inside, api_base: "http://127.0.0.1:9/v1", price: free}}
  - {{label: west, model: openai/inside, api_base: "http://127.0.0.1:9/v1", price: free}}
talk: {{round: 0}}
"""
"""A tournament with talk on replies; all else is as it is where a file says nothing."""


BODY = (
    '{"id":"chatcmpl-%d-%d","object":"chat.completion","model":"%s","choices":[{"index":0,"message":'
    '{"role":"assistant","content":%s},"finish_reason":"stop"}],"usage":{"prompt_tokens":%d,"completion_tokens":%d}}'
)
ANSWER = '{"thoughts": "%s", "actions": ["%s"], "messages": [%s], "notes": null}'
MESSAGE = f'{{"to": "all", "text": "{WORDS}", "pledges": []}}'


class InProcess:
    """Answers at once, or after `delay` seconds: one of the legal actions, and words on every second reply.

    Takes the place of `harness.gateway.Gateway`. After `calls` calls a match is paused; None: it is played to its end.
    """

    delay = 0.0
    calls: int | None = None

    def __init__(self, spec: Any, *, run_id: int | None, record: Callable[[CallRecord], Awaitable[int]], **_: Any):
        self._spec = spec
        self._run_id = run_id
        self._record = record

    async def probe(self, label: str, schema: Any) -> None:
        """Any schema will do."""

    async def close(self) -> None:
        """Nothing is held."""

    async def complete(self, request: CallRequest) -> CallRecord:
        """An answer, read and stored as the gateway does it."""
        if self.calls is not None and request.ply > self.calls:
            raise Paused("budget", "enough")
        started, clock = datetime.now(UTC), time.perf_counter()
        if self.delay:
            await asyncio.sleep(self.delay)
        player = self._spec.player(request.label)
        content = _answer(request)
        usage = {"prompt_tokens": 250 * len(request.prompt), "completion_tokens": len(content) // 4}
        response = BODY % (request.match_id or 0, request.ply, player.model, json.dumps(content), *usage.values())
        completion = Completion(content, None, None, "stop")
        verdict: Verdict = request.read(completion)
        call = CallRecord(
            run_id=self._run_id,
            match_id=request.match_id,
            ply=request.ply,
            seat=request.seat,
            decision=request.decision,
            kind=request.kind,
            attempt=request.attempt,
            label=request.label,
            model=player.model,
            prompt=request.prompt,
            answer_schema=request.schema,
            asked={"temperature": 0.8, "max_tokens": 1024, "response_format": "json_schema"},
            sent={"temperature": 0.8, "max_tokens": 1024, "response_format": "answer_schema"},
            served={"model": player.model},
            content=content,
            finish_reason="stop",
            response=response,
            read_by=verdict.read_by,
            error_kind=verdict.error_kind,
            error=verdict.error,
            http_status=200,
            cached_tokens=0,
            reasoning_tokens=0,
            cost=0.0,
            priced_by="free",
            latency_ms=round((time.perf_counter() - clock) * 1000, 3),
            started_at=started,
            flags=request.flags,
            **usage,
        )
        number = await self._record(call)
        return call.model_copy(update={"id": number})


def _answer(request: CallRequest) -> str:
    chance = crc32(f"{request.match_id}:{request.ply}:{request.seat}".encode())
    legal = request.schema["properties"]["actions"]["items"]["enum"] if request.schema else []
    action = legal[(chance >> 1) % len(legal)]
    return ANSWER % (THOUGHTS, action, MESSAGE if chance & 1 else "")


class Counting:
    """A progress that counts turns."""

    turns = 0

    def started(self, run: str, total: int, done: int) -> None: ...

    def match_started(self, match: MatchRecord) -> None: ...

    def match_ended(self, match: MatchRecord, status: str, why: str | None) -> None: ...

    def call(self, record: CallRecord) -> None: ...

    def turn(self, match: MatchRecord, turn: TurnRecord) -> None:
        self.turns += 1

    def note(self, line: str) -> None: ...


def play(matches: int, folder: Path, *, delay: float = 0.0, calls: int | None = None) -> dict[str, float]:
    """Play so many matches of the game at once, and say what it took: seconds, bytes and decisions."""
    database = folder / "parley.db"
    spec = parse(FILE.format(matches=matches), "loop.yaml")
    progress = Counting()
    model = type("Model", (InProcess,), {"delay": delay, "calls": calls})
    Store.open(database).close()
    wall, cpu = time.perf_counter(), time.process_time()
    with mock.patch.object(models, "Gateway", model), Store.open(database) as store:
        asyncio.run(run(spec, store, progress=progress))
    took = {"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall}
    return took | {"decisions": progress.turns, "bytes": database.stat().st_size}


def script(folder: Path) -> dict[str, Any]:
    """What was said in a run: of its longest match each call's seat and messages, and how many turns each took."""
    with Store.open_readonly(folder / "parley.db") as store:
        lengths = {match.id or 0: match.plies for match in store.matches(1)}
        calls = store.calls(max(lengths, key=lambda number: lengths[number]), prompts=True)
    said = [
        {
            "seat": call.seat,
            "system": call.prompt[0].text,
            "news": call.prompt[-1].parts[0],
            "present": call.prompt[-1].text,
            "answer": call.content,
        }
        for call in calls
    ]
    return {"lengths": list(lengths.values()), "calls": said}


def text(folder: Path) -> float:
    """The mean length of what is written down of a decision: its turn and messages, its call and what is new in its
    prompt, all as JSON."""
    size = decisions = 0
    with Store.open_readonly(folder / "parley.db") as store:
        for match in store.matches(1)[:10]:
            number = match.id or 0
            calls = [call.model_copy(update={"prompt": call.prompt[-1:]}) for call in store.calls(number, prompts=True)]
            records = [*calls, *store.turns(number), *store.messages(number)]
            size += sum(len(record.model_dump_json(exclude_defaults=True)) for record in records)
            decisions += match.plies
    return size / decisions


def main() -> None:
    """Play, and print one JSON object; with `--script` also keep what was said."""
    options = argparse.ArgumentParser()
    options.add_argument("matches", type=int)
    options.add_argument("--delay", type=float, default=0.0)
    options.add_argument("--calls", type=int)
    options.add_argument("--script", type=Path)
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        figures = play(given.matches, folder, delay=given.delay, calls=given.calls)
        figures["memory"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        if given.script is not None:
            figures["text"] = text(folder)
            given.script.write_text(json.dumps(script(folder)))
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
