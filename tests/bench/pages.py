"""What the dashboard's pages take with 10,000 matches and a million turns, beside 100 matches and ten thousand turns.

    python -m tests.bench.pages [ROUNDS]

Two databases are made: matches of bots of about a hundred turns each with some made-up calls, a hundred times over in
the larger one, and a run that goes on, held by this process, with as many matches that wait and two dozen that are
played. Each is served as `parley dashboard` does it. In Chromium: milliseconds from the navigation (or from the last
key) until what was asked for is painted, medians of ROUNDS (default 5) after one that fills the caches; the two
databases take turns, so that a busy machine slows both alike. Before each a turn is written, so that nothing is shown
again that was made before; but what is compared is a run that is over, which is read once: how long that takes is told
beside it. Of the server: processor time while the page Runs is
open and turns are being written, for each of its refreshes, which come every two seconds. Exit status 1 if a goal is
missed.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import cycle
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Browser, BrowserContext, Page

from harness import tournament
from harness.spec import parse
from harness.store import Store
from harness.store.claims import new_owner
from tests.bench.behaviour import Silent, multiply, with_calls
from tests.dashboard.conftest import chromium, served
from tests.dashboard.records import Written, match_record, run_record
from tests.harness.store.samples import call_of

MATCHES, TIMES = 100, 100
PLAYING = 24
GOAL = 2.0
REFRESH_SECONDS = 2
WINDOW = 6.0
"""Seconds of one reading of the server's processor time."""
WRITES = 0.25
"""Seconds between two turns meanwhile."""
RUN = f"""
name: finished
seed: 7
matches: {MATCHES}
parallel: 4
games: [{{game: so_long_sucker, options: {{chips: 5}}}}]
players: [{{label: greedy, bot: greedy}}, {{label: banker, bot: banker}}, {{label: turncoat, bot: turncoat}},
  {{label: random, bot: random}}]
talk: {{messages: 1, chars: 160, private: true, round: 8}}
"""
LABELS = ("one", "two", "three", "four")
DONE, GOING = 1, 2
"""The ids of the two runs."""
SEEN = """
const roots = (window.roots = [document]);
const attach = Element.prototype.attachShadow;
Element.prototype.attachShadow = function (options) {
  const root = attach.call(this, options);
  roots.push(root);
  return root;
};
window.count = (wanted) => roots.reduce((sum, root) => sum + root.querySelectorAll(wanted).length, 0);
window.until = (wanted, number) => new Promise((resolve) => {
  const look = () => {
    if (window.count(wanted) < number) requestAnimationFrame(look);
    // When it has been painted: the next frame is asked for, and what follows it.
    else requestAnimationFrame(() => setTimeout(() => resolve(performance.now()), 0));
  };
  look();
});
"""
TYPE = """async () => {
  const filter = roots.map((root) => root.querySelector(".rl-filter")).find(Boolean);
  const page = roots.map((root) => root.querySelector(".rl-page")).find(Boolean);
  const before = page.textContent;
  const begun = performance.now();
  filter.value = "2 greedy finished";
  filter.dispatchEvent(new InputEvent("input", { bubbles: true }));
  while (page.textContent === before) await new Promise(requestAnimationFrame);
  await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0)));
  return performance.now() - begun;
}"""


class Shown(NamedTuple):
    """A page: its address, and so many of what show that it is there."""

    address: str
    wanted: str
    number: int = 1


PAGES = {
    "Runs, the newest (some are played)": Shown("", ".rl-row", 25),
    "Runs, one that is over": Shown(f"?run={DONE}", ".rl-row", 25),
    "Runs, its last sheet": Shown(f"?run={DONE}&sheet=999999", ".rl-row", 25),
    "Runs, its finished ones that fit a filter": Shown(f"?run={DONE}&text=2+BANKER&status=finished", ".rl-row", 15),
    "Runs, a filter that nothing fits": Shown(f"?run={DONE}&text=nobody%25", ".rl-none:not([hidden])"),
    "Replay": Shown(f"?match={MATCHES}", ".pl[data-ready] svg"),
    "Live, eight boards": Shown(f"?page=live&size=8&run={GOING}", ".wl-cell svg", 8),
    "Find, fifty hits": Shown(f"?page=find&run={DONE}&words=red", ".fd-hit", 50),
}
ALONE = """async () => {
  const first = () => roots.flatMap((root) => [...root.querySelectorAll(".sh")])[0];
  while (first()?.querySelectorAll("tbody tr").length !== 1) await new Promise(requestAnimationFrame);
  return performance.now();
}"""
CHART, TABLE = "[data-testid=stVegaLiteChart] svg.marks", ".sh tbody tr"
COMPARED = {
    "Leaderboard": Shown(f"?page=leaderboard&run={DONE}", f"{CHART}, {TABLE}", 3 + 4),
    "Head to head": Shown(f"?page=head_to_head&run={DONE}", f"{CHART}, {TABLE}", 2 + 6),
    "Seats": Shown(f"?page=seats&run={DONE}", f"{CHART}, {TABLE}", 3 + 4),
    "Failures": Shown(f"?page=failures&run={DONE}", TABLE, 4),
}


