"""`parley import`: runs from the tables that an export wrote."""

from __future__ import annotations

from pathlib import Path

import click

from harness.cli.find import opened
from harness.cli.options import database, database_option
from harness.cli.output import one_line, say, several


@click.command(short_help="Take runs in from tables that `parley export --jsonl` wrote.")
@click.argument("folder", metavar="DIR")
@click.option("--as", "name", metavar="NAME", help="The name of the run here, where DIR holds one run.")
@database
def command(folder: str, name: str | None, db: str | None) -> None:
    """Take the runs in DIR into the database, as they were: logs, calls with their prompts, costs, forks. DIR is what
    `parley export RUN... --jsonl DIR` wrote. All of it is taken in, or after any fault nothing.

    What is numbered gets this database's numbers. Whoever else writes to the database waits meanwhile.
    """
    from harness.data.importing import check_folder, import_runs

    # Before a database is made for nothing.
    check_folder(Path(folder))
    with opened(db, write=True) as store, store.intake() as intake:
        found = import_runs(Path(folder), intake, name=name)
        where = store.where
    names = ", ".join(one_line(run) for run in found.runs)
    told = ", ".join(
        several(found.rows[table], one, table)
        for table, one in (("matches", "match"), ("turns", "turn"), ("calls", "call"), ("messages", "message"))
    )
    say((names, "bold"), f": {told}, now in {where}.")
    run = names if len(found.runs) == 1 else "RUN"
    say(f"Play every log again to be sure: parley verify {run}{database_option(db)}")
