"""What a reader does with the player: looks through eyes, jumps, sends links, asks what was hidden."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from games import GAMES
from games.api import Json
from harness.packing import packed
from tests.dashboard.played import PRIVATE, PROMISE, played

Show = Callable[..., Page]
HIDING = ("twenty_one", "trap_race")
"""The games in which a seat has secrets on the board."""


def at(page: Page, ply: int, last: int) -> None:
    """The player stands at that ply."""
    expect(page.locator(".pl-place")).to_have_text(f"Ply {ply} of {last}")


def drawn(page: Page) -> str:
    """All that the board says of its position, in words and attributes."""
    text: str = page.locator(".pl-stage > svg").evaluate("(board) => board.outerHTML")
    return text


FAINTEST = """(texts) => Math.min(...texts.map((text) => {
  const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number).slice(0, 3);
  const scaled = (colour) => numbers(colour).map((part) => colour.startsWith("rgb") ? part / 255 : part);
  const light = (colour) => scaled(colour)
    .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
    .reduce((sum, part, place) => sum + part * [0.2126, 0.7152, 0.0722][place], 0);
  let seen = 1;
  for (let node = text; node instanceof SVGElement; node = node.parentNode) seen *= getComputedStyle(node).opacity;
  const panel = text.closest(".sls-seat").querySelector(".sls-panel");
  const [one, other] = [light(getComputedStyle(text).fill), light(getComputedStyle(panel).fill)].sort();
  return seen < 1 ? 0 : (other + 0.05) / (one + 0.05);
}))"""


@pytest.mark.parametrize("dark", [False, True])
def test_what_is_written_of_who_is_out_can_be_read(shown: Show, *, dark: bool) -> None:
    page = shown(played("so_long_sucker"), dark=dark)
    page.keyboard.press("End")
    written = page.locator(".sls-out text:not(.sls-tag text)")
    expect(page.locator(".sls-out")).to_have_count(3)
    assert written.count() >= 9
    assert written.evaluate_all(FAINTEST) >= 4.5


@pytest.mark.parametrize("game", HIDING)
def test_as_it_was_known_shows_no_secret_of_any_seat(shown: Show, game: str) -> None:
    replay = played(game)
    last = len(replay["frames"]) - 1
    middle = last // 2
    page = shown(replay, options={"ply": middle})
    everything = drawn(page)
    page.get_by_role("button", name="As it was known").click()
    known = drawn(page)
    assert known != everything
    view = replay["views"][replay["frames"][middle]["views"]["spectator"]]
    if game == "twenty_one":
        hands = page.locator("[data-part=hand] text").all_text_contents()
        assert set(hands) <= {"?"}
        assert page.locator("[data-part=not-in-play]").count() == 0
    else:
        live = [tile for traps in view["traps"].values() for tile, state in traps.items() if state == "live"]
        seen = [tile for tiles in view["known"].values() for tile in tiles]
        assert len(live) > len(seen)
        told = page.locator("[data-trap][data-state=live]").evaluate_all("(all) => all.map((one) => one.dataset.trap)")
        assert sorted(told) == sorted(seen)
    assert page.get_by_text("thought of ply").count() == 0
    expect(page.locator(".pl-drawer-head")).to_have_text("What was thought is not shown as the table knew it")
    # At the end of the match all is shown to the table too.
    page.keyboard.press("End")
    at(page, last, last)
    expect(page.locator(".pl-reveal")).to_be_visible()
    ended = drawn(page)
    page.get_by_role("button", name="Everything").click()
    assert drawn(page) == ended


def test_a_private_message_is_the_tables_only_at_the_end(shown: Show) -> None:
    page = shown(played("so_long_sucker"), options={"ply": 5})
    chat = page.locator(".pl-chat")
    expect(chat).to_contain_text(PRIVATE)
    expect(chat.locator(".pl-secret .pl-mark")).to_have_text("private")
    page.get_by_role("button", name="As it was known").click()
    expect(chat).to_contain_text(PROMISE)
    expect(chat).not_to_contain_text(PRIVATE)
    page.keyboard.press("End")
    expect(chat).to_contain_text(PRIVATE)
    page.keyboard.press("ArrowLeft")
    expect(chat).not_to_contain_text(PRIVATE)
    page.locator("[data-eyes=red]").click()
    expect(chat).to_contain_text(PRIVATE)
    page.locator("[data-eyes=green]").click()
    expect(chat).not_to_contain_text(PRIVATE)
    page.get_by_role("button", name="Everything").click()
    expect(chat).to_contain_text(PRIVATE)


@pytest.mark.parametrize("game", GAMES)
def test_after_the_game_all_that_was_hidden_is_told(shown: Show, game: str) -> None:
    replay = played(game)
    last = len(replay["frames"]) - 1
    page = shown(replay, options={"ply": last - 1})
    reveal = page.locator(".pl-reveal")
    expect(reveal).to_be_hidden()
    page.keyboard.press("ArrowRight")
    expect(reveal).to_contain_text(PRIVATE)
    expect(reveal).to_contain_text("Thoughts behind")
    view = replay["views"][replay["frames"][last]["views"]["spectator"]]
    if game == "trap_race":
        for seat, traps in view["traps"].items():
            live = [tile for tile, state in traps.items() if state == "live"]
            told = reveal.locator(f'dt:has-text("{seat.capitalize()}\'s traps") + dd')
            expect(told).to_have_text(" · ".join(live) or "none")
        if not view["pickup"]["found"]:
            expect(reveal).to_contain_text(view["pickup"]["tile"])
    if game == "twenty_one":
        expect(reveal.locator("dt:has-text('Never in play') + dd")).to_have_text(" · ".join(view["removed"]))
    page.locator(f"[data-eyes={replay['match']['seats'][0]['seat']}]").click()
    expect(reveal).to_be_hidden()


def test_moments_are_jumped_to_by_kind(shown: Show) -> None:
    replay: Json = copy.deepcopy(played("so_long_sucker", 8))
    last = len(replay["frames"]) - 1
    replay["messages"][0]["pledges"][0] |= {"verdict": "broken", "verdict_ply": last - 1, "why": "deed"}

    def plies(kind: str) -> list[int]:
        return [one["ply"] for one in replay["frames"] if any(event["kind"] == kind for event in one["events"])]

    captures = plies("capture")
    refused = next(call["ply"] for call in replay["calls"] if call["error_kind"])
    page = shown(replay)
    kinds = page.get_by_label("Kind of moment")
    expect(kinds.locator("option[value=capture]")).to_have_text(f"Capture ({len(captures)})")
    kinds_of = {"capture": captures, "donation": plies("donate"), "broken": [last - 1], "illegal": [refused]}
    for kind, wanted in kinds_of.items():
        kinds.select_option(kind)
        kinds.blur()
        page.keyboard.press("Home")
        for ply in wanted:
            page.keyboard.press(".")
            at(page, ply, last)
        page.keyboard.press(".")
        at(page, wanted[-1], last)
        expect(page.get_by_label("The next moment (.)")).to_be_disabled()
        if len(wanted) > 1:
            page.keyboard.press(",")
            at(page, wanted[-2], last)
    expect(page.locator(".pl-tick")).to_have_attribute("d", f"M{refused} 0v1")
    blue = next(seat["seat"] for seat in replay["match"]["seats"] if seat["seat"] != replay["frames"][refused]["seat"])
    page.locator(f"[data-eyes={blue}]").click()
    expect(kinds.locator("option[value=illegal]")).to_be_disabled()


def test_a_pledge_is_told_when_it_is_made_and_judged_no_sooner(shown: Show) -> None:
    replay: Json = copy.deepcopy(played("so_long_sucker"))
    last = len(replay["frames"]) - 1
    replay["messages"][0]["pledges"][0] |= {"verdict": "broken", "verdict_ply": 4, "why": "deed"}
    page = shown(replay, options={"ply": 3})
    lines = page.locator(".pl-pledged")
    expect(lines).to_have_count(1)
    expect(lines).to_have_attribute("data-verdict", "made")
    expect(page.locator(".pl-chat .pl-pledge")).to_contain_text("within 8 turns")
    assert "broken" not in page.locator(".pl-side").inner_text()
    page.keyboard.press("ArrowRight")
    expect(lines).to_have_count(2)
    expect(lines.last).to_contain_text("✗ broken")
    page.keyboard.press("End")
    at(page, last, last)
    page.locator(".pl-pledged .pl-ply").last.click()
    at(page, 4, last)


def test_a_game_without_promises_has_no_list_of_them(shown: Show) -> None:
    page = shown(played("twenty_one"))
    expect(page.get_by_role("heading", name="Pledges")).to_be_hidden()


@pytest.mark.parametrize("speed", ["0.25", "8"])
def test_it_plays_slowly_and_fast(shown: Show, speed: str) -> None:
    replay = played("star_ludo")
    page = shown(replay, clock=True)
    page.get_by_label("Speed").select_option(speed)
    page.get_by_role("button", name="Play (space)").click()
    page.clock.run_for(8000)
    at(page, min(int(8 * float(speed)), len(replay["frames"]) - 1), len(replay["frames"]) - 1)


MOVING = "() => document.getAnimations().filter((one) => one.effect.target.closest('.pl-stage')).length"


@pytest.mark.parametrize("game", GAMES)
def test_a_step_is_seen_as_a_movement_and_a_jump_is_not(shown: Show, game: str) -> None:
    replay = played(game)
    last = len(replay["frames"]) - 1
    moved = {"so_long_sucker": "play", "star_ludo": "exit", "trap_race": "move", "twenty_one": "place"}[game]
    ply = next(f["ply"] for f in replay["frames"] if any(event["kind"] == moved for event in f["events"]))
    page = shown(replay, moving=True, options={"ply": ply - 1})
    page.wait_for_function("performance.now() > 1200")
    page.keyboard.press("ArrowRight")
    assert page.evaluate(MOVING) > 0
    at(page, ply, last)
    page.keyboard.press("End")
    assert page.evaluate(MOVING) == 0, "whoever jumps waits for nothing"
    at(page, last, last)
    page.emulate_media(reduced_motion="reduce")
    page.locator(".pl-range").fill(str(ply - 1))
    page.wait_for_function("(since) => performance.now() > since + 1200", arg=page.evaluate("performance.now()"))
    page.keyboard.press("ArrowRight")
    at(page, ply, last)
    assert page.evaluate(MOVING) == 0, "less movement was asked for"


def test_links_and_playing_on_are_the_pages_own(shown: Show) -> None:
    page = shown(played("star_ludo"))
    expect(page.get_by_role("button", name="Copy link")).to_have_count(0)
    page.evaluate(
        """(replay) => {
          window.player.destroy();
          window.asked = [];
          window.show(replay, {
            ply: 3,
            link: (ply, eyes, known) => `http://127.0.0.1/?ply=${ply}&eyes=${eyes}&known=${known}`,
            playOn: (ply) => window.asked.push(ply),
            onMove: (ply, eyes, known) => window.asked.push([ply, eyes, known]),
          });
        }""",
        json.loads(json.dumps(played("star_ludo"))),
    )
    page.locator("[data-eyes=green]").click()
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_label("To copy by hand")).to_have_value("http://127.0.0.1/?ply=3&eyes=green&known=true")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Play on from here").click()
    assert page.evaluate("window.asked") == [[3, "green", True], 3]


def test_a_small_board_for_a_wall_of_many(shown: Show) -> None:
    replay = played("twenty_one")
    page = shown(replay, options={"compact": True, "ply": 3})
    expect(page.locator(".t21")).to_be_visible()
    assert page.locator(".pl button, .pl input, .pl select").count() == 0
    page.keyboard.press("ArrowRight")
    page.evaluate("(data) => window.player.update(data)", json.loads(json.dumps(replay)))
    page.evaluate("window.player.go(9)")
    expect(page.locator(".pl-place")).to_have_text(re.compile("^Ply 9 of"))


@pytest.mark.parametrize("game", GAMES)
def test_a_phone_has_the_board_first_and_the_controls_at_hand(shown: Show, game: str) -> None:
    page = shown(played(game), 390, dark=True, options={"ply": 5})
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    board, controls = page.locator(".pl-board"), page.locator(".pl-transport")
    box, bar = board.bounding_box(), controls.bounding_box()
    assert box
    assert bar
    assert box["y"] < 100
    assert bar["y"] + bar["height"] <= 901, "the controls stand at the window's lower edge"
    page.evaluate("window.scrollTo(0, 400)")
    moved = controls.bounding_box()
    assert moved
    assert moved["y"] == pytest.approx(bar["y"], abs=2), "and stay there"
    sizes = page.evaluate(
        "[...document.querySelectorAll('.pl-button, .pl-select')].map((node) => node.getBoundingClientRect().height)"
    )
    assert min(sizes) >= 44


@pytest.mark.parametrize("game", GAMES)
def test_the_signs_on_the_board_are_explained(shown: Show, game: str) -> None:
    page = shown(played(game))
    page.get_by_text("Signs on the board").click()
    signs = page.locator(".pl-signs li")
    expect(signs.first).to_be_visible()
    assert all(text.strip() for text in signs.locator("> span").all_inner_texts())


def test_what_was_opened_stays_open_while_a_match_goes_on(shown: Show) -> None:
    whole: Json = json.loads(json.dumps(packed(played("so_long_sucker"))))
    last = len(whole["frames"]["rows"]) - 1
    call = next(call for call in played("so_long_sucker")["calls"] if not call["error_kind"])

    def up_to(ply: int) -> Json:
        """The replay as it was then, its details apart."""
        part: Json = copy.deepcopy(whole)
        del part["details"]
        part["frames"]["rows"] = part["frames"]["rows"][: ply + 1]
        part["match"] |= {"status": "running", "outcome": None}
        return part

    page = shown(up_to(call["ply"]), options={"compact": True})
    page.evaluate(
        """([replay, details, ply]) => {
          window.player.destroy();
          window.asked = 0;
          const load = async () => { window.asked += 1; return details; };
          window.player = window.mount(document.body, replay, { ply, details: load });
        }""",
        [up_to(call["ply"]), whole["details"], call["ply"]],
    )
    page.locator(".pl-drawer-head").click()
    fold = page.locator(".pl-prompt").last
    fold.locator("summary").click()
    expect(fold.locator("pre").first).to_contain_text("The rules stand here")
    page.evaluate("(replay) => window.player.update(replay)", up_to(last))
    at(page, last, last)
    page.locator(".pl-range").fill(str(call["ply"]))
    page.locator(".pl-prompt").last.locator("summary").click()
    page.evaluate("(replay) => window.player.update(replay)", up_to(last))
    expect(page.locator(".pl-prompt").last.locator("pre").first).to_be_visible()
    assert page.evaluate("window.asked") >= 1
