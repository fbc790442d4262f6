"""`parley replay`: keys on a real terminal, the whole match in a pipe, one seat's eyes."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest

from harness.store import Store
from tests.harness.cli.calling import Terminal, invoke
from tests.harness.cli.hostile import PLIES


def plies(db: str) -> int:
    with Store.open_readonly(db) as store:
        found = store.match(1)
        assert found is not None
        return found.plies


def test_stepping_on_a_terminal(db: str) -> None:
    last = plies(db)
    with Terminal("replay", "1", "--db", db) as shown:
        shown.until("Enter next")
        assert f"ply 0 of {last}" in shown.screen
        for keys, ply in [
            ("\r", 1), (" ", 2), ("n", 3), ("p", 2), ("b", 1), ("\x1b[C", 2), ("\x1b[D", 1), ("b", 0),
        ]:  # fmt: skip
            shown.type(keys)
            shown.until(f"ply {ply} of {last}")
            shown.until("Enter next")
        shown.type("p")
        shown.until("That is the start.")
        shown.type("g")
        shown.until("Go to ply")
        shown.type(f"7\x7fx{last}\r")
        shown.until("finished (last_alive)")
        assert " won" in shown.screen
        shown.type("n")
        shown.until("That is the last step.")
        shown.type("g")
        shown.until("Go to ply")
        shown.type("9999\r")
        shown.until(f"There is no ply 9999: 0 to {last}.")
        shown.type("g")
        shown.until("Go to ply")
        shown.type("\r")
        shown.until(f"ply {last} of {last}")
        # Typed ahead, none is lost.
        shown.type("pppp")
        shown.until(f"ply {last - 4} of {last}")
        shown.type("q")
        assert shown.end() == 0


def test_ctrl_c_leaves_without_a_word(db: str) -> None:
    with Terminal("replay", "1", "--db", db) as shown:
        shown.until("Enter next")
        shown.interrupt()
        assert shown.end() == 130
        assert "Traceback" not in shown.text
        assert "Aborted" not in shown.text


def test_all_prints_every_step_with_its_action(db: str) -> None:
    with Store.open_readonly(db) as store:
        turns, messages = store.turns(1), store.messages(1)
        found = store.match(1)
    assert found is not None
    labels = {seat.seat: seat.label for seat in found.seats}
    out = invoke("replay", "1", "--db", db, "--all").out
    steps = out.split("\nMatch 1 ")
    assert len(steps) == len(turns) + 1
    for turn, step in zip(turns, steps[1:], strict=True):
        assert f"ply {turn.ply} of {len(turns)}\n" in step or turn.ply == len(turns)
        assert f"> {turn.seat} ({labels[turn.seat]}): {turn.action}" in step
    for message in messages:
        assert message.text in steps[message.ply]
    assert f"finished (last_alive): {found.outcome['winners'][0] if found.outcome else ''} (" in steps[-1]


def test_without_a_terminal_it_is_whole_too(db: str) -> None:
    assert invoke("replay", "1", "--db", db).out == invoke("replay", "1", "--db", db, "--all").out


def test_the_board_is_drawn_at_every_step(db: str) -> None:
    steps = invoke("replay", "1", "--db", db, "--json").json
    assert all("Piles" in step["board"] for step in steps)
    assert steps[0]["action"] is None
    assert len({step["board"] for step in steps}) > len(steps) // 2


@pytest.mark.parametrize("eyes", ["red", "blue", "green", "yellow"])
def test_eyes_see_no_other_seats_secrets(hostile: str, eyes: str) -> None:
    steps = invoke("replay", "1", "--db", hostile, "--eyes", eyes, "--json").json
    whole = invoke("replay", "1", "--db", hostile, "--json").json
    assert len(steps) == len(whole) == PLIES + 1
    for seen, known in zip(steps, whole, strict=True):
        for message in seen["said"]:
            assert message["addressee"] == "all" or eyes in (message["addressee"], message["sender"])
        for message in known["said"]:
            if message["addressee"] == "all" or eyes in (message["addressee"], message["sender"]):
                assert message in seen["said"]
        own = known["seat"] == eyes
        for key in ("action", "source", "thoughts", "notes", "plan_fault"):
            assert seen[key] == (known[key] if own else None)
        assert bool(seen["dropped"]) == own
    assert any(step["thoughts"] for step in steps) == any(step["seat"] == eyes for step in whole)
    text = invoke("replay", "1", "--db", hostile, "--eyes", f" {eyes.upper()} ").out
    for seat in {"red", "blue", "green", "yellow"} - {eyes}:
        assert f"{seat} thinks:" not in text
        assert f"{seat} notes:" not in text
    assert f"as {eyes} (" in text


@pytest.mark.parametrize("columns", [None, "40", "47", "60", "80"])
def test_a_long_text_cannot_pass_for_lines_of_ours(hostile: str, columns: str | None) -> None:
    out = invoke("replay", "1", "--db", hostile, "--all", env={"COLUMNS": columns}).out
    assert "> red (greedy): play" in out
    assert not any(line.startswith("> red (greedy)") for line in out.splitlines())
    # Ours begin at the margin; whatever a text goes on with is indented.
    ours = ("Match 1 ", "ply ", "> ", "To act: ", "red (", "blue (", "green (", "yellow (", "  ")
    assert [line for line in out.splitlines() if line and not line.startswith(ours)] == []


def test_a_match_that_has_not_begun(hostile: str) -> None:
    called = invoke("replay", "2", "--db", hostile)
    assert called.status == 0
    assert called.out == "Match 2 of [red]run[/] has not begun (paused).\n"
    assert invoke("replay", "2", "--db", hostile, "--json").json == []


@pytest.mark.parametrize(
    "change", ["action = 'play gold new'", "position_hash = 'f' || position_hash", "events = '[]'", "seat = 'nobody'"]
)
def test_a_log_that_breaks_off_is_shown_up_to_there(db: str, tmp_path: Path, change: str) -> None:
    path = str(tmp_path / "changed.db")
    shutil.copy(db, path)
    with sqlite3.connect(path) as connection:
        connection.execute(f"UPDATE turn SET {change} WHERE match_id = 1 AND ply = 4")
    called = invoke("replay", "1", "--db", path)
    assert called.status == 1
    assert "ply 3 of 3 · " in called.out
    assert "won" not in called.out
    assert called.err.startswith("parley: replay: the log does not come out again from here: ply 4: ")
    assert called.err.count("\n") == 1
    assert "BrokenLog" not in called.err
    listed = invoke("replay", "1", "--db", path, "--json")
    assert (listed.status, [step["ply"] for step in listed.json]) == (1, [0, 1, 2, 3])
    assert listed.json == invoke("replay", "1", "--db", db, "--json").json[:4]


@pytest.mark.parametrize("start", ["{}", '{"game": "noughts"}'])
def test_a_log_whose_start_does_not_load_is_one_line(db: str, tmp_path: Path, start: str) -> None:
    path = str(tmp_path / "changed.db")
    shutil.copy(db, path)
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE match SET start = ? WHERE id = 1", (start,))
    called = invoke("replay", "1", "--db", path)
    assert (called.status, called.out, called.err.count("\n")) == (1, "", 1)
    assert called.err.startswith("parley: replay: the log does not come out again from here: ply 0: start differs")


@pytest.mark.parametrize(
    "change",
    ["UPDATE match SET options = '{'", "UPDATE match SET game = 'noughts'", "UPDATE match SET status = 'odd'",
     "UPDATE turn SET events = '['", "UPDATE turn SET source = 'magic'", "UPDATE match SET start_events = '[1]'"],
)  # fmt: skip
def test_a_damaged_match_is_one_line(db: str, tmp_path: Path, change: str) -> None:
    path = str(tmp_path / "changed.db")
    shutil.copy(db, path)
    with sqlite3.connect(path) as connection:
        connection.execute(change)
    called = invoke("replay", "1", "--db", path)
    assert (called.status, called.out, called.err.count("\n")) == (1, "", 1)
    assert called.err.startswith("parley: replay: match 1 cannot be shown: ")
    assert "Error" not in called.err
