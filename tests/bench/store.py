"""How fast turns and calls become durable, against other ways of writing the same rows in the same run.

`python -m tests.bench.store [ROWS]`; figures are of this machine, ratios are what to compare.
"""

from __future__ import annotations

import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from sqlalchemy import Engine, insert
from sqlmodel import Session

from harness.store import Store, engines, tables
from harness.store.place import find
from harness.store.rows import turn_row
from tests.harness.store.samples import call_of, match_of, run_of, turn_of

READERS = 4


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


def by_orm(engine: Engine, match_id: int, rows: int) -> None:
    for ply in range(1, rows + 1):
        with Session(engine) as session:
            session.add(tables.Turn(**turn_row(turn_of(ply), match_id)))
            session.commit()


def by_core(engine: Engine, match_id: int, rows: int) -> None:
    for first in range(1, rows + 1, 100):
        some = [turn_row(turn_of(ply), match_id) for ply in range(first, min(first + 100, rows + 1))]
        with engine.begin() as connection:
            connection.execute(insert(tables.turn), some)


def main(rows: int) -> None:
    """Write and read, and print."""
    with tempfile.TemporaryDirectory() as folder:
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
