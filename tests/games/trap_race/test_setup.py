"""The setup, sentence by sentence."""

from __future__ import annotations

import pytest

from games.api import IllegalAction, Json
from games.chance import Draws
from tests.games.trap_race.build import GAME, SEATS, kinds, legal, mirrored, play

START = GAME.dump(GAME.start(SEATS, {}, 2).state)
BOX = min(START["boxes"], key=lambda tile: int(tile.split(",")[0]))


def land(position: Json, rows: range) -> list[str]:
    return [
        f"{row},{column}" for row in rows for column in range(30) if position["terrain"][row][column] != "w"
    ]  # fmt: skip


def set_up(seed: int = 2, options: Json | None = None) -> Json:
    return play(GAME.dump(GAME.start(SEATS, options or {}, seed).state), "auto", "auto")[0]


def test_the_list_is_pieces_then_traps_row_by_row_then_auto():
    traps = [tile for tile in land(START, range(16)) if tile != BOX]
    homes = [f"{row},{column}" for row in range(3) for column in range(30)]
    assert legal(START) == [*(f"piece {tile}" for tile in homes), *(f"trap {tile}" for tile in traps), "auto"]


def test_the_list_of_north_begins_with_its_lowest_row():
    position, _ = play(START, "auto")
    traps = [tile for tile in land(START, range(15, 31)) if tile != mirrored(BOX)]
    homes = [f"{row},{column}" for row in range(28, 31) for column in range(30)]
    assert legal(position) == [*(f"piece {tile}" for tile in homes), *(f"trap {tile}" for tile in traps), "auto"]


def test_pieces_are_numbered_as_they_are_placed():
    position, events = play(START, "piece 2,7", "trap 0,0", "piece 0,3")
    assert position["pieces"]["south"] == {"1": "2,7", "2": "0,3"}
    assert events == [{"kind": "piece", "audience": ["south"], "seat": "south", "piece": "2", "tile": "0,3"}]


def test_a_trap_is_told_to_its_own_seat_alone():
    position, events = play(START, "trap 0,0")
    assert position["traps"]["south"] == {"0,0": "live"}
    assert events == [{"kind": "trap", "audience": ["south"], "seat": "south", "tile": "0,0"}]


def test_pieces_and_traps_go_in_any_order():
    position, _ = play(START, "piece 2,2", "trap 1,1", "trap 2,2", "piece 1,1")
    assert position["pieces"]["south"] == {"1": "2,2", "2": "1,1"}
    assert set(position["traps"]["south"]) == {"1,1", "2,2"}


@pytest.mark.parametrize(
    ("before", "action", "why"),
    [
        (["piece 2,2"], "piece 2,2", "an own piece stands on 2,2"),
        ([], "piece 3,0", "3,0 is not in the home rows, 0 to 2"),
        ([], "piece 28,0", "28,0 is not in the home rows, 0 to 2"),
        (["trap 1,1"], "trap 1,1", "an own trap lies on 1,1"),
        ([], "trap 16,0", "16,0 is neither in the own half nor in row 15"),
        ([], f"trap {BOX}", f"a mystery box stands on {BOX}"),
        ([], "end", "south is setting up"),
        ([], "move 1 north", "south is setting up"),
        ([], "nerf 1", "south is setting up"),
        ([], "terraform 9,9", "south is setting up"),
    ],
)
def test_what_cannot_be_placed_is_refused_with_its_reason(before, action, why):
    position, _ = play(START, *before) if before else (START, [])
    assert action not in legal(position)
    with pytest.raises(IllegalAction, match=f"cannot be played: {why}"):
        play(position, action)


def test_no_trap_on_water():
    tile = next(
        f"{row},{column}" for row in range(3, 15) for column in range(30) if START["terrain"][row][column] == "w"
    )
    assert f"trap {tile}" not in legal(START)
    with pytest.raises(IllegalAction, match="is water"):
        play(START, f"trap {tile}")


def test_at_most_three_traps_in_the_neutral_row():
    row = land(START, range(15, 16))
    position, _ = play(START, *(f"trap {tile}" for tile in row[:3]))
    assert not [action for action in legal(position) if action.startswith("trap 15,")]
    with pytest.raises(IllegalAction, match="3 own traps lie in row 15 already"):
        play(position, f"trap {row[3]}")
    assert "trap 0,0" in legal(position)


def test_no_more_than_fifteen_pieces_and_ten_traps():
    pieces, _ = play(START, *(f"piece 1,{column}" for column in range(15)))
    assert not [action for action in legal(pieces) if action.startswith("piece")]
    with pytest.raises(IllegalAction, match="all 15 pieces are placed"):
        play(pieces, "piece 2,0")
    traps, _ = play(START, *(f"trap 1,{column}" for column in range(10)))
    assert not [action for action in legal(traps) if action.startswith("trap")]
    with pytest.raises(IllegalAction, match="all 10 traps are hidden"):
        play(traps, "trap 2,0")


