"""What of an address could not be read is said on the page."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from dashboard.unread import of_runs, of_views, told
from tests.dashboard.conftest import OpenPage

SAID = "Of the address this could not be read, and is left out: "


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("status", ["paused", ""], ["odd", "<b>"]),
        ("sheet", ["0", "12"], ["-1", "1e9", "x"]),
        ("entry", ["0"], ["first"]),
        ("players", ['["a"]', "[]", ""], ["zero", '"a"', "[1]", "[" * 2000, str(list("abcdefghi")).replace("'", '"')]),
        ("matches", ["1", "1,2", ""], ["1,2,zz", "1,", "zz"]),
        (
            "had",
            ["fallback", "illegal", "illegal,empty", "talk:refusal", "answer:illegal,empty", "flag:odd"],
            ["nonsense", "talk:", "illegal,nonsense", "answer:fallback"],
        ),
    ],
)
def test_what_makes_no_sense_is_named(name: str, good: list[str], bad: list[str]) -> None:
    assert [of_runs({name: text, "run": "1"}) for text in good] == [[]] * len(good)
    assert [of_runs({name: text, "run": "1"}) for text in bad] == [[f"{name}={text}"] for text in bad]


def test_of_the_pages_that_compare() -> None:
    assert of_views({"run": ["x"], "set": ["a=1"], "pool": ["1"], "game": ["?"]}) == []
    assert of_views({"set": ["a", "=1", "a="], "pool": ["yes"]}) == ["set=a", "set==1", "set=a=", "pool=yes"]


def test_it_is_told_in_one_short_line() -> None:
    line = told(["status=a\n\u202eb", "had=" + "x" * 9000])
    assert line.startswith(f"{SAID}status=a b, had=xxx")
    assert len(line) < 300


@pytest.mark.parametrize(
    ("rest", "parts"),
    [("?players=zero&matches=1,2,zz", "players=zero, matches=1,2,zz"), ("?page=leaderboard&pool=<b>x", "pool=<b>x")],
)
def test_the_page_says_it(new_page: OpenPage, dashboard: str, rest: str, parts: str) -> None:
    page = new_page()
    page.goto(dashboard + rest)
    expect(page.get_by_text(SAID)).to_have_text(SAID + parts)
