"""From what was typed to a database, a run, a match."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

import click

from harness.cli.output import one_line

if TYPE_CHECKING:
    from harness.records import MatchRecord, RunRecord
    from harness.spec import Tournament
    from harness.store import Store

LISTED = 12
"""Names offered at most where one was not found."""


class NotFound(click.UsageError):
    """No such run or match; one line with what there is."""

    def __init__(self, message: str) -> None:
        super().__init__(message, click.get_current_context(silent=True))


def opened(db: str | None, *, write: bool = False, create: bool = True) -> AbstractContextManager[Store]:
    """The database, opened for as long as the context lasts; made only where it will be written, and with `create`."""
    from harness.store import Store

    return Store.open(db, create=create) if write else Store.open_readonly(db)


def run_named(store: Store, name: str) -> RunRecord:
    """The run of that name."""
    if name.isdigit():
        raise NotFound(f"{name} is the number of a match, and the name of a run is wanted; {_what_runs(store)}")
    found = store.run(name)
    if found is None:
        raise NotFound(f"no run named {one_line(name)!r} in {store.where}; {_what_runs(store)}")
    return found


def match_named(store: Store, number: str) -> tuple[MatchRecord, str]:
    """The match of that number, and the name of its run."""
    found = store.match(int(number)) if _is_number(number) else None
    if found is None and not number.isdigit() and store.run(number) is not None:
        listed = f"parley show {shlex.quote(one_line(number))}"
        raise NotFound(f"{one_line(number)!r} is a run, and the number of a match is wanted; `{listed}` lists them")
    if found is None:
        raise NotFound(f"no match {one_line(number)!r} in {store.where}; {_what_matches(store)}")
    run = store.run(found.run_id) if found.run_id is not None else None
    return found, "" if run is None else run.name


def tournament_of(store: Store, match: MatchRecord) -> Tournament:
    """The tournament file of a match's run, as it is in the database."""
    from harness.spec import stored

    run = store.run(match.run_id) if match.run_id is not None else None
    if run is None:
        raise NotFound(f"match {match.id} belongs to no run")
    return stored(run.spec, run.name)


def listing(names: Sequence[str]) -> str:
    """Names for a message, the first of them where there are many."""
    shown = ", ".join(one_line(name) for name in names[:LISTED])
    return f"{shown}, … ({len(names)} in all)" if len(names) > LISTED else shown


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 19


def _what_runs(store: Store) -> str:
    names = [run.name for run in reversed(store.runs())]
    return f"there are {listing(names)}" if names else "there is no run yet; `parley run FILE` makes one"


def _what_matches(store: Store) -> str:
    for run in reversed(store.runs()):
        assert run.id is not None
        ids = [match.id for match in store.matches(run.id) if match.id is not None]
        if ids:
            return f"the latest run, {one_line(run.name)}, has {min(ids)} to {max(ids)}"
    return "there is no run yet; `parley run FILE` makes one"
