"""Bad days, with real processes: killed at any instant, a full disk, a locked and a damaged database."""

from __future__ import annotations

import json
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from harness.leaderboard import leaderboard
from harness.store import Store
from harness.verify import verify
from tests.harness.cli.calling import PATIENCE, command, environment, invoke
from tests.harness.store.child import begin, child
from tests.harness.store.child import line as next_line

ROOT = Path(__file__).parents[2]
FILE = """\
name: house
seed: 5
matches: {matches}
parallel: 4
games: [{{game: so_long_sucker, options: {{chips: {chips}}}}}]
talk: {{messages: 1, round: 4}}
limits: {{openai: {{rpm: 1000000, concurrent: 8}}}}
players:
  - {{label: ann, model: openai/any, api_base: "{base}", price: {{input: 1, output: 2}}, params: {{max_tokens: 64}}}}
{others}
"""
BOTS_BESIDE = "  - {label: banker, bot: banker}\n  - {label: turncoat, bot: turncoat}\n  - {label: chance, bot: random}"


class Provider:
    """The loopback provider in a process of its own, and what it wrote down."""

    def __init__(self, base: str, log: Path) -> None:
        self.base = base
        self._log = log

    def asked(self) -> Counter[str]:
        """How often each request was answered."""
        lines = self._log.read_text().splitlines() if self._log.exists() else []
        return Counter(json.loads(line)["sha256"] for line in lines)


@contextmanager
def provider(folder: Path, latency: float = 0.003) -> Iterator[Provider]:
    log = folder / f"provider-{time.monotonic_ns()}.jsonl"
    options = ["--latency", str(latency), "--say", "well met", "--log", str(log)]
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.providers.serve", *options], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        yield Provider(process.stdout.readline().strip(), log)
    finally:
        process.terminate()
        process.communicate()


def file_of(folder: Path, base: str, matches: int, *, models: int = 1) -> Path:
    """One model and bots, in matches of a few turns; or models alone, whose turns come one by one, in longer ones."""
    path = folder / "house.yaml"
    model = f'  - {{label: m%d, model: openai/any, api_base: "{base}", price: {{input: 1, output: 2}}}}'
    others = BOTS_BESIDE if models == 1 else "\n".join(model % number for number in range(1, models))
    path.write_text(FILE.format(base=base, matches=matches, chips=1 if models == 1 else 3, others=others))
    return path


