"""Intervals come from whole packs, are the same whenever they are made, and cover the truth."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import stats as scipy_stats

from harness.board_text import not_counted_lines
from harness.intervals import wilson
from harness.leaderboard import leaderboard
from harness.ratings import packs
from harness.ratings.ballots import Ballots
from harness.ratings.packs import design_effect, drawn_shares, interval, pack_weights
from harness.ratings.rate import assess
from tests.calibrate.measure import by_places, coverage, stopping
from tests.calibrate.worlds import APART, EQUAL, KINGMAKER, STOPPING, WEAK, play
from tests.harness.test_leaderboard import finished, match, only


def widths(found: Ballots) -> list[float]:
    """Of each player's chance to win, how wide its interval is."""
    return [
        one.probability_interval[1] - one.probability_interval[0]
        for one in assess(found).standings
        if one.probability_interval is not None
    ]


def test_none_under_twenty_packs() -> None:
    few = [seat for number in range(4 * 19) for seat in finished(number)]
    table = only(leaderboard(few))
    for row in table.rows:
        assert (row.win_interval, row.place_interval, row.probability_interval, row.strength_interval) == (None,) * 4
        assert row.ranks is None
    assert all(pair.p is None and pair.ahead_interval is None for pair in table.ratings.main.pairs)
    assert "No intervals: they need at least 20 packs of matches; 19 are too few to tell how much packs differ." in (
        not_counted_lines(table)
    )
    enough = only(leaderboard([*few, *(seat for number in range(76, 80) for seat in finished(number))]))
    assert all(row.probability_interval is not None for row in enough.rows)
    assert not any("No intervals" in line for line in not_counted_lines(enough))


def test_a_player_in_few_packs_has_none_where_others_have() -> None:
    stats = [seat for number in range(120) for seat in match(number, dict(zip("abcd", (1, 2, 3, 4), strict=True)))]
    stats += [
        seat for number in range(120, 160) for seat in match(number, dict(zip("abce", (1, 2, 3, 4), strict=True)))
    ]
    table = only(leaderboard(stats))
    found = {row.label: row for row in table.rows}
    assert "No interval for who sat in fewer than 20 packs: e." in not_counted_lines(table)
    assert found["a"].probability_interval is not None
    assert (found["e"].packs, found["e"].probability_interval) == (10, None)
    assert found["e"].probability is not None


def test_matches_of_a_pack_that_all_go_alike_are_worth_one() -> None:
    """The same results, once in packs whose matches agree and once spread: agreeing packs make wider intervals."""
    rng = np.random.default_rng(1)
    places = np.array([rng.permutation(4) + 1.0 for _ in range(30)])
    seated = np.array([np.roll(np.arange(4), turn) for _ in range(30) for turn in range(4)])
    alike = np.take_along_axis(np.repeat(places, 4, axis=0), seated, axis=1)
    one = play(EQUAL, rng, packs=30)._replace(seated=seated, places=alike)
    spread = one._replace(packs=np.tile(np.arange(30), 4))
    assert all(wide > 1.5 * narrow for wide, narrow in zip(widths(one), widths(spread), strict=True))


def test_the_same_matches_give_the_same_bytes_and_others_other_draws() -> None:
    stats = [seat for number in range(80) for seat in match(number, dict(zip("abcd", (1, 2, 3, 4), strict=True)))]
    stats = [
        seat.model_copy(update={"place": (seat.place or 0) % 4 + 1}) if seat.number % 3 else seat for seat in stats
    ]
    first, again = (json.dumps(leaderboard(stats).to_json()) for _ in range(2))
    assert first == again
    moved = [seat.model_copy(update={"match_id": seat.match_id + 7000}) for seat in stats]
    assert json.dumps(leaderboard(moved).to_json()) == first


def test_an_interval_of_a_mean_is_students() -> None:
    """Of normal pack means, the drawn interval is the usual one."""
    rng = np.random.default_rng(4)
    values = rng.normal(0.5, 0.1, 200)
    drawn = drawn_shares(values[:, None], np.ones((200, 1)), pack_weights(rng, 200, 20000), 1e-9, rng)[:, 0]
    half = scipy_stats.t.ppf(0.975, 199) * values.std(ddof=1) / 200**0.5
    found = interval(drawn, 200)
    assert found == pytest.approx((values.mean() - half, values.mean() + half), abs=0.05 * half)


def test_a_share_that_was_never_seen_has_jeffreys_interval() -> None:
    rng = np.random.default_rng(4)
    drawn = drawn_shares(np.zeros((300, 1)), np.ones((300, 1)), pack_weights(rng, 300, 20000), 1.0, rng)[:, 0]
    found = interval(drawn, 300)
    assert found is not None
    assert found[1] == pytest.approx(scipy_stats.beta.ppf(0.975, 0.5, 300.5), rel=0.08)


@pytest.mark.parametrize(
    ("values", "effect"),
    [
        # One player, matches in packs that agree wholly, or are against each other, or are single.
        ([[1.0, 1.0], [0.0, 0.0]], 3.0),
        ([[1.0, 0.0], [0.0, 1.0]], 1.0),
        ([[1.0], [0.0], [1.0]], 1.0),
        ([[1.0, 1.0], [1.0, 1.0]], 2.0),
        ([[1.0, 0.0]], 1.0),
    ],
)
def test_design_effect(values: list[list[float]], effect: float) -> None:
    sums = np.array([[sum(pack)] for pack in values])
    counts = np.array([[float(len(pack))] for pack in values])
    flat = np.array([one for pack in values for one in pack])
    found = design_effect(sums, counts, np.array([flat.var(ddof=1)]), np.array([float(len(flat))]))
    assert found == pytest.approx(effect)


def test_wilson_is_the_usual_one() -> None:
    assert wilson(0.5, 10, 1.959964) == pytest.approx((0.236593, 0.763407), abs=1e-6)
    assert wilson(0.0, 10, 1.959964) == pytest.approx((0.0, 0.277533), abs=1e-6)
    assert wilson(1.0, 10, 1.959964) == pytest.approx((0.722467, 1.0), abs=1e-6)


def test_few_packs_need_percentiles_further_out() -> None:
    assert packs._outside(20) < packs._outside(200) < packs._outside(10**6) == pytest.approx(0.025, rel=1e-3)


@pytest.mark.soak
@pytest.mark.parametrize("world", [APART, WEAK], ids=["apart", "weak"])
def test_intervals_cover_the_truth(world: object) -> None:
    """`make calibrate` in small; the band is that of 100 simulations."""
    assert world in (APART, WEAK)
    for what, found in coverage(APART if world == APART else WEAK, 100).items():
        assert 0.9 <= found.share <= 0.995, what


@pytest.mark.soak
def test_places_are_said_not_to_fit_where_they_do_not() -> None:
    assert by_places(KINGMAKER, 40)["places said not to fit"].share > 0.8
    fitting = by_places(APART, 100)
    assert fitting["places said not to fit"].share < 0.12
    assert 0.9 <= fitting["win probability by places"].share <= 0.995


@pytest.mark.soak
@pytest.mark.parametrize("world", STOPPING[:3], ids=["alike", "a little apart", "apart"])
def test_intervals_cover_the_truth_where_a_run_stops_by_them(world: object) -> None:
    found = stopping(next(one for one in STOPPING if one == world), 100)
    assert found["interval where it stopped"].share >= 0.9
    if world == STOPPING[0]:
        assert found["told apart"].share <= 0.12
