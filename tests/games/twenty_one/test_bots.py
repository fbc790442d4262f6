from __future__ import annotations

import json
import time
from collections import Counter
from random import Random

import pytest

from games.api import Event, Observation
from games.chance import Draws
from games.twenty_one import sampler as sampling
from games.twenty_one.stones import INDEX, STONES, TOWER
from games.twenty_one.tactics import Towers, placements, rivals
from tests.bench.expected_twenty_one import BANDS, GREEDY_WINS, measure
from tests.games.table import TALK, play_bots
from tests.games.twenty_one.build import GAME, SEATS, play, position, start
from tests.games.twenty_one.laws import item
from tests.games.twenty_one.test_rounds import TWO


def seen(where, *, events=(), notes="", asked="act"):
    state = GAME.load(where)
    seat = GAME.to_act(state)
    return Observation(
        game="twenty_one", seat=seat, seats=SEATS, decision=0, asked=asked, view=GAME.view(state, seat),
        events=tuple(events), messages=(), legal=GAME.legal(state) if asked == "act" else (), alive=SEATS, notes=notes,
        talk=TALK,
    )  # fmt: skip


def act(bot, where, **more):
    (action,) = GAME.bots[bot](seen(where, **more), Draws("test")).actions
    return action


def test_random_takes_all_legal_actions_alike():
    where = position({"green": "p1:green5"}, "joker yellow4", turn=2)
    counts = Counter()
    draws = Draws("alike")
    for _ in range(4000):
        counts.update(GAME.bots["random"](seen(where), draws).actions)
    assert set(counts) == set(GAME.legal(GAME.load(where)))
    assert all(850 < count < 1150 for count in counts.values())


@pytest.mark.parametrize("bot", GAME.bots)
def test_the_same_observation_and_draws_give_the_same_reply(bot):
    where = position({"green": "p1:green5"}, "joker yellow4", turn=2)
    assert GAME.bots[bot](seen(where), Draws("same")) == GAME.bots[bot](seen(where), Draws("same"))


@pytest.mark.parametrize("bot", GAME.bots)
def test_all_are_silent_and_have_nothing_to_do_in_a_talk_round(bot):
    reply = GAME.bots[bot](seen(start(), asked="talk"), Draws("test"))
    assert (reply.actions, reply.messages) == ((), ())


# Greedy. `other` is p2's hand, and announced by numbers unless said otherwise; only its left items count.

