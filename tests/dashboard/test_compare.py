"""What pages that compare are given: addresses, links, tables as the browser takes them, and results that are kept."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from dashboard.compare import cache
from dashboard.compare.address import Asked, asked, link, written
from dashboard.compare.page import linked
from dashboard.compare.sheets import shown
from dashboard.data import Query, exactly, listing
from harness.store import Store
from harness.store.listing import Exact
from harness.views import failures, head_to_head, leaderboard, seats
from harness.views.base import EVERYTHING, Behind, Chart, Choice, Column, Figure, Row, Section, Sheet
from harness.views.results import Results
from tests.dashboard import compared
from tests.dashboard.records import IMAGE

VIEWS = (leaderboard.view, head_to_head.view, seats.view, failures.view)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("compared") / "parley.db"
    compared.write(found)
    return found


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    with Store.open_readonly(path) as store:
        yield store


def test_an_address_is_read_as_it_is_written() -> None:
    wanted = Asked((3, 5), Choice("star_ludo", (("options.chips", "3"), ("seating", '"a=b"')), f"x {IMAGE}"), pool=True)
    assert asked(written(wanted)) == wanted
    assert written(Asked()) == {}
    assert asked(
        {"run": ["3,5", "a,b", "3", ""], "set": ["=", "a", "b=1", "b=1"], "pool": ["yes"], "game": [""]}
    ) == Asked((3, 5, "a,b"), Choice(settings=(("b", "1"),)))


def test_links_ask_for_the_matches_behind_a_figure() -> None:
    runs = {"one": 7}
    assert link(None, runs) is None
    assert link(Behind("gone"), runs) is None
    assert link(Behind("one", match=12, ply=3), runs) == "./?match=12&ply=3"
    behind = Behind("one", (f"a,{IMAGE}", "b"), "g", 0, "finished", "forfeit", "red", "flag:x", matches=(4, 5))
    address = link(behind, runs)
    assert address is not None
    assert "<" not in address
    query = Query.read({key: values[0] for key, values in parse_qs(urlsplit(address).query).items()})
    assert (query.run, query.status) == (7, "finished")
    assert query.exact == Exact([f"a,{IMAGE}", "b"], "red", "g", 0, "forfeit", "flag:x", [4, 5])
    assert Query.read(query._asdict()) == query, "the page gives back what it was given"


def test_a_link_that_no_address_can_hold_is_none() -> None:
    assert link(Behind("one", ("x" * 1_000_000,)), {"one": 7}) is None


@pytest.mark.parametrize("players", ["", "[", "{}", "3", '["a", 4, null]', "[" * 4000, '"ann"'])
def test_players_that_make_no_sense_are_nobody(players: str) -> None:
    assert list(Query.read({"players": players}).exact.players) == (["a"] if "4, null" in players else [])


def test_what_is_asked_for_exactly_is_said() -> None:
    assert exactly(Query()) == ""
    said = exactly(Query.read({"players": '["ann", "bob\\u202e"]', "game": "star_ludo", "had": "flag:prompt_cut"}))
    assert said == "with ann, bob, of Star Ludo, in which it had: prompt cut"
    assert (
        exactly(Query.read({"had": "answer:empty,content_filter"})) == "in which somebody had: empty or content filter"
    )
    assert exactly(Query.read({"had": "talk:empty"})) == "in which somebody had in a talk round: empty"


def ids_of(store: Store, name: str) -> dict[str, int]:
    return {run.name: run.id or 0 for run in store.runs()}


def run_of(store: Store, name: str):  # type: ignore[no-untyped-def]
    return next(run for run in store.runs() if run.name == name)


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("name", [compared.FAIR, compared.FIXED, compared.TROUBLED, compared.SINGLE, compared.EMPTY])
def test_behind_every_row_are_as_many_matches_as_it_says(store: Store, view: object, name: str) -> None:
    """Each table's links give just the matches of the row, by its column `matches` where the row is of matches."""
    run = run_of(store, name)
    runs = {one.name: one.id or 0 for one in store.runs()}
    assert callable(view)
    seen = 0
    for section in view(Results(store, run), EVERYTHING):
        for sheet in section.sheets:
            for row in sheet.rows:
                address = link(row.behind, runs)
                if address is None:
                    continue
                query = Query.read({key: values[0] for key, values in parse_qs(urlsplit(address).query).items()})
                found = listing(store, query)
                assert found is not None
                listed = found["matches"]["shown"]
                assert listed > 0, (sheet.name, row)
                wanted = row.values.get("matches")
                if isinstance(wanted, int) and wanted and not sheet.name.startswith("sensitivity"):
                    assert listed == wanted, (sheet.name, row)
                seen += 1
    assert seen or name in (compared.EMPTY,)


