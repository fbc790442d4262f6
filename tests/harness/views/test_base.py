"""Tables as they are shown and taken away, and the shapes of charts."""

from __future__ import annotations

import csv
import io
import re
from html import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.views.base import Behind, Column, Figure, Row, Sheet
from harness.views.charts import (
    COLOURS,
    DIFFERENCE,
    HIGH,
    INK,
    LOW,
    MIDDLE,
    PAPER,
    QUIET,
    SHAPES,
    SHARE,
    Cell,
    Dot,
    Scale,
    Span,
    cut,
    distinct,
    dots,
    heat,
    intervals_of,
)
from harness.views.words import cell
from tests.harness.views.made import HOSTILE, check

COLUMNS = (Column("name", "name"), Column("rate", "rate", "share"), Column("number", "number", "count"))


def test_a_file_has_exact_figures_and_both_ends_of_intervals() -> None:
    rows = (
        Row({"name": "a", "rate": Figure(1 / 3, (0.1, 0.5)), "number": 3}, Behind("r")),
        Row({"name": 'b "c", d\n', "rate": Figure(None), "number": None}),
    )
    told = Sheet("s", "S", COLUMNS, rows).csv()
    assert told.splitlines()[0] == "name,rate,rate_low,rate_high,number"
    read = list(csv.DictReader(io.StringIO(told)))
    assert float(read[0]["rate"]) == 1 / 3
    assert (read[0]["rate_low"], read[0]["rate_high"], read[0]["number"]) == ("0.1", "0.5", "3")
    assert (read[1]["name"], read[1]["rate"], read[1]["number"]) == ('b "c", d\n', "", "")
    assert Sheet("s", "S", COLUMNS, ()).csv() == "name,rate,number\r\n"


