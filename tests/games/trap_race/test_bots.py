"""The baseline bots: what each does where, and that each plays alike from both sides."""

from __future__ import annotations

import time
from itertools import pairwise
from typing import Any

import pytest

from games.api import Json, Observation
from games.chance import Draws
from games.trap_race import paths, planning
from games.trap_race.board import BY_TEXT, GOAL, TEXT
from games.trap_race.picture import Words, see
from tests.games.table import play_bots
from tests.games.trap_race.build import GAME, SEATS, found, mirrored, position, tokens
from tests.games.trap_race.laws import OTHER, relabel


def observation(where: Json, legal: tuple[str, ...] | None = None) -> Observation:
    state = GAME.load(where)
    seat = GAME.to_act(state) or "south"
    return Observation(
        game="trap_race", seat=seat, seats=SEATS, decision=0, asked="act", view=GAME.view(state, seat), events=(),
        messages=(), legal=GAME.legal(state) if legal is None else legal, alive=SEATS,
    )  # fmt: skip


def plan(bot: str, where: Json, key: str = "bot") -> list[str]:
    return list(GAME.bots[bot](observation(where), Draws(key)).actions)


def played(where: Json, actions: list[str]) -> Json:
    """The position after a plan, up to the news that stop it."""
    state = GAME.load(where)
    for action in actions:
        step = GAME.apply(state, action)
        state = step.state
        if any(event.kind in GAME.news for event in step.events):
            break
    return GAME.dump(state)


def test_the_rulebooks_three_are_there():
    assert list(GAME.bots) == ["forward", "normal", "hard"]


@pytest.mark.parametrize("bot", ["forward", "normal", "hard"])
def test_a_bot_that_is_not_to_act_says_nothing(bot):
    reply = GAME.bots[bot](observation(position(), legal=()), Draws("none"))
    assert reply.actions == ()
    assert reply.messages == ()


def test_forward_mostly_steps_towards_its_goal():
    for to_act, word in (("south", "north"), ("north", "south")):
        where = position({1: "10,10", 2: "12,5"}, {1: "20,10"}, to_act=to_act)
        chosen = [plan("forward", where, f"key {number}") for number in range(400)]
        assert {len(actions) for actions in chosen} == {1}
        ahead = sum(actions[0].endswith(f" {word}") for actions in chosen)
        share = sum(action.endswith(f" {word}") for action in observation(where).legal) / len(observation(where).legal)
        assert abs(ahead / 400 - (0.7 + 0.3 * share)) < 0.07


def test_forward_takes_any_action_where_none_leads_ahead():
    where = position({1: "10,10"}, pool=0)
    assert plan("forward", where) == ["end"]
    setup = GAME.dump(GAME.start(SEATS, {}, 2).state)
    assert len({plan("forward", setup, f"key {number}")[0].split(" ")[0] for number in range(60)}) >= 2


def field_of(where: Json, seat: str = "south") -> list[int]:
    return see(GAME.view(GAME.load(where), seat), seat).alone()


def test_paths_are_cheapest_and_avoid_known_traps():
    wall = {f"20,{column}": "w" for column in range(30) if column not in (3, 20)}
    where = position({1: "10,10"}, terrain={**wall, "19,3": "f"})
    far = field_of(where)
    assert far[BY_TEXT["29,8"]] == 1
    assert far[BY_TEXT["19,3"]] == 11
    assert far[BY_TEXT["18,3"]] == 13
    trapped = position({1: "10,10"}, terrain=wall, north_traps={"20,3": "live"}, known={"south": ["20,3"], "north": []})
    assert field_of(trapped)[BY_TEXT["19,3"]] == 11 + 17
    assert field_of({**trapped, "known": {"south": [], "north": []}})[BY_TEXT["19,3"]] == 11


def test_enemy_pieces_are_walls_and_where_no_way_is_left_the_cost_is_500_more():
    wall = {f"20,{column}": "w" for column in range(30) if column != 3}
    where = position({1: "19,3"}, {1: "20,3"}, terrain=wall)
    picture = see(GAME.view(GAME.load(where), "south"), "south")
    assert picture.home(BY_TEXT["19,3"]) == 500 + 11
    assert picture.home(BY_TEXT["21,3"]) == 9
    assert picture.home(BY_TEXT["20,3"]) == 10


