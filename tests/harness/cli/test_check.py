"""`parley check`: the file, the keys, and with `--call` the models."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.store import Store
from tests.harness.cli.calling import invoke
from tests.harness.cli.hostile import ESCAPED, MARKUP, SHOWN_TURNED, TURNED, harmful
from tests.providers import Answer, Loopback, status
from tests.providers.fixtures import loopback as loopback

MODELS = """\
name: house
games:
  - {{game: so_long_sucker, options: {{chips: 3}}}}
  - {{game: so_long_sucker, options: {{chips: 5}}, start: opening}}
players:
  - {{label: one, model: openai/any, api_base: "{base}", api_key_env: HOUSE_KEY, price: free}}
  - label: '[/] [red]two'
    model: openai/other
    api_base: "{base}"
    api_key_env: HOUSE_KEY
    price: {{input: 1, output: 2}}
  - {{label: greedy, bot: greedy}}
  - {{label: me, human: true}}
"""


@pytest.fixture
def models(tmp_path: Path, loopback: Loopback) -> Path:
    path = tmp_path / "house.yaml"
    path.write_text(MODELS.format(base=loopback.api_base))
    return path


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOUSE_KEY", "sk-house-0123456789")


def test_a_file_of_bots(file: Path) -> None:
    called = invoke("check", str(file))
    assert (called.status, called.err) == (0, "")
    assert called.out.startswith(f"{file}: run bots, 4 matches, 2 at once, seed 7, seating rotate\n")
    described = invoke("check", str(file), "--json").json
    assert described["fault"] is None
    assert described["matches"] == 4
    assert [player["label"] for player in described["players"]] == ["greedy", "banker", "turncoat", "chance"]


@pytest.mark.usefixtures("key")
def test_what_would_be_played_and_by_whom(models: Path) -> None:
    called = invoke("check", str(models))
    assert (called.status, called.err) == (0, "")
    described = invoke("check", str(models), "--json").json
    assert [(game["start"], game["options"]["chips"], game["matches"]) for game in described["games"]] == [
        (None, 3, 4),
        ("opening", 5, 4),
    ]
    assert [player["key"] for player in described["players"]] == ["present", "present", None, None]
    assert "[/] [red]two" in called.out
    assert "a person, by `parley play`" in called.out
    # The key itself is nowhere.
    assert "sk-house" not in called.out


def test_a_missing_key_is_named(models: Path) -> None:
    called = invoke("check", str(models))
    assert called.status == 2
    assert called.err == (
        "parley: players[0] (one): api_key_env names HOUSE_KEY, which is not set in the environment or a .env file\n"
    )
    assert "missing" in called.out
    assert "one: api_key_env names HOUSE_KEY" in called.out
    listed = invoke("check", str(models), "--json")
    assert listed.status == 2
    assert [player["key"] for player in listed.json["players"]] == ["missing", "missing", None, None]
    assert listed.json["fault"].startswith("players[0] (one): ")


def test_no_run_is_made_of_a_file_whose_key_is_missing(models: Path, tmp_path: Path) -> None:
    db = str(tmp_path / "parley.db")
    called = invoke("run", str(models), "--db", db)
    assert (called.status, called.out) == (2, "")
    assert "HOUSE_KEY" in called.err
    with Store.open_readonly(db) as store:
        assert store.runs() == []


def test_a_bad_file_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text("game: [{game: so_long_sucker}]\nplayers: []\n")
    called = invoke("check", str(path))
    assert (called.status, called.out) == (2, "")
    assert called.err.startswith(f"parley: {path}: ")
    assert "games" in called.err
    assert called.err.count("\n") == 1


@pytest.mark.usefixtures("key")
def test_each_model_is_asked_once_a_game(models: Path, loopback: Loopback) -> None:
    called = invoke("check", str(models), "--call")
    assert (called.status, called.err) == (0, "")
    assert len(loopback.requests) == 4
    rows = [line.split() for line in called.out.splitlines() if " ok " in line]
    assert [row[0] for row in rows] == ["one", "one", "[/]", "[/]"]
    assert all(" ms " in line for line in called.out.splitlines() if " ok " in line)
    # Priced by the file, so the second player's calls cost something.
    assert [row[-1] == "$0.00" for row in rows] == [True, True, False, False]


@pytest.mark.usefixtures("key")
def test_a_model_that_fails_is_named_with_the_providers_sentence(models: Path, loopback: Loopback) -> None:
    loopback.always(status(404, f"no model such as {MARKUP} {TURNED} {ESCAPED}"))
    called = invoke("check", str(models), "--call")
    assert called.status == 1
    assert called.err == "parley: 4 of 4 calls failed: one, [/] [red]two\n"
    assert "unknown_model" in called.out
    assert MARKUP in called.out
    assert SHOWN_TURNED in called.out
    assert harmful(called.out) == []
    listed = invoke("check", str(models), "--call", "--json")
    assert listed.status == 1
    assert {answer["error_kind"] for answer in listed.json["calls"]} == {"unknown_model"}


@pytest.mark.usefixtures("key")
def test_one_game_of_two_may_fail(models: Path, loopback: Loopback) -> None:
    text = models.read_text()
    start, end = text.index("  - label: '[/]"), text.index("  - {label: greedy")
    models.write_text(text[:start] + "  - {label: two, bot: greedy}\n" + text[end:])
    loopback.script(Answer("{}"), status(401, "no such key"))
    listed = invoke("check", str(models), "--call", "--json")
    assert listed.status == 1
    assert [answer["error_kind"] for answer in listed.json["calls"]] == [None, "auth"]


@pytest.mark.usefixtures("key")
def test_an_outage_is_waited_for_once_and_no_longer(models: Path, loopback: Loopback) -> None:
    loopback.always(status(503, "overloaded"))
    listed = invoke("check", str(models), "--call", "--json")
    assert listed.status == 1
    assert {answer["error_kind"] for answer in listed.json["calls"]} == {"server"}
    assert len(loopback.requests) == 8


def test_no_model_to_ask(file: Path) -> None:
    called = invoke("check", str(file), "--call")
    assert called.status == 0
    assert called.out.endswith("No model to ask.\n")


def short(text: str) -> str:
    """The same with nobody to wait for, in one game that is over at once."""
    entries = text.index("  - {game"), text.index("players:")
    game = "  - {game: so_long_sucker, options: {chips: 1}}\ntalk: off\n"
    return (text[: entries[0]] + game + text[entries[1] :]).replace("human: true", "bot: random")


@pytest.mark.usefixtures("key")
def test_a_run_of_models_shows_calls_tokens_and_spend(models: Path, loopback: Loopback, tmp_path: Path) -> None:
    models.write_text(short(models.read_text()))
    db = str(tmp_path / "parley.db")
    called = invoke("run", str(models), "--db", db)
    assert called.status == 0, called.err
    last = next(line for line in called.out.splitlines() if line.startswith("house: 4 of 4 matches finished"))
    with Store.open_readonly(db) as store:
        spend = store.spend(1)
    assert f", {spend.calls:,} calls, {spend.tokens:,} tokens, ${spend.usd:,.4f} in " in last
    board = invoke("leaderboard", "--db", db).out
    assert "tokens in" in board
    assert "$" in board


@pytest.mark.usefixtures("key")
def test_a_model_that_goes_away_pauses_the_run_with_its_reason(
    models: Path, loopback: Loopback, tmp_path: Path
) -> None:
    models.write_text(short(models.read_text()))
    answers = iter(range(10_000))

    def soon_gone(seen: object) -> Answer | object:
        return Answer("{}") if next(answers) < 4 else status(401, f"no {MARKUP} key {TURNED}")

    loopback.always(soon_gone)  # type: ignore[arg-type]
    db = str(tmp_path / "parley.db")
    called = invoke("run", str(models), "--db", db)
    assert called.status == 1
    assert called.err.startswith("parley: house is not finished: ")
    assert MARKUP in called.err
    assert harmful(called.err + called.out) == []
    assert called.err.count("\n") == 1
    assert called.out.splitlines()[-1].startswith("Everything played so far is kept; the same command goes on: ")
    assert invoke("runs", "--db", db, "--json").json[0]["status"] == "paused"
