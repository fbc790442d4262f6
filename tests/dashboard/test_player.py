"""The player alone in Chromium: what it draws, hides, says and obeys."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from games.api import Json
from tests.dashboard.records import BRACKETS, IMAGE, PROMPT, REFUSED, SCRIPT, SECRET, THOUGHT

Show = Callable[..., Page]
PILES = """() => [...document.querySelectorAll(".sls-pile")].map((pile) => ({
  id: pile.dataset.pile,
  chips: [...pile.querySelectorAll(".sls-side")].map((chip) => [
    chip.dataset.colour, chip.querySelector("text").textContent, chip.querySelector("rect").getBBox().y]),
}))"""
SEATS = """() => Object.fromEntries([...document.querySelectorAll(".sls-seat")].map((seat) => [seat.dataset.seat, {
  chips: [...seat.querySelectorAll(".sls-round")].map((chip) => [
    chip.dataset.colour, chip.querySelector(".sls-times").textContent || "1"]),
  acts: seat.classList.contains("sls-acts"),
  out: seat.classList.contains("sls-out"),
}]))"""
DEAD = """() => Object.fromEntries([...document.querySelectorAll(".sls-dead .sls-round")].map((chip) => [
  chip.dataset.colour, Number(chip.querySelector(".sls-times").textContent || "1")]))"""


def at(page: Page, ply: int, last: int) -> None:
    """The player stands at that ply."""
    expect(page.locator(".pl-place")).to_have_text(f"Ply {ply} of {last}")


@pytest.mark.parametrize("width", [1280, 390])
def test_the_board_shows_each_position(shown: Show, replay: Json, width: int) -> None:
    page = shown(replay, width)
    last = len(replay["frames"]) - 1
    captures = 0
    for frame in replay["frames"]:
        at(page, frame["ply"], last)
        view = replay["views"][frame["views"]["spectator"]]
        piles = page.evaluate(PILES)
        captured = [("captured", view["captured"])] if view["captured"] else []
        captures += len(captured)
        expected = captured + [(str(pile["id"]), pile["chips"]) for pile in view["piles"]]
        assert [(pile["id"], [chip[0] for chip in pile["chips"]]) for pile in piles] == expected
        for pile in piles:
            assert all(letter == colour[0].upper() for colour, letter, _ in pile["chips"])
            heights = [height for _, _, height in pile["chips"]]
            assert heights == sorted(heights, reverse=True), "the first chip lies at the bottom"
        for seat, drawn in page.evaluate(SEATS).items():
            prisoners = [[colour, str(number)] for colour, number in view["prisoners"][seat].items()]
            assert drawn["chips"] == [[seat, str(view["supply"][seat])], *sorted(prisoners, key=in_seat_order)]
            assert drawn["acts"] == (view["to_act"] == seat)
            assert drawn["out"] == (seat not in view["alive"])
        assert page.evaluate(DEAD) == {colour: number for colour, number in view["dead"].items() if number}
        page.keyboard.press("ArrowRight")
    assert captures


def in_seat_order(chips: list[str]) -> int:
    """Where a colour sits."""
    return ("red", "blue", "green", "yellow").index(chips[0])


def test_the_keyboard_steps_and_jumps(shown: Show, replay: Json) -> None:
    page = shown(replay)
    last = len(replay["frames"]) - 1
    for key, ply in (("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", last), ("ArrowRight", last)):
        page.keyboard.press(key)
        at(page, ply, last)
    page.keyboard.press("Home")
    page.keyboard.press("ArrowLeft")
    at(page, 0, last)
    page.locator(".pl-range").focus()
    page.keyboard.press("ArrowRight")
    at(page, 1, last)


def test_it_plays_pauses_and_stops_at_the_end(shown: Show, replay: Json) -> None:
    page = shown(replay, clock=True)
    last = len(replay["frames"]) - 1
    page.keyboard.press(" ")
    expect(page.get_by_role("button", name="Pause (space)")).to_be_visible()
    page.clock.run_for(3000)
    at(page, 3, last)
    page.keyboard.press(" ")
    page.clock.run_for(3000)
    at(page, 3, last)
    page.get_by_label("Speed").select_option("4")
    page.get_by_role("button", name="Play (space)").click()
    page.clock.run_for(1000)
    at(page, 7, last)
    page.clock.run_for(250 * last)
    at(page, last, last)
    expect(page.get_by_role("button", name="Play (space)")).to_be_visible()


def test_scrubbing_and_jumping_from_a_list(shown: Show, replay: Json) -> None:
    page = shown(replay)
    last = len(replay["frames"]) - 1
    page.locator(".pl-range").fill(str(last // 2))
    at(page, last // 2, last)
    page.locator(".pl-events").get_by_label("Go to ply 2", exact=True).click()
    at(page, 2, last)


def test_a_long_match_shows_its_latest_lines_and_more_at_a_press(shown: Show, replay: Json) -> None:
    long = copy.deepcopy(replay)
    frame, turn = long["frames"][1], long["turns"][0]
    long["frames"][1:] = [{**frame, "ply": ply, "events": frame["events"][:1]} for ply in range(1, 1001)]
    long["turns"] = [{**turn, "ply": ply} for ply in range(1, 1001)]
    page = shown(long)
    lines = page.locator(".pl-event")
    page.keyboard.press("End")
    at(page, 1000, 1000)
    expect(lines).to_have_count(150)
    expect(lines.last).to_contain_text("1000")
    expect(lines.last).to_have_class(re.compile("pl-now"))
    page.keyboard.press("ArrowLeft")
    expect(lines.last).to_contain_text("999")
    page.get_by_role("button", name="Show earlier ones").click()
    expect(lines).to_have_count(600)
    expect(lines.first).to_contain_text("400")
    page.locator(".pl-range").fill("100")
    expect(lines).to_have_count(101)
    expect(lines.first).to_contain_text("0")
    expect(lines.last).to_contain_text("100")
    expect(page.get_by_role("button", name="Show earlier ones")).to_be_hidden()


def test_the_end_names_the_winner(shown: Show, replay: Json) -> None:
    page = shown(replay)
    winner = replay["match"]["outcome"]["winners"][0]
    label = next(seat["label"] for seat in replay["match"]["seats"] if seat["seat"] == winner)
    expect(page.locator(".pl-winner")).to_be_hidden()
    page.keyboard.press("End")
    expect(page.locator(".pl-winner")).to_have_text(f"{winner.capitalize()} ({label}) wins")
    expect(page.locator(f".sls-seat[data-seat={winner}] .sls-tag")).to_have_text("★ winner")
    expect(page.locator(".pl-live")).to_contain_text("wins")


def test_a_seat_sees_only_what_it_can_know(shown: Show, replay: Json) -> None:
    page = shown(replay)
    page.keyboard.press("End")
    everything = page.locator(".pl")
    expect(page.locator(".pl-chat")).to_contain_text(SECRET)
    for seat, knows in (("red", True), ("blue", True), ("green", False), ("yellow", False)):
        page.locator(f"[data-eyes={seat}]").click()
        expect(page.locator(f"[data-eyes={seat}]")).to_have_attribute("aria-pressed", "true")
        expect(page.locator(".pl-chat")).to_contain_text(IMAGE)
        assert (SECRET in page.locator(".pl-chat").inner_text()) is knows
    own = next(ply for ply, frame in enumerate(replay["frames"]) if frame["seat"] == "red")
    page.locator(".pl-range").fill(str(own))
    page.locator("[data-eyes=red]").click()
    page.locator(".pl-drawer-head").click()
    expect(everything).to_contain_text(THOUGHT)
    expect(everything).to_contain_text(replay["frames"][own]["action"])
    page.locator("[data-eyes=blue]").click()
    expect(page.locator(".pl-drawer-head")).to_contain_text("not shown")
    assert "I mean to keep quiet" not in everything.inner_text()
    assert "Raw reply" not in everything.inner_text()
    assert "smol" not in page.content(), "a seat is told no other's name"


def test_a_decision_shows_prompt_reply_and_retries(shown: Show, replay: Json) -> None:
    retried = next(call for call in replay["calls"] if call["attempt"] == 2)
    page = shown(replay, options={"ply": retried["ply"]})
    head = page.locator(".pl-drawer-head")
    for fact in ("1,624 + 82 tokens", "$0.000426", "2.5 s", "2 requests, 1 failed"):
        expect(head).to_contain_text(fact)
    head.click()
    attempts = page.locator(".pl-attempt")
    expect(attempts).to_have_count(2)
    expect(attempts.first).to_contain_text("illegal")
    expect(attempts.first).to_contain_text(REFUSED)
    expect(attempts.first).to_contain_text(BRACKETS)
    expect(attempts.last).to_contain_text("812 (600 cached)")
    expect(attempts.last).to_contain_text("41 (12 reasoning)")
    expect(attempts.last).to_contain_text("$0.000213")
    attempts.last.get_by_text("Prompt (2 messages)").click()
    expect(attempts.last.locator(".pl-prompt pre").first).to_have_text(f"{PROMPT}\n\nNothing here is markup: {IMAGE}")
    reply = attempts.last.locator(".pl-reply pre")
    expect(reply).to_contain_text('"thoughts"')
    expect(reply).to_contain_text("left \\u{202e}right\\u{202c} \\u{200b}end \\u{d800}")
    attempts.last.get_by_text("Reasoning", exact=True).click()
    expect(attempts.last.locator(".pl-reasoning pre")).to_have_text(SCRIPT)
    page.keyboard.press("ArrowRight")
    expect(page.locator(".pl-drawer")).to_have_attribute("open", "")


def test_where_a_move_came_from_is_marked(shown: Show, replay: Json) -> None:
    page = shown(replay)
    marks = {"player": "chosen", "forced": "forced", "fallback": "fallback", "human": "human"}
    sources = {frame["source"]: frame["ply"] for frame in replay["frames"][1:]}
    assert {"player", "fallback"} <= set(sources)
    for source, ply in sources.items():
        page.locator(".pl-range").fill(str(ply))
        expect(page.locator(".pl-source")).to_have_text(marks[source])


def test_hostile_text_is_text(shown: Show, replay: Json) -> None:
    harm = copy.deepcopy(replay)
    texts = [IMAGE, SCRIPT, BRACKETS, "a\u202eb", "\u0627\u0644", "x" * 1_000_000, "\ud800 lone", "\x1b[31mred"]
    harm["messages"] = [{**harm["messages"][0], "seq": seq, "text": text} for seq, text in enumerate(texts)]
    harm["match"] |= {"run": IMAGE, "title": SCRIPT, "why": IMAGE, "status": "paused"}
    for seat, text in zip(harm["match"]["seats"], (IMAGE, SCRIPT, BRACKETS, "a\u202eb"), strict=True):
        seat |= {"label": text, "model": text, "persona": text}
    for frame in harm["frames"]:
        for event in frame["events"]:
            event["text"] = IMAGE
    page = shown(harm)
    page.locator(".pl-drawer-head").click()
    for _ in range(10):
        page.keyboard.press("ArrowRight")
        page.evaluate("for (const fold of document.querySelectorAll('.pl-fold')) fold.open = true")
    for text in (IMAGE, SCRIPT, BRACKETS, "a\\u{202e}b", "\\u{1b}[31mred", "x" * 1000):
        expect(page.locator(".pl-chat")).to_contain_text(text)
    assert page.locator(".pl img, .pl script, .pl iframe, .pl b, .pl a").count() == 0
    assert page.title() == "player"
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_match_that_goes_on_is_followed(shown: Show, replay: Json) -> None:
    before = copy.deepcopy(replay)
    before["frames"] = before["frames"][:6]
    before["turns"] = before["turns"][:5]
    before["match"] |= {"status": "running", "outcome": None, "plies": 5}
    page = shown(before, options={"ply": 3})
    expect(page.locator(".pl-halt")).to_contain_text("Running")
    expect(page.locator(".pl-pending")).to_be_empty()
    more = copy.deepcopy(replay)
    more["frames"] = more["frames"][:8]
    more["match"] |= {"status": "running", "outcome": None, "plies": 7}
    line = page.locator(".pl-event").first.element_handle()
    page.evaluate("(data) => window.player.update(data)", more)
    at(page, 3, 7)
    assert line.evaluate("(node) => node.isConnected"), "what was there already is kept"
    page.keyboard.press("End")
    page.evaluate("(data) => window.player.update(data)", replay)
    last = len(replay["frames"]) - 1
    at(page, last, last)
    expect(page.locator(".pl-winner")).to_be_visible()
    expect(page.locator(".pl-halt")).to_be_hidden()


def test_a_paused_match_says_why_and_what_was_asked(shown: Show, replay: Json) -> None:
    paused = copy.deepcopy(replay)
    asked = next(call for call in paused["calls"] if call["error_kind"])
    paused["frames"] = paused["frames"][: asked["ply"]]
    paused["match"] |= {"status": "paused", "why": f"wait {IMAGE}", "outcome": None}
    page = shown(paused)
    page.keyboard.press("End")
    expect(page.locator(".pl-halt")).to_have_text(f"Paused: wait {IMAGE}")
    expect(page.locator(".pl-pending")).to_contain_text(REFUSED)
    others = next(seat for seat in ("blue", "yellow") if seat != asked["seat"])
    page.locator(f"[data-eyes={others}]").click()
    expect(page.locator(".pl-pending")).to_be_empty()
    expect(page.locator(".pl-halt")).to_have_text("Paused")
    paused["match"] |= {"status": "void", "why": "the power failed"}
    page.evaluate("(data) => window.player.update(data)", paused)
    page.locator("[data-eyes=spectator]").click()
    expect(page.locator(".pl-halt")).to_have_text("Void: the power failed")


def test_later_steps_of_a_plan_show_the_request_of_its_first(shown: Show, replay: Json) -> None:
    planned = copy.deepcopy(replay)
    first = next(call["ply"] for call in planned["calls"])
    turn = planned["turns"][first]
    turn |= {"plan_index": 1, "decision": planned["turns"][first - 1]["decision"], "thoughts": None}
    planned["frames"][first + 1]["seat"] = planned["frames"][first]["seat"]
    page = shown(planned, options={"ply": first + 1})
    expect(page.locator(".pl-drawer-head")).to_contain_text("step 2 of a plan")
    page.locator(".pl-drawer-head").click()
    expect(page.locator(".pl-attempt").first).to_be_visible()
    expect(page.locator(".pl-thoughts pre")).to_have_text(THOUGHT)


def test_talk_before_a_turn_is_shown_with_it(shown: Show, replay: Json) -> None:
    talked = copy.deepcopy(replay)
    call = talked["calls"][0]
    talked["calls"].append({**call, "seat": "yellow", "kind": "talk", "decision": 99, "content": "only words"})
    page = shown(talked, options={"ply": call["ply"]})
    page.locator(".pl-drawer-head").click()
    expect(page.locator(".pl-drawer-body")).to_contain_text("only words")
    page.locator("[data-eyes=green]").click()
    expect(page.locator(".pl-drawer-body")).not_to_contain_text("only words")


def test_a_game_without_a_board_shows_its_text(shown: Show, replay: Json) -> None:
    other = copy.deepcopy(replay)
    other["match"]["game"] = "another_game"
    other["view_texts"] = [f"view {number} {IMAGE}" for number in range(len(other["views"]))]
    page = shown(other)
    expect(page.locator(".pl-text-board")).to_have_text(f"view {other['frames'][0]['views']['spectator']} {IMAGE}")
    del other["view_texts"]
    page.evaluate("(data) => window.player.update(data)", other)
    expect(page.locator(".pl-text-board")).to_contain_text("supply")


def test_seats_named_by_number_are_told_apart(shown: Show, replay: Json) -> None:
    names = {'"red"': '"p1"', '"blue"': '"p2"'}
    numbered = json.loads(re.sub('"(red|blue)"', lambda seat: names[seat[0]], json.dumps(replay)))
    numbered["match"]["game"] = "another_game"
    page = shown(numbered)
    expect(page.locator("[data-eyes=p1] .pl-badge")).to_have_text("P1")
    expect(page.locator("[data-eyes=p2] .pl-badge")).to_have_text("P2")
    expect(page.locator("[data-eyes=green] .pl-badge")).to_have_text("G")


def test_a_match_that_has_not_begun(shown: Show, replay: Json) -> None:
    waiting = copy.deepcopy(replay)
    waiting |= {"frames": [], "turns": [], "calls": [], "messages": [], "views": []}
    waiting["match"] |= {"status": "queued", "outcome": None, "plies": 0}
    page = shown(waiting)
    expect(page.locator(".pl-stage")).to_have_text("This match has not begun.")
    page.keyboard.press("ArrowRight")
    page.locator("[data-eyes=blue]").click()
    page.evaluate("(data) => window.player.update(data)", replay)
    expect(page.locator(".sls")).to_be_visible()


@pytest.mark.parametrize(
    ("outcome", "line"),
    [
        ({"winners": ["red", "blue"], "reason": "draw"}, "Draw between Red (smol) and Blue (greedy)"),
        ({"winners": [], "reason": "none"}, "No winner"),
        (
            {
                "winners": ["red", "green", "yellow"],
                "places": {"red": 1, "blue": 4, "green": 1, "yellow": 1},
                "reason": "forfeit",
            },
            "Blue (greedy) forfeits; Red (smol), Green (x) and Yellow (y) share first place",
        ),
    ],
)
def test_other_ends_are_said_too(shown: Show, replay: Json, outcome: Json, line: str) -> None:
    ended = copy.deepcopy(replay)
    ended["match"]["outcome"] = {"places": {}, **outcome}
    ended["match"]["seats"][2]["label"], ended["match"]["seats"][3]["label"] = "x", "y"
    page = shown(ended, options={"ply": 10_000})
    expect(page.locator(".pl-winner")).to_have_text(line)


def test_it_fits_a_phone_and_follows_a_dark_page(shown: Show, replay: Json) -> None:
    page = shown(replay, 390, dark=True, options={"ply": 9})
    page.locator(".pl-drawer-head").click()
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    expect(page.locator(".pl")).to_have_attribute("data-theme", "dark")
    sizes = page.evaluate(
        "[...document.querySelectorAll('.pl-button')].map((node) => node.getBoundingClientRect().width)"
    )
    assert min(sizes) >= 44, "a finger finds every button"
    page.emulate_media(color_scheme="light")
    expect(page.locator(".pl")).to_have_attribute("data-theme", "light")


def test_it_can_be_heard(shown: Show, replay: Json) -> None:
    page = shown(replay)
    page.keyboard.press("ArrowRight")
    text = replay["frames"][1]["events"][0]["text"]
    live = page.locator(".pl-live")
    expect(live).to_have_attribute("aria-live", "polite")
    expect(live).to_contain_text("Ply 1.")
    expect(live).to_contain_text(text, ignore_case=True)
    expect(page.locator(".sls")).to_have_attribute("aria-label", re.compile("in supply"))
    unnamed = page.evaluate(
        "[...document.querySelectorAll('.pl button, .pl input, .pl select')]"
        ".filter((node) => !(node.getAttribute('aria-label') || node.textContent.trim())).length"
    )
    assert unnamed == 0


def test_it_leaves_nothing_behind(shown: Show, replay: Json) -> None:
    page = shown(replay)
    page.evaluate("window.player.destroy()")
    expect(page.locator(".pl")).to_have_count(0)
    page.keyboard.press("ArrowRight")
    page.keyboard.press(" ")
