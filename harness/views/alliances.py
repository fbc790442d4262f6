"""Alliances: who helped and who hurt whom, and in which part of a match."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from harness.behaviour import gather
from harness.behaviour.alliances import ACTS, SENSES, TENTHS, AlliancesTable, Course
from harness.behaviour.alliances import Row as Pair
from harness.behaviour.gather import Player
from harness.pledges import PHASES
from harness.views.base import MATCHES, PACKS, PLAYER, Behind, Chart, Choice, Column, Row, Section, Sheet
from harness.views.charts import HIGH, LOW, Cell, Span, heat
from harness.views.common import (
    Key,
    behind,
    figure,
    file_name,
    fitting,
    key_of,
    labels_of,
    names_of,
    ordered,
    source_lines,
    title_of,
)
from harness.views.results import Results
from harness.views.words import cell

_TITLES = {act.name: act.title for act in ACTS} | {"help": "Help", "harm": "Harm"}
_DEFINITIONS = {act.name: act.definition for act in ACTS} | {
    sense: "The sum of " + ", ".join(act.title.lower() for act in ACTS if act.sense == sense and act.summed) + "."
    for sense in SENSES
}
_COLOURS = {"help": HIGH, "harm": LOW} | {act.name: HIGH if act.sense == "help" else LOW for act in ACTS}
MOST_SMALL = 6
"""With more columns the sums have all the width."""
MOST_MAPS = 16
"""With more players only the sums are drawn."""
PER_MATCH = "Deeds in a match in which both sat. "


class _Look(NamedTuple):
    """What is looked at in a table."""

    table: AlliancesTable
    players: Sequence[Player]
    names: Mapping[Key, str]
    choice: Choice

    def wanted(self, *players: Player) -> bool:
        """Whether the chosen player is among them."""
        return self.choice.player is None or any(player.label == self.choice.player for player in players)


def view(results: Results, choice: Choice) -> Sequence[Section]:
    """Of each table a section by players, one on how it went over the match, and one by seats."""
    found: list[Section] = []
    for table in fitting(results, results.alliances.tables, choice):
        players = ordered(results, table, table.players)
        look = _Look(table, players, names_of(players), choice)
        if players and look.wanted(*players):
            found += _sections(results, look)
    return found


def _sections(results: Results, look: _Look) -> list[Section]:
    table, title = look.table, title_of(look.table, results)
    lines = [*source_lines(table), *([table.note] if table.note else [])]
    if not table.acts:
        return [Section(title, lines)]
    lines.append(
        "Rows give, columns receive. Only deeds that were a player's own choice; words (pledges kept and broken) stand "
        "beside, in no sum."
    )
    senses, acts = _senses(table), [act.name for act in table.acts]
    drawn = len(look.players) <= MOST_MAPS
    if not any(row.by == "player" for row in table.rows):
        return [
            Section(title, lines),
            Section(
                f"Over the match · {title}",
                ["In tenths of a match's plies, by who helped or hurt another of its seats."],
                charts=[_course(look, name) for name in senses],
                sheets=[_course_sheet(look)],
            ),
            _by_seats(look, title),
        ]
    by_pair = [_pairs(look, name, small=len(look.players) <= MOST_SMALL) for name in senses]
    if drawn:
        by_pair += [_pairs(look, name, small=True) for name in acts]
    else:
        lines.append(f"With more than {MOST_MAPS} players only the sums are drawn; the tables have every kind of deed.")
    sections = [Section(title, lines, charts=by_pair, sheets=[_pair_sheet(look)])]
    over = [_pairs(look, name, phase, small=True) for name in senses for phase in PHASES] if drawn else []
    course = [_course(look, name) for name in senses]
    told = ["In thirds of a match's plies by pair, and in tenths by who helped or hurt anybody."]
    sections.append(
        Section(
            f"Over the match · {title}",
            told,
            charts=[*over, *course],
            sheets=[_phases_sheet(look), _course_sheet(look)],
        )
    )
    sections.append(_by_seats(look, title))
    return sections


def _by_seats(look: _Look, title: str) -> Section:
    told = ["Rows give, columns receive: by where players sat, whoever they were."]
    seats = [_seats(look, name) for name in _senses(look.table)]
    return Section(f"By seat · {title}", told, charts=seats, sheets=[_seat_sheet(look)])


def _senses(table: AlliancesTable) -> list[str]:
    return [sense for sense in SENSES if any(act.sense == sense and act.summed for act in table.acts)]


def _of_players(look: _Look, name: str, phase: str = "") -> dict[tuple[Key, Key], Pair]:
    return {
        (key_of(row.giver), key_of(row.receiver)): row
        for row in look.table.rows
        if isinstance(row.giver, Player) and isinstance(row.receiver, Player) and (row.act, row.phase) == (name, phase)
    }


def _pairs(look: _Look, name: str, phase: str = "", *, small: bool) -> Chart:
    """A heat map of one kind of deed, by who gave and who received."""
    found = _of_players(look, name, phase)
    cells = []
    for giver in look.players:
        for receiver in look.players:
            row = found.get((key_of(giver), key_of(receiver)))
            one = row.figure if row is not None and look.wanted(giver, receiver) else None
            link = None if one is None else behind(look.table, giver.label, receiver.label)
            cells.append(_cell(look.names[key_of(giver)], look.names[key_of(receiver)], one, link))
    # One scale for all phases, so that they can be compared.
    most = max((row.figure.value or 0 for at in PHASES for row in _of_players(look, name, at).values()), default=0)
    title = f"{_TITLES[name]}, {phase}" if phase else _TITLES[name]
    made = heat(
        f"{name}-{phase or 'all'}", title, f"{title} in a match, by who gave and who received: {_said(cells)}", cells,
        Span(0, (most if phase else _most(cells)) or 1, most=_COLOURS[name]), rows_are="who", columns_are="to whom",
    )  # fmt: skip
    return made._replace(small=small, help=PER_MATCH + _DEFINITIONS[name])


def _cell(row: str, column: str, one: gather.Figure | None, link: Behind | None) -> Cell:
    if one is None or one.value is None:
        return Cell(row, column, None, "", "never at one table" if row != column else "itself")
    told = f"{cell(figure(one), 'number')} in a match, of {one.matches:,} matches"
    text = f"{one.value:.1f}" if one.value >= 9.95 or not one.value else f"{one.value:.2f}"
    return Cell(row, column, one.value, text.removesuffix(".0"), told, link)


def _most(cells: Iterable[Cell]) -> float:
    return max((one.value or 0 for one in cells), default=0)


def _said(cells: Sequence[Cell]) -> str:
    """The largest in words."""
    most = sorted((one for one in cells if one.value), key=lambda one: -(one.value or 0))[:8]
    return "; ".join(f"{one.row} to {one.column} {one.told}" for one in most) or "none"


def _seats(look: _Look, name: str) -> Chart:
    found = {
        (str(row.giver), str(row.receiver)): row.figure
        for row in look.table.rows
        if row.by == "seat" and (row.act, row.phase) == (name, "")
    }
    seats = look.table.seat_order
    cells = [
        _cell(giver, receiver, found.get((giver, receiver)), behind(look.table))
        for giver in seats
        for receiver in seats
    ]
    title = f"{_TITLES[name]} by seat"
    span = Span(0, _most(cells) or 1, most=_COLOURS[name])
    made = heat(f"{name}-seats", title, f"{title}: {_said(cells)}", cells, span, rows_are="who", columns_are="to whom")
    return made._replace(small=True, help=PER_MATCH + _DEFINITIONS[name])


def _tenth(number: int) -> str:
    return f"{100 * number // TENTHS}–{100 * (number + 1) // TENTHS} %"


def _course(look: _Look, name: str) -> Chart:
    """A heat map of how much a player helped (hurt) others in each tenth of a match."""
    found = {(key_of(row.player), row.tenth): row.figure for row in look.table.course if row.sense == name}
    cells = [
        _cell(
            look.names[key_of(player)], _tenth(tenth), found.get((key_of(player), tenth)),
            behind(look.table, player.label),
        )
        for player in look.players
        if look.wanted(player)
        for tenth in range(TENTHS)
    ]  # fmt: skip
    title = f"{_TITLES[name]} given, over the match"
    span = Span(0, _most(cells) or 1, most=_COLOURS[name])
    made = heat(
        f"{name}-course", title, f"{title}: {_said(cells)}", cells, span,
        rows_are="who", columns_are="part of the match's plies",
    )  # fmt: skip
    return made._replace(help="Deeds towards anybody in that tenth of a match's plies, by match.")


def _pair_sheet(look: _Look) -> Sheet:
    table = look.table
    labels = labels_of(look.players)
    names = [*_senses(table), *(act.name for act in table.acts)]
    found = {name: _of_players(look, name) for name in names}
    rows = []
    for giver in look.players:
        for receiver in look.players:
            pair = key_of(giver), key_of(receiver)
            if pair in found[names[0]] and look.wanted(giver, receiver):
                some = found[names[0]][pair].figure
                rows.append(
                    Row(
                        {
                            "giver": labels[pair[0]],
                            "receiver": labels[pair[1]],
                            **{name: figure(found[name][pair].figure) for name in names},
                            "matches": some.matches,
                            "packs": some.packs,
                        },
                        behind(table, giver.label, receiver.label),
                    )
                )
    columns = (
        Column("giver", "who"),
        Column("receiver", "to whom"),
        *(Column(name, _TITLES[name].lower(), "number", PER_MATCH + _DEFINITIONS[name]) for name in names),
        Column("matches", "matches", "count", "In which both sat."),
        PACKS,
    )
    return Sheet(file_name("alliances", table), "Deeds in a match, by pair", columns, tuple(rows))


def _phases_sheet(look: _Look) -> Sheet:
    table, labels = look.table, labels_of(look.players)
    rows = []
    for name in [*_senses(table), *(act.name for act in table.acts)]:
        found = {phase: _of_players(look, name, phase) for phase in PHASES}
        for giver in look.players:
            for receiver in look.players:
                pair = key_of(giver), key_of(receiver)
                if pair in found[PHASES[0]] and look.wanted(giver, receiver):
                    each = {phase: figure(found[phase][pair].figure) for phase in PHASES}
                    values = {
                        "giver": labels[pair[0]],
                        "receiver": labels[pair[1]],
                        "act": _TITLES[name].lower(),
                        **{_column(phase): one for phase, one in each.items()},
                        "matches": found[PHASES[0]][pair].figure.matches,
                    }
                    rows.append(Row(values, behind(table, giver.label, receiver.label)))
    columns = (
        Column("giver", "who"),
        Column("receiver", "to whom"),
        Column("act", "deed"),
        *(Column(_column(phase), phase, "number", f"{PER_MATCH}In the {phase} of its plies.") for phase in PHASES),
        Column("matches", "matches", "count", "In which both sat."),
    )
    return Sheet(file_name("alliances-thirds", table), "By thirds of a match", columns, tuple(rows), folded=True)


def _column(phase: str) -> str:
    return phase.replace(" ", "_")


def _course_sheet(look: _Look) -> Sheet:
    labels = labels_of(look.players)
    found: dict[tuple[Key, str], list[Course]] = {}
    for row in look.table.course:
        found.setdefault((key_of(row.player), row.sense), []).append(row)
    rows = [
        Row(
            {
                "player": labels[key_of(player)],
                "act": _TITLES[sense].lower(),
                **{f"tenth_{row.tenth + 1}": figure(row.figure) for row in found[key_of(player), sense]},
                "matches": found[key_of(player), sense][0].figure.matches,
            },
            behind(look.table, player.label),
        )
        for player in look.players
        if look.wanted(player)
        for sense in SENSES
        if (key_of(player), sense) in found
    ]
    columns = (
        PLAYER,
        Column("act", "deed"),
        *(Column(f"tenth_{tenth + 1}", _tenth(tenth), "number") for tenth in range(TENTHS)),
        MATCHES,
    )
    return Sheet(file_name("alliances-tenths", look.table), "By tenths of a match", columns, tuple(rows), folded=True)


def _seat_sheet(look: _Look) -> Sheet:
    table = look.table
    names = [*_senses(table), *(act.name for act in table.acts)]
    found = {
        (str(row.giver), str(row.receiver), row.act): row.figure
        for row in table.rows
        if row.by == "seat" and not row.phase
    }
    rows = [
        Row(
            {
                "giver": giver,
                "receiver": receiver,
                **{name: figure(found[giver, receiver, name]) for name in names},
                "matches": found[giver, receiver, names[0]].matches,
            },
            behind(table),
        )
        for giver in table.seat_order
        for receiver in table.seat_order
        if (giver, receiver, names[0]) in found
    ]
    columns = (
        Column("giver", "who"),
        Column("receiver", "to whom"),
        *(Column(name, _TITLES[name].lower(), "number", PER_MATCH + _DEFINITIONS[name]) for name in names),
        MATCHES,
    )
    return Sheet(file_name("alliances-seats", table), "Deeds in a match, by seat", columns, tuple(rows))
