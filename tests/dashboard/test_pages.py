"""The dashboard as `parley dashboard` serves it, in Chromium."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from harness.store import Store
from tests.dashboard.conftest import Database, OpenPage, Serve, served
from tests.dashboard.records import BRACKETS, IMAGE, SCRIPT, SECRET, Written, match_record, run_record


def replay_at(page: Page, dashboard: str, match: int, rest: str = "") -> None:
    """Open a replay."""
    page.goto(f"{dashboard}?match={match}{rest}")
    expect(page.locator(".pl")).to_be_visible()


def test_from_the_runs_to_the_end_of_a_replay(new_page: OpenPage, dashboard: str, database: Database) -> None:
    page = new_page()
    page.goto(dashboard)
    page.locator(".rl-card", has_text="first").click()
    row = page.locator(f".rl-row[data-match='{database.played}']")
    expect(row).to_contain_text("finished")
    winner = row.locator("td").nth(4).inner_text()
    plies = row.locator("td").nth(5).inner_text()
    row.get_by_role("link", name="Replay").click()
    expect(page).to_have_url(re.compile(rf"/\?match={database.played}$"))
    expect(page.locator(".pl-place")).to_have_text(f"Ply 0 of {plies}")
    page.keyboard.press("End")
    expect(page.locator(".pl-winner")).to_have_text(re.compile(rf"^\w+ \({winner}\) wins$"))
    expect(page).to_have_url(re.compile(rf"ply={plies}$"))
    page.keyboard.press("ArrowLeft")
    expect(page).to_have_url(re.compile(rf"ply={int(plies) - 1}$"))
    page.reload()
    expect(page.locator(".pl-place")).to_have_text(f"Ply {int(plies) - 1} of {plies}")
    assert page.title() == "Parley · Replay"


def test_what_a_model_was_asked_and_said(new_page: OpenPage, dashboard: str, database: Database) -> None:
    with Store.open_readonly(database.path) as store:
        refused = next(call for call in store.calls(database.played, prompts=True) if call.error_kind == "illegal")
    page = new_page()
    replay_at(page, dashboard, database.played, f"&ply={refused.ply}")
    page.locator(".pl-drawer-head").click()
    first = page.locator(".pl-attempt").first
    expect(first).to_contain_text("illegal")
    expect(first.locator(".pl-reply pre")).to_have_text('{"actions": ["fly to the moon"]}')
    first.get_by_text(re.compile(r"^Prompt \(\d+ messages?\)$")).click()
    expect(first.locator(".pl-prompt pre").first).to_have_text(refused.prompt[0].text)
    first.get_by_text("Reasoning", exact=True).click()
    expect(first.locator(".pl-reasoning pre")).to_have_text(SCRIPT)
    expect(page.locator(".pl-chat")).to_contain_text(IMAGE)


def test_names_written_from_right_to_left_stay_in_their_place(tmp_path: Path, new_page: OpenPage, serve: Serve) -> None:
    name, labels = "\u05e9\u05dc\u05d5\u05dd", ("\u05d0\u05d1", "\u05d2\u05d3", "\u05d4\u05d5", "\u05d6\u05d7")
    path = tmp_path / "parley.db"
    with Store.open(path) as store:
        run = store.create_run(run_record(name, status="finished"), [match_record(0, labels)]).result()
        written = Written(store, store.matches(run)[0])
        written.to_end()
    dashboard = serve(path)
    page = new_page()
    page.goto(dashboard)
    page.get_by_role("button", name="Details").click()
    shown = page.locator(".rl-card-name, .rl-label, .rl-result bdi, .rl-seats td:nth-child(2) > bdi:first-child")
    expect(shown).to_have_count(1 + 4 + 1 + 4)
    far = """(all) => all.map((one) => one.getBoundingClientRect().left
      - one.closest("td, .rl-card, .rl-player").getBoundingClientRect().left)"""
    assert max(shown.evaluate_all(far)) < 40
    replay_at(page, dashboard, written.match_id)
    expect(page.locator(".pl-subtitle")).to_contain_text(f"{name} \u00b7 match {written.match_id}")
    told = page.locator(".pl-subtitle > bdi")
    assert told.first.evaluate("(one) => one.getBoundingClientRect().left") < told.nth(1).evaluate(
        "(one) => one.getBoundingClientRect().left"
    )


def test_harm_stays_text_on_both_pages(new_page: OpenPage, dashboard: str, database: Database) -> None:
    page = new_page()
    page.goto(dashboard)
    card = page.locator(".rl-card", has_text=f"harm {IMAGE}")
    card.click()
    expect(page.locator(".rl-name")).to_have_text(f"harm {IMAGE}")
    expect(page.locator(".rl-row")).to_contain_text(f"house {IMAGE}")
    page.get_by_role("button", name="Details").click()
    expect(page.locator(".rl-detail")).to_contain_text(f"house {IMAGE}")
    assert page.locator(".rl img, .rl script").count() == 0
    page.get_by_role("link", name="Replay").click()
    chat = page.locator(".pl-chat")
    expect(page.locator(".pl")).to_be_visible()
    page.keyboard.press("ArrowRight")
    page.locator(".pl-drawer-head").click()
    for text in (IMAGE, SCRIPT, BRACKETS):
        expect(chat).to_contain_text(text)
    assert page.locator(".pl img, .pl script").count() == 0
    assert page.title() == "Parley · Replay"


def test_eyes_stay_chosen_in_the_address(new_page: OpenPage, dashboard: str, database: Database) -> None:
    page = new_page()
    replay_at(page, dashboard, database.harmful, "&ply=3")
    expect(page.locator(".pl-chat")).to_contain_text(SECRET)
    page.locator("[data-eyes=green]").click()
    expect(page.locator(".pl-chat")).not_to_contain_text(SECRET)
    expect(page).to_have_url(re.compile("eyes=green"))
    page.reload()
    expect(page.locator("[data-eyes=green]")).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".pl-chat")).not_to_contain_text(SECRET)
    expect(page.locator(".pl-chat")).to_contain_text(SCRIPT)


def test_the_list_keeps_what_the_reader_did(new_page: OpenPage, dashboard: str, database: Database) -> None:
    page = new_page(1280, 700)
    page.goto(dashboard)
    page.locator(".rl-card", has_text="live").click()
    page.get_by_role("button", name="Next").click()
    chosen = database.live[39]
    row = page.locator(f".rl-row[data-match='{chosen}']")
    row.locator("td").nth(1).click()
    page.get_by_role("button", name=f"Details of match {chosen}", exact=True).click()
    page.get_by_label("Filter matches").fill("forty")
    expect(page.locator(".rl-row")).to_have_count(24)
    row.evaluate("(node) => node.scrollIntoView({block: 'center'})")
    scrolled = page.evaluate("() => [...document.querySelectorAll('*')].map((node) => node.scrollTop)")
    assert any(scrolled), "the page is long enough to scroll"
    node = row.element_handle()
    with Store.open(database.path) as store:
        for match_id in database.live[50:54]:
            store.set_match(match_id, "void", "ended by hand").result()
            expect(page.locator(f".rl-row[data-match='{match_id}']")).to_contain_text("void", timeout=10000)
    assert node.evaluate("(node) => node.isConnected"), "the row is the same element as before"
    expect(row).to_have_attribute("aria-current", "true")
    expect(page.locator(".rl-detail:visible")).to_have_count(1)
    expect(page.get_by_label("Filter matches")).to_have_value("forty")
    expect(page.get_by_label("Filter matches")).to_be_focused()
    assert page.evaluate("() => [...document.querySelectorAll('*')].map((node) => node.scrollTop)") == scrolled
    expect(page).to_have_url(re.compile("text=forty"))
    page.get_by_label("Filter matches").fill("forty void")
    expect(page.locator(".rl-row")).to_have_count(4)
    page.get_by_label("Filter matches").fill("fort_ %")
    expect(page.locator(".rl-none")).to_have_text("No match fits the filter.")
    page.get_by_label("Filter matches").fill("FORTY void")
    expect(page.locator(".rl-row")).to_have_count(4)
    page.get_by_label("Filter matches").fill("nobody of that name")
    expect(page.locator(".rl-none")).to_have_text("No match fits the filter.")


def test_the_list_says_what_is_paused_and_void_and_why(new_page: OpenPage, dashboard: str, database: Database) -> None:
    page = new_page()
    page.goto(dashboard)
    page.locator(".rl-card", has_text="live").click()
    page.get_by_role("button", name="Paused 1").click()
    expect(page.locator(".rl-row")).to_have_count(1)
    expect(page.locator(".rl-result")).to_have_text("smol: the provider asks to wait; run it again later")
    page.get_by_role("button", name="Details").click()
    expect(page.locator(".rl-detail")).to_contain_text("Paused: smol: the provider asks to wait; run it again later")
    page.get_by_role("button", name=re.compile("^Void")).click()
    page.get_by_role("button", name=f"Details of match {database.live[12]}", exact=True).click()
    expect(page.locator(".rl-detail:visible")).to_contain_text("Void: the power failed")


def test_a_sheet_that_is_not_there_gives_the_last(new_page: OpenPage, dashboard: str, database: Database) -> None:
    with Store.open_readonly(database.path) as store:
        run = store.run("live")
    assert run is not None
    page = new_page()
    page.goto(f"{dashboard}?run={run.id}&sheet=9")
    expect(page.locator(".rl-row")).to_have_count(10)
    expect(page.locator(".rl-page")).to_have_text("51–60 of 60 matches")


def test_a_running_match_is_followed(new_page: OpenPage, dashboard: str, database: Database) -> None:
    with Store.open(database.path) as store:
        record = store.match(database.live[20])
        assert record is not None
        written = Written(store, record)
        for _ in range(3):
            written.turn()
        staying, following = new_page(), new_page()
        replay_at(staying, dashboard, written.match_id, "&ply=2")
        replay_at(following, dashboard, written.match_id, "&ply=3")
        staying.locator(".pl-drawer-head").click()
        written.turn()
        expect(following.locator(".pl-place")).to_have_text("Ply 4 of 4", timeout=10000)
        expect(staying.locator(".pl-place")).to_have_text("Ply 2 of 4", timeout=10000)
        expect(staying.locator(".pl-drawer")).to_have_attribute("open", "")
        written.to_end()
        expect(following.locator(".pl-winner")).to_be_visible(timeout=10000)
        expect(following.locator(".pl-halt")).to_be_hidden()


@pytest.mark.parametrize("rest", ["", "?match=%d&ply=9"])
def test_both_pages_fit_a_phone_in_the_dark(new_page: OpenPage, dashboard: str, database: Database, rest: str) -> None:
    page = new_page(390, 844, dark=True)
    page.goto(dashboard + (rest % database.harmful if rest else ""))
    part = page.locator(".pl, .rl")
    expect(part).to_have_attribute("data-theme", "dark")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    wide = part.evaluate("(root) => root.scrollWidth > root.clientWidth")
    assert not wide
    page.emulate_media(color_scheme="light")
    expect(part).to_have_attribute("data-theme", "light")


@pytest.mark.parametrize(
    ("rest", "line"),
    [
        ("?match=99999", "There is no match 99999 in this database. Choose one on the page Runs."),
        ("?match=<b>x", "The address names no match: its number comes after match=, as in ?match=12."),
        ("?page=replay", "Choose a match on the page Runs to see its replay."),
    ],
)
def test_an_address_that_leads_nowhere_says_so(new_page: OpenPage, dashboard: str, rest: str, line: str) -> None:
    page = new_page()
    page.goto(dashboard + rest)
    expect(page.get_by_test_id("stText")).to_have_text(line)
    page.get_by_role("link", name="Runs").click()
    expect(page.locator(".rl")).to_be_visible()


def test_an_unknown_page_is_the_runs(new_page: OpenPage, dashboard: str) -> None:
    page = new_page()
    page.goto(f"{dashboard}?page=../app&run=x&status=odd&sheet=-1&text={'%25' * 300}")
    expect(page.locator(".rl")).to_be_visible()


def test_before_there_is_anything(new_page: OpenPage, tmp_path: Path) -> None:
    path = tmp_path / "parley.db"
    path.write_text("Dear reader, " * 1000)
    with served(path) as address:
        page = new_page()
        page.goto(address)
        line = page.get_by_test_id("stText")
        expect(line).to_contain_text("not an SQLite database")
        path.unlink()
        expect(line).to_contain_text(f"{path}", timeout=10000)
        expect(line).not_to_contain_text("not an SQLite database", timeout=10000)
        expect(page.get_by_text("plays a first tournament")).to_be_visible()
        with Store.open(path) as store:
            expect(line).to_have_text("No run yet.", timeout=10000)
            store.create_run(run_record("born"), ()).result()
            expect(page.locator(".rl-name")).to_have_text("born", timeout=10000)
            expect(page.locator(".rl-none")).to_have_text("This run has no matches yet.")
        expect(line).to_have_count(0)
        page.close()
