"""Sections on pledges: what became of them, what they say, and each with the plies that made and decided it."""

from __future__ import annotations

from collections.abc import Sequence

from harness.behaviour.gather import Player
from harness.behaviour.ledger import BY, Entry, LedgerTable
from harness.behaviour.ledger import Row as Group
from harness.pledges import VERDICTS
from harness.views.base import PLAYER, Behind, Chart, Column, Figure, Row, Section, Sheet
from harness.views.charts import DIFFERENCE, SHARE, Dot, Scale, dots
from harness.views.common import behind, figure, file_name, key_of, labels_of, names_of
from harness.views.results import Results
from harness.views.tables import sheet
from harness.views.words import cell, several

KEPT_HELP = "Of the pledges kept or broken, the share kept. Pledges never tested and void ones are left out."
SAYS_HELP = (
    "The share of the deed in decisions that settled such a pledge, less its share in like decisions on which no "
    "pledge of the maker's bore. At 0 the promise says nothing."
)
_WHY = {
    "deed": "a free deed of its own",
    "fallback": "the deciding act was a fallback",
    "no_choice": "the deciding act was the only one",
    "no_occasion": "no occasion came",
    "condition": "its condition was not met",
    "open": "its term still runs",
    "log": "the log cannot be followed so far",
}


def section(results: Results, table: LedgerTable, title: str, players: Sequence[Player]) -> Section | None:
    """The ledger of a table as far as these players made pledges, in their order; None where nobody made one."""
    makers = [player for player in players if any(key_of(row.player) == key_of(player) for row in table.rows)]
    if not makers:
        return None
    made = sum(sum(row.verdicts.values()) for row in table.rows if not row.by and row.player in makers)
    lines = [
        f"{several(made, 'pledge', 'pledges')}, judged from what was done later; no model is asked. A row of the last "
        "table leads to the ply at which the pledge was made."
    ]
    if table.unfollowed:
        number = several(len(table.unfollowed), "match", "matches")
        lines.append(f"{number} cannot be followed to the end; what comes later is not judged.")
    return Section(
        title=title,
        lines=lines,
        charts=_charts(table, makers),
        sheets=[one for one in (_became(table, makers), _says(table, makers), entries(results, table, makers)) if one],
    )


def _charts(table: LedgerTable, makers: Sequence[Player]) -> list[Chart]:
    names = names_of(makers)
    found = []
    kept = [
        Dot(names[key_of(row.player)], row.kept.value, row.kept.interval, _told(row), row.key,
            behind(table, row.player.label))
        for player in makers
        for row in table.rows
        if row.player == player and row.by == "kind" and row.kept.value is not None
    ]  # fmt: skip
    if kept:
        alt = "Pledges kept, of those kept or broken, by kind: " + _said(kept)
        chart = dots("kept", "Pledges kept, by kind", alt, kept, Scale("share kept", SHARE, most=1))
        found.append(chart._replace(help=KEPT_HELP, small=True))
    says = [
        Dot(names[key_of(row.player)], row.difference, row.interval,
            f"{cell(Figure(row.difference, row.interval), 'points')} points", row.kind, behind(table, row.player.label))
        for player in makers
        for row in table.says
        if row.player == player and row.difference is not None
    ]  # fmt: skip
    if says:
        alt = "How much likelier a deed is once it is promised, by kind: " + _said(says)
        scale = Scale("difference of shares", DIFFERENCE)
        chart = dots("says", "What a pledge says", alt, says, scale, line=(0, "says nothing"))
        found.append(chart._replace(help=SAYS_HELP, small=True))
    return found


def _said(found: Sequence[Dot]) -> str:
    return "; ".join(f"{dot.name}, {dot.by}: {dot.told}" for dot in found[:40])


def _told(row: Group) -> str:
    counts = ", ".join(f"{row.verdicts[verdict]:,} {verdict}" for verdict in VERDICTS)
    return f"{cell(figure(row.kept), 'share')}: {counts}"


def _became(table: LedgerTable, makers: Sequence[Player]) -> Sheet:
    labels = labels_of(makers)
    rows = [
        Row(
            {
                "player": labels[key_of(row.player)],
                "by": row.by or "in all",
                "key": row.key or None,
                **row.verdicts,
                "kept_share": figure(row.kept),
                "matches": row.kept.matches,
            },
            behind(table, row.player.label, *([row.key] if row.by == "addressee" else [])),
        )
        for player in makers
        for row in table.rows
        if row.player == player
    ]
    columns = (
        PLAYER,
        Column("by", "by", help=f"In all, or broken down by {', '.join(BY)}; a phase is a third of a match's plies."),
        Column("key", "which"),
        *(Column(verdict, verdict, "count") for verdict in VERDICTS),
        Column("kept_share", "share kept", "share", KEPT_HELP),
        Column("matches", "matches", "count", "With a pledge that was kept or broken."),
    )
    return Sheet(file_name("pledges", table), "What became of pledges", columns, tuple(rows))


def _says(table: LedgerTable, makers: Sequence[Player]) -> Sheet | None:
    labels = labels_of(makers)
    rows = [
        Row(
            {
                "player": labels[key_of(row.player)],
                "kind": row.kind,
                "after": figure(row.after),
                "after_decisions": row.after.whole,
                "without": figure(row.without),
                "without_decisions": row.without.whole,
                "difference": Figure(row.difference, row.interval),
                "matches": row.after.matches,
            },
            behind(table, row.player.label),
        )
        for player in makers
        for row in table.says
        if row.player == player
    ]
    columns = (
        PLAYER,
        Column("kind", "pledge"),
        Column("after", "deed after one", "share", "Of decisions that settled such a pledge."),
        Column("after_decisions", "decisions", "count"),
        Column("without", "without", "share", "Of like decisions on which no pledge of the maker's bore."),
        Column("without_decisions", "decisions", "count"),
        Column("difference", "difference, points", "points", SAYS_HELP),
        Column("matches", "matches", "count", "With a pledge that was settled."),
    )
    return Sheet(file_name("pledges-say", table), "What a pledge says", columns, tuple(rows)) if rows else None


def entries(results: Results, table: LedgerTable, makers: Sequence[Player]) -> Sheet:
    """Every pledge of these makers, each with its match and plies."""
    rows = [_entry(results, one) for one in table.entries if one.player in makers]
    columns = (
        Column("place", "match and ply", help="Where it was made: the ply that was next when it was said."),
        Column("match", "match", "count", "Its number in the database."),
        Column("ply", "ply", "count"),
        Column("maker", "maker"),
        Column("kind", "pledge"),
        Column("addressee", "to"),
        Column("turns", "turns", "count", "How many turns it holds."),
        Column("condition", "if", help="What the addressee has to pledge or do."),
        Column("phase", "phase"),
        Column("verdict", "verdict"),
        Column("verdict_ply", "at ply", "count", "Of the act that decided it."),
        Column("why", "as"),
    )
    return sheet(file_name("pledges-all", table), "All pledges", columns, rows, always=5)


def _entry(results: Results, entry: Entry) -> Row:
    pledge = entry.pledge
    values = {
        "place": f"{entry.match_id}, ply {pledge.ply}",
        "match": entry.match_id,
        "ply": pledge.ply,
        "maker": entry.maker,
        "kind": pledge.kind,
        "addressee": entry.addressee,
        "turns": pledge.turns,
        "condition": pledge.condition,
        "phase": pledge.phase,
        "verdict": pledge.verdict,
        "verdict_ply": pledge.verdict_ply,
        "why": _WHY[pledge.why],
    }
    return Row(values, Behind(results.run.name, match=entry.match_id, ply=pledge.ply))
