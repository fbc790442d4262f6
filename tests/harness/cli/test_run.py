"""`parley run`: what it prints, how it ends, how it is stopped."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

import pytest

from harness.cli.progress import Lines, Live, Tally
from harness.records import MatchRecord
from harness.store import Store
from tests.harness.cli.calling import ESCAPES, PATIENCE, Call, Terminal, command, environment, invoke
from tests.providers import Answer, Hang, Loopback, legal, quota_spent, rate_limited, status
from tests.providers.fixtures import loopback as loopback

HUMAN = """\
name: table
parallel: 4
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


def test_plain_lines_where_the_output_is_no_terminal(played: tuple[str, Call]) -> None:
    db, call = played
    assert call.status == 0
    assert call.err == ""
    lines = call.out.splitlines()
    assert lines[0] == "bots: 4 matches"
    assert [line.partition(" done")[0] for line in lines[1:5]] == [f"{number} of 4" for number in range(1, 5)]
    assert all(" won in " in line for line in lines[1:5])
    assert lines[5].startswith("bots: 4 of 4 matches finished, 4 of them now: ")
    assert [line.partition("parley ")[2] for line in lines[6:]] == [
        f"leaderboard bots --db {db}",
        f"show bots --db {db}",
        f"dashboard --db {db}",
    ]


def test_each_line_of_a_match_tells_its_winner(played: tuple[str, Call]) -> None:
    db, call = played
    with Store.open_readonly(db) as store:
        run = store.run("bots")
        assert run is not None
        assert run.id is not None
        for match in store.matches(run.id):
            assert match.outcome is not None
            (seat,) = match.outcome["winners"]
            label = next(place.label for place in match.seats if place.seat == seat)
            assert f"match {match.id}: {label} ({seat}) won in {match.plies} turns" in call.out


def test_nothing_to_play_says_so_and_how_to_play_anew(played: tuple[str, Call], file: Path) -> None:
    db, _ = played
    call = invoke("run", str(file), "--db", db)
    assert call.status == 0
    lines = call.out.splitlines()
    assert lines[0] == "bots: nothing to play, all 4 matches are finished."
    assert lines[1].split("parley ")[1] == f"run {file} --fresh --db {db}"


def test_fresh_plays_anew_beside_it(file: Path, tmp_path: Path) -> None:
    db = str(tmp_path / "fresh.db")
    for name in ("bots", "bots-2"):
        call = invoke("run", str(file), "--db", db, "--fresh")
        assert call.status == 0
        assert f"{name}: 4 of 4 matches finished, 4 of them now" in call.out
    assert [run["run"] for run in invoke("runs", "--db", db, "--json").json] == ["bots", "bots-2"]


def test_the_options_stand_for_the_files_keys(file: Path, tmp_path: Path) -> None:
    db = str(tmp_path / "options.db")
    call = invoke("run", str(file), "--db", db, "--matches", "5", "--parallel", "3", "--seed", "11")
    assert call.status == 0
    described = invoke("show", "bots", "--db", db, "--json").json
    assert described["seed"] == 11
    # Rounded up to whole packs of four rotations.
    assert len(described["matches"]) == 8


def test_more_matches_go_on_with_the_run(file: Path, tmp_path: Path) -> None:
    db = str(tmp_path / "more.db")
    invoke("run", str(file), "--db", db)
    call = invoke("run", str(file), "--db", db, "--matches", "8")
    assert call.out.startswith("bots: 8 matches, 4 of them finished before\n")
    assert "bots: 8 of 8 matches finished, 4 of them now" in call.out


def test_a_changed_file_is_refused_in_one_line(played: tuple[str, Call], file: Path) -> None:
    file.write_text(file.read_text().replace("chips: 3", "chips: 4"))
    call = invoke("run", str(file), "--db", played[0])
    assert call.status == 2
    assert call.out == ""
    assert call.err.startswith(
        "parley: the file differs from what the run 'bots' was begun with: "
        "games[0].options.chips: 3 in the run, 4 now; use --fresh to start a new run beside it"
    )
    assert call.err.count("\n") == 1


def test_live_progress_on_a_terminal(file: Path, tmp_path: Path) -> None:
    db = str(tmp_path / "live.db")
    with Terminal("run", str(file), "--db", db, "--matches", "12") as shown:
        assert shown.end() == 0
        assert " of 12 done" in shown.text
        assert " · 0 calls · 0 tokens · $0.00" in shown.text
        assert "bots: 12 of 12 matches finished" in shown.text
        # The cursor was hidden and is back, and the view is gone: what is left are the last lines.
        assert shown.raw.rindex("\x1b[?25h") > shown.raw.rindex("\x1b[?25l")
        assert "━" not in shown.raw.rpartition("\x1b[?25h")[2]


