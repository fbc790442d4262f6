"""The wall of matches being played, as `parley dashboard` serves it, in Chromium."""

from __future__ import annotations

import re
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Page, Route, expect

from dashboard.bundle import style
from dashboard.live import LINGER, Follower, now, wall
from games import GAMES, get_game
from games.api import Json
from harness.records import MatchRecord, SeatRecord
from harness.store import Store
from harness.store.claims import new_owner
from tests.dashboard.conftest import OpenPage, Serve
from tests.dashboard.records import IMAGE, SCRIPT, Written, run_record

PLAYER = ("?match={}&ply=end", "output.pl-place", "Ply {} of {}")


class Playing(NamedTuple):
    """A run that this process plays by hand."""

    store: Store
    run: int
    matches: list[Written]


def waiting(number: int, name: str) -> MatchRecord:
    """A match of bots with a label that means harm."""
    game = get_game(name)
    names = game.seats(game.players[-1])
    seats = tuple(
        SeatRecord(seat=seat, label=f"bot {seat} {IMAGE}", kind="bot", model="random", identity=f"random-{seat}")
        for seat in names
    )
    options = game.Options().model_dump(mode="json")
    return MatchRecord(number=number, game=name, options=options, seed=number, seats=seats)


@contextmanager
def playing(path: Path, games: list[str], run: str = f"live {SCRIPT}") -> Iterator[Playing]:
    """So many matches begun, each with three turns, and the run held by this process."""
    with Store.open(path) as store:
        run_id = store.create_run(
            run_record(run), [waiting(number, name) for number, name in enumerate(games)]
        ).result()
        assert store.claim_run(run_id, new_owner(), 3600).result() is None
        matches = [Written(store, match) for match in store.matches(run_id)]
        for match in matches:
            for _ in range(3):
                match.turn()
        yield Playing(store, run_id, matches)


@pytest.fixture
def four(tmp_path: Path) -> Iterator[Playing]:
    """One match of each game."""
    with playing(tmp_path / "parley.db", list(GAMES)) as found:
        yield found


def look(store: Store, **asked: object) -> Json:
    wanted: Json = {"size": 4, "run": None, "shown": [], "have": {}, "now": now()}
    return wall(Follower(store), **{**wanted, **asked})


def ids(found: Json) -> list[int]:
    return [cell["id"] for cell in found["cells"]]


def opened(page: Page, address: str, rest: str = "") -> Page:
    page.goto(f"{address}?page=live{rest}")
    expect(page.locator(".wl-cell").first).to_be_visible()
    return page


def test_a_look_tells_where_each_match_stands_and_then_only_what_is_new(four: Playing) -> None:
    following = Follower(four.store)
    asked: Json = {"size": 4, "run": None, "now": now()}
    first = wall(following, shown=[], have={}, **asked)
    assert ids(first) == [match.match_id for match in four.matches]
    assert [cell["frame"]["ply"] for cell in first["cells"]] == [3, 3, 3, 3]
    marks = {cell["id"]: cell["mark"] for cell in first["cells"]}
    again = wall(following, shown=list(marks), have=marks, **asked)
    assert all(set(cell) == {"id", "mark"} for cell in again["cells"])
    four.matches[1].turn()
    four.matches[2].say(four.matches[2].seats[0], "all", "good day")
    new = wall(following, shown=list(marks), have=marks, **asked)
    assert [len(cell) > 2 for cell in new["cells"]] == [False, True, True, False]
    assert new["cells"][1]["frame"]["ply"] == 4
    assert new["cells"][1]["view"] == {
        key: value for key, value in four.matches[1].game.view(four.matches[1].state, None).items() if key != "you"
    }
    assert new["cells"][2]["message"]["text"] == "good day"


def test_what_ended_makes_room_only_where_another_waits(tmp_path: Path) -> None:
    with playing(tmp_path / "parley.db", ["so_long_sucker"] * 4) as found:
        numbers = [match.match_id for match in found.matches]
        assert ids(look(found.store, size=2)) == numbers[:2]
        found.matches[0].to_end()
        shown = numbers[:2]
        assert ids(look(found.store, size=2, shown=shown)) == shown, "it lingers"
        later = now() + LINGER + timedelta(seconds=1)
        assert ids(look(found.store, size=2, shown=shown, now=later)) == [numbers[2], numbers[1]]
        for match in found.matches[1:]:
            match.to_end()
        assert ids(look(found.store, size=2, shown=shown, now=later)) == shown, "nothing else is to be seen"
        assert ids(look(found.store, size=2)) == []


def test_what_nobody_plays_is_not_on_the_wall(tmp_path: Path) -> None:
    with playing(tmp_path / "parley.db", ["twenty_one"]) as found, Store.open(tmp_path / "parley.db") as other:
        run_id = other.create_run(run_record("dead"), [waiting(0, "twenty_one")]).result()
        Written(other, other.matches(run_id)[0]).turn()
        assert ids(look(found.store)) == [found.matches[0].match_id]
        assert ids(look(found.store, run=run_id)) == []


