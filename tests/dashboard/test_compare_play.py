"""Pages on how players play, in Chromium, over runs that were played: bots that promise, and models that cost."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from harness.store import Store
from harness.views import alliances, behaviour, cost, player
from harness.views.base import EVERYTHING, Choice, Section, Sheet
from harness.views.results import Results
from tests.dashboard.conftest import OpenPage, parley, served
from tests.dashboard.records import IMAGE
from tests.providers.behaviours import legal
from tests.providers.server import Loopback

PAGES = {"player": player.view, "cost": cost.view, "behaviour": behaviour.view, "alliances": alliances.view}
SMALL = f"small {IMAGE} with a name of sixty letters"
BOTS = """
name: bots
seed: 3
matches: 80
games: [{game: so_long_sucker, options: {chips: 2}}]
players: [{label: greedy, bot: greedy}, {label: banker, bot: banker}, {label: turncoat, bot: turncoat},
  {label: random, bot: random}, {label: turncoat-two, bot: turncoat}]
talk: {messages: 1, chars: 160, private: true, round: 4}
pledges: silent
"""
MODELS = """
name: models
seed: 4
matches: 4
parallel: 2
games: [{game: so_long_sucker, options: {chips: 2}}]
players:
  - {label: large, model: openai/large, api_base: "%(base)s", api_key_env: PARLEY_TEST_KEY,
     price: {input: 3.0, output: 9.0}}
  - {label: "%(small)s", model: openai/small, api_base: "%(base)s", api_key_env: PARLEY_TEST_KEY,
     price: {input: 0.1, output: 0.3}}
  - {label: unknown, model: openai/unknown, api_base: "%(base)s", api_key_env: PARLEY_TEST_KEY}
  - {label: greedy, bot: greedy}
