"""The search through a run, as `parley dashboard` serves it, in Chromium."""

from __future__ import annotations

import json
import re
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Page, Route, expect

from dashboard.find import PAGE, SHOWN, choices, excerpt, hits
from games.api import Json
from harness.find import Hit, Query, find
from harness.records import PledgeRecord
from harness.store import Store
from tests.dashboard.conftest import OpenPage, Serve, served
from tests.dashboard.records import (
    BRACKETS,
    IMAGE,
    SCRIPT,
    TURNED,
    Written,
    match_record,
    run_record,
)

LABELS = ("smol", "greedy", f"house {IMAGE}", "a-player-with-a-rather-long-label")
MATCHES = 30


class Searched(NamedTuple):
    """A database with a long run and a harmful one, and where it is served."""

    path: Path
    address: str
    run: int
    harmful: int


@pytest.fixture(scope="module")
def searched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Searched]:
    """Thirty matches with a promise from each seat to each, kept or broken as chance would have it."""
    path = tmp_path_factory.mktemp("find") / "parley.db"
    with Store.open(path) as store:
        waiting = [match_record(number, LABELS, seed=number) for number in range(MATCHES)]
        run = store.create_run(run_record("promises", status="finished"), waiting).result()
        for record in store.matches(run):
            match = Written(store, record)
            for maker in match.seats:
                for to in match.seats:
                    if maker != to:
                        promise = PledgeRecord(kind="donate", addressee=to, turns=40)
                        match.say(maker, to, f"{to}, I give you a Chip when you ask", promise, talk=True)
            if record.number < 10:
                match.to_end()
        harmful = store.create_run(run_record(f"harm {IMAGE}", status="finished"), [match_record(0, LABELS)]).result()
        match = Written(store, store.matches(harmful)[0])
        match.call("red", TURNED, error_kind="illegal", error=f"never seen: {TURNED}")
        match.say("red", "all", f"{IMAGE} {SCRIPT}")
        match.say("blue", "red", "word " * 100_000 + f"needle {BRACKETS} \u202eturned " + "word " * 100_000)
        match.to_end()
    with served(path) as address:
        yield Searched(path, address, run, harmful)


def opened(page: Page, found: Searched, rest: str = "") -> Page:
    page.goto(f"{found.address}?page=find{rest}")
    expect(page.locator(".fd")).to_be_visible()
    return page


def whole(found: Searched, query: Query) -> list[Hit]:
    with Store.open_readonly(found.path) as store:
        run = store.run(found.run)
        assert run is not None
        return find(store, run, query._replace(limit=100_000))


def asked(found: Searched, path: str, /, *, seconds: float = 9, **values: object) -> Json:
    with Store.open_readonly(found.path) as store:
        given = {name: str(value) for name, value in {"run": found.run, **values}.items()}
        return choices(store, given) if path == "choices" else hits(store, given, seconds=seconds)


def test_what_can_be_chosen_is_what_the_run_has(searched: Searched) -> None:
    found = asked(searched, "choices")
    assert [run["name"] for run in found["runs"]] == [f"harm {IMAGE}", "promises"]
    assert (found["run"], found["matches"]) == (searched.run, MATCHES)
    assert found["seats"] == ["blue", "green", "red", "yellow"]
    assert found["labels"] == sorted(LABELS)
    assert {"capture", "donate"} <= set(found["kinds"])
    assert asked(searched, "choices", run="")["run"] == searched.harmful, "the newest, if none is asked for"
    assert found["note"] == ""
    for run in ("99", "nobody"):
        newest = asked(searched, "choices", run=run)
        assert newest["run"] == searched.harmful
        assert newest["note"] == f"There is no run {run} in this database. Shown is the newest."
    assert asked(searched, "choices", run="promises", by="all", to="all", kind="fly", what="message")["left_out"] == [
        "by",
        "kind",
    ]


