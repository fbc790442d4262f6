"""Results made of seats that a test names, without a database; and every chart checked as it is read."""

from __future__ import annotations

import csv
import io
import json
import random
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, cast

from harness.records import RunRecord, SeatStats
from harness.store import Store
from harness.store.call_sums import CallSum, FlagSum, Unconfirmed
from harness.views.base import EVERYTHING, Chart, Choice, Figure, Section, Sheet
from harness.views.results import Pooled, Results, View
from tests.harness.test_leaderboard import match

NOW = datetime(2026, 1, 2, tzinfo=UTC)
HOSTILE = "<img src=x onerror=alert(1)>"
TURNED = "\u202etfel ot thgir\u202c"
LONG = "x" * 1_000_000
csv.field_size_limit(10 * len(LONG))


def run_of(name: str = "r", games: int = 1, **entry: Any) -> RunRecord:
    games_of = [{"game": "g", "options": {"chips": 3 + number}, "seats": 4, **entry} for number in range(games)]
    return RunRecord(
        id=1, name=name, spec={"games": games_of, "seating": "rotate"}, seed=1, created_at=NOW, status="finished"
    )


def results(
    stats: Sequence[SeatStats],
    *,
    runs: Sequence[RunRecord] = (),
    calls: Sequence[CallSum] = (),
    flags: Sequence[FlagSum] = (),
    unconfirmed: Sequence[Unconfirmed] = (),
) -> Results:
    """Of one run, or of several that are pooled; nothing is ever read."""
    none = cast("Store", None)
    found = Pooled(none, runs) if len(runs) > 1 else Results(none, runs[0] if runs else run_of())
    read = {"stats": list(stats), "calls": list(calls), "flags": list(flags), "unconfirmed": list(unconfirmed)}
    found.__dict__.update(read)
    return found


def drawn(packs: int, labels: Sequence[str] = "abcd", *, seed: int = 1, **keys: Any) -> list[SeatStats]:
    """Whole packs of four matches in which the earlier named win oftener."""
    rng = random.Random(seed)
    stats: list[SeatStats] = []
    for number in range(4 * packs):
        order = sorted(labels, key=lambda label: labels.index(label) + rng.uniform(0, 5))
        stats += match(number, {label: order.index(label) + 1 for label in labels}, **keys)
    return stats


def seen(view: View, found: Results, choice: Choice = EVERYTHING) -> list[Section]:
    """The sections of a view, whose charts are valid and whose files hold every row."""
    sections = list(view(found, choice))
    for section in sections:
        for chart in section.charts:
            valid(chart)
        for sheet in section.sheets:
            rows = list(csv.DictReader(io.StringIO(sheet.csv())))
            assert len(rows) == len(sheet.rows)
            assert all(set(row.values) >= {column.key for column in sheet.columns} for row in sheet.rows)
    return sections


def only(view: View, found: Results, choice: Choice = EVERYTHING) -> Section:
    """The one section that there is."""
    (section,) = seen(view, found, choice)
    return section


def valid(chart: Chart) -> None:
    """A chart is valid Vega-Lite, holds one data set, and says in words what it shows."""
    import altair

    altair.Chart.from_dict(chart.spec, validate=True)
    assert list(chart.spec["datasets"]) == ["rows"]
    assert not chart.behind or len(chart.behind) == len(chart.rows)
    assert chart.alt
    json.dumps(chart.spec, allow_nan=False)


def check(chart: Chart) -> str:
    """A valid chart as SVG."""
    import vl_convert

    valid(chart)
    svg: str = vl_convert.vegalite_to_svg(chart.spec)
    assert len(svg) < 400_000
    return svg


def sheet(section: Section, begins: str) -> Sheet:
    """The table whose file is named like that."""
    return next(one for one in section.sheets if one.name.startswith(begins))


def chart(section: Section, name: str) -> Chart:
    """The chart of that name."""
    return next(one for one in section.charts if one.name == name)


def value(figure: Any) -> Any:
    """A figure's value."""
    return figure.value if isinstance(figure, Figure) else figure


def column(of: Sheet, key: str) -> list[Any]:
    """A column's values, from the first row."""
    return [value(row.values[key]) for row in of.rows]
