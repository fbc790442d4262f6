from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest

from games.chance import Draws
from games.star_ludo.bots import AGGRESSIVE, BALANCED, STRATEGIC
from games.star_ludo.tactics import SCALE, Table, score
from tests.games.star_ludo.build import GAME, legal, position, seen
from tests.games.star_ludo.reference import COLOURS, STARS, ring
from tests.games.table import play_bots


def act(bot, where, draws="test"):
    return GAME.bots[bot](seen(where), Draws(draws))


def chosen(bot, where):
    return act(bot, where).actions[0]


def test_random_takes_all_legal_actions_alike():
    where = position({"red": [30, 20, 10, -1]}, (6, 2))
    draws = Draws("alike")
    counts = Counter(GAME.bots["random"](seen(where), draws).actions[0] for _ in range(6000))
    assert set(counts) == set(legal(where))
    assert all(1300 < count < 1700 for count in counts.values())


@pytest.mark.parametrize("bot", GAME.bots)
def test_the_same_observation_and_draws_give_the_same_reply(bot):
    where = position({"red": [30, 20, 10, -1], "yellow": [44]}, (6, 2))
    assert act(bot, where) == act(bot, where)


@pytest.mark.parametrize("bot", GAME.bots)
def test_all_are_silent_and_answer_a_talk_round_with_nothing(bot):
    reply = GAME.bots[bot](seen(position({"red": [30]}), asked="talk"), Draws("talk"))
    assert (reply.actions, reply.messages, reply.notes) == ((), (), None)
    log = play_bots("star_ludo", [bot] * 2, {"cap": 60}, seed=3)
    assert log.messages == []


# Scores: the rulebook's table, reckoned with fractions from the position

TABLE = {
    "balanced": [1, 15, 20, 12, 10, -4, 3, -3, 5],
    "strategic": [Fraction(6, 10), 10, 20, 18, 18, -12, 8, -8, 2],
    "aggressive": [3, 15, 10, 5, 2, 0, 0, 0, 20],
}


def dangerous(where, seat, place):
    square = ring(seat, place)
    if square is None:
        return False
    for other in where["seats"]:
        theirs = where["pawns"][other]
        if other == seat:
            continue
        if -1 in theirs and square == 13 * COLOURS.index(other):
            return True
        for theirs_place in theirs:
            for steps in range(1, 7):
                stands_on_ring = 0 <= theirs_place <= 50
                if stands_on_ring and square not in STARS and ring(other, theirs_place + steps) == square:
                    return True
    return False


def worth(where, move, weights):
    capture, leave_yard, home, home_row, safe, leave, out_of, into, advance = weights
    seat = where["to_act"]
    place, target = move["from"], move["to"]
    total = Fraction(0)
    if move["captures"]:
        victim = where["pawns"][move["captures"]["seat"]][move["captures"]["pawn"] - 1]
        total += capture * (20 + Fraction(victim, 2))
    if place == -1:
        return total + leave_yard + safe
    before, after = dangerous(where, seat, place), dangerous(where, seat, target)
    if target == 56:
        total += home
    if place <= 50 < target < 56:
        total += home_row
    if ring(seat, target) in STARS and not after:
        total += safe
    if ring(seat, place) in STARS:
        total += leave
    if before and not after:
        total += out_of * Fraction(place + 5, 10)
    if after and not before:
        total += into * Fraction(target + 5, 10)
    return total + advance * Fraction(target, 56)


def positions(number, seeds, cap=160):
    """Positions with a choice, from random matches."""
    for seed in seeds:
        draws = Draws(f"positions {number} {seed}")
        state = GAME.start(GAME.seats(number), {"cap": cap}, seed).state
        while GAME.to_act(state) is not None:
            if len(GAME.legal(state)) > 1:
                yield GAME.dump(state)
            state = GAME.apply(state, draws.choice(GAME.legal(state))).state


@pytest.mark.parametrize("bot", TABLE)
@pytest.mark.parametrize("number", [2, 3, 4])
def test_the_three_that_weigh_take_the_best_score(bot, number):
    weights = {"balanced": BALANCED, "strategic": STRATEGIC, "aggressive": AGGRESSIVE}[bot]
    for where in positions(number, range(4)):
        observation = seen(where)
        moves = observation.view["moves"]
        worths = [worth(where, move, TABLE[bot]) for move in moves]
        table = Table(observation)
        assert [Fraction(score(table, move, weights), SCALE) for move in table.moves] == worths
        ties = [move for move, value in zip(moves, worths, strict=True) if value == max(worths)]
        expected = max(ties, key=lambda move: (move["from"], -move["pawn"]))
        assert chosen(bot, where) == f"move {expected['pawn']}"


def test_the_table_was_read_right():
    """Out of danger from place 10, and onto a pawn on its place 40: 40 and 3 x 15/10 and 5 x 14/56."""
    where = position({"red": [10], "yellow": [40, 32]}, (4, 2), to_act="red")
    move = seen(where).view["moves"][0]
    assert move["captures"] == {"seat": "yellow", "pawn": 1}
    assert worth(where, move, TABLE["balanced"]) == Fraction("45.75")
    table = Table(seen(where))
    assert score(table, table.moves[0], BALANCED) == SCALE * 183 // 4


