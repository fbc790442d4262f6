"""Looking at a run while it goes on: bounds that spend the error once, and intervals that hold where it stops."""

from __future__ import annotations

from math import e, log, sqrt

import numpy as np
import pytest
from scipy.stats import norm

from harness.ratings.ballots import Ballots
from harness.ratings.looks import bounds, follow, judge, plan, spent_evenly, stagewise
from harness.ratings.pairs import Difference
from harness.ratings.rate import gap
from harness.ratings.stopping import told_apart
from harness.records import SeatStats
from tests.calibrate.worlds import EQUAL, World, play
from tests.harness.test_leaderboard import match

FIVE = (0.2, 0.4, 0.6, 0.8, 1.0)


def like_obrien_fleming(share: float) -> float:
    return float(4 * norm.sf(norm.isf(0.05 / 4) / sqrt(share)))


def like_pocock(share: float) -> float:
    return 0.05 * log(1 + (e - 1) * share)


def test_bounds_are_those_of_the_books() -> None:
    """Lan and DeMets, five even looks, two-sided 5 %."""
    assert bounds(FIVE, like_obrien_fleming) == pytest.approx((4.8769, 3.3569, 2.6803, 2.2898, 2.0310), abs=2e-3)
    assert bounds(FIVE, like_pocock) == pytest.approx((2.4380, 2.4268, 2.4101, 2.3966, 2.3859), abs=1e-3)


def test_one_look_is_the_usual_test() -> None:
    assert bounds([1.0]) == pytest.approx((1.95996,), abs=1e-4)
    low, high = stagewise([1.0], bounds([1.0]), 0, 2.5)
    assert (low, high) == pytest.approx((2.5 - 1.95996, 2.5 + 1.95996), abs=1e-4)


def test_looks_lie_between_twenty_packs_and_the_most() -> None:
    assert plan(20).looks == (20,)
    assert plan(21).looks == (20, 21)
    fifty = plan(50)
    assert (fifty.looks[0], fifty.most, len(fifty.looks)) == (20, 50, 8)
    assert list(fifty.looks) == sorted(set(fifty.looks))
    assert fifty.next_look(0) == 20
    assert fifty.next_look(20) == fifty.looks[1]
    assert fifty.next_look(50) is None
    with pytest.raises(ValueError, match="19 packs are too few to tell two players apart: at least 20 are needed"):
        plan(19)


def test_all_of_the_error_is_spent_and_no_more() -> None:
    assert spent_evenly(1.0) == pytest.approx(0.05)
    assert all(bound > 1.96 for bound in plan(50).bounds)


def test_nothing_is_decided_between_looks() -> None:
    where = plan(50)
    between = judge(where, 21, 5.0, 0.1)
    assert (between.apart, between.stop, between.interval, between.next_look) == (False, False, None, where.looks[1])
    assert judge(where, 20, 5.0, 0.1).apart
    with pytest.raises(ValueError, match="51 packs are more than the 50"):
        judge(where, 51, 1.0, 0.1)


def test_an_interval_leaves_out_zero_exactly_where_the_bound_was_crossed() -> None:
    where = plan(60)
    for packs in where.looks:
        for z in (0.5, 1.9, 2.1, 2.3, 2.5, 2.7, 3.0, 6.0):
            for sign in (1, -1):
                found = judge(where, packs, sign * z * 0.2, 0.2)
                assert found.interval is not None
                low, high = found.interval
                assert found.apart == (low > 0 or high < 0), (packs, z)
                assert found.stop == (found.apart or packs == 60)
                assert low < found.difference < high or found.stop


def test_stopping_late_narrows_and_both_signs_mirror() -> None:
    where = plan(50)
    late, mirrored = judge(where, 50, 0.1, 0.2), judge(where, 50, -0.1, 0.2)
    assert late.interval is not None
    assert mirrored.interval is not None
    assert mirrored.interval == pytest.approx((-late.interval[1], -late.interval[0]), abs=1e-4)
    # Stopping by looks costs a little: the interval is about as wide as one look's, and not half wider.
    assert 2 * 1.9 * 0.2 < late.interval[1] - late.interval[0] < 3 * 2.0 * 0.2
    assert judge(where, 50, 0.0, 0.2).interval is not None


def test_a_difference_without_error_decides_nothing() -> None:
    assert not judge(plan(20), 20, 1.0, 0.0).apart


def test_worlds_play_whole_packs() -> None:
    """The calibration's own matches: every player in every seat once a pack."""
    found = play(EQUAL, np.random.default_rng(1))
    for pack in range(20):
        seated = found.seated[found.packs == pack]
        assert all(sorted(column) == [0, 1, 2, 3] for column in seated.T)