talk: {messages: 1, private: true, round: 0}
"""


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("plays")
    found = folder / "parley.db"
    with Loopback(legal("hash", IMAGE)) as provider:
        for name, text in (("bots", BOTS), ("models", MODELS % {"base": provider.api_base, "small": SMALL})):
            file = folder / f"{name}.yaml"
            file.write_text(text)
            parley("run", str(file), "--db", str(found), environment={"PARLEY_TEST_KEY": "any"})
    return found


@pytest.fixture(scope="module")
def site(path: Path) -> Iterator[str]:
    with served(path) as address:
        yield address


@cache
def sections(path: Path, name: str, run: str, choice: Choice = EVERYTHING) -> list[Section]:
    """What the page is made of, from a database that nobody changes any more."""
    with Store.open_readonly(path) as store:
        record = next(one for one in store.runs() if one.name == run)
        return list(PAGES[name](Results(store, record), choice))


def opened(page: Page, site: str, path: Path, name: str, run: str, rest: str = "", choice: Choice = EVERYTHING) -> Page:
    """The page with all its charts."""
    with Store.open_readonly(path) as store:
        number = next(one.id for one in store.runs() if one.name == run)
    page.goto(f"{site}?page={name}&run={number}{rest}")
    expect(page.locator(".cp-section").first).to_be_visible()
    wanted = sum(len(section.charts) for section in sections(path, name, run, choice))
    expect(page.locator("[data-testid=stVegaLiteChart] svg.marks")).to_have_count(wanted)
    return page


def table(page: Page, title: str) -> Locator:
    return page.locator(".sh", has=page.get_by_role("heading", name=title, exact=True))


def chart(page: Page, title: str) -> Locator:
    """The first chart under that title."""
    head = page.locator("h3.cp-chart", has_text=re.compile(f"^{re.escape(title)}$")).first
    return head.locator("xpath=following::*[@data-testid='stVegaLiteChart'][1]")


@pytest.mark.parametrize("run", ["bots", "models"])
@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize(("width", "dark"), [(1280, True), (390, False)])
def test_a_page_fits_and_is_read(
    new_page: OpenPage, site: str, path: Path, name: str, width: int, dark: bool, run: str
) -> None:
    page = opened(new_page(width, dark=dark), site, path, name, run)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    main = page.locator("[data-testid=stMain]")
    assert main.evaluate("(main) => main.scrollWidth <= main.clientWidth"), "nothing is wider than the page"
    frame = """(chart) => {
      const { left, right } = (chart.closest("[class*=cp-scroll]") ?? chart).getBoundingClientRect();
      return [left, right];
    }"""
    for chart in page.locator("[data-testid=stVegaLiteChart] svg.marks").all():
        left, right = chart.evaluate(frame)
        assert left >= 0
        assert right <= width + 1, "a wide chart scrolls in its own box"
    if (name, width) == ("alliances", 390):
        # The last four are by tenths of a match and by seats.
        maps = page.locator("[class*=st-key-cp-scroll]")
        unread = """(all) => all.slice(0, -4).filter((one) => one.scrollWidth > one.clientWidth
          || [...one.querySelectorAll(".mark-text text[font-size='12px'][opacity='0']")].length).length"""
        assert maps.evaluate_all(unread) == 0, "maps of five players are seen whole, with their numbers"
    assert page.locator(".stMain img, .sh img").count() == 0
    expect(page.locator(".cp-section", has_text=f"From {80 if run == 'bots' else 4} of").first).to_be_visible()
    assert page.title() == f"Parley · {name.capitalize()}"
    expect(page.locator(".parley-nav a[aria-current]")).to_be_in_viewport()


def test_small_charts_stand_side_by_side_where_there_is_room(new_page: OpenPage, site: str, path: Path) -> None:
    for width, beside in ((1280, True), (390, False)):
        page = opened(new_page(width), site, path, "behaviour", "bots")
        first, second = (one.bounding_box() for one in page.locator("[data-testid=stVegaLiteChart]").all()[:2])
        assert first is not None
        assert second is not None
        assert (first["x"] + first["width"] <= second["x"]) is beside


def test_a_title_says_what_is_measured(new_page: OpenPage, site: str, path: Path) -> None:
    page = opened(new_page(), site, path, "behaviour", "bots")
    definition = page.get_by_text("Numerator: 1 for a first place of its own, 1/k for one that k share.")
    expect(definition).to_be_hidden()
    page.locator(".cp-help summary", has_text="Won by seat").click()
    expect(definition).to_be_visible()


@pytest.mark.parametrize(("name", "rest"), [("behaviour", ""), ("player", "&player=turncoat")])
def test_a_pledge_leads_to_the_ply_that_it_was_made_at(
    new_page: OpenPage, site: str, path: Path, name: str, rest: str
) -> None:
    choice = Choice(player="turncoat") if rest else EVERYTHING
    page = opened(new_page(), site, path, name, "bots", rest, choice)
    pledges = next(
        sheet for one in sections(path, name, "bots", choice) for sheet in one.sheets if sheet.title == "All pledges"
    )
    row = next(row for row in pledges.rows if row.values["verdict"] == "broken")
    box = table(page, "All pledges")
    box.get_by_role("link", name=str(row.values["place"]), exact=True).first.click()
    expect(page).to_have_url(re.compile(rf"match={row.values['match']}&ply={row.values['ply']}$"))
    expect(page.locator(".pl-place")).to_have_text(re.compile(rf"^Ply {row.values['ply']} of \d+$"))


def test_a_cell_leads_to_the_matches_of_both(new_page: OpenPage, site: str, path: Path) -> None:
    page = opened(new_page(), site, path, "alliances", "bots")
    (figure,) = [
        row.values["donated"]
        for row in sections(path, "alliances", "bots")[0].sheets[0].rows
        if (row.values["giver"], row.values["receiver"]) == ("turncoat", "random")
    ]
    donated = chart(page, "Donated")
    donated.scroll_into_view_if_needed()
    cell = donated.locator("text", has_text=re.compile(f"^{figure.value:.2f}$")).first  # type: ignore[union-attr]
    cell.hover()
    tip = page.locator("#vg-tooltip-element")
    expect(tip).to_contain_text("turncoat")
    expect(tip).to_contain_text("of 48 matches")
    cell.click()
    expect(page.locator(".parley-only")).to_contain_text("Only matches with turncoat, random")
    expect(page.locator(".rl-page")).to_have_text("1–25 of 48 matches")


def test_a_dot_of_the_front_leads_to_its_matches(new_page: OpenPage, site: str, path: Path) -> None:
    page = opened(new_page(), site, path, "cost", "models")
    expect(page.locator(".cp-warning", has_text="the price of some calls is not known: unknown")).to_be_visible()
    mark = chart(page, "Cost of a match against the chance to win").locator("text", has_text="large").first
    mark.scroll_into_view_if_needed()
    mark.hover()
    tip = page.locator("#vg-tooltip-element")
    expect(tip).to_contain_text("wins")
    mark.click()
    expect(page.locator(".parley-only")).to_contain_text("Only matches of large")


def test_a_player_is_chosen_by_its_name_and_stays_text(new_page: OpenPage, site: str, path: Path) -> None:
    page = opened(new_page(), site, path, "player", "models")
    page.get_by_role("combobox", name="Player").click()
    page.get_by_role("option", name=re.compile("^small <img")).click()
    expect(page.locator(".cp-section h2").first).to_have_text(SMALL)
    expect(page).to_have_url(re.compile("player=small"))
    row = table(page, "What went wrong").locator("tbody tr", has_text="Illegal answers")
    # While the page is written anew, that of the player shown before is still there.
    expect(row).to_have_count(1)
    expect(row).to_be_visible()
    assert page.locator(".stMain img").count() == 0


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("player", "Against whom"),
        ("cost", "Cost and strength"),
        ("behaviour", "Won by seat: by own seat"),
        ("behaviour", "What a pledge says"),
        ("alliances", "Deeds in a match, by pair"),
    ],
)
def test_a_file_is_the_table(new_page: OpenPage, site: str, path: Path, name: str, title: str) -> None:
    page = opened(new_page(), site, path, name, "bots")
    sheet: Sheet = next(sheet for one in sections(path, name, "bots") for sheet in one.sheets if sheet.title == title)
    if sheet.folded:
        expect(table(page, title)).to_be_hidden()
        page.get_by_test_id("stExpander").get_by_text(title, exact=True).first.click()
    box = table(page, title)
    with page.expect_download() as saved:
        box.get_by_role("button", name=f"Download as CSV: {title}").click()
    assert saved.value.path().read_bytes().decode("utf-8") == sheet.csv()
    assert box.locator("tbody tr").count() == len(sheet.rows)
