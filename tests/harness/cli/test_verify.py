"""`parley verify` of databases that somebody edited or that are damaged: a line for each match, and on to the next."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest

from tests.harness.cli.calling import invoke

SOUND = "every position, event and outcome equals the log's"


def changed(db: str, folder: Path, *changes: str) -> str:
    """A copy of a database after these statements."""
    path = folder / "changed.db"
    shutil.copy(db, path)
    with sqlite3.connect(path) as connection:
        for change in changes:
            assert connection.execute(change).rowcount > 0, change
    return str(path)


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ("UPDATE seat SET place = 5 - place WHERE match_id = 2", "place of "),
        ("UPDATE seat SET place = NULL WHERE match_id = 2 AND number = 1", "place of "),
        ("UPDATE match SET reason = 'stalemate' WHERE id = 2", "reason"),
        ("UPDATE match SET reason = NULL WHERE id = 2", "reason"),
        ("UPDATE match SET status = 'running' WHERE id = 2", "status"),
        ("UPDATE match SET outcome = NULL WHERE id = 2", "outcome"),
        ("UPDATE match SET rotation = 3 WHERE id = 2", "rotation"),
        ("UPDATE match SET pack = 3 WHERE id = 2", "pack"),
        ("UPDATE match SET seed = seed + 1 WHERE id = 2", "seed"),
        (
            "UPDATE seat SET label = CASE number WHEN 0 THEN 'chance' WHEN 1 THEN 'greedy' ELSE label END"
            " WHERE match_id = 2",
            "label of seat ",
        ),
        ("UPDATE seat SET kind = 'human' WHERE match_id = 2", "kind of seat 1"),
        ("DELETE FROM seat WHERE match_id = 2 AND number = 3", "number of seats"),
        ("UPDATE turn SET source = 'human' WHERE match_id = 2 AND ply = 7", "source"),
        ("UPDATE turn SET source = 'forced' WHERE match_id = 2 AND legal_count > 1", "source"),
        ("UPDATE turn SET action = action || ' ' WHERE match_id = 2 AND ply = 7", "action"),
        ("UPDATE turn SET legal_count = legal_count + 1 WHERE match_id = 2 AND ply = 7", "number of legal actions"),
        ("UPDATE turn SET shown_index = 999 WHERE match_id = 2 AND ply = 7", "place as shown"),
    ],
)
def test_an_edited_record_is_told(db: str, tmp_path: Path, change: str, what: str) -> None:
    path = changed(db, tmp_path, change)
    for name in ("bots", "2"):
        called = invoke("verify", name, "--db", path)
        assert (called.status, called.err) == (1, "")
        first = called.out.splitlines()[0]
        assert first.startswith("match 2 (bots no. 1): ")
        assert f"{what}" in first.split(" differs: ")[0]
        assert SOUND not in called.out
    assert invoke("verify", "1", "--db", path).status == 0


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE match SET options = '{' WHERE id = 2",
        "UPDATE match SET outcome = 'garbage' WHERE id = 2",
        "UPDATE match SET outcome = '[]' WHERE id = 2",
        "UPDATE match SET start = '{\"a\":' WHERE id = 2",
        "UPDATE match SET start = '{\"a\":1}' WHERE id = 2",
        "UPDATE match SET start_events = '[1]' WHERE id = 2",
        "UPDATE match SET game = 'noughts' WHERE id = 2",
        "UPDATE match SET status = 'odd' WHERE id = 2",
        "UPDATE match SET number = 'many' WHERE id = 2",
        "UPDATE match SET started_at = 'yesterday' WHERE id = 2",
        "UPDATE seat SET kind = 'ghost' WHERE match_id = 2 AND number = 0",
        "UPDATE seat SET place = 'first' WHERE match_id = 2 AND number = 0",
        "UPDATE turn SET events = '[' WHERE match_id = 2 AND ply = 3",
        "UPDATE turn SET events = '3' WHERE match_id = 2 AND ply = 3",
        "UPDATE turn SET source = 'magic' WHERE match_id = 2 AND ply = 3",
        "UPDATE turn SET legal_count = 'x' WHERE match_id = 2 AND ply = 3",
    ],
)
def test_a_damaged_match_is_one_line_and_the_others_are_looked_at(db: str, tmp_path: Path, change: str) -> None:
    path = changed(
        db, tmp_path, change, "UPDATE turn SET position_hash = 'f' || position_hash WHERE match_id = 4 AND ply = 2"
    )
    called = invoke("verify", "bots", "--db", path)
    assert (called.status, called.err) == (1, "")
    lines = called.out.splitlines()
    assert sum(line.startswith("match 2 (bots no. ") for line in lines) == 1
    assert any(line.startswith("match 4 (bots no. 3): ply 2: position hash differs") for line in lines)
    assert lines[-1].startswith("bots: 4 matches, ")
    for word in ("Error", "Exception", "pydantic", "Traceback"):
        assert word not in called.out
    listed = invoke("verify", "bots", "--db", path, "--json")
    assert listed.status == 1
    differing = [match["match"] for match in listed.json["matches"] if match["difference"]]
    assert sorted(differing) == [2, 4]
    assert listed.json["differences"] == len(lines) - 1


def test_a_missing_match_is_named(db: str, tmp_path: Path) -> None:
    path = changed(db, tmp_path, *(f"DELETE FROM {table} WHERE match_id = 3" for table in ("turn", "seat")),
                   "DELETE FROM match WHERE id = 3")  # fmt: skip
    called = invoke("verify", "bots", "--db", path)
    assert called.status == 1
    assert called.out.splitlines() == [
        "bots no. 2: the match is missing: the run's file gives it, the database has none",
        "bots: 3 matches, 1 difference.",
    ]
    assert invoke("verify", "bots", "--db", path, "--json").json["missing"] == [2]
    assert invoke("verify", "1", "--db", path).status == 0


def test_another_number_is_no_match_of_the_file_and_leaves_one_missing(db: str, tmp_path: Path) -> None:
    path = changed(db, tmp_path, "UPDATE match SET number = 9 WHERE id = 2")
    out = invoke("verify", "bots", "--db", path).out
    assert "match 2 (bots no. 9): number differs" in out
    assert "bots no. 1: the match is missing" in out


def test_a_run_without_a_match_left_lacks_them_all(db: str, tmp_path: Path) -> None:
    path = changed(db, tmp_path, "DELETE FROM turn", "DELETE FROM seat", "DELETE FROM match")
    listed = invoke("verify", "bots", "--db", path, "--json")
    assert (listed.status, listed.json["missing"], listed.json["differences"]) == (1, [0, 1, 2, 3], 4)


@pytest.mark.parametrize("spec", ["{", "{}", "[]", "3"])
def test_a_runs_file_that_cannot_be_read_is_a_line_and_the_logs_are_played(db: str, tmp_path: Path, spec: str) -> None:
    path = changed(db, tmp_path, f"UPDATE run SET spec = '{spec}'")
    called = invoke("verify", "bots", "--db", path)
    assert (called.status, called.err) == (1, "")
    first, last = called.out.splitlines()
    assert first.startswith("bots: the run's file cannot be read, so no match is compared with it: ")
    assert "Error" not in first
    assert last == "bots: 4 matches, 1 difference."
