"""Plays random matches of So Long Sucker and prints their figures beside the rulebook's bands.

    python -m tests.bench.engines_expected [MATCHES]

Exit status 1 if a figure that has a band lies outside it.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from games import get_game
from games.api import Json
from games.chance import Draws

GAME = "so_long_sucker"
MEAN_PLAYS = {
    ("modern", 7): (52.8, 2.0),
    ("modern", 3): (15.6, 1.0),
    ("classic", 7): (46.3, 2.0),
    ("classic", 3): (14.2, 1.0),
}
"""Mean plays and half the band's width; other numbers of chips have no band."""
SEAT_SHARE = (21.0, 29.0)
"""Percent of matches that each seat wins."""
FIRST_SHARE = (14.0, 23.0)
"""Percent of matches that the first mover wins: 16 to 21, and the two points by which 2,000 matches may miss it."""


class Figures(NamedTuple):
    """Of a number of random matches: wins by seat and of the first mover, plays and decisions of each, seconds."""

    matches: int
    wins: Counter[str]
    first: int
    plays: list[int]
    decisions: list[int]
    seconds: float

    @property
    def mean_plays(self) -> float:
        return sum(self.plays) / self.matches

    def share(self, wins: int) -> float:
        """Percent of the matches."""
        return 100 * wins / self.matches


def measure(options: Json, seeds: Iterable[int]) -> Figures:
    """Random matches by legal list and apply, events included."""
    game = get_game(GAME)
    seats = game.seats(4)
    wins: Counter[str] = Counter()
    first, plays, decisions = 0, [], []
    began = time.perf_counter()
    for seed in seeds:
        state, events = game.start(seats, options, seed)
        mover = events[0].fields["mover"]
        draws = Draws(f"random:{seed}")
        played = steps = 0
        while legal := game.legal(state):
            action = draws.choice(legal)
            played += action.startswith("play")
            steps += 1
            state = game.apply(state, action).state
        outcome = game.outcome(state)
        assert outcome is not None
        wins.update(outcome.winners)
        first += outcome.winners == (mover,)
        plays.append(played)
        decisions.append(steps)
    return Figures(len(plays), wins, first, plays, decisions, time.perf_counter() - began)


def bounds(chips: int) -> tuple[int, int]:
    """The most plays and the most decisions that the rulebook allows for."""
    total = 4 * chips
    plays = total * (total + 1) // 2
    return plays, 8 * plays + 18


def main(matches: int) -> int:
    """Print the table; 1 if anything lies outside its band."""
    print("rules    chips    red   blue  green yellow  first  plays         band  most decisions  most  match/s")
    outside = 0
    for rules in ("modern", "classic"):
        for chips in (3, 5, 7):
            figures = measure({"chips": chips, "rules": rules}, range(matches))
            shares = [figures.share(figures.wins[seat]) for seat in ("red", "blue", "green", "yellow")]
            first = figures.share(figures.first)
            mean, width = MEAN_PLAYS.get((rules, chips), (None, 0.0))
            good = (
                all(SEAT_SHARE[0] <= share <= SEAT_SHARE[1] for share in shares)
                and FIRST_SHARE[0] <= first <= FIRST_SHARE[1]
                and (mean is None or abs(figures.mean_plays - mean) <= width)
                and max(figures.plays) <= bounds(chips)[0]
                and max(figures.decisions) <= bounds(chips)[1]
            )
            outside += not good
            band = "" if mean is None else f"{mean} +- {width:.0f}"
            cells = [
                f"{rules:8} {chips:5}",
                " ".join(f"{share:6.1f}" for share in (*shares, first)),
                f"{figures.mean_plays:6.2f} {band:>12} {max(figures.plays):5}",
                f"{sum(figures.decisions) / figures.matches:9.1f} {max(figures.decisions):5}",
                f"{figures.matches / figures.seconds:8.0f}",
                "" if good else "OUTSIDE",
            ]
            print(" ".join(cells).rstrip())
    return 1 if outside else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000))
