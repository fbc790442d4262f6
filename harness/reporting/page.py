"""The report of a run: every view of the comparison pages one below the other, with all matches at the end.

It holds no script, and a Content-Security-Policy forbids it to ask anything of any machine. What players wrote is
escaped by the template.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment
from markupsafe import Markup

from harness.records import Json, MatchRecord, RunRecord
from harness.reply import clean
from harness.reporting.drawn import svg
from harness.reporting.parts import Part
from harness.views.base import EVERYTHING, Behind, Choice, Column, Row, Section, Sheet
from harness.views.results import Results
from harness.views.words import cell, several

MOST_ROWS = 500
"""Rows of a table that are shown."""
MOST_SAVED = 2000
"""Rows of a table that can be taken from the report as a file."""
MOST_CELL = 1000
"""Characters of a text that are shown."""


def report(results: Results, matches: Sequence[MatchRecord], parts: Sequence[Part]) -> str:
    """The HTML of a run's report, with all of these parts."""
    return _Report(results, matches).page(parts)


class _Report:
    def __init__(self, results: Results, matches: Sequence[MatchRecord]) -> None:
        self._results = results
        self._matches = matches
        self._told = {match.id for match in matches[:MOST_ROWS]}
        self._charts = 0

    def page(self, parts: Sequence[Part]) -> str:
        run = self._results.run
        text: str = _template().render(
            run=run,
            summary=_summary(run, self._matches),
            about=_about(run, self._results.read_at),
            style=Markup(_read("report.css")),  # noqa: S704 (a file of ours)
            parts=[self._part(part) for part in parts],
            matches=self._sheet(_matches(run, self._matches), rows=[f"match-{match.id}" for match in self._matches]),
            source=run.source,
        )
        return text

    def _part(self, part: Part) -> Json:
        choices = [EVERYTHING]
        if part.by_player:
            labels = sorted({one.label for one in self._results.stats})
            choices = [Choice(player=label) for label in labels]
        sections = [section for choice in choices for section in part.view(self._results, choice)]
        return {
            "id": part.name,
            "title": part.title,
            "about": part.about,
            "sections": [self._section(section) for section in sections],
        }

    def _section(self, section: Section) -> Json:
        return {
            "title": section.title,
            "lines": section.lines,
            "warnings": section.warnings,
            "charts": [self._chart(chart) for chart in section.charts],
            "sheets": [self._sheet(sheet) for sheet in section.sheets],
        }

    def _chart(self, chart: Any) -> Json:
        self._charts += 1
        drawn = Markup(svg(chart, self._charts))  # noqa: S704 (vega writes texts as texts)
        return {"title": chart.title, "alt": chart.alt, "svg": drawn}

    def _place(self, behind: Behind) -> str | None:
        """Where in the report a figure's matches stand: one match alone; more have no place of their own."""
        return f"#match-{behind.match}" if behind.match in self._told else None

    def _sheet(self, sheet: Sheet, rows: Sequence[str] = ()) -> Json:
        number = len(sheet.rows)
        return {
            "title": sheet.title,
            "note": _note(number),
            "columns": [
                {"title": column.title, "help": column.help, "number": column.kind != "text", "name": column.named}
                for column in sheet.shown
            ],
            "rows": [
                {
                    "id": rows[at] if rows else None,
                    "href": self._place(row.behind) if row.behind is not None else None,
                    "cells": [cell(row.values.get(column.key), column.kind)[:MOST_CELL] for column in sheet.shown],
                }
                for at, row in enumerate(sheet.rows[:MOST_ROWS])
            ],
            "csv": _data(sheet.csv()) if number <= MOST_SAVED else None,
            "file": f"{_file(sheet.name)}.csv",
        }


def _note(rows: int) -> str:
    if rows <= MOST_ROWS:
        return ""
    told = f"The first {MOST_ROWS:,} of {rows:,} rows are shown"
    return f"{told}; the file has them all." if rows <= MOST_SAVED else f"{told}; parley export writes them all."


def _data(text: str) -> str:
    return f"data:text/csv;charset=utf-8;base64,{b64encode(text.encode('utf-8', 'backslashreplace')).decode()}"


def _file(name: str) -> str:
    return re.sub(r"[^\w.-]+", "-", clean(name[:MOST_CELL])).strip("-.")[:80] or "table"


def _summary(run: RunRecord, matches: Sequence[MatchRecord]) -> str:
    """What there is of the run, in a sentence."""
    by_status = Counter(match.status for match in matches)
    told = ", ".join(f"{number:,} {status}" for status, number in sorted(by_status.items()))
    players = {seat.label for match in matches for seat in match.seats}
    return (
        f"{several(len(matches), 'match', 'matches')} ({told or 'none'}) of "
        f"{several(len(players), 'player', 'players')}, seed {run.seed}."
    )


def _about(run: RunRecord, read_at: datetime) -> list[str]:
    versions = ", ".join(f"{name} {value}" for name, value in sorted(run.versions.items()))
    began = f"{run.created_at.astimezone(UTC):%d %B %Y, %H:%M} UTC"
    why = f" ({run.why})" if run.why else ""
    return [
        f"Begun on {began}; {run.status}{why}. The log was read on {read_at:%d %B %Y, %H:%M} UTC.",
        f"Made with {versions}." if versions else "",
        "Every figure can be made again from the log by parley verify, leaderboard, behaviour and pledges, each "
        "followed by the run's name; with --json they give the same numbers.",
    ]


def _matches(run: RunRecord, matches: Sequence[MatchRecord]) -> Sheet:
    columns = (
        Column("match", "match", "count", "Its number in the database, as parley replay takes it"),
        Column("number", "number", "count", "Its place in the run's schedule"),
        Column("game", "game"),
        Column("status", "status"),
        Column("ended", "ended by"),
        Column("plies", "plies", "count"),
        Column("pack", "pack", "count", "Matches of one pack share a line-up and a seed"),
        Column("players", "seats and places"),
    )
    return Sheet(f"{run.name}-matches", "All matches", columns, tuple(_match(match) for match in matches))


def _match(match: MatchRecord) -> Row:
    outcome = match.outcome or {}
    places = outcome.get("places", {})
    seated = "; ".join(
        f"{seat.seat}: {seat.label}" + (f" ({places[seat.seat]}.)" if seat.seat in places else "")
        for seat in match.seats
    )
    ended = outcome.get("reason") or match.why
    return Row(
        {
            "match": str(match.id),
            "number": match.number,
            "game": match.game,
            "status": match.status,
            "ended": ended,
            "plies": match.plies,
            "pack": match.pack,
            "players": seated,
        }
    )


def _read(name: str) -> str:
    return (files("harness.reporting") / name).read_text(encoding="utf-8")


@cache
def _template() -> Any:
    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.filters["clean"] = lambda text: clean(str(text))
    return environment.from_string(_read("report.html.j2"))
