"""The files of an export: what is in them, what is left out for everybody, and that they are whole or not there."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest

from harness.data import read as reading
from harness.data.read import Wanted, read
from harness.data.schema import TABLES, arrow_schema
from harness.data.write import CannotWrite, write_tables
from harness.store import Store
from harness.store.columns import escape
from tests.harness.cli.calling import invoke
from tests.harness.cli.hostile import FORGED, HOSTILE, make_hostile
from tests.harness.data.conftest import RUNS
from tests.harness.forking import bots
from tests.harness.store.samples import call_of, match_of, message_of, run_of, turn_of

KINDS = {"text": str, "json": str, "int": int, "float": (int, float), "bool": bool, "time": str}


def lines(folder: str, table: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(folder, f"{table}.jsonl").read_text("utf-8").splitlines()]


def export(db: str, *args: str) -> None:
    call = invoke("export", *args, "--db", db)
    assert (call.status, call.err) == (0, "")


def test_every_row_is_as_the_schema_says(either: str) -> None:
    export(either, *RUNS, "--jsonl", "data")
    for table in TABLES.values():
        rows = lines("data", table.name)
        # Not every game has pledges, and nobody typed.
        assert rows or table.name in ("pledges", "answers")
        for row in rows:
            assert tuple(row) == table.names
            for column in table.columns:
                value = row[column.name]
                if value is None:
                    assert column.null, (table.name, column.name)
                    continue
                assert isinstance(value, KINDS[column.kind]), (table.name, column.name, value)
                assert isinstance(value, bool) == (column.kind == "bool")
                if column.kind == "json":
                    json.loads(value)
                if column.kind == "time":
                    assert datetime.fromisoformat(value).tzinfo == UTC


def test_parquet_has_types_meanings_and_the_same_rows(either: str) -> None:
    export(either, *RUNS, "--jsonl", "data", "--parquet", "data")
    for table in TABLES.values():
        found = pyarrow.parquet.read_table(f"data/{table.name}.parquet")
        assert found.schema.equals(arrow_schema(table), check_metadata=False)
        for column in table.columns:
            told = found.schema.field(column.name).metadata
            assert told[b"description"].decode() == column.meaning
            assert told.get(b"unit", b"").decode() == column.unit
        times = [column.name for column in table.columns if column.kind == "time"]
        rows = lines("data", table.name)
        for row in rows:
            row |= {name: row[name] and datetime.fromisoformat(row[name]) for name in times}
        assert found.to_pylist() == rows


def test_sums_and_outcomes_are_those_of_the_store(either: str) -> None:
    export(either, *RUNS, "--jsonl", "data")
    with Store.open_readonly(either) as store:
        stats = {(stat.match_id, stat.seat): stat for stat in store.seat_stats([1, 2, 3, 4])}
    seats, outcomes = lines("data", "seats"), lines("data", "outcomes")
    assert len(seats) == len(outcomes) == len(stats)
    for row in seats:
        stat = stats[row["match"], row["seat"]]
        for name in ("turns", "decisions", "illegal", "calls", "prompt_tokens", "cost", "messages", "pledges"):
            assert row[name] == round(getattr(stat, name), 9)
    by_match: dict[int, list[dict[str, Any]]] = {}
    for row in outcomes:
        by_match.setdefault(row["match"], []).append(row)
    for rows in by_match.values():
        if rows[0]["place"] is not None:
            assert sum(row["win_share"] for row in rows) == pytest.approx(1)
            assert sum(row["points"] for row in rows) == len(rows) * (len(rows) - 1) / 2
            assert sorted(rows, key=lambda row: row["place"]) == sorted(
                rows, key=lambda row: (row["place"], -row["points"])
            )
        assert sum(row["forfeited"] for row in rows) == (rows[0]["reason"] == "forfeit")
    assert {"counted", "forfeit", "void", "paused"} <= {row["fate"] for row in outcomes}


def test_what_a_fork_took_over_is_marked_with_who_played_it(either: str) -> None:
    export(either, "models", "again", "--jsonl", "data")
    parents = {row["match"]: row for row in lines("data", "matches") if row["parent"] is None}
    for fork in (row for row in lines("data", "matches") if row["parent"] is not None):
        turns = [row for row in lines("data", "turns") if row["match"] == fork["match"]]
        assert [row["copied"] for row in turns] == [row["ply"] <= fork["parent_ply"] for row in turns]
        first = [row for row in lines("data", "turns") if row["match"] == parents[fork["parent"]]["match"]]
        for own, was in zip(turns[: fork["parent_ply"]], first, strict=False):
            assert (own["ply"], own["seat"], own["label"], own["action"]) == (
                *(was["ply"], was["seat"], was["label"], was["action"]),
            )


def test_a_public_export_holds_nothing_hidden(sucker: str) -> None:
    export(sucker, *RUNS, "--jsonl", "all")
    export(sucker, *RUNS, "--jsonl", "data", "--parquet", "data", "--public")
    over = {row["match"] for row in lines("all", "matches") if row["status"] in ("finished", "void")}
    assert {row["match"] for row in lines("data", "matches")} == over
    secrets = set()
    for table in TABLES.values():
        hidden = [column.name for column in table.columns if column.hidden == "always"]
        for row in lines("all", table.name):
            private = row.get("private") and table.name == "messages"
            secrets |= {row[name] for name in hidden if isinstance(row[name], str) and len(row[name]) > 30}
            secrets |= {row["text"]} if private else set()
        for row in lines("data", table.name):
            assert row.get("match") is None or row["match"] in over
            assert all(row[name] is None for name in hidden)
    assert len(secrets) > 100
    whole = "".join(path.read_text("utf-8") for path in Path("data").glob("*.jsonl"))
    assert [one for one in secrets if json.dumps(one, ensure_ascii=False)[1:-1] in whole] == []
    assert "secret said" not in whole
    assert "thought " not in whole
    assert any(row["text"] for row in lines("data", "messages"))
    assert pyarrow.parquet.read_table("data/calls.parquet")["prompt"].null_count > 0


def test_hostile_words_stay_data(tmp_path: Path) -> None:
    make_hostile("hostile.db")
    name = "[red]run[/]"
    export("hostile.db", name, "--jsonl", "data", "--parquet", "data")
    turns, messages = lines("data", "turns"), lines("data", "messages")
    assert {row["notes"] for row in turns} == {escape(HOSTILE)}
    assert {row["thoughts"] for row in turns} == {escape(f"{FORGED} {HOSTILE}")}
    assert {row["text"] for row in messages if not row["private"]} == {escape(HOSTILE)}
    assert {row["run"] for row in turns} == {name}
    assert pyarrow.parquet.read_table("data/turns.parquet")["notes"].to_pylist() == [row["notes"] for row in turns]


def test_texts_that_no_file_holds_come_back(tmp_path: Path) -> None:
    odd = "nul \0, halves \ud800 and \udc00\ud800\udc00, \x10 itself, \U0001f600"
    spec = bots("so_long_sucker").with_overrides(name="one").to_json()
    with Store.open("odd.db") as store:
        run_id = store.create_run(run_of("one", spec=spec, source=odd), [match_of()]).result()
        match_id = store.matches(run_id)[0].id or 0
        start = {"chance": {"seed": 1}, "note": odd}
        store.start_match(match_id, start=start, start_events=[], start_hash="x", versions={}).result()
        call_id = store.add_call(call_of(match_id=match_id, content=odd, asked={"stop": odd})).result()
        turn = turn_of(1, thoughts=odd, call_id=call_id, events=({"kind": odd, "audience": "all"},))
        store.add_turns(match_id, [turn], [message_of(0, text=odd)]).result()
        for text in ("first", odd):
            store.put_inbox(match_id, "red", 0, text).result()
        assert store.take_inbox(match_id, "red", 0).result() == "first"
    export("odd.db", "one", "--jsonl", "data", "--parquet", "data")
    assert invoke("import", "data", "--db", "own.db").status == 0
    for db in ("odd.db", "own.db"):
        with Store.open_readonly(db) as store:
            (found,), (said,), (asked,) = store.turns(1), store.messages(1), store.calls(1, prompts=True)
            assert (found.thoughts, said.text, asked.content, asked.asked) == (odd, odd, odd, {"stop": odd})
            assert found.events[0]["kind"] == odd
            assert store.inbox(1, "red", 0) == ["first", odd]
            match = store.match(1)
            assert match is not None
            assert match.start == start
    assert [row["used_at"] is None for row in lines("data", "answers")] == [False, True]
    with Store.open("own.db") as store:
        assert store.take_inbox(1, "red", 0).result() == odd


def test_files_that_are_there_stay_unless_forced(sucker: str) -> None:
    Path("data").mkdir()
    Path("data/turns.jsonl").write_text("mine")
    call = invoke("export", "models", "--jsonl", "data", "--db", sucker)
    assert call.status == 2
    assert call.err == ("parley: data/turns.jsonl is there already; --force replaces it, another place keeps it\n")
    assert [path.name for path in Path("data").iterdir()] == ["turns.jsonl"]
    assert Path("data/turns.jsonl").read_text() == "mine"
    export(sucker, "models", "--jsonl", "data", "--force")
    assert len(lines("data", "turns")) > 20


@pytest.mark.parametrize(
    ("args", "line"),
    [
        (("models", "--jsonl", "a/b"), "parley: there is no folder a to make b in"),
        (("models", "--jsonl", "file"), "parley: file is a file, a folder is wanted"),
        (("1", "--jsonl", "x"), "parley: export: --jsonl: 1 is the number of a match; whole runs are written"),
        (("nobody", "--parquet", "x"), "parley: export: no run named 'nobody' in "),
        (("models",), "parley: export: say what to write: --html, --jsonl DIR, --parquet DIR or --chat FILE"),
        (
            ("models", "--html", "--jsonl", "x"),
            "parley: export: --html and --jsonl or --parquet are written one at a time",
        ),
        (("models", "--jsonl", "x", "--winners-only"), "parley: export: --winners-only goes with --chat, not with "),
        (("models", "--jsonl", "x", "-o", "y"), "parley: export: --output goes with --html, not with "),
        (
            ("models", "--chat", "c", "--game", "trap_race"),
            "parley: export: --game: no match here is one of trap_race; there are so_long_sucker\n",
        ),
        (("models", "--chat", "c", "--game", "chess"), "parley: export: --game: there is no game 'chess'; there are "),
        (("models", "--chat", "-"), "parley: export: --chat: '-' names no file; give the name of one\n"),
        (("models", "--jsonl", ""), "parley: export: --jsonl: '' names no folder; give the name of one\n"),
        (("1", "--html", "-o", ""), "parley: export: -o: '' names no file; give the name of one\n"),
        (
            ("models", "--html"),
            "parley: export: 'models' is a run, and the number of a match is wanted; `parley show models` lists them\n",
        ),
        (("1", "2", "--html"), "parley: export: --html: a page is of one match; give one MATCH, not 1, 2\n"),
        (
            ("1", "--html", "my page.html"),
            "parley: export: --html: 'my page.html' is no match; the name of the page's file goes behind -o: "
            "1 --html -o 'my page.html'\n",
        ),
        (
            ("--html", "page", "1"),
            "parley: export: --html: 'page' is no match; the name of the page's file goes behind",
        ),
        (
            ("1", "2", "page", "--html"),
            "parley: export: --html: a page is of one match; give one MATCH, not 1, 2, page",
        ),
    ],
)
def test_what_cannot_be_is_said_in_one_line(sucker: str, args: tuple[str, ...], line: str) -> None:
    Path("file").write_text("")
    call = invoke("export", *args, "--db", sucker)
    assert (call.status, call.err.count("\n")) == (2, 1)
    assert call.err.startswith(line)
    assert [path.name for path in Path().iterdir()] == ["file"]


def test_some_tables_alone(sucker: str) -> None:
    export(sucker, "models", "--jsonl", "data", "--table", "turns", "--table", "outcomes")
    assert {path.name for path in Path("data").iterdir()} == {"turns.jsonl", "outcomes.jsonl", "export.json"}
    call = invoke("import", "data", "--db", "own.db")
    assert (call.status, call.err.count("\n")) == (2, 1)
    assert "tables.runs: it is missing; export again without --table" in call.err


def test_after_an_error_no_file_is_there(tmp_path: Path) -> None:
    def rows() -> Any:
        yield "turns", [("a",) * len(TABLES["turns"].columns)]
        assert [path.suffix for path in Path("data").iterdir()] != []
        raise RuntimeError

    with pytest.raises(RuntimeError):
        write_tables(rows(), {"jsonl": Path("data")}, ["turns"], about={})
    assert not Path("data").exists()


def test_a_place_that_cannot_be_is_told_in_one_line() -> None:
    with pytest.raises(CannotWrite, match="File name too long"):
        write_tables((), {"jsonl": Path("x" * 300)}, ["turns"], about={})


def test_one_state_is_read_while_others_write(sucker: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is played while an export runs is in no table of it, rather than in some."""
    assert invoke("backup", "copy.db", "--db", sucker).status == 0
    monkeypatch.setattr(reading, "_MATCHES_AT_ONCE", 1)
    with Store.open("copy.db") as store, store.snapshot() as snapshot:
        rows = read(snapshot, store.runs(), Wanted(("matches", "turns")))
        found = [next(rows)]
        for match in store.matches(store.runs()[2].id or 0):
            store.set_match(match.id or 0, "void", "meanwhile").result()
        found += list(rows)
        before = {row[1]: row[10] for table, some in found if table == "matches" for row in some}
        after = {match.id: match.status for run in store.runs() for match in store.matches(run.id or 0)}
    assert before != after
    assert "paused" in before.values()
    assert "paused" not in after.values()


def test_every_type_of_the_schema_is_one_that_arrow_has() -> None:
    for table in TABLES.values():
        assert len(set(table.names)) == len(table.names)
        for field in arrow_schema(table):
            assert field.type in (pa.string(), pa.int64(), pa.float64(), pa.bool_(), pa.timestamp("us", "UTC"))
