"""What the README and `docs/data.md` say of runs as data is so: every column is told of, every line of code runs."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import parley
from harness.data.chat import Choice, chats
from harness.data.describe import tables_text
from harness.store import Store
from tests.harness.cli.calling import invoke

ROOT = Path(__file__).parents[3]
DATA = (ROOT / "docs" / "data.md").read_text("utf-8")
README = (ROOT / "README.md").read_text("utf-8")


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


CODE = [*blocks(README, "python"), *blocks(DATA, "python")]


def test_the_page_has_every_table_as_it_is_defined() -> None:
    told = "docs/data.md is not as the schema has it; end it with what `python -m harness.data.describe` prints"
    assert DATA.endswith(tables_text()), told


@pytest.fixture
def at_home(sucker: str, tmp_path: Path) -> Path:
    """A folder as the pages take it to be: a run of the quickstart, and its export in both formats."""
    (tmp_path / "runs").mkdir()
    assert invoke("export", "models", "--jsonl", "was", "--db", sucker).status == 0
    assert invoke("import", "was", "--as", "quickstart", "--db", "runs/parley.db").status == 0
    call = invoke("export", "quickstart", "--parquet", "data", "--jsonl", "data")
    assert (call.status, call.err) == (0, "")
    return tmp_path


def test_every_line_of_code_runs_with_all_three_libraries(at_home: Path) -> None:
    assert any("pandas" in one and "polars" in one and "duckdb" in one for one in blocks(README, "python"))
    for code in CODE:
        lines: dict[str, Any] = {}
        exec(code, lines)
        # An expression of duckdb is computed only when it is looked at.
        for line in code.splitlines():
            if line.startswith("duckdb.sql(") and line.endswith(")"):
                assert eval(line, lines).fetchall() if not line.endswith(".df()") else len(eval(line, lines))


def test_every_line_of_code_runs_for_the_run_that_the_readme_plays(tmp_path: Path) -> None:
    """With bots for its models, which makes still more of its files empty."""
    quickstart = (ROOT / "runs" / "quickstart.yaml").read_text("utf-8")
    bots = re.sub(r"^ +params: .*\n", "", quickstart.replace("model: local/smollm2", "bot: greedy"), flags=re.MULTILINE)
    (tmp_path / "runs").mkdir()
    (tmp_path / "quickstart.yaml").write_text(bots)
    assert invoke("run", "quickstart.yaml").status == 0
    assert invoke("export", "quickstart", "--parquet", "data", "--jsonl", "data").status == 0
    assert not Path("data/pledges.jsonl").read_text("utf-8")
    for code in CODE:
        exec(code, {})


def test_both_formats_give_the_same_in_all_three_libraries(at_home: Path) -> None:
    import duckdb
    import pandas as pd
    import polars as pl

    run = parley.open("runs/parley.db").run("quickstart")
    wins = run.outcomes().groupby("label")["win_share"].sum().to_dict()
    spent = run.calls().groupby("label")["cost"].sum().round(9).to_dict()
    made = run.pledges().groupby("verdict").size().to_dict()
    assert sum(wins.values()) == pytest.approx(len(run.matches()))
    assert all(cost > 0 for cost in spent.values())
    for read in (pd.read_parquet, lambda path: pd.read_json(path, lines=True, dtype=False)):
        ending = "parquet" if read is pd.read_parquet else "jsonl"
        assert read(f"data/outcomes.{ending}").groupby("label")["win_share"].sum().to_dict() == wins
        assert read(f"data/calls.{ending}").groupby("label")["cost"].sum().round(9).to_dict() == spent
        assert list(read(f"data/turns.{ending}")["action"]) == list(run.turns()["action"])
        assert list(pd.to_datetime(read(f"data/turns.{ending}")["at"], utc=True)) == list(run.turns()["at"])
    for frame in (pl.read_parquet, lambda path: pl.read_ndjson(path, infer_schema_length=None)):
        ending = "parquet" if frame is pl.read_parquet else "jsonl"
        summed = frame(f"data/outcomes.{ending}").group_by("label").agg(pl.col("win_share").sum())
        assert dict(summed.iter_rows()) == wins
        assert frame(f"data/turns.{ending}")["action"].to_list() == list(run.turns()["action"])
        assert frame(f"data/calls.{ending}")["prompt"].to_list() == list(run.calls()["prompt"])
    for source in ("'data/{}.parquet'", "read_json('data/{}.jsonl', sample_size=-1)"):
        pledges, calls = source.format("pledges"), source.format("calls")
        assert dict(duckdb.sql(f"SELECT verdict, count(*) FROM {pledges} GROUP BY 1").fetchall()) == made
        costs = duckdb.sql(f"SELECT label, round(sum(cost), 9) FROM {calls} GROUP BY 1").fetchall()
        assert dict(costs) == pytest.approx(spent)
        roles = duckdb.sql(f"SELECT DISTINCT prompt->>'$[0].role' FROM {calls} WHERE kind = 'act'").fetchall()
        assert roles == [("system",)]


def test_the_example_of_a_chat_has_the_keys_of_one(sucker: str) -> None:
    (example,) = blocks(DATA, "json")
    with Store.open_readonly(sucker) as store, store.snapshot() as snapshot:
        run = store.run("models")
        assert run is not None
        chat = next(chats(snapshot, [run], Choice()))
    told = json.loads(example)
    assert list(told) == list(chat)
    for key, value in chat.items():
        assert isinstance(value, type(told[key])) or value is None or told[key] is None, key
