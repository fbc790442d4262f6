"""The command line and every view are made of the same log by the same functions: one line changed, all change."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from harness.cli import main
from harness.store import Store
from harness.views import failures, head_to_head, leaderboard, seats
from harness.views.base import EVERYTHING, Figure
from harness.views.results import Results, View
from tests.dashboard import compared

VIEWS: dict[str, View] = {
    "leaderboard": leaderboard.view,
    "head-to-head": head_to_head.view,
    "seats": seats.view,
    "matches": failures.view,
}


def told(path: Path) -> dict[str, Any]:
    """By file name, each table of each view as a file; and what the command line says."""
    with Store.open_readonly(path) as store:
        (run,) = store.runs()
        results = Results(store, run)
        found: dict[str, Any] = {
            f"{name}/{sheet.name}": sheet.csv()
            for name, view in VIEWS.items()
            for section in view(results, EVERYTHING)
            for sheet in section.sheets
        }
        board = next(sheet for sheet in leaderboard.view(results, EVERYTHING)[0].sheets if "leaderboard" in sheet.name)
    done = CliRunner().invoke(main, ["leaderboard", "--json", "--db", str(path)])
    assert done.exit_code == 0, done.output
    rows = {row["label"]: row for row in json.loads(done.output)["tables"][0]["rows"]}
    for row in board.rows:
        chance = row.values["win_chance"]
        said = rows[str(row.values["player"])]
        assert isinstance(chance, Figure)
        assert chance.value is not None
        assert chance.interval is not None
        assert round(chance.value, 6) == said["probability"]
        assert [round(bound, 6) for bound in chance.interval] == said["probability_interval"]
    return {**found, "command line": done.output}


def test_one_line_changed_changes_all(tmp_path: Path) -> None:
    path = tmp_path / "parley.db"
    with Store.open(path) as store:
        first = compared.played(store, compared.run_of("fair"), 96)[0]
    before = told(path)
    assert told(path) == before
    with sqlite3.connect(path) as connection:
        # The first and the last of one match change places.
        connection.execute("UPDATE seat SET place = 5 - place WHERE match_id = ? AND place IN (1, 4)", (first.id,))
    connection.close()
    after = told(path)
    assert before.keys() == after.keys()
    same = [name for name in before if before[name] == after[name]]
    # Of matches it is told what became of them, which is the same.
    assert [name.partition("/")[0] for name in same] == ["matches"]
