"""`parley resume`: play what is left of a run, from what the database has of it."""

from __future__ import annotations

import shlex

import click

from harness.cli.find import opened, run_named
from harness.cli.options import Amount, database, database_option, grace_option
from harness.cli.output import one_line
from harness.cli.run import WHOLE, played


@click.command(short_help="Play what is left of a run; needs no file.")
@click.argument("name", metavar="RUN")
@database
@click.option("--parallel", type=WHOLE, metavar="N", help="Matches at once from now on.")
@click.option("--usd", type=Amount(above=True), metavar="AMOUNT", help="The run's budget in USD.")
@click.option("--tokens", type=WHOLE, metavar="N", help="The run's budget in tokens.")
@grace_option
@click.pass_context
def command(
    ctx: click.Context,
    name: str,
    db: str | None,
    parallel: int | None,
    usd: float | None,
    tokens: int | None,
    grace: float,
) -> None:
    """Play what is left of RUN, by the tournament that the database has of it. Finished matches stay as they are,
    unfinished ones go on from their last turn, and answers that were paid for are used.

    --usd and --tokens set the whole run's budget anew, what is spent already included.
    """
    from harness.spec import stored

    with opened(db, write=True, create=False) as store:
        record = run_named(store, name)
        spec = stored(record.spec, record.name, parallel=parallel, usd=usd, tokens=tokens)
        again = ["resume", shlex.quote(one_line(record.name))]
        ctx.exit(played(store, spec, record.source, again=" ".join(again), suffix=database_option(db), grace=grace))
