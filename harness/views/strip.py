"""A chart of one player among the others of its table: a row for each measure, from the least to the most of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from harness.views.base import Behind, Chart
from harness.views.charts import COLOURS, QUIET, ROW, cut, made, said


class Mark(NamedTuple):
    """One player's figure in one measure."""

    measure: str
    player: str
    value: float
    told: str
    own: bool
    """Whether it is the player that is looked at."""
    behind: Behind | None = None


def strip(name: str, title: str, alt: str, marks: Sequence[Mark]) -> Chart:
    """The chart. Where all are alike they stand in the middle."""
    import altair

    rows_of: Any = altair.Data
    order = list(dict.fromkeys(mark.measure for mark in marks))
    # The one that is looked at is drawn last, above the others.
    marks = sorted(marks, key=lambda mark: mark.own)
    ends = {
        measure: (min(values), max(values))
        for measure in order
        for values in [[mark.value for mark in marks if mark.measure == measure]]
    }
    rows = [
        {
            "measure": cut(mark.measure, 34),
            "full": cut(mark.player, 120),
            "what": cut(mark.measure, 120),
            "at": _between(mark.value, *ends[mark.measure]),
            "told": cut(mark.told, 120),
            "said": said(mark.measure, mark.player, mark.told),
            "own": mark.own,
        }
        for mark in marks
    ]
    y = altair.Y(
        "measure:N",
        sort=[cut(measure, 34) for measure in order],
        axis=altair.Axis(
            title=None, labelLimit=190, labelFlush=False, ticks=False, domain=False, grid=True, gridOpacity=0.4
        ),
    )
    words = "datum.value === 0 ? 'least' : datum.value === 1 ? 'most' : ''"
    axis = altair.Axis(title="of the players at these tables", values=[0, 1], labelExpr=words, grid=False)
    x = altair.X("at:Q", scale=altair.Scale(domain=[-0.04, 1.04], nice=False), axis=axis)
    told = [
        altair.Tooltip("what:N", title="measure"),
        altair.Tooltip("full:N", title="player"),
        altair.Tooltip("told:N", title="figure"),
    ]
    own: Any = "datum.own === true"
    drawn = (
        altair.Chart(rows_of(name="rows"))
        .mark_point(strokeWidth=2, opacity=1)
        .encode(
            x=x,
            y=y,
            tooltip=told,
            description="said:N",
            href="href:N",
            color=altair.condition(own, altair.value(COLOURS[0]), altair.value(QUIET)),
            fill=altair.condition(own, altair.value(COLOURS[0]), altair.value("transparent")),
            size=altair.condition(own, altair.value(130), altair.value(45)),
        )
        .properties(height={"step": ROW - 2})
    )
    return made(name, title, alt, drawn, rows, [mark.behind for mark in marks])


def _between(value: float, least: float, most: float) -> float:
    return (value - least) / (most - least) if most > least else 0.5
