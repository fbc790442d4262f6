"""CPU of a call through the gateway beside a bare `litellm.acompletion` with the same messages and settings.

`python -m tests.bench.gateway [CALLS]`: so many calls (default 400) each way in each of five rounds. The provider is a
process of its own, so that its CPU does not count. A round is cut into slices of 100 calls in flight together, and the
two ways take turns slice by slice, so that a busy machine slows both alike; the median of the rounds' ratios is
judged. The rows below say what a setting of the process gives: litellm alone without it beside litellm alone with it.
"""

from __future__ import annotations

import asyncio
import gc
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from harness.gateway import CallRequest, Gateway, Verdict
from harness.gateway.library import YOUNG, library
from harness.records import CallRecord, PromptMessage
from harness.spec import Tournament

ROUNDS = 5
SLICE = 100
LATENCY = 0.1
AFTERWARDS = 0.1
"""Seconds in which litellm's tasks for its own log, which it starts for each answer, are over."""
GOAL = 1.10
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"actions": {"type": "array", "items": {"type": "string", "enum": [f"play {n}" for n in range(40)]}}},
    "required": ["actions"],
    "additionalProperties": False,
}
PROMPT = (
    PromptMessage(role="system", parts=("These are the rules of the game. " * 60,)),
    PromptMessage(role="user", parts=("This happened before. " * 60, "It is your turn.")),
)
Call = Callable[[], Awaitable[object]]


@contextmanager
def provider(latency: float) -> Iterator[str]:
    """The address of a loopback provider in a process of its own that answers after so many seconds."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.providers.serve", "--latency", str(latency)],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    ) as server:
        try:
            assert server.stdout is not None
            yield server.stdout.readline().strip()
        finally:
            server.terminate()


def tournament(api_base: str, **limits: float) -> Tournament:
    """A run with one player, `x`, at that address."""
    return Tournament.model_validate(
        {
            "name": "bench",
            "games": [{"game": "so_long_sucker"}],
            "players": [{"label": "x", "model": "openai/any", "api_base": api_base, "price": "free"}],
            "limits": {"x": limits},
        }
    )


def request_of(match_id: int = 1) -> CallRequest:
    """The question that is asked through the gateway."""
    return CallRequest(
        "x", PROMPT, SCHEMA, "act", match_id, 1, "red", 0, 1, read=lambda completion: Verdict("whole", None, None)
    )


async def forget(call: CallRecord) -> int:
    """Stores nothing."""
    return 1


def settings(api_base: str) -> dict[str, Any]:
    """What litellm is called with, as the gateway calls it."""
    return {
        "model": "openai/any",
        "messages": [{"role": message.role, "content": message.text} for message in PROMPT],
        "api_base": api_base,
        "api_key": "none",
        "max_tokens": 1024,
        "timeout": 120.0,
        "num_retries": 0,
        "max_retries": 0,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "answer", "strict": True, "schema": SCHEMA},
        },
    }


async def slice_of(one: Call) -> float:
    """Seconds of CPU of so many calls at once, with what litellm puts off until after its answer."""
    cpu = time.process_time()
    await asyncio.gather(*(one() for _ in range(SLICE)))
    await asyncio.sleep(AFTERWARDS)
    return time.process_time() - cpu


async def beside(calls: int, ways: dict[str, tuple[Call, Callable[[], None]]]) -> list[dict[str, float]]:
    """Milliseconds of CPU a call by way, for each round; before each slice of a way its setting is made."""
    rounds = []
    for _ in range(ROUNDS):
        sums = dict.fromkeys(ways, 0.0)
        for number in range(max(1, calls // SLICE)):
            for name in list(ways)[:: -1 if number % 2 else 1]:
                one, prepare = ways[name]
                prepare()
                sums[name] += await slice_of(one)
        rounds.append({name: 1000 * cpu / SLICE / max(1, calls // SLICE) for name, cpu in sums.items()})
    return rounds


def row(title: str, rounds: list[dict[str, float]], goal: float | None = None) -> str:
    """Medians of the two ways and of their ratio, second by first."""
    first, second = rounds[0]
    middle = {name: statistics.median(one[name] for one in rounds) for name in rounds[0]}
    ratio = statistics.median(one[second] / one[first] for one in rounds)
    verdict = "" if goal is None else f"  goal {goal:.2f}: {'met' if ratio <= goal else 'missed'}"
    return f"{title:<36}{middle[first]:>8.2f}{middle[second]:>8.2f}{ratio:>8.3f}{verdict}"


async def measure(api_base: str, calls: int) -> None:
    """Prints the table."""
    gateway = Gateway(
        tournament(api_base, concurrent=SLICE), run_id=1, record=forget, spent={}, locals=None, stop=asyncio.Event()
    )
    kwargs, priced = settings(api_base), settings(api_base) | {"model": "openai/priced"}

    async def asked() -> object:
        return await gateway.complete(request_of())

    async def bare() -> object:
        return await library().acompletion(**kwargs)

    async def known() -> object:
        return await library().acompletion(**priced)

    for one in (asked, bare):
        await slice_of(one)
    print(f"{'CPU a call, ms':<36}{'without':>8}{'with':>8}{'ratio':>8}")
    nothing = lambda: None  # noqa: E731
    rounds = await beside(calls, {"litellm": (bare, nothing), "gateway": (asked, nothing)})
    print(row("the gateway around litellm", rounds, GOAL), flush=True)
    rounds = await beside(calls, {"thawed": (bare, gc.unfreeze), "frozen": (bare, gc.freeze)})
    print(row("the import frozen out of the collector", rounds), flush=True)
    rounds = await beside(
        calls, {"often": (bare, partial(gc.set_threshold, 700)), "seldom": (bare, partial(gc.set_threshold, YOUNG))}
    )
    gc.set_threshold(YOUNG)
    print(row("the youngest looked at more seldom", rounds), flush=True)
    price = {"input_cost_per_token": 1e-6, "output_cost_per_token": 1e-6}
    library().register_model({"openai/priced": {**price, "litellm_provider": "openai", "mode": "chat"}})
    await slice_of(known)
    rounds = await beside(calls, {"unknown": (bare, nothing), "known": (known, nothing)})
    print(row("a price in litellm's table (not used)", rounds), flush=True)
    await gateway.close()


def main() -> None:
    """Starts the provider, measures, prints the table."""
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    print(f"medians of {ROUNDS} rounds of {calls} calls each way, {SLICE} in flight, answered after {LATENCY} s")
    with provider(LATENCY) as address:
        asyncio.run(measure(address, calls))


if __name__ == "__main__":
    main()
