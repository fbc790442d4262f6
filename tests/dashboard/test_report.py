"""The report of a run in Chromium: opened from a disk, without a network and without a script."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.dashboard.conftest import Database, OpenPage, parley
from tests.dashboard.records import IMAGE


@pytest.fixture(scope="module")
def file(database: Database, tmp_path_factory: pytest.TempPathFactory) -> Path:
    # Pages that are opened from a disk are watched by this name.
    path = tmp_path_factory.mktemp("report") / "match.html"
    parley("report", "live", "-o", str(path), "--db", str(database.path))
    return path


def opened(new_page: OpenPage, file: Path, *, width: int = 1280, dark: bool = False) -> Page:
    page = new_page(width, dark=dark)
    page.goto(file.as_uri())
    return page


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [390, 1280])
def test_it_fits_any_window(new_page: OpenPage, file: Path, width: int, dark: bool) -> None:
    page = opened(new_page, file, width=width, dark=dark)
    expect(page.get_by_role("heading", level=1)).to_have_text("live")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    # Maps of many players scroll in their own box; whatever has an axis of figures is seen whole.
    charts = page.locator("figure .scroll:has(.mark-symbol)")
    assert charts.count() > 4
    assert charts.evaluate_all("all => all.filter((one) => one.scrollWidth > one.clientWidth).length") == 0


def test_its_charts_are_drawn_in_the_colour_of_its_words(new_page: OpenPage, file: Path) -> None:
    for dark in (False, True):
        page = opened(new_page, file, dark=dark)
        word = page.locator("figure svg text").first
        colour = page.evaluate("getComputedStyle(document.body).color")
        assert word.evaluate("one => getComputedStyle(one).fill") == colour


def test_a_link_of_the_contents_leads_to_its_part(new_page: OpenPage, file: Path) -> None:
    page = opened(new_page, file)
    page.get_by_role("navigation").get_by_role("link", name="Failures and missing").click()
    expect(page.get_by_role("heading", name="Failures and missing", level=2)).to_be_in_viewport()


def test_a_harmful_label_is_text(new_page: OpenPage, file: Path) -> None:
    page = opened(new_page, file)
    assert page.locator("img").count() == 0
    expect(page.get_by_text(IMAGE).first).to_be_attached()


def test_a_table_is_taken_away_as_csv(new_page: OpenPage, file: Path) -> None:
    page = opened(new_page, file)
    with page.expect_download() as taken:
        page.locator("section", has=page.locator("#matches")).get_by_role("link", name="CSV").click()
    lines = Path(taken.value.path()).read_text(encoding="utf-8").splitlines()
    assert len(lines) == 1 + 60
