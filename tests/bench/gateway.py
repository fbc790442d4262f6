"""CPU and wall time of a call through the gateway beside a bare `litellm.acompletion` with the same messages and
settings.

`python -m tests.bench.gateway [calls] [in flight] [latency]`. The provider is a process of its own, so that its
CPU does
not count. Rounds of both alternate; medians of five are printed, and their ratio.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

from harness.gateway import CallRequest, Gateway, Verdict
from harness.gateway.library import library
from harness.records import CallRecord, PromptMessage
from harness.spec import Tournament

ROUNDS = 5
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


async def _many(calls: int, in_flight: int, one: Callable[[], Awaitable[object]]) -> tuple[float, float]:
    """Seconds of wall and of CPU."""
    gate = asyncio.Semaphore(in_flight)

    async def held() -> None:
        async with gate:
            await one()

    wall, cpu = time.perf_counter(), time.process_time()
    await asyncio.gather(*(held() for _ in range(calls)))
    return time.perf_counter() - wall, time.process_time() - cpu


async def measure(api_base: str, calls: int, in_flight: int) -> dict[str, dict[str, float]]:
    """Medians by way of calling."""
    spec = Tournament.model_validate(
        {
            "name": "bench",
            "games": [{"game": "so_long_sucker"}],
            "players": [{"label": "x", "model": "openai/any", "api_base": api_base, "price": "free"}],
            "limits": {"x": {"concurrent": in_flight}},
        }
    )

    async def record(call: CallRecord) -> int:
        return 1

    gateway = Gateway(spec, run_id=1, record=record, spent={}, locals=None)
    request = CallRequest(
        "x", PROMPT, SCHEMA, "act", 1, 1, "red", 0, 1, read=lambda completion: Verdict("whole", None, None)
    )
    kwargs = {
        "model": "openai/any",
        "messages": [{"role": message.role, "content": message.text} for message in PROMPT],
        "api_base": api_base,
        "api_key": "none",
        "max_tokens": 1024,
        "timeout": 120,
        "num_retries": 0,
        "max_retries": 0,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "answer", "strict": True, "schema": SCHEMA},
        },
    }
    ways: dict[str, Callable[[], Awaitable[object]]] = {
        "gateway": lambda: gateway.complete(request),
        "litellm": lambda: library().acompletion(**kwargs),
    }
    await gateway.complete(request)
    await ways["litellm"]()
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
    for _ in range(ROUNDS):
        for name, one in ways.items():
            found[name].append(await _many(calls, in_flight, one))
    await gateway.close()
    return {
        name: {
            "wall_s": round(statistics.median(wall for wall, _ in rounds), 3),
            "cpu_ms_a_call": round(1000 * statistics.median(cpu for _, cpu in rounds) / calls, 3),
        }
        for name, rounds in found.items()
    }


def main() -> None:
    """Starts the provider, measures, prints one JSON object."""
    calls, in_flight, latency = (*map(float, sys.argv[1:4]), 200.0, 100.0, 0.2)[:3]
    with subprocess.Popen(
        [sys.executable, "-m", "tests.providers.serve", "--latency", str(latency)],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    ) as server:
        try:
            assert server.stdout is not None
            address = server.stdout.readline().strip()
            result: dict[str, Any] = dict(asyncio.run(measure(address, int(calls), int(in_flight))))
        finally:
            server.terminate()
    result["ratio_cpu"] = round(result["gateway"]["cpu_ms_a_call"] / result["litellm"]["cpu_ms_a_call"], 3)
    result["ratio_wall"] = round(result["gateway"]["wall_s"] / result["litellm"]["wall_s"], 3)
    result |= {"calls": int(calls), "in_flight": int(in_flight), "latency_s": latency}
    print(json.dumps(result))


if __name__ == "__main__":
    main()
