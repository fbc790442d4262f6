"""How soon a turn that was committed is to be seen, on the wall and in the live player.

    python -m tests.bench.live [TURNS]

A run is held by this process, which plays its matches by chance: one, then a hundred. The dashboard shows it as
`parley dashboard` does, to a real Chromium. A turn is committed at any moment between two looks of the page (drawn from
a seed), and in most of the hundred matches others are committed beside it. The delay goes from the commit, which the
database has confirmed, to the frame in which the new ply has been painted. The last row follows a match of a thousand
turns, whose replay is sent whole. Median and worst of TURNS (default 15). Exit status 1 if the goal is missed.
"""

from __future__ import annotations

import random
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page

from games import get_game
from harness.records import MatchRecord, SeatRecord
from harness.store import Store
from harness.store.claims import new_owner
from tests.dashboard.conftest import chromium, served
from tests.dashboard.records import Written, run_record

RUNNING = (1, 100)
GAMES = ("so_long_sucker", "star_ludo", "trap_race")
BEGUN = 3
LONG = 1000
BESIDE = 20
"""Turns committed in other matches before each one that is watched."""
GOAL = 2.0
"""Seconds at the worst."""
SEEN = """
window.seen = {};
const shown = "output.pl-place, .wl-place";
let place = document;
// The pages' parts stand in shadow trees, which are found once.
const inside = (root) => root.querySelector(shown) ? root
  : [...root.querySelectorAll("*")].map((one) => one.shadowRoot && inside(one.shadowRoot)).find(Boolean);
const look = () => {
  place = place.querySelector(shown) ? place : inside(document) ?? document;
  for (const node of place.querySelectorAll(shown)) {
    const match = node.closest(".wl-cell")?.querySelector("a").href.match(/match=(\\d+)/)[1] ?? "player";
    const key = `${match} ${node.textContent.match(/\\d+/)?.[0]}`;
    if (key in window.seen) continue;
    window.seen[key] = null;
    // It is painted with this frame; what follows the frame comes after that.
    setTimeout(() => { window.seen[key] = Date.now(); }, 0);
  }
  requestAnimationFrame(look);
};
requestAnimationFrame(look);
"""


def waiting(number: int) -> MatchRecord:
    """A match of bots that nobody has begun."""
    game = get_game(GAMES[number % len(GAMES)])
    seats = tuple(
        SeatRecord(seat=seat, label=f"bot {seat}", kind="bot", model="random", identity=f"random-{seat}")
        for seat in game.seats(game.players[-1])
    )
    options = game.Options().model_dump(mode="json")
    return MatchRecord(number=number, game=game.name, options=options, seed=number, seats=seats)


@contextmanager
def playing(path: Path, matches: int) -> Iterator[list[Written]]:
    """So many matches begun, and their run held by this process."""
    with Store.open(path) as store:
        run = store.create_run(run_record("live"), [waiting(number) for number in range(matches)]).result()
        refused = store.claim_run(run, new_owner(), 3600).result()
        assert refused is None, refused
        written = [Written(store, match) for match in store.matches(run)]
        for match in written:
            play(match, BEGUN)
        yield written


def play(match: Written, turns: int) -> None:
    """So many turns more, as far as the match goes on."""
    for _ in range(turns):
        if match.to_act is not None:
            match.turn()


def opened(browser: Browser, address: str, match: Written, key: str) -> Page:
    """A page that shows the match as it stands."""
    page = browser.new_page(viewport={"width": 1280, "height": 1000})
    page.add_init_script(SEEN)
    page.goto(address)
    page.wait_for_function("(key) => window.seen[key]", arg=f"{key} {match.ply}", timeout=60_000)
    return page


def delays(page: Page, match: Written, key: str, others: Sequence[Written], turns: int) -> list[float]:
    """Seconds from each commit to its picture."""
    draws = random.Random(1)
    taken = []
    for _ in range(turns):
        if match.to_act is None:
            break
        time.sleep(draws.random())
        for other in draws.sample(list(others), min(BESIDE, len(others))):
            play(other, 1)
        match.turn()
        committed = time.time()
        shown = page.wait_for_function("(key) => window.seen[key]", arg=f"{key} {match.ply}", timeout=60_000)
        taken.append(shown.json_value() / 1000 - committed)
    return taken


def main() -> int:
    """Print the table; the exit status."""
    turns = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    missed = 0
    print(f"{'from commit to shown':<58}{'median':>9}{'worst':>9}{'goal':>7}")

    def told(what: str, taken: Sequence[float]) -> None:
        nonlocal missed
        worst = max(taken)
        missed += worst > GOAL
        numbers = f"{statistics.median(taken):>7.2f} s{worst:>7.2f} s"
        print(f"{what:<58}{numbers}{GOAL:>5g} s  {'met' if worst <= GOAL else 'missed'}", flush=True)

    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        for running in RUNNING:
            path = Path(folder, f"{running}.db")
            with playing(path, running) as matches, served(path) as address:
                first, others = matches[0], matches[1:]
                beside = f"{running} running match{'es' if running > 1 else ''}"
                player = f"{address}?match={first.match_id}&ply=end"
                for what, place, key in (
                    ("wall", f"{address}?page=live", str(first.match_id)),
                    ("player", player, "player"),
                ):
                    page = opened(browser, place, first, key)
                    told(f"{what}, {beside}", delays(page, first, key, others, turns))
                    page.close()
                if others:
                    long = next(match for match in others if match.game.name == "trap_race")
                    play(long, LONG - long.ply)
                    page = opened(browser, f"{address}?match={long.match_id}&ply=end", long, "player")
                    rest = [match for match in matches if match is not long]
                    told(f"player of {long.ply:,} turns, {beside}", delays(page, long, "player", rest, turns))
                    page.close()
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
