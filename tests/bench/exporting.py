"""What an export costs beside a plain SQL read of the same rows, and how much memory it takes.

`python -m tests.bench.exporting [TURNS]` (100,000 if not said). A run of bots is played and its matches are copied row
by row. Then, in turn and five times over: every column of every turn read by sqlite3 alone, in lists of as many; the
turns exported as Parquet and as JSON lines; and the same of the whole run, all tables. Figures are seconds of processor
time, medians of five; ratios are what to compare. The goals: as Parquet at most four times the read of those rows, as
JSON lines at most six. Memory is the peak of a process that exports a tenth of the run, and of one that exports all of
it: the goal is that the second takes at most 1.25 times the first.
"""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median

from harness.data.read import Wanted, read
from harness.data.schema import TABLES
from harness.data.write import Format, write_tables
from harness.store import Store
from tests.bench.behaviour import make

ROUNDS = 5
GOALS: dict[Format, float] = {"parquet": 4.0, "jsonl": 6.0}
MEMORY_GOAL = 1.25
TURNS = ("turns",)
STORED = ("run", "match", "seat", "turn", "call", "message", "pledge")
"""The tables of the database whose rows a whole export holds; outcomes and verdicts are computed."""


def spent(work: Callable[[], object]) -> float:
    """Seconds of processor time of all threads."""
    begun = time.process_time()
    work()
    return time.process_time() - begun


def plain(path: Path, tables: Sequence[str]) -> None:
    """Read all rows of some tables, a thousand at a time."""
    connection = sqlite3.connect(path)
    for table in tables:
        cursor = connection.execute(f'SELECT * FROM "{table}"')
        while cursor.fetchmany(1000):
            pass
    connection.close()


def export(path: Path, folder: Path, kind: Format, tables: Sequence[str]) -> int:
    """Export every run of a database; how many rows."""
    with Store.open_readonly(path) as store, store.snapshot() as snapshot:
        rows = read(snapshot, store.runs(), Wanted(tables))
        return sum(write_tables(rows, {kind: folder}, tables, about={"public": False}, force=True).values())


def peak(path: Path, kind: Format) -> float:
    """The most memory (MB) that a process takes which exports all tables of a database."""
    code = (
        "import sys; from pathlib import Path; from harness.data.schema import TABLES\n"
        "from tests.bench.exporting import export, memory\n"
        f"export(Path(sys.argv[1]), Path(sys.argv[2]), {kind!r}, list(TABLES)); print(memory())"
    )
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-c", code, str(path), f"{folder}/data"]
        return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def memory() -> float:
    """The peak of this process, in MB. What `getrusage` tells begins with that of the process it was forked from."""
    (line,) = (line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) / 1024


def told(met: bool) -> str:
    return "met" if met else "missed"


def main(wanted: int) -> int:
    """Print the table; 1 if a goal is missed."""
    missed = 0
    with tempfile.TemporaryDirectory() as folder:
        path, small = Path(folder) / "bench.db", Path(folder) / "small.db"
        turns = make(path, wanted)
        make(small, turns // 10)
        print(f"{turns:,} turns")
        print(f"{'what':<34}{'SQL read':>10}{'export':>10}{'ratio':>8}")
        for name, tables, stored in (("turns", TURNS, ("turn",)), ("all tables", tuple(TABLES), STORED)):
            for kind, goal in GOALS.items():
                pairs = []
                for _ in range(ROUNDS):
                    least = spent(lambda stored=stored: plain(path, stored))
                    own = spent(lambda kind=kind, tables=tables: export(path, Path(folder) / kind, kind, tables))
                    pairs.append((least, own))
                    shutil.rmtree(Path(folder) / kind)
                least, own = (median(column) for column in zip(*pairs, strict=True))
                ratio = median(export_s / read_s for read_s, export_s in pairs)
                line = f"{f'{name} as {kind}':<34}{least:>8.2f} s{own:>8.2f} s{ratio:>8.1f}"
                if tables is TURNS:
                    missed += ratio > goal
                    line += f"   goal {goal:g}: {told(ratio <= goal)}"
                print(line)
        for kind in GOALS:
            few, all_ = peak(small, kind), peak(path, kind)
            missed += all_ > MEMORY_GOAL * few
            print(
                f"memory as {kind}: {few:.0f} MB for a tenth, {all_:.0f} MB for all: {all_ / few:.2f} times   "
                f"goal {MEMORY_GOAL:g}: {told(all_ <= MEMORY_GOAL * few)}"
            )
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000))
