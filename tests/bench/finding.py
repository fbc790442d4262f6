"""How long finding takes in a run of a hundred matches, and in one of fifty times as many, in the same process.

`python -m tests.bench.finding [TIMES]`: matches of talking bots are played once, and their rows copied TIMES times
(51: about a million turns). Processor seconds are of this machine; the ratios are what to compare: first hits are to
take as long in both, a whole scan as long for each turn.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import tempfile
import time
from pathlib import Path

from sqlalchemy import Connection, func, insert, literal, select

from harness.find import Query, find
from harness.spec import parse
from harness.store import Store, engines, tables
from harness.store.place import find as place_of
from harness.tournament import run
from tests.harness.watching import Watching

BOTS = """
name: small
matches: 120
games: [{game: so_long_sucker, options: {chips: 7}}]
players:
  - {label: greedy, bot: greedy}
  - {label: banker, bot: banker}
  - {label: turncoat, bot: turncoat}
  - {label: chance, bot: random}
"""
FIRST = {
    "a common word": Query(("red",)),
    "who said": Query(said_by="banker"),
    "an event's kind": Query(kind="capture"),
    "an action": Query(action="on 2"),
    "a source": Query(source="player"),
    "a verdict": Query(verdict="kept"),
}
"""Whose first fifty hits stand early."""
WHOLE = {
    "a word that is nowhere": Query(("zebra",)),
    "two words, one common": Query(("red", "zebra")),
    "a kind that is nowhere": Query(kind="zebra"),
    "an action that is nowhere": Query(action="zebra"),
    "a source that is nowhere": Query(source="human"),
    "illegal answers, none": Query(illegal=True),
}
"""For which the whole run is looked through."""


def copied(connection: Connection, name: str, times: int) -> None:
    """A run of that name with the first run's matches, so often."""
    first = select(*(_named(tables.run, {"name": literal(name)})))
    connection.execute(insert(tables.run).from_select([c.name for c in tables.run.c if c.name != "id"], first))
    run_id = connection.scalar(select(func.max(tables.run.c.id)))
    step = connection.scalar(select(func.max(tables.match.c.id))) or 0
    old = tables.match.c.run_id == 1
    for time_ in range(1, times + 1):
        new = {
            "id": tables.match.c.id + time_ * step,
            "run_id": literal(run_id),
            "number": tables.match.c.number + (time_ - 1) * step,
        }
        columns = [new.get(c.name, c) for c in tables.match.c]
        names = [c.name for c in tables.match.c]
        connection.execute(insert(tables.match).from_select(names, select(*columns).where(old)))
        for table in (tables.seat, tables.turn, tables.message, tables.pledge):
            columns = [c + time_ * step if c.name == "match_id" else c for c in table.c]
            of_first = table.c.match_id.in_(select(tables.match.c.id).where(old))
            connection.execute(insert(table).from_select([c.name for c in table.c], select(*columns).where(of_first)))


def _named(table, own):  # type: ignore[no-untyped-def]
    return [own.get(column.name, column) for column in table.c if column.name != "id"]


def seconds(store: Store, name: str, query: Query, rounds: int) -> tuple[float, int]:
    """Processor seconds (median) and hits."""
    found = store.run(name)
    assert found is not None
    taken = []
    for _ in range(rounds):
        begun = time.process_time()
        hits = find(store, found, query)
        taken.append(time.process_time() - begun)
    return statistics.median(taken), len(hits)


def main(times: int) -> None:
    """Play, copy, look, and print."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "parley.db"
        with Store.open(path) as store:
            asyncio.run(run(parse(BOTS, "small.yaml"), store, progress=Watching()))
        engine = engines.writing(place_of(path))
        with engines.transaction(engine) as connection:
            copied(connection, "large", times)
        engine.dispose()
        with Store.open_readonly(path) as store:
            turns = [_turns(store, number) for number in (1, 2)]
            print(f"{turns[0]:,} turns and {turns[1]:,} turns; database {path.stat().st_size / 1e6:,.0f} MB")
            for title, queries, rounds in (("first hits", FIRST, 5), ("whole scan", WHOLE, 3)):
                for what, query in queries.items():
                    small, hits = seconds(store, "small", query, rounds)
                    large, more = seconds(store, "large", query, rounds)
                    each = large / small if title == "first hits" else (large / turns[1]) / (small / turns[0])
                    met = "met" if each <= 2 else "not met"
                    print(
                        f"{title:<11} {what:<26} {small * 1000:9.1f} ms ({hits:>2} hits) {large * 1000:9.1f} ms "
                        f"({more:>2} hits)  ratio {each:5.2f} (goal 2.00: {met})"
                    )


def _turns(store: Store, run_id: int) -> int:
    return sum(match.plies for match in store.matches(run_id))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 51)
