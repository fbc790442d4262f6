from __future__ import annotations

from itertools import product

import pytest

from games.api import IllegalAction
from tests.games.twenty_one.build import GAME, changed, legal, play, position, start
from tests.games.twenty_one.laws import COLOURS, item

CELLS = {
    ("row", 1): (0, 1, 2),
    ("row", 2): (3, 4, 5),
    ("row", 3): (6, 7, 8),
    ("column", 1): (0, 3, 6),
    ("column", 2): (1, 4, 7),
    ("column", 3): (2, 5, 8),
}


def takes(directions=("row", "column"), numbers=(1, 2, 3)):
    return [
        f"take {direction} {number} {kind}"
        for direction, number, kind in product(directions, numbers, ("colours", "numbers"))
    ]


def to_round(number, seed=7, **directions):
    """The position as a round begins, reached with lines of these directions and the first action of each list."""
    state = GAME.start(("p1", "p2"), {}, seed).state
    while GAME.dump(state)["round"] < number:
        seat = GAME.to_act(state)
        wanted = f"take {directions.get(seat, 'row')}"
        options = [action for action in GAME.legal(state) if action.startswith(wanted)] or GAME.legal(state)
        state = GAME.apply(state, options[-1]).state
    return GAME.dump(state)


def test_any_row_or_column_at_first():
    assert legal(start()) == takes()


@pytest.mark.parametrize(("line", "kind"), list(product(CELLS, ("colours", "numbers"))))
def test_a_line_goes_to_the_hand_in_the_order_of_the_grid(line, kind):
    where = start()
    grid = where["grids"]["p1"][0]
    after, events = play(where, f"take {line[0]} {line[1]} {kind}")
    hand = [grid[cell] for cell in CELLS[line]]
    order = [*COLOURS, "grey"] if kind == "colours" else list(range(7))
    items = sorted((item(stone, kind) for stone in hand), key=order.index)
    assert after["hands"] == {"p1": hand, "p2": []}
    assert after["grids"]["p1"][0] == [None if cell in CELLS[line] else stone for cell, stone in enumerate(grid)]
    assert after["direction"] == {"p1": line[0], "p2": None}
    assert after["announced"] == {"p1": {"kind": kind, "items": items, "left": items}, "p2": None}
    assert events == [
        {
            "kind": "take",
            "audience": "all",
            "seat": "p1",
            "direction": line[0],
            "line": line[1],
            "announces": kind,
            "items": items,
        },
        {"kind": "hand", "audience": ["p1"], "seat": "p1", "stones": hand},
    ]


def test_the_starter_takes_first_then_the_other_then_the_starter_places():
    where, _ = play(start(), "take row 1 colours")
    assert (where["to_act"], where["phase"], where["turn"]) == ("p2", "take", 0)
    assert legal(where) == takes(), "a direction is each player's own"
    where, _ = play(where, "take column 2 numbers")
    assert (where["to_act"], where["phase"], where["turn"]) == ("p1", "place", 0)
    assert where["direction"] == {"p1": "row", "p2": "column"}


def test_later_lines_are_those_of_the_direction_that_are_left():
    where = to_round(2, p1="column", p2="row")
    assert where["to_act"] == "p2"
    assert legal(where) == takes(["row"], [1, 2])
    where, _ = play(where, "take row 2 numbers")
    assert legal(where) == takes(["column"], [1, 2])
    where = to_round(3, p1="column", p2="row")
    assert legal(where) == takes(["column"], [1])


def test_the_direction_is_chosen_anew_for_grid_2():
    where = to_round(4, p1="column", p2="row")
    assert where["direction"] == {"p1": None, "p2": None}
    assert where["grids"]["p1"][0] == where["grids"]["p2"][0] == [None] * 9
    assert legal(where) == takes()
    after, _ = play(where, "take column 3 colours")
    assert after["hands"]["p1"] == [where["grids"]["p1"][1][cell] for cell in CELLS["column", 3]]
    assert legal(after) == takes()


@pytest.mark.parametrize(
    "action",
    ["take diagonal 1 colours", "take row 4 colours", "take row 0 numbers", "take line 1 colours", "take row 1 stones"],
)
def test_there_are_no_other_lines(action):
    with pytest.raises(IllegalAction):
        GAME.apply(GAME.load(start()), action)


def test_jokers_are_announced_grey_and_last_or_as_0_and_first():
    where = swap_in(start(), ["joker", "joker"])
    after, _ = play(where, "take row 1 colours")
    assert after["announced"]["p1"]["items"][1:] == ["grey", "grey"]
    after, _ = play(where, "take row 1 numbers")
    assert after["announced"]["p1"]["items"][:2] == [0, 0]


def swap_in(where, stones):
    """The position with these stones of p1's own at the start of its grid 1."""
    share = [*where["grids"]["p1"][0], *where["grids"]["p1"][1]]
    for place, stone in enumerate(stones):
        found = share.index(stone, place)
        share[place], share[found] = share[found], share[place]
    return changed(where, grids__p1=[share[:9], share[9:]])


@pytest.mark.parametrize(
    ("kind", "left"),
    [("colours", ["red", "purple"]), ("numbers", [3, 4])],
)
def test_what_is_announced_and_not_yet_placed_is_left(kind, left):
    where = position(hand="red4 purple3 green4", turn=0, kinds=(kind, "numbers"))
    after, _ = play(where, "place green4 on green")
    assert after["announced"]["p1"]["left"] == left
    assert after["announced"]["p1"]["items"] == where["announced"]["p1"]["items"]


def test_of_two_alike_one_is_left():
    where = position(hand="red4 red3 green4", turn=0, kinds=("numbers", "numbers"))
    assert play(where, "place red4 on red")[0]["announced"]["p1"]["left"] == [3, 4]
    where = position(hand="red4 red3 green4", turn=0, kinds=("colours", "numbers"))
    assert play(where, "place red4 on red")[0]["announced"]["p1"]["left"] == ["red", "green"]


def test_nothing_is_announced_as_a_round_begins():
    assert to_round(2)["announced"] == {"p1": None, "p2": None}