@pytest.mark.parametrize("begins", ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx"])
def test_a_file_holds_no_formula(begins: str) -> None:
    told = Sheet("s", "S", COLUMNS, (Row({"name": begins, "rate": -0.5, "number": -1}),)).csv()
    (row,) = csv.DictReader(io.StringIO(told, newline=""))
    assert row["name"] == f"'{begins}"
    assert row["rate"] == "-0.5", "a number is none"


@pytest.mark.parametrize(
    ("value", "kind", "told"),
    [
        (Figure(0.5), "share", "50.0 %"),
        (Figure(0.5, (0.4, 0.6)), "share", "50.0 % (40.0–60.0)"),
        (Figure(-0.1, (-0.2, 0.1)), "number", "-0.10 (-0.20 to 0.10)"),
        (0.031, "points", "+3.1"),
        (-0.0001, "points", "+0.0"),
        (-0.001, "number", "0.00"),
        (2.5, "count", "2.5"),
        (1234.0, "count", "1,234"),
        (0.0001, "p", "<0.001"),
        (0.5, "usd", "$0.5000"),
        (1.25, "seconds", "1.2 s"),
        (False, "text", "no"),
        ("", "text", ""),
        (None, "number", "–"),
        (Figure(None), "share", "–"),
    ],
)
def test_figures_in_words(value: Figure | float | str | None, kind: str, told: str) -> None:
    assert cell(value, kind) == told  # type: ignore[arg-type]


@given(st.lists(st.text(max_size=60), max_size=8))
def test_names_on_an_axis_are_short_and_each_its_own(names: list[str]) -> None:
    told = distinct(names, 12)
    assert len(told) == len(names)
    assert all(0 < len(one) <= 12 + len(" (9)") for one in told)
    assert len(set(told)) == len(told)


def test_a_long_name_is_cut_without_looking_through_it() -> None:
    assert cut("\u202e" * 1_000_000) == "…"
    assert cut("a" * 1_000_000, 5) == "aaaa…"


def _light(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [one / 12.92 if one <= 0.03928 else ((one + 0.055) / 1.055) ** 2.4 for one in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, two: str) -> float:
    dark, light = sorted((_light(one), _light(two)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("colour", [*COLOURS, QUIET])
def test_marks_are_seen_on_white_and_on_black(colour: str) -> None:
    assert contrast(colour, "#ffffff") >= 3
    assert contrast(colour, "#0e1117") >= 3


@pytest.mark.parametrize("end", [LOW, HIGH])
@pytest.mark.parametrize("far", [one / 20 for one in range(21)])
def test_a_cells_number_is_read_on_it(end: str, far: float) -> None:
    value = 0.5 + far / 2 if end == HIGH else 0.5 - far / 2
    chart = heat("n", "t", "a", [Cell("r", "c", value, "1", "one")], Span(0, 1, 0.5), rows_are="r", columns_are="c")
    ends = [[int(colour[at : at + 2], 16) for at in (1, 3, 5)] for colour in (MIDDLE, end)]
    mixed = "#" + "".join(f"{round(one + (two - one) * far):02x}" for one, two in zip(*ends, strict=True))
    assert chart.rows[0]["ink"] in (INK, PAPER)
    assert contrast(chart.rows[0]["ink"], mixed) >= 3.5
    assert chart.rows[0]["ink"] in check(chart)


def test_a_title_promises_intervals_only_where_one_is_drawn() -> None:
    assert intervals_of([Dot("a", 0.5, None, "one")]) == ""
    assert intervals_of([Dot("a", 0.5, None, "one"), Dot("b", 0.5, (0.4, 0.6), "two")]) == ", 95 % intervals"


def test_a_map_is_as_wide_as_its_numbers_and_labels_need() -> None:
    def least(columns: int, text: str, letters: int = 3) -> int:
        names = [f"c{one}".ljust(letters, "x") for one in range(columns)]
        cells = [Cell("r" * letters, name, 0.5, text, "one") for name in names]
        return heat("n", "t", "a", cells, Span(0, 1, 0.5), rows_are="r", columns_are="c").least

    phone = 390 - 2 * 12
    assert least(6, "0.25", 8) <= phone, "six players fit on a phone"
    assert least(5, "0.25", 60) <= phone, "five do whatever they are called"
    assert least(12, "0.25", 8) > phone
    assert least(13, "50") - least(12, "50") >= 20, "labels do not run into each other"
    assert least(12, "100*") > least(12, "50")
    assert least(4, "50", 8) - least(3, "50", 8) > 8 * 6, "labels that are not slanted neither"


def test_names_alone_are_cut() -> None:
    assert Column("second", "second").named
    assert not Column("without", "without", "share").named
    assert not Column("figure", "figure").named


def test_kinds_of_dots_have_shapes_of_their_own() -> None:
    found = [Dot("a", 0.1 * place, None, "one", by) for place, by in enumerate("pqrst")]
    chart = dots("n", "t", "a", found, Scale("x", SHARE))
    scale = chart.spec["layer"][-1]["encoding"]["shape"]["scale"]
    assert scale["range"] == list(SHAPES[:5])
    assert len(set(COLOURS)) == len(set(SHAPES)) == 6
    check(chart)


def test_a_dot_without_an_interval_is_hollow_and_one_without_a_value_has_its_name() -> None:
    found = [Dot("a", 0.5, (0.4, 0.6), "one"), Dot("b", 0.4, None, "two"), Dot("c", None, None, "three")]
    svg = check(dots("n", "t", "a", found, Scale("x", SHARE)))
    # The whisker and one dot are drawn through and through.
    assert svg.count(f'fill="{COLOURS[0]}"') == 1
    assert ">c<" in svg


@pytest.mark.parametrize("most", [0.0004, 0.0251, 0.3, 1.0])
@pytest.mark.parametrize("form", [SHARE, DIFFERENCE])
def test_no_two_ticks_of_an_axis_read_alike(most: float, form: str) -> None:
    found = [Dot("a", 0.0, None, "one"), Dot("b", most, None, "two")]
    ticks = re.findall(r">([^<>]*%)<", check(dots("n", "t", "a", found, Scale("x", form))))
    assert len(ticks) > 2
    assert len(set(ticks)) == len(ticks), ticks


def test_what_differs_by_rounding_alone_stands_in_one_place() -> None:
    found = [Dot("a", 1e-17, None, "one"), Dot("b", -1e-17, None, "two")]
    x = dots("n", "t", "a", found, Scale("x", "+~f", zero=False), line=(0.0, "none")).spec["layer"][-1]["encoding"]["x"]
    assert x["scale"]["domain"] == [-0.5, 0.5]


def test_words_of_charts_are_text_in_expressions_and_tooltips() -> None:
    for name in (HOSTILE, "datum['value']", "'); alert(1); ('", "\\u202e", "{{x}}", "a\\", '"'):
        found = [Dot(name, 0.5, (0.4, 0.6), name, name), Dot("other", 0.5, None, "two", "other")]
        svg = check(dots("n", "t", "a", found, Scale("x", SHARE)))
        assert svg.count(escape(name, quote=False)) >= 2, "on its axis and in the legend, as it is"
        assert "<img" not in svg
