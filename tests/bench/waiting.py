"""What a run loses that only waits: for calls of one second, and for a limit on requests a minute.

`python -m tests.bench.waiting`. The provider is a process of its own.

- *in flight*: 200 matches at once of ten calls of one second each, 100 of them in flight at most, so that 20 s of wall
  are ideal. A bare `litellm.acompletion` loop with the same messages and settings runs beside it.
- *waiting*: questions come evenly, twice as many as a limit allows, and no model is asked: the processor time of the
  line alone, and how many pass in the fullest second.
- *paced*: the same through litellm: how much of the allowed rate is used, and how many were served out of turn.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import time
from collections.abc import Awaitable, Callable
from itertools import pairwise
from typing import NamedTuple

from harness.gateway import Gateway
from harness.gateway.library import library
from harness.gateway.limits import Gates
from harness.gateway.retry import Patience
from harness.records import CallRecord
from tests.bench.gateway import forget, provider, request_of, settings, tournament

MATCHES, CALLS, SECONDS, IN_FLIGHT = 200, 10, 1.0, 100
IDEAL = MATCHES * CALLS * SECONDS / IN_FLIGHT
LONG_ROUNDS, ROUNDS = 3, 5
RPM = 1200
A_SECOND = RPM // 60
WINDOW = 8.0
"""Seconds of a round of the rows with a limit."""
WITHIN = 0.98
"""Seconds that are taken for one, for what may lie between the limit's looking at the clock and ours."""


class Took(NamedTuple):
    """Seconds of wall and of CPU."""

    wall: float
    cpu: float


async def played(one: Callable[[], Awaitable[object]]) -> Took:
    """All matches at once, each asking its calls one after another."""

    async def match() -> None:
        for _ in range(CALLS):
            await one()

    wall, cpu = time.perf_counter(), time.process_time()
    await asyncio.gather(*(match() for _ in range(MATCHES)))
    return Took(time.perf_counter() - wall, time.process_time() - cpu)


async def in_flight(api_base: str) -> None:
    """Prints the rows of the calls in flight."""
    gateway = Gateway(tournament(api_base, concurrent=IN_FLIGHT), run_id=1, record=forget, spent={}, locals=None)
    kwargs, gate = settings(api_base), asyncio.Semaphore(IN_FLIGHT)

    async def bare() -> object:
        async with gate:
            return await library().acompletion(**kwargs)

    async def asked() -> object:
        return await gateway.complete(request_of())

    await asyncio.gather(asked(), bare())
    ours, theirs = [], []
    for _ in range(LONG_ROUNDS):
        ours.append(await played(asked))
        theirs.append(await played(bare))
    await gateway.close()
    number = MATCHES * CALLS
    middle, beside = statistics.median(one.wall for one in ours), statistics.median(one.wall for one in theirs)
    line("wall through the gateway, s", middle, IDEAL, middle / IDEAL, most=1.10, rounds=LONG_ROUNDS)
    line("wall of litellm alone, s", beside, IDEAL, beside / IDEAL, rounds=LONG_ROUNDS)
    ratio = statistics.median(one.cpu / other.cpu for one, other in zip(ours, theirs, strict=True))
    cpu, other = (1000 * statistics.median(one.cpu for one in rounds) / number for rounds in (ours, theirs))
    line("CPU a call, ms, beside litellm alone", cpu, other, ratio, most=1.10, rounds=LONG_ROUNDS)


async def evenly(seconds: float, ask: Callable[[int], Awaitable[object]]) -> None:
    """Asks twice as often as is allowed for so long, then no more."""
    tasks: list[asyncio.Task[None]] = []
    began = time.monotonic()
    while time.monotonic() - began < seconds:
        due = int((time.monotonic() - began) * 2 * A_SECOND) + 1
        tasks += [asyncio.create_task(_quietly(ask, number)) for number in range(len(tasks), due)]
        await asyncio.sleep(0.5 / A_SECOND)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks)