DANGERS = {
    "one behind": (20, {"yellow": [45]}, True),
    "six behind": (20, {"yellow": [40]}, True),
    "seven behind": (20, {"yellow": [39]}, False),
    "ahead": (20, {"yellow": [47]}, False),
    "on a star": (21, {"yellow": [46]}, False),
    "turning off before": (30, {"yellow": [50]}, False),
    "across its own start": (27, {"yellow": [49]}, False),
    "in the yard": (20, {"yellow": [-1]}, False),
    "start star, a pawn in the yard": (26, {"yellow": [3, 4, 5, -1]}, True),
    "start star, nobody in the yard": (26, {"yellow": [3, 4, 5, 6]}, False),
    "start star of a seat that does not play": (13, {"yellow": [-1]}, False),
    "in the home row": (53, {"yellow": [24, 25]}, False),
    "in its home row": (20, {"yellow": [51]}, False),
}


@pytest.mark.parametrize("name", DANGERS)
def test_danger(name):
    place, pawns, danger = DANGERS[name]
    where = position({"red": [place, 1], **pawns}, (2, 1), 1)
    where["pawns"] = {**where["pawns"], "yellow": [*pawns["yellow"], 56, 56, 56][:4]}
    assert Table(seen(where)).danger(place) == danger
    assert dangerous(where, "red", place) == danger


def test_ties_go_to_the_pawn_farthest_on():
    where = position({"red": [1, 30], "yellow": [56]}, (1, 1), 1)
    aggressive = {move["pawn"]: worth(where, move, TABLE["aggressive"]) for move in seen(where).view["moves"]}
    assert aggressive[2] > aggressive[1]
    even = position({"red": [-1, 16, 8, -1], "yellow": [-1]}, (6, 5), 1)
    assert chosen("balanced", even) == "move 2"


def test_casual_does_not_think_in_three_of_five():
    where = position({"red": [54, 20, 10, 1]}, (2, 1))
    assert chosen("balanced", where) == "move 1"
    draws = Draws("casual")
    counts = Counter(GAME.bots["casual"](seen(where), draws).actions[0] for _ in range(6000))
    assert 0.52 < counts["move 1"] / 6000 < 0.58, "0.4 + 0.6 / 4"
    assert all(800 < counts[f"move {pawn}"] < 1000 for pawn in (2, 3, 4))


# The two that follow rules

ALPHA = {
    "exit while four are in the yard": (position({}, (6, 2)), "move 1", 1),
    "exit while three are, before a capture": (position({"red": [10], "yellow": [42]}, (6, 2)), "move 2", 1),
    "capture, before an exit while two are": (position({"red": [10, 30], "yellow": [42]}, (6, 2)), "move 1", 2),
    "capture the victim farthest on": (position({"red": [10, 22], "yellow": [41, 1]}, (5, 1)), "move 1", 2),
    "an exit that captures is a capture": (
        position({"red": [10, 30], "yellow": [26, 42]}, (6, 2)), "move 1", 2,
    ),
    "exit while two are": (position({"red": [10, 20]}, (6, 2)), "move 3", 3),
    "exit while one is, before a star": (position({"red": [10, 15, 30]}, (6, 2)), "move 4", 3),
    "land on a star": (position({"red": [16, 46, 54]}, (5, 1)), "move 1", 4),
    "land on a foreign start whose seat has nobody in the yard": (
        position({"red": [24, 40], "yellow": [3, 4, 5, 56]}, (2, 1)), "move 1", 4,
    ),
    "from the ring to the home row": (position({"red": [49, 14, 51]}, (5, 1)), "move 1", 5),
    "from the ring to 56": (position({"red": [50, 14], "yellow": [3, 4]}, (6, 6), extra=["double_six"]), "move 3", 3),
    "from the ring to 56 with no pawn in the yard": (
        position({"red": [50, 14, 52, 54]}, (6, 1)), "move 1", 5,
    ),
    "block a start": (position({"red": [24, 31], "yellow": [3, -1]}, (2, 1)), "move 1", 7),
    "close in, the smallest distance": (position({"red": [10, 30], "yellow": [43, 12]}, (5, 1)), "move 1", 8),
    "to safety": (position({"red": [31, 41], "yellow": [0]}, (4, 1)), "move 1", 9),
    "reach home": (position({"red": [51, 30]}, (5, 1)), "move 1", 10),
    "even: the farthest": (position({"red": [10, 30, 20]}, (2, 1)), "move 2", 11),
    "odd: the nearest": (position({"red": [10, 30, 20]}, (5, 1)), "move 1", 11),
    "odd, the pawn of the die being played": (position({"red": [11, 30, 20]}, (4, 3), 1), "move 1", 11),
}  # fmt: skip


