"""Whole runs under a budget: it is kept to the cent, what it cuts off is paused, and more money goes on."""

from __future__ import annotations

from collections import Counter

import pytest

from harness.spec import parse
from harness.store import Store
from tests.harness.bad_days import PARTS, go, kept_from, sound, spec
from tests.providers import Loopback, Seen, legal
from tests.providers.fixtures import loopback as loopback


class Bill:
    """What the provider would charge: 3 USD a million tokens in, 15 out, as it counts them."""

    PRICE = "{input: 3.0, output: 15.0}"

    def __init__(self, loopback: Loopback) -> None:
        self.tokens = [0, 0]
        loopback.always(legal("hash", usage=self._usage))

    def _usage(self, seen: Seen) -> dict[str, int]:
        counted = (len(seen.text) // 4, 40 + len(seen.raw) % 60)
        for index, tokens in enumerate(counted):
            self.tokens[index] += tokens
        return {"prompt_tokens": counted[0], "completion_tokens": counted[1]}

    @property
    def usd(self) -> float:
        return (3.0 * self.tokens[0] + 15.0 * self.tokens[1]) / 1e6


async def under_budget(loopback: Loopback, store: Store, matches: int, worth: int) -> None:
    free = f"matches: {matches}\ntalk: off\n"
    with Store.open(str(store.where) + ".free") as other:
        bill = Bill(loopback)
        await go(spec(loopback, f"matches: {worth}\ntalk: off\n", price=Bill.PRICE), other)
        budget = round(bill.usd, 2)
    bill = Bill(loopback)
    result, _ = await go(spec(loopback, f"{free}budget: {{usd: {budget}}}\n", price=Bill.PRICE), store)
    assert result.status == "paused"
    assert "budget.usd is spent" in (result.why or "")
    assert 0.5 * budget < bill.usd <= budget
    assert store.spend(1).usd == pytest.approx(bill.usd, abs=1e-9)
    counts = store.progress(1)
    assert set(counts) == {"finished", "paused"}
    assert counts["finished"] >= worth / 4
    assert all("budget.usd is spent" in (match.why or "") for match in store.matches(1) if match.status == "paused")
    # With the same budget nothing more is bought, not even by the question before a run goes on.
    before = bill.usd
    for _ in range(2):
        why = await kept_from(spec(loopback, f"{free}budget: {{usd: {budget}}}\n", price=Bill.PRICE), store)
        assert "budget.usd is spent" in why
    assert before <= bill.usd <= budget
    raised, _ = await go(spec(loopback, f"{free}budget: {{usd: {20 * budget}}}\n", price=Bill.PRICE), store)
    assert raised.status == "finished"
    assert store.spend(1).usd == pytest.approx(bill.usd, abs=1e-9)
    sound(store)


async def test_a_budget_worth_some_matches_is_kept_to_the_cent(loopback: Loopback, store: Store) -> None:
    await under_budget(loopback, store, 12, 8)


@pytest.mark.soak
async def test_fifty_matches_under_a_budget_worth_twenty(loopback: Loopback, store: Store) -> None:
    await under_budget(loopback, store, 48, 20)


async def test_a_players_budget_pauses_its_matches_alone(loopback: Loopback, store: Store) -> None:
    Bill(loopback)
    model = f"model: openai/any, api_base: {loopback.api_base}, price: {Bill.PRICE}, params: {{max_tokens: 100}}"
    text = PARTS + f"  - {{label: ann, {model}}}\n  - {{label: bob, {model}}}\n  - {{label: bot, bot: random}}\n"
    result, progress = await go(parse(text + "budget: {per_player: {ann: {usd: 0.03}}}\n", "bad.yaml"), store)
    assert result.status == "paused"
    stands = Counter((match.game_index, match.status) for match in store.matches(1))
    assert stands[1, "finished"] == 4
    assert stands[0, "paused"] >= 2
    assert all("budget.per_player.ann.usd" in (m.why or "") for m in store.matches(1) if m.status == "paused")
    assert sum(call.cost or 0.0 for call in progress.calls if call.label == "ann") <= 0.03
    for budget in ("", "budget: {per_match: {usd: 9.0}, usd: 90.0}\n"):
        again, _ = await go(parse(text + budget, "bad.yaml"), store)
        assert again.status == ("finished" if not budget else "nothing")


async def test_a_matchs_budget_pauses_that_match_alone(loopback: Loopback, store: Store) -> None:
    Bill(loopback)
    text = "matches: 8\ntalk: off\n"
    first, _ = await go(spec(loopback, text + "budget: {per_match: {tokens: 9000}}\n", price=Bill.PRICE), store)
    assert first.status == "paused"
    for match in store.matches(1):
        tokens = sum((c.prompt_tokens or 0) + (c.completion_tokens or 0) for c in store.calls(match.id or 0))
        assert tokens <= 9000
        assert match.status == "finished" or "budget.per_match.tokens is spent" in (match.why or "")
        assert match.started_at is not None, "each was begun: no other's budget kept it"
    raised, _ = await go(spec(loopback, text + "budget: {per_match: {tokens: 900000}}\n", price=Bill.PRICE), store)
    assert raised.status == "finished"


async def test_tokens_of_unknown_usage_still_count_in_the_next_process(loopback: Loopback, store: Store) -> None:
    loopback.always(legal("hash", usage="missing"))
    text = "matches: 8\ntalk: off\nbudget: {tokens: 120000}\n"
    first, _ = await go(spec(loopback, text), store)
    assert first.status == "paused"
    spent = store.spend(1).tokens
    assert 60_000 < spent <= 120_000
    asked = len(loopback.requests)
    for _ in range(20):
        assert "budget.tokens is spent" in await kept_from(spec(loopback, text), store)
    assert store.spend(1).tokens <= 120_000
    assert len(loopback.requests) <= asked + 40
