"""Matches in bulk: the rulebook's bands and bounds."""

from __future__ import annotations

import pytest

from tests.bench.expected_star_ludo import AGAINST_RANDOM, FIRST, ROLLS, randoms, share, win_rate

MATCHES = 1000


@pytest.mark.parametrize("number", ROLLS)
def test_random_matches_are_as_long_as_expected_and_favour_nobody_much(number):
    played = randoms(number, range(MATCHES))
    mean, width = ROLLS[number]
    assert abs(sum(match.rolls for match in played) / MATCHES - mean) <= width
    assert all(match.reason == "home" for match in played)
    if number in FIRST:
        percent, allowed = FIRST[number]
        assert abs(share(played) - percent) <= allowed


@pytest.mark.parametrize("bot", AGAINST_RANDOM)
def test_the_bots_beat_random_as_often_as_expected(bot):
    assert win_rate(bot, range(100)) >= AGAINST_RANDOM[bot]


@pytest.mark.soak
@pytest.mark.parametrize("bot", AGAINST_RANDOM)
def test_the_bots_beat_random_as_often_as_expected_in_2000_matches(bot):
    assert win_rate(bot, range(2000)) >= AGAINST_RANDOM[bot]
