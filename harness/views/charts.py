"""The shapes that charts have in common, as Vega-Lite: dots with their intervals, heat maps.

altair is imported where a chart is made, so that nothing else waits for it. Colours are seen on white and on black
alike, and told apart without seeing colours well; what a colour says a shape or a text says too. Words on axes and in
tooltips are text: Vega takes none of it for markup, and nothing of it is put into an expression.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import ceil, cos, radians
from typing import Any, NamedTuple

from harness.intervals import Interval
from harness.records import Json
from harness.reply import clean
from harness.views.base import Behind, Chart

COLOURS = ("#3a7fbf", "#c96f1e", "#2b9070", "#a8609b", "#8b7a1e", "#7a8290")
"""Okabe and Ito's, moved to where white and black ground give each a contrast of 3 or more."""
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
QUIET = "#7f858f"
"""Of lines that are there to be compared with."""
LOW, MIDDLE, HIGH = "#b5651d", "#f4f1ea", "#2f6ea8"
"""Of a heat map, from one end to the other. Cells carry their numbers, in what is read on them."""
INK, PAPER = "#16181d", "#ffffff"
DARK = 0.85
"""From so far towards an end of the colours on, white is read better than black."""
ROW = 26
"""Pixels of a row of dots."""
CELL = 34
LABEL = 26
"""Pixels between two slanted labels."""
PHONE = 350
"""Pixels: what is no wider is seen whole on a phone."""
ROOMY = 500
"""Pixels of a chart's box from which on names of rows have more room."""
NAMES = {False: 104, True: 130}
"""Pixels of the names of rows, at most; by whether there is more room."""
ACROSS, ANGLE = 110, 50
"""Pixels of the names of columns at most, and the degrees by which they are slanted where that saves room."""
LETTER, MARK, GAP = 6.6, 3.5, 4
"""Pixels of a letter or digit, of a point or the like, and beside a text."""
BESIDE = 52
"""Pixels beside the names of rows: what they are, and gaps."""
FITTED = {"type": "fit-x", "contains": "padding"}
"""As wide as there is room, as high as its rows."""
SHOWN = 60
"""Characters of a name; an axis cuts it where its room ends, a tooltip has it as it is."""
ALIKE = 1e-9
"""What differs by less is alike: the rest is arithmetic."""
TOLD = 120
"""Characters of a text in a tooltip."""


def cut(text: str, limit: int = SHOWN) -> str:
    """A text of anybody's on one line, of at most so many characters.

    >>> cut("a\\u202eb\\nc"), cut("abcdef", 4)
    ('ab c', 'abc…')
    """
    # What is far too long is cut before it is looked through.
    line = " ".join(clean(text[: 4 * limit]).split())
    return line if len(line) <= limit and len(text) <= 4 * limit else f"{line[: limit - 1]}…"


def said(*words: str) -> str:
    """What a mark is, for who does not see it."""
    return ", ".join(cut(one, TOLD) for one in words if one)


def distinct(names: Iterable[str], limit: int = SHOWN) -> list[str]:
    """Names for an axis, each its own however much alike they begin.

    >>> distinct(["ann", "bob", "ann"])
    ['ann', 'bob', 'ann (2)']
    """
    seen: dict[str, int] = {}
    found = []
    for name in names:
        short = cut(name, limit) or "(no name)"
        seen[short] = seen.get(short, 0) + 1
        found.append(short if seen[short] == 1 else f"{short} ({seen[short]})")
    return found


def made(name: str, title: str, alt: str, drawn: Any, rows: list[Json], behind: Sequence[Behind | None] = ()) -> Chart:
    """A chart drawn with altair over the data set `rows`."""
    # altair's own check of the whole chart takes longer than all the rest; tests make it.
    spec = drawn.to_dict(validate=False)
    spec.pop("config", None)
    return Chart(name, title, alt, {**spec, "autosize": FITTED, "datasets": {"rows": rows}}, tuple(behind))


class Dot(NamedTuple):
    """One figure of one name; `by` tells those of one name apart."""

    name: str
    value: float | None
    interval: Interval | None
    told: str
    """In words, for who points at it."""
    by: str = ""
    behind: Behind | None = None


def intervals_of(found: Iterable[Dot]) -> str:
    """What a title says of whiskers; empty where none is drawn."""
    return ", 95 % intervals" if any(dot.interval is not None for dot in found) else ""


class Scale(NamedTuple):
    """What dots are laid out on."""

    title: str
    format: str
    """As d3 has it."""
    zero: bool = True
    most: float | None = None
    """What no figure can pass."""
    ticks: int = 6


SHARE, DIFFERENCE = "~%", "+~%"
"""With as many digits as it takes to tell ticks apart."""
PLAIN = "~g"