async def _quietly(ask: Callable[[int], Awaitable[object]], number: int) -> None:
    try:
        await ask(number)
    except asyncio.CancelledError:
        return


async def paced(api_base: str) -> None:
    """Prints the rows of a limit that is half of what is asked."""
    first = Gateway(tournament(api_base), run_id=1, record=forget, spent={}, locals=None)
    await first.complete(request_of())
    shares, turned = [], 0
    for _ in range(ROUNDS):
        calls: list[CallRecord] = []

        async def record(call: CallRecord, calls: list[CallRecord] = calls) -> int:
            calls.append(call)
            return len(calls)

        gateway = Gateway(
            tournament(api_base, rpm=RPM, concurrent=IN_FLIGHT), run_id=1, record=record, spent={}, locals=None
        )
        await evenly(WINDOW, lambda number, gateway=gateway: gateway.complete(request_of(number)))  # type: ignore[misc]
        await gateway.close()
        calls.sort(key=lambda call: call.started_at)
        numbers = [call.match_id or 0 for call in calls]
        at = [call.started_at.timestamp() for call in calls]
        last = (len(at) - 1) // A_SECOND * A_SECOND
        shares.append(last / (at[last] - at[0]) / A_SECOND)
        turned += sum(earlier > later for earlier, later in pairwise(numbers))
    await first.close()
    share = statistics.median(shares)
    line("share of the allowed rate that is used", share, 1.0, share, least=0.97)
    line("requests served out of turn", turned, 0, float(turned), most=0.0)


async def waiting() -> None:
    """Prints what the line costs that waits for the limit."""
    costs, fullest = [], 0
    spec = tournament("http://127.0.0.1:9/v1", rpm=RPM, concurrent=IN_FLIGHT)
    for _ in range(ROUNDS):
        at: list[float] = []
        gates = Gates(spec, time.monotonic, asyncio.sleep, Patience())

        async def ask(number: int, gates: Gates = gates, at: list[float] = at) -> None:
            share = await gates.take(spec.players[0], 100)
            at.append(time.monotonic())
            share.close()

        wall, cpu = time.perf_counter(), time.process_time()
        await evenly(WINDOW, ask)
        costs.append((time.process_time() - cpu) / (time.perf_counter() - wall))
        fullest = max(fullest, max(sum(start <= moment < start + WITHIN for moment in at) for start in at))
    cost = statistics.median(costs)
    line("CPU of the line alone, of a core", cost, 1.0, cost, most=0.02)
    line("requests that pass in the fullest second", fullest, A_SECOND, fullest / A_SECOND, most=1.0)


def line(
    title: str,
    ours: float,
    beside: float,
    ratio: float,
    *,
    most: float | None = None,
    least: float | None = None,
    rounds: int = ROUNDS,
) -> None:
    """Prints one row."""
    goal = "" if most is None else f"at most {most:g}: {'met' if ratio <= most else 'missed'}"
    goal = goal if least is None else f"at least {least:g}: {'met' if ratio >= least else 'missed'}"
    print(f"{title:<42}{ours:>9.3f}{beside:>9.3f}{ratio:>8.3f}{rounds:>8}  {goal}", flush=True)


def main() -> None:
    """Starts the providers, measures, prints the table."""
    print(f"{MATCHES} matches of {CALLS} calls of {SECONDS:g} s, {IN_FLIGHT} in flight; a limit of {RPM} a minute")
    # Wall time means little on a machine that others keep busy.
    print(f"load at the start: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    print(f"{'':<42}{'median':>9}{'beside':>9}{'ratio':>8}{'rounds':>8}  goal")
    asyncio.run(waiting())
    with provider(0.05) as address:
        asyncio.run(paced(address))
    with provider(SECONDS) as address:
        asyncio.run(in_flight(address))


if __name__ == "__main__":
    main()
