"""`import parley`: runs as data frames, from the functions behind the commands."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import parley
from harness.behaviour.registry import MEASURES
from harness.data.schema import TABLES
from harness.store import Store
from tests.harness.cli.calling import invoke
from tests.harness.store.samples import NOON, match_of, run_of

MINE = """
from harness.behaviour.registry import Tally, measure


@measure("Turns", unit="per match")
def my_turns(match):
    \"\"\"How many actions the player plays.\"\"\"
    for seat in match.seats:
        yield Tally(seat, None, sum(turn.seat == seat for turn in match.turns), 1)
"""
PER_MATCH = [name for name in TABLES if name != "runs"]


@pytest.mark.parametrize("table", PER_MATCH)
def test_a_table_is_that_of_the_export_in_three_forms(sucker: str, table: str) -> None:
    assert invoke("export", "models", "--parquet", "data", "--db", sucker).status == 0
    with parley.open(sucker) as db:
        run = db.run("models")
        frame, polar, arrow = (getattr(run, table)(as_=kind) for kind in ("pandas", "polars", "arrow"))
    assert isinstance(frame, pd.DataFrame)
    assert isinstance(polar, pl.DataFrame)
    assert isinstance(arrow, pa.Table)
    assert tuple(frame.columns) == tuple(polar.columns) == tuple(arrow.column_names) == TABLES[table].names
    pd.testing.assert_frame_equal(frame, pd.read_parquet(f"data/{table}.parquet"))
    assert polar.equals(pl.read_parquet(f"data/{table}.parquet"))


def test_runs_are_found_by_name_and_number(sucker: str) -> None:
    with parley.open(Path(sucker)) as db:
        assert list(db.runs()["run"]) == ["models", "forfeits", "halted", "again"]
        assert db.run(1).name == db.run("models").name == "models"
        assert repr(db.run("models")) == "<parley run 'models'>"
        with pytest.raises(parley.ParleyError, match=r"^no run 'model' in .*parley\.db; there is models and 3 more$"):
            db.run("model")
        with pytest.raises(parley.ParleyError, match=r"no run 99 in .*; there is forfeits, halted, again and 1 more$"):
            db.run(99)
        for odd in (None, True, 1.0):
            with pytest.raises(parley.ParleyError, match=rf"^run: {odd} is neither a run's name nor its number$"):
                db.run(odd)


def test_a_database_that_was_closed_says_so(sucker: str) -> None:
    with parley.open(sucker) as db:
        run = db.run("models")
    db.close()
    for ask in (db.runs, db.leaderboard, lambda: db.run("models"), run.turns, run.behaviour, run.ledger):
        with pytest.raises(parley.ParleyError, match=r"parley\.db was closed; parley\.open opens it again$"):
            ask()
    assert run.name == "models"
    assert "parley.db" in repr(db)


def test_figures_are_those_of_the_commands(either: str) -> None:
    board = invoke("leaderboard", "models", "--json", "--db", either).json
    found = invoke("behaviour", "models", "--json", "--db", either).json
    judged = invoke("pledges", "models", "--json", "--db", either).json
    with parley.open(either) as db:
        run = db.run("models")
        ranks, all_ranks, measures = run.leaderboard(), db.leaderboard(), run.behaviour()
        rows, says = run.ledger(), run.ledger("says")
    wanted = [row for table in board["tables"] for row in table["rows"]]
    assert list(ranks["label"]) == [row["label"] for row in wanted]
    assert list(ranks["win_rate"]) == [row["win_rate"] for row in wanted]
    assert list(ranks["not_counted_void"]) == [row["not_counted"]["void"] for row in wanted]
    assert {"win_interval_low", "win_interval_high"} <= set(ranks.columns)
    assert set(all_ranks["run"]) == {"models", "forfeits", "halted"}
    figures = [row for table in found["tables"] for one in table["measures"] for row in one["rows"]]
    assert list(measures["part"]) == [row["part"] for row in figures]
    assert set(measures["rules"]) == {board["tables"][0]["rules"]} != {None}
    assert list(rows["rules"]) == [table["rules"] for table in judged["tables"] for _ in table["rows"]]
    assert len(rows) == sum(len(table["rows"]) for table in judged["tables"])
    assert len(says) == sum(len(table["says"]) for table in judged["tables"])


def test_a_frame_without_rows_keeps_its_columns(sucker: str, tmp_path: Path) -> None:
    file = tmp_path / "none.yaml"
    players = "players: [{label: a, bot: random}, {label: b, bot: random}]"
    file.write_text(f"name: none\nmatches: 2\ngames: [{{game: twenty_one}}]\n{players}\n")
    (tmp_path / "mine.py").write_text(MINE.replace("yield Tally(", "yield from () and (").replace(", 1)", ")"))
    assert invoke("run", str(file), "--db", "none.db").status == 0
    assert invoke("run", str(file), "--db", "empty.db").status == 0
    assert invoke("rm", "none", "--yes", "--db", "empty.db").status == 0
    with parley.open(sucker) as db, parley.open("none.db") as none, parley.open("empty.db") as empty:
        full, bare = db.run("models"), none.run("none")
        for kind in ("pandas", "polars", "arrow"):
            pairs = [(full.ledger(part, as_=kind), bare.ledger(part, as_=kind)) for part in ("rows", "says")]
            pairs.append((full.behaviour(as_=kind), bare.measure("mine.py", as_=kind)))
            pairs.append((bare.leaderboard(as_=kind), empty.leaderboard(as_=kind)))
            for some, nothing in pairs:
                names = [list(one.column_names if kind == "arrow" else one.columns) for one in (some, nothing)]
                assert names[0] == names[1]
                assert (len(some) > 0, len(nothing)) == (True, 0)


def test_a_measure_of_ones_own(sucker: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(MINE)
    known = set(MEASURES)
    with parley.open(sucker) as db:
        run = db.run("models")
        found = run.measure(file)
        own = run.turns().merge(run.outcomes()[["match", "seat", "fate"]], on=["match", "seat"])
        own = own[own["fate"].isin(["counted", "forfeit"])]
        assert dict(zip(found["label"], found["part"], strict=True)) == own.groupby("label").size().to_dict()
        assert set(found["measure"]) == {"my_turns"}
        file.write_text(MINE.replace('"Turns"', '"More"'))
        assert set(run.measure(file)["title"]) == {"More"}, "a file that was changed is read again"
    assert set(MEASURES) == known
    call = invoke("behaviour", "models", "--measures", str(file), "--measure", "my_turns", "--json", "--db", sucker)
    (table,) = call.json["tables"]
    assert [row["part"] for row in table["measures"][0]["rows"]] == list(found["part"])
    every = invoke("behaviour", "models", "--measures", str(file), "--json", "--db", sucker).json["tables"][0]
    assert [one["name"] for one in every["measures"]][-1] == "my_turns"
    assert len(every["measures"]) > 5


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (None, "mine.py: there is no such file; a Python file with measures is wanted"),
        ("def (", "mine.py line 1: SyntaxError: invalid syntax"),
        ("\nimport nope", "mine.py line 2: ModuleNotFoundError: No module named 'nope'"),
        ("raise SystemExit('bye')", "mine.py line 1: SystemExit: bye"),
        ("x = 1", "mine.py: it holds no measure; write a function under `@measure(…)`"),
        (MINE.replace("per match", "furlongs"), "ValueError: measure my_turns: the unit 'furlongs' is not one of "),
        (MINE.replace("my_turns", "wins"), "ValueError: measure wins: there is one of this name already"),
        (MINE.replace("yield Tally", "1 / 0, Tally"), "measure my_turns: match 0 of models: ZeroDivisionError: "),
        (MINE.replace(", 1)", ", float('nan'))"), "measure my_turns: match 0 of models: its tally for m"),
        (MINE.replace(", 1)", ", float('nan'))"), " of nan; both must be finite numbers\n"),
        (MINE.replace(", 1)", " * 1e999, 1)"), " is inf of 1; both must be finite numbers\n"),
        (MINE.replace(", 1)", " * 1e307, 1)"), "measure my_turns: models: its tallies for m"),
        (MINE.replace("yield Tally", "return Tally"), "measure my_turns: match 0 of models: "),
        (MINE.replace("None, sum", "match.seats.index(seat), sum"), "ValueError: its key 0 is no text; "),
        (MINE.replace(", 1)", ", '1')"), "measure my_turns: match 0 of models: TypeError: "),
    ],
)
def test_a_broken_file_of_measures_is_told_in_one_line(sucker: str, text: str | None, line: str) -> None:
    if text is not None:
        Path("mine.py").write_text(text)
    call = invoke("behaviour", "models", "--measures", "mine.py", "--db", sucker)
    assert (call.status, call.err.count("\n"), call.out) == (2, 1, "")
    assert line in call.err
    call = invoke("behaviour", "models", "--measures", "mine.py", "--json", "--db", sucker)
    assert (call.status, call.err.count("\n"), call.out) == (2, 1, "")
    with parley.open(sucker) as db, pytest.raises(parley.ParleyError) as error:
        db.run("models").measure("mine.py")
    assert line.strip() in str(error.value)
    assert "\n" not in str(error.value)


def test_numbers_of_any_kind_are_added_up(sucker: str) -> None:
    with parley.open(sucker) as db:
        run = db.run("models")
        values = []
        for text in (
            MINE,
            MINE.replace(", 1)", ", Decimal(1))").replace("\n\n\n@", "\nfrom decimal import Decimal\n\n\n@"),
        ):
            Path("mine.py").write_text(text)
            values.append(run.measure("mine.py")["value"].tolist())
    assert values[0] == values[1] != []


@pytest.mark.parametrize(("path", "what"), [(".", "it is a folder"), ("/dev/null", "it is no plain file")])
def test_what_is_no_file_of_measures_is_told_for_what_it_is(sucker: str, path: str, what: str) -> None:
    call = invoke("behaviour", "models", "--measures", path, "--db", sucker)
    assert (call.status, call.err) == (2, f"parley: {path}: {what}; a Python file with measures is wanted\n")


def test_what_cannot_be_had_is_an_error_of_one_line(sucker: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(parley.ParleyError, match=r"nowhere\.db"):
        parley.open("nowhere.db")
    assert not Path("nowhere.db").exists()
    with parley.open(sucker) as db:
        run = db.run("models")
        with pytest.raises(parley.ParleyError, match=r"^as_: 'excel' is none of pandas, polars, arrow$"):
            run.turns(as_="excel")
        with pytest.raises(parley.ParleyError, match=r"^part: 'all' is neither 'rows' nor 'says'$"):
            run.ledger("all")
        monkeypatch.setitem(sys.modules, "polars", None)
        with pytest.raises(parley.ParleyError, match=r"^as_: polars is not installed; pip install polars$"):
            run.turns(as_="polars")


TABLE_CALLS = (*PER_MATCH, "leaderboard", "behaviour", "ledger")


@pytest.mark.parametrize("name", ["late", "other"])
def test_a_run_that_was_taken_away_is_not_mistaken_for_the_one_of_its_number(tmp_path: Path, name: str) -> None:
    path = tmp_path / "parley.db"
    with Store.open(path) as store:
        number = store.create_run(run_of("late"), [match_of(0)]).result()
        with parley.open(path) as db:
            run = db.run("late")
            assert len(run.matches()) == 1
            store.remove_run(number)
            later = run_of(name, created_at=NOON + timedelta(days=1))
            assert store.create_run(later, [match_of(0), match_of(1)]).result() == number
            for ask in TABLE_CALLS:
                with pytest.raises(parley.ParleyError, match=r"^the run 'late' was taken out of .*parley\.db"):
                    getattr(run, ask)()
            assert len(db.run(name).matches()) == 2


def test_a_run_that_went_on_is_read_as_it_is_now(tmp_path: Path) -> None:
    path = tmp_path / "parley.db"
    with Store.open(path) as store:
        number = store.create_run(run_of("late"), [match_of(0)]).result()
        with parley.open(path) as db:
            run = db.run("late")
            store.extend_run(number, matches=[match_of(1)]).result()
            assert list(run.matches()["number"]) == [0, 1]


@pytest.mark.parametrize(
    ("change", "asked"),
    [
        ("UPDATE run SET spec = '{'", ("run",)),
        ("UPDATE run SET status = 'odd'", ("run",)),
        ("UPDATE match SET versions = 'x'", ("seats", "outcomes", "leaderboard", "behaviour", "ledger")),
        ("UPDATE match SET outcome = '[1]'", ("behaviour", "ledger")),
        ("UPDATE seat SET kind = 'odd'", ("seats", "leaderboard", "behaviour")),
        ("UPDATE turn SET at = 'x'", ("turns",)),
        ("UPDATE turn SET seat = 'nobody'", ("turns",)),
    ],
)
def test_what_is_damaged_is_an_error_of_one_line(
    sucker: str, tmp_path: Path, change: str, asked: tuple[str, ...]
) -> None:
    path = tmp_path / "damaged.db"
    shutil.copy(sucker, path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(change)
    told = r"^database .*damaged\.db: it cannot be read: [^\n]+; `parley verify` names what is wrong$"
    with parley.open(path) as db:
        for ask in asked:
            with pytest.raises(parley.ParleyError, match=told):
                db.run("models") if ask == "run" else getattr(db.run("models"), ask)()
        if "run" in asked:
            with pytest.raises(parley.ParleyError, match=told):
                db.runs()


def test_calls_without_prompts_are_all_there(sucker: str) -> None:
    with parley.open(sucker) as db:
        light, whole = (db.run("models").calls(prompts=wanted) for wanted in (False, True))
    played = whole["match"].notna()
    assert light.loc[played, "prompt"].isna().all()
    assert light["content"].equals(whole["content"])
    assert whole["prompt"].notna().all()


def test_importing_it_loads_no_heavy_library() -> None:
    code = "import sys, parley; print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {"pandas", "pyarrow", "polars", "sqlalchemy", "pydantic", "numpy", "litellm"}
    assert heavy.isdisjoint(done.stdout.split())
    for args in (["--help"], ["export", "--help"], ["import", "--help"], ["behaviour", "--help"]):
        code = f"import sys\nfrom harness.cli import main\ntry:\n    main({args})\nexcept SystemExit:\n    pass\n"
        done = subprocess.run(
            [sys.executable, "-c", code + "print(*sorted(sys.modules))"], capture_output=True, text=True, check=True
        )
        assert heavy.isdisjoint(done.stdout.splitlines()[-1].split()), args


def test_the_wheel_holds_the_module(tmp_path: Path) -> None:
    """Installed anywhere, without this folder, `import parley` is there."""
    from zipfile import ZipFile

    root = Path(__file__).parents[3]
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path / "dist")]
    subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    with ZipFile(wheel) as held:
        names = set(held.namelist())
    assert {"parley.py", "harness/api.py", "harness/data/schema.py"} <= names
