"""Two players of one table against each other: who wins more, who is ahead, and what it would take to be sure."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import ceil, inf, sqrt
from typing import NamedTuple

import numpy as np

from harness.intervals import LEVEL, Interval
from harness.ratings.ballots import EMPTY, Ballots, Floats, Player, shares
from harness.ratings.packs import LEAST_PACKS, drawn_shares, interval
from harness.ratings.quantiles import normal_point, student_cdf

POWER = 0.8
"""With so many matches as are said to be needed, two are told apart with this chance."""
LEAST_ERROR = 1e-9
"""A standard error under this is none."""
MOST_NEEDED = 1_000_000
"""More matches than this are not named."""


class Pair(NamedTuple):
    """`first` against `second`; None where they are not linked by matches, or packs are too few."""

    first: Player
    second: Player
    matches: int
    """In which both sat."""
    first_wins: float
    second_wins: float
    """In those; a first place shared by k is 1/k."""
    ahead: float | None
    """The share of them in which `first` was placed better; a shared place counts 1/2."""
    ahead_interval: Interval | None
    win_odds: float | None
    """Log odds that `first` wins, if one of the two does, in equal seats: the difference of their strengths."""
    win_odds_interval: Interval | None
    p: float | None
    """How likely a difference at least as large would be if there were none."""
    p_corrected: float | None
    """The same, corrected by Holm for all pairs of the table."""
    apart: bool
    """`p_corrected` is under 0.05."""
    matches_needed: int | None
    """Matches of this table still to be played until the two are told apart (5 %, without correction) with a chance of
    80 %, if the difference is what it seems; 0 if they are many enough. None where it is not known or too many."""
    by_looks: bool = False
    """Whether the run stops by looks at these two: the difference and its interval are then those of the last look, and
    hold though it was looked again and again. There is no `p` and no other interval. Where such a run is pooled with
    others there is no interval at all, and nothing is decided."""


class Difference(NamedTuple):
    """Of two players' strengths, with its standard error."""

    value: float
    error: float
    """Infinite where packs do not tell."""
    packs: int
    """The fewer of the packs in which each of them sat."""


def difference(strengths: Floats, influence: Floats, packs: Sequence[int], first: int, second: int) -> Difference:
    """The difference of two strengths; its error comes from how much each pack moves it."""
    moved = influence[:, first] - influence[:, second]
    number = min(packs[first], packs[second])
    error = sqrt(float((moved**2).sum()) * number / (number - 1)) if number > 1 else inf
    # Where both fare alike in every pack there is nothing to go by: what is left is arithmetic.
    error = inf if error < LEAST_ERROR else error
    return Difference(float(strengths[first] - strengths[second]), error, number)


def holm(chances: Sequence[float | None]) -> list[float | None]:
    """Corrected so that the chance of any false finding among them stays what it says; None stays None.

    >>> holm([0.01, 0.04, None, 0.03])
    [0.03, 0.06, None, 0.06]
    """
    known = sorted((chance, number) for number, chance in enumerate(chances) if chance is not None)
    found: list[float | None] = [None] * len(chances)
    so_far = 0.0
    for place, (chance, number) in enumerate(known):
        so_far = max(so_far, min(1.0, chance * (len(known) - place)))
        found[number] = so_far
    return found


def head_to_head(
    found: Ballots,
    group: Sequence[int],
    packs: Sequence[int],
    fitted: tuple[Floats, Floats, Floats | None] | None,
    weights: Floats | None,
    imagined: float,
    random: np.random.Generator,
) -> tuple[Pair, ...]:
    """All pairs of these players. `fitted` holds strengths, each pack's influence and the drawn strengths."""
    couples = list(combinations(range(len(found.players)), 2))
    together, first_wins, second_wins, ahead, by_pack = _met(found, couples)
    drawn = None
    if weights is not None and couples:
        drawn = drawn_shares(ahead, by_pack, weights, imagined, random)
    differences = [
        difference(fitted[0], fitted[1], packs, one, two) if fitted and group[one] == group[two] else None
        for one, two in couples
    ]
    chances = [_chance(one) for one in differences]
    corrected = holm(chances)
    pairs = []
    for number, (one, two) in enumerate(couples):
        gap = differences[number]
        met = int((by_pack[:, number] > 0).sum())
        between = None
        if gap is not None and fitted is not None and fitted[2] is not None:
            between = interval(fitted[2][:, one] - fitted[2][:, two], gap.packs)
        right = corrected[number]
        pairs.append(
            Pair(
                found.players[one],
                found.players[two],
                together[number],
                first_wins[number],
                second_wins[number],
                float(ahead[:, number].sum() / together[number]) if together[number] else None,
                interval(drawn[:, number], met) if drawn is not None else None,
                None if gap is None else gap.value,
                between,
                chances[number],
                right,
                right is not None and right < 1 - LEVEL,
                _needed(gap, found),
            )
        )
    return tuple(pairs)


def _met(
    found: Ballots, couples: Sequence[tuple[int, int]]
) -> tuple[list[int], list[float], list[float], Floats, Floats]:
    """Of each pair: matches together and wins in them; by pack and pair, how often the first was ahead, and of how
    many."""
    matches, players = len(found.seated), len(found.players)
    place = np.full((matches, players + 1), np.inf)
    won = np.zeros((matches, players + 1))
    share = shares(found)
    for seat in range(found.seated.shape[1]):
        who = found.seated[:, seat]
        every = np.arange(matches)
        place[every, who] = np.minimum(place[every, who], found.places[:, seat])
        won[every, who] += share[:, seat]
    place[:, EMPTY] = np.inf
    packs = found.number_of_packs
    together, first_wins, second_wins = [], [], []
    ahead, by_pack = np.zeros((packs, len(couples))), np.zeros((packs, len(couples)))
    for number, (one, two) in enumerate(couples):
        both = np.flatnonzero(np.isfinite(place[:, one]) & np.isfinite(place[:, two]))
        better = (place[both, one] < place[both, two]) + 0.5 * (place[both, one] == place[both, two])
        ahead[:, number] = np.bincount(found.packs[both], weights=better, minlength=packs)
        by_pack[:, number] = np.bincount(found.packs[both], minlength=packs)
        together.append(len(both))
        first_wins.append(float(won[both, one].sum()))
        second_wins.append(float(won[both, two].sum()))
    return together, first_wins, second_wins, ahead, by_pack


def _chance(gap: Difference | None) -> float | None:
    if gap is None or gap.packs < LEAST_PACKS:
        return None
    return 2 * student_cdf(-abs(gap.value) / gap.error, gap.packs - 1)


def _needed(gap: Difference | None, found: Ballots) -> int | None:
    if gap is None or gap.packs < LEAST_PACKS or gap.value == 0 or gap.error == inf:
        return None
    sure = normal_point((1 + LEVEL) / 2) + normal_point(POWER)
    # The error falls with the root of the packs: so many times as many are needed as there are.
    times = (sure * gap.error / gap.value) ** 2
    more = max(0.0, times - 1) * len(found.seated)
    return ceil(more) if more <= MOST_NEEDED else None