GREEDY = {
    "an instant win before all else": (position(TWO, "green4 yellow1", number=4), "place green4 on blue"),
    "21 before taking a tower": (
        position({"red": "p1:red6 p1:orange6 p1:purple5", "yellow": "p2:yellow6"}, "orange4", other="blue6"),
        "place orange4 on red",
    ),
    "the other's tower before nobody's": (
        position({"red": "p2:red1"}, "red3", other="blue6"),
        "place red3 on red",
    ),
    "nobody's tower before its own": (
        position({"red": "p1:red1", "orange": "p1:orange1"}, "red3", other="blue6"),
        "place red3 on purple",
    ),
    "not where the other may make 21": (
        position({"red": "p1:red6 p2:orange5"}, "red4", other="blue6"),
        "place red4 on orange",
    ),
    "there if what the other announced does not make it": (
        position({"red": "p1:red6 p2:orange5"}, "red4", other="blue5"),
        "place red4 on red",
    ),
    "the larger stone of two alike": (
        position({}, "red3 red2", turn=2, other="blue6 green5"),
        "place red3 on red",
    ),
    "ties by legal order": (position({}, "red3", other="blue6"), "place red3 on red"),
    "a replacement is a placement": (
        position(
            {"red": "p1:red6 p1:orange6 p1:purple4 p2:joker", "orange": "p1:orange3", "purple": "p1:purple5"},
            "red5",
            other="blue6",
        ),
        "replace red5 on red",
    ),
    "passing only when nothing else is legal": (
        position(
            {
                "red": "p1:red6 p2:purple6 p1:orange3 p2:joker",
                "orange": "p1:orange6 p2:orange5 p1:yellow6 p2:red1",
                "yellow": "p1:yellow5 p2:green6 p1:green5 p2:yellow2",
            },
            "orange4",
        ),
        "replace orange4 on red",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", GREEDY)
def test_greedy_places(name):
    where, action = GREEDY[name]
    assert action in GAME.legal(GAME.load(where))
    assert act("greedy", where) == action


def value(where, action):
    """The value, in hundredths, that greedy gives a placement."""
    view = seen(where).view
    _, stone, _, tower = action.split(" ")
    ways = placements(Towers.seen(view), SEATS.index(where["to_act"]), INDEX[stone], rivals(view, where["to_act"]))
    return next(each for each, at, _ in ways if at == TOWER[tower])


@pytest.mark.parametrize(
    ("where", "action", "hundredths"),
    [
        # +2 nobody's, -1 another stone of 6 could be placed, -0.5 gap over 6, +0.02 x 3
        (position({}, "red3", other="blue6"), "place red3 on red", 200 - 100 - 50 + 6),
        # +4 the other's, gap 6: 21 by an unseen 6
        (position({"red": "p2:red6 p2:orange5"}, "red4", other="blue6"), "place red4 on red", 400 - 500 + 8),
        # gap 6 and the other has a 5 left
        (position({"red": "p2:red6 p2:orange5"}, "red4", other="blue5"), "place red4 on red", 400 - 100 + 8),
        # -0.5 own and below 21
        (position({"red": "p1:red6 p2:orange5 p1:purple1"}, "red4", other="blue6"), "place red4 on red", -50 + 8),
        # +12 for 21, nothing for what could be placed
        (position({"red": "p2:red6 p2:orange6 p1:purple5"}, "red4", other="blue6"), "place red4 on red", 1200 + 8),
        # +6 for a 21 already owned, +4 the other's
        (position({"red": "p2:red6 p2:orange6 p2:purple5", "yellow": "p2:yellow6 p2:yellow5 p1:green6 p1:green4"},
                  "red4", other="blue6"), "place red4 on red", 1200 + 600 + 400 + 8),
        # -4 for each 21 of the other
        (position({"red": "p1:red6 p2:orange5", "yellow": "p1:yellow6 p1:yellow5 p1:green6 p2:green4"}, "red4",
                  other="blue6"), "place red4 on red", 400 - 500 - 400 + 8),
        # a joker of the other counts what the placed stone counts: 17 + 4
        (position({"red": "p2:red6 p1:orange6 p2:purple1"}, "red4", other="joker"), "place red4 on red", 400 - 500 + 8),
        # 13 + 4: placed, it makes 17
        (position({"red": "p2:red6 p2:purple3"}, "red4", other="joker"), "place red4 on red", 400 - 100 - 50 + 8),
        # on an own joker no joker can be placed; its value is what it counts
        (position({"red": "p2:red6 p2:purple5"}, "joker", other="joker"), "place joker on red", 400 + 10),
        # an own joker can be replaced: 19 - 4 + 6
        (position({"red": "p1:red6 p1:orange5 p2:purple4"}, "joker", other="blue6"), "place joker on red",
         400 - 500 + 8),
    ],
)  # fmt: skip
def test_what_a_placement_is_worth(where, action, hundredths):
    assert value(where, action) == hundredths


def test_a_stone_that_is_seen_threatens_nothing():
    """All 6s that fit lie open, so an announced 6 cannot make 21."""
    built = {"red": "p2:red6 p2:orange5", "blue": "p1:purple6", "orange": "p1:orange6"}
    assert value(position(built, "red4", other="blue6"), "place red4 on red") == 400 + 8


def test_what_the_other_placed_of_its_announcement_threatens_no_more():
    where = position({"red": "p2:red6 p2:orange5"}, "red4", turn=4, other="blue5")
    assert 6 in where["announced"]["p2"]["items"] or 5 in where["announced"]["p2"]["items"]
    assert value(where, "place red4 on red") == 400 - 100 + 8


def test_announced_colours_threaten_by_any_number_of_theirs():
    where = position({"red": "p2:red6 p2:orange5"}, "red4", kinds=("numbers", "colours"), other="purple2")
    assert value(where, "place red4 on red") == 400 - 500 + 8
    where = position({"red": "p2:red6 p2:orange5"}, "red4", kinds=("numbers", "colours"), other="blue6")
    assert value(where, "place red4 on red") == 400 + 8


def take_position(line, rest):
    """p1 is to take its first line from this grid; the towers are empty."""
    where = start({"jokers": 3}, 1)
    share = {seat: [stone for grid in where["grids"][seat] for stone in grid] for seat in SEATS}
    wanted = [*line, *rest]
    everywhere = [*share["p1"], *share["p2"], *where["removed"]]
    for place, stone in enumerate(wanted):
        found = everywhere.index(stone, place)
        everywhere[place], everywhere[found] = everywhere[found], everywhere[place]
    jokers = everywhere[:18].count("joker")
    assert jokers == 3
    grids = {"p1": [everywhere[:9], everywhere[9:18]], "p2": [everywhere[18:27], everywhere[27:36]]}
    return {**where, "grids": grids, "removed": everywhere[36:]}


def test_greedy_takes_the_line_whose_stones_promise_most():
    """On empty towers a joker cannot be placed and scores 0; a larger stone scores more."""
    grid = ["joker", "joker", "joker", "red1", "red2", "red3", "blue6", "blue5", "blue4"]
    assert act("greedy", take_position(grid, [])) == "take row 3 colours"


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        (["blue6", "blue5", "blue4"], "colours"),
        (["blue6", "green6", "red6"], "numbers"),
        (["blue6", "green5", "red4"], "colours"),
        (["blue6", "blue5", "red6"], "colours"),
    ],
)
def test_greedy_announces_colours_if_they_are_no_more_than_the_numbers(line, kind):
    where = take_position([*line, "joker", "joker", "joker", "red1", "orange1", "yellow1"], [])
    assert act("greedy", where) == f"take row 1 {kind}"


