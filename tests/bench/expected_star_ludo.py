"""Plays matches of star ludo and prints their figures beside what the rulebook expects of them.

    python -m tests.bench.expected_star_ludo [MATCHES]

Exit status 1 if a figure lies outside its band.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from games import get_game
from games.api import Json, Observation
from games.chance import Draws

GAME = get_game("star_ludo")
ROLLS = {2: (81, 4), 3: (133, 6), 4: (195, 8)}
"""Rolls of a random match and half the band's width, by number of seats."""
FIRST = {2: (52, 3), 4: (26, 3)}
"""Percent of random matches that whoever begins wins, and half the band's width; three seats have no band."""
AGAINST_RANDOM = {"balanced": 92, "strategic": 91, "alpha": 86, "aggressive": 87, "casual": 70, "beta": 62}
"""Percent of matches of two seats that a bot wins against `random`, at least."""


class Played(NamedTuple):
    """What became of one match."""

    first: str
    winners: tuple[str, ...]
    reason: str
    rolls: int


def play(bots: Sequence[str], options: Json, seed: int) -> Played:
    """One match without talk; `bots` by seat."""
    seats = GAME.seats(len(bots))
    state, events = GAME.start(seats, options, seed)
    first = events[0].fields["seat"]
    draws = {seat: Draws(f"bench:{seed}:{seat}") for seat in seats}
    players = {seat: GAME.bots[bot] for seat, bot in zip(seats, bots, strict=True)}
    while (seat := GAME.to_act(state)) is not None:
        legal = GAME.legal(state)
        if len(legal) == 1:
            action = legal[0]
        elif players[seat] is GAME.bots["random"]:
            action = draws[seat].choice(legal)
        else:
            action = players[seat](observation(state, seat, legal), draws[seat]).actions[0]
        state = GAME.apply(state, action).state
    outcome = GAME.outcome(state)
    assert outcome is not None
    return Played(first, outcome.winners, outcome.reason, GAME.dump(state)["rolls"])


def observation(state: Any, seat: str, legal: tuple[str, ...]) -> Observation:
    """What a silent bot needs to know."""
    return Observation(
        game=GAME.name, seat=seat, seats=GAME.alive(state), decision=0, asked="act", view=GAME.view(state, seat),
        events=(), messages=(), legal=legal, alive=GAME.alive(state),
    )  # fmt: skip


def randoms(number: int, seeds: Iterable[int]) -> list[Played]:
    """Random matches of so many seats."""
    return [play(["random"] * number, {}, seed) for seed in seeds]


def share(played: Sequence[Played], seat: str | None = None) -> float:
    """Percent of matches that a seat wins, or whoever begins."""
    return 100 * sum((seat or match.first) in match.winners for match in played) / len(played)


def win_rate(bot: str, seeds: Iterable[int]) -> float:
    """Percent of matches of two seats that a bot wins against `random`, sitting red and yellow by turns."""
    wins = matches = 0
    for seed in seeds:
        own = seed % 2
        table = ["random", "random"]
        table[own] = bot
        wins += GAME.seats(2)[own] in play(table, {}, seed).winners
        matches += 1
    return 100 * wins / matches


def main(matches: int) -> int:
    """Print the tables; 1 if anything lies outside its band."""
    outside = 0

    def line(what: str, value: float, band: str, *, good: bool) -> None:
        nonlocal outside
        outside += not good
        print(f"{what:32} {value:7.1f}  {band:12} {'' if good else 'OUTSIDE'}".rstrip())

    print(f"{'of ' + format(matches, ',') + ' matches':32}  figure  expected")
    for number, (mean, width) in ROLLS.items():
        played = randoms(number, range(matches))
        rolls = sum(match.rolls for match in played) / matches
        line(f"random, {number} seats: rolls", rolls, f"{mean} +- {width}", good=abs(rolls - mean) <= width)
        if number in FIRST:
            percent, width = FIRST[number]
            first = share(played)
            good = abs(first - percent) <= width
            line(f"random, {number} seats: first wins %", first, f"{percent} +- {width}", good=good)
        else:
            for seat in GAME.seats(number):
                line(f"random, {number} seats: {seat} wins %", share(played, seat), "", good=True)
        capped = sum(match.reason == "cap" for match in played)
        line(f"random, {number} seats: at the cap", capped, "0", good=not capped)
    for bot, least in AGAINST_RANDOM.items():
        rate = win_rate(bot, range(matches))
        line(f"{bot} beats random %", rate, f">= {least}", good=rate >= least)
    return 1 if outside else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000))
