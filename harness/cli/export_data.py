"""What `parley export` does for runs: tables as JSONL and Parquet, and chats."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from harness.cli.files import stoppable
from harness.cli.find import listing, opened, run_named
from harness.cli.output import one_line, say, several

if TYPE_CHECKING:
    from harness.records import RunRecord
    from harness.store import Store


def write_runs(
    names: Sequence[str],
    folders: dict[Any, str],
    tables: Sequence[str],
    *,
    public: bool,
    force: bool,
    db: str | None,
) -> None:
    """Write runs as tables, and say how much of what was written."""
    from harness.data.read import Wanted, read
    from harness.data.schema import TABLES
    from harness.data.write import write_tables

    wanted = Wanted([name for name in TABLES if name in tables], public=public)
    with stoppable(), opened(db) as store:
        runs = _runs(store, names, next(iter(folders)))
        about = {"public": public, "runs": [run.name for run in runs]}
        with store.snapshot() as snapshot:
            rows = read(snapshot, runs, wanted)
            places = {kind: Path(folder) for kind, folder in folders.items()}
            counts = write_tables(rows, places, wanted.tables, about=about, force=force)
    told = ", ".join(several(number, _singular(name), name) for name, number in counts.items() if number)
    for kind, folder in folders.items():
        say(f"{one_line(folder)}: {told or 'no row'}, as {'JSON lines' if kind == 'jsonl' else 'Parquet'}.")
    if public:
        say("Without prompts, replies, thoughts, notes, private words, seeds, and matches that are not over.")


def write_chats(
    names: Sequence[str],
    file: str,
    *,
    per: Any,
    games: Sequence[str],
    labels: Sequence[str],
    place: int | None,
    rejected: bool,
    reasoning: bool,
    force: bool,
    db: str | None,
) -> None:
    """Write runs as chats, and say how many."""
    from games import GAMES
    from harness.data.chat import Choice, chats
    from harness.data.write import write_lines

    for game in games:
        if game not in GAMES:
            raise click.UsageError(f"--game: there is no game {one_line(game)!r}; there are {', '.join(GAMES)}")
    choice = Choice(per, frozenset(games), frozenset(labels), place, rejected, reasoning)
    with stoppable(), opened(db) as store:
        runs = _runs(store, names, "chat")
        matches = [match for run in runs for match in store.matches(run.id or 0)]
        there = {match.game for match in matches}
        for game in games:
            if game not in there:
                raise click.UsageError(f"--game: no match here is one of {game}; there are {listing(sorted(there))}")
        seated = {seat.label for match in matches for seat in match.seats}
        for label in labels:
            if label not in seated:
                raise click.UsageError(
                    f"--label: nobody is called {one_line(label)!r}; there are {listing(sorted(seated))}"
                )
        with store.snapshot() as snapshot:
            number = write_lines(chats(snapshot, runs, choice), Path(file), force=force)
    what = several(number, "decision", "decisions") if per == "decision" else several(number, "seat", "seats")
    say(f"{one_line(file)}: {what}, a chat each.")
    if not number:
        say("Only models leave chats, where they answered; bots and people do not.")


def _runs(store: Store, names: Sequence[str], option: str) -> list[RunRecord]:
    for name in names:
        if name.isdigit():
            raise click.UsageError(f"--{option}: {name} is the number of a match; whole runs are written, give a RUN")
    return [run_named(store, name) for name in dict.fromkeys(names)]


def _singular(table: str) -> str:
    return {"matches": "match"}.get(table, table.removesuffix("s"))
