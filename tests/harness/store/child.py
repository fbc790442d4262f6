"""What other processes do to a database in these tests: `python -m tests.harness.store.child WHAT ...`.

It says `ready` when everything is imported, and waits for a line before it begins.
"""

from __future__ import annotations

import itertools
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import alembic.command  # noqa: F401 - so that opening takes no time for it
from sqlalchemy import Engine, event

from harness.store import StoreError, new_owner, upgrade
from harness.store.store import Store
from tests.harness.store.samples import OUTCOME, call_of, match_of, message_of, run_of, turn_of

ROOT = Path(__file__).parents[3]
Process = subprocess.Popen[str]


@contextmanager
def child(*arguments: str) -> Iterator[Process]:
    """A process of this module, ready to begin; it does not outlive the block."""
    command = [sys.executable, "-m", "tests.harness.store.child", *arguments]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    try:
        assert line(process) == "ready"
        yield process
    finally:
        process.kill()
        process.communicate()


def begin(*processes: Process) -> None:
    """Let them go on."""
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()


def line(process: Process) -> str:
    """The next line that it prints; empty when it has ended."""
    assert process.stdout is not None
    return process.stdout.readline().strip()


def say(what: object) -> None:
    # In one piece: several threads speak.
    os.write(1, f"{what}\n".encode())


def open_at_once(url: str, many: str, *migrations: str) -> None:
    """Open it in many processes in the same moment, and say how many of them could list it."""
    if migrations:
        use(*migrations)
    gate, opener = os.pipe()
    pids = []
    for _ in range(int(many)):
        pid = os.fork()
        if not pid:
            os.close(opener)
            os.read(gate, 1)
            with Store.open(url) as store:
                store.runs()
            os._exit(0)
        pids.append(pid)
    os.close(opener)
    say(sum(os.waitpid(pid, 0)[1] == 0 for pid in pids))


def play(url: str, name: str, matches: str, plies: str) -> None:
    """Play a run's matches at once, saying what is durable as soon as it is."""
    with Store.open(url) as store:
        found = store.run(name)
        run_id = (
            found.id if found else store.create_run(run_of(name), [match_of(n) for n in range(int(matches))]).result()
        )
        assert run_id is not None
        say(f"run {run_id}")

        def one(match_id: int) -> None:
            owner = new_owner()
            assert store.claim_match(match_id, owner).result()
            store.start_match(match_id, start={"p": 1}, start_events=[], start_hash="h", versions={}).result()
            played = len(store.turns(match_id))
            for ply in range(played + 1, int(plies) + 1):
                call_id = store.add_call(call_of(match_id=match_id, ply=ply)).result()
                say(f"call {call_id}")
                store.add_turns(
                    match_id, [turn_of(ply, call_id=call_id)], [message_of(ply - 1, call_id=call_id)]
                ).result()
                say(f"turn {match_id} {ply}")
            store.add_turns(match_id, [], outcome=OUTCOME).result()

        with ThreadPoolExecutor(8) as pool:
            ids = [match.id or 0 for match in store.matches(run_id) if match.status != "finished"]
            list(pool.map(one, ids))
        store.set_run(run_id, "finished").result()
    say("done")


def use(scripts: str, head: str) -> None:
    """Take another set of migrations for this process."""
    upgrade.SCRIPTS, upgrade.HEAD = Path(scripts), head


def die_at(url: str, scripts: str, head: str) -> None:
    """For each number read, open the database in a process that is killed at that statement."""
    use(scripts, head)
    for number in map(int, sys.stdin):
        pid = os.fork()
        if not pid:
            _count_down(number)
            with Store.open(url) as store:
                store.runs()
            os._exit(0)
        _, status = os.waitpid(pid, 0)
        say("killed" if os.WIFSIGNALED(status) else f"ended {os.WEXITSTATUS(status)}")


def _count_down(number: int) -> None:
    left = itertools.count(number, -1)

    def strike(*_: Any) -> None:
        if next(left) <= 0:
            os.kill(os.getpid(), signal.SIGKILL)

    event.listen(Engine, "before_cursor_execute", strike)
    event.listen(Engine, "commit", strike)


def fill_up(url: str) -> None:
    """Write where no file may grow beyond a limit, then without the limit."""
    with Store.open(url) as store:
        match_id = store.matches(store.create_run(run_of(), [match_of()]).result())[0].id or 0
        _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, hard))
        written = 0
        for ply in itertools.count(1):
            try:
                store.add_turns(match_id, [turn_of(ply, thoughts=str(ply) * 5000)]).result()
            except StoreError as error:
                say(f"refused {error}")
                break
            written = ply
        say(f"kept {len(store.turns(match_id)) == written}")
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
        store.add_turns(match_id, [turn_of(written + 1)]).result()
        say(f"after {len(store.turns(match_id)) == written + 1}")


def hold(url: str, seconds: str) -> None:
    """Keep the database locked for a while, then say so."""
    with Store.open(url) as store:
        store._do(lambda _: (say("locked"), time.sleep(float(seconds)))).result()
    say("let go")


WHAT: dict[str, Callable[..., None]] = {one.__name__: one for one in (open_at_once, play, die_at, fill_up, hold)}

if __name__ == "__main__":
    say("ready")
    if sys.argv[1] != "die_at":
        sys.stdin.readline()
    WHAT[sys.argv[1]](*sys.argv[2:])
