"""The start: terrain, boxes, biome, who begins, and what is drawn in which order; the options."""

from __future__ import annotations

from collections import Counter, deque
from typing import Any

import pytest

from games.api import BadStart, Json
from games.chance import Draws
from games.trap_race import terrain
from games.trap_race.board import TILES, WATER, row_of, tile_at
from tests.games.trap_race.build import GAME, SEATS, mirrored

STARTS: dict[int, Json] = {seed: GAME.dump(GAME.start(SEATS, {}, seed).state) for seed in range(60)}


def letters(position: Json) -> dict[str, str]:
    return {f"{row},{column}": position["terrain"][row][column] for row in range(31) for column in range(30)}


def test_the_match_starts_with_one_event_and_south_setting_up():
    state, events = GAME.start(SEATS, {}, 4)
    assert [event.to_json() for event in events] == [{"kind": "terrain", "audience": "all"}]
    position = GAME.dump(state)
    assert position["phase"] == "setup"
    assert position["to_act"] == "south"
    assert position["turn"] == 0
    assert position["pool"] == 10
    assert position["pickup"] is None
    assert position["pieces"] == position["traps"] == {"south": {}, "north": {}}


def test_the_terrain_looks_the_same_to_both_sides():
    for position in STARTS.values():
        tiles = letters(position)
        assert all(tiles[mirrored(tile)] == letter for tile, letter in tiles.items())


def test_home_rows_are_plains():
    for position in STARTS.values():
        assert all(set(position["terrain"][row]) == {"."} for row in (0, 1, 2, 28, 29, 30))


def test_shares_of_terrain_are_those_of_the_options():
    for water, forest in ((0.0, 0.0), (0.0, 0.7), (0.3, 0.0), (0.12, 0.22)):
        counts: Counter[str] = Counter()
        for seed in range(30):
            position = GAME.dump(GAME.start(SEATS, {"water": water, "forest": forest}, seed).state)
            counts.update("".join(position["terrain"][3:28]))
        total = counts.total()
        # Cut-off land turns into water, which tells most where there is much of it.
        assert water - 0.01 <= counts["w"] / total <= water * 1.25 + 0.01
        assert abs(counts["f"] / total - forest) < 0.03


def test_tiles_are_drawn_row_by_row_and_mirrored():
    """Replayed here draw by draw, for a seed whose first terrain can be crossed."""
    seed = next(seed for seed, position in STARTS.items() if position["chance"]["drawn"] == 380)
    draws = Draws(seed)
    drawn = {}
    for row in range(3, 16):
        for column in range(30 if row < 15 else 15):
            u = draws.next() / 2**64
            letter = "w" if u < 0.12 else "f" if u < 0.12 + 0.22 else "."
            drawn[f"{row},{column}"] = drawn[mirrored(f"{row},{column}")] = letter
    tiles = letters(STARTS[seed])
    changed = {tile for tile, letter in drawn.items() if tiles[tile] != letter}
    assert all(tiles[tile] == "w" for tile in changed)
    boxes = STARTS[seed]["boxes"]
    places = [f"{row},{column}" for row in range(5, 13) for column in range(3, 27) if tiles[f"{row},{column}"] != "w"]
    place = places[draws.pick(len(places))]
    assert set(boxes) == {place, mirrored(place)}
    for tile in (place, mirrored(place)):
        u = draws.next() / 2**64
        assert boxes[tile]["holds"] == (
            "steps" if u < 0.4 else "bridge" if u < 0.65 else "sense" if u < 0.9 else "booby"
        )
    assert STARTS[seed]["biome"] == ("grass", "desert", "ice")[draws.pick(3)]
    assert STARTS[seed]["first"] == SEATS[draws.pick(2)]
    assert draws.drawn == 380


def test_all_land_is_reached_from_row_0():
    for position in STARTS.values():
        tiles = letters(position)
        found = {f"0,{column}" for column in range(30)}
        queue = deque(found)
        while queue:
            row, column = map(int, queue.popleft().split(","))
            for near in (f"{row + 1},{column}", f"{row - 1},{column}", f"{row},{column + 1}", f"{row},{column - 1}"):
                if tiles.get(near, "w") != "w" and near not in found:
                    found.add(near)
                    queue.append(near)
        assert found == {tile for tile, letter in tiles.items() if letter != "w"}


def with_gaps(columns: set[int], row: int = 15) -> bytes:
    """Plains with a river along a row that has gaps."""
    costs = bytearray([9]) * (33 * 32)
    for tile in TILES:
        costs[tile] = 1
    for column in set(range(30)) - columns:
        costs[tile_at(row, column)] = WATER
    return bytes(costs)


@pytest.mark.parametrize(
    ("gaps", "crossable"),
    [(set(), False), ({3}, False), ({3, 9, 20}, False), ({3, 4, 5, 6}, True), ({0, 9, 20, 29}, True)],
)
def test_fewer_than_four_tiles_that_cut_the_board_make_another_draw(gaps, crossable):
    assert terrain.crossable(with_gaps(gaps)) is crossable


def test_a_cut_counts_tiles_wherever_they_lie():
    """Two rivers with four gaps each, joined by a channel three tiles wide."""
    costs = bytearray(with_gaps({0, 1, 2, 3}, 10))
    for column in range(30):
        if column not in (0, 1, 2, 3):
            costs[tile_at(20, column)] = WATER
    for row in range(11, 20):
        for column in range(3, 30):
            costs[tile_at(row, column)] = WATER
    assert not terrain.crossable(bytes(costs))
    costs[tile_at(11, 3)] = costs[tile_at(19, 3)] = 1
    assert not terrain.crossable(bytes(costs))
    for row in range(11, 20):
        costs[tile_at(row, 3)] = 1
    assert terrain.crossable(bytes(costs))