def test_both_sides_may_trap_the_same_neutral_tile():
    tile = land(START, range(15, 16))[0]
    position, _ = play(START, f"trap {tile}", "auto", f"trap {tile}", "auto")
    assert position["traps"]["south"][tile] == position["traps"]["north"][tile] == "live"


def test_south_sets_up_before_north_and_the_first_mover_begins():
    for seed in (2, 3, 4, 5):
        first = GAME.dump(GAME.start(SEATS, {}, seed).state)
        half, events = play(first, "auto")
        assert half["phase"] == "setup"
        assert half["to_act"] == "north"
        assert kinds(events)[-1] == "setup_done"
        both, events = play(half, "auto")
        assert both["phase"] == "turn"
        assert both["to_act"] == both["first"] == first["first"]
        assert both["turn"] == 1
        assert [event for event in events if event["kind"] in ("setup_done", "begin")] == [
            {"kind": "setup_done", "audience": "all", "seat": "north"},
            {"kind": "begin", "audience": "all", "seat": first["first"]},
        ]


def test_auto_places_the_rest_by_two_shuffles():
    """Both are replayed here; traps come from the whole land, boxes and trapped tiles included, and skip those."""
    begun = ["piece 2,4", f"trap {land(START, range(15, 16))[2]}", "trap 3,8"]
    before, _ = play(START, *begun)
    position, events = play(before, "auto")
    draws = Draws(2, before["chance"]["drawn"])
    homes = [f"{row},{column}" for row in range(3) for column in range(30)]
    draws.shuffle(homes)
    tiles = land(START, range(16))
    draws.shuffle(tiles)
    pieces = ["2,4", *[tile for tile in homes if tile != "2,4"][:14]]
    assert list(position["pieces"]["south"].values()) == pieces
    laid = set(before["traps"]["south"])
    placed = []
    for tile in tiles:
        full = sum(each.startswith("15,") for each in laid) == 3
        if len(laid) < 10 and tile not in laid and tile != BOX and not (full and tile.startswith("15,")):
            laid.add(tile)
            placed.append(tile)
    assert set(position["traps"]["south"]) == laid
    assert position["chance"]["drawn"] == draws.drawn
    own = [event for event in events if event["kind"] in ("piece", "trap")]
    assert all(event["audience"] == ["south"] for event in own)
    assert [event["tile"] for event in own] == pieces[1:] + placed
    assert [event["piece"] for event in own if event["kind"] == "piece"] == [str(number) for number in range(2, 16)]


def test_both_shuffles_happen_whatever_is_left():
    nothing, _ = play(START, "auto")
    pieces, _ = play(START, *(f"piece 1,{column}" for column in range(15)), "auto")
    traps, _ = play(START, *(f"trap 1,{column}" for column in range(10)), "auto")
    assert nothing["chance"] == pieces["chance"] == traps["chance"]


def test_the_pickup_is_hidden_once_both_are_done():
    seen = set()
    for seed in range(25):
        half, _ = play(GAME.dump(GAME.start(SEATS, {}, seed).state), "auto")
        assert half["pickup"] is None
        both, _ = play(half, "auto")
        draws = Draws(seed, both["chance"]["drawn"] - 2)
        kind = "trap" if draws.below(0.5) else "terraform"
        taken = {*both["boxes"], *both["traps"]["south"], *both["traps"]["north"]}
        tiles = [tile for tile in land(both, range(3, 15)) + land(both, range(16, 28)) if tile not in taken]
        assert both["pickup"] == {"tile": draws.choice(tiles), "kind": kind, "found": False}
        seen.add(kind)
    assert seen == {"trap", "terraform"}


def test_neither_side_sees_the_other_set_up():
    position, _ = play(START, "piece 2,2", "trap 5,5")
    state = GAME.load(position)
    assert GAME.view(state, "south")["pieces"] == {"south": {"1": "2,2"}, "north": {}}
    assert GAME.view(state, "north")["pieces"] == GAME.view(state, "north")["traps"] == {"south": {}, "north": {}}
    half, _ = play(position, "auto", "piece 29,3")
    assert GAME.view(GAME.load(half), "south")["pieces"]["north"] == {}
    assert GAME.view(GAME.load(half), "north")["pieces"]["south"] == {}
    both = GAME.load(set_up())
    for seat in SEATS:
        assert GAME.view(both, seat)["pieces"] == GAME.dump(both)["pieces"]
        assert GAME.view(both, seat)["traps"][SEATS[1 - SEATS.index(seat)]] == {}


def test_a_whole_setup_takes_at_most_fifty_actions():
    state = GAME.start(SEATS, {}, 7).state
    draws, taken = Draws("setup"), 0
    while GAME.dump(state)["phase"] == "setup":
        state = GAME.apply(state, draws.choice([each for each in GAME.legal(state) if each != "auto"])).state
        taken += 1
    assert taken == 50
