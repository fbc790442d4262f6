"""Whole runs on a provider's bad days: every match ends or pauses, nothing is lost, nothing is asked in a storm."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from harness.records import INFRASTRUCTURE, OWN, CallRecord
from harness.replay import verify
from harness.spec import SpecError, Tournament, parse
from harness.store import Store
from harness.tournament import RunResult, run
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
from tests.providers.fixtures import loopback as loopback

ROOT = Path(__file__).parents[2]
OVER = ("finished", "void")
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


@pytest.fixture
def database(tmp_path: Path) -> str:
    return str(tmp_path / "parley.db")


@pytest.fixture
def store(database: str) -> Iterator[Store]:
    with Store.open(database) as opened:
        yield opened


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


async def every_way(loopback: Loopback, store: Store, text: str, seed: int) -> Counter[str]:
    """A run of which 30 % of the calls fail, in every way, gone on with until all its matches are over."""
    chance = random.Random(seed)
    injected: Counter[str] = Counter()
    grave = ("quota", "auth", "unknown_model")
    # What ends a whole run is as rare as it may be and still come: each time somebody has to start it again.
    weights = [0.25 if kind in grave else 1.0 for kind in WAYS]

    def fails(number: int, at: float) -> Behaviour | None:
        if number < 5 or chance.random() >= 0.3:
            return None
        kind = chance.choices(list(WAYS), weights)[0]
        if injected.total() % 5 == 4:
            # Each of them is to come at some time.
            kind = min(WAYS, key=injected.__getitem__)
        injected[kind] += 1
        return chance.choice(WAYS[kind])

    loopback.always(At(fails))
    tournament = spec(loopback, text)
    for _ in range(400):
        try:
            result, _ = await go(tournament, store)
        except SpecError:
            result = None
        sound(store)
        if result is not None and result.status == "finished":
            break
        for match in store.matches(1):
            if "context" in (match.why or ""):
                # A provider that says so of a prompt without any history is believed for good: only a person goes on.
                await asyncio.wrap_future(store.set_match(match.id or 0, "void", "too long for its model"))
    counts = store.progress(1)
    assert set(counts) <= set(OVER), counts
    return injected


async def test_three_in_ten_calls_fail_in_every_way_and_no_match_is_lost(loopback: Loopback, store: Store) -> None:
    text = "on_illegal: forfeit\nmatches: 8\ntalk: off\nlimits: {openai: {timeout: 0.7}}\n"
    injected = await every_way(loopback, store, text, seed=3)
    assert len(injected) >= 10
    blameless(store, retries=2)
    kinds = Counter(call.error_kind for call in calls_of(store))
    assert kinds[None] > 30
    assert INFRASTRUCTURE & set(kinds)
    assert OWN & set(kinds)


@pytest.mark.soak
async def test_three_in_ten_calls_fail_in_every_way_for_long(loopback: Loopback, store: Store) -> None:
    text = "matches: 40\nlimits: {openai: {timeout: 1.0}}\n"
    injected = await every_way(loopback, store, text, seed=11)
    assert set(injected) == set(WAYS)
    blameless(store, retries=2)


async def outage(loopback: Loopback, store: Store, seconds: float, matches: int) -> None:
    down: list[float] = []

    def fails(number: int, at: float) -> Behaviour | None:
        if number == 30:
            down.append(at)
        if down and down[0] <= at < down[0] + seconds:
            return random.choice([status(503), Drop("before"), status(500)])
        return None

    handler = At(fails)
    loopback.always(handler)
    result, _ = await go(spec(loopback, f"matches: {matches}\ntalk: off\n", chips=2), store)
    assert result.status == "finished", result.why
    assert down
    failed = [call for call in calls_of(store) if call.error_kind is not None]
    assert 4 <= len(failed) < 40 + seconds
    assert handler.count == len(calls_of(store)) + 2
    sound(store)


async def test_an_outage_in_the_middle_is_sat_out(loopback: Loopback, store: Store) -> None:
    await outage(loopback, store, 2.5, 8)


@pytest.mark.soak
async def test_an_outage_of_half_a_minute_is_sat_out(loopback: Loopback, store: Store) -> None:
    await outage(loopback, store, 30.0, 24)


async def throttled(loopback: Loopback, store: Store, rate: float, matches: int) -> None:
    level, last = 2.0, 0.0

    def fails(number: int, at: float) -> Behaviour | None:
        nonlocal level, last
        level, last = min(2.0, level + (at - last) * rate), at
        if level < 1:
            return rate_limited()
        level -= 1
        return None

    handler = At(fails)
    loopback.always(handler)
    result, _ = await go(spec(loopback, f"matches: {matches}\nparallel: 16\ntalk: off\n"), store)
    took = time.monotonic() - handler.began
    assert result.status == "finished", result.why
    kinds = Counter(call.error_kind for call in calls_of(store))
    assert kinds["rate_limit"] < 0.5 * kinds[None] + 32
    assert kinds[None] > 0.1 * rate * took, "it does not freeze"
    sound(store)


async def test_steady_throttling_slows_a_run_down_and_stops_nothing(loopback: Loopback, store: Store) -> None:
    await throttled(loopback, store, 15.0, 8)


@pytest.mark.soak
async def test_steady_throttling_for_a_minute(loopback: Loopback, store: Store) -> None:
    await throttled(loopback, store, 4.0, 44)


async def test_a_provider_that_hangs_pauses_its_player_alone(loopback: Loopback, store: Store) -> None:
    loopback.always(At(lambda number, at: Hang() if number > 6 else None))
    text = """
