"""The dialog that puts together the command of a fork, on the page and taken at its word."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from playwright.sync_api import Page, expect

from harness.store import Store
from tests.dashboard.conftest import Database, OpenPage, parley, served


def opened(page: Page, dashboard: str, match: int, ply: int) -> str:
    page.goto(f"{dashboard}?match={match}&ply={ply}")
    page.get_by_role("button", name=re.compile("^Play on from here")).click()
    expect(page.locator(".fk")).to_be_visible()
    return page.locator(".fk-command").input_value()


def test_the_command_plays_on_with_whom_was_chosen(new_page: OpenPage, database: Database, tmp_path: Path) -> None:
    copy = tmp_path / "it's a copy.db"
    parley("backup", str(copy), "--db", str(database.path))
    with served(copy) as dashboard:
        page = new_page()
        plain = opened(page, dashboard, database.played, 5)
        assert shlex.split(plain) == ["parley", "fork", str(database.played), "--ply", "5", "--db", str(copy)]
        for box in page.locator(".fk-who").all():
            box.select_option("bot:banker")
        page.locator(".fk-times").fill("2")
        words = shlex.split(page.locator(".fk-command").input_value())
        page.get_by_role("button", name="Close").click()
        expect(page.locator(".fk")).to_be_hidden()
        assert words[5:-2] == [
            *(part for seat in ("red", "blue", "green", "yellow") for part in ("--seat", f"{seat}=bot:banker")),
            *("--times", "2"),
        ]
        parley(*words[1:])
        with Store.open_readonly(copy) as store:
            forks = store.matches(store.runs()[-1].id or 0)
        assert [(fork.parent_id, fork.parent_ply, fork.status) for fork in forks] == [
            (database.played, 5, "finished"),
            (database.played, 5, "finished"),
        ]
        former = next(one.label for one in forks[0].lineage[0].seats if one.kind == "model")
        page.goto(f"{dashboard}?match={forks[0].id}&ply=4")
        expect(page.locator(".pl-subtitle")).to_contain_text(f"forked from match {database.played} at ply 5")
        expect(page.locator(".pl-stage")).to_contain_text(former)
        page.keyboard.press("ArrowRight")
        expect(page.locator(".pl-stage")).not_to_contain_text(former)
        expect(page.locator(".pl-stage")).to_contain_text("banker")
        with Store.open_readonly(copy) as store:
            run = store.runs()[-1]
        # A run is asked for by its name or its number; what came of forks says so.
        for asked in (run.name, run.id, f"{run.name}&status=finished"):
            page.goto(f"{dashboard}?run={asked}")
            expect(page.locator(".rl-name")).to_have_text(run.name)
        expect(page.locator(".rl-card[aria-current=true] .rl-fork")).to_have_text("forks")
        expect(page.locator(".rl-card .rl-fork:visible")).to_have_count(1)
        mark = page.locator(f".rl-row[data-match='{forks[1].id}'] .rl-fork")
        expect(mark).to_have_text(f"fork of #{database.played} at ply 5")
        mark.get_by_role("link").click()
        expect(page.locator(".pl-place")).to_contain_text("Ply 5 of")
        page.goto(f"{dashboard}?run=none of them")
        expect(page.get_by_text("There is no run 'none of them' in this database")).to_be_visible()
        expect(page.locator(".rl-name")).to_have_text(run.name)
        page.locator(".rl-card", has_text="first").first.click()
        expect(page.get_by_text("There is no run")).to_have_count(0)
        # A page still looks for what is new when its dashboard is gone, which would be an error in its console.
        page.goto("about:blank")


def test_hostile_labels_are_text_and_one_word_of_the_command(
    new_page: OpenPage, dashboard: str, database: Database
) -> None:
    page = new_page(390, 844)
    opened(page, dashboard, database.harmful, 3)
    times, bound = page.locator(".fk-times"), page.locator(".fk-bound")
    expect(bound).to_have_text("a whole number from 1 to 1,000")
    for asked, told in (("5000", "1,000"), ("0", "1"), ("2.5", "2")):
        times.fill(asked)
        expect(bound).to_have_text(f"a whole number from 1 to 1,000: the command says {told}")
        expect(times).to_have_attribute("aria-invalid", "true")
    times.fill("1000")
    expect(bound).to_have_text("a whole number from 1 to 1,000")
    expect(page.locator(".fk-command")).to_have_value(re.compile("--times 1000"))
    expect(page.locator(".fk-who option", has_text="<img src=x onerror=alert(1)>").first).to_be_attached()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.locator(".fk").bounding_box()["width"] <= 390  # type: ignore[index]
    page.keyboard.press("Escape")
    expect(page.locator(".fk")).to_be_hidden()


def test_nothing_is_played_on_from_the_end(new_page: OpenPage, dashboard: str, database: Database) -> None:
    page = new_page()
    page.goto(f"{dashboard}?match={database.played}&ply=end")
    button = page.get_by_role("button", name=re.compile("^Play on from here"))
    expect(button).to_be_disabled()
    page.keyboard.press("ArrowLeft")
    expect(button).to_be_enabled()
