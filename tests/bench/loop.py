"""What the loop costs beside inspect-ai and beside the least that it can cost, with a model inside the process.

    python -m tests.bench.loop [ROUNDS] [MATCHES]

MATCHES (default 200) matches of So Long Sucker are played at once, with talk on replies. *loop*: the model answers at
once. inspect-ai makes as many calls with the same messages; the floor is asyncio with batched inserts of the same
bytes. *waiting*: ten calls a match of one second each. In each of ROUNDS rounds (default 5) all are measured side by
side, each in a process of its own; what is printed are medians. CPU is that of all threads. Exit status 1 if a goal is
missed, or if the peer cannot be installed or measured.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.bench.engines import Missing, Peer, environment, last_line

PEER = Peer("so_long_sucker", "inspect-ai", "0.3.285", "calls", 10.0)
PEERS = Path(__file__).parent / "peers"
CALLS, DELAY = 10, 1.0
"""Of a match in the measure of waiting: how many, and seconds that each takes."""

Figures = dict[str, float]


class Goal(NamedTuple):
    """One line of the table: what is measured of us and of whom it is compared with, and the most it may be of it."""

    row: str
    unit: str
    ours: Callable[[Figures], float]
    beside: str
    theirs: Callable[[Figures], float]
    most: float


def _cpu(figures: Figures) -> float:
    return figures["cpu"] / figures["decisions"] * 1e6


def _memory(figures: Figures) -> float:
    return figures["memory"] / 1e6


def _wall(figures: Figures) -> float:
    return figures["wall"]


LOOP = (
    Goal("loop", "CPU a decision, µs", _cpu, "inspect-ai", _cpu, 0.10),
    Goal("loop", "CPU a decision, µs", _cpu, "floor", _cpu, 8.0),
    Goal("loop", "peak memory, MB", _memory, "inspect-ai", _memory, 0.50),
)
WAITING = (
    Goal("waiting", "wall, s", _wall, "ideal", _wall, 1.03),
    Goal("waiting", "CPU a decision, µs", _cpu, "inspect-ai", _cpu, 0.10),
)


def run(*command: object) -> Figures:
    """The figures that a process prints."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    if done.returncode:
        raise Missing(f"{command[1:3]} failed: {last_line(done.stderr)}")
    return dict(json.loads(done.stdout.splitlines()[-1]))


def loop(matches: int, folder: Path, peer: Path) -> dict[str, Figures]:
    """One round of the first measure."""
    script = folder / "script.json"
    ours = run(sys.executable, "-m", "tests.bench.peers.inprocess", matches, "--script", script)
    turns, size = round(ours["decisions"] / matches), round(ours["text"])
    return {
        "ours": ours,
        "inspect-ai": run(peer, PEERS / "inspect_calls.py", script, 0, 0),
        "floor": run(sys.executable, PEERS / "floor.py", matches, turns, size),
    }


def waiting(matches: int, folder: Path, peer: Path) -> dict[str, Figures]:
    """One round of the second."""
    some = ("--delay", DELAY, "--calls", CALLS)
    return {
        "ours": run(sys.executable, "-m", "tests.bench.peers.inprocess", matches, *some),
        "inspect-ai": run(peer, PEERS / "inspect_calls.py", folder / "script.json", DELAY, CALLS),
        "ideal": {"wall": CALLS * DELAY},
    }


def show(goals: Sequence[Goal], rounds: Sequence[dict[str, Figures]]) -> int:
    """Print a line for each goal; how many are missed."""
    missed = 0
    for goal in goals:
        ours = [goal.ours(figures["ours"]) for figures in rounds]
        theirs = [goal.theirs(figures[goal.beside]) for figures in rounds]
        ratio = statistics.median(own / other for own, other in zip(ours, theirs, strict=True))
        missed += ratio > goal.most
        print(
            f"{goal.row:8} {goal.unit:20} {statistics.median(ours):8,.1f}  {goal.beside:10} "
            f"{statistics.median(theirs):8,.1f} {ratio:8.3f} {goal.most:6.2f}  "
            f"{'missed' if ratio > goal.most else 'met'}",
            flush=True,
        )
    return missed


def main(rounds: int, matches: int) -> int:
    """Print the table; 1 if anything is missing or missed."""
    try:
        peer = environment(PEER)
        print(f"{'':8} {'':20} {'ours':>8}  {'beside':10} {'theirs':>8} {'ratio':>8} {'goal':>6}")
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            missed = show(LOOP, [loop(matches, folder, peer) for _ in range(rounds)])
            missed += show(WAITING, [waiting(matches, folder, peer) for _ in range(rounds)])
    except Missing as missing:
        print(missing, flush=True)
        return 1
    return 1 if missed else 0


if __name__ == "__main__":
    given = [int(number) for number in sys.argv[1:3]]
    sys.exit(main(*given, *(5, 200)[len(given) :]))
