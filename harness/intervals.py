"""Intervals: their level, and Wilson's for a rate. Those of ratings are made in `harness.ratings.packs`."""

from __future__ import annotations

from math import sqrt

LEVEL = 0.95
Interval = tuple[float, float]


def wilson(rate: float, number: float, t: float) -> Interval:
    """Wilson's interval for a rate seen in that many independent matches."""
    middle = (rate + t * t / (2 * number)) / (1 + t * t / number)
    half = t / (1 + t * t / number) * sqrt(rate * (1 - rate) / number + t * t / (4 * number * number))
    return max(0.0, middle - half), min(1.0, middle + half)
