"""The files in `runs/` and the page about them say what is true."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml
from pydantic import BaseModel

from harness.schedule import schedule
from harness.spec import (
    Budget,
    BudgetPart,
    GameEntry,
    Interface,
    Limit,
    PlayerSpec,
    Price,
    Talk,
    Tournament,
    load,
    parse,
)

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "tournament-file.md").read_text(encoding="utf-8")
RUNS = sorted((ROOT / "runs").glob("*.yaml"))


def section(title: str) -> str:
    """The page's part under that heading."""
    return PAGE.split(f"\n## {title}\n", 1)[1].split("\n## ", 1)[0]


@pytest.mark.parametrize(
    ("title", "model"),
    [
        ("The run", Tournament),
        ("games", GameEntry),
        ("players", PlayerSpec),
        ("talk", Talk),
        ("interface", Interface),
        ("limits", Limit),
        ("budget", Budget),
    ],
)
def test_the_page_names_every_key_and_its_default(title: str, model: type[BaseModel]) -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \|(.*)\|$", section(title), re.M))
    assert list(rows) == list(model.model_fields)
    for key, field in model.model_fields.items():
        if isinstance(field.default, str | int) and not isinstance(field.default, bool):
            assert f"| `{field.default}` |" in rows[key], key
        if isinstance(field.default, bool):
            assert f"| `{str(field.default).lower()}` |" in rows[key], key


def test_the_page_names_the_keys_of_a_price() -> None:
    row = next(line for line in section("players").splitlines() if line.startswith("| `price`"))
    assert all(f"`{key}`" in row for key in Price.model_fields)
    assert all(f"`{key}`" in section("budget") for key in BudgetPart.model_fields)


def test_the_pages_examples_are_read() -> None:
    whole = re.findall(r"```yaml\n(.*?)```", PAGE, re.S)
    assert len(whole) == 1
    base = parse(whole[0], "page.yaml")
    assert base.games[0].seats == 4
    for title, model in [("talk", Talk), ("interface", Interface), ("limits", Limit)]:
        for key, example in re.findall(r"^\| `(\w+)` \|(?:[^|]*\|){2} `([^`]*)` \|", section(title), re.M):
            model.model_validate({key: yaml.safe_load(example)})


@pytest.mark.parametrize("path", RUNS, ids=lambda path: path.stem)
def test_shipped_files(path: Path) -> None:
    spec = load(path)
    assert spec.name == path.stem
    matches = schedule(spec)
    assert matches
    assert {seat.label for match in matches for seat in match.seats} == {player.label for player in spec.players}


def test_shipped_files_are_what_their_names_say() -> None:
    assert {path.stem for path in RUNS} >= {"quickstart", "bots", "providers"}
    quick, bots, providers = (load(ROOT / "runs" / f"{name}.yaml") for name in ("quickstart", "bots", "providers"))
    assert {player.provider for player in quick.players} == {"local", None}
    assert quick.interface.thoughts == "none"
    assert {player.bot for player in bots.players} == {"random", "greedy", "banker", "turncoat"}
    assert bots.talk.on
    assert [player.provider for player in providers.players] == ["gemini", "groq", "bedrock", "openrouter"]
    assert providers.budget is not None
    assert providers.budget.usd
    assert {player.provider for player in providers.players} == set(providers.limits)