name: bad
matches: 6
talk: off
seating: fixed
limits: {m0: {timeout: 0.5, give_up: 2}}
games: [{game: twenty_one, seats: 2, players: [m0, b0]}, {game: twenty_one, seats: 2, players: [b0, b1]}]
players:
"""
    text += f"  - {{label: m0, model: openai/any, api_base: {loopback.api_base}, price: free}}\n"
    text += "  - {label: b0, bot: random}\n  - {label: b1, bot: greedy}\n"
    result, progress = await go(parse(text, "bad.yaml"), store)
    assert result.status == "paused"
    by_game = Counter((match.game_index, match.status) for match in store.matches(1))
    assert by_game[1, "finished"] == 6
    assert by_game[0, "paused"] == 6
    assert sum("questions in a row came to nothing" in note for note in progress.notes) == 1
    assert all("m0: " in (match.why or "") for match in store.matches(1) if match.status == "paused")
    loopback.always(legal("hash"))
    again, _ = await go(parse(text, "bad.yaml"), store)
    assert again.status == "finished"
    sound(store)


async def test_answers_of_a_megabyte_do_not_swell_what_comes_after(loopback: Loopback, store: Store) -> None:
    huge = [
        Answer(MEGABYTE),
        Answer('{"actions": ["' + MEGABYTE + '"]}'),
        Answer("<think>" + MEGABYTE + "</think>"),
        Answer('{"actions": [], "messages": [{"to": "all", "text": "' + MEGABYTE + '"}]}'),
    ]
    loopback.always(At(lambda number, at: huge[number // 5 % 4] if number > 4 and number % 5 == 0 else None))
    result, _ = await go(spec(loopback, "matches: 4\ntalk: {round: 0}\n"), store)
    assert result.status == "finished", result.why
    assert max(len(seen.raw) for seen in loopback.requests) < 60_000
    assert any(len(call.content or "") > 900_000 for call in calls_of(store))
    sound(store)


@pytest.mark.parametrize("asked", ["31536000", "Fri, 31 Dec 9999 23:59:59 GMT"])
async def test_an_absurd_time_to_wait_is_told_and_not_waited_for(loopback: Loopback, store: Store, asked: str) -> None:
    handler = At(lambda number, at: rate_limited(asked) if number > 20 else None)
    loopback.always(handler)
    began = time.monotonic()
    result, _ = await go(spec(loopback, "matches: 12\ntalk: off\n"), store)
    assert time.monotonic() - began < 30
    assert result.status == "paused"
    assert handler.count <= 20 + 8
    assert all("to wait" in (match.why or "") for match in store.matches(1) if match.status == "paused")
    loopback.always(legal("hash"))
    again, _ = await go(spec(loopback, "matches: 12\ntalk: off\n"), store)
    assert again.status == "finished"


async def test_a_quota_that_runs_dry_is_known_at_once_and_asked_no_more(loopback: Loopback, store: Store) -> None:
    handler = At(lambda number, at: quota_spent() if number > 30 else None)
    loopback.always(handler)
    result, _ = await go(spec(loopback, "matches: 24\ntalk: off\n"), store)
    assert result.status == "paused"
    assert handler.count <= 30 + 8
    paused = [match for match in store.matches(1) if match.status == "paused"]
    assert len(paused) >= 16
    assert all("quota is spent" in (match.why or "") for match in paused)
    loopback.always(legal("hash"))
    again, _ = await go(spec(loopback, "matches: 24\ntalk: off\n"), store)
    assert again.status == "finished"
    sound(store)


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


async def test_one_silent_provider_keeps_nobody_else_from_playing(loopback: Loopback, store: Store) -> None:
    with Loopback() as silent:
        silent.always(quota_spent())
        text = PARTS + f"  - {{label: ann, model: openai/any, api_base: {silent.api_base}, price: free}}\n"
        text += f"  - {{label: bob, model: openai/any, api_base: {loopback.api_base}, price: free}}\n"
        text += "  - {label: bot, bot: random}\n"
        result, progress = await go(parse(text, "bad.yaml"), store)
        assert result.status == "paused"
        stands = Counter((match.game_index, match.status) for match in store.matches(1))
        assert stands == {(0, "paused"): 4, (1, "finished"): 4}
        assert sum("ann: the quota is spent" in note for note in progress.notes) == 1
        assert len(silent.requests) == 1
        loopback.always(status(401))
        with pytest.raises(SpecError, match="bob"):
            await go(parse(text.replace("name: bad", "name: worse"), "bad.yaml"), store)


# With real processes


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


async def test_of_two_processes_one_plays_and_the_other_says_who(
    loopback: Loopback, database: str, tmp_path: Path
) -> None:
    loopback.always(At(lambda number, at: Hang() if number > 20 else None))
    (tmp_path / "bad.yaml").write_text(file(loopback.api_base, "matches: 8\ntalk: off\n"))
    command = ("run", "bad.yaml", "--db", database)
    first = parley(*command, cwd=tmp_path)
    await loopback.arrived(22, 60.0)
    status_of_second, said = await ended(parley(*command, cwd=tmp_path))
    assert status_of_second != 0
    assert f"process {first.pid}" in said
    assert "Traceback" not in said
    assert first.poll() is None
    first.send_signal(signal.SIGKILL)
    await ended(first)
    loopback.always(legal("hash"))
    status_of_third, said = await ended(parley(*command, cwd=tmp_path))
    assert status_of_third == 0, said
    with Store.open(database) as store:
        assert store.progress(1) == {"finished": 8}
        sound(store)
        answered = [call for call in calls_of(store) if call.error_kind is None]
        assert len(answered) == len({(call.match_id, call.seat, call.decision) for call in answered})


async def test_a_bad_day_as_a_person_sees_it(loopback: Loopback, database: str, tmp_path: Path) -> None:
    chance = random.Random(8)
    own = [WAYS[kind] for kind in ("rate_limit", "server", "connection", "empty", "truncated", "unreadable", "illegal")]
    fails = At(lambda number, at: chance.choice(chance.choice(own)) if number > 3 and chance.random() < 0.3 else None)
    loopback.always(fails)
    (tmp_path / "bad.yaml").write_text(file(loopback.api_base, "seating: fixed\ntalk: off\n"))
    for _ in range(6):
        code, said = await ended(parley("run", "bad.yaml", "--db", database, cwd=tmp_path))
        assert "Traceback" not in said
        if code == 0:
            break
        assert "is not finished" in said
        assert "goes on" in said
    assert code == 0
    with Store.open(database) as store:
        sound(store)
        blameless(store, retries=2)
        # One for each request that came in, the question before each run among them.
        assert fails.count == store.spend(1).calls