def test_the_cheapest_way_agrees_with_a_plain_search():
    state = GAME.start(SEATS, {"water": 0.25, "forest": 0.5}, 8).state
    costs = state.terrain
    far = paths.field(costs, GOAL[0])
    plain = dict.fromkeys(TEXT, 10_000)
    plain.update({tile: 0 for tile in GOAL[0] if costs[tile] < 8})
    for _ in range(200):
        for tile in TEXT:
            for near in (tile + 1, tile - 1, tile + 32, tile - 32):
                if near in TEXT and costs[near] < 8 and plain[near] + costs[near] < plain[tile]:
                    plain[tile] = plain[near] + costs[near]
    assert {tile: far[tile] for tile in TEXT} == plain


def test_normal_lines_up_on_the_front_row_where_the_way_is_cheapest():
    start = GAME.dump(GAME.start(SEATS, {}, 2).state)
    far = field_of(start)
    actions = plan("normal", start)
    assert actions[-1] == "auto"
    tiles = [action.removeprefix("piece ") for action in actions[:-1]]
    assert len(tiles) == 15
    assert all(tile.startswith("2,") for tile in tiles)
    costs = [far[BY_TEXT[tile]] for tile in tiles]
    assert costs == sorted(costs)
    left = [far[BY_TEXT[f"2,{column}"]] for column in range(30) if f"2,{column}" not in tiles]
    assert max(costs) <= min(left)
    for one, other in pairwise(tiles):
        if far[BY_TEXT[one]] == far[BY_TEXT[other]]:
            assert abs(int(one.split(",")[1]) - 14.5) <= abs(int(other.split(",")[1]) - 14.5)


@pytest.mark.parametrize("bot", ["normal", "hard"])
def test_a_bot_finishes_a_setup_that_was_begun(bot):
    start = GAME.dump(GAME.start(SEATS, {}, 2).state)
    for begun in (
        ["piece 2,14", "piece 0,0", "trap 2,2"],
        [f"piece 2,{column}" for column in range(15)],
        [f"trap 1,{column}" for column in range(10)],
        [f"piece {row},{column}" for row in (0, 1) for column in range(7)],
    ):
        where = played(start, begun)
        after = played(where, plan(bot, where))
        assert after["to_act"] == "north"


def test_hard_hides_its_traps_on_the_enemys_cheapest_ways_apart_from_each_other():
    for seed in range(6):
        start = GAME.dump(GAME.start(SEATS, {}, seed).state)
        after = played(start, plan("hard", start))
        tiles = list(after["traps"]["south"])
        assert len(tiles) == 10
        assert sum(tile.startswith("15,") for tile in tiles) <= 3
        laid = [action.removeprefix("trap ") for action in plan("hard", start) if action.startswith("trap ")]
        assert len(laid) >= 5
        for one in laid:
            for other in laid:
                apart = planning.apart(BY_TEXT[one], BY_TEXT[other])
                assert one == other or apart >= 3
        picture = see(GAME.view(GAME.load(start), "south"), "south")
        starts = [BY_TEXT[f"28,{column}"] for column in range(30)]
        least = min(picture.enemy()[tile] for tile in starts)
        on_cheapest = [
            tile for tile in laid if picture.enemy()[BY_TEXT[tile]] <= least and tile not in start["boxes"]
        ]  # fmt: skip
        assert on_cheapest


def test_hard_plugs_a_gap_that_everyone_has_to_pass():
    wall = {f"12,{column}": "w" for column in range(30) if column not in (10, 11, 12, 13)}
    start = GAME.dump(GAME.start(SEATS, {"water": 0.0, "forest": 0.0}, 3).state)
    rows = [list(row) for row in start["terrain"]]
    for tile in wall:
        rows[12][int(tile.split(",")[1])] = "w"
    where = {**start, "terrain": ["".join(row) for row in rows], "boxes": {
        "8,25": {"holds": "steps", "open": False}, "22,4": {"holds": "steps", "open": False}}}  # fmt: skip
    laid = [action for action in plan("hard", where) if action.startswith("trap 12,")]
    assert laid