def test_a_narrow_terminal_and_a_label_of_markup(tmp_path: Path) -> None:
    path = tmp_path / "odd.yaml"
    path.write_text(
        HUMAN.replace("human: true", "bot: greedy").replace("label: me", r"label: '[/] [bold red]x[/] \[y]'")
    )
    with Terminal("run", str(path), "--db", str(tmp_path / "odd.db"), columns=60) as shown:
        assert shown.end() == 0
        assert "4 of 4 matches finished" in shown.text
    board = invoke("leaderboard", "--db", str(tmp_path / "odd.db"))
    assert r"[/] [bold red]x[/] \[y]" in board.out


def test_ctrl_c_on_a_terminal_stops_politely(human: Path, tmp_path: Path) -> None:
    db = str(tmp_path / "stop.db")
    with Terminal("run", str(human), "--db", db) as shown:
        shown.until("4 running")
        assert " is played by hand (me), in " in " ".join(shown.text.split())
        shown.interrupt()
        assert shown.end() == 130
        assert "Stopping after the answers being waited for; Ctrl-C again stops at once." in " ".join(
            shown.text.split()
        )
        last = " ".join(shown.text.split())
        assert f"Stopped. Everything played so far is kept; the same command goes on: {command('run')[0]}"[-20:] in last
        assert "Traceback" not in shown.text
    (run,) = invoke("runs", "--db", db, "--json").json
    assert run["status"] == "paused"
    assert run["matches"]["paused"] == 4
    assert invoke("verify", "table", "--db", db).status == 0


