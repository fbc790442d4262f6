"""`parley verify`: does every log come out again?"""

from __future__ import annotations

from typing import Any

import click

from harness.cli.find import matches_named, opened
from harness.cli.options import as_json, database
from harness.cli.output import emit, say, several


@click.command(short_help="Play every log again and compare every hash.")
@click.argument("name", metavar="RUN|MATCH")
@database
@as_json
def command(name: str, db: str | None, as_json: bool) -> None:
    """Play every match of RUN, or MATCH alone, again from its start position by its logged actions, and compare every
    event, every position's hash and the outcome. The first difference is told, and the exit status is then 1."""
    from harness.replay import verify

    turns_compared = 0
    with opened(db) as store:
        matches, run = matches_named(store, name)
        compared: list[dict[str, Any]] = []
        for match in matches:
            assert match.id is not None
            logged = store.turns(match.id)
            difference = verify(match, logged)
            turns_compared += len(logged)
            compared.append(
                {
                    "match": match.id,
                    "number": match.number,
                    "status": match.status,
                    "turns": len(logged),
                    "difference": None if difference is None else difference._asdict(),
                }
            )
            if difference is not None and not as_json:
                say((f"match {match.id} ({run} no. {match.number}): ", "bold"), difference.line())
                click.get_current_context().exit(1)
    faults = sum(entry["difference"] is not None for entry in compared)
    if as_json:
        emit({"run": run, "turns": turns_compared, "matches": compared, "differences": faults})
    else:
        empty = sum(entry["turns"] == 0 for entry in compared)
        rest = f" ({empty} not begun)" if empty else ""
        of_run = f"{run}: {several(len(compared), 'match', 'matches')}{rest}"
        of = f"match {compared[0]['match']} of {run}" if name.isdigit() else of_run
        turns = several(turns_compared, "turn", "turns")
        say(f"{of}, {turns} played again: every position, event and outcome equals the log's.")
    click.get_current_context().exit(1 if faults else 0)