class Served(NamedTuple):
    """A dashboard, its process, and in turn the matches of its database that are being played."""

    address: str
    process: int
    playing: Iterator[Written]

    def write(self) -> None:
        """A turn, or words where a match is over: what was shown before is not what stands there now."""
        match = next(self.playing)
        if match.to_act is not None:
            match.turn()
        else:
            match.say(match.seats[0], "all", "good game")


def make(path: Path) -> None:
    """A run of bots that is over, with a call for every third decision."""
    with Store.open(path) as store:
        asyncio.run(tournament.run(parse(RUN, "pages.yaml"), store, progress=Silent()))
        store.add_call(call_of(match_id=1, cached_tokens=300, reasoning_tokens=20, latency_ms=900.0)).result()
    with_calls(path)


def begin(store: Store, matches: int) -> list[Written]:
    """A run of so many matches that this process holds; those of it that are being played."""
    run = store.create_run(run_record("going on"), [match_record(number, LABELS) for number in range(matches)]).result()
    assert run == GOING
    assert store.claim_run(run, new_owner(), 36_000).result() is None
    playing = [Written(store, match) for match in store.matches(run)[:PLAYING]]
    for match in playing:
        for _ in range(10):
            match.turn()
    return playing


@contextmanager
def serve(path: Path, matches: int) -> Iterator[Served]:
    """The database with a run that goes on, served."""
    with Store.open(path) as store:
        playing = begin(store, matches)
        before = _children()
        with served(path) as address:
            (process,) = _children() - before
            yield Served(address, process, cycle(playing))


def _children() -> set[int]:
    return {int(pid) for task in Path("/proc/self/task").iterdir() for pid in (task / "children").read_text().split()}


def opened(context: BrowserContext, address: str, shown: Shown) -> tuple[float, Page]:
    """Milliseconds from the navigation until it is painted, and the page."""
    page = context.new_page()
    page.add_init_script(SEEN)
    page.goto(address + shown.address, wait_until="commit")
    taken = page.evaluate("([wanted, number]) => window.until(wanted, number)", [shown.wanted, shown.number])
    return float(taken), page


def opening(context: BrowserContext, both: Sequence[Served], shown: Shown, rounds: int) -> list[float]:
    """Milliseconds of a page for each database, in turn."""
    taken: list[list[float]] = [[] for _ in both]
    for number in range(rounds + 1):
        for times, one in zip(taken, both, strict=True):
            one.write()
            milliseconds, page = opened(context, one.address, shown)
            page.close()
            if number:
                times.append(milliseconds)
    return [statistics.median(times) for times in taken]


def compared(
    context: BrowserContext, both: Sequence[Served], shown: Shown, rounds: int
) -> tuple[list[float], list[float]]:
    """Milliseconds of a page that was read already, for each database in turn, and of its first time."""
    first = [opening_once(context, one, shown) for one in both]
    return opening(context, both, shown, rounds), first


def opening_once(context: BrowserContext, one: Served, shown: Shown) -> float:
    """Milliseconds of a page."""
    milliseconds, page = opened(context, one.address, shown)
    page.close()
    return milliseconds


