"""`parley resume`, `pause`, `void`, `rm`, `backup`: a run is stopped, gone on with, kept, copied and taken away."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from harness.store import Store
from tests.harness.cli.calling import PATIENCE, Terminal, command, environment, invoke
from tests.harness.store.samples import call_of, match_of, run_of
from tests.providers import Answer, Hang, Loopback, legal
from tests.providers.fixtures import loopback as loopback

HUMAN = """\
name: table
parallel: 2
games: [{game: so_long_sucker, options: {chips: 1}}]
players:
  - {label: me, human: true}
  - {label: banker, bot: banker}
  - {label: turncoat, bot: turncoat}
  - {label: chance, bot: random}
"""


@pytest.fixture
def human(tmp_path: Path) -> Path:
    """A tournament that waits for a person for ever."""
    path = tmp_path / "table.yaml"
    path.write_text(HUMAN)
    return path


def house(tmp_path: Path, loopback: Loopback) -> Path:
    path = tmp_path / "house.yaml"
    player = f"{{label: slow, model: openai/any, api_base: '{loopback.api_base}', price: free}}"
    path.write_text(HUMAN.replace("{label: me, human: true}", player).replace("name: table", "name: house"))
    return path


@contextmanager
def playing(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    """`parley` in a process of its own, from the moment in which it has said what it plays."""
    process = subprocess.Popen(
        command(*arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment()
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline()
        yield process
    finally:
        process.kill()
        process.communicate()


def status_of(db: str) -> str:
    (run,) = invoke("runs", "--db", db, "--json").json
    return str(run["status"])


def test_pause_stops_whoever_plays_and_resume_goes_on(human: Path, tmp_path: Path) -> None:
    db = str(tmp_path / "parley.db")
    with playing("run", str(human), "--db", db) as process:
        assert status_of(db) == "running"
        second = invoke("run", str(human), "--db", db)
        assert second.status == 1
        assert f"table: process {process.pid} on " in second.err
        assert "is playing it" in second.err
        refused = invoke("rm", "table", "--db", db, "--yes")
        assert refused.status == 2
        assert "is being played by process" in refused.err
        paused = invoke("pause", "table", "--db", db)
        assert (paused.status, paused.err) == (0, "")
        assert f"table: paused. Everything played so far is kept; to go on: {'parley'}"[:60] in paused.out
        assert paused.out.rstrip().endswith(f"resume table --db {db}")
        out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1
    assert "Asked to pause" in out
    assert "table is not finished: `parley pause` asked for it" in err
    assert "the same command goes on: " in out
    assert status_of(db) == "paused"
    assert "nobody plays it; to go on: " in invoke("pause", "table", "--db", db).out
    with playing("resume", "table", "--db", db) as process:
        assert status_of(db) == "running"
        process.send_signal(signal.SIGTERM)
        out, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 143
    assert out.rstrip().endswith(f"resume table --db {db}")
    assert "to go on: " in out


def test_after_a_kill_nobody_plays_it_and_resume_finishes_it(tmp_path: Path, loopback: Loopback) -> None:
    db = str(tmp_path / "parley.db")
    path = house(tmp_path, loopback)
    loopback.script(Answer("{}"))
    loopback.always(Hang())
    with playing("run", str(path), "--db", db) as process:
        loopback.wait_for(2, PATIENCE)
        process.kill()
        process.communicate()
    (run,) = invoke("runs", "--db", db, "--json").json
    assert (run["status"], run["matches"]["running"]) == ("stopped", 0)
    assert run["matches"]["stopped"] > 0
    assert "stopped" in invoke("show", "house", "--db", db).out
    for table in ("leaderboard", "pledges", "behaviour"):
        (line,) = [line for line in invoke(table, "house", "--db", db).out.splitlines() if "Not counted" in line]
        assert f"{run['matches']['stopped']} stopped" in line
        assert "running" not in line
    loopback.release()
    loopback.always(legal("hash"))
    path.unlink()
    done = invoke("resume", "house", "--db", db)
    assert done.status == 0
    assert "house: 4 of 4 matches finished" in done.out
    assert status_of(db) == "finished"
    again = invoke("resume", "house", "--db", db)
    assert again.status == 0
    assert again.out.startswith("house: nothing to play, all 4 matches are finished.")
    assert "--fresh" not in again.out


def test_what_outlasts_the_grace_is_given_up_and_asked_again_later(tmp_path: Path, loopback: Loopback) -> None:
    db, path = str(tmp_path / "parley.db"), house(tmp_path, loopback)
    loopback.script(Answer("{}"))
    loopback.always(Hang())
    with playing("run", str(path), "--db", db, "--grace", "0.2") as process:
        loopback.wait_for(3, PATIENCE)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err) == (130, "")
    with Store.open_readonly(db) as store:
        run = store.run("house")
        assert run is not None
        assert run.status == "paused"
        assert run.why is not None
        assert "an answer did not come within 0 s" in run.why
        cancelled = [call for match in store.matches(1) for call in store.calls(match.id or 0)]
        assert {call.error_kind for call in cancelled} == {"cancelled"}
        assert len(cancelled) == 2
    loopback.release()
    loopback.always(legal("hash"))
    assert invoke("resume", "house", "--db", db, "--parallel", "4").status == 0


def test_a_fresh_run_goes_on_by_its_own_name_and_with_another_budget(tmp_path: Path, loopback: Loopback) -> None:
    db, path = str(tmp_path / "parley.db"), house(tmp_path, loopback)
    path.write_text(path.read_text() + "talk: off\n")
    loopback.always(legal("hash"))
    assert invoke("run", str(path), "--db", db).status == 0
    path.write_text(path.read_text() + "budget: {tokens: 9000}\n")
    spent = invoke("run", str(path), "--db", db, "--fresh")
    assert spent.status == 1
    assert "budget" in spent.err
    assert "to go on: " in spent.out
    assert spent.out.rstrip().endswith(f"resume house-2 --db {db}")
    assert invoke("resume", "house-2", "--db", db, "--tokens", "9000000").status == 0
    with Store.open_readonly(db) as store:
        run = store.run("house-2")
        assert run is not None
        assert run.spec["budget"]["tokens"] == 9_000_000


@pytest.mark.parametrize("text", ["nan", "inf", "-inf", "-1", "0", "much"])
def test_a_budget_that_is_no_amount_is_refused_and_nothing_is_written(copied: str, text: str) -> None:
    with Store.open_readonly(copied) as store:
        before = store.run("bots")
    call = invoke("resume", "bots", "--usd", text, "--db", copied)
    assert (call.status, call.out) == (2, "")
    assert f"'--usd': {text!r} is not a finite number above 0" in call.err
    assert call.err.count("\n") == 1
    with Store.open_readonly(copied) as store:
        assert store.run("bots") == before


@pytest.mark.parametrize("text", ["nan", "inf", "-1"])
@pytest.mark.parametrize(
    "args", [("resume", "bots", "--grace"), ("run", "x.yaml", "--grace"), ("pause", "bots", "--wait")]
)
def test_a_time_that_is_none_is_refused(copied: str, args: tuple[str, ...], text: str) -> None:
    call = invoke(*args, text, "--db", copied)
    assert (call.status, call.out) == (2, "")
    assert f"'{args[-1]}': {text!r} is not a finite number from 0" in call.err


def spoil(db: str, budget: str) -> None:
    """Put a budget into the stored tournament that no file could have."""
    with sqlite3.connect(db) as raw:
        (spec,) = raw.execute("select spec from run where name = 'bots'").fetchone()
        assert '"budget":null' in spec.replace(" ", "")
        raw.execute(
            "update run set spec = ? where name = 'bots'",
            (spec.replace('"budget": null', f'"budget":{budget}').replace('"budget":null', f'"budget":{budget}'),),
        )


@pytest.mark.parametrize(
    ("budget", "given", "key"),
    [
        ('{"usd":NaN}', ("--usd", "5"), "budget.usd: NaN is not a finite number; `parley resume RUN --usd AMOUNT`"),
        ('{"tokens":-3}', ("--tokens", "5"), "budget.tokens: -3 is not more than 0; `parley resume RUN --tokens N`"),
        ("7", ("--usd", "5"), "budget: 7 is not a mapping"),
    ],
)
def test_a_stored_budget_that_cannot_be_read_is_one_line_and_can_be_replaced(
    copied: str, budget: str, given: tuple[str, str], key: str
) -> None:
    spoil(copied, budget)
    for args in (("resume", "bots"), ("fork", "1", "--ply", "2"), ("verify", "bots"), ("show", "bots"), ("runs",)):
        call = invoke(*args, "--db", copied)
        assert "Traceback" not in call.err + call.out
        assert "validation error" not in call.err + call.out
        assert "Input should" not in call.err + call.out
        if args[0] in ("resume", "fork"):
            assert (call.status, call.out) == (2, "")
            assert call.err.count("\n") == 1
            assert f"the tournament of the run 'bots' cannot be read: {key}" in call.err
    assert invoke("resume", "bots", *given, "--db", copied).status == 0
    assert invoke("resume", "bots", "--db", copied).status == 0
    with Store.open_readonly(copied) as store:
        run = store.run("bots")
        assert run is not None
        assert run.spec["budget"][given[0].removeprefix("--")] == 5


def test_the_unchanged_file_mends_a_stored_budget(copied: str, tmp_path: Path) -> None:
    with Store.open_readonly(copied) as store:
        source = (store.run("bots") or pytest.fail("no run")).source
    path = tmp_path / "bots.yaml"
    path.write_text(source)
    spoil(copied, '{"usd":NaN}')
    assert invoke("run", str(path), "--db", copied).status == 0
    with Store.open_readonly(copied) as store:
        assert (store.run("bots") or pytest.fail("no run")).spec["budget"] is None


@pytest.mark.parametrize("name", ["resume", "pause", "rm", "doctor"])
def test_a_run_that_is_not_there(db: str, name: str) -> None:
    call = invoke(name, "nobody", "--db", db)
    assert (call.status, call.out) == (2, "")
    assert "no run named 'nobody'" in call.err
    assert call.err.count("\n") == 1


@pytest.mark.parametrize("args", [("resume", "x"), ("pause", "x"), ("rm", "x", "--yes"), ("void", "1", "--why", "y")])
def test_no_database_is_made(tmp_path: Path, args: tuple[str, ...]) -> None:
    missing = tmp_path / "none.db"
    call = invoke(*args, "--db", str(missing))
    assert call.status == 2
    assert "there is no database" in call.err
    assert not missing.exists()


@pytest.fixture
def copied(db: str, tmp_path: Path) -> str:
    """A database of one's own with the run of bots in it."""
    path = tmp_path / "own.db"
    assert invoke("backup", str(path), "--db", db).status == 0
    return str(path)


