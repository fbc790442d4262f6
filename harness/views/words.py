"""Figures in words, alike in every table."""

from __future__ import annotations

from math import floor, log10

from harness.intervals import Interval
from harness.rating_text import chance_of
from harness.telling import money
from harness.views.base import Figure, Kind, Value

NONE = "–"
UNREADABLE_SAYS = (
    "Answers in which no action was found: truncated, empty, a refusal, cut by a content filter, or not of the form "
    "asked for."
)
SMALL = 0.01
"""USD: smaller amounts are written to three digits."""


def cell(value: Value, kind: Kind) -> str:
    """A table's value as it is read.

    >>> cell(Figure(0.412, (0.331, 0.5)), "share"), cell(1234, "count"), cell(None, "usd"), cell(True, "text")
    ('41.2 % (33.1–50.0)', '1,234', '–', 'yes')
    """
    if isinstance(value, Figure):
        between = "" if value.interval is None else f" ({_between(value.interval, kind)})"
        return _one(value.value, kind) + between
    return _one(value, kind)


def _between(interval: Interval, kind: Kind) -> str:
    low, high = (_one(bound, kind).removesuffix(" %").removesuffix(" s") for bound in interval)
    # Beside a minus a dash is not read as "to".
    return f"{low} to {high}" if min(interval) < 0 or kind == "points" else f"{low}–{high}"


def _one(value: str | float | bool | None, kind: Kind) -> str:
    if value is None:
        return NONE
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value
    if kind == "count":
        return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"
    if kind == "share":
        return f"{100 * value:.1f} %"
    if kind == "points":
        return f"{100 * value:+z.1f}"
    if kind == "usd":
        return money(value) if abs(value) >= SMALL or not value else f"${_digits(value)}"
    if kind == "seconds":
        return f"{value:.1f} s" if abs(value) >= 1 or not value else f"{_digits(value)} s"
    if kind == "p":
        return chance_of(value)
    return f"{value:z,.2f}"


def _digits(value: float) -> str:
    """A small number to three digits that mean something.

    >>> _digits(0.0000801861), _digits(0.0139)
    ('0.0000802', '0.0139')
    """
    return f"{value:.{min(12, 2 - floor(log10(abs(value))))}f}"


def several(number: int, one: str, more: str) -> str:
    """A number of things.

    >>> several(1, "match", "matches"), several(1200, "match", "matches")
    ('1 match', '1,200 matches')
    """
    return f"{number:,} {one if number == 1 else more}"
