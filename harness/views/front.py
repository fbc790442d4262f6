"""A chart of what players take against how often they win: dots with intervals both ways, and the front as a line."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import floor, log10
from typing import Any, NamedTuple

from harness.records import Json
from harness.views.base import Behind, Chart, Figure
from harness.views.charts import COLOURS, QUIET, SHARE, cut, made, said

FRONT, OTHER, AT_LEAST, FREE = "on the front", "not on it", "takes at least this", "free"
STATES = (FRONT, OTHER, AT_LEAST, FREE)
_SHAPES = {FRONT: "circle", OTHER: "square", AT_LEAST: "triangle-right", FREE: "diamond"}
_COLOURS = {FRONT: COLOURS[0], OTHER: COLOURS[5], AT_LEAST: COLOURS[1], FREE: COLOURS[2]}
NARROW, HEIGHT = 250, 320
"""Pixels: of the plot on a phone, by which labels are laid out, and of every plot's height."""
LABEL = 22
"""Characters of a name in the chart."""
_LETTER, _LINE, _GAP = 6.4, 14, 9


class Point(NamedTuple):
    """One player."""

    name: str
    takes: Figure
    """What it takes; nothing for those who are free."""
    wins: Figure
    state: str
    """One of `STATES`."""
    told: str
    behind: Behind | None = None
    quiet: bool = False
    """Whether others are looked at."""
    open: bool = False
    """Whether its place on the front, or off it, is left open: its dot is hollow."""


def front(points: Sequence[tuple[float, float]]) -> list[int]:
    """Which of these (what it takes, how often it wins) nobody beats: who takes no more wins less often.

    Of several that are alike in both all are on it.

    >>> front([(1, 0.2), (2, 0.5), (3, 0.4), (2, 0.5), (1, 0.1)])
    [0, 1, 3]
    """
    order = sorted(range(len(points)), key=lambda place: (points[place][0], -points[place][1]))
    found: list[int] = []
    for place in order:
        if not found or points[place][1] > points[found[-1]][1] or points[place] == points[found[-1]]:
            found.append(place)
    return found


def scatter(name: str, title: str, alt: str, points: Sequence[Point], *, x: str, y: str, format: str) -> Chart:  # noqa: A002
    """The chart, on a logarithmic scale; who is free stands left of it, apart."""
    import altair

    paid = [point for point in points if point.state != FREE]
    ends = [
        value
        for point in paid
        for value in (point.takes.value, *(point.takes.interval or ()))
        if value is not None and value > 0
    ]
    low, high = (min(ends) / 1.4, max(ends) * 1.4) if ends else (1.0, 10.0)
    if high / low < 4:
        low, high = low / 2, high * 2
    free = any(point.state == FREE for point in points)
    apart = (high / low) ** 0.25
    left = low / apart / apart if free else low
    tops = [value for point in points for value in (point.wins.value or 0, *(point.wins.interval or ()))]
    top = min(1.0, max([*tops, 0.1]) * 1.12)
    rule = low / apart**0.3
    rows = [_row(point, low / apart**1.4) for point in points]
    _place_labels(rows, (left, high), top, rule if free else None)
    steps = sorted((row for row in rows if row["state"] == FRONT), key=lambda row: row["x"])
    drawn = [{**row, "part": "dot"} for row in rows]
    drawn += [{**row, "part": "line"} for row in steps]
    drawn += [{"part": "apart", "x": rule}] if free else []
    ticks = _ticks(low, high)
    shown = [low / apart**1.4, *ticks] if free else ticks
    words = f"datum.value < {low!r} ? 'free' : format(datum.value, '{format}')"
    across: Any = {
        "scale": altair.Scale(type="log", domain=[left, high], nice=False),
        "axis": altair.Axis(title=x, values=shown, labelExpr=words, gridOpacity=0.4),
    }
    up: Any = {
        "scale": altair.Scale(domain=[0, top], nice=False),
        "axis": altair.Axis(title=y, format=SHARE, tickCount=6, gridOpacity=0.4),
    }
    x_of, y_of = altair.X("x:Q", **across), altair.Y("y:Q", **up)
    states = [state for state in STATES if any(point.state == state for point in points)]
    legend = altair.Legend(title=None, orient="top", columns=2, labelLimit=200, symbolFillColor="transparent")
    colours = altair.Scale(domain=states, range=[_COLOURS[one] for one in states])
    colour = altair.Color("state:N", scale=colours, legend=legend)
    stroke = altair.Stroke("state:N", scale=colours, legend=None)
    shape = altair.Shape(
        "state:N", scale=altair.Scale(domain=states, range=[_SHAPES[one] for one in states]), legend=legend
    )
    told = [altair.Tooltip("full:N", title="player"), altair.Tooltip("told:N", title="what")]
    base = _base(altair, "dot")
    opacity: Any = altair.condition("datum.quiet === true", altair.value(0.35), altair.value(0.7))
    layers: list[Any] = []
    if free:
        layers.append(_base(altair, "apart").mark_rule(color=QUIET, strokeDash=[4, 4]).encode(x=x_of))
    layers += [
        _base(altair, "line")
        .mark_line(interpolate="step-after", strokeWidth=2, opacity=0.7, color=COLOURS[0])
        .encode(x=x_of, y=y_of, order=altair.Order("x:Q")),
        base.mark_rule(strokeWidth=1.5, aria=False).encode(
            x=altair.X("x_low:Q", **across),
            x2="x_high:Q", y=y_of, color=colour, opacity=opacity, tooltip=told,
        ),
        base.mark_rule(strokeWidth=1.5, aria=False).encode(
            x=x_of, y=altair.Y("y_low:Q", **up),
            y2="y_high:Q", color=colour, opacity=opacity, tooltip=told,
        ),
        base.mark_point(size=110, strokeWidth=2, filled=True, opacity=1).encode(
            x=x_of, y=y_of, color=colour, shape=shape, tooltip=told, description="said:N", href="href:N",
            fillOpacity=altair.condition("datum.open === true", altair.value(0), altair.value(1)),
            stroke=stroke,
        ),
    ]  # fmt: skip
    for side, (align, dx, dy) in _SIDES.items():
        text = _base(altair, "dot").transform_filter(f"datum.side === '{side}'")
        text = text.mark_text(align=align, dx=dx, dy=dy, fontSize=12, baseline="middle", aria=False)
        layers.append(text.encode(x=x_of, y=y_of, text="label:N", color=colour, href="href:N", tooltip=told))
    chart = altair.layer(*layers).properties(height=HEIGHT)
    behind = [point.behind for point in points] + [None] * (len(drawn) - len(points))
    return made(name, title, alt, chart, drawn, behind)


