"""A server that pushes back is asked as much as it bears, and after an outage by one first. Time is virtual."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Callable
from itertools import pairwise

import pytest

from harness.gateway.pressure import Pressure
from harness.gateway.retry import Patience, Transient, persist
from harness.records import ErrorKind
from tests.harness.gateway.virtual import now, run

PATIENCE = Patience()
Fault = tuple[ErrorKind, float | None] | None


class Server:
    """Answers or fails as `fault` says for a request that comes at that time; knows who asked when."""

    def __init__(self, fault: Callable[[float], Fault], latency: float = 0.2, timeout: float = 30.0) -> None:
        self.fault = fault
        self.latency = latency
        self.timeout = timeout
        self.began = now()
        self.asked: list[float] = []
        self.refused: list[float] = []
        self.served: Counter[int] = Counter()
        self.served_at: list[float] = []
        self.gave_up: list[tuple[float, Transient]] = []
        self.pressure = Pressure(now, asyncio.sleep, PATIENCE)

    @property
    def at(self) -> float:
        return now() - self.began

    async def request(self, who: int) -> None:
        """One request through the line, as the gateway makes it."""
        entry = await self.pressure.enter()
        try:
            assert self.pressure.go(entry)
            self.asked.append(self.at)
            fault = self.fault(self.at)
            await asyncio.sleep(self.timeout if fault is not None and fault[0] == "timeout" else self.latency)
            if fault is not None:
                self.refused.append(self.at)
                self.pressure.failed(entry, fault[0], "it failed", fault[1])
                raise Transient(fault[0], "it failed", fault[1])
            self.pressure.answered(entry)
            self.served[who] += 1
            self.served_at.append(self.at)
        finally:
            self.pressure.leave(entry)

    async def ask(self, who: int) -> None:
        """One question, with its retries."""
        try:
            await persist(lambda: self.request(who), PATIENCE, random.Random(who), asyncio.sleep)
        except Transient as failure:
            self.gave_up.append((self.at, failure))

    async def asked_by(self, number: int, seconds: float) -> None:
        """So many askers who ask one question after another for so long."""

        async def asker(who: int) -> None:
            while self.at < seconds and not self.gave_up:
                await self.ask(who)

        await asyncio.gather(*(asker(who) for who in range(number)))

    def between(self, start: float, end: float) -> int:
        return sum(start <= at < end for at in self.asked)


def bears(rate: float, burst: int = 3) -> Callable[[float], Fault]:
    """Too many requests for all above so many a second."""
    level, last = float(burst), 0.0

    def fault(at: float) -> Fault:
        nonlocal level, last
        level, last = min(burst, level + (at - last) * rate), at
        if level < 1:
            return "rate_limit", None
        level -= 1
        return None

    return fault


@pytest.mark.parametrize("rate", [20.0, 4.0, 0.5])
def test_steady_throttling_at_a_tenth_of_what_is_asked_starves_nobody(rate: float) -> None:
    async def main() -> None:
        askers = max(4, int(rate * 10 * 0.2))
        server = Server(bears(rate))
        await server.asked_by(askers, 240)
        assert not server.gave_up
        steady = [at for at in server.served_at if at > 60]
        assert len(steady) >= 0.85 * rate * 180, "what is allowed is used"
        assert max(server.between(at, at + 1) for at in range(60, 239)) <= 1.5 * rate + 3, "no stampede"
        assert len(server.refused) < 0.3 * len(server.asked) + askers
        assert len(server.served) == askers
        assert max(server.served.values()) <= 2 * min(server.served.values()) + 3
        assert all(later - earlier < 10 / rate + 10 for earlier, later in pairwise(server.served_at))

    run(main())


def test_it_is_let_go_once_the_throttling_ends() -> None:
    async def main() -> None:
        tight = bears(2.0)
        server = Server(lambda at: tight(at) if at < 60 else None)
        await server.asked_by(10, 300)
        assert not server.gave_up
        assert server.pressure.rate is None
        assert server.between(280, 300) > 0.9 * 10 * 20 / 0.2

    run(main())


def test_an_outage_is_found_over_by_one_and_the_rest_follow_slowly() -> None:
    async def main() -> None:
        server = Server(lambda at: ("server", None) if 20 <= at < 50 else None)
        await server.asked_by(40, 100)
        assert not server.gave_up
        assert server.between(21, 50) < 15, "it is not hammered while it is away"
        back = next(at for at in server.served_at if at > 50)
        assert back < 66
        assert server.between(50, back) == 1, "one finds out"
        assert server.between(back, back + 1) <= 5, "no stampede"
        assert server.between(back + 15, back + 20) > 0.9 * 40 * 5 / 0.2, "and then as before"

    run(main())


@pytest.mark.parametrize("kind", ["server", "connection", "timeout", "rate_limit"])
def test_a_server_that_stays_away_is_left_by_all_at_about_the_same_time(kind: ErrorKind) -> None:
    async def main() -> None:
        server = Server(lambda at: (kind, None))
        await asyncio.gather(*(server.ask(who) for who in range(60)))
        assert len(server.gave_up) == 60
        assert all(at < 330 for at, _ in server.gave_up)
        assert len(server.asked) < 60 + 8 * 20
        hopeless = [failure for _, failure in server.gave_up if failure.hopeless_after is not None]
        assert hopeless
        if kind == "timeout":
            assert len(server.asked) <= 60 + PATIENCE.timeouts, "hanging takes long: a few find out for all"
        else:
            assert all((failure.hopeless_after or 0) > PATIENCE.outage for failure in hopeless)
        before = len(server.asked)
        await server.ask(99)
        assert len(server.asked) == before, "who comes then is told at once"
        server.fault = lambda at: None
        await asyncio.sleep(120)
        await server.ask(100)
        assert server.served[100] == 1, "and who comes later may try it anew"

    run(main())


@pytest.mark.parametrize("kind", ["rate_limit", "server"])
def test_nobody_asks_before_the_time_that_it_names_and_then_not_all_at_once(kind: ErrorKind) -> None:
    async def main() -> None:
        server = Server(lambda at: (kind, 20.0) if at < 1 else None)
        await asyncio.gather(*(server.ask(who) for who in range(30)))
        assert not server.gave_up
        assert server.between(1.5, 20) == 0
        first = min(at for at in server.asked if at > 15)
        assert server.between(first, first + 1) <= 16
        assert sum(server.served.values()) == 30

    run(main())


def test_failures_here_and_there_hold_nobody_up_for_long() -> None:
    async def main() -> None:
        chance = random.Random(5)
        kinds: list[ErrorKind] = ["rate_limit", "server", "connection"]
        server = Server(lambda at: (chance.choice(kinds), None) if chance.random() < 0.3 else None)
        await asyncio.gather(*(server.ask(who % 20) for who in range(400)))
        assert sum(server.served.values()) + len(server.gave_up) == 400
        assert len(server.gave_up) < 4
        assert server.at < 400

    run(main())


def test_the_line_is_first_come_first_served() -> None:
    async def main() -> None:
        server = Server(bears(1.0, burst=1))
        await server.ask(0)
        order: list[int] = []

        async def one(who: int) -> None:
            entry = await server.pressure.enter()
            order.append(who)
            server.pressure.leave(entry)

        await server.ask(1)
        await asyncio.gather(*(one(who) for who in range(20)))
        assert order == list(range(20))

    run(main())


def test_who_waited_for_a_limit_meanwhile_gets_into_line_again() -> None:
    async def main() -> None:
        pressure = Pressure(now, asyncio.sleep, PATIENCE)
        early, other = await pressure.enter(), await pressure.enter()
        assert pressure.go(other)
        pressure.failed(other, "rate_limit", "slow down", 7.0)
        pressure.leave(other)
        assert not pressure.go(early)
        pressure.leave(early)
        began = now()
        late = await pressure.enter()
        assert now() - began >= 7
        assert pressure.go(late)

    run(main())


def test_a_question_that_is_stopped_leaves_the_line_open() -> None:
    async def main() -> None:
        server = Server(lambda at: ("server", None) if at < 3 else None)
        tasks = [asyncio.create_task(server.ask(who)) for who in range(8)]
        await asyncio.sleep(2)
        assert server.pressure.closed
        for task in tasks[::2]:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert sum(server.served.values()) == 4

    run(main())
