"""Do places fit the model? And does the order of the players depend on who else sat there?

**Places.** Under the Plackett-Luce model one strength a player rules every place: who wins, and then who of the rest is
next. So the strengths that the winners tell and those that the later places tell must agree but for chance. Each
player's difference is held against what packs make it vary by (Student's t, corrected by Holm for all players), which
holds whatever hangs together within a pack. Where they do not agree, as where a player who cannot win any more decides
who does, places are no measure of winning.

**Others.** A player is left out by striking it from every match: the others' places then stand among themselves, and
the best placed of them is their winner. If one strength a player rules, the order stays; where it changes, the one who
was left out decides between the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

import numpy as np

from harness.intervals import LEVEL
from harness.ratings.ballots import EMPTY, Ballots, Player, pack_sums
from harness.ratings.choices import choices
from harness.ratings.logit import fit
from harness.ratings.packs import LEAST_PACKS
from harness.ratings.pairs import LEAST_ERROR, holm
from harness.ratings.quantiles import student_cdf
from harness.ratings.rate import Assessed, assess


class Misfit(NamedTuple):
    """A player, its chance to win at an average table by its wins, and by its places."""

    player: Player
    by_wins: float
    by_places: float
    p: float | None
    """How likely so large a difference would be if winners and later places told the same, corrected for all players.
    None under 20 packs."""


class Agreement(NamedTuple):
    """Whether winners and later places tell the same strengths."""

    fits: bool | None
    """Whether no player's `p` is under 0.05. None under 20 packs, and where no later place is told."""
    players: tuple[Misfit, ...]
    """The least likely first; empty where places tell nothing more than the winners."""


class Change(NamedTuple):
    """Two players who change order: `above` stands above `below` only in the main table."""

    above: Player
    below: Player
    apart: bool
    """They were told apart there, so that chance alone seldom does it."""


class View(NamedTuple):
    """The ratings of some of the players."""

    name: str
    left_out: tuple[Player, ...]
    matches: int
    assessed: Assessed
    changes: tuple[Change, ...]


def agreement(found: Ballots, main: Assessed, by_places: Assessed) -> Agreement:
    """Hold the places of these matches against their winners."""
    if main.uneven or not found.players:
        return Agreement(None, ())
    later = choices(found, "later")
    if not len(later.table):
        return Agreement(None, ())
    chances = _chances(found, main.imagined)
    misfits = [
        Misfit(player, won.probability or 0.0, placed.probability or 0.0, chance)
        for player, won, placed, chance in zip(found.players, main.standings, by_places.standings, chances, strict=True)
    ]
    misfits.sort(key=lambda one: (2.0 if one.p is None else one.p, -abs(one.by_wins - one.by_places), one.player))
    known = [chance for chance in chances if chance is not None]
    return Agreement(min(known) >= 1 - LEVEL if known else None, tuple(misfits))


def _chances(found: Ballots, imagined: float) -> list[float | None]:
    """Of each player, how likely the difference of its two strengths is, corrected by Holm."""
    size = int((found.seated != EMPTY).sum(axis=1).max(initial=2))
    first, rest = (fit(choices(found, which), size, imagined) for which in ("wins", "later"))
    apart = first.values - rest.values
    moved = ((first.influence() - rest.influence()) ** 2).sum(axis=0)
    packs = (pack_sums(found, np.ones(found.places.shape)) > 0).sum(axis=0)
    return holm(
        [
            2 * student_cdf(-abs(apart[player]) / sqrt(moved[player] * number / (number - 1)), number - 1)
            if number >= LEAST_PACKS and moved[player] > LEAST_ERROR**2
            else None
            for player, number in enumerate(int(number) for number in packs)
        ]
    )


def view(found: Ballots, main: Assessed, left_out: Sequence[int], name: str, *, intervals: bool) -> View:
    """The ratings without these players, and which of the others change their order by it."""
    rest = found.without(left_out)
    seen = assess(rest, intervals=intervals)
    return View(name, tuple(found.players[player] for player in left_out), len(rest.seated), seen, _changes(main, seen))


def _changes(main: Assessed, seen: Assessed) -> tuple[Change, ...]:
    before = {player: at for at, player in enumerate(main.players)}
    apart = {(pair.first, pair.second): pair.apart for pair in main.pairs}
    changes = []
    for at, one in enumerate(seen.players):
        for to, two in enumerate(seen.players):
            here, there = main.standings[before[one]].probability, main.standings[before[two]].probability
            now, then = seen.standings[at].probability, seen.standings[to].probability
            if here is None or there is None or now is None or then is None:
                continue
            linked = main.groups[before[one]] == main.groups[before[two]] and seen.groups[at] == seen.groups[to]
            if linked and here > there and now < then:
                changes.append(Change(one, two, apart.get((one, two), apart.get((two, one), False))))
    return tuple(changes)
