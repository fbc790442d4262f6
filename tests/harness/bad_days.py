"""A run whose provider does as it is told, and what holds of every run however bad its day was."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

from harness.records import OWN, CallRecord
from harness.spec import SpecError, Tournament, parse
from harness.store import Store
from harness.tournament import RunResult, run
from harness.verify import verify
from tests.harness.watching import Watching
from tests.providers import (
    Answer,
    Behaviour,
    Drop,
    Fail,
    Hang,
    Loopback,
    Raw,
    Seen,
    content_policy,
    legal,
    quota_spent,
    rate_limited,
    status,
)

ROOT = Path(__file__).parents[2]
MEGABYTE = "x" * 1_000_000
CONTEXT = Fail(400, "This model's maximum context length is 10 tokens", "context_length_exceeded")
WAYS: dict[str, list[Behaviour]] = {
    "rate_limit": [rate_limited(), rate_limited("1"), rate_limited(milliseconds="300")],
    "quota": [quota_spent()],
    "timeout": [Hang(), status(408)],
    "server": [status(500), status(502), status(503), status(529), Raw(b"<html>busy</html>"), Raw(b'{"choices": [')],
    "connection": [Drop("before"), Drop("middle")],
    "auth": [status(401)],
    "unknown_model": [status(404)],
    "context": [CONTEXT],
    "content_filter": [content_policy(), Answer("", finish="content_filter")],
    "refusal": [Answer(None, refusal="I will not betray anyone.")],
    "empty": [Answer(""), Answer(choices=False)],
    "truncated": [Answer('{"thoughts": "so', finish="length")],
    "unreadable": [Answer("I think about it."), Answer(MEGABYTE)],
    "illegal": [Answer('{"actions": ["fly to the moon"]}')],
}
"""Every way to fail that is told apart."""


PARTS = """
name: bad
matches: 4
talk: off
seating: fixed
games:
  - {game: twenty_one, seats: 2, players: [ann, bot]}
  - {game: twenty_one, seats: 2, players: [bob, bot]}
players:
"""
"""Two games of two seats: one for ann, one for bob, each against a bot. The players are to be added."""


def spec(loopback: Loopback, text: str = "", *, models: int = 2, price: str = "free", chips: int = 1) -> Tournament:
    """Models behind the loopback provider against bots, four at a table."""
    return parse(file(loopback.api_base, text, models=models, price=price, chips=chips), "bad.yaml")


def file(api_base: str, text: str = "", *, models: int = 2, price: str = "free", chips: int = 1) -> str:
    model = f"model: openai/any, api_base: {api_base}, price: {price}, params: {{max_tokens: 200}}"
    seats = [f"  - {{label: m{n}, {model}}}" for n in range(models)]
    seats += [f"  - {{label: b{n}, bot: random}}" for n in range(4 - models)]
    head = f"name: bad\ngames: [{{game: so_long_sucker, options: {{chips: {chips}}}}}]\nplayers:\n"
    return head + "\n".join(seats) + "\n" + text


async def go(tournament: Tournament, store: Store) -> tuple[RunResult, Watching]:
    progress = Watching()
    return await run(tournament, store, progress=progress), progress


async def kept_from(tournament: Tournament, store: Store) -> str:
    """Why a run does not end, be it refused or paused."""
    try:
        result, _ = await go(tournament, store)
    except SpecError as refused:
        return str(refused)
    return result.why or ""


def calls_of(store: Store) -> list[CallRecord]:
    return [call for match in store.matches(1) for call in store.calls(match.id or 0)]


def sound(store: Store) -> None:
    """Every match stands as it may, comes out again as it was logged, and has each turn once."""
    for match in store.matches(1, with_start=True):
        assert match.status in ("finished", "paused", "queued", "void"), match
        assert match.status != "paused" or match.why
        turns = store.turns(match.id or 0)
        assert [turn.ply for turn in turns] == list(range(1, len(turns) + 1))
        if match.start is not None:
            assert verify(match, turns) is None


def blameless(store: Store, retries: int) -> None:
    """Whoever forfeited or was stood in for had as many answers of its own that could not be used."""
    for match in store.matches(1):
        own: dict[tuple[str, int], int] = defaultdict(int)
        for call in store.calls(match.id or 0):
            own[call.seat, call.decision] += call.error_kind in OWN
        for turn in store.turns(match.id or 0):
            if turn.source == "fallback":
                assert own[turn.seat, turn.decision] == retries + 1
        if match.outcome is not None and match.outcome["reason"] == "forfeit":
            assert max(own.values()) == retries + 1


class At:
    """A handler that does as `usual` does until `fails` says otherwise of the number of a request and the time."""

    def __init__(self, fails: Callable[[int, float], Behaviour | None]) -> None:
        self.fails = fails
        self.usual = legal("hash")
        self.count = 0
        self.began = time.monotonic()
        self.lock = threading.Lock()

    def __call__(self, seen: Seen) -> Behaviour:
        with self.lock:
            self.count += 1
            return self.fails(self.count, time.monotonic() - self.began) or self.usual(seen)


def parley(*args: str, cwd: Path) -> subprocess.Popen[str]:
    """The command as a process of its own."""
    return subprocess.Popen(
        [str(Path(sys.executable).with_name("parley")), *args],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


async def ended(process: subprocess.Popen[str], seconds: float = 120.0) -> tuple[int, str]:
    out, err = await asyncio.to_thread(process.communicate, timeout=seconds)
    return process.returncode, out + err
