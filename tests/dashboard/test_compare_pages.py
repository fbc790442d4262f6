"""Pages that compare, in Chromium: what is seen, what links open, what is taken away, what the address keeps."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

import pytest
from playwright.sync_api import Locator, Page, expect

from harness.store import Store
from harness.views import failures, head_to_head, leaderboard, seats
from harness.views.base import EVERYTHING, Sheet
from harness.views.results import Results
from tests.dashboard import compared
from tests.dashboard.conftest import OpenPage, Serve, served
from tests.dashboard.records import IMAGE

PAGES = {
    "leaderboard": leaderboard.view,
    "head_to_head": head_to_head.view,
    "seats": seats.view,
    "failures": failures.view,
}
CHARTS = {"leaderboard": 3, "head_to_head": 3, "seats": 3, "failures": 3}
"""Of the run with troubles."""
BOB = compared.LABELS[1]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("compared") / "parley.db"
    compared.write(found)
    return found


@pytest.fixture(scope="module")
def site(path: Path) -> Iterator[str]:
    with served(path) as address:
        yield address


@pytest.fixture(scope="module")
def ids(path: Path) -> dict[str, int]:
    with Store.open_readonly(path) as store:
        return {run.name: run.id or 0 for run in store.runs()}


def opened(page: Page, site: str, name: str, rest: str = "", *, charts: int | None = None) -> Page:
    """The page with all that is on it."""
    page.goto(f"{site}?page={name}{rest}")
    # The first page of a server reads the log, and all that reads it, for the first time.
    expect(page.locator(".cp-section").first).to_be_visible(timeout=60_000)
    expect(page.locator(".sh").first).to_be_visible()
    if charts is not None:
        expect(page.locator("[data-testid=stVegaLiteChart] svg.marks")).to_have_count(charts)
    return page


def sheet_of(path: Path, view: str, run: int, begins: str) -> Sheet:
    with Store.open_readonly(path) as store:
        found = store.run(run)
        assert found is not None
        sections = PAGES[view](Results(store, found), EVERYTHING)
        return next(sheet for one in sections for sheet in one.sheets if sheet.name.startswith(begins))


def table(page: Page, title: str) -> Locator:
    return page.locator(".sh", has=page.get_by_role("heading", name=title, exact=True))


def test_a_tool_of_a_chart_is_seen_where_the_keyboard_is(new_page: OpenPage, site: str, ids: dict[str, int]) -> None:
    page = opened(new_page(1280), site, "leaderboard", f"&run={ids[compared.TROUBLED]}", charts=3)
    tools = page.locator("[data-testid=stElementToolbar]").first
    expect(tools).to_have_css("opacity", "0")
    tools.locator("button").first.focus()
    expect(tools).to_have_css("opacity", "1")


def test_long_names_leave_room_for_what_is_told_of_them(new_page: OpenPage, site: str, ids: dict[str, int]) -> None:
    page = opened(new_page(390), site, "head_to_head", f"&run={ids[compared.TROUBLED]}")
    pairs = table(page, "Pairs")
    expect(pairs.locator("thead th").nth(2)).to_have_text("wins of the two")
    named = pairs.locator("tbody tr").first.locator(".sh-name")
    expect(named).to_have_count(2)
    for cell in named.all():
        assert cell.evaluate("(one) => one.clientWidth") < 150
        assert cell.get_attribute("title") == cell.text_content()
        expect(cell.locator("bdi")).to_have_attribute("dir", "ltr")


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize(("width", "dark"), [(1280, True), (390, False)])
def test_a_page_fits_and_is_read(
    new_page: OpenPage, site: str, ids: dict[str, int], name: str, width: int, dark: bool
) -> None:
    page = opened(new_page(width, dark=dark), site, name, f"&run={ids[compared.TROUBLED]}", charts=CHARTS[name])
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    main = page.locator("[data-testid=stMain]")
    assert main.evaluate("(main) => main.scrollWidth <= main.clientWidth"), "nothing is wider than the page"
    for box in page.locator(".sh-box").all():
        edges = box.bounding_box()
        assert edges is not None
        assert edges["x"] >= 0
        assert edges["x"] + edges["width"] <= width, "a wide table scrolls in its own box"
    frame = """(chart) => (chart.closest("[class*=cp-scroll]") ?? chart).getBoundingClientRect().right"""
    for chart in page.locator("[data-testid=stVegaLiteChart] svg.marks").all():
        assert chart.evaluate(frame) <= width + 1, "a wide chart scrolls in its own box"
    assert page.locator(".stMain img, .sh img").count() == 0
    expect(page.locator(".cp-section").first).to_contain_text(
        "From 81 of 96 matches, in 21 packs (3 of them incomplete)."
    )
    assert page.title() == f"Parley · {name.replace('_', ' ').capitalize()}"
    expect(page.locator(".parley-nav a[aria-current]")).to_be_in_viewport()


@pytest.mark.parametrize("name", PAGES)
def test_endless_labels_fit(new_page: OpenPage, site: str, ids: dict[str, int], name: str) -> None:
    page = opened(new_page(390), site, name, f"&run={ids[compared.ENDLESS]}")
    main = page.locator("[data-testid=stMain]")
    assert main.evaluate("(main) => main.scrollWidth <= main.clientWidth")
    assert len(main.inner_text()) < 100_000
    expect(page.locator(".sh", has_text="bbbb").first).to_be_visible()


def test_the_bar_has_two_groups_and_keeps_what_was_chosen(new_page: OpenPage, site: str, ids: dict[str, int]) -> None:
    rest = f"&run={ids[compared.FAIR]}&player=ann&set=seating%3D%22rotate%22"
    page = opened(new_page(), site, "leaderboard", rest)
    watch, compare = (page.get_by_role("group", name=name, exact=True) for name in ("Watch", "Compare"))
    assert watch.get_by_role("link").all_inner_texts() == ["Runs", "Live", "Find"]
    told = compare.get_by_role("link").all_inner_texts()
    assert told[:2] == ["Leaderboard", "Head to head"]
    assert told[-2:] == ["Seats", "Failures"]
    compare.get_by_role("link", name="Seats").click()
    expect(page.locator("h1")).to_have_text("Seats")
    asked = parse_qs(urlsplit(page.url).query)
    assert asked == {
        "page": ["seats"],
        "run": [str(ids[compared.FAIR])],
        "player": ["ann"],
        "set": ['seating="rotate"'],
    }
    watch.get_by_role("link", name="Runs").click()
    expect(page.locator(".rl-name")).to_have_text(compared.FAIR)


def test_the_run_that_is_chosen_in_the_list_is_kept(new_page: OpenPage, site: str) -> None:
    page = new_page()
    page.goto(site)
    page.locator(".rl-card", has_text=compared.SINGLE).click()
    expect(page.locator(".rl-name")).to_have_text(compared.SINGLE)
    page.get_by_role("group", name="Compare", exact=True).get_by_role("link", name="Seats").click()
    expect(page.locator(".cp-section")).to_contain_text("From 4 of 4 matches")
    page.get_by_role("group", name="Watch", exact=True).get_by_role("link", name="Find").press("Enter")
    expect(page).to_have_url(re.compile(r"\?page=find&run=\d+$"))


def test_a_row_leads_to_just_its_matches(new_page: OpenPage, site: str, ids: dict[str, int]) -> None:
    page = opened(new_page(), site, "leaderboard", f"&run={ids[compared.TROUBLED]}")
    table(page, "Players").get_by_role("link", name=BOB).click()
    expect(page.locator(".parley-only")).to_contain_text(f"Only matches of {BOB}")
    # Of 84 that ended, three ended by its forfeit.
    expect(page.locator(".rl-page")).to_have_text("1–25 of 81 matches")
    page.get_by_role("link", name="Show all matches").click()
    expect(page.locator(".rl-page")).to_have_text("1–25 of 96 matches")
    expect(page.locator(".parley-only")).to_have_count(0)
    page.get_by_role("link", name="Compare the players of this run").click()
    expect(page.locator("h1")).to_have_text("Leaderboard")


def test_a_mark_leads_to_its_matches_and_says_its_figures(new_page: OpenPage, site: str, ids: dict[str, int]) -> None:
    page = opened(new_page(), site, "failures", f"&run={ids[compared.TROUBLED]}", charts=3)
    told = table(
        page,
        "Answers that could not be played, and decisions made for a player, in matches that count or ended by forfeit",
    )
    cut = "(cells) => cells.filter((cell) => cell.scrollWidth > cell.clientWidth).length"
    assert told.locator("td:last-child").evaluate_all(cut) == 0, "a sentence is read to its end"
    chart = page.locator("[data-testid=stVegaLiteChart]").first
    # What is drawn above all is the number in the cell.
    cell = chart.locator("text", has_text=re.compile("^3$")).nth(1)
    cell.scroll_into_view_if_needed()
    cell.hover()
    tip = page.locator("#vg-tooltip-element")
    expect(tip).to_contain_text(BOB)
    assert tip.locator("img").count() == 0
    expect(tip).to_contain_text("3 matches of 96")
    cell.click()
    expect(page.locator(".parley-only")).to_contain_text(f"of {BOB}, of So Long Sucker")
    expect(page.locator(".parley-only")).to_contain_text("that ended by forfeit")
    expect(page.locator(".rl-row")).to_have_count(3)


def test_marks_are_reached_and_opened_by_keyboard(new_page: OpenPage, site: str, ids: dict[str, int]) -> None:
    page = opened(new_page(), site, "head_to_head", f"&run={ids[compared.TROUBLED]}", charts=3)
    charts = page.locator("[data-testid=stVegaLiteChart]")
    for chart in charts.all():
        expect(chart.locator("path[tabindex='0']")).to_have_count(1)
    heat, dots = charts.first, charts.last
    heat.locator("path[tabindex='0']").focus()
    marks = heat.get_by_role("link")
    expect(marks.first).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(marks.nth(1)).to_be_focused()
    assert float(marks.nth(1).evaluate("(mark) => parseFloat(getComputedStyle(mark).outlineWidth)")) >= 2
    before = marks.nth(1).bounding_box()
    page.keyboard.press("ArrowDown")
    below = page.locator(":focus").bounding_box()
    assert before is not None
    assert below is not None
    assert (below["x"], below["y"] > before["y"]) == (before["x"], True)
    page.keyboard.press("Shift+Tab")
    assert not page.evaluate("Boolean(document.activeElement.closest('svg.marks'))"), "a chart is one stop"
    dots.locator("path[tabindex='0']").focus()
    page.keyboard.press("End")
    mark = page.locator(":focus")
    expect(mark).to_have_attribute("aria-label", re.compile("^cid : dan "))
    expect(page.locator("#vg-tooltip-element")).to_contain_text("cid : dan")
    mark.press("Enter")
    expect(page.locator(".parley-only")).to_contain_text("Only matches with cid, dan")


def test_another_run_forgets_what_was_asked_exactly(new_page: OpenPage, site: str, ids: dict[str, int]) -> None:
    page = new_page()
    page.goto(f"{site}?run={ids[compared.TROUBLED]}&players=%5B%22eve%22%5D&status=paused")
    expect(page.locator(".rl-row")).to_have_count(6)
    page.locator(".rl-card", has_text=compared.SINGLE).click()
    expect(page.locator(".rl-row")).to_have_count(4)
    assert parse_qs(urlsplit(page.url).query) == {"run": [str(ids[compared.SINGLE])]}


@pytest.mark.parametrize(
    ("name", "title", "begins"),
    [
        ("leaderboard", "Players", "leaderboard"),
        ("leaderboard", "When something else is counted", "sensitivity"),
        ("head_to_head", "Pairs", "head-to-head"),
        ("seats", "Who sat where", "seated"),
        ("failures", "Why matches are missing", "causes"),
    ],
)
def test_a_file_is_the_table(
    new_page: OpenPage, site: str, path: Path, ids: dict[str, int], name: str, title: str, begins: str
) -> None:
    run = ids[compared.TROUBLED]
    sheet = sheet_of(path, name, run, begins)
    page = opened(new_page(), site, name, f"&run={run}")
    box = table(page, title)
    with page.expect_download() as saved:
        box.get_by_role("button", name=f"Download as CSV: {title}").click()
    assert saved.value.suggested_filename.endswith(".csv")
    assert "<" not in saved.value.suggested_filename
    text = saved.value.path().read_bytes().decode("utf-8")
    assert text == sheet.csv()
    read = list(csv.reader(io.StringIO(text, newline="")))
    assert len(read) == len(sheet.rows) + 1
    assert box.locator("tbody tr").count() == len(sheet.rows)


def test_a_click_on_a_head_sorts(new_page: OpenPage, site: str, ids: dict[str, int]) -> None:
    page = opened(new_page(), site, "leaderboard", f"&run={ids[compared.TROUBLED]}")
    box = table(page, "Players")
    assert box.locator("tbody th").all_inner_texts()[0] == "ann"
    head = box.get_by_role("columnheader", name="won", exact=True)
    head.get_by_role("button").click()
    expect(head).to_have_attribute("aria-sort", "descending")
    assert box.locator("tbody th").all_inner_texts()[0] == "ann"
    head.get_by_role("button").click()
    expect(head).to_have_attribute("aria-sort", "ascending")
    names = box.locator("tbody th").all_inner_texts()
    assert names[0].startswith("dan")
    assert names[-1] == "eve", "what is open stays last"
    box.get_by_role("columnheader", name="player").get_by_role("button").press("Enter")
    assert box.locator("tbody th").all_inner_texts() == sorted(names, key=str.casefold)


def test_filters_are_written_into_the_address(new_page: OpenPage, site: str, ids: dict[str, int]) -> None:
    page = opened(new_page(), site, "leaderboard", f"&run={ids[compared.FAIR]}")
    page.get_by_role("combobox", name="Player").click()
    page.get_by_role("option", name="cid").click()
    expect(page).to_have_url(re.compile("player=cid"))
    expect(table(page, "Players").locator("tbody tr")).to_have_count(1)
    other = opened(new_page(), site, page.url.partition("?page=")[2])
    expect(table(other, "Players").locator("tbody tr")).to_have_count(1)
    expect(other.get_by_role("combobox", name="Player")).to_have_value("cid")


def test_two_runs_stand_below_each_other_or_are_pooled(new_page: OpenPage, site: str, ids: dict[str, int]) -> None:
    both = f"&run={ids[compared.FAIR]}&run={ids[compared.SINGLE]}"
    page = opened(new_page(), site, "leaderboard", both)
    expect(page.locator(".cp-run")).to_have_text([compared.FAIR, compared.SINGLE])
    page.get_by_text("Pool the runs").click()
    expect(page.locator(".cp-section")).to_have_count(1)
    expect(page.locator(".cp-section")).to_contain_text("From 100 of 100 matches, in 25 packs.")
    expect(page.locator(".cp-section")).to_contain_text("Pooled over 2 runs")
    expect(page).to_have_url(re.compile("pool=1"))
    expect(page.get_by_text("Pool the runs")).to_be_visible()


def test_what_is_there_is_shown_again_to_everybody(new_page: OpenPage, site: str, ids: dict[str, int]) -> None:
    def read_at(page: Page) -> str:
        return page.locator(".cp-status time").get_attribute("datetime") or ""

    first = read_at(opened(new_page(), site, "seats", f"&run={ids[compared.FIXED]}"))
    assert read_at(opened(new_page(), site, "seats", f"&run={ids[compared.FIXED]}")) == first
    page = opened(new_page(), site, "leaderboard", f"&run={ids[compared.FIXED]}")
    assert read_at(page) == first, "one reading for all pages"
    page.get_by_role("button", name="Read again").click()
    expect(page.locator(".cp-status time")).not_to_have_attribute("datetime", first)


def test_what_is_newer_is_offered_and_not_forced(new_page: OpenPage, serve: Serve, tmp_path: Path) -> None:
    file = tmp_path / "parley.db"
    with Store.open(file) as store:
        matches = compared.played(store, compared.run_of("going on"), 8)
        page = opened(new_page(), serve(file), "leaderboard")
        expect(page.locator(".cp-section")).to_contain_text("From 8 of 8 matches")
        store.set_match(matches[0].id or 0, "void", "by hand").result()
        # Whatever the reader does next brings the news (or a look every now and then), and nothing else.
        page.get_by_role("combobox", name="Player").click()
        page.get_by_role("option", name="ann").click()
        expect(page.locator(".cp-status")).to_contain_text("Something newer was written since.")
        expect(page.locator(".cp-section")).to_contain_text("From 8 of 8 matches")
        page.get_by_role("button", name="Read what is newer").click()
        expect(page.locator(".cp-section")).to_contain_text("From 7 of 8 matches")
        expect(page.locator(".cp-status")).not_to_contain_text("Something newer")


@pytest.mark.parametrize("rest", ["&run=999", "&run=x&game=%3Cimg%3E", "&set=a%3D%3Cb%3E", f"&player={IMAGE}"])
def test_addresses_that_make_no_sense_are_no_fault(new_page: OpenPage, site: str, rest: str) -> None:
    page = new_page()
    page.goto(f"{site}?page=leaderboard{rest}")
    expect(page.locator(".cp-status")).to_be_visible()
    if "run=999" not in rest:
        expect(page.get_by_text("Not there, and left out:")).to_be_visible()
    expect(page.locator(".cp-section").first).to_be_visible()
    if "999" in rest:
        expect(page.get_by_text("There is no run 999 in this database")).to_be_visible()
    assert page.locator(".stMain img").count() == 0


def test_a_run_is_asked_for_by_name_too(new_page: OpenPage, site: str) -> None:
    page = opened(new_page(), site, "seats", f"&run={quote(compared.TROUBLED)}&run=nobody")
    expect(page.locator(".cp-status")).to_contain_text(compared.TROUBLED)
    expect(page.get_by_text("There is no run nobody in this database")).to_be_visible()


def test_a_run_without_matches_and_no_database(
    new_page: OpenPage, site: str, ids: dict[str, int], serve: Serve, tmp_path: Path
) -> None:
    page = new_page()
    page.goto(f"{site}?page=seats&run={ids[compared.EMPTY]}")
    expect(page.get_by_text("This run has no matches yet.")).to_be_visible()
    page.goto(f"{serve(tmp_path / 'none.db')}?page=seats")
    expect(page.get_by_text("parley run runs/bots.yaml")).to_be_visible()
