"""Parts of a player's profile: how it plays beside the others, what its answers take, and what was wrong with them."""

from __future__ import annotations

from collections.abc import Sequence

from harness.behaviour.gather import Player
from harness.behaviour.tables import Table as Measured
from harness.leaderboard import Row as Standing
from harness.leaderboard import Table, share
from harness.records import OWN
from harness.views.base import MATCHES, Behind, Chart, Column, Figure, Row, Section, Sheet, Value
from harness.views.behaviour import ALONE, shown
from harness.views.common import figure, key_of, kind_of
from harness.views.cost import MEASURED, Taken
from harness.views.strip import Mark, strip
from harness.views.tables import HAD, behind, file_name, names_of
from harness.views.words import cell

SAID_BEFORE = ("wins", "place")
"""Measures whose figure the profile begins with: two ways to an interval would give it two."""


def play(table: Table, measured: Measured, player: Player, name: str) -> list[Section]:
    """Its measures beside those of the others at these tables."""
    names = names_of(table)
    marks, rows = [], []
    for found in measured.measures:
        own = found.of(player)
        if own is None or own.value is None or found.measure.name in SAID_BEFORE:
            continue
        others = [
            (one, figure_of)
            for one in measured.players
            if one != player and (figure_of := found.of(one)) is not None and figure_of.value is not None
        ]
        told = shown(own.value, own.interval, found.measure)
        marks += [
            Mark(found.measure.title, names.get(key_of(one), one.label), of.value or 0.0,
                 shown(of.value, of.interval, found.measure), one == player,
                 behind(table, one.label, forfeits=found.measure.forfeits))
            for one, of in [*others, (player, own)]
        ]  # fmt: skip
        values = [of.value for _, of in others if of.value is not None]
        rows.append(
            Row(
                {
                    "measure": found.measure.title,
                    "unit": found.measure.unit,
                    "figure": told,
                    "least": _alone(min(values, default=None), found.measure.unit),
                    "most": _alone(max(values, default=None), found.measure.unit),
                    "place": f"{1 + sum(value > own.value for value in values)} of {1 + len(values)}"
                    if values
                    else None,
                    "value": own.value,
                    "low": own.interval[0] if own.interval else None,
                    "high": own.interval[1] if own.interval else None,
                    "matches": own.matches,
                },
                behind(table, player.label, forfeits=found.measure.forfeits),
            )
        )
    if not rows:
        return []
    columns = (
        Column("measure", "measure"),
        Column("figure", "its figure", help="With its 95 % interval, where it has one."),
        Column("least", "least of the others"),
        Column("most", "most of the others"),
        Column(
            "place",
            "from the top",
            help="From the largest figure down, by the figures as they are: intervals may leave it open.",
        ),
        Column("unit", "in"),
        *ALONE,
        Column("matches", "matches", "count", "Those that had anything to say."),
    )
    own_sheet = Sheet(file_name("plays", table), "How it plays", columns, tuple(rows))
    lines = ["Its measures among those of all who sat at these tables; the page Behaviour says what each is."]
    return [Section(f"How it plays · {name}", lines, charts=_strip(marks), sheets=[own_sheet])]


def _alone(value: float | None, unit: str) -> str | None:
    if value is None:
        return None
    return cell(value, kind_of(unit))


def _strip(marks: Sequence[Mark]) -> list[Chart]:
    compared = {mark.measure for mark in marks if not mark.own}
    marks = [mark for mark in marks if mark.measure in compared]
    if not marks:
        return []
    own = [mark for mark in marks if mark.own]
    alt = "Its measures between the least and the most of the others: " + "; ".join(
        f"{mark.measure}: {mark.told}" for mark in own
    )
    return [strip("among", "Among the others", alt, marks)]


def takes_sheet(table: Table, own: Taken, measured: Measured | None) -> Sheet:
    """What its answers take and cost."""
    paid = behind(table, own.row.label, forfeits=True)
    rows = [
        _row(one.title, cell(own.figures[one.key], one.kind), own.figures[one.key], own.matches, paid)
        for one in MEASURED
        if own.figures[one.key].value is not None
    ]
    for name in ("cost_per_win", "latency_per_win", "cache_share", "reasoning_share"):
        for found in measured.measures if measured is not None else ():
            one = next(
                (line for line in found.rows if key_of(line.player) == key_of(own.row) and line.key is None), None
            )
            if found.measure.name == name and one is not None and one.figure.value is not None:
                told = shown(one.figure.value, one.figure.interval, found.measure)
                link = behind(table, own.row.label, forfeits=found.measure.forfeits)
                rows.append(_row(found.measure.title, told, figure(one.figure), one.figure.matches, link))
    row = own.row
    sums: tuple[tuple[str, Value], ...] = (
        ("Calls", row.calls),
        ("of unknown price", own.unpriced),
        ("Tokens in", row.prompt_tokens),
        ("Tokens out", row.completion_tokens),
    )
    rows += [
        Row(
            {
                "what": what,
                "figure": cell(number, "count"),
                "value": number,
                "low": None,
                "high": None,
                "matches": own.matches,
            },
            paid,
        )
        for what, number in sums
        if number
    ]
    columns = (
        Column("what", "what"),
        Column("figure", "figure", help="With its 95 % interval, where it has one."),
        *ALONE,
        MATCHES,
    )
    return Sheet(file_name("takes", table), "What it takes", columns, tuple(rows))


def _row(what: str, told: str, one: Figure | None, matches: int, link: Behind | None) -> Row:
    low, high = (one.interval if one else None) or (None, None)
    value = one.value if one else None
    return Row(
        {"what": what, "figure": told, "value": value, "low": low, "high": high, "matches": matches},
        link,
    )


def failures_sheet(table: Table, row: Standing, measured: Measured | None) -> Sheet:
    """What was wrong with its answers, and which of its matches are missing."""
    found: list[tuple[str, int, float | None, str | None]] = [
        ("Illegal answers", row.illegal, row.illegal_per_decision, HAD["illegal"]),
        ("Unreadable answers", row.unreadable, row.unreadable_per_decision, HAD["unreadable"]),
    ]
    for one in measured.measures if measured is not None else ():
        if one.measure.name == "faulty_answers":
            for line in one.rows:
                if key_of(line.player) == key_of(row) and line.key not in (None, "illegal"):
                    known = f"answer:{line.key}" if line.key in OWN else None
                    found.append((f"of these {line.key}", round(line.figure.part), line.figure.value, known))
    found.append(("Unusable answers in talk rounds", row.talk_faults, None, HAD["talk"]))
    found.append(("Decisions made for it (fallbacks)", row.fallback, row.fallback_share, HAD["fallback"]))
    rows = [
        Row({"what": what, "times": times, "rate": rate}, behind(table, row.label, had=had) if times else None)
        for what, times, rate, had in found
    ]
    rows.append(
        Row(
            {"what": "Own forfeits", "times": row.forfeits, "rate": None},
            behind(table, row.label, reason="forfeit") if row.forfeits else None,
        )
    )
    rows.append(
        Row(
            {"what": "Matches missing, of those begun", "times": row.missing, "rate": share(row.missing, row.started)},
            behind(table, row.label, status=None),
        )
    )
    columns = (
        Column("what", "what"),
        Column("times", "times", "count"),
        Column(
            "rate",
            "each",
            "number",
            "Per decision wanted of it, of which one that was asked again may have several answers; per match begun "
            "for those missing. As counted, without an interval.",
        ),
    )
    return Sheet(file_name("failures", table), "What went wrong", columns, tuple(rows))
