"""Packs drawn anew, and the intervals that this gives.

The matches of a pack share a seed and a line-up, so packs are the units that are independent; a pack that is drawn
brings its line-up with it. Each draw gives every pack a random weight (exponential, mean 1: the Bayesian bootstrap),
so that no draw lacks a player altogether. What is imagined beside the matches is drawn as well (see `logit`), which
gives a player who never won, or always did, an interval like Jeffreys' for a share.

An interval runs between two percentiles of the drawn figures. With few packs these are too narrow, by the degrees of
freedom that the mean took and by Student's t against the normal; both are made up for by taking percentiles further
out. Under 20 packs no interval is given: the percentiles then lie so far out that they rest on a few of the draws and
on the shape of the tails, and few packs may not show a luck that is rare and large.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b
from math import sqrt

import numpy as np

from harness.intervals import LEVEL, Interval
from harness.ratings.ballots import Ballots, Floats
from harness.ratings.quantiles import normal_cdf, student_point

LEAST_PACKS = 20
"""No interval is given for fewer."""
DRAWS = 1000


def generator(found: Ballots) -> np.random.Generator:
    """A source of chance that depends on the matches' packs, seats and places, and on nothing else."""
    told = blake2b(digest_size=8)
    for part in (found.packs, found.seated, found.places):
        told.update(repr(part.shape).encode())
        told.update(np.ascontiguousarray(part).tobytes())
    return np.random.default_rng(int.from_bytes(told.digest(), "big"))


def pack_weights(random: np.random.Generator, packs: int, draws: int = DRAWS) -> Floats:
    """Draw by pack."""
    return random.standard_exponential((draws, packs))


@lru_cache(maxsize=1024)
def _outside(packs: int) -> float:
    """The share of draws beyond each end of an interval."""
    point = student_point((1 + LEVEL) / 2, packs - 1) * sqrt((packs + 1) / (packs - 1))
    return float(normal_cdf(-point))


def interval(drawn: Floats, packs: int) -> Interval | None:
    """The interval of a figure that was drawn so often, from so many packs; None under `LEAST_PACKS`."""
    if packs < LEAST_PACKS:
        return None
    tail = _outside(packs)
    low, high = np.quantile(drawn, [tail, 1 - tail])
    return float(low), float(high)


def drawn_shares(sums: Floats, counts: Floats, weights: Floats, imagined: float, random: np.random.Generator) -> Floats:
    """Draw by column: a share (of 0 to 1), whose sums and counts are given by pack and column.

    Half a success and half a failure, times `imagined`, are drawn beside.
    """
    shape = (len(weights), sums.shape[1])
    success = random.standard_gamma(0.5, shape) * imagined
    failure = random.standard_gamma(0.5, shape) * imagined
    return np.asarray((weights @ sums + success) / (weights @ counts + success + failure), dtype=np.float64)


def design_effect(sums: Floats, counts: Floats, values: Floats, number: Floats) -> float:
    """By how much packs vary more than as many independent matches would, at least 1, over all players at once.

    Given by pack and player (`sums`, `counts`), and by player (`values`: the variance of its single matches, `number`:
    how many). Where nothing varies at all, a pack is worth one match.
    """
    packs = (counts > 0).sum(axis=0)
    used = (packs > 1) & (number > 1)
    sums, counts, values, number, packs = sums[:, used], counts[:, used], values[used], number[used], packs[used]
    if not used.any():
        return 1.0
    mean = sums.sum(axis=0) / number
    between = ((sums - mean * counts) ** 2).sum(axis=0) * packs / (packs - 1) / number**2
    alone = values / number
    if alone.sum() <= 0:
        return max(1.0, float(number.sum() / packs.sum()))
    return max(1.0, float(between.sum() / alone.sum()))
