"""Intervals for win rates and places where matches come in packs. The why stands in `harness.leaderboard`."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum, sqrt
from statistics import NormalDist

LEVEL = 0.95
Interval = tuple[float, float]


def design_effect(players: Sequence[Sequence[Sequence[float]]]) -> float | None:
    """Variance of the players' means with packs as units, over that with single matches as units; at least 1.

    Each player is its values by pack; players with fewer than two packs are passed over. None where nothing varies.
    """
    between, alone = [], []
    for packs in players:
        values = [value for pack in packs for value in pack]
        if len(packs) < 2:
            continue
        mean = fsum(values) / len(values)
        residuals = fsum((fsum(pack) - mean * len(pack)) ** 2 for pack in packs)
        between.append(residuals * len(packs) / (len(packs) - 1) / len(values) ** 2)
        alone.append(fsum((value - mean) ** 2 for value in values) / (len(values) - 1) / len(values))
    single = fsum(alone)
    return max(1.0, fsum(between) / single) if single > 0 else None


def student_t(freedom: int) -> float:
    """The two-sided 95 % point of Student's t, by the expansion round the normal's (within 0.1 % from 3 degrees on)."""
    if freedom < 3:
        return (12.7062, 4.3027)[freedom - 1]
    z = NormalDist().inv_cdf((1 + LEVEL) / 2)
    terms = (
        z,
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return fsum(term / freedom**power for power, term in enumerate(terms))


def wilson(rate: float, number: float, t: float) -> Interval:
    """Wilson's interval for a rate seen in that many independent matches."""
    middle = (rate + t * t / (2 * number)) / (1 + t * t / number)
    half = t / (1 + t * t / number) * sqrt(rate * (1 - rate) / number + t * t / (4 * number * number))
    return max(0.0, middle - half), min(1.0, middle + half)


def effective(matches: int, packs: int, effect: float | None) -> float:
    """How many independent matches these are worth; where nothing varied, no more than the packs."""
    return float(packs) if effect is None else max(matches / effect, float(packs))


def place_interval(places: Sequence[float], number: float, t: float, seats: int) -> Interval:
    """The usual interval round a mean place, of that many independent matches; within 1 and `seats`."""
    mean = fsum(places) / len(places)
    variance = fsum((place - mean) ** 2 for place in places) / (len(places) - 1)
    if variance == 0:
        # Always the same place: no spread to go by, so the widest that a place on this scale can have is taken.
        low, high = wilson((mean - 1) / max(seats - 1, 1), number, t)
        return 1 + low * (seats - 1), 1 + high * (seats - 1)
    half = t * sqrt(variance / number)
    return max(1.0, mean - half), min(float(seats), mean + half)