@pytest.mark.parametrize("seconds", [0, 9], ids=["in the smallest pieces", "at once"])
@pytest.mark.parametrize(
    "query",
    [Query(("chip",)), Query(by="smol"), Query(verdict="kept"), Query(verdict="void"), Query(what="illegal")],
    ids=["words", "who", "kept", "void", "none"],
)
def test_pieces_come_to_the_whole(searched: Searched, query: Query, seconds: int) -> None:
    given = {"words": " ".join(query.words), "by": query.by, "verdict": query.verdict, "what": query.what}
    got: list[Json] = []
    mark: str | None = ""
    looked = 0
    while mark is not None:
        answer = asked(searched, "hits", **{k: v or "" for k, v in given.items()}, mark=mark, seconds=seconds)
        assert len(answer["hits"]) <= PAGE
        assert looked <= answer["looked"] <= answer["of"] == MATCHES
        looked, mark = answer["looked"], answer["mark"]
        got += answer["hits"]
    assert looked == MATCHES
    wanted = [(hit.match, hit.ply, hit.seat, hit.what) for hit in whole(searched, query)]
    assert [(hit["match"], hit["ply"], hit["seat"], hit["what"]) for hit in got] == wanted


def test_what_makes_no_sense_is_said_or_begins_anew(searched: Searched) -> None:
    assert asked(searched, "hits", by="pink")["fault"].startswith("by: 'pink' is no seat")
    assert asked(searched, "hits")["fault"].startswith("words: there are none")
    assert asked(searched, "hits", run="x", words="a")["fault"].startswith("run: 'x' is none")
    for mark in ("x", "1.2", "1.-2.3", "9" * 30):
        assert asked(searched, "hits", words="chip", mark=mark)["hits"][0]["number"] == 0
    assert len(asked(searched, "hits", words="chip", limit=3)["hits"]) == 3
    assert len(asked(searched, "hits", words="chip", limit=10**6)["hits"]) == PAGE


def test_of_a_long_text_the_part_around_the_word_is_shown() -> None:
    assert excerpt("one\n  line", ()) == "one line"
    long = "before " * 100 + "NEEDLE" + " after" * 100
    shown = excerpt(long, ["absent", "needle"])
    assert "NEEDLE" in shown
    assert (shown[0], shown[-1]) == ("…", "…")
    assert len(shown) <= SHOWN + 2
    assert excerpt(long, ()).startswith("before before")


def test_from_a_word_to_its_ply_and_back(searched: Searched, new_page: OpenPage) -> None:
    page = opened(new_page(), searched, f"&run={searched.run}")
    expect(page.get_by_role("status")).to_have_text(f"Type words, or choose what to look for in {MATCHES} matches.")
    page.get_by_role("searchbox", name="Words").fill("play RED")
    first = next(hit for hit in whole(searched, Query(("play", "red"))))
    row = page.locator(".fd-hit").first
    expect(row.locator(".fd-text")).to_have_text(first.text)
    expect(row.locator("mark")).to_have_text(["play", "red"])
    expect(row).to_contain_text(first.label)
    expect(page).to_have_url(re.compile("words=play\\+RED"))
    row.get_by_role("link", name=f"Match {first.match}, ply {first.ply}").click()
    expect(page.locator(".pl-place")).to_have_text(re.compile(f"^Ply {first.ply} of "))
    page.get_by_role("link", name="Find in this run").click()
    expect(page).to_have_url(f"{searched.address}?page=find&run={searched.run}")
    expect(page.get_by_role("searchbox")).to_be_visible()
    page.go_back()
    expect(page.locator(".pl-place")).to_have_text(re.compile(f"^Ply {first.ply} of "))
    page.go_back()
    expect(row.locator("mark")).to_have_text(["play", "red"])


def test_who_broke_a_promise(searched: Searched, new_page: OpenPage) -> None:
    broken = whole(searched, Query(verdict="broken"))
    assert 0 < len(broken) < PAGE
    page = opened(new_page(), searched, f"&run={searched.run}")
    page.get_by_label("Verdict", exact=True).select_option("broken")
    expect(page.locator(".fd-hit")).to_have_count(len(broken))
    matches = len({hit.match for hit in broken})
    expect(page.get_by_role("status")).to_have_text(f"{len(broken)} hits, from {matches} matches of {MATCHES}.")
    breaker = broken[-1]
    page.get_by_label("Who", exact=True).select_option(breaker.seat)
    own = [hit for hit in broken if hit.seat == breaker.seat]
    expect(page.locator(".fd-hit")).to_have_count(len(own))
    expect(page.locator(".fd-verdict").first).to_have_text("✗ broken")
    page.locator(".fd-place").last.click()
    expect(page.locator(".pl-place")).to_have_text(re.compile(f"^Ply {breaker.ply} of "))


