"""A forecast asks nobody, counts the real prompts, and holds the true figures of a run with models."""

from __future__ import annotations

import asyncio
import json
import socket
from pathlib import Path
from typing import Any

import pytest

from harness.forecast import SAID, THOUGHTS, Forecast, StandIn, forecast
from harness.runs import prepare
from harness.spec import Tournament, load, parse
from harness.store import Store
from harness.tournament import run
from tests.harness.cli.calling import invoke
from tests.harness.cli.test_docs import keys, section
from tests.harness.watching import Watching
from tests.providers import Answer, Loopback
from tests.providers.choose import fill, legal_in, schema_in
from tests.providers.fixtures import loopback as loopback

PLAYERS = """
players:
  - {label: ann, model: openai/any, api_base: "BASE", price: {input: 1.0, output: 4.0, cached: 0.1}}
  - {label: bob, model: openai/any, api_base: "BASE", price: free}
  - {label: cid, model: openai/unheard-of, api_base: "BASE"}
  - {label: d, bot: turncoat}
"""
FILE = "name: house\nmatches: 4\ngames: [{game: so_long_sucker, options: {chips: 2}}]\n"


def words(text: str) -> int:
    """About a token for four characters, as the loopback provider counts."""
    return max(1, len(text) // 4)


def spec(more: str = "", base: str = "http://127.0.0.1:9/v1") -> Tournament:
    return parse(FILE + more + PLAYERS.replace("BASE", base), "house.yaml")


@pytest.fixture(autouse=True)
def nobody_is_asked(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """No key, and outside of the tests with a provider no connection either."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    if "loopback" not in request.fixturenames:

        def refused(*_: Any) -> None:
            raise AssertionError("a forecast opened a connection")

        monkeypatch.setattr(socket.socket, "connect", refused)


@pytest.fixture(scope="module")
def found() -> Forecast:
    return forecast(spec(), words)


def test_ranges_costs_and_totals(found: Forecast) -> None:
    assert [part.label for part in found.players] == ["ann", "bob", "cid"]
    assert (found.matches, found.sampled, found.players[0].matches) == (4, 3, 4)
    ann, bob, cid = found.players
    for part in found.players:
        for value in (part.calls, part.prompt_tokens, part.completion_tokens):
            assert 0 < value.low < value.mid < value.high
        assert 0.5 < part.cached_share < 1
    assert ann.cost is not None
    prompt, cached = ann.prompt_tokens.mid, ann.cached_share * ann.prompt_tokens.mid
    about = (prompt - cached + 0.1 * cached + 4 * ann.completion_tokens.mid) / 1e6
    assert ann.cost.mid == pytest.approx(about, rel=1e-3)
    assert ann.worst_cost is not None
    assert 0 < ann.cost.low < ann.cost.mid < ann.cost.high < ann.worst_cost
    assert (bob.cost, bob.worst_cost) == ((0, 0, 0), 0)
    assert cid.cost is cid.worst_cost is None
    assert found.total.cost is None
    assert found.total.calls.mid == pytest.approx(sum(part.calls.mid for part in found.players))
    assert 0 < found.seconds.low < found.seconds.mid < found.seconds.high


def test_the_same_file_gives_the_same_forecast(found: Forecast) -> None:
    assert forecast(spec(), words).to_json() == found.to_json()


def test_limits_set_the_time() -> None:
    slow = forecast(spec("limits: {ann: {rpm: 2}}\n"), words, samples=1)
    assert slow.held_up_by == "limits.ann.rpm (2)"
    assert slow.seconds.mid == pytest.approx(slow.players[0].calls.mid * 30)
    narrow = forecast(spec("limits: {openai: {tpm: 1500}}\n"), words, samples=1)
    assert narrow.held_up_by == "limits.openai.tpm (1500)"
    tokens = narrow.total.prompt_tokens.mid + narrow.total.completion_tokens.mid
    assert narrow.seconds.mid == pytest.approx(tokens / 25)


def test_talk_and_thoughts_cost_what_they_cost(found: Forecast) -> None:
    silent = forecast(spec("talk: off\n"), words)
    assert silent.total.calls.mid < found.total.calls.mid
    thoughtless = forecast(spec("talk: off\ninterface: {thoughts: none}\n"), words)
    assert thoughtless.total.completion_tokens.mid < silent.total.completion_tokens.mid / 2
    assert len(THOUGHTS) > len(SAID) > 50


def test_a_run_with_models_lies_within_the_forecast(loopback: Loopback, tmp_path: Path) -> None:
    """The provider answers in about as many words as a forecast takes for granted."""

    def behave(seen: Any) -> Answer:
        schema = schema_in(seen.body)
        answer = fill(schema, legal_in(seen.body)[:1], SAID if "actions" not in str(schema) else None)
        return Answer(json.dumps({**answer, "thoughts": THOUGHTS}))

    loopback.always(behave)
    wanted = spec("talk: {round: 4}\n", loopback.api_base)
    wanted = wanted.model_copy(
        update={"players": tuple(p.model_copy(update={"price": "free"}) if p.model else p for p in wanted.players)}
    )
    expected = forecast(wanted, words)
    assert not loopback.requests

    async def play() -> None:
        with Store.open(str(tmp_path / "parley.db")) as store:
            assert (await run(wanted, store, progress=Watching())).status == "finished"

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_API_KEY", "sk-loopback")
        asyncio.run(play())
    with Store.open_readonly(str(tmp_path / "parley.db")) as store:
        calls = [call for call in store.call_lines(1) if call.match_id is not None]
    total = expected.total
    assert total.calls.low <= len(calls) <= total.calls.high
    assert total.prompt_tokens.low <= sum(call.prompt_tokens or 0 for call in calls) <= total.prompt_tokens.high
    assert (
        total.completion_tokens.low
        <= sum(call.completion_tokens or 0 for call in calls)
        <= total.completion_tokens.high
    )


def test_a_stand_in_counts_what_two_prompts_have_at_the_front() -> None:
    one = spec()
    stands = StandIn(one.player("ann"), lambda *_: None, one, len)  # type: ignore[arg-type,return-value]
    stands._last = [("system", "abc"), ("user", "same"), ("user", "abcdef"), ("user", "x")]
    assert stands._common([("system", "abc"), ("user", "same"), ("user", "abcxyz"), ("user", "x")]) == 3 + 4 + 3
    assert stands._common([("user", "abc")]) == 0
    assert stands._common([]) == 0


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "house.yaml"
    path.write_text(FILE + "talk: off\nbudget: {tokens: 1000}\n" + PLAYERS.replace("BASE", "http://127.0.0.1:9/v1"))
    return path


def test_the_command(file: Path) -> None:
    shown = invoke("forecast", str(file), "--samples", "1")
    assert (shown.status, shown.err) == (0, "")
    assert shown.out.startswith("house: 4 matches; forecast from 1 of them, played with bots\n")
    assert "budget.tokens 1k will not do" in shown.out
    described = invoke("forecast", str(file), "--samples", "1", "--json").json
    assert [part["label"] for part in described["players"]] == ["ann", "bob", "cid"]
    assert {key for key in keys(described) if f"`{key}`" not in section("forecast")} == set()


def test_bots_alone_and_a_bad_file(file: Path) -> None:
    bad = invoke("forecast", str(file.with_name("none.yaml")))
    assert (bad.status, bad.err.count("\n")) == (2, 1)
    text = file.read_text().replace('model: openai/any, api_base: "http://127.0.0.1:9/v1"', "bot: greedy")
    text = text.replace('model: openai/unheard-of, api_base: "http://127.0.0.1:9/v1"', "bot: greedy")
    text = text.replace(", price: {input: 1.0, output: 4.0, cached: 0.1}", "").replace(", price: free", "")
    file.write_text(text.replace("budget: {tokens: 1000}\n", ""))
    shown = invoke("forecast", str(file))
    assert shown.status == 0, shown.err
    assert shown.out == "house: no model plays, so no call is made.\n"


LUDO = """
name: grown
matches: {matches}
games: [{{game: star_ludo, seats: 2, options: {{cap: 10}}}}]
talk: off
{keys}
players:
  - {{label: ann, model: openai/any, api_base: "{base}", price: {{input: 1.0, output: 4.0}}}}
  - {{label: bob, bot: casual}}
{more}
"""
LATE = "  - {label: cid, bot: random}\n"


def test_only_what_a_player_adds_is_counted(
    loopback: Loopback, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-loopback")
    path, db = tmp_path / "grown.yaml", str(tmp_path / "parley.db")

    def write(more: str = "", keys: str = "budget: {usd: 1.0, tokens: 100000000}", matches: int = 4) -> None:
        path.write_text(LUDO.format(base=loopback.api_base, keys=keys, more=more, matches=matches))

    def told(*options: str) -> Any:
        return invoke("forecast", str(path), "--add-player", *options, "--db", db)

    write()
    assert invoke("run", str(path), "--db", db).status == 0
    assert told().out == "grown gains 0 matches by --add-player, for nobody new.\n"
    write(LATE)
    asked = len(loopback.requests)
    shown = told()
    assert (shown.status, shown.err) == (0, "")
    lines = shown.out.splitlines()
    gain = invoke("check", str(path), "--add-player", "--json", "--db", db).json["gains"]
    added = gain["matches"]
    assert lines[0] == f"grown gains {added} matches by --add-player, for cid."
    assert lines[1].startswith(f"grown: {added} matches; forecast from 3 of them")
    # What the run has spent so far is no longer there for them.
    with Store.open_readonly(db) as store:
        spent = store.spend(1)
        assert store.progress(1) == {"finished": 4}
    assert spent.usd > 0
    assert f"budget.usd $1.00 (${spent.usd:.4f} of it spent already) is enough: " in shown.out
    assert "Still open" not in shown.out
    found = told("--json").json
    assert found["gains"] == gain
    assert found["matches"] == added
    (ann,) = found["players"]
    # The late one plays each match again in the place of either: the other sits in half of them.
    assert (added, ann["matches"]) == (8, 4)
    assert ann["calls"]["low"] > 0
    write(LATE, f"budget: {{usd: {spent.usd + found['total']['cost']['low'] / 2:.9f}}}")
    assert ") will not do: " in told().out
    assert len(loopback.requests) == asked
    assert {key for key in keys(found) if f"`{key}`" not in section("forecast")} == set()


def test_what_is_not_over_is_named_and_bots_cost_nothing(tmp_path: Path) -> None:
    path, db = tmp_path / "grown.yaml", str(tmp_path / "parley.db")
    bots = LUDO.replace('model: openai/any, api_base: "{base}", price: {{input: 1.0, output: 4.0}}', "bot: casual")
    path.write_text(bots.format(keys="", more="", matches=4))
    missing = invoke("forecast", str(path), "--add-player", "--db", db)
    assert (missing.status, missing.err.count("\n")) == (2, 1)
    with Store.open(db) as store:
        asyncio.run(prepare(load(str(path)), store, source="", fresh=False))
    path.write_text(bots.format(keys="", more=LATE, matches=4))
    shown = invoke("forecast", str(path), "--add-player", "--db", db)
    assert shown.out.splitlines()[1:] == [
        "No model plays in them, so no call is made.",
        "Still open in the run, and not counted: 4 matches.",
    ]
