"""Two players against each other: who is ahead, how sure that is, and how many matches it still takes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.rating_text import PAIRS, pair_rows
from harness.ratings.ballots import ballots
from harness.ratings.pairs import holm
from harness.ratings.rate import Assessed, assess, gap
from harness.records import SeatStats
from tests.calibrate.worlds import EQUAL, World, play
from tests.harness.test_leaderboard import match


def seen(stats: list[SeatStats]) -> Assessed:
    return assess(ballots(stats), pairs=True)


def test_wins_and_places_of_a_pair() -> None:
    found = seen(
        [
            *match(0, {"a": 1, "b": 2, "c": 3, "d": 4}),
            *match(1, {"a": 1, "b": 1, "c": 3, "d": 4}),
            *match(2, {"a": 4, "b": 3, "c": 1, "d": 2}),
            *match(3, {"a": 2, "b": 2, "c": 1, "e": 4}),
        ]
    )
    pair = next(one for one in found.pairs if (one.first.label, one.second.label) == ("a", "b"))
    # Ahead once, level twice, behind once.
    assert (pair.matches, pair.first_wins, pair.second_wins, pair.ahead) == (4, 1.5, 0.5, 0.5)
    never = next(one for one in found.pairs if (one.first.label, one.second.label) == ("d", "e"))
    assert (never.matches, never.ahead, never.first_wins) == (0, None, 0)
    assert never.win_odds is not None, "they are linked by others"


def test_holm() -> None:
    assert holm([0.01, 0.04, None, 0.03]) == pytest.approx([0.03, 0.06, None, 0.06])
    assert holm([0.6, 0.9]) == [1.0, 1.0]
    assert holm([]) == []


@given(st.lists(st.floats(0, 1), max_size=8))
def test_holm_lies_between_no_correction_and_bonferronis(chances: list[float]) -> None:
    for chance, corrected in zip(chances, holm([*chances]), strict=True):
        assert corrected is not None
        assert chance <= corrected <= min(1, chance * len(chances)) + 1e-12


def test_more_matches_are_needed_the_closer_two_are() -> None:
    """With the square of the difference over its error; none where there are enough."""
    few = play(World("", (0.2, -0.2, 0, 0), (0, 0, 0, 0), 25), np.random.default_rng(3))
    difference = gap(few, 0, 1)
    assert difference is not None
    wanted = 100 * ((1.96 + 0.8416) * difference.error / difference.value) ** 2 - 100
    assert wanted > 10
    assert assess(few, pairs=True).pairs[0].matches_needed == pytest.approx(wanted, rel=1e-3, abs=1)
    wide = play(World("", (0.6, -0.6, 0, 0), (0, 0, 0, 0), 100), np.random.default_rng(3))
    whole = assess(wide, pairs=True).pairs[0]
    assert whole.apart
    assert whole.matches_needed == 0


def test_what_is_needed_tells_them_apart_four_times_in_five() -> None:
    """The sum behind it: after so many matches 80 of 100 runs find the difference."""
    world = World("", (0.3, -0.3, 0, 0), (0, 0, 0, 0), 300, luck=0)
    difference = gap(play(world, np.random.default_rng(8)), 0, 1)
    assert difference is not None
    packs = 300 * (2.8016 * difference.error / 0.6) ** 2
    hits = 0
    for number in range(200):
        one = gap(play(world, np.random.default_rng([11, number]), packs=round(packs)), 0, 1)
        assert one is not None
        hits += abs(one.value) > 1.99 * one.error
    assert 0.7 <= hits / 200 <= 0.9


def test_alike_players_are_seldom_told_apart() -> None:
    """Of 40 tables of four that are alike, some 2 have any pair told apart."""
    apart = sum(
        any(pair.apart for pair in assess(play(EQUAL, np.random.default_rng([1, number])), pairs=True).pairs)
        for number in range(40)
    )
    assert apart <= 7


def test_the_better_one_comes_first_in_words() -> None:
    stats: list[SeatStats] = []
    for number in range(100):
        best = "dcdb"[number // 4 % 4]
        stats += match(number, {label: 1 if label == best else 3 for label in "abcd"})
    rows = [dict(zip(PAIRS, row, strict=True)) for row in pair_rows(seen(stats))]
    assert {row["first"] for row in rows[:3]} == {"d"}
    last = next(row for row in rows if (row["first"], row["second"]) == ("d", "a"))
    # d won 52 matches and was level with a in those that the others won.
    assert last["wins"] == "52–0"
    assert last["ahead"].startswith("76 %")
    assert last["apart"] == "yes"
    assert last["needed"] == "0"


def test_too_few_packs_say_nothing_of_a_pair() -> None:
    rows = [dict(zip(PAIRS, row, strict=True)) for row in pair_rows(seen(match(0, {"a": 1, "b": 2})))]
    assert [(row["p"], row["apart"], row["needed"]) for row in rows] == [("–", "–", "–")]


def test_players_who_fare_alike_in_every_pack_are_not_told_apart_by_rounding() -> None:
    stats = [seat for number in range(80) for seat in match(number, {"a": 1, "b": 2, "c": 2, "d": 2})]
    pair = next(one for one in seen(stats).pairs if (one.first.label, one.second.label) == ("b", "c"))
    assert (pair.apart, pair.p, pair.p_corrected, pair.matches_needed) == (False, 1.0, 1.0, None)