def test_marks_lead_where_rows_do() -> None:
    chart = Chart("n", "t", "a", {"datasets": {"rows": [{"a": 1}, {"a": 2}]}}, (Behind("one", ("x",)), None))
    rows = linked(chart, {"one": 3})["datasets"]["rows"]
    assert rows == [{"a": 1, "href": "./?run=3&players=%5B%22x%22%5D"}, {"a": 2, "href": None}]
    assert chart.rows == [{"a": 1}, {"a": 2}], "the view is as it was"


def test_a_table_as_the_browser_takes_it() -> None:
    columns = (Column("name", "name"), Column("rate", "rate", "share", "what it is"))
    rows = (
        Row({"name": f"{IMAGE}\u202e\ud800", "rate": Figure(0.5, (0.4, 0.6))}, Behind("one")),
        Row({"name": "x" * 5000}),
    )
    told = json.loads(shown(Sheet("a/b c", "T", columns, rows), {"one": 3}))
    assert told["columns"][1] == {"title": "rate", "help": "what it is", "number": True, "name": False}
    assert told["rows"][0] == {
        "cells": [f"{IMAGE}\ufffd", "50.0 % (40.0–60.0)"],
        "sort": [f"{IMAGE}\u202e\ud800", 0.5],
        "href": "./?run=3",
    }
    assert (len(told["rows"][1]["cells"][0]), told["rows"][1]["sort"][1], told["rows"][1]["href"]) == (1000, None, None)
    assert told["file"] == "a-b-c.csv"
    assert told["csv"] == Sheet("a/b c", "T", columns, rows).csv()


class Counted:
    """A view that counts how often it is made; while `gate` is closed it is under way."""

    def __init__(self) -> None:
        self.made = 0
        self.gate = threading.Event()
        self.gate.set()

    def __call__(self, results: Results, choice: Choice) -> Sequence[Section]:
        self.made += 1
        assert self.gate.wait(20)
        return leaderboard.view(results, choice)


def test_what_did_not_change_is_made_once(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[object] = []
    monkeypatch.setattr(
        Store, "seat_stats", lambda self, ids, _old=Store.seat_stats: reads.append(ids) or _old(self, ids)
    )
    run, view = run_of(store, compared.FAIR), Counted()
    first = cache.read(store, [run])
    sections = first.sections(view, EVERYTHING)
    again = cache.read(store, [run])
    assert again is first
    assert again.sections(view, EVERYTHING) is sections
    again.sections(view, Choice(player="ann"))
    again.choices()
    for other in VIEWS:
        again.sections(other, EVERYTHING)
    assert (view.made, len(reads)) == (2, 1), "one reading for all pages, one view for each choice"
    assert cache.read(store, [run], anew=True) is not first


def test_whoever_asks_meanwhile_waits_for_the_same(store: Store) -> None:
    run, view = run_of(store, compared.FIXED), Counted()
    view.gate.clear()
    with ThreadPoolExecutor(4) as pool:
        asked_for = [pool.submit(lambda: cache.read(store, [run]).sections(view, EVERYTHING)) for _ in range(4)]
        view.gate.set()
        found = [one.result(60) for one in asked_for]
    assert view.made == 1
    assert all(one is found[0] for one in found)


def test_what_is_written_is_read_when_a_page_is_opened_anew(tmp_path: Path) -> None:
    with Store.open(tmp_path / "parley.db") as store:
        matches = compared.played(store, compared.run_of("going on"), 8)
        (run,) = store.runs()
        before = cache.read(store, [run])
        assert before.sections(leaderboard.view, EVERYTHING)[0].lines[0] == "From 8 of 8 matches, in 2 packs."
        store.set_match(matches[0].id or 0, "void", "by hand").result()
        assert before.mark != cache.marks(store, [run])
        assert before.sections(leaderboard.view, EVERYTHING)[0].lines[0] == "From 8 of 8 matches, in 2 packs."
        after = cache.read(store, [run])
        assert after.sections(leaderboard.view, EVERYTHING)[0].lines[0].startswith("From 7 of 8 matches")


def test_no_more_is_kept_than_is_bounded(store: Store) -> None:
    runs = list(store.runs())
    kept = [cache.read(store, [run]) for run in runs]
    assert len(runs) > cache.MOST_RESULTS
    assert len(cache._slots) == cache.MOST_RESULTS
    assert cache.read(store, [runs[-1]]) is kept[-1]
    assert cache.read(store, [runs[0]]) is not kept[0]


def test_pooled_results_are_others(store: Store) -> None:
    runs = [run_of(store, compared.FAIR), run_of(store, compared.SINGLE)]
    pooled = cache.read(store, runs, pool=True)
    (section,) = pooled.sections(leaderboard.view, EVERYTHING)
    assert section.lines[0] == "From 100 of 100 matches, in 25 packs."
    assert any(line.startswith("Pooled over 2 runs") for line in section.lines)
