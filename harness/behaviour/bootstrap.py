"""Intervals for ratios of sums, by drawing packs again and again.

The matches of a pack share a seed and a line-up, so packs are the independent units. A replicate draws as many packs as
there are, with replacement, the same ones for every figure of a table; the interval lies between two percentiles of
the figure over all replicates. With few packs the 2.5 % and the 97.5 % points are too narrow, by the degree of freedom
that the mean took and by Student's t against the normal: percentiles are taken so much further out (1.6 % and 98.4 %
at 20 packs). The draws come from a fixed seed: the same log gives the same interval. No interval is given where fewer
than 20 packs have anything to say of a figure.

A figure that is alike in every pack would get an interval without width: drawing again what never differed shows no
doubt. A share of 0 or 1 gets Wilson's for as many trials as there are such packs; any other figure gets none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import fsum, hypot, sqrt
from typing import TYPE_CHECKING, NamedTuple

from harness.intervals import LEVEL, Interval, wilson

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

LEAST_PACKS = 20
REPLICATES = 1000
SEED = 20_21
Z = 1.959964
"""The two-sided 95 % point of the normal."""
ROUNDING = 1e-12
"""Replicates that differ by no larger share of themselves are alike: the rest is arithmetic."""
_AT_ONCE = 200
"""Replicates, and figures, that are worked on together: it bounds the memory."""


class Cell(NamedTuple):
    """The sums of one figure, by pack."""

    part: Mapping[int, float]
    whole: Mapping[int, float]

    @property
    def packs(self) -> list[int]:
        """Those that have anything to say."""
        return [pack for pack, whole in self.whole.items() if whole]

    @property
    def value(self) -> float | None:
        """The figure; None of nothing."""
        whole = fsum(self.whole.values())
        return fsum(self.part.values()) / whole if whole else None


class Replicates:
    """The draws of one table's packs."""

    def __init__(self, packs: Sequence[int]) -> None:
        self._places = {pack: place for place, pack in enumerate(sorted(packs))}

    def values(self, cells: Sequence[Cell]) -> Numbers:
        """Each figure in each replicate, a row for each; `nan` where none of its packs was drawn."""
        import numpy as np

        number = len(self._places)
        drawn = np.random.default_rng(SEED)
        found = np.full((len(cells), REPLICATES), np.nan)
        columns = [self._columns(cells[first : first + _AT_ONCE]) for first in range(0, len(cells), _AT_ONCE)]
        for start in range(0, REPLICATES, _AT_ONCE):
            rows = min(_AT_ONCE, REPLICATES - start)
            picks = drawn.integers(0, number, size=(rows, number))
            flat = (picks + number * np.arange(rows)[:, None]).ravel()
            times = np.bincount(flat, minlength=rows * number).reshape(rows, number).astype(float)
            for at, (parts, wholes) in enumerate(columns):
                part, whole = times @ parts, times @ wholes
                with np.errstate(invalid="ignore", divide="ignore"):
                    ratios = np.where(whole > 0, part / whole, np.nan)
                found[at * _AT_ONCE : at * _AT_ONCE + ratios.shape[1], start : start + rows] = ratios.T
        return found

    def _columns(self, cells: Sequence[Cell]) -> tuple[Numbers, Numbers]:
        import numpy as np

        parts, wholes = (np.zeros((len(self._places), len(cells))) for _ in range(2))
        for column, cell in enumerate(cells):
            for pack, value in cell.part.items():
                parts[self._places[pack], column] = value
            for pack, value in cell.whole.items():
                wholes[self._places[pack], column] = value
        return parts, wholes

    def intervals(self, cells: Sequence[Cell], *, shares: Sequence[bool]) -> list[Interval | None]:
        """The interval of each figure; `shares` says of each whether it lies between 0 and 1."""
        packs = [len(cell.packs) for cell in cells]
        wide = [place for place, number in enumerate(packs) if number >= LEAST_PACKS]
        found: list[Interval | None] = [None] * len(cells)
        if not wide:
            return found
        drawn = between(self.values([cells[place] for place in wide]), [packs[place] for place in wide])
        for place, interval in zip(wide, drawn, strict=True):
            value = cells[place].value if shares[place] else None
            found[place] = wilson(value, packs[place], Z) if value in (0.0, 1.0) else interval
        return found

    def differences(self, pairs: Sequence[tuple[Cell, Cell]]) -> list[Interval | None]:
        """The interval of the first share less the second, of each pair.

        Where either is 0 or 1 it is Newcombe's, made of the intervals of the two.
        """
        wide = [pair for pair in pairs if all(len(cell.packs) >= LEAST_PACKS for cell in pair)]
        if not wide:
            return [None] * len(pairs)
        cells = [cell for pair in wide for cell in pair]
        values, alone = self.values(cells), self.intervals(cells, shares=[True] * len(cells))
        drawn = between(values[::2] - values[1::2], [min(len(cell.packs) for cell in pair) for pair in wide])
        found = {}
        for place, pair in enumerate(wide):
            sure = any(cell.value in (0.0, 1.0) for cell in pair)
            found[id(pair)] = _newcombe(pair, *alone[2 * place : 2 * place + 2]) if sure else drawn[place]
        return [found.get(id(pair)) for pair in pairs]


def _newcombe(pair: tuple[Cell, Cell], one: Interval | None, other: Interval | None) -> Interval | None:
    first, second = pair[0].value, pair[1].value
    if first is None or second is None or one is None or other is None:
        return None
    down = hypot(first - one[0], other[1] - second)
    up = hypot(one[1] - first, second - other[0])
    return first - second - down, first - second + up


def between(values: Numbers, packs: Sequence[int]) -> list[Interval | None]:
    """The interval of each row, of the replicates that have a figure; None where nothing varies.

    `packs` says of each row how many packs have anything to say of it.
    """
    import numpy as np

    ordered = np.sort(values, axis=1)  # (what is no number comes last)
    last = np.maximum((~np.isnan(values)).sum(axis=1) - 1, 0)
    tail = np.array([_outside(number) for number in packs])
    low, high = (_points(ordered, last, last * share) for share in (tail, 1 - tail))
    least, most = ordered[:, 0], ordered[np.arange(len(ordered)), last]
    differ = most - least > ROUNDING * np.maximum(np.abs(least), np.abs(most))
    return [
        (float(one), float(other)) if varies else None for one, other, varies in zip(low, high, differ, strict=True)
    ]


def _points(ordered: Numbers, last: NDArray[np.int64], at: Numbers) -> Numbers:
    """Of each row the value at a place that may lie between two."""
    import numpy as np

    rows = np.arange(len(ordered))
    down = np.floor(at).astype(np.int64)
    one, other = ordered[rows, down], ordered[rows, np.minimum(down + 1, last)]
    return np.asarray(one + (other - one) * (at - down), dtype=np.float64)


@lru_cache(maxsize=1024)
def _outside(packs: int) -> float:
    """The share of replicates beyond each end of an interval."""
    from harness.ratings.quantiles import normal_cdf, student_point

    return float(normal_cdf(-student_point((1 + LEVEL) / 2, packs - 1) * sqrt(packs / (packs - 1))))