@pytest.mark.parametrize("bot", ["normal", "hard"])
class TestBoth:
    """What `normal` and `hard` have in common."""

    def test_a_whole_turn_is_one_plan_that_ends_it(self, bot):
        where = position({n: f"20,{2 * n + 8}" for n in range(1, 8)}, {1: "3,3"})
        actions = plan(bot, where)
        assert actions[-1] == "end"
        assert actions.count("end") == 1
        assert played(where, actions)["to_act"] == "north"

    def test_it_scores_when_it_can(self, bot):
        where = position({1: "20,5", 2: "28,7"}, {1: "25,25"}, left=(15, 15))
        after = played(where, plan(bot, where))
        assert after["score"]["south"] == 1

    def test_it_wins_when_it_can(self, bot):
        where = position({1: "20,5", 2: "28,7"}, left=(3, 15), score=(4, 0))
        assert played(where, plan(bot, where))["phase"] == "over"

    def test_it_nerfs_the_victim_that_is_nearest_to_its_goal(self, bot):
        where = position({1: "15,5", 2: "9,9"}, {4: "15,6", 5: "9,10"}, tokens=tokens(1))
        assert plan(bot, where)[0] == "nerf 5"

    def test_it_steps_on_no_known_trap(self, bot):
        wall = {f"20,{column}": "w" for column in range(30) if column not in (3, 4)}
        where = position(
            {1: "19,3"}, {1: "3,3"}, terrain=wall, north_traps={"20,3": "live"},
            known={"south": ["20,3"], "north": []}, left=(1, 15), score=(4, 0),
        )  # fmt: skip
        after = played(where, plan(bot, where))
        assert after["gone"] == where["gone"]
        assert after["pieces"]["south"]["1"] == "21,4"

    def test_extra_steps_carry_it_further(self, bot):
        where = position({1: "25,5"}, bonus={"1": 2}, left=(1, 15), score=(4, 0))
        assert played(where, plan(bot, where))["phase"] == "over"

    def test_it_uses_a_power_it_found(self, bot):
        trap = position({1: "12,20"}, {1: "5,20"}, pickup=found("trap"), power="trap", left=(5, 5))
        first = next(action for action in plan(bot, trap) if action.startswith("trap"))
        assert first.split(" ")[1] in ("4,20", "5,19", "5,21", "3,20", "2,20")
        river = {f"14,{column}": "w" for column in range(30) if column != 29}
        where = position(
            {1: "13,10"},
            {1: "28,20"},
            terrain=river,
            pickup=found("terraform", "12,11"),
            power="terraform",
            left=(5, 5),
        )
        assert "terraform 14,10" in plan(bot, where)

    def test_a_terraform_that_helps_nobody_is_not_used(self, bot):
        where = position(
            {1: "13,10"}, {1: "28,20"}, terrain={"2,2": "f"}, pickup=found("terraform", "12,11"), power="terraform",
            left=(5, 5),
        )  # fmt: skip
        assert not [action for action in plan(bot, where) if action.startswith("terraform")]

    def test_it_plays_alike_from_both_sides(self, bot):
        for seed in range(4):
            for scenario in ("opening", "box_race", "trap_alley", "last_five"):
                where = GAME.scenarios[scenario](SEATS, {}, seed)
                turned = relabel(where, OTHER)
                assert [relabel(action, OTHER) for action in plan(bot, where)] == plan(bot, turned)

    def test_it_never_leaves_its_way_for_a_box(self, bot):
        closed = {"8,25": {"holds": "steps", "open": False}, "22,4": {"holds": "steps", "open": False}}
        where = position({1: "22,5"}, {1: "3,3"}, boxes=closed, left=(5, 15))
        assert "move 1 west" not in plan(bot, where)

    def test_it_sees_what_a_model_sees(self, bot):
        """What is hidden from its seat changes nothing in what it does."""
        from tests.games.trap_race.laws import rearranged

        draws = Draws(f"blind {bot}")
        for scenario in ("opening", "box_race", "trap_alley", "nerf_range"):
            where = GAME.scenarios[scenario](SEATS, {}, 7)
            for _ in range(4):
                assert plan(bot, rearranged(where, where["to_act"], draws)) == plan(bot, where)


def test_normal_moves_the_piece_that_is_nearest_first_and_three_points_far():
    where = position({1: "10,10", 2: "20,5", 3: "15,15"}, {1: "3,3"}, left=(15, 15))
    actions = plan("normal", where)
    assert actions[:9] == ["move 2 north"] * 3 + ["move 3 north"] * 3 + ["move 1 north"] * 3


