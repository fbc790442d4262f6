"""Who may send when."""

from __future__ import annotations

import asyncio
import time
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.gateway import Paused, check_limits
from harness.gateway.limits import Paced, TokenMinute, find, timeout_of
from harness.records import PromptMessage
from tests.harness.gateway.conftest import PROMPT, Bench, Clock, ask
from tests.providers import Answer, Hang, Loopback, legal


async def test_requests_come_evenly_and_never_too_many(bench: Bench) -> None:
    gateway = bench.gateway(real_time=True, limits={"house": {"rpm": 600, "concurrent": 50}})
    await gateway.probe("house", None)
    began = time.monotonic()
    await asyncio.gather(*(gateway.complete(ask(match_id=n)) for n in range(25)))
    assert time.monotonic() - began > 1.9, "however quick the machine is"


async def test_no_window_holds_more_requests_than_allowed() -> None:
    pace = Paced(1200)
    times: list[float] = []

    async def one() -> None:
        await pace.take()
        times.append(time.monotonic())

    await asyncio.gather(*(one() for _ in range(41)))
    assert all(later - earlier >= 0.999 for earlier, later in zip(times, times[20:], strict=False))
    assert times == sorted(times)


async def test_first_come_first_served(bench: Bench) -> None:
    gateway = bench.gateway(bench.player("a"), bench.player("b"), real_time=True, limits={"openai": {"rpm": 1200}})
    await gateway.probe("a", None)
    order: list[int] = []

    async def one(number: int) -> None:
        await gateway.complete(ask("ab"[number % 2], match_id=number))

    await asyncio.gather(*(one(number) for number in range(16)))
    order = [
        call.match_id for call in sorted(bench.calls[1:], key=lambda call: call.started_at) if call.match_id is not None
    ]
    assert order == sorted(order)


async def test_calls_at_once_are_shared_by_a_provider(bench: Bench) -> None:
    bench.loopback.always(Hang(Answer('{"actions": []}')))
    gateway = bench.gateway(bench.player("a"), bench.player("b"), limits={"openai": {"concurrent": 3}})
    tasks = [asyncio.create_task(gateway.complete(ask("ab"[n % 2], match_id=n))) for n in range(9)]
    await bench.loopback.arrived(3)
    with Loopback() as free:
        # While one is asked and answered elsewhere, a fourth here would have arrived too.
        other = bench.gateway({**bench.player("c"), "api_base": free.api_base})
        await asyncio.gather(*(other.complete(ask("c", match_id=n)) for n in range(3)))
    assert bench.loopback.in_flight == 3
    bench.loopback.release()
    await asyncio.gather(*tasks)
    assert bench.loopback.most_in_flight == 3


async def test_a_call_larger_than_its_minute_is_refused_by_name_at_once(bench: Bench) -> None:
    gateway = bench.gateway(limits={"house": {"tpm": 300}})
    long = (*PROMPT, PromptMessage(role="user", parts=("Once upon a time. " * 110,)))
    with pytest.raises(Paused) as paused:
        await gateway.complete(ask(prompt=long))
    assert not bench.clock.waits
    assert not bench.loopback.requests
    assert paused.value.kind == "limit"
    assert paused.value.why.startswith("house: ")
    assert "limits.house.tpm is 300 a minute" in paused.value.why
    need = int(paused.value.why.split("up to ")[1].split(" ")[0])
    assert 1500 < need < 2000
    assert bench.clock.waits == []
    assert not bench.loopback.requests
    assert not bench.calls


def test_an_answer_larger_than_its_minute_is_known_before_the_run(bench: Bench) -> None:
    spec = bench.spec(
        bench.player(), bench.player("small", params={"max_tokens": 200}), limits={"openai": {"tpm": 300}}
    )
    assert len(lines := check_limits(spec)) == 1
    assert lines[0].startswith("house: ")
    assert "limits.openai.tpm" in lines[0]


async def test_tokens_a_minute_wait_and_are_settled(bench: Bench) -> None:
    bench.loopback.always(legal(usage={"prompt_tokens": 50, "completion_tokens": 50}))
    gateway = bench.gateway(bench.player(params={"max_tokens": 800}), limits={"house": {"tpm": 2000}})
    for number in range(10):
        await gateway.complete(ask(match_id=number))
    assert bench.clock.at == 1000.0
    for number in range(11):
        await gateway.complete(ask(match_id=number))
    assert bench.clock.at >= 1060.0


@settings(max_examples=60, deadline=None)
@given(
    limit=st.integers(10, 200),
    calls=st.lists(st.tuples(st.integers(1, 10), st.integers(0, 10), st.floats(0, 20)), min_size=1, max_size=60),
)
def test_no_minute_holds_more_tokens_than_allowed(limit: int, calls: list[tuple[int, int, float]]) -> None:
    async def run() -> list[tuple[float, int]]:
        clock = Clock()
        minute = TokenMinute(limit, clock.now, clock.sleep)
        taken = []
        for need, used, pause in calls:
            entry = await minute.take(need)
            taken.append((clock.at, min(need, used)))
            minute.settle(entry, min(need, used))
            clock.at += pause
        return taken

    taken = asyncio.run(run())
    for start, _ in taken:
        assert sum(tokens for at, tokens in taken if start <= at < start + 59.99) <= limit
    assert all(earlier[0] <= later[0] for earlier, later in pairwise(taken))


def test_each_limit_is_looked_up_by_itself(bench: Bench) -> None:
    spec = bench.spec(
        {"label": "a", "model": "gemini/flash"},
        {"label": "b", "model": "gemini/pro"},
        {"label": "c", "model": "nobody/knows"},
        {"label": "d", "model": "local/smollm2"},
        bench.player("e"),
        limits={
            "a": {"concurrent": 2},
            "gemini/flash": {"rpm": 5, "concurrent": 9},
            "gemini": {"tpm": 1000, "rpm": 7, "timeout": 33.0},
        },
    )
    a, b, c, d, e = spec.players
    assert find(spec, a, "concurrent") == (2, "a")
    assert find(spec, a, "rpm") == (5, "gemini/flash")
    assert find(spec, a, "tpm") == find(spec, b, "tpm") == (1000, "gemini")
    assert find(spec, b, "rpm") == (7, "gemini")
    assert timeout_of(spec, a) == 33.0
    assert find(spec, c, "rpm") is not None
    assert find(spec, c, "tpm") is None
    assert timeout_of(spec, c) == 120.0
    assert find(spec, d, "concurrent") == (1, "provider local")
    assert find(spec, d, "rpm") is None
    assert find(spec, e, "rpm") is None
