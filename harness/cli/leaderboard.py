"""`parley leaderboard`: who wins how often, and what it took."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from harness.cli.find import listing, opened, run_named
from harness.cli.options import as_json, database
from harness.cli.output import Column, emit, say, several, table

if TYPE_CHECKING:
    from harness.leaderboard import Table

LAYOUT: dict[str, Column] = {
    "#": Column("#", number=True),
    "player": Column("player", flexible=True),
    "matches": Column("matches", number=True, spare=2),
    "win rate": Column("win rate", number=True),
    "mean place": Column("mean place", number=True, spare=1),
    "illegal": Column("illegal", number=True, spare=3),
    "unreadable": Column("unreadable", number=True, spare=4),
    "fallback": Column("fallback", number=True, spare=4),
    "tokens in": Column("tokens in", number=True, spare=6),
    "cached": Column("cached", number=True, spare=8),
    "tokens out": Column("tokens out", number=True, spare=7),
    "reasoning": Column("reasoning", number=True, spare=10),
    "cost": Column("cost", number=True, spare=5),
    "latency": Column("latency", number=True, spare=9),
}
"""How each column stands, and the order in which a narrow terminal loses them."""


@click.command(short_help="Rank the players: win rates and places with their intervals.")
@click.argument("names", metavar="[RUN]...", nargs=-1)
@database
@as_json
def command(names: tuple[str, ...], db: str | None, as_json: bool) -> None:
    """Rank the players of each RUN, or of every run: win rates and mean places with 95 % intervals, shares of illegal
    and unreadable answers and of fallbacks, tokens, cost. Runs and games are never pooled.

    Forks began at no fair start: their runs are told by name alone, and marked.

    Where matches that began are missing, it says how many, of whom and why; over 5 %, or unevenly so, the players
    cannot be compared, and two more rows say what the missing matches could make of each at best and at worst."""
    from harness.leaderboard import leaderboard

    with opened(db) as store:
        forks = store.forks()
        runs = [run_named(store, name) for name in dict.fromkeys(names)]
        apart = [] if names else [run for run in store.runs() if run.id in forks]
        if not names:
            runs = [run for run in store.runs() if run.id not in forks]
        board = leaderboard(store.seat_stats([run.id for run in runs if run.id is not None]))
        where = store.where
    if as_json:
        emit(board.to_json())
        return
    if not board.tables and not apart:
        say(f"No matches in {where} yet; `parley run FILE` plays some.")
    for place, one in enumerate(board.tables):
        if place:
            click.echo()
        _print(one)
    if apart:
        say(
            (f"Left out: {several(len(apart), 'run', 'runs')} of forks. Name one to see it: ", "dim"),
            listing([run.name for run in apart]),
        )


def _print(one: Table) -> None:
    from harness.board_text import COLUMNS, all_rows, not_counted_lines

    say(
        (one.run, "bold"),
        f" · {one.game}, {one.seats} seats{' · from forks' if one.forks else ''}",
        f" · {several(one.matches['counted'], 'match', 'matches')} counted "
        f"in {several(one.packs, 'pack', 'packs')}"
        + (f", {one.packs_incomplete} incomplete" if one.packs_incomplete else ""),
    )
    rows = all_rows(one)
    # Columns in which nobody has anything say nothing: a run of bots alone has no tokens.
    empty = ("0", "–", "")
    told = [i for i, name in enumerate(COLUMNS) if LAYOUT[name].spare < 5 or any(row[i] not in empty for row in rows)]
    table([LAYOUT[COLUMNS[i]] for i in told], [[row[i] for i in told] for row in rows])
    if one.forks:
        say("From forks: each match began where its parent stood, so that these figures rate nobody.")
    for text in not_counted_lines(one):
        say(text)
