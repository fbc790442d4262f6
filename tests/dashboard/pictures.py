"""Takes the pictures of the documents from a real run: `python -m tests.dashboard.pictures DB MATCH PLY FOLDER`.

With `--board NAME` it takes one picture of that name: that ply, beside nothing else.

`python -m tests.dashboard.pictures DB --compare RUN FOLDER` takes one of every page that compares; with `--ways` each
in the light, in the dark and on a phone.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from harness.store import Store
from tests.dashboard.conftest import chromium, served

WORDS = "donate"
"""What the picture of the page Find looks for, in the match's run."""


def opened(browser: Browser, address: str, width: int, height: int, *, dark: bool = False) -> Page:
    """A page that shows what it should."""
    page = browser.new_page(
        viewport={"width": width, "height": height},
        color_scheme="dark" if dark else "light",
        reduced_motion="reduce",
        device_scale_factor=1.5,
    )
    page.goto(address)
    expect(page.locator(".pl[data-complete], .rl, .fd-hit").first).to_be_visible(timeout=60000)
    page.evaluate("document.fonts.ready")
    return page


def take(database: Path, match: int, ply: int, folder: Path) -> None:
    """One picture a file."""
    folder.mkdir(parents=True, exist_ok=True)
    with Store.open_readonly(database) as store:
        shown = store.match(match)
        assert shown is not None, f"there is no match {match}"
        run = shown.run_id
    with served(database) as address, chromium() as browser:
        replay = f"{address}?match={match}&ply={ply}"
        page = opened(browser, replay, 1280, 1120)
        page.locator(".pl-drawer-head").click()
        # The board takes the window's height; here it leaves room for what is below.
        page.locator(".sls").evaluate("(board) => { board.style.maxHeight = '470px'; }")
        page.screenshot(path=folder / "replay.png")
        opened(browser, replay, 1280, 840, dark=True).screenshot(path=folder / "replay-dark.png")
        opened(browser, replay, 390, 844).screenshot(path=folder / "replay-phone.png", full_page=True)
        opened(browser, f"{address}?run={run}", 1280, 620).screenshot(path=folder / "runs.png")
        opened(browser, f"{address}?page=find&run={run}&words={WORDS}", 1280, 760).screenshot(path=folder / "find.png")
        page = opened(browser, replay, 1280, 840)
        page.locator(".pl-drawer-head").click()
        page.locator(".pl-drawer").screenshot(path=folder / "decision.png")


def take_board(database: Path, match: int, ply: int, file: Path) -> None:
    """One picture of the player at that ply."""
    with served(database) as address, chromium() as browser:
        opened(browser, f"{address}?match={match}&ply={ply}", 1280, 860).screenshot(path=file)


COMPARED = ("leaderboard", "head_to_head", "player", "cost", "behaviour", "alliances", "seats", "failures")
WAYS = {"": (1280, False), "-dark": (1280, True), "-phone": (390, False)}
DRAWN = """() => {
  const count = (what) => document.querySelectorAll(what).length;
  const done = count("[data-test-script-state=notRunning]") && !count("[data-stale=true]");
  return done && count("[data-testid=stVegaLiteChart] svg.marks") === count(".cp-chart");
}"""
MOST_HIGH = 1500
"""Pixels: further down are tables."""


def take_compared(database: Path, run: str, folder: Path, *, ways: bool) -> None:
    """A picture of each page that compares the players of a run."""
    folder.mkdir(parents=True, exist_ok=True)
    with Store.open_readonly(database) as store:
        found = store.run(run)
    if found is None:
        raise SystemExit(f"there is no run {run} in {database}")
    with served(database) as address, chromium() as browser:
        for page_name in COMPARED:
            for way, (width, dark) in WAYS.items() if ways else [("", WAYS[""])]:
                page = browser.new_page(
                    viewport={"width": width, "height": 1000}, color_scheme="dark" if dark else "light"
                )
                page.goto(f"{address}?page={page_name}&run={found.id}")
                expect(page.locator(".sh, .cp-section").first).to_be_visible(timeout=120_000)
                page.wait_for_function(DRAWN, timeout=120_000)
                high = page.locator(".stMainBlockContainer").evaluate("(main) => main.scrollHeight")
                page.set_viewport_size({"width": width, "height": int(high) if ways else min(int(high), MOST_HIGH)})
                page.wait_for_timeout(1500)
                page.screenshot(path=folder / f"{page_name}{way}.png")
                page.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.dashboard.pictures", description=__doc__)
    parser.add_argument("database", type=Path)
    parser.add_argument("match", type=int, nargs="?", default=1)
    parser.add_argument("ply", type=int, nargs="?", default=0)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--board", metavar="NAME")
    parser.add_argument("--compare", metavar="RUN")
    parser.add_argument("--ways", action="store_true")
    wanted = parser.parse_args()
    if wanted.compare:
        take_compared(wanted.database, wanted.compare, wanted.folder, ways=wanted.ways)
    elif wanted.board:
        take_board(wanted.database, wanted.match, wanted.ply, wanted.folder / f"{wanted.board}.png")
    else:
        take(wanted.database, wanted.match, wanted.ply, wanted.folder)