# Sampler


def decisions(seed, options=None):
    """The positions of a match between greedy and sampler in which the sampler decides, with its notes."""
    return play_bots("twenty_one", ["sampler", "greedy"], options or {}, seed, None).replies


@pytest.mark.parametrize("options", [{}, {"jokers": 0}, {"jokers": 1, "tie_break": "closest"}], ids=str)
def test_its_deals_fit_everything_that_is_known(options):
    random = Random(4)
    tried = 0
    for seed in range(3):
        log = play_bots("twenty_one", ["greedy", "random"], options, seed, None)
        for observation, _ in log.replies:
            view, me = observation.view, observation.seat
            other = SEATS[1 - SEATS.index(me)]
            table = sampling.deal(observation, sampling.recall(observation), random)
            dealt = assumed(view, table)
            GAME.load(dealt)
            again = GAME.view(GAME.load(dealt), me)
            assert again == {**view, "removed": again.get("removed", [])} or again == view
            said = view["announced"][other]
            if said:
                assert Counter(item(stone, said["kind"]) for stone in dealt["hands"][other]) == Counter(said["left"])
            tried += 1
    assert tried > 100


def assumed(view, table):
    """The position that a table of the sampler's assumes; what it names nowhere is removed."""

    def name(stone):
        return None if stone is None else STONES[stone]

    grids = {seat: [[name(stone) for stone in grid] for grid in table.grids[index]] for index, seat in enumerate(SEATS)}
    hands = {seat: [name(stone) for stone in table.hands[index]] for index, seat in enumerate(SEATS)}
    seen_text = json.dumps([grids, hands, view["towers"], view["discards"]])
    removed = [stone for stone in STONES[:-1] if f'"{stone}"' not in seen_text]
    shown = {key: value for key, value in view.items() if key != "you"}
    return {**shown, "chance": {"seed": 1, "drawn": 69}, "grids": grids, "hands": hands, "removed": removed}


