"""The board of star ludo in Chromium: every pawn where it stands, the dice, and the ring around the pawn that moved."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from games import get_game
from games.api import Json
from games.chance import Draws
from harness.records import MatchRecord, SeatRecord, TurnRecord
from harness.replay import build, position_hash

Show = Callable[..., Page]
GAME = get_game("star_ludo")
PAWNS = """() => [...document.querySelectorAll(".lud-pawn")].map((pawn) => {
  const box = pawn.querySelector(".lud-body").getBoundingClientRect();
  return {
    seat: pawn.dataset.seat, pawn: Number(pawn.dataset.pawn), place: Number(pawn.dataset.place),
    x: box.x + box.width / 2, y: box.y + box.height / 2, size: box.width,
    text: pawn.querySelector(".lud-number").textContent, shape: pawn.querySelector(".lud-body").getAttribute("d"),
    ring: Boolean(pawn.querySelector(".lud-ring")), hit: Boolean(pawn.querySelector(".lud-hit")),
  };
})"""
SQUARES = """() => Object.fromEntries([...document.querySelectorAll("[data-square]")].map((square) => {
  const box = square.querySelector("rect").getBoundingClientRect();
  return [square.dataset.square, {
    x: box.x + box.width / 2, y: box.y + box.height / 2, size: box.width,
    star: Boolean(square.querySelector(".lud-star")),
  }];
}))"""
STARTS = {"red": 0, "green": 13, "yellow": 26, "blue": 39}


def played(number: int, seed: int, options: Json | None = None) -> Json:
    """The replay of a whole random match."""
    full = GAME.Options.model_validate(options or {})
    seats = GAME.seats(number)
    state, events = GAME.start(seats, full, seed)
    start = GAME.dump(state)
    draws = Draws(f"board {seed}")
    turns: list[TurnRecord] = []
    first = tuple(event.to_json() for event in events)
    while seat := GAME.to_act(state):
        action = draws.choice(GAME.legal(state))
        state, events = GAME.apply(state, action)
        turns.append(
            TurnRecord(
                ply=len(turns) + 1, seat=seat, action=action, source="player",
                position_hash=position_hash(GAME.dump(state)), events=tuple(event.to_json() for event in events),
                at=datetime(2026, 1, 1, tzinfo=UTC),
            )
        )  # fmt: skip
    outcome = GAME.outcome(state)
    assert outcome is not None
    match = MatchRecord(
        id=1, number=0, game="star_ludo", options=full.model_dump(), seed=seed, status="finished", start=start,
        start_events=first, start_hash=position_hash(start), plies=len(turns), outcome=outcome.to_json(),
        seats=tuple(
            SeatRecord(seat=seat, label=f"label of {seat}", kind="bot", model="random", identity=seat) for seat in seats
        ),
    )  # fmt: skip
    return build(match, turns, (), (), run="board")


def frame_views(replay: Json) -> list[tuple[Json, Json]]:
    """Every frame with what the spectator sees."""
    return [(frame, replay["views"][frame["views"]["spectator"]]) for frame in replay["frames"]]


def near(one: Json, other: Json) -> bool:
    return abs(one["x"] - other["x"]) < 1.5 and abs(one["y"] - other["y"]) < 4


@pytest.mark.parametrize(("number", "width"), [(4, 1280), (2, 390)])
def test_every_pawn_stands_where_it_is(shown: Show, number: int, width: int) -> None:
    replay = played(number, 5, {"cap": 45})
    page = shown(replay, width)
    moved = 0
    for frame, view in frame_views(replay):
        expect(page.locator(".pl-place")).to_have_text(f"Ply {frame['ply']} of {len(replay['frames']) - 1}")
        pawns, squares = page.evaluate(PAWNS), page.evaluate(SQUARES)
        assert {(each["seat"], each["pawn"]): each["place"] for each in pawns} == {
            (seat, pawn + 1): place for seat, places in view["pawns"].items() for pawn, place in enumerate(places)
        }
        for each in pawns:
            if 0 <= each["place"] <= 50:
                assert near(each, squares[str((STARTS[each["seat"]] + each["place"]) % 52)])
            if each["place"] < 56:
                assert each["text"] == f"{each['seat'][0].upper()}{each['pawn']}"
        spots = [(round(each["x"]), round(each["y"])) for each in pawns]
        assert len(set(spots)) == len(spots), "no pawn covers another"
        last = [event for event in frame["events"] if event["kind"] in ("move", "exit")]
        assert [(each["seat"], each["pawn"]) for each in pawns if each["ring"]] == [
            (event["seat"], event["pawn"]) for event in last
        ]
        hits = [(event["of"], event["of_pawn"]) for event in frame["events"] if event["kind"] == "capture"]
        assert [(each["seat"], each["pawn"]) for each in pawns if each["hit"]] == hits
        moved += len(last)
        page.keyboard.press("ArrowRight")
    assert moved == len(replay["frames"]) - 1


def test_the_ring_the_stars_and_the_shapes(shown: Show) -> None:
    page = shown(played(4, 5, {"cap": 30}))
    squares = page.evaluate(SQUARES)
    assert [int(square) for square, drawn in squares.items() if drawn["star"]] == [0, 8, 13, 21, 26, 34, 39, 47]
    for square in range(52):
        one, other = squares[str(square)], squares[str((square + 1) % 52)]
        steps = sorted(round(abs(one[axis] - other[axis]) / one["size"], 1) for axis in ("x", "y"))
        assert steps in ([0, 1], [1, 1]), "squares that follow each other touch"
    pawns = page.evaluate(PAWNS)
    assert len({each["shape"] for each in pawns}) == 4, "each seat has its own shape"


def test_the_dice_and_whose_turn_it_is(shown: Show) -> None:
    replay = played(4, 5, {"cap": 30, "extra": "stack"})
    page = shown(replay)
    expect(page.locator(".pl-subtitle")).to_contain_text("at most 30 rolls · extra turns stack")
    for frame, view in frame_views(replay):
        expect(page.locator(".pl-place")).to_have_text(f"Ply {frame['ply']} of {len(replay['frames']) - 1}")
        dice: list[Any] = page.evaluate(
            "() => [...document.querySelectorAll('.lud-die')].map((die) => "
            "[Number(die.dataset.number), die.querySelectorAll('circle').length, die.className.baseVal])"
        )
        assert [number for number, _, _ in dice] == view["dice"]
        assert all(number == pips for number, pips, _ in dice)
        if view["phase"] == "move":
            assert "lud-playing" in dice[view["die"]][2]
            assert ("lud-played" in dice[0][2]) == (view["die"] == 1)
            expect(page.locator(".pl-status")).to_have_text(
                f"{view['to_act'].capitalize()} to play the {view['dice'][view['die']]}"
            )
            expect(page.locator(".lud-acts")).to_have_attribute("data-seat", view["to_act"])
            assert page.locator(".lud-target").count() == len(view["moves"])
        page.keyboard.press("ArrowRight")
    expect(page.locator(".pl-status")).to_have_text("The match is over")
    winners = replay["match"]["outcome"]["winners"]
    assert page.locator(".lud-won").evaluate_all("(all) => all.map((each) => each.dataset.seat)") == winners


def test_it_fits_a_phone_and_can_be_heard(shown: Show) -> None:
    replay = played(3, 8, {"cap": 20})
    page = shown(replay, 390, dark=True)
    assert page.evaluate("() => document.documentElement.scrollWidth <= window.innerWidth")
    said = page.locator(".lud").get_attribute("aria-label") or ""
    view = frame_views(replay)[0][1]
    assert f"Dice {view['dice'][0]} and {view['dice'][1]}." in said
    assert all(f"{seat.capitalize()}: pawn 1 in the yard" in said for seat in view["seats"])
    assert page.evaluate(PAWNS)[0]["size"] > 12
    expect(page.get_by_text("not in play")).to_have_count(1)
