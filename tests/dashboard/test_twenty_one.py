"""The board of towers to twenty-one in Chromium: it shows each position, and no stone that its eyes may not see."""

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
GAME = get_game("twenty_one")
TOWERS = """() => Object.fromEntries([...document.querySelectorAll("[data-tower]")].map((tower) => [
  tower.dataset.tower, {
  total: tower.dataset.total, owner: tower.dataset.owner,
  stones: [...tower.querySelectorAll(".t21-layer")].map((layer) => [layer.dataset.colour,
    layer.querySelector("text").textContent, layer.lastChild.getAttribute("class"), layer.lastChild.tagName]),
  heights: [...tower.querySelectorAll(".t21-layer > :first-child")].map((rect) => Number(rect.getAttribute("height"))),
}]))"""
MARKS = {"p1": ("t21-p1", "circle"), "p2": ("t21-p2", "rect")}
"""Class and form: who cannot tell red from green reads the form."""
PARTS = """() => Object.fromEntries([...document.querySelectorAll(".t21-seat")].map((seat) => [seat.dataset.seat,
  Object.fromEntries([...seat.querySelectorAll("[data-part]")].map((part) => [part.dataset.part,
    [...part.querySelectorAll(".t21-stone")].map((stone) => [
      stone.querySelector("text").textContent, stone.classList.contains("t21-spent")])]))]))"""


@cache
def match(seed: int) -> Json:
    """A random match as the player takes it."""
    state, events = GAME.start(("p1", "p2"), {}, seed)
    record = MatchRecord(
        id=1, number=0, game="twenty_one", options=GAME.Options().model_dump(), seed=seed, start=GAME.dump(state),
        start_events=tuple(event.to_json() for event in events), start_hash=position_hash(GAME.dump(state)),
        status="finished",
        seats=tuple(SeatRecord(seat=seat, label=f"bot {seat}", kind="bot", identity=seat) for seat in ("p1", "p2")),
    )  # fmt: skip
    draws, turns = Draws(f"board:{seed}"), []
    while (seat := GAME.to_act(state)) is not None:
        action = draws.choice(GAME.legal(state))
        state, events = GAME.apply(state, action)
        turns.append(
            TurnRecord(
                ply=len(turns) + 1, seat=seat, action=action, source="player", at=datetime.now(UTC),
                position_hash=position_hash(GAME.dump(state)), events=tuple(event.to_json() for event in events),
            )
        )  # fmt: skip
    outcome = GAME.outcome(state)
    ended = record.model_copy(update={"plies": len(turns), "outcome": outcome and outcome.to_json()})
    return build(ended, turns, [], [], run="board")


def short(stone: str | None) -> str:
    """What stands on a stone."""
    if stone in (None, "?"):
        return stone or ""
    return "J" if stone == "joker" else f"{stone[0].upper()}{stone[-1]}"


def announced(said: Json | None) -> list[list[object]]:
    """What stands on the stones of an announcement, and whether each was placed."""
    if said is None:
        return []
    left, shown = list(said["left"]), []
    for item in said["items"]:
        here = item in left
        if here:
            left.remove(item)
        shown.append(["J" if item == "grey" else str(item)[0].upper(), not here])
    return shown


@pytest.mark.parametrize(("width", "eyes"), [(1280, "spectator"), (1280, "p1"), (390, "p2")])
def test_the_board_shows_each_position(shown: Show, width: int, eyes: str) -> None:
    replay = match(3)
    page = shown(replay, width, options={"eyes": eyes})
    last = len(replay["frames"]) - 1
    for frame in replay["frames"]:
        if frame["ply"] % 3 and frame["ply"] != last:
            page.keyboard.press("ArrowRight")
            continue
        expect(page.locator(".pl-place")).to_have_text(f"Ply {frame['ply']} of {last}")
        view = replay["views"][frame["views"][eyes]]
        towers = page.evaluate(TOWERS)
        for colour, layers in view["towers"].items():
            drawn = towers[colour]
            assert drawn["total"] == str(sum(layer["counts"] for layer in layers))
            assert drawn["owner"] == (layers[-1]["by"] if layers else "nobody")
            assert drawn["stones"] == [
                ["grey", f"J={layer['counts']}", *MARKS[layer["by"]]]
                if layer["stone"] == "joker"
                else [layer["stone"][:-1], short(layer["stone"]), *MARKS[layer["by"]]]
                for layer in layers
            ]
            assert [height + 2 for height in drawn["heights"]] == [16 * layer["counts"] for layer in layers]
        for seat, parts in page.evaluate(PARTS).items():
            now, later = view["grids"][seat][view["round"] > 3], view["grids"][seat][1] if view["round"] < 4 else []
            for part, stones in (
                ("grid", now),
                ("later", later),
                ("hand", view["hands"][seat]),
                ("discards", view["discards"][seat]),
            ):
                assert parts[part] == [[short(stone), False] for stone in stones], (seat, part)
            assert parts["announced"] == announced(view["announced"][seat])
        assert page.locator("[data-part=not-in-play]").count() == ("removed" in view)
        page.keyboard.press("ArrowRight")


def test_the_board_is_told_in_words(shown: Show) -> None:
    page = shown(match(3), options={"ply": 12})
    words = page.locator("svg.t21").get_attribute("aria-label")
    assert words
    assert words.startswith("Round 2 of 6: ")
    view = match(3)["views"][match(3)["frames"][12]["views"]["spectator"]]
    for colour, layers in view["towers"].items():
        total = sum(layer["counts"] for layer in layers)
        told = (
            f"{colour.capitalize()} tower: {total}, owned by {layers[-1]['by']}"
            if layers
            else f"{colour.capitalize()} tower: empty"
        )
        assert told in words


def test_the_end_is_told_to_its_winners(shown: Show) -> None:
    replay = match(3)
    page = shown(replay, options={"ply": len(replay["frames"]) - 1})
    expect(page.locator(".pl-board-head")).to_contain_text("The match is over")
    expect(page.locator(".t21-won")).to_have_count(len(replay["match"]["outcome"]["winners"]))
