"""Check the ratings against players of known strength: do 95 % intervals cover the truth 95 times in 100?

    python -m tests.calibrate [SIMULATIONS]

SIMULATIONS (default 1000) of each world. Exit status 1 if a coverage is outside 93 to 97 %, or if differences are found
too often where there are none (above 7 %).
"""

from __future__ import annotations

import sys
import time
from unittest.mock import patch

from harness.ratings import packs, rate
from tests.calibrate.measure import Share, by_places, coverage, stopping
from tests.calibrate.schedules import SCHEDULED
from tests.calibrate.worlds import APART, KINGMAKER, STOPPING, WORLDS

LOW, HIGH = 0.93, 0.97
FALSE = 0.07


def line(what: str, found: Share, low: float | None = None, high: float | None = None) -> bool:
    """Print one share; whether it is within its bounds."""
    right = (low is None or found.share >= low) and (high is None or found.share <= high)
    print(f"  {what:36} {100 * found.share:6.1f} %  of {found.number:6,}{'' if right else '   MISSED'}", flush=True)
    return right


def main(simulations: int) -> int:
    """Print the table; 1 if a goal is missed."""
    begun = time.process_time()
    missed = 0
    for world in (*WORLDS, *SCHEDULED):
        print(f"{world.name}: intervals cover the truth in")
        for what, found in coverage(world, simulations).items():
            alike = what.startswith("pairs found")
            missed += not line(what, found, None if alike else LOW, FALSE if alike else HIGH)
    print(f"by places; {APART.name}")
    places = by_places(APART, simulations // 2)
    missed += not line("win probability by places", places["win probability by places"], LOW, HIGH)
    missed += not line("places said not to fit, though they do", places["places said not to fit"], None, FALSE)
    print(f"by places; {KINGMAKER.name}, 40 packs")
    line("places said not to fit", by_places(KINGMAKER, simulations // 2)["places said not to fit"])
    for world in STOPPING:
        print(f"stopping when two are told apart, at most {world.packs} packs; {world.name}")
        for what, found in stopping(world, simulations).items():
            missed += not line(what, found, *((LOW, HIGH) if what.startswith("interval") else ()))
    print("fewer than 20 packs (which get no interval)")
    for few in (5, 10):
        with patch.object(packs, "LEAST_PACKS", few), patch.object(rate, "LEAST_PACKS", few):
            found = coverage(APART._replace(packs=few), simulations // 5)
        line(f"win probability, {few} packs", found["win probability"])
    print(f"{time.process_time() - begun:.0f} s of processor time; {missed} missed")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000))