def fewest_cut(costs: bytes) -> int:
    """The least vertex cut between the goal rows by growing disjoint paths, in the plainest way: a second opinion."""
    capacity: dict[Any, dict[Any, int]] = {}

    def arc(start: Any, end: Any) -> None:
        capacity.setdefault(start, {})[end] = 1
        capacity.setdefault(end, {}).setdefault(start, 0)

    for tile in (tile for tile in TILES if costs[tile] < WATER):
        arc((tile, "in"), (tile, "out"))
        for near in (tile + 1, tile - 1, tile + 32, tile - 32):
            if costs[near] < WATER:
                arc((tile, "out"), (near, "in"))
        if row_of(tile) == 0:
            arc("source", (tile, "in"))
        if row_of(tile) == 30:
            arc((tile, "out"), "sink")
    flow = 0
    while True:
        came: dict[Any, Any] = {"source": None}
        queue = deque(["source"])
        while queue and "sink" not in came:
            node = queue.popleft()
            for step, room in capacity.get(node, {}).items():
                if room and step not in came:
                    came[step] = node
                    queue.append(step)
        if "sink" not in came:
            return flow
        node = "sink"
        while came[node] is not None:
            capacity[came[node]][node] -= 1
            capacity[node][came[node]] += 1
            node = came[node]
        flow += 1


def test_the_cut_agrees_with_a_plain_maximum_flow():
    draws = Draws("cuts")
    seen = set()
    for _ in range(60):
        costs = bytearray(with_gaps(set(range(30))))
        share = 0.24 + draws.pick(16) / 100
        for tile in TILES:
            if 3 <= row_of(tile) <= 27 and draws.below(share):
                costs[tile] = WATER
        wanted = fewest_cut(bytes(costs)) >= 4
        seen.add(wanted)
        assert terrain.crossable(bytes(costs)) is wanted
    assert seen == {True, False}


def test_terrain_is_drawn_again_until_it_can_be_crossed():
    drawn = [GAME.dump(GAME.start(SEATS, {"water": 0.3}, seed).state)["chance"]["drawn"] for seed in range(40)]
    again = [number for number in drawn if number > 380]
    assert again
    assert all((number - 5) % 375 == 0 for number in drawn)


def test_boxes_hold_everything_in_its_share():
    counts: Counter[str] = Counter()
    draws = Draws("boxes")
    for _ in range(4000):
        counts[terrain._contents(draws)] += 1
    for holds, share in (("steps", 0.4), ("bridge", 0.25), ("sense", 0.25), ("booby", 0.1)):
        assert abs(counts[holds] / 4000 - share) < 0.03


def test_every_biome_and_both_beginners_occur():
    assert {position["biome"] for position in STARTS.values()} == {"grass", "desert", "ice"}
    assert {position["first"] for position in STARTS.values()} == {"south", "north"}


def test_the_biome_is_for_looks_only():
    state = GAME.start(SEATS, {}, 3).state
    others = [state._replace(biome=biome) for biome in ("grass", "desert", "ice")]
    after = [GAME.apply(GAME.apply(other, "auto").state, "auto").state for other in others]
    assert len({each._replace(biome="ice") for each in after}) == 1


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"cap": 0}, "options.cap"),
        ({"cap": 1.5}, "options.cap"),
        ({"water": 0.31}, "options.water"),
        ({"water": -0.01}, "options.water"),
        ({"water": float("nan")}, "options.water"),
        ({"forest": 0.71}, "options.forest"),
        ({"forest": "much"}, "options.forest"),
        ({"setup_seconds": 0}, "options.setup_seconds"),
        ({"attrition": "none"}, "options.attrition"),
        ({"traps": 10}, "options.traps"),
    ],
)
def test_options_out_of_range_are_refused_by_name(options, field):
    with pytest.raises(BadStart, match=f"^{field}: "):
        GAME.start(SEATS, options, 1)


def test_options_have_the_rulebooks_defaults():
    assert GAME.dump(GAME.start(SEATS, {}, 1).state)["options"] == {
        "cap": 200, "water": 0.12, "forest": 0.22, "setup_seconds": 120, "attrition": "reach",
    }  # fmt: skip


@pytest.mark.parametrize("seats", [(), ("south",), ("north", "south"), ("south", "north", "east"), ("red", "blue")])
def test_other_seats_are_refused(seats):
    with pytest.raises(BadStart, match=r"^seats: "):
        GAME.start(seats, {}, 1)


@pytest.mark.parametrize("seed", [-1, 2**53, 1.0, "1", None, True])
def test_seeds_out_of_range_are_refused(seed):
    with pytest.raises(BadStart, match=r"^seed: "):
        GAME.start(SEATS, {}, seed)


@pytest.mark.parametrize("number", [0, 1, 3, 4])
def test_other_numbers_of_players_are_refused(number):
    with pytest.raises(BadStart, match=r"^seats: "):
        GAME.seats(number)


def test_the_longest_match_is_bounded_by_the_cap():
    assert GAME.longest(SEATS, {}) == 50 + 13 * 200
    assert GAME.longest(SEATS, {"cap": 20}) == 310