def test_four_games_side_by_side_and_their_turns_as_they_come(four: Playing, new_page: OpenPage, serve: Serve) -> None:
    page = opened(new_page(), serve(Path(four.store.where)))
    expect(page.locator(".wl-cell")).to_have_count(4)
    expect(page.locator(".wl-counts")).to_have_text("4 matches being played")
    for match in four.matches:
        one = page.locator(f".wl-cell:has(a[href*='match={match.match_id}&'])")
        expect(one.locator("svg").first).to_be_visible()
        expect(one.locator(".wl-place")).to_have_text("ply 3")
        match.turn()
        match.say(match.seats[0], "all", f"mind {IMAGE}")
        expect(one.locator(".wl-place")).to_have_text("ply 4")
        expect(one.locator(".wl-words")).to_have_text(f"mind {IMAGE}")
    short = four.matches[list(GAMES).index("twenty_one")]
    short.to_end()
    ended = page.locator(f".wl-cell:has(a[href*='match={short.match_id}&'])")
    expect(ended.locator(".wl-result")).to_have_text(re.compile(r"wins$|^Draw"))
    page.get_by_role("link", name=f"#{four.matches[1].match_id} ").click()
    expect(page.locator(".pl-place")).to_have_text("Ply 4 of 4")
    four.matches[1].turn()
    expect(page.locator(".pl-place")).to_have_text("Ply 5 of 5")
    page.keyboard.press("Home")
    four.matches[1].turn()
    expect(page.locator(".pl-place")).to_have_text("Ply 0 of 6")


@pytest.mark.parametrize(("where", "place", "words"), [("?page=live", ".wl-place", "ply {}"), PLAYER])
def test_a_turn_is_shown_by_the_next_look_and_looks_are_a_second_apart(
    tmp_path: Path, new_page: OpenPage, serve: Serve, where: str, place: str, words: str
) -> None:
    apart = re.search(r"^const EVERY = (\d+);$", style("player/live.js"), re.MULTILINE)
    assert apart is not None
    every = int(apart[1])
    assert every <= 1000, "the goal is two seconds, and a look takes its time too"
    with playing(tmp_path / "parley.db", ["so_long_sucker"]) as found:
        match, page = found.matches[0], new_page()
        shown = page.locator(place)
        page.clock.install()
        page.goto(serve(tmp_path / "parley.db") + where.format(match.match_id))
        expect(shown).to_have_text(words.format(*[match.ply] * 2))
        try:
            # From here on the page's time goes on by hand, from one look to the next.
            # It cannot stop in the past, and the asking takes its time.
            page.clock.pause_at(page.evaluate("Date.now()") + 10_000)
            one_look_by_hand(page, match, every)
            expect(shown).to_have_text(words.format(*[match.ply] * 2))
            looks: list[str] = []
            page.on("request", lambda request: looks.append(request.url) if "/live/" in request.url else None)
            for _ in range(3):
                match.turn()
                looks.clear()
                page.clock.run_for(every)
                expect(shown).to_have_text(words.format(*[match.ply] * 2))
                assert len(looks) == 1, looks
        finally:
            # All pages share one clock.
            page.clock.resume()


def one_look_by_hand(page: Page, match: Written, every: int) -> None:
    """A turn, and the look that tells of it. When the page's time was stopped another may have been under way: only
    when that is answered is the next due, and the turn waits for it, so that what shows it is the last that was due."""
    held: list[Route] = []
    page.route(re.compile("/live/"), lambda route: held.append(route))
    end = time.monotonic() + 20
    while not held:
        assert time.monotonic() < end, "no look came"
        page.clock.run_for(every // 10)
    match.turn()
    held[0].continue_()
    page.unroute_all()


def test_how_many_boards_of_which_run(tmp_path: Path, new_page: OpenPage, serve: Serve) -> None:
    path = tmp_path / "parley.db"
    with playing(path, ["so_long_sucker"] * 9, "many") as many, playing(path, ["twenty_one"], "other") as other:
        page = opened(new_page(), serve(path))
        for size in (2, 6, 8, 4):
            page.locator(".wl-sizes").get_by_role("button", name=str(size), exact=True).click()
            expect(page.locator(".wl-cell")).to_have_count(size)
        expect(page).to_have_url(re.compile("size=4"))
        expect(page.locator(".wl-others a")).to_have_count(6)
        page.locator(".wl-run").select_option(label="other (1)")
        expect(page.locator(".wl-cell")).to_have_count(1)
        expect(page.locator(".wl-title")).to_contain_text(f"#{other.matches[0].match_id}")
        page.reload()
        expect(page.locator(".wl-cell")).to_have_count(1)
        opened(page, serve(path), "&run=other")
        expect(page.locator(".wl-cell")).to_have_count(1)
        expect(page.locator(".wl-run")).to_have_value(str(other.run))
        expect(page.get_by_role("note")).to_be_hidden()
        opened(page, serve(path), "&run=<b>x")
        expect(page.get_by_role("note")).to_have_text("There is no run <b>x in this database. Shown are all runs.")
        expect(page.locator(".wl-cell")).to_have_count(4)
        assert many.run != other.run


def test_it_fits_a_phone_and_says_when_nothing_is_played(tmp_path: Path, new_page: OpenPage, serve: Serve) -> None:
    path = tmp_path / "parley.db"
    with playing(path, ["trap_race", "so_long_sucker"]) as found:
        address = serve(path)
        page = opened(new_page(390, 844), address)
        expect(page.locator(".wl-cell")).to_have_count(2)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        for match in found.matches:
            found.store.set_match(match.match_id, "void", "the power failed").result()
        expect(page.locator(".wl-result").first).to_have_text("Void: the power failed")
        page.goto(f"{address}?page=live")
        expect(page.locator(".wl-none")).to_contain_text("No match is being played now")


def test_only_this_machine_is_answered(four: Playing, serve: Serve) -> None:
    address = serve(Path(four.store.where))
    asked = urllib.request.Request(f"{address}live/wall", headers={"Host": "elsewhere.example"})
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(asked, timeout=20)
    assert refused.value.code == 400
    with urllib.request.urlopen(f"{address}live/wall?size=none&run=x&shown=,a,-1&have=1:,:", timeout=20) as answer:
        assert answer.status == 200