def _base(altair: Any, what: str) -> Any:
    rows_of = altair.Data
    return altair.Chart(rows_of(name="rows")).transform_filter(f"datum.part === '{what}'")


def _row(point: Point, at_free: float) -> Json:
    low, high = point.takes.interval or (None, None)
    under, over = point.wins.interval or (None, None)
    return {
        "full": cut(point.name, 120),
        "label": cut(point.name, LABEL),
        "x": at_free if point.state == FREE else point.takes.value,
        "x_low": low if low is not None and low > 0 else None,
        "x_high": high if low is not None and low > 0 else None,
        "y": point.wins.value,
        "y_low": under,
        "y_high": over,
        "state": point.state,
        "told": cut(point.told, 120),
        "said": said(point.name, point.told),
        "quiet": point.quiet,
        "open": point.open,
    }


_SIDES = {
    f"{up} {across}": (align, dx, dy)
    for up, dy in (("above", -_GAP), ("below", _GAP))
    for across, align, dx in (("right", "left", _GAP - 2), ("left", "right", 2 - _GAP))
}
"""Where a name may stand beside its dot: between the whiskers."""
Box = tuple[float, float, float, float]


def _place_labels(rows: Sequence[Json], across: tuple[float, float], top: float, rule: float | None) -> None:
    """Say of each row on which side its name is written: where it covers nothing, on a phone too; else nowhere."""
    spread = log10(across[1] / across[0])

    def at(x: float, y: float) -> tuple[float, float]:
        return NARROW * log10(x / across[0]) / spread, HEIGHT * (1 - y / top)

    dots = [at(row["x"], row["y"]) for row in rows]
    taken: list[Box] = [(x - 6, y - 6, x + 6, y + 6) for x, y in dots]
    lines: list[Box] = []
    if rule is not None:
        lines.append((at(rule, 0)[0] - 1, 0, at(rule, 0)[0] + 1, HEIGHT))
    for row, (x, y) in zip(rows, dots, strict=True):
        if row["x_low"] is not None:
            lines.append((at(row["x_low"], row["y"])[0], y - 1, at(row["x_high"], row["y"])[0], y + 1))
        if row["y_low"] is not None:
            lines.append((x - 1, at(row["x"], row["y_high"])[1], x + 1, at(row["x"], row["y_low"])[1]))
    steps = sorted(dot for row, dot in zip(rows, dots, strict=True) if row["state"] == FRONT)
    for (x, y), (next_x, next_y) in pairwise(steps):
        lines += [(x, y - 1, next_x, y + 1), (next_x - 1, next_y, next_x + 1, y)]
    order = sorted(range(len(rows)), key=lambda place: (STATES.index(rows[place]["state"]), -rows[place]["y"]))
    for place in order:
        x, y = dots[place]
        wide = len(rows[place]["label"]) * _LETTER
        boxes = {
            side: (x + dx - (0 if align == "left" else wide), y + dy - _LINE / 2)
            for side, (align, dx, dy) in _SIDES.items()
        }
        whole = {side: (left, up, left + wide, up + _LINE) for side, (left, up) in boxes.items()}
        fitting = [side for side, box in whole.items() if _fits(box, taken)]
        best = [side for side in fitting if _fits(whole[side], lines)]
        rows[place]["side"] = (best or fitting or ["none"])[0]
        if fitting:
            taken.append(whole[rows[place]["side"]])


def _fits(box: Box, taken: Sequence[Box]) -> bool:
    left, up, right, down = box
    if left < 0 or right > NARROW or up < 0 or down > HEIGHT:
        return False
    return not any(left < one[2] and one[0] < right and up < one[3] and one[1] < down for one in taken)


def _ticks(low: float, high: float) -> list[float]:
    """Round numbers in between: of each decade 1, 2 and 5, or 1 alone where that would be many."""
    decades = range(floor(log10(low)), floor(log10(high)) + 1)
    every = [float(f"{step}e{decade}") for decade in decades for step in (1, 2, 5)]
    found = [value for value in every if low <= value <= high]
    tens = [value for value in found if f"{value:e}"[0] == "1"]
    return tens if len(found) > 5 and len(tens) > 1 else found
