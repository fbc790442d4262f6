"""`parley pause`: ask whoever plays a run to stop."""

from __future__ import annotations

import shlex
import time

import click

from harness.cli.find import opened, run_named
from harness.cli.options import Amount, database, database_option, program
from harness.cli.output import complain, one_line, plain

LOOK_SECONDS = 0.25


@click.command(short_help="Ask whoever plays a run to stop.")
@click.argument("name", metavar="RUN")
@database
@click.option(
    "--wait",
    type=Amount(),
    default=60.0,
    metavar="SECONDS",
    help="How long to wait for it to have stopped.  [default: 60]",
)
def command(name: str, db: str | None, wait: float) -> None:
    """Ask the process that plays RUN, wherever it runs, to ask nothing more, to let the answers under way come in, and
    to end. Waits until it has. Exit status 1 where it plays on after that time."""
    from harness.records import OVER
    from harness.store import owner_shown

    with opened(db, write=True, create=False) as store:
        record = run_named(store, name)
        assert record.id is not None
        shown = one_line(record.name)
        goes_on = f"{program()} resume {shlex.quote(shown)}{database_option(db)}"
        holder = store.holders().get(record.id)
        if holder is None:
            left = sum(n for status, n in store.progress(record.id).items() if status not in OVER)
            rest = f"; to go on: {goes_on}" if left else ""
            click.echo(plain(f"{shown}: nobody plays it{rest}"))
            return
        store.ask_pause(record.id).result()
        ends = time.monotonic() + wait
        while (held := store.holders().get(record.id)) is not None and time.monotonic() < ends:
            time.sleep(LOOK_SECONDS)
        if held is not None:
            complain(f"{shown}: {owner_shown(held)} was asked to stop and still waits for answers")
            click.get_current_context().exit(1)
        click.echo(plain(f"{shown}: paused. Everything played so far is kept; to go on: {goes_on}"))
