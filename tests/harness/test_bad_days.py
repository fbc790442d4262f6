"""Whole runs on a provider's bad days: every match ends or pauses, nothing is lost, nothing is asked in a storm."""

from __future__ import annotations

import asyncio
import json
import random
import signal
import time
from collections import Counter
from pathlib import Path

import pytest

from harness.records import INFRASTRUCTURE, OWN
from harness.spec import SpecError, parse
from harness.store import Store
from harness.tournament import run
from tests.harness.bad_days import (
    MEGABYTE,
    PARTS,
    WAYS,
    At,
    blameless,
    calls_of,
    ended,
    file,
    go,
    parley,
    sound,
    spec,
)
from tests.harness.watching import Watching
from tests.providers import Answer, Behaviour, Drop, Hang, Loopback, legal, quota_spent, rate_limited, status
from tests.providers.fixtures import loopback as loopback

OVER = ("finished", "void")


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
    broken: list[Behaviour] = [status(503), Drop("before"), status(500)]

    def fails(number: int, at: float) -> Behaviour | None:
        if number == 30:
            down.append(at)
        if down and down[0] <= at < down[0] + seconds:
            return random.choice(broken)
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


async def throttled(
    loopback: Loopback, database: str, tmp_path: Path, rate: float, matches: int, seconds: float
) -> None:
    """A run that wants far more a second than its provider bears. How much of that it gets is for the gateway's own
    tests to say, whose clock no busy machine slows down."""
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
    (tmp_path / "bad.yaml").write_text(file(loopback.api_base, f"matches: {matches}\nparallel: 16\ntalk: off\n"))
    code, said = await ended(parley("run", "bad.yaml", "--db", database, cwd=tmp_path), seconds)
    assert code == 0, said
    with Store.open(database) as store:
        assert store.progress(1) == {"finished": matches}
        assert handler.count == store.spend(1).calls, "nothing that was asked is lost"
        calls = calls_of(store)
        kinds = Counter(call.error_kind for call in calls)
        assert set(kinds) == {None, "rate_limit"}
        assert kinds["rate_limit"] <= kinds[None] + 32, "it is not flooded"
        assert all(turn.source != "fallback" for match in store.matches(1) for turn in store.turns(match.id or 0))
        assert all((match.outcome or {})["reason"] != "forfeit" for match in store.matches(1))
        sound(store)


async def test_steady_throttling_slows_a_run_down_and_stops_nothing(
    loopback: Loopback, database: str, tmp_path: Path
) -> None:
    await throttled(loopback, database, tmp_path, 15.0, 8, 120.0)


@pytest.mark.soak
async def test_steady_throttling_for_a_minute(loopback: Loopback, database: str, tmp_path: Path) -> None:
    await throttled(loopback, database, tmp_path, 4.0, 44, 600.0)


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


async def test_a_prompt_too_long_for_its_model_pauses_with_a_reason_and_is_not_asked_again(
    loopback: Loopback, database: str, tmp_path: Path
) -> None:
    (tmp_path / "bad.yaml").write_text(file(loopback.api_base, "matches: 4\ntalk: off\n"))
    for command in (("run", "bad.yaml"), ("resume", "bad"), ("run", "bad.yaml")):
        before = len(loopback.requests)
        # The two questions at the start are short enough; what is asked in a match is not.
        loopback.always(At(lambda number, at: WAYS["context"][0] if number > 2 else None))
        code, said = await ended(parley(*command, "--db", database, cwd=tmp_path))
        assert code == 1, said
        assert "Traceback" not in said
        assert before == 0 or len(loopback.requests) == before + 2, "what was refused is not asked again"
    with Store.open(database) as store:
        paused = [match for match in store.matches(1) if match.status == "paused"]
        assert paused
        for match in paused:
            assert "maximum context length is 10 tokens" in (match.why or "")
            assert "not asked the same again" in (match.why or "")
            assert "`parley void`" in (match.why or "")
        refused = [call for call in calls_of(store) if call.error_kind == "context"]
        forms = {(call.match_id, call.seat, call.decision, call.flags) for call in refused}
        assert len(forms) == len(refused), "each form is asked once"
    code, said = await ended(parley("doctor", "bad", "--db", database, "--json", cwd=tmp_path))
    faults = json.loads(said)["failures"]
    assert sum(fault["calls"] for fault in faults if fault["kind"] == "context") == len(refused)
    code, said = await ended(parley("void", str(paused[0].id), "--why", "too long", "--db", database, cwd=tmp_path))
    assert code == 0, said


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


async def test_a_match_that_is_declared_void_while_it_is_played_is_asked_no_more(
    loopback: Loopback, store: Store
) -> None:
    loopback.always(At(lambda number, at: Hang(Answer("I think about it.")) if number == 8 else None))
    text = PARTS.replace("matches: 4", "parallel: 1\nmatches: 2")
    for label in ("ann", "bob"):
        text += f"  - {{label: {label}, model: openai/any, api_base: {loopback.api_base}, price: free}}\n"
    text += "  - {label: bot, bot: random}\n"
    progress = Watching()
    playing = asyncio.create_task(run(parse(text, "bad.yaml"), store, progress=progress))
    await loopback.arrived(8, 60.0)
    (doomed,) = (match.id or 0 for match in store.matches(1) if match.status == "running")
    before = len(store.calls(doomed))
    await store.set_match(doomed, "void", "the wrong rules were read out")
    async with asyncio.timeout(60):
        while not any(f"match {doomed} was declared void" in note for note in progress.notes):
            await asyncio.sleep(0.02)
    loopback.release()
    result = await playing
    assert result.status == "finished"
    assert (doomed, "void", None) in progress.ended
    stands = {match.id: (match.status, match.why) for match in store.matches(1)}
    assert stands.pop(doomed) == ("void", "the wrong rules were read out")
    assert set(stands.values()) == {("finished", None)}
    after = store.calls(doomed)[before:]
    assert after, "the answer under way is kept"
    assert len({(call.seat, call.decision) for call in after}) == 1, "the decision under way is the last"
