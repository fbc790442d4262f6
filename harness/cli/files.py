"""Files that a command writes: whole or not at all, and never over another unless that is asked for."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import click

from harness.cli.output import complain, one_line
from harness.naming import give_name


def must_be_named(option: str, name: str | None, what: str) -> None:
    """Raise `click.UsageError` where an option is given an empty name, or the one that elsewhere is standard output."""
    if name is not None and (not name.strip() or name == "-"):
        raise click.UsageError(f"{option}: {name!r} names no {what}; give the name of one")


def target(name: str, *, force: bool) -> Path:
    """The file that `-o` names. Raises `click.UsageError`, before any work, where it cannot be written."""
    must_be_named("-o", name, "file")
    path = Path(name)
    try:
        path.stat()
    except FileNotFoundError:
        pass
    except (OSError, ValueError) as error:
        # Most questions about a path answer such a name with "no".
        why = error.strerror if isinstance(error, OSError) else error
        raise click.UsageError(f"-o: {one_line(name[:80])} cannot be written: {why}") from None
    if path.is_dir():
        raise click.UsageError(f"-o: {one_line(name)} is a folder, a file is wanted")
    if path.exists() and not force:
        raise click.UsageError(f"-o: {one_line(name)} is there already; --force replaces it, -o FILE names another")
    if not path.parent.is_dir():
        raise click.UsageError(f"-o: there is no folder {one_line(str(path.parent))} to write {one_line(path.name)} in")
    return path


@contextlib.contextmanager
def stoppable() -> Iterator[None]:
    """While files are made that come whole or not at all: Ctrl-C ends the command and says that there are none."""
    try:
        yield
    except KeyboardInterrupt:
        complain("Stopped; nothing was written.")
        raise click.exceptions.Exit(130) from None


def write(path: Path, text: str, *, force: bool) -> None:
    """Write the whole file, or none: what was there stays until the new one is complete."""
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:40]}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
            give_name(Path(name), path, force=force)
        finally:
            with contextlib.suppress(FileNotFoundError):
                Path(name).unlink()
    except FileExistsError:
        raise click.UsageError(f"-o: {one_line(str(path))} is there already; --force replaces it") from None
    except OSError as error:
        raise click.UsageError(f"-o: {one_line(str(path))} cannot be written: {error.strerror}") from None
