"""The one-file replay in Chromium: opened from a disk, without a network."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from games import GAMES
from games.api import Json
from harness.export import page as exported
from harness.packing import packed
from tests.dashboard.conftest import OpenPage
from tests.dashboard.played import PRIVATE, PROMISE, played

Open = Callable[..., Page]
LIMIT = 200_000
"""Bytes of the file of a short match with its prompts."""
HOSTILE = '</script><script>document.title="owned"</script><!--<script> ]]> </style>'
TURNED = "I promise to \u202eyarteb\u202c you \u2066never\u200b \ufeffagain"
BRACKETS = r"[/INST] I take [bold red]nothing[/] and [link=http://127.0.0.1:9]this[/link] [/] \[x]"


@pytest.fixture
def opened(new_page: OpenPage, tmp_path: Path) -> Open:
    """Writes a replay to a file and opens it."""

    def show(replay: Json, place: str = "", *, width: int = 1280, everybody: bool = False) -> Page:
        file = tmp_path / "match.html"
        file.write_text(exported(replay, everybody=everybody), encoding="utf-8")
        page = new_page(width)
        page.emulate_media(reduced_motion="reduce")
        page.goto(f"{file.as_uri()}{place}")
        expect(page.locator(".pl")).to_have_attribute("data-complete", "")
        return page

    return show


def last_of(replay: Json) -> int:
    return len(replay["frames"]) - 1


@pytest.mark.parametrize("game", GAMES)
def test_it_plays_to_the_end_and_shows_what_was_hidden(opened: Open, game: str) -> None:
    replay = played(game)
    last = last_of(replay)
    page = opened(replay)
    expect(page.locator(".pl-place")).to_have_text(f"Ply 0 of {last}")
    expect(page.locator(".pl-stage > svg")).to_have_attribute("role", "img")
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    expect(page.locator(".pl-place")).to_have_text(f"Ply 4 of {last}")
    page.keyboard.press("End")
    expect(page.locator(".pl-place")).to_have_text(f"Ply {last} of {last}")
    expect(page.locator(".pl-winner")).to_be_visible()
    reveal = page.locator(".pl-reveal")
    expect(reveal).to_contain_text(PRIVATE)
    reveal.get_by_text("Thoughts behind").click()
    expect(reveal).to_contain_text("thought of ply")
    page.locator(".pl-drawer-head").click()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("game", GAMES)
def test_every_view_comes_out_of_the_packing_as_it_went_in(shown: Open, game: str) -> None:
    replay = played(game)
    page = shown(replay)
    got = page.evaluate(
        """(pack) => {
          const model = new window.Model(pack);
          const seats = ["spectator", ...model.seats.keys()];
          const views = model.frames.map((_, ply) => seats.map((eyes) => JSON.stringify(model.view(ply, eyes))));
          const calls = model.calls.map((call) => model.details.call(call.number).prompt());
          return { views, calls };
        }""",
        json.loads(json.dumps(packed(replay))),
    )
    eyes = list(replay["frames"][0]["views"])
    wanted = [
        [json.dumps(replay["views"][frame["views"][each]], separators=(",", ":"), ensure_ascii=False) for each in eyes]
        for frame in replay["frames"]
    ]
    assert got["views"] == wanted
    texts = replay["texts"]
    assert got["calls"] == [
        [{"role": said["role"], "text": "\n\n".join(texts[part] for part in said["parts"])} for said in call["prompt"]]
        for call in replay["calls"]
    ]


def test_what_was_asked_and_answered_is_in_the_file(opened: Open) -> None:
    replay = played("so_long_sucker")
    call = replay["calls"][1]
    page = opened(replay, f"#ply={call['ply']}")
    page.locator(".pl-drawer-head").click()
    attempts = page.locator(".pl-attempt")
    expect(attempts).to_have_count(2)
    expect(attempts.first).to_contain_text("not legal: a secret refusal")
    expect(attempts.last.locator(".pl-reply pre")).to_have_text(call["content"])
    attempts.last.locator(".pl-prompt > summary").click()
    expect(attempts.last.locator(".pl-prompt pre").first).to_contain_text("The rules stand here, once")
    expect(page.locator(".pl-thoughts pre")).to_have_text(f"thought of ply {call['ply']}")


def test_a_short_match_is_a_small_file() -> None:
    for game in GAMES:
        replay = played(game)
        assert len(exported(replay).encode()) < LIMIT, game


def test_the_file_for_everybody_holds_no_prompt_and_no_thought(opened: Open) -> None:
    replay = played("so_long_sucker")
    page = opened(replay, everybody=True)
    # All that is in the file, unpacked.
    whole = page.evaluate(
        """async () => {
          const blocks = [...document.querySelectorAll("script[id]")];
          const texts = await Promise.all(blocks.map(async (block) => {
            if (block.type === "application/json") return block.textContent;
            const bytes = Uint8Array.from(atob(block.textContent), (letter) => letter.charCodeAt(0));
            const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
            return new Response(stream).text();
          }));
          return texts.join(" ");
        }"""
    )
    for secret in ("thought of", "note of", "reasoning of", "News before", "The rules stand", "secret refusal"):
        assert secret not in whole
    for told in (PROMISE, PRIVATE, '"illegal"', "label-red"):
        assert told in whole
    call = replay["calls"][0]
    page.locator(".pl-range").fill(str(call["ply"]))
    page.locator(".pl-drawer-head").click()
    expect(page.locator(".pl-drawer-head")).to_contain_text("2 requests, 1 failed")
    expect(page.locator(".pl-drawer-body")).to_contain_text("are left out of this page")
    expect(page.locator(".pl-attempt").first).to_contain_text("illegal")


def test_the_address_leads_to_a_ply_and_follows_it(opened: Open) -> None:
    replay = played("star_ludo")
    last = last_of(replay)
    page = opened(replay, "#ply=5&eyes=green")
    expect(page.locator(".pl-place")).to_have_text(f"Ply 5 of {last}")
    expect(page.locator("[data-eyes=green]")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("ArrowRight")
    page.wait_for_url("**/match.html#ply=6&eyes=green")
    page.evaluate("location.hash = 'ply=9'")
    expect(page.locator(".pl-place")).to_have_text(f"Ply 9 of {last}")
    expect(page.locator("[data-eyes=spectator]")).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="Copy link").click()
    expect(page.locator(".pl-live")).to_contain_text("match.html#ply=9")
    page.evaluate("location.hash = 'ply=end&eyes=<b>'")
    expect(page.locator(".pl-place")).to_have_text(f"Ply {last} of {last}")


def test_it_may_ask_nothing_of_anybody(context: BrowserContext, tmp_path: Path) -> None:
    file = tmp_path / "match.html"
    file.write_text(exported(played("twenty_one")), encoding="utf-8")
    page = context.new_page()
    page.goto(file.as_uri())
    refused = page.evaluate(
        """async () => {
          const image = new Promise((resolve) => {
            const node = new Image();
            node.onload = () => resolve("loaded");
            node.onerror = () => resolve("refused");
            node.src = "file:///etc/hostname";
          });
          const answer = await fetch("http://127.0.0.1:9/").then(() => "answered", () => "refused");
          const script = document.createElement("script");
          script.textContent = "window.ran = true";
          document.body.append(script);
          return [await image, answer, window.ran ?? "refused"];
        }"""
    )
    page.close()
    assert refused == ["refused", "refused", "refused"]


@pytest.fixture
def harm() -> Json:
    """A replay full of hostile texts, a megabyte in one of them."""
    replay: Json = json.loads(json.dumps(played("so_long_sucker")))
    texts = (HOSTILE, TURNED, BRACKETS, "x" * 1_000_000, "\ud800 lone")
    one = replay["messages"][0]
    replay["messages"] = [{**one, "seq": seq, "text": text} for seq, text in enumerate(texts)]
    replay["match"] |= {"run": HOSTILE, "title": HOSTILE, "scenario": BRACKETS}
    for seat in replay["match"]["seats"]:
        seat |= {"label": HOSTILE, "model": BRACKETS, "persona": TURNED}
    for turn in replay["turns"]:
        turn["thoughts"] = HOSTILE
    return replay


def test_hostile_text_is_text_in_the_file(opened: Open, harm: Json) -> None:
    last = last_of(harm)
    page = opened(harm)
    page.locator(".pl-drawer-head").click()
    page.keyboard.press("ArrowRight")
    chat = page.locator(".pl-chat")
    shown = "I promise to \\u{202e}yarteb\\u{202c} you \\u{2066}never\\u{200b} \\u{feff}again"
    for text in (HOSTILE, shown, BRACKETS, "x" * 1000):
        expect(chat).to_contain_text(text)
    page.keyboard.press("End")
    expect(page.locator(".pl-place")).to_have_text(f"Ply {last} of {last}")
    page.locator(".pl-reveal").get_by_text("Thoughts behind").click()
    expect(page.locator(".pl-reveal")).to_contain_text(HOSTILE)
    assert page.title() == f"{HOSTILE} · match 7 · Parley"
    assert page.locator("main img, main script, main iframe, main b").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
