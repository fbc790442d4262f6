"""`parley play`: a person at one terminal, the run at another."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from games import get_game
from games.api import Allowance, Message, Observation, Pledge
from harness.cli.play import print_observation
from harness.store import Store
from tests.harness.cli.calling import Terminal, command, environment, invoke
from tests.harness.cli.hostile import HOSTILE, MARKUP, SHOWN_TURNED, harmful

TABLE = """\
name: table
matches: 1
games: [{game: so_long_sucker, options: {chips: 1}}]
players:
  - {label: me, human: true}
  - {label: greedy, bot: greedy}
  - {label: banker, bot: banker}
  - {label: chance, bot: random}
seating: fixed
"""
ALWAYS_FIRST = "1\n" * 60


@pytest.fixture
def table(tmp_path: Path) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The database of a run that waits for the person at red, and the process that plays it."""
    path, db = tmp_path / "table.yaml", str(tmp_path / "table.db")
    path.write_text(TABLE)
    with _run(path, db) as process:
        yield db, process


def test_a_whole_match(table: tuple[str, subprocess.Popen[str]]) -> None:
    db, process = table
    called = invoke("play", "1", "--seat", " Red ", "--db", db, stdin=f"play gold new\n99\n{ALWAYS_FIRST}")
    assert called.status == 0, called.err
    assert "You are red: it is your turn" in called.out
    assert "Piles" in called.out
    assert 'Your answer was not taken: "play gold new" is not one of your legal actions' in called.out
    assert "There is no 99 in the list: 1 to " in called.out
    assert "Match 1 is over (last_alive)." in called.out
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "")
    assert "table: 1 of 1 match finished" in out
    with Store.open_readonly(db) as store:
        own = [turn for turn in store.turns(1) if turn.seat == "red"]
        assert own
        assert {turn.source for turn in own} <= {"human", "forced"}
        assert any(message.text == "1" and message.sender == "red" for message in store.messages(1))
    assert invoke("verify", "table", "--db", db).status == 0
    over = invoke("play", "1", "--seat", "red", "--db", db)
    assert over.status == 0
    assert over.out.startswith("Match 1 is over (last_alive).")


def test_the_json_form_is_taken_too(table: tuple[str, subprocess.Popen[str]]) -> None:
    db, _ = table
    with Store.open_readonly(db) as store:
        assert store.match(1) is not None
    listed = invoke("play", "1", "--seat", "red", "--db", db, stdin="")
    first = next(line.split(maxsplit=1)[1] for line in listed.out.splitlines() if line.strip().startswith("1  "))
    reply = f'{{"actions": ["{first}"], "messages": [{{"to": "blue", "text": "only for you"}}]}}\n'
    invoke("play", "1", "--seat", "red", "--db", db, stdin=reply + ALWAYS_FIRST)
    with Store.open_readonly(db) as store:
        (said,) = [message for message in store.messages(1) if message.text == "only for you"]
        assert said.addressee == "blue"


def test_leaving_loses_nothing_and_coming_back_asks_the_same(table: tuple[str, subprocess.Popen[str]]) -> None:
    db, process = table
    left = invoke("play", "1", "--seat", "red", "--db", db, stdin="")
    assert left.status == 0
    assert left.out.endswith("Left. The match waits for you; the same command goes on.\n")
    again = invoke("play", "1", "--seat", "red", "--db", db, stdin="")
    assert again.out.replace("Waiting for the others.\n", "") == left.out.replace("Waiting for the others.\n", "")
    assert process.poll() is None


def test_a_person_on_a_terminal_leaves_by_ctrl_c(table: tuple[str, subprocess.Popen[str]]) -> None:
    db, process = table
    with Terminal("play", "1", "--seat", "red", "--db", db, columns=60) as shown:
        shown.until("Action: ")
        shown.interrupt()
        assert shown.end() == 130
        assert "Traceback" not in shown.text
        assert max(map(len, shown.text.splitlines())) <= 60 + len('"messages": []')
    assert process.poll() is None


def test_people_who_are_asked_at_once_are_each_shown_their_question(tmp_path: Path) -> None:
    path, db = tmp_path / "table.yaml", str(tmp_path / "table.db")
    two = TABLE.replace("{label: banker, bot: banker}", "{label: you, human: true}")
    path.write_text(f"{two}talk: {{round: 1, order: simultaneous}}\n")
    with _run(path, db):
        for seat in ("green", "red"):
            called = invoke("play", "1", "--seat", seat, "--db", db, stdin="")
            assert f"You are {seat}: the table talks (your decision 0)." in called.out
        with Store.open(db) as store:
            store.put_inbox(1, "red", 0, "hello").result()
        # Nobody hears another of the same round before it is over.
        called = invoke("play", "1", "--seat", "green", "--db", db, stdin="")
        assert "the table talks (your decision 0)." in called.out
        assert "hello" not in called.out


def test_an_answer_given_while_nobody_plays_the_run_counts(tmp_path: Path) -> None:
    path, db = tmp_path / "table.yaml", str(tmp_path / "table.db")
    path.write_text(TABLE)
    with _run(path, db) as process:
        process.terminate()
        assert process.communicate(timeout=60)[1] == ""
    answered = invoke("play", "1", "--seat", "red", "--db", db, stdin="1\n")
    assert "it is your turn" in answered.out
    with Store.open_readonly(db) as store:
        assert len(store.inbox(1, "red", 0)) == 1
    with _run(path, db) as process:
        called = invoke("play", "1", "--seat", "red", "--db", db, stdin=ALWAYS_FIRST)
        assert called.status == 0
        assert "Match 1 is over (last_alive)." in called.out
        assert process.wait(timeout=60) == 0


def test_a_person_is_shown_hostile_words_as_letters(capsys: pytest.CaptureFixture[str]) -> None:
    game = get_game("so_long_sucker")
    seats = game.seats(4)
    step = game.start(seats, game.Options.model_validate({"chips": 1}), 3)
    observation = Observation(
        game=game.name,
        seat="red",
        seats=seats,
        decision=1,
        asked="act",
        view=game.view(step.state, "red"),
        events=step.events,
        messages=(Message("blue", "red", HOSTILE, (Pledge("donate", "red", 3, "spare"),)),),
        legal=("play red new",),
        alive=seats,
        notes=HOSTILE,
        talk=Allowance(2, 280, private=True),
        pledges=tuple(game.pledges),
    )
    print_observation(observation, observation.legal)
    out = capsys.readouterr().out
    assert harmful(out) == []
    assert f"  blue to red (privately): {MARKUP} {SHOWN_TURNED}" in out
    assert "pledges: donate to red, within 3 turns, if red does spare" in out
    assert f"Your notes: {MARKUP}" in out
    assert "  1  play red new" in out


@contextlib.contextmanager
def _run(path: Path, db: str) -> Iterator[subprocess.Popen[str]]:
    """The process that plays, once it has begun."""
    arguments = command("run", str(path), "--db", db)
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment())
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "table: 1 match\n"
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def test_a_person_is_shown_very_many_actions_as_ranges(capsys: pytest.CaptureFixture[str]) -> None:
    shown = ("stay", *(f"go {row},{column}" for row in range(20) for column in range(20)), "leave")
    seen = Observation("no_such_game", "red", ("red",), 0, "act", {}, (), (), shown, ("red",))
    print_observation(seen, shown)
    printed = capsys.readouterr().out.splitlines()[-3:]
    assert printed == [
        "  go ROW,COLUMN, where ROW,COLUMN is one of: rows 0-19: columns 0-19",
        "    1  stay",
        "  402  leave",
    ]
