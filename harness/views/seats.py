"""Seats: what each is worth, and who sat where how often, so that a run's fairness can be seen."""

from __future__ import annotations

from collections.abc import Sequence

from harness.leaderboard import Table
from harness.views.base import MATCHES, PLAYER, Behind, Chart, Choice, Column, Figure, Row, Section, Sheet, Value
from harness.views.charts import SHARE, Cell, Dot, Scale, Span, distinct, dots, heat, intervals_of
from harness.views.results import Results, Sat, Seated
from harness.views.tables import behind, file_name, names_of, players, sheet, source_lines, title, warnings
from harness.views.words import cell, several

COLUMNS = (
    Column("seat", "seat"),
    MATCHES,
    Column("won", "won", "share", "The share of matches won from it."),
    Column("even", "even", "share", "What it would be if seats made no difference."),
    Column(
        "bias",
        "bias",
        "points",
        "The difference, in points of per cent; its interval is that of what was won, less what is even.",
    ),
    Column("effect", "effect", "number", "The seat's own part in log odds, apart from who sat there; 0 is none."),
)
SEATED = (
    PLAYER,
    Column("seat", "seat", "text"),
    Column("matches", "matches", "count", "Those that count."),
    Column("share", "of its matches", "share", "The share of its matches in which it sat there."),
    Column("won", "won", "share", "The share of those that it won; as counted, without an interval."),
)


def view(results: Results, choice: Choice) -> Sequence[Section]:
    """A section for each table. A chosen player chooses rows of who sat where; what a seat is worth is of all."""
    return [_section(table, results, choice) for table in results.tables(choice) if players(table, choice)]


def _section(table: Table, results: Results, choice: Choice) -> Section:
    lines = source_lines(table)
    if not table.ratings.main.seats:
        return Section(title(table, results), lines, warnings(table))
    if table.ratings.main.uneven:
        lines.append("Seats and players cannot be told apart: how often a seat won is what who sat there won.")
    else:
        lines.append("A large effect is no fault where seats rotate: it is fitted along, and everybody sat there.")
    seated = results.seated(table)
    return Section(
        title(table, results),
        lines,
        warnings(table),
        [*_worth(table), *_who(table, seated, choice)],
        [_sheet(table), _seated_sheet(table, seated, choice)],
    )


def _from(table: Table, seat: str, *labels: str) -> Behind | None:
    return behind(table, *labels, seat=seat)


def _worth(table: Table) -> list[Chart]:
    seats = table.ratings.main.seats
    won = [
        Dot(
            one.seat,
            one.win_share,
            one.win_interval,
            f"{cell(Figure(one.win_share, one.win_interval), 'share')}, {several(one.matches, 'match', 'matches')}",
            behind=_from(table, one.seat),
        )
        for one in seats
    ]
    said = "; ".join(f"{dot.name}: {dot.told}" for dot in won)
    found = [
        dots(
            "won-from-seat",
            f"Matches won from each seat{intervals_of(won)}; the line is 1 in {table.seats}",
            f"The share of matches won from each seat, and a line at 1 in {table.seats}. {said}",
            won,
            Scale("matches won", SHARE, most=1),
            line=(1 / table.seats, "even"),
        )
    ]
    effects = [
        Dot(
            one.seat,
            one.effect,
            one.effect_interval,
            cell(Figure(one.effect, one.effect_interval), "number"),
            behind=_from(table, one.seat),
        )
        for one in seats
        if one.effect is not None
    ]
    if effects:
        said = "; ".join(f"{dot.name}: {dot.told}" for dot in effects)
        found.append(
            dots(
                "seat-effect",
                "Each seat's own effect, apart from who sat there; the line is none",
                f"The effect of each seat in log odds, and a line at 0. {said}",
                effects,
                Scale("effect (log odds)", "+.2~f", zero=False),
                line=(0.0, "none"),
            )
        )
    return found


def _who(table: Table, seated: Seated, choice: Choice) -> list[Chart]:
    names = names_of(table)
    shown = dict(zip(names, distinct(names.values()), strict=True))
    order = [one.seat for one in table.ratings.main.seats]
    cells = []
    for row in players(table, choice):
        mine = seated.get((row.label, row.identity), {})
        whole = sum(one.matches for one in mine.values())
        for seat in order:
            number = mine.get(seat, Sat(0, 0.0)).matches
            told = f"{several(number, 'match', 'matches')} of {whole:,}"
            value = number / whole if whole else None
            cells.append(
                Cell(shown[row.label, row.identity], seat, value, f"{number:,}", told, _from(table, seat, row.label))
            )
    if not cells:
        return []
    even = 1 / table.seats
    said = "; ".join(f"{one.row} as {one.column}: {one.told}" for one in cells)
    what = "Who sat where, in matches that count; pale is an even share"
    return [
        heat("seated", what, f"{what}. {said}", cells, Span(0.0, 2 * even, even), rows_are="player", columns_are="seat")
    ]


def _sheet(table: Table) -> Sheet:
    rows = [
        Row(
            {
                "seat": one.seat,
                "matches": one.matches,
                "won": Figure(one.win_share, one.win_interval),
                "even": 1 / table.seats,
                "bias": one.win_share - 1 / table.seats,
                "effect": Figure(one.effect, one.effect_interval),
            },
            _from(table, one.seat),
        )
        for one in table.ratings.main.seats
    ]
    return sheet(file_name("seats", table), "Seats", COLUMNS, rows, always=6)


def _seated_sheet(table: Table, seated: Seated, choice: Choice) -> Sheet:
    names = names_of(table)
    rows = []
    for row in players(table, choice):
        mine = seated.get((row.label, row.identity), {})
        whole = sum(one.matches for one in mine.values())
        for seat in table.ratings.main.seats:
            matches, wins = mine.get(seat.seat, Sat(0, 0.0))
            values: dict[str, Value] = {
                "player": names[row.label, row.identity],
                "seat": seat.seat,
                "matches": matches,
                "share": matches / whole if whole else None,
                "won": wins / matches if matches else None,
            }
            rows.append(Row(values, _from(table, seat.seat, row.label) if matches else None))
    return sheet(file_name("seated", table), "Who sat where", SEATED, rows, always=5)