def dots(
    name: str, title: str, alt: str, found: Sequence[Dot], scale: Scale, *, line: tuple[float, str] | None = None
) -> Chart:
    """Dots with whiskers, a row for each name, in the order in which names come first; hollow where there is no
    interval. `line` is a value to compare with, and what it is."""
    import altair

    rows_of: Any = altair.Data
    order = list(dict.fromkeys(dot.name for dot in found))
    kinds = list(dict.fromkeys(dot.by for dot in found))
    rows = [_dot_row(dot) for dot in found]
    axis = altair.Axis(
        title=None,
        labelLimit=150,
        labelPadding=12,
        labelFlush=False,
        ticks=False,
        domain=False,
        grid=True,
        gridOpacity=0.4,
    )
    y = altair.Y("name:N", sort=order, axis=axis)
    offset: dict[str, Any] = {"yOffset": altair.YOffset("by:N", sort=kinds)} if len(kinds) > 1 else {}
    laid_out = altair.Scale(zero=scale.zero, domain=_domain(found, scale, line), nice=False)
    x_axis = altair.Axis(title=scale.title, format=scale.format, tickCount=scale.ticks, gridOpacity=0.4)
    base = altair.Chart(rows_of(name="rows"))
    told = [altair.Tooltip("full:N", title="player"), altair.Tooltip("told:N", title=scale.title)]
    colour: Any = altair.value(COLOURS[0])
    shape: Any = altair.value(SHAPES[0])
    if len(kinds) > 1:
        told.insert(1, altair.Tooltip("by:N", title="of"))
        legend = altair.Legend(title=None, orient="top", columns=2, labelLimit=220, symbolFillColor="transparent")
        colour = altair.Color(
            "by:N", scale=altair.Scale(domain=kinds, range=list(COLOURS[: len(kinds)])), legend=legend
        )
        shape = altair.Shape("by:N", scale=altair.Scale(domain=kinds, range=list(SHAPES[: len(kinds)])), legend=legend)
    layers = []
    if line is not None:
        at = altair.Chart(rows_of(name="rows")).mark_rule(color=QUIET, strokeDash=[4, 4], strokeWidth=1.5)
        layers.append(at.encode(x=altair.XDatum(line[0], scale=laid_out, axis=x_axis)))
    whisker = base.mark_rule(strokeWidth=2.5, strokeCap="round", opacity=0.75, aria=False).encode(
        x=altair.X("low:Q", scale=laid_out, axis=x_axis), x2="high:Q", y=y, color=colour, tooltip=told, **offset
    )
    dot = base.mark_point(size=95, strokeWidth=2, opacity=1).encode(
        x=altair.X("value:Q", scale=laid_out, axis=x_axis),
        y=y,
        color=colour,
        shape=shape,
        fill=altair.condition("datum.low === null", altair.value("transparent"), colour),
        tooltip=told,
        description="said:N",
        href="href:N",
        **offset,
    )
    drawn = altair.layer(*layers, whisker, dot).properties(
        height={"step": ROW if len(kinds) < 2 else 15 * len(kinds) + 9, "for": "position"}
    )
    return made(name, title, alt, drawn, rows, [dot.behind for dot in found])


def _domain(found: Sequence[Dot], scale: Scale, line: tuple[float, str] | None) -> list[float]:
    """From where to where: all that is drawn, and a little room beside it."""
    values = [one for dot in found if dot.value is not None for one in (dot.value, *(dot.interval or ()))]
    values += [0.0] if scale.zero else []
    values += [line[0]] if line else []
    low, high = min(values, default=0.0), max(values, default=1.0)
    room = 0.03 * (high - low) if high - low > ALIKE else 0.5
    low = low if scale.zero and low == 0 else low - room
    return [low, high + room if scale.most is None else min(high + room, max(high, scale.most))]


def _dot_row(dot: Dot) -> Json:
    low, high = dot.interval or (None, None)
    return {
        "name": dot.name,
        "full": cut(dot.name, TOLD),
        "by": dot.by,
        "value": dot.value,
        "low": low,
        "high": high,
        "told": cut(dot.told, TOLD),
        "said": said(dot.name, dot.by, dot.told),
    }


class Cell(NamedTuple):
    """One cell of a heat map; without a value it is left open."""

    row: str
    column: str
    value: float | None
    text: str
    told: str
    behind: Behind | None = None


class Span(NamedTuple):
    """What a heat map's colours go from and to, and where their middle is; `middle` None for one that begins at
    nothing."""

    low: float
    high: float
    middle: float | None = None
    most: str = HIGH
    """The colour of the upper end."""


