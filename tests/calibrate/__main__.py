"""Check the ratings against players of known strength: do 95 % intervals cover the truth 95 times in 100?

    python -m tests.calibrate [SIMULATIONS]

SIMULATIONS (default 1000) of each world. Exit status 1 if a coverage is outside 93 to 97 %, or if differences are found
too often where there are none (above 7 %).
"""

from __future__ import annotations

import sys
import time
from concurrent.futures import ProcessPoolExecutor
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


def few(packs_played: int, simulations: int) -> dict[str, Share]:
    """Coverage with so few packs that no interval would be given."""
    with patch.object(packs, "LEAST_PACKS", packs_played), patch.object(rate, "LEAST_PACKS", packs_played):
        return coverage(APART._replace(packs=packs_played), simulations)


def main(simulations: int) -> int:
    """Print the table; 1 if a goal is missed."""
    begun = time.monotonic()
    missed = 0
    with ProcessPoolExecutor() as pool:
        # Everything is handed out at once, and printed in this order as it is done.
        covered = [(world, pool.submit(coverage, world, simulations)) for world in (*WORLDS, *SCHEDULED)]
        placed, kingmade = (pool.submit(by_places, world, simulations // 2) for world in (APART, KINGMAKER))
        stopped = [(world, pool.submit(stopping, world, simulations)) for world in STOPPING]
        scant = [(number, pool.submit(few, number, simulations // 5)) for number in (5, 10)]
        for world, work in covered:
            print(f"{world.name}: intervals cover the truth in")
            for what, found in work.result().items():
                alike = what.startswith("pairs found")
                missed += not line(what, found, None if alike else LOW, FALSE if alike else HIGH)
        print(f"by places; {APART.name}")
        places = placed.result()
        missed += not line("win probability by places", places["win probability by places"], LOW, HIGH)
        missed += not line("places said not to fit, though they do", places["places said not to fit"], None, FALSE)
        print(f"by places; {KINGMAKER.name}, 40 packs")
        line("places said not to fit", kingmade.result()["places said not to fit"])
        for world, work in stopped:
            print(f"stopping when two are told apart, at most {world.packs} packs; {world.name}")
            for what, found in work.result().items():
                missed += not line(what, found, *((LOW, HIGH) if what.startswith("interval") else ()))
        print("fewer than 20 packs (which get no interval)")
        for number, work in scant:
            line(f"win probability, {number} packs", work.result()["win probability"])
    print(f"{(time.monotonic() - begun) / 60:.0f} minutes; {missed} missed")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000))
