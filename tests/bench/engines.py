"""How fast the engines are, beside engines of the same kind that others have written.

    python -m tests.bench.engines [ROUNDS] [SECONDS]

Random play on one core, each position's legal list and all events included; dumps and hashes are not part of it. In
each of ROUNDS rounds (default 5) each pair is measured side by side, SECONDS (default 2) of processor time each, so
that a busy machine slows both alike; what is printed are medians. The peers live in environments of their own, one for
each, which are made in the user's cache folder at the first run. Exit status 1 if a peer cannot be installed or
measured, or if a goal is missed.
"""

from __future__ import annotations

import json
import random
import shutil
import statistics
import subprocess
import sys
import time
import venv
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from platformdirs import user_cache_path

from games import GAMES, get_game
from games.api import Json, Seat

PLAYER = Path(__file__).parent / "peers" / "play.py"
FORWARD = {"south": " north", "north": " south"}
FORWARD_SHARE = 0.7
"""Uniform play of trap race never finishes; so its random player mostly steps towards its goal."""


class Peer(NamedTuple):
    """What a game is compared with: a package of exactly this version, and how many times as fast we want to be."""

    game: str
    package: str
    version: str
    unit: str
    goal: float

    @property
    def pinned(self) -> str:
        return f"{self.package}=={self.version}"


PEERS = (
    Peer("star_ludo", "ludo-king-engine", "0.1.3", "games/s", 3.0),
    Peer("star_ludo", "ludopy", "1.5.0", "games/s", 5.0),
    Peer("so_long_sucker", "textarena", "0.7.4", "decisions/s", 1.5),
    Peer("twenty_one", "open_spiel", "2.0.2", "decisions/s", 1.5),
    Peer("trap_race", "catanatron", "3.2.1", "decisions/s", 1.5),
)


class Speed(NamedTuple):
    """Of one engine, per second of processor time."""

    games: float
    decisions: float


def policy(name: str) -> Callable[[Seat, tuple[str, ...]], str]:
    """Which of the legal actions is played, at random."""
    if name != "trap_race":
        return lambda _seat, legal: random.choice(legal)

    def forward(seat: Seat, legal: tuple[str, ...]) -> str:
        if random.random() < FORWARD_SHARE:
            for _ in legal:
                action = random.choice(legal)
                if action.endswith(FORWARD[seat]):
                    return action
        return random.choice(legal)

    return forward


def play(name: str, options: Json | None = None) -> Iterator[int]:
    """Match after match of a game at its full table; of each, the number of decisions."""
    game = get_game(name)
    seats = game.seats(max(game.players))
    resolved = game.Options(**(options or {}))
    choose = policy(name)
    named = name == "trap_race"
    while True:
        state, events = game.start(seats, resolved, random.randrange(2**53))
        decisions = 0
        while legal := game.legal(state):
            seat = (game.to_act(state) or "") if named else ""
            state, events = game.apply(state, choose(seat, legal))
            decisions += 1
        assert events
        assert game.outcome(state) is not None
        yield decisions


def measure(name: str, seconds: float, seed: int) -> Speed:
    """An engine of ours, after one match to warm up."""
    random.seed(seed)
    matches = play(name)
    next(matches)
    games = decisions = 0
    began = time.process_time()
    while (spent := time.process_time() - began) < seconds:
        decisions += next(matches)
        games += 1
    return Speed(games / spent, decisions / spent)


class Missing(Exception):
    """A peer that cannot be installed or played; the text is one line."""


def environment(peer: Peer) -> Path:
    """The Python of the peer's environment, which is made if it is not there yet."""
    folder = user_cache_path("parley") / "bench" / f"{peer.package}-{peer.version}-py{sys.version_info[1]}"
    python = folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    done = folder / "installed"
    if not done.exists():
        shutil.rmtree(folder, ignore_errors=True)
        print(f"making an environment for {peer.pinned} in {folder}", flush=True)
        try:
            venv.create(folder, with_pip=True)
        except (OSError, subprocess.CalledProcessError) as error:
            raise Missing(f"{peer.pinned} has no environment: {error}") from None
        command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", peer.pinned]
        installed = subprocess.run(command, capture_output=True, text=True, check=False)
        if installed.returncode:
            raise Missing(f"{peer.pinned} cannot be installed: {last_line(installed.stderr)}")
        done.touch()
    return python


def last_line(text: str) -> str:
    """Where a tool says what was wrong."""
    return next((line for line in reversed(text.splitlines()) if line.strip()), "it does not say why")


def measure_peer(python: Path, peer: Peer, seconds: float, seed: int) -> float:
    """Games or decisions a second of a peer, in a process of its own."""
    command = [str(python), str(PLAYER), peer.package, str(seconds), str(seed)]
    played = subprocess.run(command, capture_output=True, text=True, check=False)
    if played.returncode:
        raise Missing(f"{peer.pinned} cannot be played: {last_line(played.stderr)}")
    figures = json.loads(played.stdout)
    return float(figures["units"] / figures["seconds"])


def compare(peer: Peer, rounds: int, seconds: float) -> bool:
    """Print one line; whether the goal is reached."""
    python = environment(peer)
    ours, theirs = [], []
    for seed in range(rounds):
        theirs.append(measure_peer(python, peer, seconds, seed))
        speed = measure(peer.game, seconds, seed)
        ours.append(speed.games if peer.unit == "games/s" else speed.decisions)
    ratio = statistics.median(own / other for own, other in zip(ours, theirs, strict=True))
    reached = ratio >= peer.goal
    print(
        f"{peer.game:16} {statistics.median(ours):10,.0f}  {peer.pinned:24} {statistics.median(theirs):10,.0f}"
        f"  {peer.unit:11} {ratio:6.2f}  {peer.goal:5.1f}  {'' if reached else 'MISSED'}".rstrip(),
        flush=True,
    )
    return reached


def main(rounds: int, seconds: float) -> int:
    """Print the ratios and every engine's own speed; 1 if anything is missing or missed."""
    faults = 0
    print(f"{'game':16} {'ours':>10}  {'peer':24} {'theirs':>10}  {'unit':11} {'ratio':>6}  {'goal':>5}")
    for peer in PEERS:
        if peer.game not in GAMES:
            continue
        try:
            faults += not compare(peer, rounds, seconds)
        except Missing as missing:
            print(missing, flush=True)
            faults += 1
    print(f"\n{'game':16} {'matches/s':>10} {'decisions/s':>12}")
    for name in GAMES:
        speeds = [measure(name, seconds / 2, seed) for seed in range(rounds)]
        games, decisions = (statistics.median(column) for column in zip(*speeds, strict=True))
        print(f"{name:16} {games:10,.1f} {decisions:12,.0f}", flush=True)
    return 1 if faults else 0


if __name__ == "__main__":
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    sys.exit(main(rounds, float(sys.argv[2]) if len(sys.argv) > 2 else 2.0))
