"""`parley export`: a match as one file that opens in any browser; runs as tables, or as chats for training."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence

import click

from harness.cli.files import must_be_named, stoppable, write
from harness.cli.files import target as writable
from harness.cli.find import listing, match_named, opened
from harness.cli.options import Whole, database
from harness.cli.output import count, one_line, say
from harness.cli.replay import readable

STDOUT = "-"
TABLES = ("runs", "matches", "seats", "outcomes", "turns", "calls", "messages", "pledges", "answers")
_ONLY: dict[str, tuple[str, ...]] = {
    "output": ("html",),
    "public": ("html", "tables"),
    "tables": ("tables",),
    **dict.fromkeys(("per", "games", "labels", "winners", "place", "rejected", "reasoning"), ("chat",)),
}
"""What each option goes with, by the name of its parameter."""
_KINDS = {"html": "--html", "tables": "--jsonl or --parquet", "chat": "--chat"}


@click.command(short_help="Write a match as a page, or runs as tables or chats.")
@click.argument("names", metavar="RUN|MATCH...", nargs=-1, required=True)
@click.option("--html", is_flag=True, help="MATCH as a page with the replay player in it.")
@click.option("--jsonl", metavar="DIR", help="Each RUN as JSON lines, a file for each table.")
@click.option("--parquet", metavar="DIR", help="The same as Parquet. Both may be given.")
@click.option("--chat", metavar="FILE", help="What the models of each RUN were asked and answered, as JSON lines.")
@click.option(
    "-o", "--output", metavar="FILE", help="The page's file; - is standard output.  [default: match-MATCH.html]"
)
@click.option("--public", is_flag=True, help="Leave out what is private: prompts, replies, thoughts, notes.")
@click.option("--table", "tables", multiple=True, type=click.Choice(TABLES), metavar="NAME", help="This table alone.")
@click.option("--per", type=click.Choice(["decision", "match"]), help="What a chat is.  [default: decision]")
@click.option("--game", "games", multiple=True, metavar="NAME", help="Chats of this game alone.")
@click.option("--label", "labels", multiple=True, metavar="LABEL", help="Chats of this player alone.")
@click.option("--winners-only", "winners", is_flag=True, help="Chats of seats that won, or shared a first place.")
@click.option(
    "--min-place", "place", type=Whole(min=1), metavar="N", help="Chats of seats at this place or a better one."
)
@click.option("--rejected", is_flag=True, help="With answers that could not be used.")
@click.option("--reasoning", is_flag=True, help="With the models' reasoning, as reasoning_content.")
@click.option("--force", is_flag=True, help="Replace files that are there already.")
@database
@click.pass_context
def command(
    ctx: click.Context,
    names: tuple[str, ...],
    html: bool,
    jsonl: str | None,
    parquet: str | None,
    chat: str | None,
    output: str | None,
    public: bool,
    tables: tuple[str, ...],
    per: str | None,
    games: tuple[str, ...],
    labels: tuple[str, ...],
    winners: bool,
    place: int | None,
    rejected: bool,
    reasoning: bool,
    force: bool,
    db: str | None,
) -> None:
    """Write what the database holds as files for others.

    \b
      parley export 12 --html               a match as a page, match-12.html
      parley export table --jsonl data      a run as tables (docs/data.md)
      parley export table --parquet data    the same for pandas, polars, duckdb
      parley export table --chat sft.jsonl  chats to train a model on

    A page plays its match again in any browser, without a network. Tables are turns, calls, messages, pledges,
    outcomes, ...

    With --public, prompts, replies, reasoning, thoughts and notes are left out, and what providers said. In tables the
    texts of private messages, seeds and matches that are not over are left out too.
    """
    kinds = {"html": html, "tables": jsonl is not None or parquet is not None, "chat": chat is not None}
    chosen = [kind for kind, wanted in kinds.items() if wanted]
    if not chosen:
        raise click.UsageError("say what to write: --html, --jsonl DIR, --parquet DIR or --chat FILE")
    if len(chosen) > 1:
        raise click.UsageError(f"{' and '.join(_KINDS[kind] for kind in chosen)} are written one at a time")
    _must_fit(ctx, chosen[0])
    if html:
        if len(names) > 1:
            raise click.UsageError(f"--html: {_not_one(names)}")
        _write_page(names[0], output, public=public, force=force, db=db)
        return
    from harness.cli import export_data

    for option, name, what in (
        ("--jsonl", jsonl, "folder"),
        ("--parquet", parquet, "folder"),
        ("--chat", chat, "file"),
    ):
        must_be_named(option, name, what)
    if chat is not None:
        if winners and place is not None:
            raise click.UsageError("--winners-only is --min-place 1; give one of them")
        export_data.write_chats(
            names,
            chat,
            per=per or "decision",
            games=games,
            labels=labels,
            place=1 if winners else place,
            rejected=rejected,
            reasoning=reasoning,
            force=force,
            db=db,
        )
        return
    folders = {kind: folder for kind, folder in (("jsonl", jsonl), ("parquet", parquet)) if folder is not None}
    export_data.write_runs(names, folders, tables or TABLES, public=public, force=force, db=db)


def _not_one(names: Sequence[str]) -> str:
    """Why several names make no page. A file is named behind the other kinds of export: so it may be behind this."""
    matches = [name for name in names if name.isdigit()]
    others = [name for name in names if not name.isdigit()]
    if len(matches) == len(others) == 1:
        right = f"{matches[0]} --html -o {shlex.quote(one_line(others[0]))}"
        return f"{one_line(others[0])!r} is no match; the name of the page's file goes behind -o: {right}"
    return f"a page is of one match; give one MATCH, not {listing(names)}"


def _must_fit(ctx: click.Context, kind: str) -> None:
    """Refuse options that mean nothing for this kind of file."""
    for parameter in ctx.command.params:
        name = parameter.name or ""
        given = ctx.params.get(name) not in (None, False, ())
        if given and name in _ONLY and kind not in _ONLY[name]:
            goes_with = " or ".join(_KINDS[one] for one in _ONLY[name])
            raise click.UsageError(f"{parameter.opts[-1]} goes with {goes_with}, not with {_KINDS[kind]}")


def _write_page(match: str, output: str | None, *, public: bool, force: bool, db: str | None) -> None:
    from harness.export import page
    from harness.records import OVER
    from harness.replay import build

    with stoppable(), opened(db) as store, readable(match):
        found, run = match_named(store, match)
        assert found.id is not None
        if found.start is None:
            raise click.UsageError(f"match {found.id} has not begun ({found.status}): there is nothing to play again")
        if public and found.status not in OVER:
            raise click.UsageError(
                f"--public: match {found.id} is {found.status}; a file for everybody would tell its players what is "
                "still hidden from them. Write it when the match is over, or without --public for yourself"
            )
        target = (
            None if output == STDOUT else writable(f"match-{found.id}.html" if output is None else output, force=force)
        )
        calls = store.calls(found.id, prompts=not public)
        replay = build(found, store.turns(found.id), store.messages(found.id), calls, run=run)
    with stoppable():
        text = page(replay, everybody=public)
    if target is None:
        # As bytes: the page is UTF-8 whatever this terminal's encoding is.
        sys.stdout.buffer.write(text.encode())
        sys.stdout.buffer.flush()
        return
    with stoppable():
        write(target, text, force=force)
    where, size = one_line(str(target)), count(len(text.encode()))
    say(f"Match {found.id} of {one_line(run)} is in {where}: {size} bytes. Any browser opens it.")