def test_a_void_match_is_kept_and_never_counted(copied: str) -> None:
    call = invoke("void", "2", "--why", "the \x1b[2Jkey leaked", "--db", copied)
    assert call.out == "match 2 of bots is void: the [2Jkey leaked.\n"
    shown = invoke("show", "bots", "--db", copied, "--json").json
    assert [(match["status"], match["why"]) for match in shown["matches"]][1] == ("void", "the [2Jkey leaked")
    (table,) = invoke("leaderboard", "--db", copied, "--json").json["tables"]
    assert (table["matches"]["counted"], table["matches"]["void"]) == (3, 1)
    again = invoke("void", "2", "--why", "it was me", "--db", copied)
    assert again.out == "match 2 of bots was void already: the [2Jkey leaked; now: it was me.\n"
    assert [match["why"] for match in invoke("show", "bots", "--db", copied, "--json").json["matches"]][
        1
    ] == "it was me"
    undone = invoke("void", "2", "--undo", "--db", copied)
    assert undone.out == "match 2 of bots is void no more: finished.\n"
    (table,) = invoke("leaderboard", "--db", copied, "--json").json["tables"]
    assert (table["matches"]["counted"], table["matches"]["void"]) == (4, 0)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("2",), "--why TEXT"),
        (("2", "--why", "x", "--undo"), "--why TEXT"),
        (("2", "--why", " "), "the text is empty"),
        (("2", "--undo"), "match 2 of bots is not void; it is finished"),
        (("99", "--why", "x"), "no match '99'"),
    ],
)
def test_what_void_refuses(copied: str, args: tuple[str, ...], said: str) -> None:
    call = invoke("void", *args, "--db", copied)
    assert (call.status, call.out, call.err.count("\n")) == (2, "", 1)
    assert said in call.err


