"""How fast turns and calls become durable, against other ways of writing the same rows in the same run.

`python -m tests.bench.store [ROWS]`; figures are of this machine, ratios are what to compare. First the processor time
of a decision of 200 matches played at once (its call with prompt and response, and what was played and said), all
threads together, beside `executemany` of the very rows that it comes to, in batches as large; medians of five rounds.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import sqlite3
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, insert
from sqlmodel import Session

from harness.store import Store, engines, tables
from harness.store.place import find
from harness.store.rows import TURN_COLUMNS, turn_line
from tests.bench.played import new_run, play, spec_of, waves, write
from tests.harness.store.samples import call_of, match_of, run_of, turn_of

READERS = 4
ROUNDS = 5
MATCHES, CALLS = 200, 6000
WRITTEN = ("call", "turn", "message", "pledge")


def rate(rows: int, work: Callable[[], object]) -> float:
    """Rows a second."""
    begun = time.perf_counter()
    work()
    return rows / (time.perf_counter() - begun)


def new_match(store: Store, name: str) -> int:
    run_id = store.create_run(run_of(name), [match_of()]).result()
    return store.matches(run_id)[0].id or 0


def by_store(store: Store, match_id: int, rows: int) -> None:
    for future in [store.add_turns(match_id, [turn_of(ply)]) for ply in range(1, rows + 1)]:
        future.result()


def one_by_one(store: Store, match_id: int, rows: int) -> None:
    for ply in range(1, rows + 1):
        store.add_turns(match_id, [turn_of(ply)]).result()


def calls(store: Store, match_id: int, rows: int) -> None:
    for future in [store.add_call(call_of(match_id=match_id, ply=ply)) for ply in range(rows)]:
        future.result()


def turn_row(ply: int, match_id: int) -> dict[str, Any]:
    """A turn as its row."""
    return dict(zip(TURN_COLUMNS, turn_line(turn_of(ply), match_id), strict=True))


def by_orm(engine: Engine, match_id: int, rows: int) -> None:
    for ply in range(1, rows + 1):
        with Session(engine) as session:
            session.add(tables.Turn(**turn_row(ply, match_id)))
            session.commit()


def by_core(engine: Engine, match_id: int, rows: int) -> None:
    for first in range(1, rows + 1, 100):
        some = [turn_row(ply, match_id) for ply in range(first, min(first + 100, rows + 1))]
        with engine.begin() as connection:
            connection.execute(insert(tables.turn), some)


def spent(work: Callable[[], object]) -> float:
    """Seconds of processor time of all threads."""
    begun = time.process_time()
    work()
    return time.process_time() - begun


def decisions(folder: Path) -> None:
    """Print what a decision costs the store, and what its rows alone cost SQLite."""
    spec = spec_of("decisions", matches=MATCHES, history="full")
    with Store.open(folder / "played.db") as store:
        written = asyncio.run(play(store, spec, bodies=True, calls=CALLS))
    batch = len(written) // len(waves(written))
    # What was played is the bench's own, and no garbage to look through.
    gc.collect()
    gc.freeze()
    ours, floor = [], []
    for number in range(ROUNDS):
        path = folder / f"decisions-{number}.db"
        with Store.open(path) as store:
            new_run(store, spec)
            ours.append(spent(lambda store=store: asyncio.run(write(store, written))) / CALLS)
        floor.append(plain(path, folder / f"floor-{number}.db", batch) / CALLS)
    gc.unfreeze()
    store_us, floor_us = (1e6 * statistics.median(column) for column in (ours, floor))
    ratio = statistics.median(own / least for own, least in zip(ours, floor, strict=True))
    print(f"a decision, {MATCHES} matches at once: {store_us:.0f} µs of processor time through the store, ", end="")
    print(f"{floor_us:.0f} µs for its rows alone by sqlite3.executemany; {ratio:.1f} times")


def plain(source: Path, target: Path, batch: int) -> float:
    """Seconds of processor time that the rows of a database take, put into an empty one of the same tables."""
    with contextlib.closing(sqlite3.connect(source)) as connection:
        made = "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'"
        tables_made = [sql for (sql,) in connection.execute(made)]
        rows = {name: connection.execute(f'SELECT * FROM "{name}" ORDER BY rowid').fetchall() for name in WRITTEN}
    with contextlib.closing(sqlite3.connect(target, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        for sql in tables_made:
            connection.execute(sql)
        statements = {
            name: f'INSERT INTO "{name}" VALUES ({",".join("?" * len(some[0]))})' for name, some in rows.items()
        }
        batches = -(-len(rows["call"]) // batch)

        def insert_all() -> None:
            for number in range(batches):
                connection.execute("BEGIN IMMEDIATE")
                for name, some in rows.items():
                    connection.executemany(statements[name], some[number::batches])
                connection.execute("COMMIT")

        return spent(insert_all)


def main(rows: int) -> None:
    """Write and read, and print."""
    with tempfile.TemporaryDirectory() as folder:
        decisions(Path(folder))
        path = Path(folder) / "parley.db"
        with Store.open(path) as store:
            ids = [new_match(store, str(number)) for number in range(5)]
            done = threading.Event()

            def read() -> None:
                while not done.wait(0.05):
                    store.run_counts()

            readers = [threading.Thread(target=read) for _ in range(READERS)]
            for reader in readers:
                reader.start()
            engine = engines.writing(find(path))
            ours = rate(rows, lambda: by_store(store, ids[0], rows))
            alone = rate(rows // 10, lambda: one_by_one(store, ids[1], rows // 10))
            paid = rate(rows, lambda: calls(store, ids[2], rows))
            orm = rate(rows // 10, lambda: by_orm(engine, ids[3], rows // 10))
            core = rate(rows, lambda: by_core(engine, ids[4], rows))
            engine.dispose()
            done.set()
            for reader in readers:
                reader.join()
            print(f"turns through the store, many waiting   {ours:9,.0f} rows/s")
            print(f"turns through the store, one at a time  {alone:9,.0f} rows/s")
            print(f"calls through the store, many waiting   {paid:9,.0f} rows/s")
            print(f"ORM, a commit each                      {orm:9,.0f} rows/s   the store: {ours / orm:.1f} times")
            print(f"Core, 100 rows a commit                 {core:9,.0f} rows/s   the store: {ours / core:.2f} times")
            run_id = store.create_run(run_of("wide"), [match_of(number) for number in range(10_000)]).result()
            seconds = {
                "matches": 10_000 / rate(10_000, lambda: store.matches(run_id)),
                "seat_stats": 10_000 / rate(10_000, lambda: store.seat_stats([run_id])),
                "run_counts": 10_000 / rate(10_000, store.run_counts),
            }
            print("a run of 10,000 matches: " + ", ".join(f"{name} {took:.2f} s" for name, took in seconds.items()))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