@pytest.mark.parametrize("name", ALPHA)
def test_alpha(name):
    where, action, rule = ALPHA[name]
    reply = act("alpha", where)
    assert reply.actions == (action,)
    assert (reply.thoughts or "").startswith(f"#{rule}(")
    assert (reply.thoughts or "").endswith(")")


def test_alpha_says_how_far_behind_it_lands():
    """Red lands 4 behind a pawn of yellow."""
    where = position({"red": [10, 30], "yellow": [45, 20]}, (5, 1))
    assert act("alpha", where).thoughts == "#8(advance to 4 behind)"


@pytest.mark.parametrize(
    ("pawns", "closes"),
    [
        ({"red": [10, 2], "yellow": [48]}, False),  # seven ahead of where it lands
        ({"red": [10, 2], "yellow": [47]}, False),  # on a star, at square 21
        ({"red": [10, 2], "yellow": [43]}, True),
        ({"red": [46, 2], "yellow": [24]}, True),  # yellow on square 50, which red still enters
        ({"red": [45, 2], "yellow": [25]}, False),  # yellow on square 51, behind red's start
        ({"red": [45, 2], "yellow": [27]}, False),  # yellow on square 1, past red's way home
    ],
)
def test_prey_can_be_hit_before_the_own_home_row(pawns, closes):
    where = position(pawns, (2, 1), extra=[])
    table = Table(seen(where))
    gaps = [table.prey_ahead(move.target) for move in table.moves if move.pawn == 1]
    assert [gap is not None for gap in gaps] == [closes]


@pytest.mark.parametrize(
    ("pawns", "fits"),
    [
        ({"red": [31, 41], "yellow": [0]}, True),
        ({"red": [31, 41], "yellow": [0, 4]}, False),  # the second is still behind
        ({"red": [27, 41], "yellow": [49]}, False),  # it turns off before
        ({"red": [8, 41], "yellow": [32]}, False),  # it stands on a star
        ({"red": [0, 41], "yellow": [25]}, False),  # at its start
    ],
)
def test_alpha_9_is_for_a_hunted_pawn_on_no_star_beyond_its_start(pawns, fits):
    thoughts = act("alpha", position(pawns, (4, 1))).thoughts or ""
    assert thoughts.startswith("#9(") == fits


BETA = {
    "reach home": (position({"red": [50, 51, 10]}, (6, 1)), "move 1", 1),
    "from the ring into the home row, not yet home": (position({"red": [49, 10]}, (6, 1)), "move 1", 2),
    "exit": (position({"red": [8, 10], "yellow": [42]}, (6, 1)), "move 3", 3),
    "exit with the last pawn": (position({"red": [8, 10, 52], "yellow": [42]}, (6, 1)), "move 4", 3),
    "leave a star": (position({"red": [8, 11], "yellow": [42]}, (5, 1)), "move 1", 4),
    "leave the own start": (position({"red": [0, 11], "yellow": [42]}, (5, 1)), "move 1", 4),
    "of two on stars the farther": (position({"red": [0, 8, 11], "yellow": [42]}, (5, 1)), "move 2", 4),
    "capture": (position({"red": [10, 30], "yellow": [41]}, (5, 1)), "move 1", 5),
    "of two captures the pawn farther on": (position({"red": [10, 22], "yellow": [41, 1]}, (5, 1)), "move 2", 5),
    "even: the farthest": (position({"red": [10, 30]}, (2, 1)), "move 2", 6),
    "odd: the nearest": (position({"red": [10, 30]}, (5, 1)), "move 1", 6),
}  # fmt: skip


@pytest.mark.parametrize("name", BETA)
def test_beta(name):
    where, action, rule = BETA[name]
    reply = act("beta", where)
    assert reply.actions == (action,)
    assert (reply.thoughts or "").startswith(f"#{rule}(")


def test_every_rule_of_alpha_but_the_sixth_comes_up_and_every_one_of_beta():
    rules = {bot: Counter() for bot in ("alpha", "beta")}
    for bot, counts in rules.items():
        for seed in range(30):
            for _, reply in play_bots("star_ludo", [bot, "random", "random", bot], {}, seed).replies:
                if reply.thoughts:
                    counts[int(reply.thoughts.removeprefix("#").split("(")[0])] += 1
    assert set(rules["alpha"]) == set(range(1, 12)) - {6}
    assert set(rules["beta"]) == set(range(1, 7))


@pytest.mark.parametrize("bot", ["balanced", "strategic", "aggressive", "alpha", "beta"])
def test_a_bot_is_not_moved_by_who_it_is(bot):
    """The same table turned a quarter round: the same pawn moves."""
    for where in positions(4, range(2)):
        turned = {
            **where,
            "pawns": {COLOURS[(COLOURS.index(seat) + 1) % 4]: places for seat, places in where["pawns"].items()},
            "to_act": COLOURS[(COLOURS.index(where["to_act"]) + 1) % 4],
        }
        assert chosen(bot, where) == chosen(bot, turned)