def test_a_backup_is_whole_opens_and_is_not_overwritten(db: str, tmp_path: Path) -> None:
    target = tmp_path / "copy.db"
    call = invoke("backup", str(target), "--db", db)
    assert call.status == 0
    assert call.out == f"{db} is copied to {target}: {target.stat().st_size:,} bytes.\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["copy.db"]
    assert invoke("verify", "bots", "--db", str(target)).status == 0
    board = invoke("leaderboard", "--db", db, "--json").out
    assert invoke("leaderboard", "--db", str(target), "--json").out == board
    target.write_text("mine")
    refused = invoke("backup", str(target), "--db", db)
    assert (refused.status, refused.err.count("\n"), target.read_text()) == (2, 1, "mine")
    assert "--force" in refused.err
    assert invoke("backup", str(target), "--db", db, "--force").status == 0
    assert invoke("leaderboard", "--db", str(target), "--json").out == board


@pytest.mark.parametrize("where", ["", "none/copy.db", "itself"])
def test_where_a_backup_cannot_go(db: str, tmp_path: Path, where: str) -> None:
    target = db if where == "itself" else str(tmp_path / where)
    call = invoke("backup", target, "--db", db, "--force")
    assert (call.status, call.out, call.err.count("\n")) == (2, "", 1)


def test_a_backup_while_others_write_is_one_state(tmp_path: Path, human: Path) -> None:
    db, target = str(tmp_path / "parley.db"), str(tmp_path / "copy.db")
    code = (
        "import sys; from harness.store import Store; from tests.harness.store.samples import *\n"
        "with Store.open(sys.argv[1]) as store:\n"
        "    match = new_match(store)\n"
        "    for ply in range(1, 10**6):\n"
        "        store.add_turns(match, [turn_of(ply)], [message_of(ply - 1)]).result()\n"
        "        if ply == 50: print('ready', flush=True)\n"
    )
    root = Path(__file__).parents[3]
    writer = subprocess.Popen(
        [sys.executable, "-c", code, db], stdout=subprocess.PIPE, text=True, cwd=root, env={**os.environ}
    )
    try:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
        for _ in range(3):
            assert invoke("backup", target, "--db", db, "--force").status == 0
            with Store.open_readonly(target) as copy:
                turns, messages = copy.turns(1), copy.messages(1)
                assert len(turns) == len(messages) >= 50
            with sqlite3.connect(target) as raw:
                assert raw.execute("pragma integrity_check").fetchall() == [("ok",)]
    finally:
        writer.kill()
        writer.communicate()