def choosing(context: BrowserContext, both: Sequence[Served], rounds: int) -> list[float]:
    """Milliseconds from a click on a player in the leaderboard's filter until it stands there alone."""
    taken: list[list[float]] = [[] for _ in both]
    for number in range(rounds + 1):
        for times, one in zip(taken, both, strict=True):
            _, page = opened(context, one.address, COMPARED["Leaderboard"])
            page.get_by_role("combobox", name="Player").click()
            page.get_by_role("option").nth(1 + number % 4).wait_for()
            one.write()
            begun = page.evaluate("performance.now()")
            page.get_by_role("option").nth(1 + number % 4).click()
            milliseconds = page.evaluate(ALONE)
            page.close()
            if number:
                times.append(float(milliseconds) - begun)
    return [statistics.median(times) for times in taken]


def typing(context: BrowserContext, both: Sequence[Served], rounds: int) -> list[float]:
    """Milliseconds from typing a filter until what fits it is listed; 200 of them are the page's own pause."""
    taken: list[list[float]] = [[] for _ in both]
    for number in range(rounds + 1):
        for times, one in zip(taken, both, strict=True):
            _, page = opened(context, one.address, PAGES["Runs, one that is over"])
            one.write()
            milliseconds = page.evaluate(TYPE)
            page.close()
            if number:
                times.append(float(milliseconds))
    return [statistics.median(times) for times in taken]


def refreshing(context: BrowserContext, both: Sequence[Served], shown: Shown, rounds: int) -> list[float]:
    """Milliseconds of a server's processor time for each refresh of a page while turns are being written."""
    pages = [opened(context, one.address, shown)[1] for one in both]
    taken: list[list[float]] = [[] for _ in both]
    for number in range(rounds + 1):
        before = [_processor(one.process) for one in both]
        until = time.monotonic() + WINDOW
        while time.monotonic() < until:
            for one in both:
                one.write()
            # Turns come at this pace whatever the machine does; nothing is right because of it.
            pages[0].wait_for_timeout(WRITES * 1000)
        for times, one, begun in zip(taken, both, before, strict=True):
            if number:
                times.append((_processor(one.process) - begun) * 1000 * REFRESH_SECONDS / WINDOW)
    for page in pages:
        page.close()
    return [statistics.median(times) for times in taken]


def _processor(process: int) -> float:
    """Seconds of processor time that a process and what it started have taken so far."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def measure(browser: Browser, both: Sequence[Served], rounds: int) -> int:
    """Print the table; how many goals are missed."""
    missed = 0
    print(f"{'what':<64}{'100 matches':>13}{'10,000':>11}{'ratio':>8}{'goal':>7}")

    def told(what: str, few: float, many: float) -> None:
        nonlocal missed
        met = many <= few * GOAL
        missed += not met
        verdict = "met" if met else "missed"
        print(f"{what:<64}{few:>10.0f} ms{many:>8.0f} ms{many / few:>8.2f}{GOAL:>7g}  {verdict}", flush=True)

    with browser.new_context(reduced_motion="reduce", viewport={"width": 1280, "height": 900}) as context:
        context.set_default_timeout(60_000)
        for what, shown in PAGES.items():
            told(what, *opening(context, both, shown, rounds))
        for what, shown in COMPARED.items():
            warm, cold = compared(context, both, shown, rounds)
            told(what, *warm)
            print(f"{f'  its first time: {what}':<64}{cold[0]:>10.0f} ms{cold[1]:>8.0f} ms", flush=True)
        told("Leaderboard, a player chosen", *choosing(context, both, rounds))
        told("Runs, a filter typed", *typing(context, both, rounds))
        names = list(PAGES)[:4]
        for what in names:
            told(f"server, a refresh: {what}", *refreshing(context, both, PAGES[what], rounds))
    return missed


def main() -> int:
    """Make, measure; the exit status."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        few, many = Path(folder, "few.db"), Path(folder, "many.db")
        begun = time.perf_counter()
        make(few)
        shutil.copy(few, many)
        multiply(many, TIMES)
        both = [
            stack.enter_context(serve(path, matches)) for path, matches in ((few, MATCHES), (many, MATCHES * TIMES))
        ]
        turns = [_turns(path) for path in (few, many)]
        took = time.perf_counter() - begun
        print(f"{turns[0]:,} and {turns[1]:,} turns, {many.stat().st_size / 1e6:,.0f} MB, made in {took:.0f} s")
        return int(measure(stack.enter_context(chromium()), both, rounds) > 0)


def _turns(path: Path) -> int:
    with Store.open_readonly(path) as store:
        return sum(match.plies for match in store.matches(DONE))


if __name__ == "__main__":
    sys.exit(main())