CLOSED = {
    "red": "p1:red6 p2:purple6 p1:orange6",
    "orange": "p2:orange5 p1:yellow6 p2:red4 p1:yellow3",
    "purple": "p1:purple5 p2:blue6 p1:blue5 p2:purple3",
}
"""Towers at 18, 18 and 19: of red, only 1 to 3 can be placed."""


def passed(where):
    """The position after a pass, and the events that tell of it."""
    step = GAME.apply(GAME.load(where), "pass")
    return GAME.dump(step.state), step.events


def test_a_pass_tells_it_what_the_other_has_not():
    where = position(CLOSED, "red5", turn=4, other="red1")
    after, events = passed(where)
    memory = sampling.recall(seen(after, events=events))
    assert {"red1", "red2", "red3", "green1", "green6", "purple2", "joker"} <= set(memory.absent)
    assert not {"red4", "red5", "red6"} & set(memory.absent)
    assert json.loads(memory.to_notes()) == {"round": 3, "absent": list(memory.absent)}
    assert sampling.recall(seen(after, notes=memory.to_notes())) == memory, "kept for the round"
    later, _ = play(after, "place red1 on red")
    assert later["round"] == 4
    assert sampling.recall(seen(later, notes=memory.to_notes())).absent == (), "a new round, a new hand"


def test_its_deals_leave_out_what_a_pass_told():
    """p1 keeps red5 of the red stones it announced: red1 to red3, placeable, it cannot have."""
    where = position(CLOSED, "red5", turn=4, other="green1", kinds=("colours", "numbers"))
    after, events = passed(where)
    observation = seen(after, events=events)
    hands = {
        tuple(sampling.deal(observation, sampling.recall(observation), Random(seed)).hands[0]) for seed in range(60)
    }
    assert hands == {(4,)}, "red5 alone: 4 and 6 lie open, 1 to 3 could have been placed"


def test_a_pass_is_judged_by_the_towers_of_that_moment():
    """After p1's pass p2 replaced a joker without being asked; what was built since is taken off again."""
    built = {
        "red": "p1:red6 p2:purple6 p1:orange3 p2:joker",
        "orange": "p2:orange6 p1:yellow6 p2:red4 p1:yellow5",
        "purple": CLOSED["purple"],
    }
    where = position(built, "orange4 green2", turn=3, other="red5")
    then = sampling.recall(seen(where, events=[Event("pass", "all", {"seat": "p1"})])).absent
    after, events = GAME.apply(GAME.load(where), "replace orange4 on red")
    state = GAME.dump(after)
    observation = seen(state)._replace(seat="p2", events=(Event("pass", "all", {"seat": "p1"}), *events))
    assert sampling.recall(observation).absent == then
    assert "red3" in then, "the red tower stood at 18"


def test_its_deals_count_jokers_that_were_replaced():
    """Whose joker it was is known by what is missing of a player's 18 stones."""
    built = {"red": "p1:red6 p2:purple6 p1:orange3 p2:joker"}
    where, _ = play(position(built, "orange4", turn=4, other="red1", number=2), "replace orange4 on red")
    assert where["out"] == ["joker"]
    for observation in (seen(where), seen(where)._replace(seat="p2", view=GAME.view(GAME.load(where), "p2"))):
        for seed in range(10):
            table = sampling.deal(observation, sampling.recall(observation), Random(seed))
            GAME.load(assumed(observation.view, table))