def test_rm_asks_on_a_terminal_and_needs_yes_elsewhere(copied: str) -> None:
    refused = invoke("rm", "bots", "--db", copied)
    assert (refused.status, refused.out) == (2, "")
    assert "--yes" in refused.err
    with Terminal("rm", "bots", "--db", copied, columns=200) as shown:
        shown.until("for good? [y/N]")
        shown.type("n\n")
        assert shown.end() == 130
    assert len(invoke("runs", "--db", copied, "--json").json) == 1
    with Terminal("rm", "bots", "--db", copied, columns=200) as shown:
        shown.until("for good? [y/N]")
        shown.type("y\n")
        assert shown.end() == 0
        assert "bots: taken away, 4 matches" in shown.text
    assert invoke("runs", "--db", copied, "--json").json == []


def test_rm_takes_all_of_a_run_and_leaves_what_others_use(tmp_path: Path) -> None:
    db = str(tmp_path / "parley.db")
    with Store.open(db) as store:
        for name in ("one", "other"):
            run_id = store.create_run(run_of(name), [match_of()]).result()
            match_id = store.matches(run_id)[0].id or 0
            own = call_of(match_id=match_id, asked={"temperature": 0.8, "own": name})
            store.add_call(own).result()
            store.add_call(call_of(run_id=run_id, kind="probe")).result()
            store.put_inbox(match_id, "red", 0, "x").result()
    call = invoke("rm", "one", "--db", db, "--yes")
    assert call.out == "one: taken away, 1 match, 2 calls, 1 texts that nothing else used.\n"
    with Store.open(db) as store:
        assert [run.name for run in store.runs()] == ["other"]
        (kept,) = store.calls(2, prompts=True)
        assert kept.prompt == call_of().prompt
        assert kept.asked == {"temperature": 0.8, "own": "other"}
        store.add_call(call_of(match_id=2, asked={"own": "one"})).result()
    with sqlite3.connect(db) as raw:
        assert raw.execute("pragma foreign_key_check").fetchall() == []
        assert raw.execute("pragma integrity_check").fetchall() == [("ok",)]
        assert raw.execute("select count(*) from inbox").fetchall() == [(1,)]