def test_every_choice_is_in_the_address(searched: Searched, new_page: OpenPage) -> None:
    page = opened(new_page(), searched, f"&run={searched.harmful}")
    page.get_by_label("Run", exact=True).select_option("promises")
    page.get_by_label("What", exact=True).select_option("pledge")
    page.get_by_label("Who", exact=True).select_option("smol")
    page.get_by_label("To whom", exact=True).select_option("green")
    page.get_by_label("Kind", exact=True).select_option("donate")
    page.get_by_role("searchbox").fill("chip")
    expect(page).to_have_url(re.compile("words=chip"))
    count = len(whole(searched, Query(("chip",), what="pledge", by="smol", to="green", kind="donate")))
    assert count == MATCHES
    expect(page.locator(".fd-hit")).to_have_count(count)
    page.reload()
    expect(page.locator(".fd-hit")).to_have_count(count)
    values = {name: page.get_by_label(name, exact=True).input_value() for name in ("What", "Who", "To whom", "Kind")}
    assert values == {"What": "pledge", "Who": "smol", "To whom": "green", "Kind": "donate"}
    expect(page.get_by_label("Run", exact=True)).to_have_value(f"{searched.run}")
    expect(page.get_by_role("searchbox")).to_have_value("chip")
    page.get_by_label("What", exact=True).select_option("action")
    for name in ("To whom", "Kind", "Verdict"):
        expect(page.get_by_label(name, exact=True)).to_be_hidden()
    expect(page).not_to_have_url(re.compile("to=green|kind=donate"))
    expect(page.get_by_role("status")).to_have_text(f"Nothing found in {MATCHES} matches.")
    page.get_by_role("button", name="Clear").click()
    expect(page).to_have_url(f"{searched.address}?page=find&run={searched.run}")
    expect(page.get_by_role("searchbox")).to_be_focused()


def test_fifty_at_a_time(searched: Searched, new_page: OpenPage) -> None:
    wanted = whole(searched, Query(("chip",)))[:100]
    page = opened(new_page(), searched, f"&run={searched.run}&words=chip")
    expect(page.locator(".fd-hit")).to_have_count(50)
    matches = len({hit.match for hit in wanted[:50]})
    expect(page.get_by_role("status")).to_have_text(f"The first 50 hits, from {matches} matches of {MATCHES}.")
    page.get_by_role("button", name="Show 50 more").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".fd-hit")).to_have_count(100)
    expect(page.locator(".fd-place").nth(50)).to_be_focused()
    page.reload()
    expect(page.locator(".fd-hit")).to_have_count(100)
    shown = page.locator(".fd-place").evaluate_all("(links) => links.map((link) => link.getAttribute('href'))")
    assert shown == [f"./?match={hit.match}&ply={hit.ply}" for hit in wanted]
    page.get_by_role("searchbox").fill("chip yellow")
    expect(page.locator(".fd-hit")).to_have_count(50)
    expect(page).not_to_have_url(re.compile("hits="))


def test_harm_stays_text(searched: Searched, new_page: OpenPage) -> None:
    page = opened(new_page(), searched, f"&run={searched.harmful}&words=onerror%3Dalert(1)>+<IMG")
    text = page.locator(".fd-text")
    expect(text).to_have_text(f"{IMAGE} {SCRIPT}")
    expect(text.locator("mark")).to_have_text(["<img", "onerror=alert(1)>"])
    expect(page.locator(".fd-run option:checked")).to_have_text(f"harm {IMAGE}")
    expect(page.get_by_label("Who", exact=True).locator(f"option[value='house {IMAGE}']")).to_have_text(
        f"house {IMAGE}"
    )
    page.get_by_role("searchbox").fill("needle")
    expect(text).to_contain_text(f"needle {BRACKETS}")
    assert len(text.inner_text()) < 2 * SHOWN, "a megabyte is not sent"
    assert "\u202e" not in text.inner_text()
    page.get_by_label("What", exact=True).select_option("illegal")
    page.get_by_role("searchbox").fill("never seen")
    expect(text).to_contain_text("left \\u{202e}right")
    page.get_by_role("searchbox").fill(f"{IMAGE} [ ( \\ * .+ ?")
    expect(page.get_by_role("status")).to_have_text("Nothing found in 1 match.")
    assert page.locator(".fd img, .fd script").count() == 0


