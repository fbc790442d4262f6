"""Charts of views as SVG in a page, whose words take the page's colour."""

from __future__ import annotations

import re
from typing import Any

from harness.records import Json
from harness.views.base import Chart

WIDTH = 340
"""Pixels of a chart that does not say how wide it is: a phone shows one whole, and three stand side by side."""
COLUMN, ROW_NAMES = 44, 170
"""Pixels of a heat map's column, and of the names of its rows."""
FONT = "Arial, Helvetica, Liberation Sans, sans-serif"
"""Fonts whose letters are as wide as those that room is measured for."""
_INK = "currentColor"
_CONFIG: Json = {
    "background": None,
    "padding": 8,
    "font": FONT,
    "view": {"stroke": None},
    "axis": {
        "labelColor": _INK,
        "titleColor": _INK,
        "gridColor": "#8884",
        "tickColor": "#888",
        "domainColor": "#888",
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "labelSeparation": 6,
    },
    # Where none of the fonts is there, another's letters are wider.
    "axisY": {"titlePadding": 14, "labelPadding": 5},
    "legend": {"labelColor": _INK, "titleColor": _INK, "labelFontSize": 12},
    "header": {"labelColor": _INK, "titleColor": _INK, "labelFontSize": 12},
    "title": {"color": _INK, "subtitleColor": _INK, "fontSize": 13},
    "text": {"color": _INK},
}
_PLACED = frozenset({"hconcat", "vconcat", "concat", "facet", "repeat"})
"""Charts that are made of others, which say themselves how wide they are."""
_IDS = re.compile(r'(\bid="|url\(#)')


def svg(chart: Chart, number: int) -> str:
    """A chart as SVG; `number` is its own in its page, where no two may have an id in common."""
    # It brings a whole JavaScript engine with it, which nothing else waits for.
    import vl_convert

    drawn: str = vl_convert.vegalite_to_svg(_spec(chart), config=_CONFIG)
    return _IDS.sub(rf"\g<1>c{number}-", drawn)


def _spec(chart: Chart) -> Json:
    # A mark is of many matches, and those have no place of their own in the page. Without a word here Vega would make
    # addresses of its own.
    rows = [{**row, "href": ""} for row in chart.rows]
    spec: dict[str, Any] = {**chart.spec, "datasets": {"rows": rows}, "description": chart.alt}
    if "width" not in spec and _PLACED.isdisjoint(spec):
        columns = len({row["column"] for row in rows if "column" in row})
        spec["width"] = COLUMN * columns + ROW_NAMES if columns else WIDTH
        spec["autosize"] = {"type": "fit-x", "contains": "padding"}
    return spec