def run_of(packs: int, *, best: str = "a") -> list[SeatStats]:
    """Packs of four in which one player wins three times in four."""
    stats = []
    for number in range(4 * packs):
        first = best if (number // 4) % 4 else "cd"[number // 16 % 2]
        stats += match(number, {label: 1 if label == first else 2 for label in "abcd"})
    return stats


def test_a_run_is_told_apart_at_its_first_look() -> None:
    where = plan(50)
    stats = run_of(20)
    found = told_apart(stats, "a", "b", where)
    assert (found.packs, found.apart, found.stop, found.next_look) == (20, True, True, None)
    assert found.difference > 0
    assert told_apart(stats, "b", "a", where).difference == pytest.approx(-found.difference)
    alike = told_apart(stats, "c", "d", where)
    assert (alike.packs, alike.apart, alike.stop, alike.next_look) == (20, False, False, where.looks[1])
    assert alike.interval is not None


def test_only_whole_packs_count_and_in_their_order() -> None:
    where = plan(50)
    stats = run_of(20)
    hole = [
        seat.model_copy(update={"status": "running", "place": None}) if seat.number == 21 else seat for seat in stats
    ]
    found = told_apart(hole, "a", "b", where)
    assert (found.packs, found.stop, found.interval, found.next_look) == (0, False, None, 20)
    void = [seat.model_copy(update={"status": "void"}) if seat.number == 21 else seat for seat in stats]
    assert told_apart(void, "a", "b", where).apart


def test_what_was_played_past_a_look_changes_nothing() -> None:
    where = plan(50)
    more = run_of(22, best="b")[20 * 16 :]
    assert told_apart([*run_of(20), *more], "a", "b", where) == told_apart(run_of(20), "a", "b", where)


def test_players_who_are_not_there_or_hardly_are_never_told_apart() -> None:
    where = plan(20)
    stats = run_of(20)
    nobody = told_apart(stats, "a", "zoe", where)
    assert (nobody.apart, nobody.stop, nobody.interval) == (False, True, None)
    seldom = [
        seat.model_copy(update={"label": "e", "identity": "id-e"}) if seat.label == "b" and seat.pack < 8 else seat
        for seat in stats
    ]
    few = told_apart(seldom, "a", "b", where)
    assert (few.apart, few.stop, few.interval) == (False, True, None)


def test_a_label_of_two_identities_is_no_one_player() -> None:
    stats = [
        seat.model_copy(update={"identity": "another"}) if seat.label == "a" and seat.pack > 15 else seat
        for seat in run_of(20)
    ]
    found = told_apart(stats, "a", "b", plan(50))
    assert (found.packs, found.apart, found.stop, found.interval) == (20, False, False, None)


@pytest.mark.parametrize("void", [0.0, 1 / 6])
def test_what_a_look_says_is_what_is_calibrated(void: float) -> None:
    """Six players for four seats, so that packs lack some, and matches that became void."""
    world = World("", (0.8, -0.8, 0.3, 0, 0, -0.3), (0.3, 0, 0, -0.3), 90)
    random = np.random.default_rng(4)
    found = play(world, random)
    gone = random.random(len(found.packs)) < void
    stats = [
        seat.model_copy(update={"status": "void"}) if gone[number] else seat
        for number in range(len(found.packs))
        for seat in seated(number, found)
    ]
    where = plan(world.packs)
    verdict = told_apart(stats, "p0", "p1", where)
    wanted = follow(where, world.packs, lambda packs: gap(found.kept(~gone & (found.packs < packs)), 0, 1))
    assert (verdict.packs, verdict.apart, verdict.stop) == (wanted.packs, wanted.apart, wanted.stop)
    assert verdict.apart
    assert verdict.packs > where.looks[0], "after 20 packs neither has sat in 20"
    assert verdict.interval == pytest.approx(wanted.interval, abs=1e-6)


def test_a_look_at_which_nothing_can_be_decided_spends_nothing() -> None:
    where = plan(60)
    first, second, *_ = where.looks
    skipped = where.without([first])
    assert skipped.looks == where.looks[1:]
    assert skipped.bounds[0] < where.bounds[1], "the second look has what the first would have spent"
    assert where.without([]) is where
    seen = {first: 19, second: 30}
    found = follow(where, second, lambda packs: Difference(0.5, 0.2, seen[packs]))
    assert found == judge(skipped, second, 0.5, 0.2, seen=30)
    assert found.apart
    assert not judge(where, second, 0.5, 0.2, seen=30).apart, "had the first look been one"


def seated(number: int, found: Ballots) -> list[SeatStats]:
    """One match of a world as the store has it."""
    places = dict(zip(found.seated[number], found.places[number], strict=True))
    one = match(number, {f"p{player}": int(place) for player, place in places.items()})
    return [seat.model_copy(update={"seat": f"s{at}"}) for at, seat in enumerate(one)]
