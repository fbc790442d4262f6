"""How sure a front is: how often each player is on it where packs are drawn anew, costs and wins together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from harness.leaderboard import seat_order
from harness.ratings.missing import fate
from harness.records import SeatStats
from harness.views.common import Key

if TYPE_CHECKING:
    from harness.behaviour.bootstrap import Numbers

SEED = 20_21
LEFT_OPEN = 0.025, 0.975
"""Whose share of draws lies between is on the front or not: the matches leave it open."""
Sum = Callable[[SeatStats], float]


def left_open(share: float | None) -> bool:
    """Whether the draws leave open if a player is on the front."""
    return share is not None and LEFT_OPEN[0] <= share <= LEFT_OPEN[1]


class Draws:
    """The draws of one table: chances to win as the intervals of the leaderboard have them, and sums to go with them.

    `stats` are the seats of the matches that count and of those that a forfeit ended, which cost as well, in packs as
    `harness.leaderboard.seats_of` has them.
    """

    def __init__(self, stats: Sequence[SeatStats]) -> None:
        import numpy as np

        from harness.ratings.ballots import ballots
        from harness.ratings.rate import drawn_chances

        counted = [one for one in stats if fate(one) == "counted"]
        # The draws are seeded from the matches as they are told, in the order of the game's seats.
        found = ballots(counted, seat_order(stats[0].game, stats[0].seats) if stats else None)
        drawn = drawn_chances(found)
        self._chances: dict[Key, Any] = {}
        if drawn is None:
            return
        rated = sorted({(one.run, one.pack) for one in counted})
        others = sorted({(one.run, one.pack) for one in stats} - set(rated))
        self._place = {pack: place for place, pack in enumerate([*rated, *others])}
        # Packs without a match that counts have no part in the chances, but in what is spent.
        more = np.random.default_rng(SEED).standard_exponential((len(drawn.weights), len(others)))
        self._weights = np.hstack([drawn.weights, more])
        for place, player in enumerate(found.players):
            self._chances[player.label, player.identity] = drawn.chances[:, place]

    def on_front(self, players: Mapping[Key, Sequence[SeatStats]], part: Sum, whole: Sum) -> dict[Key, float]:
        """In which share of the draws each of these players is on the front that they make; none where nothing is
        drawn. What each takes is the sum of `part` over the sum of `whole`."""
        import numpy as np

        if not players or not all(key in self._chances for key in players):
            return {}
        chances = np.stack([self._chances[key] for key in players], axis=1)
        takes = np.stack([self._ratio(stats, part, whole) for stats in players.values()], axis=1)
        shares = []
        for one in range(len(players)):
            no_more = takes <= takes[:, [one]]
            as_often = chances >= chances[:, [one]]
            better = (takes < takes[:, [one]]) | (chances > chances[:, [one]])
            shares.append(1 - float((no_more & as_often & better).any(axis=1).mean()))
        return dict(zip(players, shares, strict=True))

    def _ratio(self, stats: Sequence[SeatStats], part: Sum, whole: Sum) -> Numbers:
        import numpy as np

        sums = np.zeros((len(self._place), 2))
        for one in stats:
            sums[self._place[one.run, one.pack]] += part(one), whole(one)
        drawn = self._weights @ sums
        return np.asarray(drawn[:, 0] / drawn[:, 1], dtype=np.float64)
