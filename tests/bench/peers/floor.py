"""The least that such a run can take: `python floor.py TASKS TURNS BYTES`, which `tests.bench.loop` runs.

TASKS coroutines at once, TURNS times each: hand over a row of BYTES bytes and wait until it is committed. One thread
puts the rows in, as many as wait in one transaction. Prints one JSON object: seconds of CPU and wall, bytes of memory.
"""

from __future__ import annotations

import asyncio
import json
import os
import resource
import sqlite3
import sys
import tempfile
import time
from pathlib import Path


async def play(connection: sqlite3.Connection, tasks: int, turns: int, body: bytes) -> None:
    """All tasks at once; what waits when the loop comes round is one transaction."""
    loop = asyncio.get_running_loop()
    waiting: list[tuple[tuple[int, int, bytes], asyncio.Future[None]]] = []

    def insert() -> None:
        rows = waiting.copy()
        waiting.clear()
        with connection:
            connection.executemany("INSERT INTO turn VALUES (?, ?, ?)", [row for row, _ in rows])
        for _, done in rows:
            done.set_result(None)

    async def one(number: int) -> None:
        for turn in range(turns):
            if not waiting:
                loop.call_soon(insert)
            done = loop.create_future()
            waiting.append(((number, turn, body), done))
            await done

    await asyncio.gather(*map(one, range(tasks)))


def main(tasks: int, turns: int, size: int) -> None:
    """Run, and print what it took."""
    with tempfile.TemporaryDirectory() as folder:
        connection = sqlite3.connect(Path(folder) / "floor.db")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("CREATE TABLE turn (match_id INTEGER, ply INTEGER, body BLOB, PRIMARY KEY (match_id, ply))")
        wall, cpu = time.perf_counter(), time.process_time()
        asyncio.run(play(connection, tasks, turns, os.urandom(size)))
        connection.close()
        figures = {"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall}
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    json.dump(figures | {"decisions": tasks * turns, "memory": memory}, sys.stdout)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:4]))
