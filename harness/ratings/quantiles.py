"""The distributions that tests and intervals need, from scipy. Imported only where ratings are made."""

from __future__ import annotations

from typing import Any

from scipy import special  # type: ignore[import-untyped]


def normal_cdf(x: Any) -> Any:
    """The chance that a standard normal number is at most x; works on arrays too."""
    return special.ndtr(x)


def normal_point(chance: float) -> float:
    """The point that a standard normal number is below with that chance."""
    return float(special.ndtri(chance))


def student_cdf(x: float, freedom: float) -> float:
    """The same as `normal_cdf` for Student's t."""
    return float(special.stdtr(freedom, x))


def student_point(chance: float, freedom: float) -> float:
    """The same as `normal_point` for Student's t."""
    return float(special.stdtrit(freedom, chance))
