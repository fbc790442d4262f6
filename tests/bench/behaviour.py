"""How long all measures and the ledger take over a million turns, beside plain SQL over the same rows.

`python -m tests.bench.behaviour [TURNS]`. A run of bots is played and its matches are copied row by row, each copy a
pack of its own, with a made-up call for every third decision. Figures are seconds of processor time, medians of five
(of three for what takes more than five seconds); ratios are what to compare. The goals: all measures
with their intervals take at most twice as long as reading the rows does; the ledger, which plays every match again, and
the alliances, which do so too, at most three times; and all of them together, made in one reading as pages make them,
at most four times.
"""

from __future__ import annotations

import asyncio
import sqlite3
import sys
import tempfile
import time
from pathlib import Path

from harness import tournament
from harness.behaviour.alliances import KINDS, Allying, alliances
from harness.behaviour.ledger import Judging, ledger
from harness.behaviour.tables import Measuring, behaviour, kinds
from harness.records import MatchRecord, RunRecord, TurnRecord
from harness.spec import parse
from harness.store import Store
from harness.store.log_bulk import played
from tests.bench.readings import seconds
from tests.harness.store.samples import call_of

RUN = """
name: bench
seed: 7
matches: 40
parallel: 4
games:
  - {game: so_long_sucker, options: {chips: 7}, players: [greedy, banker, turncoat, random]}
  - {game: star_ludo, players: [balanced, aggressive, alpha, random]}
players: [{label: greedy, bot: greedy}, {label: banker, bot: banker}, {label: turncoat, bot: turncoat},
  {label: balanced, bot: balanced}, {label: aggressive, bot: aggressive}, {label: alpha, bot: alpha},
  {label: random, bot: random}]
talk: {messages: 1, chars: 160, private: true, round: 8}
"""
LOOKING = "SELECT sum(source = 'fallback'), sum(length(events)), sum(legal_count) FROM turn"
READING = "reading alone: rows and events"
GROUPED = "SELECT match_id, seat, source, count(*) FROM turn GROUP BY match_id, seat, source"


class Silent:
    """Nobody looks on."""

    def started(self, run: str, total: int, done: int) -> None:
        pass

    def match_started(self, match: MatchRecord) -> None:
        pass

    def match_ended(self, match: MatchRecord, status: str, why: str | None) -> None:
        pass

    def call(self, record: object) -> None:
        pass

    def turn(self, match: MatchRecord, turn: TurnRecord) -> None:
        pass

    def note(self, line: str) -> None:
        pass


