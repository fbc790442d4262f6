"""Plays matches of towers to twenty-one between bots and prints their figures beside the rulebook's bands.

    python -m tests.bench.expected_twenty_one [MATCHES]

Exit status 1 if a figure that has a band lies outside it.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from games import get_game
from games.api import Observation
from games.chance import Draws

GAME = "twenty_one"
BANDS = {"p1": (27.0, 35.0), "p2": (31.0, 39.0), "draw": (30.0, 38.0), "instant": (14.0, 22.0)}
"""Percent of 2,000 random matches."""
GREEDY_WINS = 75.0
"""Percent, at least, that greedy wins as p1 against random."""


class Figures(NamedTuple):
    """Of a number of matches: how they ended (`p1`, `p2`, `draw`; `instant` beside), decisions in all, seconds."""

    matches: int
    ends: Counter[str]
    decisions: int
    longest: int
    seconds: float

    def share(self, end: str) -> float:
        """Percent of the matches that ended so."""
        return 100 * self.ends[end] / self.matches


def measure(first: str, second: str, seeds: Iterable[int]) -> Figures:
    """Matches between two bots as p1 and p2; each is shown what a model is shown."""
    game = get_game(GAME)
    seats = game.seats(2)
    bots = {seats[0]: game.bots[first], seats[1]: game.bots[second]}
    ends: Counter[str] = Counter()
    matches = decisions = longest = 0
    began = time.perf_counter()
    for seed in seeds:
        state, _ = game.start(seats, {}, seed)
        steps = 0
        while (seat := game.to_act(state)) is not None:
            seen = Observation(
                game=GAME,
                seat=seat,
                seats=seats,
                decision=steps,
                asked="act",
                view=game.view(state, seat),
                events=(),
                messages=(),
                legal=game.legal(state),
                alive=seats,
            )
            reply = bots[seat](seen, Draws(f"{seed}:{seat}:{steps}"))
            state = game.apply(state, reply.actions[0]).state
            steps += 1
        outcome = game.outcome(state)
        assert outcome is not None
        ends[outcome.winners[0] if len(outcome.winners) == 1 else "draw"] += 1
        ends["instant"] += outcome.reason == "instant"
        matches += 1
        decisions += steps
        longest = max(longest, steps)
    return Figures(matches, ends, decisions, longest, time.perf_counter() - began)


def main(matches: int) -> int:
    """Print the table; 1 if anything lies outside its band."""
    print("p1      p2          p1     p2   draw instant  most decisions  match/s")
    outside = 0
    for first, second in (("random", "random"), ("greedy", "random"), ("random", "greedy"), ("greedy", "greedy")):
        figures = measure(first, second, range(matches))
        shares = {end: figures.share(end) for end in BANDS}
        good = figures.longest <= 48
        if first == second == "random":
            good = good and all(low <= shares[end] <= high for end, (low, high) in BANDS.items())
        if (first, second) == ("greedy", "random"):
            good = good and shares["p1"] >= GREEDY_WINS
        outside += not good
        cells = " ".join(f"{shares[end]:6.1f}" for end in BANDS)
        speed = figures.matches / figures.seconds
        print(f"{first:7} {second:7} {cells}  {figures.longest:14}  {speed:7.0f}{'' if good else '  OUTSIDE'}")
    return 1 if outside else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000))