def test_a_long_search_says_how_far_it_is_and_gives_way(searched: Searched, new_page: OpenPage) -> None:
    page = new_page()
    waiting: list[Route] = []
    page.route(re.compile("/find/hits"), lambda route: waiting.append(route))
    hit = {"match": 1, "ply": 2, "seat": "red", "label": "smol", "what": "action", "kind": None, "to": None}
    one = {**hit, "source": "player", "text": "play", "verdict": None}

    def answer(found: list[Json], mark: str | None, looked: int) -> None:
        expect(page.locator(".fd-hits[aria-busy]")).to_have_count(1)
        body = {"hits": found, "mark": mark, "looked": looked, "of": 3000}
        waiting.pop(0).fulfill(body=json.dumps(body), content_type="application/json")

    opened(page, searched, f"&run={searched.run}&words=play")
    expect(page.get_by_role("status")).to_have_text("Looking…")
    answer([one], "1000.0.0", 1000)
    expect(page.get_by_role("status")).to_have_text("Looking… 1 hit in 1,000 of 3,000 matches.")
    expect(page.locator(".fd-hit")).to_have_count(1)
    assert "mark=1000.0.0" in waiting[0].request.url
    assert "limit=49" in waiting[0].request.url
    page.get_by_role("searchbox").fill("play on")
    expect(page.locator(".fd-hit")).to_have_count(0)
    waiting.pop(0).abort()
    expect(page.get_by_role("status")).to_have_text("Looking…")
    assert "mark=&" in waiting[0].request.url
    answer([one, one], None, 3000)
    expect(page.get_by_role("status")).to_have_text("2 hits, from 1 match of 3,000.")
    expect(page.locator(".fd-hits[aria-busy]")).to_have_count(0)


def test_what_cannot_be_found_is_said(searched: Searched, new_page: OpenPage, serve: Serve, tmp_path: Path) -> None:
    page = opened(new_page(), searched, f"&run={searched.run}&by=<b>pink")
    expect(page.get_by_role("note")).to_contain_text("Not there, and left out: by <b>pink (there are ")
    expect(page.get_by_label("Who", exact=True)).to_have_value("")
    page.get_by_label("Who", exact=True).select_option("red")
    expect(page.locator(".fd-hit")).to_have_count(50)
    expect(page.get_by_role("alert")).to_be_hidden()
    opened(page, searched, "&run=99&words=chip")
    expect(page.get_by_role("note")).to_have_text("There is no run 99 in this database. Shown is the newest.")
    page.get_by_label("Run", exact=True).select_option("promises")
    expect(page.locator(".fd-hit")).to_have_count(50)
    expect(page.get_by_role("note")).to_be_hidden()
    with Store.open(tmp_path / "empty.db"):
        page.goto(f"{serve(tmp_path / 'empty.db')}?page=find")
        expect(page.locator(".fd-none")).to_contain_text("No run yet.")
        expect(page.get_by_role("search")).to_be_hidden()


@pytest.mark.parametrize("dark", [False, True])
def test_it_fits_a_phone(searched: Searched, new_page: OpenPage, dark: bool) -> None:
    page = opened(new_page(390, 844, dark=dark), searched, f"&run={searched.run}&by=house {IMAGE}")
    expect(page.locator(".fd-hit")).to_have_count(50)
    expect(page.locator(".fd")).to_have_attribute("data-theme", "dark" if dark else "light")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert not page.locator(".fd").evaluate("(root) => root.scrollWidth > root.clientWidth")


def test_only_this_machine_is_answered(searched: Searched) -> None:
    for path in ("choices", "hits?words=chip"):
        other = urllib.request.Request(f"{searched.address}find/{path}", headers={"Host": "elsewhere.example"})
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(other, timeout=20)
        assert refused.value.code == 400
    with urllib.request.urlopen(
        f"{searched.address}find/hits?run={searched.harmful}&what=illegal", timeout=20
    ) as answer:
        assert "\\u202e" in answer.read().decode("ascii")
    with pytest.raises(urllib.error.HTTPError) as missing:
        urllib.request.urlopen(f"{searched.address}find/others", timeout=20)
    assert missing.value.code == 404
