"""`parley rm`: take a run away."""

from __future__ import annotations

import sys

import click

from harness.cli.find import opened, run_named
from harness.cli.options import database
from harness.cli.output import count, one_line, plain, say, several


@click.command(short_help="Take a run away, with all that belongs to it.")
@click.argument("name", metavar="RUN")
@database
@click.option("--yes", is_flag=True, help="Ask nothing. Needed where there is no terminal to ask at.")
def command(name: str, db: str | None, yes: bool) -> None:
    """Take RUN away for good: its matches, turns, messages, calls, and the texts that no other run uses. A run that is
    being played is refused. `parley backup FILE` keeps a copy first."""
    with opened(db, write=True, create=False) as store:
        record = run_named(store, name)
        assert record.id is not None
        shown = one_line(record.name)
        matches = sum(store.progress(record.id).values())
        if not yes:
            if not sys.stdin.isatty():
                raise click.UsageError(
                    f"{shown} has {several(matches, 'match', 'matches')}; --yes takes it away without asking"
                )
            calls = several(store.spend(record.id).calls, "call", "calls")
            asked = f"Take away {shown} with {several(matches, 'match', 'matches')} and {calls} for good?"
            click.confirm(plain(asked), abort=True)
        removed = store.remove_run(record.id)
    say(
        f"{shown}: taken away, {several(removed['matches'], 'match', 'matches')}, "
        f"{several(removed['calls'], 'call', 'calls')}, {count(removed['texts'])} texts that nothing else used."
    )
