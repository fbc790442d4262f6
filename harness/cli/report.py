"""`parley report`: a run with all its figures as one file that opens in any browser, without a network."""

from __future__ import annotations

import sys

import click

from harness.cli.files import target, write
from harness.cli.find import opened, run_named
from harness.cli.options import database
from harness.cli.output import count, one_line, say

STDOUT = "-"


@click.command(short_help="Write a run's figures and charts as one HTML file.")
@click.argument("run", metavar="RUN")
@click.option("-o", "--output", metavar="FILE", help="Where to; - is standard output.  [default: report-RUN.html]")
@click.option("--force", is_flag=True, help="Replace FILE if it is there already.")
@database
def command(run: str, output: str | None, force: bool, db: str | None) -> None:
    """Write RUN as one HTML file with what the dashboard's pages of comparison show: leaderboard, head to head,
    players, cost, behaviour, alliances, seats, failures, and every match. Its tables can be taken out as CSV. It has
    no script, opens from a mail or a disk without a network, and asks nothing of any machine.

    It holds no prompt, thought or message; labels, and how matches ended, are in it."""
    from harness.reporting import report
    from harness.reporting.parts import PARTS
    from harness.views.results import Results

    with opened(db) as store:
        record = run_named(store, run)
        assert record.id is not None
        default = f"report-{_file(record.name)}.html"
        where = None if output == STDOUT else target(default if output is None else output, force=force)
        text = report(Results(store, record), store.matches(record.id), PARTS)
    # A label, a reason or a file may hold what is no valid Unicode.
    text = text.encode("utf-8", "backslashreplace").decode()
    if where is None:
        sys.stdout.buffer.write(text.encode())
        sys.stdout.buffer.flush()
        return
    write(where, text, force=force)
    size = count(len(text.encode()))
    say(f"The report on {one_line(record.name)} is in {one_line(str(where))}: {size} bytes. Any browser opens it.")


def _file(name: str) -> str:
    """A run's name as a file may have it anywhere."""
    return "".join(one if one.isalnum() or one in "-_." else "-" for one in name).strip("-.")[:80] or "run"
