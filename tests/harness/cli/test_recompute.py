"""Every figure is made from the log alone: where a line of it is changed, all that rests on that line changes, on the
command line, on the pages and in the report alike."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.reporting.parts import PARTS
from harness.store import Store
from harness.views.base import EVERYTHING
from harness.views.results import Results
from tests.harness.cli.calling import invoke

Change = Callable[[sqlite3.Connection], None]
COMMANDS = ("leaderboard", "behaviour", "pledges")


def figures(db: str) -> dict[str, Any]:
    """What each command gives as JSON, and what each view and the report show."""
    found: dict[str, Any] = {}
    for command in COMMANDS:
        done = invoke(command, "bots", "--json", "--db", db)
        assert done.status == 0, done.err
        found[f"parley {command}"] = json.loads(done.out)
    with Store.open_readonly(db) as store:
        run = store.run("bots")
        assert run is not None
        results = Results(store, run)
        for part in PARTS:
            sections = part.view(results, EVERYTHING)
            found[part.name] = [
                (section.lines, section.warnings, [sheet.csv() for sheet in section.sheets]) for section in sections
            ]
    return found


def void(log: sqlite3.Connection) -> None:
    """A match is void."""
    log.execute("update match set status = 'void', why = 'the power failed' where number = 1")


def share_win(log: sqlite3.Connection) -> None:
    """Another seat won as well."""
    log.execute(
        "update seat set place = 1 where rowid = (select min(seat.rowid) from seat join match on match.id = match_id"
        " where match.number = 2 and place > 1)"
    )


def fall_back(log: sqlite3.Connection) -> None:
    """A decision was made for its player."""
    log.execute(
        "update turn set source = 'fallback' where rowid = (select min(rowid) from turn where source = 'player')"
    )


def donate(log: sqlite3.Connection) -> None:
    """A gift went to somebody else."""
    log.execute(
        'update turn set events = replace(events, \'"kind":"refuse"\', \'"kind":"donate"\') where rowid ='
        ' (select min(rowid) from turn where events like \'%"kind":"refuse"%\')'
    )


RATED = {"parley leaderboard", "leaderboard", "head-to-head", "cost", "seats", "players"}
PLAYED = {"parley behaviour", "behaviour"}
CHANGES: list[tuple[Change, set[str]]] = [
    (void, RATED | PLAYED | {"parley pledges", "alliances", "failures"}),
    (share_win, RATED | PLAYED),
    (fall_back, {"parley leaderboard", "leaderboard", "players", "failures"} | PLAYED),
    (donate, {"alliances"} | PLAYED),
]


@pytest.fixture(scope="module")
def before(db: str) -> dict[str, Any]:
    return figures(db)


@pytest.mark.parametrize(("change", "rests_on_it"), CHANGES, ids=lambda one: getattr(one, "__name__", ""))
def test_what_rests_on_a_line_changes_with_it(
    db: str, before: dict[str, Any], tmp_path: Path, change: Change, rests_on_it: set[str]
) -> None:
    copy = tmp_path / "changed.db"
    with Store.open_readonly(db) as store:
        store.back_up(copy)
    with sqlite3.connect(copy) as log:
        rows = log.total_changes
        change(log)
        assert log.total_changes == rows + 1
    after = figures(str(copy))
    assert {name for name in before if before[name] != after[name]} >= rests_on_it


def test_what_nobody_changes_comes_out_again(db: str, before: dict[str, Any], tmp_path: Path) -> None:
    copy = tmp_path / "same.db"
    with Store.open_readonly(db) as store:
        store.back_up(copy)
    assert figures(str(copy)) == before


def test_every_command_and_view_rests_on_some_line(before: dict[str, Any]) -> None:
    assert set(before) == set.union(*(rests_on_it for _, rests_on_it in CHANGES))
