"""`parley pledges`: what became of every promise, and how much a promise says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from harness.cli.behaviour import left_out, reading, shown
from harness.cli.heads import head
from harness.cli.options import as_json, database
from harness.cli.output import Column, count, emit, say, several, table

if TYPE_CHECKING:
    from harness.behaviour.ledger import LedgerTable


@click.command(short_help="Judge the pledges, and say how much a pledge says.")
@click.argument("names", metavar="RUN...", nargs=-1, required=True)
@click.option(
    "--by",
    type=click.Choice(["kind", "addressee", "phase"]),
    help="Break each player's pledges down by this.",
)
@click.option("--list", "listed", is_flag=True, help="List every pledge with the plies that made and decided it.")
@database
@as_json
def command(names: tuple[str, ...], by: str | None, listed: bool, db: str | None, as_json: bool) -> None:
    """Judge every pledge made in each RUN from what was done later: kept, broken, untested, or void (its deciding act
    was a fallback or the only legal one). Beside them, how much a pledge says: the share of the deed after the pledge,
    less its share in like decisions without one."""
    from harness.behaviour.ledger import ledger
    from harness.behaviour.tables import kinds

    with reading(names, db, kinds([])) as matches:
        found = ledger(matches)
    if as_json:
        emit(found.to_json())
        return
    for place, one in enumerate(found.tables):
        if place:
            click.echo()
        head(one, found.tables)
        _print(one, by, listed=listed)
        left_out(one)


def _print(one: LedgerTable, by: str | None, *, listed: bool) -> None:
    if not one.rows:
        say("No pledge was made.")
        return
    columns = [Column("player", flexible=True)]
    columns += [Column(by or "pledges", number=by is None)]
    columns += [Column(name, number=True) for name in ("kept", "broken", "untested", "void", "share kept")]
    rows = [
        [
            row.player.label,
            row.key if by else count(sum(row.verdicts.values())),
            *(count(row.verdicts[verdict]) for verdict in ("kept", "broken", "untested", "void")),
            shown(row.kept.value, row.kept.interval, "share"),
        ]
        for row in one.rows
        if row.by == (by or "")
    ]
    table(columns, rows)
    if one.says:
        click.echo()
        say("What a pledge says: how often the deed is done after one, and in like decisions without one.")
        table(
            [
                Column("player", flexible=True),
                Column("pledge"),
                Column("after", number=True),
                Column("decisions", number=True, spare=1),
                Column("without", number=True),
                Column("decisions", number=True, spare=2),
                Column("difference", number=True),
            ],
            [
                [
                    row.player.label,
                    row.kind,
                    shown(row.after.value, None, "share"),
                    count(round(row.after.whole)),
                    shown(row.without.value, None, "share"),
                    count(round(row.without.whole)),
                    shown(row.difference, row.interval, "share"),
                ]
                for row in one.says
            ],
        )
    if listed:
        click.echo()
        _list(one)
    if one.unfollowed:
        numbers = several(len(one.unfollowed), "match", "matches")
        say(f"{numbers} cannot be followed to the end (`parley verify` tells where); what comes later is not judged.")


def _list(one: LedgerTable) -> None:
    columns = [Column("match", number=True), Column("ply", number=True), Column("player", flexible=True)]
    columns += [
        Column("pledge"),
        Column("to", flexible=True),
        Column("turns", number=True, spare=2),
        Column("if", spare=1),
    ]
    columns += [Column("verdict"), Column("at ply", number=True), Column("why", spare=3)]
    rows = []
    for entry in one.entries:
        pledge = entry.pledge
        at = "–" if pledge.verdict_ply is None else str(pledge.verdict_ply)
        promise = [pledge.kind, entry.addressee, str(pledge.turns), pledge.condition or "–"]
        told = [pledge.verdict, at, pledge.why.replace("_", " ")]
        rows.append([str(entry.match_id), str(pledge.ply), entry.maker, *promise, *told])
    table(columns, rows)