def test_what_is_placed_in_its_mind_is_seen_by_both():
    where = position({"red": "p2:red6"}, "red4 joker", turn=2, other="blue6 green1", kinds=("numbers", "colours"))
    observation = seen(where)
    table = sampling.deal(observation, sampling.recall(observation), Random(1))
    red4, joker = 1 << INDEX["red4"], 1 << INDEX["joker"]
    assert table.rivals(1) & red4, "a 4 is left of p1's announcement, and p2 has not seen red4"
    unseen = table.jokers[1]
    table.build(0, INDEX["red4"], TOWER["red"], replacing=False)
    assert not table.known[0] & joker
    assert table.known[1] & red4
    table.build(0, INDEX["joker"], TOWER["red"], replacing=False)
    assert table.jokers[1] == unseen - 1
    assert not table.rivals(1), "p1 has nothing left"


def test_what_was_told_before_a_round_began_counts_no_more():
    told = [Event("pass", "all", {"seat": "p2"}), Event("round", "all", {"round": 1, "starter": "p1"})]
    assert sampling.recall(seen(start(), events=told)).absent == ()


@pytest.mark.parametrize(
    "notes",
    ["", "{}", "null", "[]", "not json", "[" * 100_000, '{"round": 1, "absent": 3}',
     '{"round": 1, "absent": [["red4"]]}',
     '{"round": 1, "absent": {"red4": 1}}', '{"round": true, "absent": ["pink"]}', '{"round": 3, "absent": ["red1"]}'],
)  # fmt: skip
def test_notes_that_are_no_memory_of_this_round_count_as_none(notes):
    where = start()
    assert GAME.bots["sampler"](seen(where, notes=notes), Draws("x")).actions[0] in GAME.legal(GAME.load(where))


def test_sampler_takes_an_instant_win():
    for seed in range(4):
        assert act("sampler", GAME.scenarios["two_twenty_ones"](SEATS, {}, seed)) == "place green4 on blue"


def test_sampler_keeps_the_other_from_an_instant_win():
    """p2 holds the only stone left of its hand that makes a third 21; p1 can raise that tower past it."""
    built = {
        "red": "p2:red6 p2:purple5 p1:orange6 p2:red4",
        "yellow": "p1:yellow6 p2:yellow5 p1:green6 p2:orange4",
        "blue": "p1:blue6 p1:blue5 p2:purple6",
    }
    where = position(built, "green3 yellow1", number=4, turn=4, other="green4 purple1", kinds=("numbers", "numbers"))
    assert act("sampler", where) == "place green3 on blue"


def test_sampler_beats_greedy_which_beats_random():
    results = Counter()
    for seed in range(3):
        order = ["sampler", "greedy"] if seed % 2 else ["greedy", "sampler"]
        log = play_bots("twenty_one", order, {}, seed, None)
        for seat in GAME.outcome(log.state).winners:
            results[order[SEATS.index(seat)]] += 1
    assert results["sampler"] > results["greedy"]
    assert measure("greedy", "random", range(100)).share("p1") >= GREEDY_WINS


def test_random_against_random_ends_as_the_rulebook_expects():
    figures = measure("random", "random", range(500))
    for end, (low, high) in BANDS.items():
        assert low - 2 <= figures.share(end) <= high + 2, "500 matches scatter more than 2,000"
    assert figures.longest == 48


def test_sampler_decides_well_under_a_second():
    where = start()
    began = time.process_time()
    act("sampler", where)
    assert time.process_time() - began < 1.5


@pytest.mark.parametrize("bot", GAME.bots)
@pytest.mark.parametrize("scenario", GAME.scenarios)
def test_every_bot_plays_every_scenario_to_its_end(bot, scenario):
    where = GAME.scenarios[scenario](SEATS, {}, 3)
    log = play_bots("twenty_one", [bot, "random"], {}, 3, start=where)
    assert GAME.outcome(log.state) is not None
    assert not log.messages
