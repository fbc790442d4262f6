"""Tables of views in the browser: a component of the page, in no frame, that shows texts as texts."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import streamlit as st

from dashboard.bundle import sheet as module
from dashboard.bundle import style
from dashboard.compare.address import link
from harness.reply import clean
from harness.views.base import Figure, Sheet, Value
from harness.views.words import cell

MOST_ROWS = 1000
"""Rows that are shown; the CSV has all."""
CELL = 1000
"""Characters of a text that are sent to be shown; the CSV has it whole."""
_SHEET = """
const mounted = new WeakMap();

export default function ({ data, parentElement }) {
  const old = mounted.get(parentElement);
  if (old?.text === data) return;
  old?.sheet.destroy();
  mounted.set(parentElement, { text: data, sheet: new Sheet(parentElement, JSON.parse(data)) });
  return () => {
    mounted.get(parentElement)?.sheet.destroy();
    mounted.delete(parentElement);
  };
}
"""
table = st.components.v2.component("parley_sheet", css=style("compare/sheet.css"), js=module() + _SHEET)
"""Shows what `shown` makes, as JSON text."""


def shown(sheet: Sheet, runs: Mapping[str, int]) -> str:
    """A table as the component takes it, as JSON text; `runs` are ids by name, for the links of its rows."""
    columns = [
        {"title": column.title, "help": column.help, "number": column.kind != "text", "name": column.named}
        for column in sheet.shown
    ]
    rows = [
        {
            "cells": [_text(cell(row.values.get(column.key), column.kind)) for column in sheet.shown],
            "sort": [_sorted_by(row.values.get(column.key)) for column in sheet.shown],
            "href": link(row.behind, runs),
        }
        for row in sheet.rows[:MOST_ROWS]
    ]
    note = ""
    if len(sheet.rows) > MOST_ROWS:
        note = f"The first {MOST_ROWS:,} of {len(sheet.rows):,} rows; the file has all."
    # As ASCII: a log may hold what is no valid Unicode.
    return json.dumps(
        {
            "title": _text(sheet.title),
            "note": note,
            "columns": columns,
            "rows": rows,
            "csv": sheet.csv(),
            "file": f"{_file(sheet.name)}.csv",
        }
    )


def _text(text: str) -> str:
    return clean(text[:CELL])


def _sorted_by(value: Value) -> Any:
    value = value.value if isinstance(value, Figure) else value
    return value[:CELL] if isinstance(value, str) else value


def _file(name: str) -> str:
    """A name as a file may have it anywhere."""
    return re.sub(r"[^\w.-]+", "-", clean(name[:CELL])).strip("-.")[:80] or "table"
