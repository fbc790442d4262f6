"""Behaviour: every measure that found anything, side by side, and what became of pledges."""

from __future__ import annotations

from collections.abc import Container, Sequence

from harness.behaviour.gather import Player
from harness.behaviour.registry import Measure
from harness.behaviour.tables import MeasureRows, Table
from harness.views import pledges
from harness.views.base import MATCHES, PACKS, PLAYER, Behind, Chart, Choice, Column, Figure, Row, Section, Sheet
from harness.views.charts import SHARE, Dot, Scale, dots
from harness.views.common import (
    behind,
    figure,
    file_name,
    fitting,
    key_of,
    kind_of,
    labels_of,
    names_of,
    ordered,
    source_lines,
    title_of,
)
from harness.views.results import Results
from harness.views.words import cell

PLAIN = ",~f"
FORMATS = {"share": SHARE, "USD": "$,~f", "points": "+,~f", "tokens": "~s"}
"""How an axis writes a unit, as d3 has it; plainly where it is not named."""
ALONE = (
    Column(
        "value", "value", "number", "The figure alone: shares from 0 to 1, costs in USD, times in seconds.", filed=True
    ),
    Column("low", "from", "number", "The interval's ends.", filed=True),
    Column("high", "to", "number", filed=True),
)
"""A figure in numbers, for the file: where one column holds figures of several units it shows them in words."""
OWN_SEAT = "own seat"
"""By what measures are broken down whose keys are seats."""
_FROM_NOTHING = ("share", "per match", "per decision", "characters", "tokens", "USD", "seconds")


def view(results: Results, choice: Choice) -> Sequence[Section]:
    """Of each table two sections: measures, and pledges where any were made."""
    ledgers = {one.key: one for one in results.ledger.tables}
    found: list[Section] = []
    for table in fitting(results, results.behaviour.tables, choice):
        players = chosen(results, table, choice)
        if not players:
            continue
        found.append(_section(results, table, players))
        title = f"Pledges · {title_of(table, results)}"
        judged = pledges.section(results, ledgers[table.key], title, players)
        if judged is not None:
            found.append(judged)
    return found


def chosen(results: Results, table: Table, choice: Choice) -> list[Player]:
    """The players of a table in the order of the leaderboard, or the chosen one."""
    return [player for player in ordered(results, table, table.players) if choice.player in (None, player.label)]


def _section(results: Results, table: Table, players: Sequence[Player]) -> Section:
    lines = source_lines(table)
    if table.measures:
        lines.append("Players stand in the order of the leaderboard. A hollow dot has no interval.")
        if any(row.figure.interval for found in table.measures for row in found.rows):
            lines.append(
                "Each interval is 95 % by itself: of many that are read at once, one in twenty misses the truth."
            )
    elif table.counted:
        lines.append("No measure found anything.")
    shown = [found for found in table.measures if any(found.of(player) for player in players)]
    return Section(
        title=title_of(table, results),
        lines=lines,
        charts=[chart(table, found, players) for found in shown if _says_anything(found, players)],
        sheets=[*_sheets(table, shown, players)] if shown else (),
    )


def _says_anything(found: MeasureRows, players: Sequence[Player]) -> bool:
    """Whether anybody has a figure: what a win costs has none where nobody won."""
    return any(one is not None and one.value is not None for one in map(found.of, players))


