"""`parley leaderboard`: who wins how often, how sure that is, and what it took."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from harness.cli.find import listing, opened, run_named
from harness.cli.heads import head
from harness.cli.options import as_json, database
from harness.cli.output import Column, emit, say, several, table
from harness.cli.unconfirmed import by_label, unconfirmed, unconfirmed_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.leaderboard import Table

LAYOUT: dict[str, Column] = {
    "#": Column("#", number=True),
    "player": Column("player", flexible=True),
    "matches": Column("matches", number=True, spare=3),
    "win chance": Column("win chance", number=True),
    "drawn": Column("drawn", spare=2),
    "ranks": Column("ranks", number=True, spare=4),
    "won": Column("won", number=True, spare=5),
    "mean place": Column("mean place", number=True, spare=1),
    "illegal": Column("illegal", number=True, spare=6),
    "unreadable": Column("unreadable", number=True, spare=7),
    "fallback": Column("fallback", number=True, spare=7),
    "tokens in": Column("tokens in", number=True, spare=9),
    "cached": Column("cached", number=True, spare=11),
    "tokens out": Column("tokens out", number=True, spare=10),
    "reasoning": Column("reasoning", number=True, spare=13),
    "cost": Column("cost", number=True, spare=8),
    "latency": Column("latency", number=True, spare=12),
    "seat": Column("seat"),
    "effect": Column("effect", number=True, spare=1),
    "strength": Column("strength", number=True, spare=2),
    "by places": Column("by places", number=True),
    "by wins": Column("by wins", number=True),
    "p": Column("p", number=True, spare=1),
    "without": Column("without", flexible=True),
    "order of the others": Column("order of the others", flexible=True),
    "changes": Column("changes", flexible=True),
    "first": Column("first", flexible=True),
    "second": Column("second", flexible=True),
    "wins": Column("wins", number=True),
    "ahead": Column("ahead", number=True, spare=4),
    "wins of the two": Column("wins of the two", number=True, spare=1),
    "apart": Column("apart", spare=2),
    "needed": Column("needed", number=True, spare=3),
}
"""How each column stands, and the order in which a narrow terminal loses them."""
ALWAYS = ("#", "player", "matches", "win chance", "mean place")
"""Of the first table, the columns that are shown whatever they hold."""


@click.command(short_help="Rank the players: chances to win with their intervals.")
@click.argument("names", metavar="[RUN]...", nargs=-1)
@click.option(
    "--view",
    type=click.Choice(["bots", "models", "leave-one-out"]),
    default="bots",
    help="bots: all players. models: as if the bots had not been there. leave-one-out: each player struck out in turn.",
)
@click.option(
    "--by", type=click.Choice(["wins", "places"]), default="wins", help="Rate by wins alone, or by all places."
)
@click.option(
    "--head-to-head", "pairs", is_flag=True, help="Each pair: who is ahead, how sure, and matches still needed."
)
@click.option("--seats", is_flag=True, help="What each seat is worth.")
@click.option("--pool", is_flag=True, help="Put all runs of a game into one table, marked with what differs in them.")
@database
@as_json
def command(
    names: tuple[str, ...],
    view: str,
    by: str,
    pairs: bool,
    seats: bool,
    pool: bool,
    db: str | None,
    as_json: bool,
) -> None:
    """Rank the players of each RUN, or of every run: chances to win against an average table with 95 % intervals, mean
    places, illegal and unreadable answers per decision, the share of decisions that fell back, tokens, cost. Runs and
    games are never pooled unless --pool is given.

    An answer is unreadable where no action was found in it: it was truncated, empty, a refusal, cut by a content filter
    or no answer of the form asked for. Answers in talk rounds are not among them, as those are no decisions.

    A chance to win is apart from luck with seats and opponents. Intervals come from 20 packs of matches on. Forks began
    at no fair start: their runs are told by name alone, and marked.

    Where seats were fixed, or matches that began are missing (over 5 %, or unevenly so), players cannot be compared,
    and it says so."""
    from harness.leaderboard import leaderboard, seats_of
    from harness.ratings.settings import settings

    if sum((view != "bots", by != "wins", pairs, seats)) > 1:
        raise click.UsageError(
            "--view, --by places, --head-to-head and --seats each show another table: give one of them"
        )
    with opened(db) as store:
        forks = store.forks()
        runs = [run_named(store, name) for name in dict.fromkeys(names)]
        apart = [] if names else [run for run in store.runs() if run.id in forks]
        if not names:
            runs = [run for run in store.runs() if run.id not in forks]
        stats = store.seat_stats([run.id for run in runs if run.id is not None])
        costly = {one.run for one in stats if one.cost}
        parts = unconfirmed(store, [run.id for run in runs if run.id is not None and run.name in costly])
        where = store.where
    played_with = {key: values for run in runs for key, values in settings(run.name, run.spec).items()} if pool else {}
    board = leaderboard(stats, pool=pool, settings=played_with, runs=runs)
    open_costs = [
        by_label(parts, [one.match_id for one in seats_of(of, stats, runs)]) if parts else {} for of in board.tables
    ]
    if as_json:
        plain = board.to_json()
        for one, costs in zip(plain["tables"], open_costs, strict=True):
            one["unconfirmed"] = costs
        emit(plain)
        return
    if not board.tables and not apart:
        say(f"No matches in {where} yet; `parley run FILE` plays some.")
    for place, one in enumerate(board.tables):
        if place:
            click.echo()
        what = "pairs" if pairs else "seats" if seats else by if view == "bots" else view
        _print(one, what, board.tables)
        if what == "wins" and open_costs[place]:
            say(unconfirmed_line(open_costs[place]))
    if apart:
        say(
            (f"Left out: {several(len(apart), 'run', 'runs')} of forks. Name one to see it: ", "dim"),
            listing([run.name for run in apart]),
        )


def _print(one: Table, what: str, tables: Sequence[Table] = ()) -> None:
    from harness import rating_text as text
    from harness.board_text import not_counted_lines

    head(one, () if one.pooled else tables, f", {one.packs_incomplete} incomplete" if one.packs_incomplete else "")
    for told in text.pooled_lines(one):
        say(told)
    if one.self_play:
        say(text.SELF_PLAY)
    stopping = text.stopping_line(one)
    if stopping is not None:
        say(stopping)
    if one.forks:
        say("From forks: each match began where its parent stood, so that these figures rate nobody.")
    if what == "wins":
        _print_players(one)
        for told in not_counted_lines(one):
            say(told)
        return
    if one.not_comparable:
        say(f"Not comparable: {one.not_comparable}.")
    if one.matches["counted"]:
        _print_more(one, what)


def _print_players(one: Table) -> None:
    from harness.board_text import COLUMNS, all_rows, scale

    rows = all_rows(one)
    # Columns in which nobody has anything say nothing: a run of bots alone has no tokens.
    empty = ("0", "–", "")
    told = [i for i, name in enumerate(COLUMNS) if name in ALWAYS or any(row[i] not in empty for row in rows)]
    columns = [_column(COLUMNS[i], scale(one)) for i in told]
    table(columns, [[row[i] for i in told] for row in rows])


def _print_more(one: Table, what: str) -> None:
    from harness import rating_text as text

    found = one.ratings
    if what == "seats":
        table([_column(name) for name in text.SEATS], text.seat_rows(found.main))
        say("Effects are log odds apart from who sat there; 0 is no effect.")
    elif one.self_play:
        return
    elif what == "pairs":
        table([_column(name) for name in text.PAIRS], text.pair_rows(found.main))
        if one.shared:
            say(text.shared_line(one))
        say(
            "ahead: share of their matches in which the first was placed better. wins of the two: how often the first "
            "wins if one of them does. p and apart: corrected for all pairs (Holm). needed: matches still to be played "
            "to tell them apart with a chance of 80 %, if they differ as they seem to."
        )
        if one.stopping is not None:
            say(
                f"{one.stopping.first} and {one.stopping.second} are judged by the looks of the run, which has no p; "
                "the interval holds though it was looked several times."
            )
    elif what == "places":
        rows = text.place_rows(found)
        if rows:
            table([_column(name) for name in text.PLACES], rows)
        say(text.fit_line(found))
    elif what == "models" and found.models is None:
        say("No view of models alone: it takes at least two models, and bots that can be left out.")
    elif what == "models" and found.models is not None:
        table([_column(name) for name in text.VIEW], text.view_rows(found.models.assessed))
        say("As if the others had not sat there: the best placed of the models counts as the winner.")
    elif not found.leave_one_out:
        say("Nobody to leave out: it takes three to twelve players at tables of three or more.")
    else:
        table([_column(name) for name in text.LEFT_OUT], text.left_out_rows(found))
        say("Each player is struck out of all matches; the best placed of the others counts as the winner.")


def _column(name: str, top: float | None = None) -> Column:
    """A column; that of drawn intervals says from where to where it goes, where this is known."""
    column = LAYOUT[name]
    return column._replace(title=f"0 to {100 * top:.0f} %") if name == "drawn" and top else column