def start(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        command(*arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment()
    )


def turns_in(db: Path) -> int:
    """Turns committed so far; 0 while there is no database yet."""
    try:
        with sqlite3.connect(f"file:{db}?mode=ro", uri=True) as raw:
            return int(raw.execute("select count(*) from turn").fetchone()[0])
    except sqlite3.Error:
        return 0


def kill_within(process: subprocess.Popen[str], db: Path, more: int, extra: float) -> bool:
    """Kill it some turns from now and a moment later; False if it had ended by then."""
    goal = turns_in(db) + more
    # Of a busy machine a start may take most of a minute.
    end = time.monotonic() + PATIENCE * 6
    try:
        while process.poll() is None and turns_in(db) < goal:
            assert time.monotonic() < end, "no turn came"
            time.sleep(0.005)
        time.sleep(extra)
    finally:
        process.kill()
        process.communicate()
    return process.returncode == -signal.SIGKILL


def log_of(store: Store) -> list[Any]:
    """All that the matches came to, without times and the database's own numbers."""
    found = []
    for match in store.matches(1):
        assert match.id is not None
        turns = [turn.model_dump(exclude={"at", "call_id"}) for turn in store.turns(match.id)]
        messages = [message.model_dump(exclude={"call_id"}) for message in store.messages(match.id)]
        found.append((match.number, match.status, match.outcome, turns, messages))
    return found


def survive(tmp_path: Path, kills: int, matches: int, *, models: int = 1, latency: float = 0.003) -> None:
    """Kill a run again and again, then let it end; compare it with one that was left alone."""
    rng = random.Random(kills)
    db, whole = tmp_path / "killed.db", tmp_path / "whole.db"
    with provider(tmp_path, latency) as house:
        file = file_of(tmp_path, house.base, matches, models=models)
        done = start("run", str(file), "--db", str(whole))
        _, err = done.communicate(timeout=PATIENCE * 10)
        assert done.returncode == 0, err
        # Some turns come between the look that finds so many and the kill.
        per_kill = max(1, turns_in(whole) // (2 * (kills + 2)))
    with provider(tmp_path, latency) as house:
        # The same requests but for the port: the loopback answers by the body alone.
        file = file_of(tmp_path, house.base, matches, models=models)
        killed = 0
        for number in range(kills):
            again = ("run", str(file)) if number % 2 == 0 or not turns_in(db) else ("resume", "house")
            process = start(*again, "--db", str(db))
            killed += kill_within(process, db, rng.randint(1, per_kill), rng.random() * 0.02)
        assert killed == kills
        assert invoke("runs", "--db", str(db), "--json").json[0]["status"] == "stopped"
        last = start("resume", "house", "--db", str(db))
        _, err = last.communicate(timeout=PATIENCE * 10)
        assert last.returncode == 0, err
        asked = house.asked()
    with sqlite3.connect(db) as raw:
        assert raw.execute("select count(*) from (select distinct match_id, ply from turn)").fetchone()[0] == turns_in(
            db
        )
        assert raw.execute("pragma integrity_check").fetchone() == ("ok",)
    with Store.open_readonly(db) as store, Store.open_readonly(whole) as left_alone:
        for match in store.matches(1, with_start=True):
            assert match.id is not None
            assert verify(match, store.turns(match.id)) is None
        assert log_of(store) == log_of(left_alone)
        lines = store.call_lines(1)
        decisions = Counter(
            (call.match_id, call.seat, call.decision) for m in store.matches(1) for call in store.calls(m.id or 0)
        )
        board, whole_board = (
            [
                {key: row[key] for key in ("label", "wins", "win_rate", "win_interval", "mean_place", "matches")}
                for row in leaderboard(one.seat_stats([1])).to_json()["tables"][0]["rows"]
            ]
            for one in (store, left_alone)
        )
    assert board == whole_board
    assert all(call.error_kind is None for call in lines)
    # Nothing stored was asked for again: a decision has one call, and no kill lost more than what was in flight.
    assert set(decisions.values()) == {1}
    assert 0 <= asked.total() - len(lines) <= kills * (4 + 1)


def test_killed_at_random_instants_nothing_is_lost_or_paid_twice(tmp_path: Path) -> None:
    survive(tmp_path, kills=3, matches=4)


@pytest.mark.soak
def test_killed_many_times(tmp_path: Path) -> None:
    survive(tmp_path, kills=100, matches=20, models=4, latency=0.05)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[tuple[Path, int | None]]:
    """A file system of 1 MB. Where none may be mounted, a folder, and how many bytes a file in it may have."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)]
    mounted = subprocess.run(mount, capture_output=True).returncode == 0
    yield folder, None if mounted else 900_000
    if mounted:
        subprocess.run(["umount", "-l", str(folder)], check=True)


BOTS = FILE.replace("talk: {{messages: 1, round: 4}}", "talk: off")


def bots_file(folder: Path, matches: int) -> Path:
    path = folder / "bots.yaml"
    lines = [
        row
        for row in BOTS.format(base="", matches=matches, chips=1, others=BOTS_BESIDE).splitlines()
        if "openai" not in row
    ]
    path.write_text("\n".join([*lines, "  - {label: greedy, bot: greedy}"]).replace("name: house", "name: bots") + "\n")
    return path


def limited(*arguments: str, size: int | None) -> subprocess.CompletedProcess[str]:
    """`parley` where no file may grow beyond so many bytes."""
    code = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({size or -1}, {size or -1})); "
        "from harness.cli import main; main(sys.argv[1:])"
    )
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True, text=True, timeout=PATIENCE * 2, cwd=ROOT, env=environment(),
    )  # fmt: skip


def test_a_full_disk_is_one_line_and_what_was_committed_stays(
    small_disk: tuple[Path, int | None], tmp_path: Path
) -> None:
    folder, size = small_disk
    db = folder / "parley.db"
    done = limited("run", str(bots_file(tmp_path, 200)), "--db", str(db), size=size)
    assert done.returncode != 0
    assert "Traceback" not in done.stderr
    told = done.stderr.splitlines()
    assert len(told) == 1
    assert "the disk is full or faulty" in told[0]
    copy = tmp_path / "copy.db"
    for suffix in ("", "-wal"):
        source = db.with_name(db.name + suffix)
        if source.exists():
            copy.with_name(copy.name + suffix).write_bytes(source.read_bytes())
    assert turns_in(copy) > 0
    assert invoke("verify", "bots", "--db", str(copy)).status == 0
    # With room again the same run goes on.
    assert invoke("resume", "bots", "--db", str(copy)).status == 0


def test_a_database_that_another_writer_keeps_locked_is_waited_for(tmp_path: Path) -> None:
    db, seconds = tmp_path / "parley.db", 10.0
    Store.open(db).close()
    file = bots_file(tmp_path, 8)
    with child("hold", str(db), str(seconds)) as holder:
        begin(holder)
        assert next_line(holder) == "locked"
        began = time.monotonic()
        done = invoke("run", str(file), "--db", str(db))
        assert next_line(holder) == "let go"
    assert (done.status, done.err) == (0, "")
    assert time.monotonic() - began > seconds / 2
    assert invoke("verify", "bots", "--db", str(db)).status == 0


@pytest.mark.parametrize("share", [0.02, 0.5, 0.9])
@pytest.mark.parametrize(
    "args",
    [("runs",), ("resume", "bots"), ("leaderboard",), ("verify", "bots"), ("doctor", "bots"), ("backup", "FILE")],
)
def test_a_truncated_database_is_one_line(tmp_path: Path, bots: Path, share: float, args: tuple[str, ...]) -> None:
    db = tmp_path / "parley.db"
    data = bots.read_bytes()
    db.write_bytes(data[: int(len(data) * share)])
    given = [str(tmp_path / "copy.db") if arg == "FILE" else arg for arg in args]
    call = invoke(*given, "--db", str(db))
    assert (call.status, call.err.count("\n")) == (2, 1)
    assert f"database {db}: the file is not an SQLite database, or is damaged" in call.err


@pytest.fixture(scope="module")
def bots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with a finished run of bots, in one file."""
    folder = tmp_path_factory.mktemp("bots")
    db = folder / "parley.db"
    assert invoke("run", str(bots_file(folder, 8)), "--db", str(db)).status == 0
    assert not db.with_name("parley.db-wal").exists()
    return db
