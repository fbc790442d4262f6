"""When two players are told apart while a run goes on: looks between whole packs, with intervals that hold all along.

Looking again and again with an interval of 95 % would find a difference where there is none far too often. So the 5 %
are spent over the looks (Lan and DeMets): after a share t of the packs that the run may have, 5 % times t have been
spent. Between looks nothing is decided. The bounds follow from how the figure moves from look to look, which is as a
sum of independent steps (Armitage, McPherson and Rowe).

While the run goes on, the interval shown is the repeated one, that holds at every look at once. When it has stopped by
the rule, the interval is that of the stagewise ordering (Tsiatis, Rosner and Mehta): it holds for this rule of
stopping, and it leaves out 0 exactly if the bound was crossed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import lru_cache
from math import inf, sqrt
from typing import NamedTuple, Protocol

import numpy as np

from harness.intervals import LEVEL, Interval
from harness.ratings.ballots import Floats
from harness.ratings.packs import LEAST_PACKS
from harness.ratings.quantiles import normal_cdf, student_point

MOST_LOOKS = 8
GRID = 401
"""Points at which the figure's density is kept between looks."""


def spent_evenly(share: float) -> float:
    """The error spent after that share of the packs."""
    return (1 - LEVEL) * share


class Plan(NamedTuple):
    """After how many whole packs is looked, and the bound there in standard errors (of a normal figure)."""

    looks: tuple[int, ...]
    bounds: tuple[float, ...]

    @property
    def most(self) -> int:
        """The packs after which the run stops in any case."""
        return self.looks[-1]

    def next_look(self, packs: int) -> int | None:
        """The next look after so many packs; None after the last."""
        return next((look for look in self.looks if look > packs), None)

    def without(self, skipped: Collection[int]) -> Plan:
        """The same without looks at which nothing could be decided: what they would have spent, the next one has.

        Whether one is skipped must not depend on the difference that is looked for.
        """
        return _plan_at(tuple([look for look in self.looks if look not in skipped])) if skipped else self


@lru_cache(maxsize=256)
def plan(most: int, looks: int = MOST_LOOKS) -> Plan:
    """Looks spread evenly from 20 packs to `most`. Raises `ValueError` where `most` is under 20 packs."""
    return _plan_at(look_points(most, looks))


@lru_cache(maxsize=256)
def _plan_at(looks: tuple[int, ...]) -> Plan:
    return Plan(looks, bounds([look / looks[-1] for look in looks]))


def look_points(most: int, looks: int = MOST_LOOKS) -> tuple[int, ...]:
    """The looks of such a plan. Raises `ValueError` where `most` is under 20 packs."""
    if most < LEAST_PACKS:
        raise ValueError(f"{most} packs are too few to tell two players apart: at least {LEAST_PACKS} are needed")
    if most == LEAST_PACKS:
        return (most,)
    spread = np.linspace(LEAST_PACKS, most, max(1, min(looks, most - LEAST_PACKS + 1)))
    return tuple(dict.fromkeys(round(float(look)) for look in spread))


def bounds(shares: Sequence[float], spent: Callable[[float], float] = spent_evenly) -> tuple[float, ...]:
    """The bounds (two-sided, in standard errors) at these shares of the whole, such that by each look the error
    `spent` there has been spent.

    >>> [round(bound, 2) for bound in bounds([1.0])]
    [1.96]
    """
    found: list[float] = []
    used = 0.0
    for number, share in enumerate(shares):
        goal = spent(share) - used
        low, high = 0.0, 12.0
        while high - low > 1e-7:
            middle = (low + high) / 2
            if _crossing(shares, (*found, middle), number) > goal:
                low = middle
            else:
                high = middle
        found.append((low + high) / 2)
        used = spent(share)
    return tuple(found)


def _crossing(shares: Sequence[float], so_far: tuple[float, ...], look: int) -> float:
    """The chance, where there is no difference, to cross at this look and not before."""
    edge = so_far[look] * sqrt(shares[look])
    up, down = _beyond(shares, so_far, look, edge, 0.0), _below(shares, so_far, look, -edge, 0.0)
    return up + down


@lru_cache(maxsize=512)
def _inside(shares: tuple[float, ...], so_far: tuple[float, ...]) -> tuple[Floats, Floats]:
    """Where the sum is after these looks if no bound was crossed: points and the weights of the density there."""
    edge = so_far[-1] * sqrt(shares[-1])
    points = np.linspace(-edge, edge, GRID)
    simpson = np.where(np.arange(GRID) % 2, 4.0, 2.0)
    simpson[[0, -1]] = 1.0
    simpson *= (points[1] - points[0]) / 3
    if len(shares) == 1:
        return points, simpson * _density(points, shares[0])
    before, weight = _inside(shares[:-1], so_far[:-1])
    step = shares[-1] - shares[-2]
    return points, simpson * (_density(points[:, None] - before, step) @ weight)


