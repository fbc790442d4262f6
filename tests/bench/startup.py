"""How soon the command line answers, beside the import of one of its libraries.

    python -m tests.bench.startup [RUNS]

Each command runs RUNS times (default 9) as a new process, in turn with the others, so that a busy machine slows them
all alike; the medians are compared. Exit status 1 if `parley --help` takes more than twice the time of
`import pydantic`.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from pathlib import Path

PARLEY = str(Path(sys.executable).with_name("parley"))
YARDSTICK = "import pydantic"
GOAL = 2.0
COMMANDS: dict[str, list[str]] = {
    YARDSTICK: [sys.executable, "-c", "import pydantic"],
    "bare python": [sys.executable, "-c", ""],
    "parley --help": [PARLEY, "--help"],
    "parley games": [PARLEY, "games"],
}


def measure(runs: int) -> dict[str, float]:
    """The median wall time in seconds of each command; one run before that fills the caches."""
    taken: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for number in range(runs + 1):
        for name, command in COMMANDS.items():
            start = time.perf_counter()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            if number:
                taken[name].append(time.perf_counter() - start)
    return {name: statistics.median(times) for name, times in taken.items()}


def main() -> int:
    """Print the table; the exit status."""
    medians = measure(int(sys.argv[1]) if len(sys.argv) > 1 else 9)
    print(f"{'command':<16}{'median':>10}{'ratio':>8}")
    for name, seconds in medians.items():
        print(f"{name:<16}{seconds * 1000:>7.0f} ms{seconds / medians[YARDSTICK]:>8.2f}")
    ratio = medians["parley --help"] / medians[YARDSTICK]
    print(f"goal: parley --help within {GOAL:g} times of {YARDSTICK}: {'met' if ratio <= GOAL else 'missed'}")
    return int(ratio > GOAL)


if __name__ == "__main__":
    sys.exit(main())
