"""Takes the pictures of the documents from a real run: `python -m tests.dashboard.pictures DB MATCH PLY FOLDER`.

With `--board NAME` it takes one picture of that name: that ply, beside nothing else.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from tests.dashboard.conftest import chromium, served


def opened(browser: Browser, address: str, width: int, height: int, *, dark: bool = False) -> Page:
    """A page that shows what it should."""
    page = browser.new_page(
        viewport={"width": width, "height": height},
        color_scheme="dark" if dark else "light",
        reduced_motion="reduce",
        device_scale_factor=1.5,
    )
    page.goto(address)
    expect(page.locator(".pl, .rl")).to_be_visible(timeout=60000)
    page.evaluate("document.fonts.ready")
    return page


def take(database: Path, match: int, ply: int, folder: Path) -> None:
    """One picture a file."""
    folder.mkdir(parents=True, exist_ok=True)
    with served(database) as address, chromium() as browser:
        replay = f"{address}?match={match}&ply={ply}"
        page = opened(browser, replay, 1280, 1120)
        page.locator(".pl-drawer-head").click()
        # The board takes the window's height; here it leaves room for what is below.
        page.locator(".sls").evaluate("(board) => { board.style.maxHeight = '470px'; }")
        page.screenshot(path=folder / "replay.png")
        opened(browser, replay, 1280, 840, dark=True).screenshot(path=folder / "replay-dark.png")
        opened(browser, replay, 390, 844).screenshot(path=folder / "replay-phone.png", full_page=True)
        opened(browser, address, 1280, 620).screenshot(path=folder / "runs.png")
        page = opened(browser, replay, 1280, 840)
        page.locator(".pl-drawer-head").click()
        page.locator(".pl-drawer").screenshot(path=folder / "decision.png")


def take_board(database: Path, match: int, ply: int, file: Path) -> None:
    """One picture of the player at that ply."""
    with served(database) as address, chromium() as browser:
        opened(browser, f"{address}?match={match}&ply={ply}", 1280, 860).screenshot(path=file)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.dashboard.pictures", description=__doc__)
    parser.add_argument("database", type=Path)
    parser.add_argument("match", type=int)
    parser.add_argument("ply", type=int)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--board", metavar="NAME")
    wanted = parser.parse_args()
    if wanted.board:
        take_board(wanted.database, wanted.match, wanted.ply, wanted.folder / f"{wanted.board}.png")
    else:
        take(wanted.database, wanted.match, wanted.ply, wanted.folder)
