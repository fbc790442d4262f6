"""Random matches in bulk: the rulebook's bounds and bands."""

from __future__ import annotations

import pytest

from tests.bench.engines_expected import MEAN_PLAYS, SEAT_SHARE, bounds, measure
from tests.games.so_long_sucker.build import SEATS

MATCHES = 1000


@pytest.mark.parametrize("chips", [3, 5, 7])
@pytest.mark.parametrize("rules", ["modern", "classic"])
def test_random_matches_end_in_time_and_favour_no_seat(rules, chips):
    figures = measure({"rules": rules, "chips": chips}, range(MATCHES))
    plays, decisions = bounds(chips)
    assert max(figures.plays) <= plays
    assert max(figures.decisions) <= decisions
    for seat in SEATS:
        assert SEAT_SHARE[0] <= figures.share(figures.wins[seat]) <= SEAT_SHARE[1], seat
    assert figures.share(figures.first) < 25, "the first mover is at a disadvantage"
    if (rules, chips) in MEAN_PLAYS:
        mean, width = MEAN_PLAYS[rules, chips]
        assert abs(figures.mean_plays - mean) <= width
