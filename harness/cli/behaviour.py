"""`parley behaviour`: how the players play, in measures with their intervals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from harness.cli.find import opened, run_named
from harness.cli.heads import Headed, head
from harness.cli.options import as_json, database
from harness.cli.output import Column, count, emit, say, table, terminal

if TYPE_CHECKING:
    from harness.behaviour.log import Played
    from harness.behaviour.registry import Measure
    from harness.behaviour.tables import MeasureRows, Table
    from harness.intervals import Interval


@click.command(short_help="Measure how the players play: gifts, strikes, talk, costs.")
@click.argument("names", metavar="RUN...", nargs=-1, required=True)
@click.option("--measure", "wanted", metavar="NAME", help="One measure, with all that it is broken down by.")
@click.option("--measures", "file", metavar="FILE", help="With the measures in this Python file, which is run.")
@click.option("--alliances", "allied", is_flag=True, help="Who helped and who hurt whom instead.")
@database
@as_json
def command(
    names: tuple[str, ...], wanted: str | None, file: str | None, allied: bool, db: str | None, as_json: bool
) -> None:
    """Measure how the players of each RUN play, with 95 % intervals from 20 packs on. Which measures there are depends
    on what happened; `docs/behaviour.md` defines each. Runs, games and versions of the rules are never
    pooled."""
    from harness.behaviour.registry import all_measures
    from harness.behaviour.tables import behaviour, kinds

    if allied:
        if wanted is not None or file is not None:
            other = "--measures" if wanted is None else "--measure"
            raise click.UsageError(f"--alliances: takes no {other}; give one of the two")
        _alliances(names, db, as_json=as_json)
        return
    known = {**all_measures(), **_own(file)}
    if wanted is not None and wanted not in known:
        raise click.UsageError(f"--measure: there is no measure {wanted!r}; there are {', '.join(known)}")
    measures = list(known.values()) if wanted is None else [known[wanted]]
    with reading(names, db, kinds(measures)) as matches:
        found = behaviour(matches, measures)
    if as_json:
        emit(found.to_json())
        return
    for place, one in enumerate(found.tables):
        if place:
            click.echo()
        head(one, found.tables)
        if wanted is None:
            _overview(one)
        else:
            _broken_down(one, known[wanted])
        left_out(one)


def _alliances(names: tuple[str, ...], db: str | None, *, as_json: bool) -> None:
    from harness.behaviour.alliances import KINDS, alliances
    from harness.cli.alliances import show

    with reading(names, db, KINDS) as matches:
        found = alliances(matches)
    if as_json:
        emit(found.to_json())
        return
    for place, one in enumerate(found.tables):
        if place:
            click.echo()
        head(one, found.tables)
        show(one)
        left_out(one)


def _own(file: str | None) -> dict[str, Measure]:
    """The measures of the user's file."""
    if file is None:
        return {}
    from pathlib import Path

    from harness.data.measures import user_measures

    return {one.name: one for one in user_measures(Path(file))}


@contextmanager
def reading(names: Iterable[str], db: str | None, kinds: Iterable[str]) -> Iterator[Iterator[Played]]:
    """The matches of the runs of these names, to be read while the context lasts."""
    from harness.store.log_bulk import played

    with opened(db) as store:
        runs = [run_named(store, name) for name in dict.fromkeys(names)]
        yield played(store, runs, kinds)


def left_out(one: Headed) -> None:
    """The line below a table: what is missing, and why figures may lack an interval."""
    from harness.behaviour.bootstrap import LEAST_PACKS
    from harness.behaviour.gather import COUNTED

    missing = {fate: number for fate, number in one.matches.items() if fate not in COUNTED}
    if missing:
        say(
            "Not counted: " + ", ".join(f"{count(number)} {fate.replace('_', ' ')}" for fate, number in missing.items())
        )
    if one.packs < LEAST_PACKS and one.counted:
        whole = "; all forks of one match are one pack" if one.forks else ""
        say(f"No intervals: they take at least {LEAST_PACKS} packs{whole}.")


def _overview(one: Table) -> None:
    """A row for each measure, a column for each player; where that is too wide, a row for each of both."""
    labels = [player.label for player in one.players]
    rows = [
        [found.measure.title, found.measure.unit, *(_shown_of(found, place, one) for place in range(len(labels)))]
        for found in one.measures
    ]
    heads = [Column("measure", flexible=True), Column("in", spare=1)]
    widths = (max(map(len, column)) for column in zip(["measure", "in", *labels], *rows, strict=True))
    if sum(width + 2 for width in widths) - 2 <= terminal().width:
        table([*heads, *(Column(label, number=True) for label in labels)], rows)
        return
    table(
        [*heads, Column("player", flexible=True), Column("figure", number=True)],
        [
            ["" if place else title, "" if place else unit, labels[place], figure]
            for title, unit, *figures in rows
            for place, figure in enumerate(figures)
        ],
    )


def _shown_of(found: MeasureRows, place: int, one: Table) -> str:
    figure = found.of(one.players[place])
    return "–" if figure is None else shown(figure.value, figure.interval, found.measure.unit)


def _broken_down(one: Table, measure: Measure) -> None:
    """A row for each figure of one measure."""
    found = next((found for found in one.measures if found.measure.name == measure.name), None)
    if found is None:
        say(f"{measure.title}: nothing of the kind in this game's logs.")
        return
    say((f"{measure.title} ({measure.unit})", "bold"))
    keyed = bool(measure.by)
    columns = [Column("player", flexible=True), *([Column(measure.by)] if keyed else [])]
    columns += [Column("figure", number=True), Column("of", number=True, spare=1)]
    columns += [Column("matches", number=True, spare=3), Column("packs", number=True, spare=2)]
    rows = []
    for row in found.rows:
        key = ["in all" if row.key is None else row.key] if keyed else []
        counts = [count(round(row.figure.whole)), count(row.figure.matches), count(row.figure.packs)]
        rows.append([row.player.label, *key, shown(row.figure.value, row.figure.interval, measure.unit), *counts])
    table(columns, rows)
    for paragraph in measure.definition.split("\n\n"):
        say((" ".join(paragraph.split()), "dim"))


def shown(value: float | None, interval: Interval | None, unit: str) -> str:
    """A figure with its interval, for people: shares in per cent."""
    if value is None:
        return "–"
    if interval is None:
        return _number(value, unit)
    low, high = interval
    return f"{_number(value, unit)} [{_number(low, unit)}, {_number(high, unit)}]"


def _number(value: float, unit: str) -> str:
    if unit == "share":
        return f"{100 * value:.1f} %"
    if unit == "USD":
        return f"${value:.6f}" if 0 < abs(value) < 0.01 else f"${value:.2f}"
    return f"{value:,.2f}" if abs(value) < 1000 else f"{value:,.0f}"
