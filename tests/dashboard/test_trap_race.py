"""The board of the trap race in Chromium: it shows each position, and nothing hidden from its eyes."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache

import pytest
from playwright.sync_api import Page, expect

from games import get_game
from games.api import Json
from games.chance import Draws
from harness.records import MatchRecord, SeatRecord, TurnRecord
from harness.replay import build
from tests.games.casefile import position_hash

Show = Callable[..., Page]
GAME = get_game("trap_race")
SEATS = ("south", "north")
DRAWN = """() => {
  const all = (selector, of) => [...document.querySelectorAll(selector)].map(of);
  const size = document.querySelector(".trp-plains").getAttribute("width") / 30;
  const shape = (name) => document.querySelector(`.trp-${name}`).getAttribute("d");
  const stretches = (name) => shape(name).matchAll(/M(\\S+) (\\S+?)h(\\S+?)v/g);
  const tile = (x, y, place) => `${Math.round(30 - y / size)},${Math.round(x / size) + place}`;
  const tiles = (name) => [...stretches(name)].flatMap(([, x, y, width]) =>
    Array.from({ length: Math.round(width / size) }, (_, place) => tile(x, y, place)));
  return {
    biome: document.querySelector("svg.trp").dataset.biome,
    pieces: all("[data-piece]", (node) => [node.dataset.seat, node.dataset.piece, node.dataset.tile,
      node.querySelector("text").textContent, node.querySelector(".trp-bridge") !== null]),
    traps: all("[data-trap]", (node) => [node.dataset.seat, node.dataset.trap, node.dataset.state]),
    boxes: all("[data-box]", (node) => [node.dataset.box, node.dataset.state]),
    pickup: all("[data-pickup]", (node) => [node.dataset.pickup, node.dataset.state]),
    marks: all("[data-mark]", (node) => node.dataset.mark),
    forest: tiles("forest"), water: tiles("water"),
    points: Object.fromEntries(all("[data-panel]", (node) => [node.dataset.panel,
      node.querySelectorAll(".trp-point.trp-scored").length])),
    panels: Object.fromEntries(all("[data-panel]", (node) => [node.dataset.panel, node.textContent])),
  };
}"""


@cache
def match(scenario: str, seed: int, steps: int) -> Json:
    """The first steps of a match played by chance, as the player takes it."""
    start = GAME.scenarios[scenario](SEATS, {}, seed)
    state = GAME.load(start)
    record = MatchRecord(
        id=1, number=0, game="trap_race", options=GAME.Options().model_dump(), seed=seed, start=start,
        start_events=(), start_hash=position_hash(start), status="running", scenario=scenario,
        seats=tuple(SeatRecord(seat=seat, label=f"bot {seat}", kind="bot", identity=seat) for seat in SEATS),
    )  # fmt: skip
    draws, turns = Draws(f"board:{seed}"), []
    while (seat := GAME.to_act(state)) is not None and len(turns) < steps:
        legal = [action for action in GAME.legal(state) if action != "end"] or ["end"]
        action = draws.choice(legal)
        state, events = GAME.apply(state, action)
        turns.append(
            TurnRecord(
                ply=len(turns) + 1, seat=seat, action=action, source="player", at=datetime.now(UTC),
                position_hash=position_hash(GAME.dump(state)), events=tuple(event.to_json() for event in events),
            )
        )  # fmt: skip
    return build(record.model_copy(update={"plies": len(turns)}), turns, [], [], run="board")


def tiles_of(view: Json, letter: str) -> list[str]:
    return [f"{row},{column}" for row in range(31) for column in range(30) if view["terrain"][row][column] == letter]


def by_seat(view: Json, key: str) -> list[tuple[str, str, str]]:
    return [(seat, one, two) for seat in SEATS for one, two in view[key][seat].items()]


@pytest.mark.parametrize(
    ("scenario", "eyes", "width"),
    [
        ("trap_alley", "spectator", 1280),
        ("box_race", "south", 1280),
        ("nerf_range", "north", 390),
        ("bridge_crossing", "spectator", 390),
    ],
)
def test_the_board_shows_each_position(shown: Show, scenario: str, eyes: str, width: int) -> None:
    replay = match(scenario, 4, 36)
    page = shown(replay, width, options={"eyes": eyes})
    last = len(replay["frames"]) - 1
    for frame in replay["frames"]:
        if frame["ply"] % 6 and frame["ply"] != last:
            page.keyboard.press("ArrowRight")
            continue
        expect(page.locator(".pl-place")).to_have_text(f"Ply {frame['ply']} of {last}")
        view = replay["views"][frame["views"][eyes]]
        drawn = page.evaluate(DRAWN)
        assert drawn["biome"] == view["biome"]
        assert (drawn["forest"], drawn["water"]) == (tiles_of(view, "f"), tiles_of(view, "w"))
        assert drawn["pieces"] == [
            [seat, number, tile, number, number in view["bridge"][seat]]
            for seat, number, tile in by_seat(view, "pieces")
        ]
        assert drawn["traps"] == [list(trap) for trap in by_seat(view, "traps")]
        assert drawn["boxes"] == [[tile, "open" if box["open"] else "closed"] for tile, box in view["boxes"].items()]
        pickup = view["pickup"]
        there = [[pickup["tile"], "found" if pickup["found"] else "hidden"]] if "tile" in pickup else []
        assert drawn["pickup"] == there
        assert drawn["marks"] == [mark["tile"] for mark in view["marks"]]
        assert drawn["points"] == view["score"]
        acting = drawn["panels"][view["to_act"]]
        assert f"{view['pool']} of 10 points left" in acting
        assert ("in hand" in acting) is (view["power"] is not None)
        page.keyboard.press("ArrowRight")


def test_the_board_fits_a_phone(shown: Show) -> None:
    page = shown(match("opening", 3, 4), 390)
    box = page.locator("svg.trp").bounding_box()
    assert box
    assert 340 <= box["width"] <= 390
    sizes = page.evaluate(
        "() => [...document.querySelectorAll('.trp-piece text')].map((node) => node.getBoundingClientRect().height)"
    )
    assert min(sizes) >= 7
    assert page.evaluate("() => document.documentElement.scrollWidth <= window.innerWidth")


def test_the_board_is_told_in_words(shown: Show) -> None:
    replay = match("trap_alley", 4, 36)
    page = shown(replay, options={"ply": 10, "eyes": "south"})
    words = page.locator("svg.trp").get_attribute("aria-label")
    view = replay["views"][replay["frames"][10]["views"]["south"]]
    assert words
    assert words.startswith(f"Turn {view['turn']} of 200: ")
    for seat in SEATS:
        told = "; ".join(f"{number} at {tile}" for number, tile in view["pieces"][seat].items())
        assert f"Pieces: {told}." in words
    assert "Pickup not found." in words
