"""How often intervals cover the truth in worlds where it is known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from harness.intervals import Interval
from harness.ratings.check import agreement
from harness.ratings.looks import follow, plan
from harness.ratings.rate import assess, gap
from tests.calibrate.worlds import World, play


class Share(NamedTuple):
    """So many of so many."""

    hits: int
    number: int

    @property
    def share(self) -> float:
        return self.hits / self.number


def covers(interval: Interval | None, truth: float) -> bool:
    assert interval is not None
    return interval[0] <= truth <= interval[1]


def tally(found: Iterator[tuple[str, bool]]) -> dict[str, Share]:
    """By name, how often it was so."""
    number: Counter[str] = Counter()
    hits: Counter[str] = Counter()
    for name, hit in found:
        number[name] += 1
        hits[name] += hit
    return {name: Share(hits[name], number[name]) for name in number}


def many(
    simulations: int, seed: int, one: Callable[[np.random.Generator], Iterator[tuple[str, bool]]]
) -> dict[str, Share]:
    """The tally of so many simulations, each with chance of its own."""
    return tally(result for number in range(simulations) for result in one(np.random.default_rng([seed, number])))


class Plain(NamedTuple):
    """What plain counts come to in the long run."""

    places: list[float]
    """Of each player, the mean place."""
    seats: list[float]
    """Of each seat, the share won."""
    ahead: list[float | None]
    """Of each pair, how often the first is before the second."""


def long_run(world: World, packs: int = 6000) -> Plain:
    """Plain counts of so many packs: their error is small beside that of a run's few."""
    seen = assess(play(world, np.random.default_rng(99), packs), intervals=False, pairs=True)
    return Plain(
        [one.mean_place or 0.0 for one in seen.standings],
        [one.win_share for one in seen.seats],
        [pair.ahead for pair in seen.pairs],
    )


def coverage(world: World, simulations: int, seed: int = 1) -> dict[str, Share]:
    """Of each kind of figure, how often its interval covers the truth."""
    chances, strengths, values = world.probabilities(), world.relative_strengths(), world.values
    players = len(strengths)
    plain = long_run(world, max(1, 6000 // world.packs) * world.packs)
    all_at_the_table = players == len(world.effects)

    def one(random: np.random.Generator) -> Iterator[tuple[str, bool]]:
        rated = assess(play(world, random), pairs=True)
        for player, standing in enumerate(rated.standings):
            yield "win probability", covers(standing.probability_interval, chances[player])
            yield "strength", covers(standing.strength_interval, strengths[player])
            if all_at_the_table:
                yield "share won, as it was", covers(standing.win_interval, chances[player])
            yield "mean place", covers(standing.place_interval, plain.places[player])
        for seat, figure in enumerate(rated.seats):
            yield "share won by seat", covers(figure.win_interval, plain.seats[seat])
            yield "seat effect", covers(figure.effect_interval, values[players + seat])
        for number, pair in enumerate(rated.pairs):
            ahead = plain.ahead[number]
            if ahead is not None:
                yield "pair: ahead", covers(pair.ahead_interval, ahead)
            first, second = (rated.players.index(one) for one in (pair.first, pair.second))
            yield "pair: wins of the two", covers(pair.win_odds_interval, values[first] - values[second])
        if not any(world.strengths):
            yield "pairs found apart that are alike", any(pair.apart for pair in rated.pairs)

    return many(simulations, seed, one)


def by_places(world: World, simulations: int, seed: int = 2) -> dict[str, Share]:
    """How often intervals by places cover the truth, and how often places are said not to fit."""
    chances = world.probabilities()

    def one(random: np.random.Generator) -> Iterator[tuple[str, bool]]:
        found = play(world, random)
        placed = assess(found, "places", intervals=not world.kingmaker)
        if not world.kingmaker:
            for player, standing in enumerate(placed.standings):
                yield "win probability by places", covers(standing.probability_interval, chances[player])
        yield "places said not to fit", agreement(found, assess(found, intervals=False), placed).fits is False

    return many(simulations, seed, one)


def stopping(world: World, simulations: int, seed: int = 3) -> dict[str, Share]:
    """Play on until the first two are told apart, or the packs are used up: how often the interval is right then."""
    looks = plan(world.packs)
    truth = world.values[0] - world.values[1]

    def one(random: np.random.Generator) -> Iterator[tuple[str, bool]]:
        found = play(world, random)
        verdict = follow(looks, looks.most, lambda packs: gap(found.kept(found.packs < packs), 0, 1))
        yield "interval where it stopped", covers(verdict.interval, truth)
        yield "told apart", verdict.apart
        yield "stopped early", verdict.packs < looks.most
        yield "told apart the wrong way round", verdict.apart and verdict.difference * truth < 0

    return many(simulations, seed, one)