def _density(x: Floats, variance: float) -> Floats:
    return np.asarray(np.exp(-x * x / (2 * variance)) / sqrt(2 * np.pi * variance), dtype=np.float64)


def _beyond(shares: Sequence[float], so_far: Sequence[float], look: int, edge: float, drift: float) -> float:
    """The chance to reach this look and to stand above `edge` there, where the sum drifts by so much."""
    if look == 0:
        return float(normal_cdf((drift * shares[0] - edge) / sqrt(shares[0])))
    points, weight = _inside(tuple(shares[:look]), tuple(so_far[:look]))
    step = shares[look] - shares[look - 1]
    tilted = weight * np.exp(drift * points - drift * drift * shares[look - 1] / 2)
    return float(tilted @ normal_cdf((points + drift * step - edge) / sqrt(step)))


def _below(shares: Sequence[float], so_far: Sequence[float], look: int, edge: float, drift: float) -> float:
    return _beyond(shares, so_far, look, -edge, -drift)


def stagewise(shares: Sequence[float], crossed: Sequence[float], look: int, z: float) -> Interval:
    """The interval for the drift (the mean of z at the end of all looks) where the run stopped at this look."""

    def above(drift: float) -> float:
        """The chance of a result at least so far up, in the order: crossed earlier is further out."""
        earlier = sum(
            _beyond(shares, crossed, before, crossed[before] * sqrt(shares[before]), drift) for before in range(look)
        )
        return earlier + _beyond(shares, crossed, look, z * sqrt(shares[look]), drift)

    tail = (1 - LEVEL) / 2
    return _solve(above, tail, z, shares[look]), _solve(above, 1 - tail, z, shares[look])


def _solve(above: Callable[[float], float], goal: float, z: float, share: float) -> float:
    low, high = (z - 9) / sqrt(share), (z + 9) / sqrt(share)
    while high - low > 1e-6:
        middle = (low + high) / 2
        if above(middle) < goal:
            low = middle
        else:
            high = middle
    return (low + high) / 2


class Verdict(NamedTuple):
    """Whether two are told apart after so many packs, and what is known of their difference then."""

    packs: int
    apart: bool
    stop: bool
    """Told apart, or as many packs as there may be."""
    difference: float
    """Of their strengths, in log odds; 0 where nothing can be said of it."""
    interval: Interval | None
    next_look: int | None


def judge(where: Plan, packs: int, difference: float, error: float, seen: int | None = None) -> Verdict:
    """What a look after so many whole packs says of a difference with that standard error.

    `seen` is the fewer of those in which each of the two sat, if not in all; under 20 nothing is decided. Nor is it
    between looks, where there is no interval. Raises `ValueError` for more packs than planned.
    """
    seen = packs if seen is None else seen
    if packs > where.most:
        raise ValueError(f"{packs} packs are more than the {where.most} that the looks were planned for")
    if packs not in where.looks or seen < LEAST_PACKS or not 0 < error < inf:
        return Verdict(packs, False, packs >= where.most, difference, None, where.next_look(packs))
    look = where.looks.index(packs)
    # Standard errors are estimates too: the bound is that of Student's t with the same chance.
    tail = float(normal_cdf(-where.bounds[look]))
    bound = -student_point(tail, seen - 1)
    apart = abs(difference) > bound * error
    stop = apart or packs == where.most
    if not stop:
        between = (difference - bound * error, difference + bound * error)
        return Verdict(packs, False, False, difference, between, where.next_look(packs))
    shares = [one / where.most for one in where.looks]
    wider = bound / where.bounds[look] * error
    low, high = stagewise(shares, where.bounds, look, difference / wider)
    # The drift is the mean of z after all looks; one unit of it is this much of the figure itself.
    unit = wider * sqrt(packs / where.most)
    return Verdict(packs, apart, stop, difference, (low * unit, high * unit), None)


class Difference(Protocol):
    """What is looked at: see `harness.ratings.pairs.Difference`."""

    @property
    def value(self) -> float:
        """Of the two strengths."""

    @property
    def error(self) -> float:
        """Its standard error."""

    @property
    def packs(self) -> int:
        """The fewer of the packs in which each of the two sat."""


def follow(where: Plan, packs: int, at: Callable[[int], Difference | None]) -> Verdict:
    """What the looks up to so many whole packs say, up to the first that stops; of 0 packs before the first.

    `at` gives the difference after so many packs, None where there is none. A look at which either of the two sat
    in fewer than 20 packs is none, and spends nothing.
    """
    verdict = Verdict(0, False, False, 0.0, None, where.next_look(0))
    skipped: list[int] = []
    for look in where.looks:
        if look > packs or verdict.stop:
            break
        found = at(look)
        if found is None or found.packs < LEAST_PACKS:
            skipped.append(look)
            value = 0.0 if found is None else found.value
            verdict = Verdict(look, False, look == where.most, value, None, where.next_look(look))
        else:
            verdict = judge(where.without(skipped), look, found.value, found.error, seen=found.packs)
    return verdict