def chart(table: Table, found: MeasureRows, players: Sequence[Player]) -> Chart:
    """One measure: a dot for each player, those of whom it says nothing left open."""
    measure = found.measure
    names = names_of(players)
    drawn = []
    for player in players:
        one = found.of(player)
        value = None if one is None else one.value
        told = "nothing" if one is None else f"{shown(one.value, one.interval, measure)}, of {one.matches:,} matches"
        drawn.append(
            Dot(names[key_of(player)], value, None if one is None else one.interval, told,
                behind=behind(table, player.label, forfeits=measure.forfeits))
        )  # fmt: skip
    alt = f"{measure.title}, {measure.unit}: " + "; ".join(f"{dot.name}: {dot.told}" for dot in drawn[:40])
    scale = Scale(
        measure.unit,
        FORMATS.get(measure.unit, PLAIN),
        zero=measure.unit in _FROM_NOTHING,
        most=1 if measure.unit == "share" else None,
        ticks=3 if measure.unit == "USD" else 4,
    )
    line = (0.0, "chance") if measure.unit == "points" else None
    made = dots(measure.name, measure.title, alt, drawn, scale, line=line)
    return made._replace(help=measure.definition, small=True)


def shown(value: float | None, interval: tuple[float, float] | None, measure: Measure) -> str:
    """A figure in words."""
    words = cell(Figure(value, interval), kind_of(measure.unit))
    return words if measure.unit in ("share", "USD", "seconds") else f"{words} {measure.unit}"


def _sheets(table: Table, measures: Sequence[MeasureRows], players: Sequence[Player]) -> list[Sheet]:
    """All in one table; then what each is broken down by."""
    found = [_overview(table, measures, players)]
    found += [_broken_down(table, one, players) for one in measures if one.keys()]
    return found


def _overview(table: Table, measures: Sequence[MeasureRows], players: Sequence[Player]) -> Sheet:
    labels = labels_of(players)
    rows = [
        Row(
            {
                "measure": found.measure.title,
                "player": labels[key_of(player)],
                "unit": found.measure.unit,
                "figure": shown(one.value, one.interval, found.measure),
                "value": one.value,
                "low": one.interval[0] if one.interval else None,
                "high": one.interval[1] if one.interval else None,
                "part": one.part,
                "whole": one.whole,
                "matches": one.matches,
                "packs": one.packs,
            },
            behind(table, player.label, forfeits=found.measure.forfeits),
        )
        for found in measures
        for player in players
        if (one := found.of(player)) is not None
    ]
    columns = (
        Column("measure", "measure"),
        PLAYER,
        Column("figure", "figure", help="With its 95 % interval, where it has one."),
        Column("unit", "in"),
        *ALONE,
        Column("part", "sum", "number", "What was counted.", filed=True),
        Column("whole", "of", "number", "What it is divided by.", filed=True),
        Column("matches", "matches", "count", "Those that had anything to say."),
        PACKS,
    )
    return Sheet(file_name("behaviour", table), "All measures", columns, tuple(rows))


def _broken_down(table: Table, found: MeasureRows, players: Sequence[Player]) -> Sheet:
    """One measure by its keys, a row for each player and key."""
    labels, measure = labels_of(players), found.measure
    there = {player.label for player in table.players}
    rows = [
        Row(
            {
                "player": labels[key_of(row.player)],
                "key": "in all" if row.key is None else row.key,
                "figure": figure(row.figure),
                "of": row.figure.whole,
                "matches": row.figure.matches,
                "packs": row.figure.packs,
            },
            _behind_key(table, measure, row.player.label, row.key, there),
        )
        for player in players
        for row in found.rows
        if row.player == player
    ]
    columns = (
        PLAYER,
        Column("key", measure.by or "key"),
        Column("figure", measure.unit, kind_of(measure.unit), measure.definition),
        Column("of", "of", "number", "What it is divided by."),
        MATCHES,
        PACKS,
    )
    title = f"{measure.title}: by {measure.by or 'key'}"
    return Sheet(file_name(f"behaviour-{measure.name}", table), title, columns, tuple(rows), folded=True)


def _behind_key(table: Table, measure: Measure, label: str, key: str | None, there: Container[str]) -> Behind:
    """The matches of a player; with the other one, or from the seat, that the key names."""
    if measure.by == OWN_SEAT:
        return behind(table, label, forfeits=measure.forfeits, seat=key)
    others = [key] if key is not None and key in there else []
    return behind(table, label, *others, forfeits=measure.forfeits)
