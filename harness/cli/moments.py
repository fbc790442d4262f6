"""`parley find`: search what was said, done and happened in a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from harness.cli.find import opened, run_named
from harness.cli.options import as_json, database, database_option, program
from harness.cli.output import emit, one_line, say, several
from harness.cli.run import WHOLE

if TYPE_CHECKING:
    from harness.find import Hit
    from harness.records import Source

SHOWN = 160
"""Characters of a hit's text that are shown at most."""


@click.command(short_help="Find what was said, done or happened in a run.")
@click.argument("name", metavar="RUN")
@click.argument("words", metavar="[WORDS]...", nargs=-1)
@click.option("--by", metavar="SEAT|LABEL", help="Whatever a seat or a player said, did, promised or answered.")
@click.option("--said-by", metavar="SEAT|LABEL", help="Messages from a seat or a player.")
@click.option("--to", metavar="SEAT|LABEL|all", help="Messages, or pledges, to a seat, a player or all.")
@click.option("--kind", metavar="KIND", help="Events and pledges of that kind, as capture or donate.")
@click.option("--action", metavar="TEXT", help="Actions with that text in them.")
@click.option("--source", metavar="SOURCE", help="Actions of that source: player, forced, fallback or human.")
@click.option("--illegal", is_flag=True, help="Illegal answers.")
@click.option("--verdict", metavar="VERDICT", help="Pledges that were kept, broken, untested or void.")
@click.option("--what", metavar="WHAT", help="Only each message, pledge, action, event or illegal (answer).")
@click.option("--limit", type=WHOLE, default=50, metavar="N", help="At most so many hits.  [default: 50]")
@database
@as_json
def command(
    name: str,
    words: tuple[str, ...],
    by: str | None,
    said_by: str | None,
    to: str | None,
    kind: str | None,
    action: str | None,
    source: Source | None,
    illegal: bool,
    verdict: str | None,
    what: str | None,
    limit: int,
    db: str | None,
    as_json: bool,
) -> None:
    """Find moments of RUN in the order of play: messages, actions, events, pledges and illegal answers that hold every
    one of WORDS, in any case. Options narrow the search down, and need no words. Each hit names the match and the ply
    at which a replay shows it."""
    from harness.find import Query, find

    wanted = tuple(part for word in words for part in word.split())
    if not (words or illegal or any(one is not None for one in (by, said_by, to, kind, action, source, verdict, what))):
        names = (one.opts[0] for one in command.params if isinstance(one, click.Option))
        narrowing = [name for name in names if name not in ("--limit", "--db", "--json", "--help")]
        raise click.UsageError(f"words: there are none; give some, or one of {', '.join(narrowing)}")
    with opened(db) as store:
        run = run_named(store, name)
        query = Query(wanted, said_by, to, kind, action, source, illegal, verdict, by, what, limit + 1)
        hits = find(store, run, query)
        kinds = store.kinds(run.id or 0) if kind is not None and not hits else []
    if as_json:
        emit([hit._asdict() for hit in hits[:limit]])
        return
    for hit in hits[:limit]:
        _print(hit)
    if not hits:
        there = f" There are: {', '.join(map(one_line, kinds))}." if kinds and kind not in kinds else ""
        say(f"Nothing of that in {one_line(run.name)}.{there}")
    elif len(hits) > limit:
        say((f"The first {several(limit, 'hit', 'hits')}; --limit N shows more.", "dim"))
    else:
        say((f"{several(len(hits), 'hit', 'hits')}. Look at one: {program()} replay MATCH{database_option(db)}", "dim"))


def _print(hit: Hit) -> None:
    """One hit on one line: nothing that a player wrote can pass for another."""
    text = one_line(hit.text)
    text = text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"
    who = f"{one_line(hit.seat)} ({one_line(hit.label)})" if hit.label else one_line(hit.seat)
    to = f" to {one_line(hit.to)}" if hit.to is not None and hit.what == "message" else ""
    what = hit.what if hit.kind is None or hit.what == "pledge" else one_line(hit.kind)
    what = what if hit.verdict is None else f"{what} {hit.verdict}"
    how = f"  [{hit.source}]" if hit.source in ("forced", "fallback") else ""
    say((f"match {hit.match} ply {hit.ply}", "bold"), f" {who}{to}: ", (f"{what}: ", "cyan"), text, (how, "yellow"))
