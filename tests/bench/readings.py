"""Processor time, read often enough to be told."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median


def seconds(work: Callable[[], object]) -> float:
    """Seconds of processor time: the median of five readings, or of three long ones."""
    found: list[float] = []
    while len(found) < (3 if found and found[0] > 5 else 5):
        begun = time.process_time()
        work()
        found.append(time.process_time() - begun)
    return median(found)
