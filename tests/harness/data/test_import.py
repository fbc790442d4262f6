"""What is imported is checked line by line; after any fault nothing of it is there."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.data.importing import import_runs
from harness.data.lines import BadImport
from harness.store import Store
from tests.harness.cli.calling import invoke
from tests.harness.cli.hostile import harmful

Row = dict[str, Any]
Refused = Callable[[Path], str]


@pytest.fixture(scope="module")
def whole(sucker: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An export with forks, messages and pledges in it."""
    folder = tmp_path_factory.mktemp("whole") / "files"
    call = invoke("export", "models", "again", "--jsonl", str(folder), "--db", sucker)
    assert call.status == 0
    return folder


@pytest.fixture
def files(whole: Path, tmp_path: Path) -> Path:
    """A copy of it to spoil."""
    return shutil.copytree(whole, tmp_path / "files")


def lines(files: Path, table: str) -> list[str]:
    return (files / f"{table}.jsonl").read_text("utf-8").splitlines()


def write(files: Path, table: str, rows: list[str]) -> None:
    (files / f"{table}.jsonl").write_text("".join(f"{row}\n" for row in rows), "utf-8")


def change(files: Path, table: str, number: int, spoil: Callable[[Row], Any]) -> None:
    """Change the row in a line of a table (from 1)."""
    rows = lines(files, table)
    row = json.loads(rows[number - 1])
    spoil(row)
    rows[number - 1] = json.dumps(row)
    write(files, table, rows)


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A database that holds nothing."""
    with Store.open(tmp_path_factory.mktemp("empty") / "parley.db") as store:
        yield store


@pytest.fixture
def refused(empty: Store) -> Refused:
    """Imports into it what cannot be, sees that it still holds nothing, and gives the line that is told."""

    def told(files: Path) -> str:
        with pytest.raises(BadImport) as error, empty.intake() as intake:
            import_runs(files, intake)
        assert empty.runs() == []
        assert empty.spend_by(1) == {}
        return str(error.value)

    return told


FIELDS: list[tuple[str, int, dict[str, Any], str]] = [
    ("runs", 1, {"run": "12"}, 'run: "12" is all digits'),
    ("runs", 1, {"run": " x"}, "run: "),
    ("runs", 1, {"seed": "7"}, 'seed: "7" is not right; a whole number of 64 bits is wanted'),
    ("runs", 1, {"seed": 1 << 63}, "seed: 9223372036854775808 is not right; a whole number of 64 bits is wanted"),
    ("runs", 1, {"seed": True}, "seed: true is not right"),
    ("runs", 1, {"status": "lost"}, "status: "),
    ("runs", 1, {"spec": "[1]"}, "spec: [1] is no JSON object"),
    (
        "runs",
        1,
        {"spec": '{"name": "models", "games": 7}'},
        "spec: the tournament of the run 'models' cannot be read: ",
    ),
    ("matches", 1, {"options": '{"chips": "many"}'}, 'options: {"chips": "many"} are no options of so_long_sucker'),
    ("runs", 1, {"spec": "{"}, 'spec: "{" is not right (Expecting property name'),
    ("runs", 1, {"spec": '{"x": NaN}'}, "NaN is no number of JSON"),
    ("runs", 1, {"spec": "[" * 100_000}, "nested too deep"),
    ("runs", 1, {"created_at": "2026-05-04"}, "it has no time zone"),
    ("runs", 1, {"created_at": "0001-01-01T00:00:00+23:59"}, "created_at: "),
    ("runs", 1, {"created_at": "noon"}, "a time as 2026-05-04T12:00:00.000250+00:00 is wanted"),
    ("runs", 1, {"source": None}, "source: it is null; a text is wanted"),
    ("runs", 1, {"source": "a\x10zz"}, "source: it has U+0010 without the four hexadecimal digits"),
    ("runs", 2, {"run": "models"}, 'run: "models" stands in two lines'),
    ("matches", 1, {"run": "who"}, 'run: "who" is none of models, again'),
    ("matches", 1, {"game": "chess"}, 'game: "chess" is no game here; there are so_long_sucker'),
    ("matches", 1, {"game_index": 1}, "game_index: 1, but the file of the run has games[0] alone"),
    ("matches", 2, {"number": 0}, "number: 0 stands in two lines"),
    ("matches", 1, {"plies": 3}, "matches.jsonl says 3 plies"),
    ("matches", 1, {"reason": "boredom"}, 'reason: "boredom" stands where "last_alive" has to be'),
    ("matches", 1, {"outcome": '{"winners": []}'}, "outcome: "),
    ("matches", 1, {"start": "7"}, "start: 7 is no JSON object"),
    ("matches", 1, {"start": None}, "start_hash: a match has a start position and its hash, or neither"),
    ("matches", 1, {"start_events": '[{"kind": 1}]'}, "start_events: "),
    ("matches", 1, {"pack": -1}, "pack: -1 is below 0"),
    ("matches", 5, {"parent_ply": 3}, "parent_ply: 3, but its lineage goes to 4"),
    ("matches", 5, {"lineage": '[{"until": 4}]'}, "lineage"),
    ("matches", 5, {"lineage": "{}"}, "lineage: {} is no list"),
    ("seats", 1, {"seat": "purple"}, "seats.jsonl gives it the seats purple"),
    ("seats", 2, {"seat_number": 7}, "seat_number: 7 stands where 1 has to be"),
    ("seats", 1, {"kind": "ghost"}, "kind: "),
    ("turns", 3, {"ply": 9}, "ply: 9 stands where 3 has to be"),
    ("turns", 1, {"seat": "purple"}, 'seat: "purple" is none of red, blue, green, yellow'),
    ("turns", 1, {"source": "oracle"}, "source: "),
    ("turns", 1, {"events": "[[]]"}, "events: []: an event is an object"),
    ("turns", 1, {"events": "{}"}, "events: {}"),
    ("turns", 1, {"call": 987_654}, "call: 987654 is no call of this match in calls.jsonl"),
    ("turns", 1, {"dropped": "7"}, "dropped: "),
    ("calls", 9, {"kind": "bribe"}, "kind: "),
    ("calls", 9, {"cost": "free"}, 'cost: "free" is not right; a finite number is wanted'),
    ("calls", 9, {"cost": 10**400}, "cost: a number of more than 70 digits is not right"),
    ("calls", 9, {"prompt": '[{"role": "boss", "parts": []}]'}, "prompt[0].role: "),
    ("calls", 9, {"seat": "purple"}, 'seat: "purple" is none of'),
    ("messages", 2, {"seq": 0}, "seq: 0 stands where 1 has to be"),
    ("messages", 1, {"addressee": "purple"}, 'addressee: "purple" is none of all, red'),
    ("messages", 1, {"cut": 0}, "cut: 0 is not right; true or false is wanted"),
    ("pledges", 1, {"pledge": 4}, "pledge: 4 stands where 0 has to be"),
    ("pledges", 1, {"maker": "purple"}, 'maker: "purple" stands where '),
    ("pledges", 1, {"seq": 900}, "seq: 900 is no message of this match"),
]


@pytest.mark.parametrize(("table", "number", "values", "told"), FIELDS)
def test_a_wrong_field_is_named(refused: Refused, files: Path, table: str, number: int, values: Row, told: str) -> None:
    change(files, table, number, lambda row: row.update(values))
    line = refused(files)
    assert told in line
    if "plies" not in values:
        assert f"{'matches' if 'gives it' in told else table}.jsonl line {number}: " in line


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (lambda line: line[: len(line) // 2], "it is no JSON ("),
        (lambda line: "[1]", "[1] is no JSON object; each line is one"),
        (lambda line: "[" * 100_000, "nested too deep"),
        (lambda line: line.replace('"ply":2', '"ply":' + "9" * 5000), "it is no JSON ("),
        (lambda line: line.replace('"ply":2', '"ply":NaN'), "NaN is no number of JSON"),
        (lambda line: line.replace('"ply":', '"plie":'), "ply: it is missing"),
        (lambda line: line.replace('"ply":', '"\\u001b[31m":1,"ply":'), "is no column of turns; there are "),
        (lambda line: line.replace('"ply":2', '"ply":2.0'), "ply: 2.0 is not right"),
    ],
)
def test_a_wrong_line_is_named(refused: Refused, files: Path, spoil: Callable[[str], str], told: str) -> None:
    rows = lines(files, "turns")
    assert '"ply":2,' in rows[1]
    rows[1] = spoil(rows[1])
    write(files, "turns", rows)
    line = refused(files)
    assert told in line
    assert "turns.jsonl line 2: " in line


def test_what_is_no_text_is_named(refused: Refused, files: Path) -> None:
    with (files / "turns.jsonl").open("r+b") as file:
        file.write(b"\xff\xfe")
    assert "turns.jsonl line 1: it is no UTF-8 text" in refused(files)


def test_lines_of_another_match_are_not_passed_over(refused: Refused, files: Path) -> None:
    rows = lines(files, "messages")
    write(files, "messages", [*rows, json.dumps({**json.loads(rows[-1]), "match": 999})])
    line = refused(files)
    assert f"messages.jsonl line {len(rows) + 1}: match: 999: it is in no line of matches.jsonl" in line


@pytest.mark.parametrize("table", ["turns", "calls", "seats", "pledges", "answers", "matches"])
def test_files_that_are_not_whole_are_refused(refused: Refused, files: Path, table: str) -> None:
    rows = lines(files, table)
    if not rows:
        (files / f"{table}.jsonl").unlink()
    write(files, table, rows[:-1]) if rows else None
    assert f"{table}.jsonl" in refused(files)


def test_an_appended_line_is_refused(refused: Refused, files: Path) -> None:
    rows = lines(files, "turns")
    write(files, "turns", [*rows, rows[-1]])
    assert "turns.jsonl" in refused(files)


@pytest.mark.parametrize(
    ("manifest", "told"),
    [
        (None, "it holds no export.json, so it is no whole export"),
        ("{", "export.json: it is no JSON"),
        ("7", "export.json: parley_export: null is no format that is known here; 1 is"),
        ('{"parley_export": 2}', "parley_export: 2 is no format that is known here; 1 is"),
        ('{"parley_export": 1, "public": true}', "export again without --public"),
        ('{"parley_export": 1, "public": false, "tables": {}}', "tables.runs: it is missing"),
    ],
)
def test_a_folder_that_is_no_export_is_refused_before_a_database_is_made(
    refused: Refused, files: Path, manifest: str | None, told: str
) -> None:
    if manifest is None:
        (files / "export.json").unlink()
    else:
        (files / "export.json").write_text(manifest)
    assert told in refused(files)
    call = invoke("import", str(files), "--db", "own.db")
    assert (call.status, call.err.count("\n"), call.out) == (2, 1, "")
    assert not Path("own.db").exists()


def test_no_folder_is_no_export(refused: Refused, tmp_path: Path) -> None:
    assert "nowhere: there is no such folder" in refused(tmp_path / "nowhere")


def test_a_name_that_is_there_is_refused_with_a_way_out(files: Path, sucker: str) -> None:
    alone = Path("alone")
    assert invoke("export", "models", "--jsonl", str(alone), "--db", sucker).status == 0
    assert invoke("import", str(alone), "--db", "own.db").status == 0
    call = invoke("import", str(alone), "--db", "own.db")
    assert call.status == 2
    assert 'there is a run named "models" in the database already; --as NAME takes it in' in call.err
    assert invoke("import", str(alone), "--as", "models", "--db", "own.db").status == 2
    assert invoke("import", str(alone), "--as", "7", "--db", "own.db").err.startswith('parley: --as: "7" is all digits')
    assert invoke("import", str(alone), "--as", "", "--db", "own.db").err.startswith('parley: --as: ""')
    assert invoke("import", str(alone), "--as", "more", "--db", "own.db").status == 0
    assert "--as: " in invoke("import", str(files), "--as", "most", "--db", "own.db").err
    with Store.open_readonly("own.db") as store:
        assert [run.name for run in store.runs()] == ["models", "more"]


def test_what_a_file_says_cannot_reach_the_terminal(files: Path) -> None:
    change(files, "turns", 2, lambda row: row.update(source="\x1b[2J\u202egone"))
    call = invoke("import", str(files), "--db", "own.db")
    assert (call.status, call.err.count("\n"), harmful(call.err)) == (2, 1, [])