@pytest.mark.parametrize(("sent", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_without_a_terminal(human: Path, tmp_path: Path, sent: signal.Signals, status: int) -> None:
    db = str(tmp_path / "stop.db")
    arguments = command("run", str(human), "--db", db)
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment())
    assert process.stdout is not None
    assert process.stdout.readline() == "table: 4 matches\n"
    # Nobody would know whom a run waits for.
    told = sorted(process.stdout.readline() for _ in range(4))
    for number, line in enumerate(told, 1):
        seat = line.split()[2]
        assert line.startswith(f"match {number}: {seat} is played by hand (me), in another terminal: ")
        assert line.endswith(f"parley play {number} --seat {seat} --db {db}\n")
    process.send_signal(sent)
    out, err = process.communicate(timeout=60)
    assert process.returncode == status
    assert err == ""
    assert "\x1b" not in out
    assert "the same command goes on: " in out.splitlines()[-1]
    assert out.splitlines()[-1].endswith(f"run {human} --db {db}")


def test_a_fresh_run_that_was_stopped_tells_how_it_goes_on(human: Path, tmp_path: Path) -> None:
    db = str(tmp_path / "fresh.db")
    for fresh, name in [((), "table"), (("--fresh",), "table-2")]:
        with Terminal("run", str(human), "--db", db, *fresh, columns=200) as shown:
            shown.until("4 running")
            shown.interrupt()
            assert shown.end() == 130
            if fresh:
                assert shown.text.rstrip().endswith(f"resume {name} --db {db}")
    with Terminal("resume", "table-2", "--db", db) as shown:
        shown.until("4 running")
        shown.interrupt()
        assert shown.end() == 130
    assert [run["run"] for run in invoke("runs", "--db", db, "--json").json] == ["table", "table-2"]


def test_a_second_ctrl_c_stops_at_once(tmp_path: Path, loopback: Loopback) -> None:
    path, db = tmp_path / "house.yaml", str(tmp_path / "house.db")
    player = f"{{label: slow, model: openai/any, api_base: '{loopback.api_base}', price: free}}"
    path.write_text(HUMAN.replace("{label: me, human: true}", player).replace("name: table", "name: house"))
    loopback.script(Answer("{}"))
    loopback.always(Hang())
    with Terminal("run", str(path), "--db", db) as shown:
        # The first request is the probe; the others hang.
        loopback.wait_for(2, PATIENCE)
        shown.interrupt()
        shown.until("Stopping after the answers being waited for")
        shown.interrupt()
        assert shown.end() == 130
        assert "Stopped. Everything played so far is kept" in shown.text
        assert "Traceback" not in shown.text
    loopback.release()
    (run,) = invoke("runs", "--db", db, "--json").json
    assert (run["status"], run["why"], run["matches"]["running"]) == ("paused", "stopped by hand", 0)
    assert invoke("verify", "house", "--db", db).status == 0
    # Nothing of it is in the way of going on.
    loopback.always(legal())
    assert invoke("run", str(path), "--db", db).status == 0


def away(path: Path, loopback: Loopback) -> None:
    """A file of one model and three bots."""
    player = f"{{label: slow, model: openai/any, api_base: '{loopback.api_base}', price: free}}"
    path.write_text(HUMAN.replace("{label: me, human: true}", player).replace("name: table", "name: house"))


def test_ctrl_c_in_the_first_question_is_a_stop(tmp_path: Path, loopback: Loopback) -> None:
    path, db = tmp_path / "house.yaml", str(tmp_path / "house.db")
    away(path, loopback)
    loopback.always(rate_limited("60"))
    with Terminal("run", str(path), "--db", db) as shown:
        loopback.wait_for(1, PATIENCE)
        shown.interrupt()
        assert shown.end() == 130
        assert "Stopped. Everything played so far is kept" in shown.text
    assert len(loopback.requests) == 1
    (run,) = invoke("runs", "--db", db, "--json").json
    assert (run["status"], run["why"]) == ("paused", "stopped by hand")


def test_a_provider_that_is_away_pauses_and_one_that_refuses_is_bad_input(tmp_path: Path, loopback: Loopback) -> None:
    path, db = tmp_path / "house.yaml", str(tmp_path / "house.db")
    away(path, loopback)
    for answer, ends in [(quota_spent(), 1), (status(401), 2)]:
        loopback.always(answer)
        assert invoke("run", str(path), "--db", db).status == ends
        (run,) = invoke("runs", "--db", db, "--json").json
        assert run["status"] == "paused"
        assert "slow" in run["why"]
    loopback.always(legal())
    assert invoke("run", str(path), "--db", db).status == 0


def test_a_run_whose_reader_leaves_is_played_to_the_end(file: Path, tmp_path: Path) -> None:
    db = str(tmp_path / "pipe.db")
    process = subprocess.Popen(
        command("run", str(file), "--db", db, "--matches", "16"),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment(),
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == "bots: 16 matches\n"
    process.stdout.close()
    assert process.stderr is not None
    assert process.stderr.read() == ""
    assert process.wait(timeout=60) == 0
    assert invoke("runs", "--db", db, "--json").json[0]["matches"]["finished"] == 16


def match(number: int, status: str = "running") -> MatchRecord:
    return MatchRecord.model_validate(
        {
            "id": number,
            "number": number,
            "game": "so_long_sucker",
            "options": {},
            "seed": 1,
            "seats": (),
            "status": status,
        }
    )


class Clock:
    """A clock that tests move."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_the_time_left_is_that_of_the_pace_so_far() -> None:
    clock = Clock()
    tally = Tally(clock)
    tally.started("r", 10, 4)
    assert tally.eta is None
    tally.match_started(match(1))
    clock.now += 20
    tally.match_ended(match(1), "finished")
    assert tally.eta == pytest.approx(100)
    tally.match_ended(match(2), "paused")
    assert tally.eta == pytest.approx(100)


def test_plain_lines_are_few_in_a_long_run(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    shown = Lines(lambda _: None, clock)
    shown.started("r", 1000, 0)
    for number in range(100):
        clock.now += 0.1
        shown.match_started(match(number))
        shown.match_ended(match(number), "finished", None)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "r: 1,000 matches"
    assert 8 <= len(lines) - 1 <= 11


def test_a_pause_is_told_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    shown = Lines(lambda _: None)
    shown.started("r", 1000, 0)
    shown.match_ended(match(3), "paused", "house: [/] \x1b[2Jdown\nfor good")
    shown.note("a \u202ewarning")
    assert capsys.readouterr().out.splitlines()[1:] == ["match 3: paused: house: [/] [2Jdown for good", "a warning"]


def test_the_live_view_lists_a_few_matches_and_counts_the_rest(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "60")
    shown = Live()
    with shown:
        shown.started("[/] run", 20, 0)
        for number in range(12):
            shown.match_started(match(number))
        shown.match_ended(match(11), "paused", "[bold]no[/] more money")
    out = ESCAPES.sub("", capsys.readouterr().out)
    assert "[/] run" in out
    assert "match 7 · so_long_sucker · ply 0" in out
    assert "match 8 ·" not in out
    assert "and 3 more" in out
    assert "match 11: paused: [bold]no[/] more money" in out
