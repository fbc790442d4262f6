"""`parley export`: a match as one file that opens in any browser, without a network."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from pathlib import Path

import click

from harness.cli.find import match_named, opened
from harness.cli.options import database
from harness.cli.output import count, one_line, say
from harness.cli.replay import readable

STDOUT = "-"
OVER = ("finished", "void")


@click.command(short_help="Write a match as one HTML file that plays it again, offline.")
@click.argument("match", metavar="MATCH")
@click.option("--html", is_flag=True, help="As a page with the replay player in it. The only kind of file there is.")
@click.option("-o", "--output", metavar="FILE", help="Where to; - is standard output.  [default: match-MATCH.html]")
@click.option("--public", is_flag=True, help="Leave out prompts, replies, reasoning, thoughts and notes.")
@click.option("--force", is_flag=True, help="Replace FILE if it is there already.")
@database
def command(match: str, html: bool, output: str | None, public: bool, force: bool, db: str | None) -> None:
    """Write MATCH as one HTML file: the replay player, its board, all that happened. It opens from a mail or a disk,
    without a network, and asks nothing of any machine.

    With --public it holds no prompt, reply, reasoning, thought or note, and no provider's sentence. Private messages
    are in it: they are shown after the game, and only a match that is over has a public file.
    """
    if not html:
        raise click.UsageError("say what to write: --html is the only kind of file there is")
    from harness.export import page
    from harness.replay import build

    with opened(db) as store, readable(match):
        found, run = match_named(store, match)
        assert found.id is not None
        if found.start is None:
            raise click.UsageError(f"match {found.id} has not begun ({found.status}): there is nothing to play again")
        if public and found.status not in OVER:
            raise click.UsageError(
                f"--public: match {found.id} is {found.status}; a file for everybody would tell its players what is "
                "still hidden from them. Write it when the match is over, or without --public for yourself"
            )
        target = None if output == STDOUT else _target(output or f"match-{found.id}.html", force=force)
        calls = store.calls(found.id, prompts=not public)
        replay = build(found, store.turns(found.id), store.messages(found.id), calls, run=run)
    text = page(replay, everybody=public)
    if target is None:
        # As bytes: the page is UTF-8 whatever this terminal's encoding is.
        sys.stdout.buffer.write(text.encode())
        sys.stdout.buffer.flush()
        return
    _write(target, text, force=force)
    where, size = one_line(str(target)), count(len(text.encode()))
    say(f"Match {found.id} of {one_line(run)} is in {where}: {size} bytes. Any browser opens it.")


def _target(name: str, *, force: bool) -> Path:
    """The file to write. Fails before any work where it cannot be."""
    path = Path(name)
    if path.is_dir():
        raise click.UsageError(f"-o: {one_line(name)} is a folder, a file is wanted")
    if path.exists() and not force:
        raise click.UsageError(f"-o: {one_line(name)} is there already; --force replaces it, -o FILE names another")
    if not path.parent.is_dir():
        raise click.UsageError(f"-o: there is no folder {one_line(str(path.parent))} to write {one_line(path.name)} in")
    return path


def _write(path: Path, text: str, *, force: bool) -> None:
    """Write the whole file, or none: what was there stays until the new one is complete."""
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:40]}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
            mask = os.umask(0)
            os.umask(mask)
            Path(name).chmod(0o666 & ~mask)
            if force:
                Path(name).replace(path)
            else:
                path.hardlink_to(name)
        finally:
            with contextlib.suppress(FileNotFoundError):
                Path(name).unlink()
    except FileExistsError:
        raise click.UsageError(f"-o: {one_line(str(path))} is there already; --force replaces it") from None
    except OSError as error:
        raise click.UsageError(f"-o: {one_line(str(path))} cannot be written: {error.strerror}") from None
