"""Whole runs: begun, gone on with, changed; with bots and with a provider on loopback."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from harness.leaderboard import leaderboard
from harness.records import CallRecord
from harness.spec import SpecError
from harness.store import Store
from harness.tournament import Control
from tests.harness.watching import Watching
from tests.harness.whole_runs import bots, go, house, log_of, verified
from tests.providers import Answer, Loopback, context_exceeded, legal, status
from tests.providers.fixtures import loopback as loopback

pytestmark = pytest.mark.usefixtures("house_key")
ROOT = Path(__file__).parents[2]


async def test_a_run_of_bots_is_played_logged_and_verifies(store: Store) -> None:
    result, progress = await go(bots("matches: 8\nparallel: 3\n"), store)
    assert (result.status, result.counts, result.played) == ("finished", {"finished": 8}, 8)
    assert progress.begun == [("table", 8, 0)]
    assert len(progress.ended) == 8
    verified(store, result.run_id)
    found = store.run("table")
    assert found is not None
    assert found.status == "finished"
    assert set(found.versions) == {"parley", "litellm", "prompts"}
    assert all(set(match.versions) == {"parley", "litellm", "prompts", "rules"} for match in store.matches(1))


async def test_the_same_seed_gives_the_same_leaderboard_to_the_byte(tmp_path: Path) -> None:
    texts = []
    for number, parallel in enumerate((1, 5)):
        with Store.open(str(tmp_path / f"{number}.db")) as store:
            result, _ = await go(bots(f"matches: 8\nparallel: {parallel}\n"), store)
            texts.append(json.dumps(leaderboard(store.seat_stats([result.run_id])).to_json()))
    assert texts[0] == texts[1]


async def test_another_seed_gives_other_matches(store: Store) -> None:
    first, _ = await go(bots(), store)
    second, _ = await go(bots("seed: 2\n").with_overrides(name="other"), store)
    assert log_of(store, first.run_id) != log_of(store, second.run_id)


async def test_a_finished_run_plays_nothing_and_fresh_begins_another(store: Store) -> None:
    await go(bots(), store)
    again, progress = await go(bots(), store)
    assert (again.status, again.played, progress.turns) == ("nothing", 0, 0)
    names = [(await go(bots(), store, fresh=True))[0].name for _ in range(2)]
    assert names == ["table-2", "table-3"]


async def test_more_matches_are_added_and_the_earlier_ones_stay(store: Store) -> None:
    first, _ = await go(bots("matches: 4\n"), store)
    before = log_of(store, first.run_id)
    more, _ = await go(bots("matches: 8\nparallel: 2\n"), store)
    assert (more.run_id, more.played) == (first.run_id, 4)
    assert log_of(store, first.run_id)[:4] == before


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ("seed: 9\n", "seed"),
        ("matches: 4\n", "matches"),
        ("retries: 1\n", "retries"),
        ("talk: {round: 2}\n", "talk"),
        ("interface: {notes: false}\n", "interface"),
    ],
)
async def test_a_changed_file_is_refused_with_the_key_that_differs(store: Store, change: str, key: str) -> None:
    await go(bots("matches: 8\n"), store)
    with pytest.raises(SpecError, match=key) as refused:
        await go(bots(change if key == "matches" else f"matches: 8\n{change}"), store)
    assert "--fresh" in str(refused.value)
    assert "\n" not in str(refused.value)


async def test_a_player_that_changed_under_its_label_is_not_gone_on_with(store: Store, database: str) -> None:
    control = Control()
    await go(bots(), store, control=control, progress=Watching(on_turn=lambda *_: control.stop.set()))
    import sqlite3

    with sqlite3.connect(database) as other:
        other.execute("update seat set identity = 'another' where label = 'b'")
    with pytest.raises(SpecError, match="'b'"):
        await go(bots(), store)


async def test_models_are_asked_probed_once_and_everything_is_kept(loopback: Loopback, store: Store) -> None:
    result, progress = await go(house(loopback), store)
    assert result.status == "finished"
    calls = store.calls(1, prompts=True)
    probes = [call for call in progress.calls if call.kind == "probe"]
    assert sorted(call.label for call in probes) == ["ann", "bob"]
    assert len(loopback.requests) == len(calls) + len(probes)
    kinds = Counter(call.kind for call in calls)
    assert set(kinds) == {"act", "talk"}
    turns = store.turns(1)
    for turn in turns:
        if turn.seat in ("red", "blue") and turn.source == "player":
            call = next(call for call in calls if call.id == turn.call_id)
            assert (call.ply, call.seat, call.decision) == (turn.ply - turn.plan_index, turn.seat, turn.decision)
            assert turn.action in (call.content or "")
    assert all(call.prompt and call.response and call.latency_ms for call in calls)
    assert "sk-house" not in json.dumps([call.model_dump(mode="json") for call in calls])
    verified(store, result.run_id)


async def test_a_model_that_is_always_illegal_ends_its_match_by_counted_fallbacks(
    loopback: Loopback, store: Store
) -> None:
    loopback.always(Answer('{"actions": ["fly to the moon"]}'))
    result, _ = await go(house(loopback, "talk: off\nretries: 1\n"), store)
    assert result.status == "finished"
    stats = {stat.label: stat for stat in store.seat_stats([result.run_id])}
    assert stats["ann"].fallback == stats["ann"].decisions > 0
    assert stats["ann"].illegal == 2 * stats["ann"].decisions
    assert stats["c"].fallback == 0


async def test_an_outage_pauses_the_match_and_the_same_command_goes_on(
    loopback: Loopback, store: Store, tmp_path: Path
) -> None:
    served = 0

    def failing(seen: Any) -> Any:
        nonlocal served
        served += 1
        return legal("hash")(seen) if served <= 12 else status(401)

    loopback.always(failing)
    result, _ = await go(house(loopback), store)
    assert result.status == "paused"
    assert "ann" in (result.why or "") or "bob" in (result.why or "")
    match = store.match(1)
    assert match is not None
    assert match.status == "paused"
    kept = [call for call in store.calls(1) if call.error_kind is None]
    loopback.clear()
    loopback.always(legal("hash"))
    again, _ = await go(house(loopback), store)
    assert again.status == "finished"
    paid = [call for call in store.calls(1) if call.error_kind is None]
    assert len(loopback.requests) == len(paid) - len(kept) + 2
    assert len({(call.seat, call.decision) for call in paid}) == len(paid)
    verified(store, again.run_id)
    with Store.open(str(tmp_path / "whole.db")) as whole:
        await go(house(loopback), whole)
        assert log_of(whole, 1) == log_of(store, 1)


async def test_a_prompt_that_is_too_long_is_asked_once_and_never_again(loopback: Loopback, store: Store) -> None:
    loopback.always(context_exceeded(1_500))
    result, _ = await go(house(loopback), store)
    assert result.status == "paused"
    refused = [call for call in store.calls(1) if call.error_kind == "context"]
    assert len(refused) == 1
    asked = len(loopback.requests)
    again, _ = await go(house(loopback), store)
    assert again.status == "paused"
    assert "context" in (again.why or "").lower() or "long" in (again.why or "").lower()
    assert len(loopback.requests) == asked + 2, "the two probes and nothing else"


async def test_a_history_that_grows_too_long_is_shortened_the_same_way_after_a_stop(
    loopback: Loopback, store: Store, tmp_path: Path
) -> None:
    loopback.always(context_exceeded(5_500))
    control = Control()

    def stop(call: CallRecord) -> None:
        if "history:-" in str(call.flags):
            control.stop.set()

    first, _ = await go(house(loopback), store, control=control, progress=Watching(on_call=stop))
    assert first.status == "paused"
    again, _ = await go(house(loopback), store)
    assert again.status == "finished"
    refused = [call for call in store.calls(1) if call.error_kind == "context"]
    assert refused
    questions = [(call.seat, call.decision, call.flags) for call in store.calls(1)]
    assert len(questions) == len(set(questions)), "nothing was asked twice in the same form"
    verified(store, 1)
    with Store.open(str(tmp_path / "whole.db")) as whole:
        _, progress = await go(house(loopback), whole)
        assert log_of(whole, 1) == log_of(store, 1)
        assert questions == [(call.seat, call.decision, call.flags) for call in whole.calls(1)]
        assert sum("its prompt is too long" in note for note in progress.notes) in (1, 2)


async def test_a_key_that_is_missing_is_told_before_anything_is_asked(
    loopback: Loopback, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HOUSE_KEY")
    with pytest.raises(SpecError, match="HOUSE_KEY"):
        await go(house(loopback), store)
    assert not loopback.requests


async def test_a_refused_schema_is_told_before_match_one(loopback: Loopback, store: Store) -> None:
    loopback.always(status(400, "Invalid schema for response_format"))
    with pytest.raises(SpecError, match=r"ann.*Invalid schema"):
        await go(house(loopback), store)
    assert store.progress(1) == {"queued": 1}


async def test_a_spent_budget_pauses_and_more_of_it_goes_on(loopback: Loopback, store: Store) -> None:
    price = ", params: {max_tokens: 64}"
    first, _ = await go(house(loopback, "budget: {tokens: 30000}\n", price), store)
    assert first.status == "paused"
    assert "budget" in (first.why or "")
    assert store.spend(first.run_id).tokens <= 30_000
    again, _ = await go(house(loopback, "budget: {tokens: 9000000}\n", price), store)
    assert again.status == "finished"