def make(path: Path, wanted: int) -> int:
    """A database of so many turns or a few more; how many there are."""
    with Store.open(path) as store:
        asyncio.run(tournament.run(parse(RUN, "bench.yaml"), store, progress=Silent()))
        match_id = store.matches(store.runs()[0].id or 0)[0].id
        store.add_call(call_of(match_id=match_id, cached_tokens=300, reasoning_tokens=20, latency_ms=900.0)).result()
    base = sqlite3.connect(path)
    turns = base.execute("SELECT count(*) FROM turn").fetchone()[0]
    base.close()
    times = -(-wanted // turns)
    with_calls(path)
    multiply(path, times)
    return turns * times


def with_calls(path: Path) -> None:
    """A copy of the first call for every third decision that there is."""
    base = sqlite3.connect(path)
    columns = _columns(
        base, "call", id="NULL", match_id="turn.match_id", seat="turn.seat", decision="turn.decision", ply="turn.ply"
    )
    base.execute(
        f"INSERT INTO call SELECT {columns} FROM (SELECT * FROM call ORDER BY id LIMIT 1) AS call, turn "
        "WHERE turn.decision % 3 = 0 AND turn.plan_index = 0"
    )
    base.commit()
    base.close()


def multiply(path: Path, times: int) -> None:
    """All matches so many times over, each copy in packs of its own."""
    base = sqlite3.connect(path)
    base.execute("PRAGMA synchronous = OFF")
    matches, packs, calls = (
        base.execute(f"SELECT {what}").fetchone()[0]
        for what in ("max(id) FROM match", "max(pack) + 1 FROM match", "max(id) FROM call")
    )
    for copy in range(1, times):
        ids = {"match_id": f"match_id + {copy * matches}"}
        shifted = {
            "id": f"id + {copy * matches}",
            "number": f"number + {copy * matches}",
            "pack": f"pack + {copy * packs}",
        }
        _copy(base, "match", f"id <= {matches}", **shifted)
        _copy(base, "call", f"id <= {calls}", id="NULL", **ids)
        for table in ("seat", "turn", "message", "pledge"):
            _copy(base, table, f"match_id <= {matches}", **ids)
    base.commit()
    base.execute("PRAGMA optimize")
    base.close()


def _columns(base: sqlite3.Connection, table: str, **changed: str) -> str:
    names = [row[1] for row in base.execute(f"PRAGMA table_info({table})")]
    return ", ".join(changed.get(name, f"{table}.{name}") for name in names)


def _copy(base: sqlite3.Connection, table: str, where: str, **changed: str) -> None:
    base.execute(f"INSERT INTO {table} SELECT {_columns(base, table, **changed)} FROM {table} WHERE {where}")


def together(store: Store, runs: list[RunRecord]) -> None:
    """As `harness.views.results` makes them."""
    measuring, judging, allying = Measuring(), Judging(), Allying()
    for match in played(store, runs, kinds() | KINDS):
        judging.add(match)
        allying.add(match)
        measuring.add(match)
    assert len(measuring.result().tables) == len(judging.result().tables) == len(allying.result().tables)


def main(wanted: int) -> None:
    """Make, measure, print."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "parley.db"
        begun = time.perf_counter()
        turns = make(path, wanted)
        size = path.stat().st_size / 1e6
        base = sqlite3.connect(path)
        with Store.open_readonly(path) as store:
            runs = store.runs()
            matches = store.progress(runs[0].id or 0)["finished"]
            print(f"{turns:,} turns in {matches:,} matches, {size:.0f} MB, made in {time.perf_counter() - begun:.0f} s")

            def read() -> None:
                for match in played(store, runs, kinds()):
                    assert match.by_kind is not None

            plain = seconds(lambda: base.execute("SELECT count(*) FROM turn").fetchone())
            looking = seconds(lambda: base.execute(LOOKING).fetchone())
            rows = {
                "SQL: count(*)": plain,
                "SQL: three sums over the columns": looking,
                "SQL: count by match, seat and source": seconds(lambda: base.execute(GROUPED).fetchall()),
                "the sums of seats (seat_stats)": seconds(lambda: store.seat_stats([runs[0].id or 0])),
                READING: seconds(read),
                "all measures, with intervals": seconds(lambda: behaviour(played(store, runs, kinds()))),
                "the ledger, every match played again": seconds(lambda: ledger(played(store, runs, ()))),
                "the alliances, every match played again": seconds(lambda: alliances(played(store, runs, KINDS))),
                "measures, ledger and alliances in one": seconds(lambda: together(store, runs)),
            }
        base.close()
        reading = rows[READING]
        goals = {
            "all measures, with intervals": 2.0,
            "the ledger, every match played again": 3.0,
            "the alliances, every match played again": 3.0,
            "measures, ledger and alliances in one": 4.0,
        }
        print(f"{'':<40}{'s':>9}{'µs/turn':>9}{'x three sums':>14}{'x reading':>11}")
        for name, took in rows.items():
            ratios = f"{took / looking:>14.1f}{took / reading:>11.2f}"
            met = "met" if took <= goals.get(name, 0) * reading else "missed"
            goal = f"   goal {goals[name]:g} x reading: {met}" if name in goals else ""
            print(f"{name:<40}{took:>9.3f}{1e6 * took / turns:>9.2f}{ratios}{goal}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
