"""What the gateway makes of a provider's bad hours: a player given up, a connection not made, a clock that is wrong."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from harness.gateway import Patience, Paused
from harness.gateway.errors import retry_after
from harness.gateway.wire import Exchange
from tests.harness.gateway.conftest import Bench, ask
from tests.providers import Answer, Fail, Loopback, legal, quota_spent, rate_limited, status

ONCE = Patience(attempts=1)


async def test_after_so_many_questions_in_a_row_a_player_is_given_up_and_the_others_go_on(bench: Bench) -> None:
    with Loopback() as other:
        ann = bench.player("ann") | {"api_base": other.base_for("openai")}
        other.always(status(503))
        gateway = bench.gateway(ann, bench.player("bob"), patience=ONCE, limits={"ann": {"give_up": 3}})
        lines = []
        for number in range(6):
            with pytest.raises(Paused) as paused:
                await gateway.complete(ask("ann", match_id=number))
            assert paused.value.kind == "server"
            assert not paused.value.everyone
            lines.append(paused.value.why)
            await gateway.complete(ask("bob", match_id=number))
        assert len(other.requests) == 3
        assert "3 questions in a row came to nothing" in lines[3]
        assert "The model is overloaded" in lines[3]
        assert lines[3:] == bench.warnings * 3
        assert len(bench.warnings) == 1


async def test_an_answer_between_them_starts_the_count_anew(bench: Bench) -> None:
    gateway = bench.gateway(patience=ONCE, limits={"house": {"give_up": 2}})
    for _ in range(4):
        bench.loopback.script(status(500), legal())
        with pytest.raises(Paused):
            await gateway.complete(ask())
        await gateway.complete(ask())
    assert not bench.warnings


async def test_the_models_own_faults_give_nobody_up(bench: Bench) -> None:
    bench.loopback.always(Answer("Well, I think"))
    gateway = bench.gateway(limits={"house": {"give_up": 1}})
    assert [(await gateway.complete(ask())).error_kind for _ in range(4)] == ["unreadable"] * 4


async def test_a_request_that_is_refused_as_such_counts_too(bench: Bench) -> None:
    bench.loopback.always(Fail(400, "top_k is not permitted", None))
    gateway = bench.gateway()
    for _ in range(12):
        with pytest.raises(Paused) as paused:
            await gateway.complete(ask())
    assert paused.value.kind == "bad_request"
    assert len(bench.loopback.requests) == 8
    assert "top_k is not permitted" in bench.warnings[0]


async def test_a_question_under_way_is_given_up_with_its_player(bench: Bench) -> None:
    bench.loopback.always(status(500))
    gateway = bench.gateway(limits={"house": {"give_up": 1}})
    results = await asyncio.gather(*(gateway.complete(ask(match_id=n)) for n in range(10)), return_exceptions=True)
    assert all(isinstance(result, Paused) and result.kind == "server" for result in results)
    assert len(bench.loopback.requests) < 30
    assert len(bench.warnings) == 1


async def test_an_outage_is_not_told_as_requests_that_were_not_made(bench: Bench) -> None:
    bench.loopback.always(status(503))
    patience = Patience(attempts=50, outage=5.0)
    gateway = bench.gateway(patience=patience)
    with pytest.raises(Paused) as paused:
        await gateway.complete(ask())
    assert "has answered nobody for" in paused.value.why
    assert paused.value.attempt == len(bench.loopback.requests) == len(bench.calls)


async def test_a_quota_that_runs_dry_while_many_ask_is_no_storm(bench: Bench) -> None:
    gateway = bench.gateway(limits={"house": {"concurrent": 4}})
    await gateway.complete(ask())
    bench.loopback.always(quota_spent())
    results = await asyncio.gather(*(gateway.complete(ask(match_id=n)) for n in range(40)), return_exceptions=True)
    assert all(isinstance(result, Paused) and result.kind == "quota" for result in results)
    assert len(bench.loopback.requests) <= 1 + 4
    assert bench.clock.waits == []


@pytest.fixture
def deaf() -> Iterator[str]:
    """The address of a server whose line of waiting connections is full: a new one is neither made nor refused."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(0)
        waiting = []
        for _ in range(4):
            one = socket.socket()
            one.setblocking(False)
            one.connect_ex(listening.getsockname())
            waiting.append(one)
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
        for one in waiting:
            one.close()


async def test_a_connection_that_is_not_made_is_told_from_an_answer_that_does_not_come(bench: Bench, deaf: str) -> None:
    await bench.warm()
    player = bench.player(price={"input": 1.0, "output": 1.0}) | {"api_base": deaf}
    gateway = bench.gateway(player, patience=Patience(attempts=4), limits={"house": {"timeout": 1.0}})
    with pytest.raises(Paused) as paused:
        await gateway.complete(ask())
    assert paused.value.kind == "timeout"
    assert "no connection within 0.5 s" in paused.value.why
    assert len(bench.calls) == 4, "it is tried again as often as a connection that is refused"
    assert all((call.error_kind, call.cost) == ("timeout", 0.0) for call in bench.calls)


@pytest.mark.parametrize("off", [timedelta(days=-400), timedelta(hours=5), timedelta(days=9000)])
def test_a_date_to_wait_for_is_read_by_the_clock_of_whoever_names_it(off: timedelta) -> None:
    theirs = datetime.now(UTC) + off
    exchange = Exchange(b"{}")
    exchange.headers = {
        "retry-after": format_datetime(theirs + timedelta(seconds=30), usegmt=True),
        "date": format_datetime(theirs, usegmt=True),
    }
    assert retry_after(exchange, "") == 30.0


@pytest.mark.parametrize(
    "absurd",
    ["-30", "nan", "inf", "1e400", "9" * 400, "Sun, 31 Feb 2099 99:00:00 GMT", "Thu, 01 Jan 1970 00:00:00 GMT"],
)
async def test_a_time_to_wait_that_cannot_be_is_as_none(bench: Bench, absurd: str) -> None:
    bench.loopback.script(rate_limited(absurd))
    await bench.gateway().complete(ask())
    assert len(bench.calls) == 2
    assert bench.clock.at - 1000 < 20


async def test_an_absurd_time_to_wait_pauses_each_match_at_once_and_asks_no_more(bench: Bench) -> None:
    bench.loopback.always(rate_limited("9999999999"))
    gateway = bench.gateway(limits={"house": {"concurrent": 4}})
    results = await asyncio.gather(*(gateway.complete(ask(match_id=n)) for n in range(40)), return_exceptions=True)
    assert all(isinstance(result, Paused) and result.kind == "rate_limit" for result in results)
    assert len(bench.loopback.requests) <= 8
