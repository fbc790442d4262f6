"""A gateway whose run stops: who waits goes at once, who is being answered is waited for, nothing more is sent."""

from __future__ import annotations

import asyncio

import pytest

from harness.gateway import Stopped
from tests.harness.gateway.conftest import Bench, ask
from tests.providers import Answer, Hang, rate_limited


async def arrived(bench: Bench, count: int) -> None:
    await asyncio.to_thread(bench.loopback.wait_for, count)


async def test_nothing_is_sent_once_it_is_set(bench: Bench) -> None:
    stop = asyncio.Event()
    stop.set()
    with pytest.raises(Stopped):
        await bench.gateway(stop=stop).complete(ask())
    assert not bench.loopback.requests


async def test_a_call_that_is_backing_off_goes_at_once(bench: Bench) -> None:
    stop = asyncio.Event()
    bench.loopback.always(rate_limited("60"))
    call = asyncio.create_task(bench.gateway(stop=stop, real_time=True).complete(ask()))
    await arrived(bench, 1)
    while not bench.seen:
        await asyncio.sleep(0)
    stop.set()
    async with asyncio.timeout(10):
        with pytest.raises(Stopped):
            await call
    assert len(bench.loopback.requests) == len(bench.calls) == 1


@pytest.mark.parametrize(
    "limits", [{"concurrent": 1}, {"rpm": 1}, {"tpm": 5000}], ids=["calls at once", "requests", "tokens"]
)
async def test_who_waits_in_line_goes_and_the_request_under_way_is_answered(
    bench: Bench, limits: dict[str, float]
) -> None:
    stop = asyncio.Event()
    bench.loopback.always(Hang(Answer("{}")))
    gateway = bench.gateway(
        bench.player(params={"max_tokens": 4000}), stop=stop, real_time=True, limits={"house": limits}
    )
    first = asyncio.create_task(gateway.complete(ask()))
    await arrived(bench, 1)
    others = [asyncio.create_task(gateway.complete(ask(match_id=number))) for number in (2, 3)]
    await asyncio.sleep(0)
    stop.set()
    async with asyncio.timeout(10):
        ends = await asyncio.gather(*others, return_exceptions=True)
    assert [type(end) for end in ends] == [Stopped, Stopped]
    assert not first.done()
    bench.loopback.release()
    assert (await first).content == "{}"
    assert len(bench.loopback.requests) == len(bench.calls) == 1


async def test_who_waits_for_the_budget_goes(bench: Bench) -> None:
    stop = asyncio.Event()
    bench.loopback.always(Hang(Answer("{}")))
    gateway = bench.gateway(
        bench.player(params={"max_tokens": 4000}), stop=stop, real_time=True, budget={"tokens": 6000}
    )
    first = asyncio.create_task(gateway.complete(ask()))
    await arrived(bench, 1)
    second = asyncio.create_task(gateway.complete(ask(match_id=2)))
    await asyncio.sleep(0)
    stop.set()
    async with asyncio.timeout(10):
        with pytest.raises(Stopped):
            await second
    bench.loopback.release()
    await first
    assert len(bench.loopback.requests) == 1


async def test_being_cancelled_is_not_taken_for_a_stop(bench: Bench) -> None:
    bench.loopback.always(rate_limited("60"))
    call = asyncio.create_task(bench.gateway(stop=asyncio.Event(), real_time=True).complete(ask()))
    await arrived(bench, 1)
    while not bench.seen:
        await asyncio.sleep(0)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