def heat(
    name: str, title: str, alt: str, cells: Sequence[Cell], span: Span, *, rows_are: str, columns_are: str
) -> Chart:
    """A heat map with its numbers in it."""
    import altair

    rows_of: Any = altair.Data
    down = list(dict.fromkeys(cell.row for cell in cells))
    across = list(dict.fromkeys(cell.column for cell in cells))
    middle = span.low if span.middle is None else span.middle
    rows = [_cell_row(cell, span, middle) for cell in cells]
    base = altair.Chart(rows_of(name="rows"))
    angle, cell_least, least = _laid_out(down, across, max(map(_wide, (cell.text for cell in cells)), default=0.0))
    x = altair.X(
        "column:N",
        sort=across,
        axis=altair.Axis(
            title=columns_are,
            orient="top",
            labelAngle=-angle,
            labelLimit=ACROSS,
            labelOverlap=False,
            labelFlush=False,
            ticks=False,
            domain=False,
        ),
    )
    y = altair.Y(
        "row:N",
        sort=down,
        axis=altair.Axis(
            title=rows_are,
            labelLimit=altair.expr(f"containerSize()[0] < {ROOMY} ? {NAMES[False]} : {NAMES[True]}"),
            labelFlush=False,
            ticks=False,
            domain=False,
        ),
    )
    domain = [span.low, span.high] if span.middle is None else [span.low, span.middle, span.high]
    colours = [MIDDLE, span.most] if span.middle is None else [LOW, MIDDLE, span.most]
    told = [
        altair.Tooltip("full_row:N", title=rows_are),
        altair.Tooltip("full_column:N", title=columns_are),
        altair.Tooltip("told:N", title="what"),
    ]
    cell = base.mark_rect(stroke=QUIET, strokeWidth=0.6).encode(
        x=x,
        y=y,
        color=altair.Color(
            "value:Q", scale=altair.Scale(domain=domain, range=colours, clamp=True, interpolate="rgb"), legend=None
        ),
        fillOpacity=altair.condition("datum.value === null", altair.value(0), altair.value(1)),
        tooltip=told,
        description="said:N",
        href="href:N",
    )
    # Where a cell is narrower than its number, the number is read by pointing at it.
    fits = altair.expr(f"width / {max(1, len(across))} < {cell_least} ? 0 : 1")
    text = base.mark_text(fontSize=12, opacity=fits, aria=False).encode(
        x=x,
        y=y,
        text="text:N",
        # Streamlit's theme takes no scale of null, which would let colours stand in the data.
        color={"condition": [{"test": f"datum.ink === '{one}'", "value": one} for one in (PAPER, QUIET)], "value": INK},
        tooltip=told,
        href="href:N",
    )
    drawn = altair.layer(cell, text).properties(height={"step": CELL})
    found = made(name, title, alt, drawn, rows, [cell.behind for cell in cells])
    return found._replace(least=least)


def _wide(text: str) -> float:
    """Pixels of a text of charts, seldom less than it takes."""
    return sum(MARK if one in ".,:*'" else LETTER for one in text)


def _laid_out(down: Sequence[str], across: Sequence[str], number: float) -> tuple[int, int, int]:
    """How a map of these rows and columns, whose widest number takes so many pixels, is laid out: by how many degrees
    the names of columns are slanted, and the least pixels of a cell in which its number is read, and of it all."""
    cell = ceil(number + GAP)
    names = {roomy: min(most, max(map(_wide, down), default=0.0)) for roomy, most in NAMES.items()}
    wide = [min(ACROSS, _wide(name)) for name in across]
    flat = BESIDE + names[False] + len(across) * max(cell, max(wide, default=0.0) + GAP)
    if flat <= PHONE:
        return 0, cell, ceil(flat)
    room = max(cell, LABEL)
    # A slanted name ends right of its cell's middle, and the last ones right of the map.
    over = max(one * cos(radians(ANGLE)) - room * (left + 0.5) for left, one in enumerate(reversed(wide)))
    whole = BESIDE + names[False] + len(across) * room + max(0.0, over)
    return ANGLE, cell, ceil(whole if whole < ROOMY else whole + names[True] - names[False])


def _cell_row(cell: Cell, span: Span, middle: float) -> Json:
    # Far from the middle cells are dark, whatever is around the chart.
    far = 0.0
    if cell.value is not None:
        reach = span.high - middle if cell.value >= middle else middle - span.low
        far = abs(cell.value - middle) / reach if reach else 0.0
    return {
        "row": cell.row,
        "full_row": cut(cell.row, TOLD),
        "column": cell.column,
        "full_column": cut(cell.column, TOLD),
        "value": cell.value,
        "text": cell.text,
        "told": cut(cell.told, TOLD),
        "said": said(cell.row, cell.column, cell.told),
        "ink": QUIET if cell.value is None else PAPER if far > DARK else INK,
    }
