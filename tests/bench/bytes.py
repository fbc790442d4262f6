"""How many bytes of database a decision takes, beside the compressed log of inspect-ai for the same messages.

    python -m tests.bench.bytes [MATCHES]

Plays whole matches (default 8) of so_long_sucker with four talking models and seven chips through the real loop, with a
model inside the process, and reads every call back: each prompt, schema, answer and response must be what was sent and
received, to the byte. A decision is an answered call, with an action or in a talk round. Bytes are those of the file as
it lies when the store is closed, its log folded in: tables, indexes, free pages. Prompts and replies then go through
inspect-ai's mockllm, one sample a match, in an environment of its own, which is made at the first run; the size of its
`.eval` file is compared. A response body, which only calls over a wire have, has no counterpart there.

Exit status 1 if something does not come back as it was, if a goal is missed, or if inspect-ai cannot be had.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from harness.store import Store
from tests.bench.engines import Missing, Peer, environment, last_line
from tests.bench.played import Played, new_run, play, spec_of, submit

PEER = Peer("so_long_sucker", "inspect-ai", "0.3.285", "bytes", 0.9)
SCRIPT = Path(__file__).parent / "peers" / "inspect_bytes.py"
GROWTH = 1.1
EARLY, LATE = range(5, 13), range(40, 48)
"""Turns of which the decisions are compared: two talk rounds each."""
LOGGED = ("call", "turn", "message", "pledge", "text")


class Kept(NamedTuple):
    """What a run left: its writes in order, the size of its database, and its calls."""

    written: list[Played]
    path: Path
    size: int
    calls: int


def keep(folder: Path, *, matches: int, history: str, bodies: bool) -> Kept:
    """Play into a new database."""
    path = folder / f"{history}-{bodies}.db".replace(" ", "-")
    with Store.open(path) as store:
        written = asyncio.run(play(store, spec_of("bytes", matches=matches, history=history), bodies=bodies))
    calls = sum(one.call is not None for one in written)
    return Kept(written, path, path.stat().st_size, calls)


def differing(kept: Kept) -> int:
    """How many calls do not come back as they were made."""
    made = [one.call for one in kept.written if one.call is not None]
    with Store.open_readonly(kept.path) as store:
        of_matches = {match_id: store.calls(match_id, prompts=True) for match_id in {one.match_id for one in made}}
        found = {call.id: call for calls in of_matches.values() for call in calls}
        # Any one by itself, too.
        found |= {number: store.call(number) for number in range(1, len(made) + 1, 97)}
    return sum(found.get(number) != call.model_copy(update={"id": number}) for number, call in enumerate(made, start=1))


def growth(folder: Path, kept: Kept, spec: Any) -> tuple[float, float]:
    """Bytes a decision in the early and the late turns, all matches written turn by turn into a new database."""
    path = folder / "growth.db"
    in_order = sorted(kept.written, key=lambda one: one.ply)
    before = {id(one): number for number, one in enumerate((one for one in kept.written if one.call), start=1)}
    after = {before[id(one)]: number for number, one in enumerate((one for one in in_order if one.call), start=1)}
    sizes: dict[int, int] = {}
    with Store.open(path) as store:
        new_run(store, spec)
        for ply in range(LATE.stop):
            for one in in_order:
                if one.ply == ply:
                    submit(store, _renumbered(one, after)).result()
            sizes[ply] = _size(path)
    found = []
    for turns in (EARLY, LATE):
        calls = sum(one.call is not None and one.ply in turns for one in in_order)
        found.append((sizes[turns[-1]] - sizes[turns[0] - 1]) / calls)
    return found[0], found[1]


def _renumbered(one: Played, numbers: dict[int, int]) -> Played:
    def at(record: Any) -> Any:
        return record.model_copy(update={"call_id": numbers.get(record.call_id)})

    return one._replace(turns=[at(turn) for turn in one.turns], messages=[at(message) for message in one.messages])


def _size(path: Path) -> int:
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    return path.stat().st_size


def theirs(folder: Path, kept: Kept) -> float:
    """Bytes a call in inspect-ai's log."""
    of_match: dict[int, list[Any]] = {}
    for one in kept.written:
        if (call := one.call) is not None:
            messages = [(message.role, message.text) for message in call.prompt]
            said = {"seat": call.seat, "messages": messages, "reply": call.content}
            of_match.setdefault(one.match_id, []).append(said)
    source = folder / "messages.json"
    source.write_text(json.dumps(list(of_match.values())), encoding="utf-8")
    command = [str(environment(PEER)), str(SCRIPT), str(source), str(folder / "logs")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Missing(f"{PEER.pinned} cannot be measured: {last_line(done.stderr or done.stdout)}")
    figures = json.loads(done.stdout.splitlines()[-1])
    if figures["calls"] != kept.calls:
        raise Missing(f"{PEER.pinned} logged {figures['calls']} calls of {kept.calls}")
    return float(figures["bytes"] / figures["calls"])


def where(kept: Kept) -> Sequence[tuple[str, float]]:
    """Bytes a decision by table and index, and in the tables by column, the largest first."""
    connection = sqlite3.connect(kept.path)
    sizes = dict(connection.execute("SELECT name, sum(pgsize) FROM dbstat GROUP BY name"))
    for table in LOGGED:
        for _, name, *_ in connection.execute(f'PRAGMA table_info("{table}")').fetchall():
            length = f'SELECT sum(length(CAST("{name}" AS BLOB))) FROM "{table}"'
            kind = f"SELECT max(typeof(\"{name}\") IN ('integer', 'real')) FROM \"{table}\""
            if not connection.execute(kind).fetchone()[0]:
                sizes[f"  {table}.{name}"] = connection.execute(length).fetchone()[0] or 0
    connection.close()
    parts = [(name, size / kept.calls) for name, size in sizes.items()]
    return sorted((part for part in parts if part[1] >= 1), key=lambda part: -part[1])


def main(matches: int) -> int:
    """Print the tables; 1 if anything is missing or missed."""
    faults = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print(f"{'bytes a decision':44} {'calls':>6} {'ours':>7} {PEER.pinned:>20} {'ratio':>6} {'goal':>5}")
        for history, bodies, goal in (("full", False, PEER.goal), ("full", True, None), ("last 4", False, None)):
            kept = keep(folder, matches=matches, history=history, bodies=bodies)
            if wrong := differing(kept):
                print(f"{wrong} of {kept.calls} calls do not come back as they were made")
                faults += 1
            try:
                other = theirs(folder, kept)
            except Missing as missing:
                print(missing)
                faults += 1
                continue
            ours, ratio = kept.size / kept.calls, kept.size / kept.calls / other
            missed = goal is not None and ratio > goal
            faults += missed
            what = f"history {history}" + (", with the bodies of responses" if bodies else "")
            wanted = "" if goal is None else f"{goal:.2f}"
            mark = "MISSED" if missed else ""
            print(f"{what:44} {kept.calls:6} {ours:7,.0f} {other:20,.0f} {ratio:6.2f} {wanted:>5}  {mark}".rstrip())
            if goal is not None:
                judged = kept
        early, late = growth(folder, judged, spec_of("bytes", matches=matches, history="full"))
        missed = late > GROWTH * early
        faults += missed
        print(
            f"\nbytes a decision in turns {EARLY[0]} to {EARLY[-1]}: {early:,.0f}; in turns {LATE[0]} to {LATE[-1]}: "
            f"{late:,.0f}; ratio {late / early:.2f}, goal {GROWTH} {'MISSED' if missed else ''}".rstrip()
        )
        print("\nwhere they are (history full, no bodies)")
        for part, size in where(judged):
            print(f"{part:32} {size:8.1f}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 8))
