"""`parley void`: a match that is kept, and never counted."""

from __future__ import annotations

import click

from harness.cli.find import match_named, opened
from harness.cli.options import database
from harness.cli.output import one_line, say


@click.command(short_help="Keep a match, but never count it.")
@click.argument("number", metavar="MATCH")
@database
@click.option("--why", metavar="TEXT", help="The reason, which stands beside it.")
@click.option("--undo", is_flag=True, help="Count it again; an unfinished one can then be gone on with.")
def command(number: str, db: str | None, why: str | None, undo: bool) -> None:
    """Void MATCH: it stays in the database with its reason, is never counted, and is not gone on with. Of one that is
    being played, the decision under way is the last."""
    reason = one_line(why or "")
    if undo == bool(why is not None):
        raise click.UsageError("--why TEXT says why MATCH does not count (or --undo, by itself, counts it again)")
    if not undo and not reason:
        raise click.UsageError("--why: the text is empty; say why MATCH does not count")
    with opened(db, write=True, create=False) as store:
        match, run = match_named(store, number)
        assert match.id is not None
        if undo:
            if match.status != "void":
                raise click.UsageError(f"match {match.id} of {one_line(run)} is not void; it is {match.status}")
            store.set_match(match.id, "paused", "void no more").result()
            again = store.match(match.id)
            say(f"match {match.id} of {one_line(run)} is void no more: {again.status if again else 'gone'}.")
        else:
            store.set_match(match.id, "void", reason).result()
            named = f"match {match.id} of {one_line(run)}"
            if match.status == "void":
                say(f"{named} was void already: {one_line(match.why or 'no reason is kept')}; now: {reason}.")
            else:
                say(f"{named} is void: {reason}.")
