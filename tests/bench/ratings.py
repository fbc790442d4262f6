"""How long a leaderboard with intervals takes, beside a plain SQL count and beside other libraries on the same matches.

    python -m tests.bench.ratings [MATCHES]

MATCHES (default 10,000) of four, of 4 players and of 12. Figures are seconds of processor time on one core, medians of
five (of three for what takes more than five seconds); ratios are what to compare. The libraries live in environments of
their own, which are made at the first run. They give strengths and no intervals; an interval from as many draws as ours
would take so many fits. Exit status 1 if a library cannot be installed or measured, or if a goal is missed.
"""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from harness.leaderboard import leaderboard
from harness.ratings.ballots import Ballots, ballots
from harness.ratings.packs import DRAWS
from harness.ratings.rate import assess
from harness.records import SeatRecord
from harness.store import Store
from tests.bench.engines import Missing, Peer, environment, last_line
from tests.bench.readings import seconds
from tests.calibrate.worlds import World, play
from tests.harness.store.samples import SEATS, match_of, run_of

PEERS = (Peer("", "choix", "0.4.1", "fits", 1.0), Peer("", "openskill", "6.2.0", "passes", 1.0))
SCRIPT = Path(__file__).parent / "peers" / "rate.py"
COUNT = """SELECT seat.label, count(*), sum(seat.place = 1) FROM seat JOIN match ON match.id = seat.match_id
  WHERE match.status = 'finished' GROUP BY seat.label"""
GOAL = 10.0
"""Seconds for the whole leaderboard: it is asked for by somebody who waits."""


def make(path: Path, found: Ballots) -> int:
    """A database with these matches, finished; its run."""
    labels = [f"p{number:02}" for number in range(len(found.players))]
    matches = []
    for number, row in enumerate(found.seated):
        sitting = tuple(
            SeatRecord(seat=seat, label=labels[who], kind="bot", model="greedy", identity=labels[who])
            for seat, who in zip(SEATS, row, strict=True)
        )
        matches.append(match_of(number, pack=int(found.packs[number])).model_copy(update={"seats": sitting}))
    with Store.open(path) as store:
        run_id = store.create_run(run_of("bench"), matches).result()
        ids = [match.id for match in store.matches(run_id)]
    base = sqlite3.connect(path)
    base.execute("UPDATE match SET status = 'finished', reason = 'last alive'")
    base.executemany(
        "UPDATE seat SET place = ? WHERE match_id = ? AND seat = ?",
        [
            (int(place), match_id, seat)
            for match_id, row in zip(ids, found.places, strict=True)
            for seat, place in zip(SEATS, row, strict=True)
        ],
    )
    base.commit()
    base.close()
    return run_id


def peer_seconds(peer: Peer, found: Ballots, fits: int) -> tuple[float, list[float]]:
    """Seconds of one fit, and the strengths."""
    order = np.argsort(found.places, axis=1)
    given = {"players": len(found.players), "matches": np.take_along_axis(found.seated, order, axis=1).tolist()}
    command = [str(environment(peer)), str(SCRIPT), peer.package, str(fits)]
    done = subprocess.run(command, input=json.dumps(given), capture_output=True, text=True, check=False)
    if done.returncode:
        raise Missing(f"{peer.pinned} cannot be measured: {last_line(done.stderr)}")
    told = json.loads(done.stdout)
    return told["seconds"] / fits, told["strengths"]


def compare(matches: int, players: int) -> int:
    """Print one table; how many goals were missed."""
    strengths = tuple(float(one) for one in np.linspace(0.8, -0.8, players))
    world = World("", strengths, (0, 0, 0, 0), matches // 4)
    found = play(world, np.random.default_rng(1))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "parley.db"
        run_id = make(path, found)
        base = sqlite3.connect(path)
        count = seconds(lambda: base.execute(COUNT).fetchall())
        base.close()
        with Store.open_readonly(path) as store:
            read = seconds(lambda: store.seat_stats([run_id]))
            stats = store.seat_stats([run_id])
    alone = ballots(stats)
    whole = seconds(lambda: leaderboard(stats).to_json())
    wins = seconds(lambda: assess(alone))
    bare = seconds(lambda: assess(alone, intervals=False))
    missed = whole > GOAL
    print(f"{len(found.seated):,} matches of four, {players} players")
    for what, took in (
        ("a plain SQL count of wins by player", count),
        ("reading the seats from the store", read),
        ("the whole leaderboard, all views, as JSON", whole),
        (f"chances to win with intervals ({DRAWS} draws)", wins),
        ("chances to win without intervals", bare),
    ):
        goal = f"   goal {GOAL:.0f} s{'   MISSED' if missed else ''}" if took is whole else ""
        print(f"  {what:46} {took:9.3f} s  {took / count:8.1f} counts{goal}", flush=True)
    for peer in PEERS:
        took, strengths_there = peer_seconds(peer, found, 5 if peer.package == "choix" else 1)
        fits = DRAWS * took
        ours = [one.strength or 0.0 for one in assess(alone, intervals=False).standings]
        alike = float(np.corrcoef(ours, strengths_there)[0, 1])
        slower = wins > fits
        missed += slower
        print(
            f"  {peer.pinned:46} {took:9.3f} s  {took / count:8.1f} counts   strengths agree (r = {alike:.4f}); "
            f"{DRAWS} fits take {fits:,.0f} s, ours {wins / fits:.4f} of that{'   MISSED' if slower else ''}",
            flush=True,
        )
    return missed


def main(matches: int) -> int:
    """Print both tables; 1 if anything is missing or missed."""
    try:
        return 1 if compare(matches, 4) + compare(matches, 12) else 0
    except Missing as missing:
        print(missing, flush=True)
        return 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000))
