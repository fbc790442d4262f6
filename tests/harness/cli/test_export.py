"""`parley export`: what it writes, where, and what it refuses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from games import get_game
from harness.records import MatchRecord, RunRecord, SeatRecord
from harness.replay import position_hash
from harness.store import Store
from tests.harness.cli.calling import invoke, piped
from tests.harness.cli.hostile import TURNED, harmful


def test_a_page_is_written_where_it_is_said(db: str, tmp_path: Path) -> None:
    call = invoke("export", "1", "--html", "--db", db)
    assert (call.status, call.err) == (0, "")
    page = (tmp_path / "match-1.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert re.search(r"match-1\.html: [\d,]+ bytes", call.out)
    assert invoke("export", "1", "--html", "-o", "other.html", "--db", db).status == 0
    assert (tmp_path / "other.html").read_text(encoding="utf-8") == page
    assert {path.name for path in tmp_path.iterdir()} == {"match-1.html", "other.html"}


@pytest.mark.parametrize(
    ("args", "stopped"),
    [
        (("bots", "--jsonl", "data", "--parquet", "data"), "harness.data.read.read"),
        (("bots", "--chat", "data"), "harness.data.chat.chats"),
        (("1", "--html"), "harness.replay.build"),
    ],
)
def test_a_stop_says_that_nothing_was_written(
    db: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, args: tuple[str, ...], stopped: str
) -> None:
    """Ctrl-C comes once the files were begun."""

    def press(*_: object, **__: object) -> Iterator[object]:
        assert args[1] == "--html" or any(tmp_path.rglob(".*"))
        yield from ()
        raise KeyboardInterrupt

    monkeypatch.setattr(stopped, press if args[1] != "--html" else lambda *_, **__: next(press()))
    call = invoke("export", *args, "--db", db)
    assert (call.status, call.out, call.err) == (130, "", "parley: Stopped; nothing was written.\n")
    assert list(tmp_path.rglob("*")) == []


def test_the_page_holds_nothing_that_leads_out_of_it(db: str, tmp_path: Path) -> None:
    invoke("export", "1", "--html", "--db", db)
    page = (tmp_path / "match-1.html").read_text(encoding="utf-8")
    assert "default-src 'none'" in page
    outside = set(re.findall(r"(?:https?:)?//[\w.-]+\.\w+[^\s\"'`]*", page)) - {"http://www.w3.org/2000/svg"}
    assert outside == set()
    assert not re.search(r"<(?:link|img|iframe|script)[^>]*\b(?:src|href)=\"(?!data:)", page)


def test_standard_output_takes_the_page_alone(db: str) -> None:
    call = piped("export", "1", "--html", "-o", "-", "--db", db, LC_ALL="C", PYTHONIOENCODING="ascii")
    assert (call.status, call.err) == (0, "")
    assert call.out.startswith("<!doctype html>")
    assert call.out.rstrip().endswith("</html>")


def test_a_file_that_is_there_stays_unless_forced(db: str, tmp_path: Path) -> None:
    file = tmp_path / "match-1.html"
    file.write_text("mine")
    call = invoke("export", "1", "--html", "--db", db)
    assert call.status == 2
    assert call.err == (
        "parley: export: -o: match-1.html is there already; --force replaces it, -o FILE names another\n"
    )
    assert file.read_text() == "mine"
    assert invoke("export", "1", "--html", "--force", "--db", db).status == 0
    assert file.read_text(encoding="utf-8").startswith("<!doctype html>")


@pytest.mark.parametrize(
    ("args", "line"),
    [
        (("1",), "say what to write: --html, --jsonl DIR, --parquet DIR or --chat FILE"),
        (("1", "--html", "-o", "."), "-o: . is a folder, a file is wanted"),
        (("1", "--html", "-o", "no/where.html"), "-o: there is no folder no to write where.html in"),
        (("77", "--html"), "no match '77' in"),
        (("bots", "--html"), "'bots' is a run, and the number of a match is wanted; `parley show bots` lists them"),
    ],
)
def test_what_cannot_be_is_said_in_one_line(db: str, tmp_path: Path, args: tuple[str, ...], line: str) -> None:
    call = invoke("export", *args, "--db", db)
    assert call.status == 2
    assert call.err.startswith(f"parley: export: {line}")
    assert call.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_match_that_goes_on_has_no_file_for_everybody(tmp_path: Path) -> None:
    path = tmp_path / "own.db"
    with Store.open(path) as store:
        names = ("red", "blue", "green", "yellow")
        seats = tuple(SeatRecord(seat=seat, label=seat, kind="bot", model="random", identity=seat) for seat in names)
        match = MatchRecord(number=0, game="so_long_sucker", options={"chips": 2}, seed=1, seats=seats)
        run = store.create_run(
            RunRecord(name="own", spec={}, seed=1, created_at=datetime(2026, 1, 1, tzinfo=UTC)), [match]
        ).result()
        number = store.matches(run)[0].id or 0
        waiting = invoke("export", str(number), "--html", "--db", str(path))
        assert (waiting.status, waiting.err) == (
            2,
            f"parley: export: match {number} has not begun (queued): there is nothing to play again\n",
        )
        game = get_game("so_long_sucker")
        start = game.dump(game.start(names, {"chips": 2}, 1).state)
        store.start_match(number, start=start, start_events=[], start_hash=position_hash(start), versions={}).result()
    call = invoke("export", str(number), "--html", "--public", "--db", str(path))
    assert call.status == 2
    assert f"--public: match {number} is running" in call.err
    assert invoke("export", str(number), "--html", "--db", str(path)).status == 0


def test_hostile_words_reach_neither_the_terminal_nor_the_pages_markup(hostile: str, tmp_path: Path) -> None:
    call = invoke("export", "1", "--html", "--db", hostile)
    assert (call.status, harmful(call.out)) == (0, [])
    page = (tmp_path / "match-1.html").read_text(encoding="utf-8")
    assert harmful(page) == []
    assert TURNED not in page