def test_normal_only_moves_where_the_way_gets_shorter():
    where = position({1: "10,10"}, {1: "11,10", 2: "10,9", 3: "10,11", 4: "9,10"}, left=(1, 15), score=(4, 0))
    assert plan("normal", where) == ["end"]


def test_the_power_trap_goes_on_the_first_free_tile_of_three():
    where = position(
        {1: "12,20", 2: "9,5"}, {1: "10,5"}, terrain={"10,4": "w", "10,6": "w"}, pickup=found("trap"), power="trap",
        left=(5, 5),
    )  # fmt: skip
    laid = [action for action in plan("normal", where) if action.startswith("trap")]
    assert laid == ["trap 8,5"]


def test_hard_keeps_a_leader_out_of_reach_of_a_nerf():
    """`normal` runs past the enemy's piece into reach of its token; `hard` looks one answer ahead."""
    where = position(
        {1: "20,10", 2: "17,3"}, {1: "23,11", 2: "24,10", 3: "22,20"}, tokens=tokens(0, 2), left=(6, 15), score=(3, 0)
    )
    outcomes = {}
    for bot in ("normal", "hard"):
        picture = see(GAME.view(GAME.load(where), "south"), "south")
        after = played(where, plan(bot, where))
        assert picture.mine.score == 3
        outcomes[bot] = played(after, plan("normal", after))["gone"]["south"]
    assert outcomes["hard"] <= outcomes["normal"]


def test_six_ways_of_playing_a_turn_are_compared():
    where = position({1: "14,10", 2: "20,20", 3: "13,3"}, {1: "15,11", 2: "3,3"}, tokens=tokens(1), left=(6, 15))
    picture = see(GAME.view(GAME.load(where), "south"), "south")
    manners = planning.manners(picture)
    assert len(manners) == 6
    plans = [planning.play(picture.copy(), Words("south"), manner) for manner in manners]
    assert plan("normal", where) == plans[0]
    assert plan("hard", where) in plans
    assert plans[5][-1] == "end"
    assert all(action.startswith(("nerf", "end")) for action in plans[5])
    assert len({tuple(each) for each in plans}) >= 4


def test_worth_is_as_the_rulebook_says():
    where = position({1: "25,5", 2: "20,5"}, left=(2, 15), score=(3, 0), tokens=tokens(1, coming=(1, 0)))
    picture = see(GAME.view(GAME.load(where), "south"), "south")
    assert planning.worth(picture.mine, picture.alone()) == 100 * 3 + 6 * 2 + 10 * 2 - (5 + 10)


def match(bots: tuple[str, str], seed: int, options: Json | None = None) -> Any:
    return play_bots("trap_race", bots, options or {}, seed)


@pytest.mark.parametrize("bots", [("normal", "normal"), ("hard", "normal"), ("normal", "hard"), ("forward", "normal")])
def test_whole_matches_end_with_whole_turns_asked_once(bots):
    for seed in (1, 2):
        log = match(bots, seed)
        assert GAME.outcome(log.state) is not None
        planned = [reply for seen, reply in log.replies if bots[SEATS.index(seen.seat)] != "forward"]
        assert sum(len(reply.actions) for reply in planned) > 4 * len(planned)


def test_a_better_bot_wins():
    wins = 0
    for seed in range(4):
        for bots in (("normal", "forward"), ("forward", "normal"), ("hard", "normal"), ("normal", "hard")):
            outcome = GAME.outcome(match(bots, seed).state)
            better = SEATS[bots.index("hard" if "hard" in bots else "normal")]
            wins += outcome is not None and outcome.winners == (better,)
    assert wins >= 13


def test_hard_decides_a_turn_well_within_a_second():
    where = GAME.scenarios["opening"](SEATS, {}, 3)
    began = time.process_time()
    for _ in range(5):
        plan("hard", where)
    assert (time.process_time() - began) / 5 < 1


def test_mirrored_positions_have_mirrored_fields():
    where = position({1: "10,10"}, {4: "20,3"}, terrain={"12,3": "f", "13,9": "w", "18,26": "f"})
    south = see(GAME.view(GAME.load(where), "south"), "south").alone()
    turned = see(GAME.view(GAME.load(relabel(where, OTHER)), "north"), "north").alone()
    assert south == turned
    assert mirrored("0,0") == "30,29"
