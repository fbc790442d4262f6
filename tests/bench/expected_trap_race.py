"""Plays matches of the trap race's bots and prints their figures beside what the rulebook expects of them.

    python -m tests.bench.expected_trap_race [MATCHES] [BOUTS]

MATCHES of `normal` against itself (default 300), BOUTS of `hard` against `normal` (default 40, by turns as south and as
north). Exit status 1 if a figure lies outside its band.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import NamedTuple

from games import get_game
from games.api import Observation
from games.chance import Draws

GAME = get_game("trap_race")
SEATS = GAME.seats(2)
TURNS = (49.0, 6.0)
FIRST = (56.0, 7.0)
SEAT = (42.0, 58.0)
HARD_WINS = 75.0
SLOWEST = 2.0
"""Seconds within which `hard` decides a turn."""


class Played(NamedTuple):
    """What became of one match: its turns, decisions that were asked for, and the seconds of the slowest one."""

    first: str
    winners: tuple[str, ...]
    reason: str
    turns: int
    actions: int
    asked: int
    slowest: float


def play(bots: Sequence[str], seed: int) -> Played:
    """One match; plans are played as the harness does, until news or until the other side is to act."""
    state = GAME.start(SEATS, {}, seed).state
    actions = asked = turns = 0
    slowest = 0.0
    first = ""
    while (seat := GAME.to_act(state)) is not None:
        seen = Observation(
            game=GAME.name, seat=seat, seats=SEATS, decision=asked, asked="act", view=GAME.view(state, seat),
            events=(), messages=(), legal=GAME.legal(state), alive=SEATS,
        )  # fmt: skip
        first = first or seen.view["first"]
        began = time.perf_counter()
        reply = GAME.bots[bots[SEATS.index(seat)]](seen, Draws(f"bench:{seed}:{seat}:{asked}"))
        slowest = max(slowest, time.perf_counter() - began)
        asked += 1
        for action in reply.actions:
            state, events = GAME.apply(state, action)
            actions += 1
            turns = GAME.view(state, None)["turn"] if action == "end" else turns
            learnt = any(event.kind in GAME.news and event.reaches(seat) for event in events)
            if learnt or GAME.to_act(state) != seat:
                break
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert actions <= GAME.longest(SEATS, {})
    return Played(first, outcome.winners, outcome.reason, max(turns, 1), actions, asked, slowest)


def percent(part: int, whole: int) -> float:
    """Percent of the matches."""
    return 100 * part / whole


def main(matches: int, bouts: int) -> int:
    """Print the table; 1 if anything lies outside its band."""
    outside = 0

    def line(what: str, value: float, band: str, *, good: bool) -> None:
        nonlocal outside
        outside += not good
        print(f"{what:40} {value:7.2f}  {band:12} {'' if good else 'OUTSIDE'}".rstrip())

    def around(what: str, value: float, middle: float, width: float) -> None:
        line(what, value, f"{middle:.0f} +- {width:.0f}", good=abs(value - middle) <= width)

    print(f"{'':40}  figure  expected")
    even = [play(("normal", "normal"), seed) for seed in range(matches)]
    print(f"normal against normal, {matches} matches")
    around("turns", sum(each.turns for each in even) / matches, *TURNS)
    around("who begins wins %", percent(sum(each.winners == (each.first,) for each in even), matches), *FIRST)
    for seat in SEATS:
        share = percent(sum(each.winners == (seat,) for each in even), matches)
        line(f"{seat} wins %", share, f"{SEAT[0]:.0f} to {SEAT[1]:.0f}", good=SEAT[0] <= share <= SEAT[1])
    capped = sum(each.reason in ("cap", "draw") for each in even)
    line("at the cap", capped, "0", good=not capped)
    line("actions in one reply", sum(each.actions for each in even) / sum(each.asked for each in even), "", good=True)
    print(f"hard against normal, {bouts} matches")
    uneven = [
        (play(("hard", "normal") if seed % 2 == 0 else ("normal", "hard"), seed // 2), SEATS[seed % 2])
        for seed in range(bouts)
    ]
    rate = percent(sum(each.winners == (own,) for each, own in uneven), bouts)
    line("hard wins %", rate, f">= {HARD_WINS:.0f}", good=rate >= HARD_WINS)
    slowest = max(each.slowest for each, _ in uneven)
    line("slowest decision, seconds", slowest, f"<= {SLOWEST:.0f}", good=slowest <= SLOWEST)
    return 1 if outside else 0


if __name__ == "__main__":
    given = [int(word) for word in sys.argv[1:]]
    sys.exit(main(given[0] if given else 300, given[1] if len(given) > 1 else 40))
