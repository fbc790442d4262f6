"""What a strength means: how often a player wins at an average table with balanced seats."""

from __future__ import annotations

from itertools import combinations, permutations
from math import comb, factorial

import numpy as np

from harness.ratings.ballots import EMPTY, Floats, Whole
from harness.ratings.logit import AT_ONCE

MOST_TABLES = 5000
"""Up to so many tables are all gone through; of more, a drawn balanced choice."""


def average_tables(players: list[int], seats: int) -> Whole:
    """Tables by seat at which these players meet one another equally often, each in every seat equally often.

    All line-ups in all orders if they are few; else all line-ups in every rotation of one order; else neighbours round
    drawn circles of all players. Where there are fewer players than seats, the other seats stay `EMPTY`.
    """
    size = min(seats, len(players))
    line_ups = comb(len(players), size)
    random = np.random.default_rng(len(players) * 100 + seats)
    if line_ups * factorial(seats) <= MOST_TABLES:
        orders = sorted(set(permutations([*range(size), *[EMPTY] * (seats - size)])))
        chosen = np.array(list(combinations(players, size)))
        padded = np.concatenate([chosen, np.full((len(chosen), 1), EMPTY)], axis=1)
        return np.asarray(padded[:, np.array(orders)].reshape(-1, seats), dtype=np.int64)
    if line_ups * seats <= MOST_TABLES:
        chosen = random.permuted(np.array(list(combinations(players, size))), axis=1)
    else:
        circles = -(-MOST_TABLES // (len(players) * seats))
        circle = random.permuted(np.tile(np.array(players), (circles, 1)), axis=1)
        chosen = np.concatenate([np.roll(circle, -turn, axis=1)[:, :size] for turn in range(len(players))])
    whole = np.concatenate([chosen, np.full((len(chosen), seats - size), EMPTY)], axis=1)
    return np.concatenate([np.roll(whole, turn, axis=1) for turn in range(seats)]).astype(np.int64)


def win_chances(values: Floats, tables: Whole, players: int) -> Floats:
    """Row of `values` (strengths, then seats' effects) by player: how often it wins at these tables on average.

    Players who sit at none have 0.
    """
    found = np.zeros((len(values), players))
    where = [np.flatnonzero(tables.reshape(-1) == player) for player in range(players)]
    at_once = max(1, AT_ONCE // max(1, tables.size))
    for start in range(0, len(values), at_once):
        some = values[start : start + at_once]
        padded = np.concatenate([some[:, :players], np.full((len(some), 1), -np.inf)], axis=1)
        odds = np.exp(padded[:, tables] + some[:, None, players:])
        chance = (odds / odds.sum(axis=2, keepdims=True)).reshape(len(some), -1)
        for player, cells in enumerate(where):
            if len(cells):
                found[start : start + at_once, player] = chance[:, cells].mean(axis=1)
    return found


def relative(strengths: Floats, groups: list[list[int]]) -> Floats:
    """Strengths such that a player of strength 0 has its group's mean odds: a hopeless one moves nobody else's."""
    found = np.array(strengths)
    for group in groups:
        part = strengths[:, group]
        top = part.max(axis=1, keepdims=True)
        found[:, group] = part - top - np.log(np.exp(part - top).mean(axis=1, keepdims=True))
    return found
