"""`parley backup`: a copy of the database, also while it is in use."""

from __future__ import annotations

from pathlib import Path

import click

from harness.cli.find import opened
from harness.cli.options import database
from harness.cli.output import count, one_line, say


@click.command(short_help="Copy the database, also while runs are being played.")
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@database
@click.option("--force", is_flag=True, help="Replace FILE if it is there already.")
def command(file: Path, db: str | None, force: bool) -> None:
    """Copy the whole database to FILE. It may be in use: the copy is one state of it, and opens like any other
    (`--db FILE`). A PostgreSQL database is copied by pg_dump instead."""
    with opened(db) as store:
        size = store.back_up(file, force=force)
        say(f"{store.where} is copied to {one_line(str(file))}: {count(size)} bytes.")
