"""Who sits at a table together, pack after pack: pure, without end, and even at every point.

Players are given by their place in the pool of the game; a line-up lists them rising.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations, count
from math import comb

from games.chance import Draws

FEW_LINE_UPS = 256
"""Unless told otherwise, up to so many possible line-ups are all played in turn; of more, a sample is drawn."""

LineUp = tuple[int, ...]


class Met:
    """How often players sat at tables: each one, each two together, each line-up."""

    def __init__(self) -> None:
        self.played: Counter[int] = Counter()
        self.pairs: defaultdict[int, Counter[int]] = defaultdict(Counter)
        self.line_ups: Counter[LineUp] = Counter()

    def add(self, line_up: LineUp) -> None:
        """One more pack of that line-up."""
        self.line_ups[line_up] += 1
        for one in line_up:
            self.played[one] += 1
            for other in line_up:
                self.pairs[one][other] += 1


def line_ups(kind: str, key: str, players: Sequence[int], seats: int, met: Met) -> Iterator[LineUp]:
    """Line-ups without end, for somebody who adds each to `met` before the next is asked for.

    `all`: every line-up, those that were played least often first; `sampled`: such that players' numbers of packs never
    differ by more than one; `auto`: the first where line-ups are few, else the second.
    """
    if kind == "all" or (kind == "auto" and comb(len(players), seats) <= FEW_LINE_UPS):
        return _in_turn(key, players, seats, met)
    return _sampled(Draws(key), players, seats, met)


def _in_turn(key: str, players: Sequence[int], seats: int, met: Met) -> Iterator[LineUp]:
    """Every line-up, again and again in one seeded order, so that after a whole turn all have met equally often.

    Where some were played less often than others, those come first.
    """
    drawn = list(combinations(players, seats))
    Draws(key).shuffle(drawn)
    while len({met.line_ups[one] for one in drawn}) > 1:
        least = min(met.line_ups[one] for one in drawn)
        yield min(
            (one for one in drawn if met.line_ups[one] == least),
            key=lambda one: sum(met.played[player] for player in one),
        )
    cycle = _even_order(drawn)
    for turn in count():
        yield cycle[turn % len(cycle)]


def _even_order(drawn: Sequence[LineUp]) -> list[LineUp]:
    """These line-ups ordered so that no player runs ahead of the others by more than the order forces."""
    left = list(drawn)
    played: Counter[int] = Counter()
    cycle: list[LineUp] = []
    while left:
        # Those who have played least come first; where that leaves several line-ups, the drawn order decides.
        best = min(range(len(left)), key=lambda at: sum(played[player] for player in left[at]))
        line_up = left.pop(best)
        played.update(line_up)
        cycle.append(line_up)
    return cycle


def _sampled(draws: Draws, players: Sequence[int], seats: int, met: Met) -> Iterator[LineUp]:
    """Line-ups of those who have played least, and of them those who have met least."""
    while True:
        order = list(players)
        draws.shuffle(order)
        chosen: list[int] = []
        for _ in range(seats):
            free = [player for player in order if player not in chosen]
            best = min(free, key=lambda one: (met.played[one], sum(met.pairs[one][other] for other in chosen)))
            chosen.append(best)
        yield tuple(sorted(chosen))
