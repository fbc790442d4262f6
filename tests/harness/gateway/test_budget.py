"""Budgets: nothing is sent that could not be paid for, however many calls are under way."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from harness.gateway import Paused, check_prices
from harness.gateway.budget import Ledger
from harness.gateway.prices import Rates
from harness.records import PromptMessage, Spend
from harness.spec import Budget
from tests.harness.gateway.conftest import PROMPT, Bench, ask
from tests.providers import Answer, Drop, Hang, Seen, legal, rate_limited, status

PRICE = {"input": 1.0, "output": 10.0}
WORST = 1024 * 10 / 1e6


async def test_many_calls_at_once_never_overshoot(bench: Bench) -> None:
    """Every answer costs its worst, so that an unguarded gateway would go far over."""

    def dear(seen: Seen) -> Answer:
        return Answer('{"actions": []}', usage={"prompt_tokens": len(seen.text), "completion_tokens": 1024})

    bench.loopback.always(dear)
    gateway = bench.gateway(bench.player(price=PRICE), budget={"usd": 0.1})
    done = await asyncio.gather(*(gateway.complete(ask(match_id=n)) for n in range(50)), return_exceptions=True)
    paused = [error for error in done if isinstance(error, Paused)]
    answered = [call for call in done if not isinstance(call, BaseException)]
    assert len(paused) + len(answered) == 50
    assert {(p.kind, p.everyone) for p in paused} == {("budget", True)}
    spent = sum(call.cost or 0.0 for call in bench.calls)
    assert spent <= 0.1
    assert spent > 0.1 - 2 * WORST
    assert gateway.spent.usd == pytest.approx(spent)
    assert gateway.spent.calls == len(bench.calls) == len(bench.loopback.requests)
    assert all((call.cost or 0.0) <= call.reserved for call in bench.calls)


async def test_cheap_calls_use_a_budget_up_though_the_worst_case_is_dear(bench: Bench) -> None:
    """Calls wait for those under way rather than pause the run at the first full reservation."""
    gateway = bench.gateway(bench.player(price=PRICE), budget={"usd": 2.5 * WORST})
    calls = await asyncio.gather(*(gateway.complete(ask(match_id=n)) for n in range(20)))
    assert all(call.error_kind is None for call in calls)
    assert gateway.spent.usd < WORST


@pytest.mark.parametrize(
    ("budget", "label", "everyone", "key"),
    [
        ({"usd": 0.001}, "dear", True, "budget.usd"),
        ({"tokens": 500}, "dear", True, "budget.tokens"),
        ({"per_match": {"usd": 0.001}}, "dear", False, "budget.per_match.usd"),
        ({"per_match": {"tokens": 100}}, "free", False, "budget.per_match.tokens"),
        ({"per_player": {"dear": {"usd": 0.001}}}, "dear", False, "budget.per_player.dear.usd"),
        ({"per_player": {"free": {"tokens": 9}}}, "free", False, "budget.per_player.free.tokens"),
    ],
)
async def test_a_call_that_does_not_fit_is_not_made(
    bench: Bench, budget: dict[str, Any], label: str, everyone: bool, key: str
) -> None:
    gateway = bench.gateway(bench.player("dear", price=PRICE), bench.player("free"), budget=budget)
    with pytest.raises(Paused) as paused:
        await gateway.complete(ask(label))
    assert (paused.value.kind, paused.value.everyone) == ("budget", everyone)
    assert f"{label}: {key} is spent" in paused.value.why
    assert not bench.loopback.requests
    assert not bench.calls


@pytest.mark.parametrize("price", ["free", {"input": 0.0, "output": 0.0}])
async def test_money_that_is_spent_keeps_no_call_back_that_cannot_cost_anything(bench: Bench, price: Any) -> None:
    bench.loopback.always(legal(usage={"prompt_tokens": 10, "completion_tokens": 10, "cost": 3.0}))
    players = (bench.player("dear", price=PRICE), bench.player("none", price=price))
    spent: dict[tuple[int | None, str], Spend] = {(1, "dear"): Spend(usd=0.0162, tokens=90, calls=3)}
    budget: dict[str, Any] = {"usd": 0.0001, "per_match": {"usd": 0.0001}}
    gateway = bench.gateway(*players, spent=spent, budget=budget)
    assert (await gateway.complete(ask("none", match_id=1))).cost == 0.0
    assert gateway.spent.usd == 0.0162
    with pytest.raises(Paused, match=r"dear: budget\.usd is spent"):
        await gateway.complete(ask("dear", match_id=2))
    # Tokens are no money: those that are spent keep it back.
    gateway = bench.gateway(*players, spent=spent, budget=budget | {"tokens": 100})
    with pytest.raises(Paused, match=r"none: budget\.tokens is spent"):
        await gateway.complete(ask("none", match_id=1))


def test_a_call_that_the_table_has_for_nothing_may_be_charged_all_the_same() -> None:
    ledger = Ledger(Budget(usd=0.1), {(1, "a"): Spend(usd=0.2, tokens=1, calls=1)})
    with pytest.raises(Paused, match=r"budget\.usd is spent"):
        ledger.check(1, "a", 0.0, 5)
    ledger.check(1, "a", None, 5)
    assert not Rates(0.0, 0.0, 0.0, 0.0, 0.0, "table").nothing


async def test_a_match_and_a_player_have_purses_of_their_own(bench: Bench) -> None:
    bench.loopback.always(legal(usage={"prompt_tokens": 100, "completion_tokens": 900}))
    gateway = bench.gateway(
        bench.player("a"),
        bench.player("b"),
        budget={"per_match": {"tokens": 4000}, "per_player": {"b": {"tokens": 5000}}},
    )
    for _ in range(2):
        await gateway.complete(ask("a", match_id=1))
    with pytest.raises(Paused, match="per_match"):
        await gateway.complete(ask("a", match_id=1))
    for match_id in (2, 3, 4):
        await gateway.complete(ask("b", match_id=match_id))
    with pytest.raises(Paused, match=r"per_player\.b"):
        await gateway.complete(ask("b", match_id=5))
    await gateway.complete(ask("a", match_id=5))


async def test_what_earlier_processes_spent_counts(bench: Bench) -> None:
    spent: dict[tuple[int | None, str], Spend] = {
        (1, "a"): Spend(usd=0.4, tokens=900, calls=3),
        (None, "a"): Spend(usd=0.1, tokens=10, calls=1),
        (2, "b"): Spend(usd=0.2, tokens=100, calls=1),
    }
    budget = {"usd": 1.0, "per_match": {"usd": 0.4 + WORST / 2}, "per_player": {"b": {"usd": 0.2 + WORST / 2}}}
    players = (bench.player("a", price=PRICE), bench.player("b", price=PRICE))
    gateway = bench.gateway(*players, spent=spent, budget=budget)
    assert gateway.spent.usd == pytest.approx(0.7)
    assert (gateway.spent.tokens, gateway.spent.calls) == (1010, 5)
    with pytest.raises(Paused, match="per_match"):
        await gateway.complete(ask("a", match_id=1))
    with pytest.raises(Paused, match=r"per_player\.b"):
        await gateway.complete(ask("b", match_id=3))
    await gateway.complete(ask("a", match_id=3))
    with pytest.raises(Paused, match=r"budget\.usd is spent"):
        await bench.gateway(*players, spent=spent, budget=budget | {"usd": 0.7}).complete(ask("a", match_id=3))


async def test_failures_cost_what_they_may_have_cost(bench: Bench) -> None:
    await bench.warm()
    gateway = bench.gateway(
        bench.player(price=PRICE), limits={"house": {"timeout": 1.0}}, budget={"usd": 1.0, "tokens": 10**6}
    )
    bench.loopback.script(rate_limited("0"), status(500), Drop("middle"), Hang())
    await gateway.complete(ask())
    costs = [(c.error_kind, c.cost, c.priced_by) for c in bench.calls]
    assert costs[0] == ("rate_limit", 0.0, "file")
    assert costs[1] == ("server", 0.0, "file")
    assert [c.cost for c in bench.calls[2:4]] == [c.reserved for c in bench.calls[2:4]]
    assert [c.priced_by for c in bench.calls] == ["file", "file", "reserved", "reserved", "file"]
    assert gateway.spent.usd == pytest.approx(sum(c.cost or 0 for c in bench.calls))


async def test_a_cancelled_call_keeps_its_reservation(bench: Bench) -> None:
    bench.loopback.script(Hang())
    gateway = bench.gateway(bench.player(price=PRICE), budget={"usd": 1.0})
    task = asyncio.create_task(gateway.complete(ask()))
    await bench.loopback.arrived(1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert gateway.spent.usd == bench.calls[0].reserved == bench.calls[0].cost


async def test_one_who_waits_for_money_can_be_stopped(bench: Bench) -> None:
    bench.loopback.script(Hang(Answer('{"actions": []}')))
    gateway = bench.gateway(bench.player(price=PRICE), budget={"usd": 1.5 * WORST})
    first = asyncio.create_task(gateway.complete(ask()))
    await bench.loopback.arrived(1)
    second = asyncio.create_task(gateway.complete(ask(match_id=2)))
    await asyncio.sleep(0)
    second.cancel()
    with pytest.raises(asyncio.CancelledError):
        await second
    bench.loopback.release()
    assert (await first).error_kind is None
    assert (await gateway.complete(ask(match_id=2))).error_kind is None
    assert len(bench.loopback.requests) == 2


@pytest.mark.parametrize("text", ["plain words " * 40, "😀🎲" * 200, "日本語の長い文章" * 60, "\u0301" * 300])
async def test_the_prompt_is_bounded_by_its_bytes(bench: Bench, text: str) -> None:
    """No tokenizer makes more tokens of a text than it has bytes."""
    gateway = bench.gateway(bench.player(price={"input": 1_000_000.0, "output": 0.0}))
    call = await gateway.complete(ask(prompt=(*PROMPT, PromptMessage(role="user", parts=(text,)))))
    assert call.reserved >= len(text.encode())


def test_a_model_that_nobody_can_price_is_refused_under_a_budget_in_money(bench: Bench) -> None:
    players = (
        bench.player("known", model="gpt-4o-mini", price=None),
        bench.player("priced", price=PRICE),
        bench.player("free"),
        bench.player("riddle", model="openai/nobody-knows-it", price=None),
        {"label": "smol", "model": "local/smollm2"},
        {"label": "bot", "bot": "greedy"},
    )
    for budget in ({"usd": 1.0}, {"per_match": {"usd": 1.0}}, {"per_player": {"riddle": {"usd": 1.0}}}):
        lines = check_prices(bench.spec(*players, budget=budget))
        assert len(lines) == 1
        assert "riddle" in lines[0]
        assert "players[3].price" in lines[0]
        assert "price: free" in lines[0]
    for budget in ({"tokens": 100}, {"per_player": {"known": {"usd": 1.0}}}):
        assert check_prices(bench.spec(*players, budget=budget)) == []
    assert check_prices(bench.spec(*players)) == []


@pytest.mark.parametrize(
    ("model", "known"),
    [
        ("gemini/gemini-2.5-flash", True),
        ("openai/gpt-4o", True),
        ("bedrock/anthropic.claude-3-5-sonnet-20240620-v1:0", True),
        ("groq/openai/gpt-oss-120b", True),
        ("openrouter/openai/gpt-4o", False),
        ("openrouter/nobody/knows-it", False),
        ("gemini/gemini-99-omega", False),
        ("groq/gpt-4o", False),
    ],
)
def test_the_table_is_asked_by_provider(bench: Bench, model: str, known: bool) -> None:
    spec = bench.spec({"label": "x", "model": model}, budget={"usd": 1.0})
    assert (check_prices(spec) == []) is known
