"""What of an address could not be read is said on the page."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from dashboard.data import Query
from dashboard.unread import MOST_NAMED, Unknown, missing, of_choice, of_matches, of_runs, of_views, told
from harness.store import Store
from harness.views.base import EVERYTHING, Choice
from tests.dashboard.conftest import Database, OpenPage
from tests.dashboard.records import IMAGE

SAID = "Of the address this could not be read, and is left out: "
GONE = "Not there, and left out: "


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


def test_what_is_not_there_is_named_and_left_out_of_a_choice() -> None:
    there = (["g", "h"], ["ann"], [("a", "1"), ("a", "2"), ("b", "3")])
    wanted = Choice("g", (("a", "2"),), "ann")
    assert of_choice(wanted, *there) == (wanted, [])
    assert of_choice(Choice("x", (("a", "2"), ("a", "4"), ("c", "1")), "zed"), *there) == (
        Choice(None, (("a", "2"),), None),
        [
            Unknown("game", "x", ["g", "h"]),
            Unknown("player", "zed", ["ann"]),
            Unknown("option", "a=4", ["1", "2"]),
            Unknown("option", "c=1", ["a", "b"]),
        ],
    )
    assert of_choice(Choice("x"), [], [], []) == (Choice("x"), []), "nothing was played"
    assert of_choice(EVERYTHING, *there) == (EVERYTHING, [])


def test_what_is_not_there_is_left_out_of_a_query(database: Database) -> None:
    with Store.open_readonly(database.path) as store:
        run = next(run for run in store.runs() if run.name == "live")
        good = Query.read(
            {"game": "so_long_sucker", "seat": "red", "players": '["smol"]', "reason": "-forfeit", "entry": "0"}
        )
        assert of_matches(store, run, good) == (good, [])
        bad = {"game": "x", "seat": "pink", "players": '["smol", "zed"]', "reason": "-odd", "entry": "9", "text": "t"}
        left, found = of_matches(store, run, Query.read(bad))
        assert left == Query.read({"text": "t"})
        assert [(one.name, one.value) for one in found] == [
            ("game", "x"), ("entry", "9"), ("players", "zed"), ("seat", "pink"), ("reason", "odd")
        ]  # fmt: skip
        assert found[0].there == ["so_long_sucker"]
        assert "forfeit" in found[-1].there


def test_a_long_list_of_what_there_is_is_cut() -> None:
    names = [f"n{one}" for one in range(MOST_NAMED + 2)]
    line = missing([Unknown("player", "x\u202e" * 9000, names), Unknown("seat", "y", ["red"])])
    assert line.startswith(f"{GONE}player xxx")
    assert line.endswith("n9 and 2 more); seat y (there is red).")
    assert len(line) < 300


@pytest.mark.parametrize(
    ("rest", "parts"),
    [("?players=zero&matches=1,2,zz", "players=zero, matches=1,2,zz"), ("?page=leaderboard&pool=<b>x", "pool=<b>x")],
)
def test_the_page_says_it(new_page: OpenPage, dashboard: str, rest: str, parts: str) -> None:
    page = new_page()
    page.goto(dashboard + rest)
    expect(page.get_by_text(SAID)).to_have_text(SAID + parts)


def test_a_page_without_what_is_not_there(new_page: OpenPage, dashboard: str, database: Database) -> None:
    with Store.open_readonly(database.path) as store:
        run = store.run("live")
        assert run is not None
        # Other tests end some of its matches.
        ended = [one for one in store.matches(run.id or 0) if one.status == "finished"]
    assert 10 <= len(ended) < 20
    page = new_page()
    page.goto(f"{dashboard}?run=live&game=nonsense&seat=pink&status=finished")
    expect(page.get_by_text(GONE)).to_have_text(
        f"{GONE}game nonsense (there is so_long_sucker); seat pink (there are blue, green, red, yellow)."
    )
    expect(page.locator(".rl-row")).to_have_count(len(ended))
    expect(page.locator(".parley-only")).to_have_count(0)
    page.goto(f"{dashboard}?page=seats&run=live&game=nonsense&player={IMAGE}")
    expect(page.get_by_text(GONE)).to_contain_text(
        f"game nonsense (there is so_long_sucker); player {IMAGE} (there are "
    )
    expect(page.locator(".cp-section").first).to_be_visible()
