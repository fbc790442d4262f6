"""The model: of those still in, one comes next with a chance in proportion to exp(strength + its seat's effect).

This is the multinomial (conditional) logit; over winners alone it is the winner-only model, over all places it is the
Plackett-Luce model. It is held back a little, so that a player who always or never won has a strength too: each player
and each seat is given `imagined` (1, or the design effect where a pack's matches hang together) times half a win and
(size - 1)/2 losses against a table of average players. Without real matches everybody so wins 1 in `size`.

Only differences matter: strengths have mean 0 within each group of players who are linked by matches, effects of seats
have mean 0. What is imagined would move those means, and may not: the fit is the likeliest of those whose means are 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from harness.ratings.ballots import EMPTY, Floats
from harness.ratings.choices import Choices

TOLERANCE = 1e-11
"""Newton's method ends when no figure moves by more."""
SMALL = 0.1
"""A drawn fit whose first step was no longer is done: what is left of it is of the order of its square times 1/4."""
KEPT = 2
"""So many steps of a drawn fit keep its first curvature; then each has its own."""
LONGEST = 16
"""No drawn fit makes more steps: in one that is not done a player next to never wins, however far it goes."""
NEAR = 1e-3
"""A drawn fit ends when no figure moves by more: far below what chance does to it."""
AT_ONCE = 2_000_000
"""So many numbers are worked on at once, so that memory stays small."""


class Fit(NamedTuple):
    """Strengths, then seats' effects, in log odds."""

    values: Floats
    inverse: Floats
    """The inverse of the curvature: what a change of the data moves."""
    pull: Floats
    """Pack by figure: the score of each pack at the fit."""
    level: Floats
    """What is added to the curvature, which along the means has nearly none, so that it can be inverted."""
    imagined: float
    size: int

    def influence(self) -> Floats:
        """Pack by figure: by how much each pack moved it."""
        return np.asarray(self.pull @ self.inverse, dtype=np.float64)


def fit(made: Choices, size: int, imagined: float = 1.0) -> Fit:
    """The likeliest strengths and seats' effects, held back as the module says; tables are of `size` players.

    Raises `ArithmeticError` if Newton's method does not end, which no data known brings about.
    """
    width = made.chosen.shape[1]
    won = made.chosen.sum(axis=0)
    number = np.bincount(made.table, weights=made.number, minlength=len(made.tables)).astype(np.float64)
    level, mean = _level(made), _mean(made)
    values = np.zeros(width)
    for _ in range(200):
        chance = probabilities(made, values[None])[0]
        expected = _by_figure(made, (chance * number[:, None])[None])[0]
        gradient, curvature = _held(values, np.full(width, 0.5), np.full(width, (size - 1) / 2), imagined, size)
        gradient = gradient + won - expected
        whole = _each_curvature(made, chance[None], number[None])[0] + np.diag(curvature) + level
        step = np.clip(np.linalg.solve(whole, gradient - gradient @ mean), -2.0, 2.0)
        step -= step @ mean
        values = values + step
        if np.abs(step).max(initial=0.0) < TOLERANCE:
            break
    else:
        raise ArithmeticError("the strengths did not settle")
    chance = probabilities(made, values[None])[0]
    pull = made.chosen - _expected_by_pack(made, chance)
    return Fit(values, np.linalg.inv(whole), pull, level, imagined, size)


def redrawn(made: Choices, found: Fit, weights: Floats, random: np.random.Generator) -> Floats:
    """The fit once more for each row of `weights`, which gives packs other weights; what is imagined is drawn too.

    Row by figure. The first step is Newton's own, from scores and curvatures of packs; later ones keep its curvature,
    scaled by how the expected wins have changed.
    """
    width = len(found.values)
    shape = (len(weights), width)
    drawn_wins = random.standard_gamma(0.5, shape) * found.imagined
    drawn_losses = random.standard_gamma((found.size - 1) / 2, shape) * found.imagined
    chance = probabilities(made, found.values[None])[0]
    by_pack = _pack_curvature(made, chance).reshape(made.packs, -1)
    expected = _expected_by_pack(made, chance)
    values = np.empty((len(weights), width))
    at_once = max(1, AT_ONCE // max(made.tables.size, width * width, len(made.table), 1))
    for start in range(0, len(weights), at_once):
        part = slice(start, start + at_once)
        weight, some, others = weights[part], drawn_wins[part], drawn_losses[part]
        values[part] = _redrawn(made, found, weight, some, others, by_pack, expected)
    return values


def _redrawn(
    made: Choices, found: Fit, weight: Floats, wins: Floats, losses: Floats, by_pack: Floats, expected: Floats
) -> Floats:
    width = len(found.values)
    won = weight @ made.chosen
    first = weight @ expected
    start = np.broadcast_to(found.values, wins.shape)
    pulled, held = _held(start, wins, losses, 1.0, found.size)
    curvature = (weight @ by_pack).reshape(-1, width, width)
    curvature[:, np.arange(width), np.arange(width)] += held
    curvature += found.level
    inverse = np.linalg.inv(curvature)
    base = np.maximum(first + _held_wins(start, wins, losses, found.size), 1e-12)
    mean = _mean(made)
    gradient = won - first + pulled
    step = np.clip(np.einsum("bij,bj->bi", inverse, gradient - gradient @ mean), -2.0, 2.0)
    step -= step @ mean
    values: Floats = np.asarray(start + step, dtype=np.float64)
    moving = np.flatnonzero(np.abs(step).max(axis=1) > SMALL)
    number = _by_table(made, weight[moving])
    for turn in range(LONGEST):
        if not len(moving):
            break
        here = values[moving]
        chance = probabilities(made, here)
        now = _by_figure(made, chance * number[:, :, None])
        pulled, held = _held(here, wins[moving], losses[moving], 1.0, found.size)
        gradient = won[moving] - now + pulled
        gradient -= gradient @ mean
        if turn < KEPT:
            scale = np.sqrt((now + _held_wins(here, wins[moving], losses[moving], found.size)) / base[moving])
            scale = np.maximum(scale, 1e-3)
            step = np.einsum("bij,bj->bi", inverse[moving], gradient / scale) / scale
        else:
            whole = _each_curvature(made, chance, number)
            whole[:, np.arange(width), np.arange(width)] += held
            step = np.linalg.solve(whole + found.level, gradient[:, :, None])[:, :, 0]
        step = np.clip(step, -1.0, 1.0)
        step -= step @ mean
        values[moving] = here + step
        still = np.abs(step).max(axis=1) > NEAR
        moving, number = moving[still], number[still]
    return values


def _directions(made: Choices) -> Floats:
    """The directions that change nothing: all of a group's players, and all seats, at once."""
    directions = np.zeros((max(made.groups, default=-1) + 2, made.chosen.shape[1]))
    directions[list(made.groups), np.arange(made.players)] = 1.0
    directions[-1, made.players :] = 1.0
    return np.asarray(directions, dtype=np.float64)


def _mean(made: Choices) -> Floats:
    """What takes figures to the means of their kind: `values @ it`."""
    directions = _directions(made)
    return np.asarray(directions.T @ (directions / directions.sum(axis=1, keepdims=True)), dtype=np.float64)


def _level(made: Choices) -> Floats:
    """A curvature along those directions, of the size of the rest."""
    directions = _directions(made)
    return np.asarray(directions.T @ directions * max(1.0, float(made.number.sum())), dtype=np.float64)


def probabilities(made: Choices, values: Floats) -> Floats:
    """Row of `values` by table by seat: each one's chance to be chosen there, 0 where nobody sits."""
    padded = np.concatenate([values[:, : made.players], np.full((len(values), 1), -np.inf)], axis=1)
    odds = np.exp(padded[:, made.tables] + values[:, None, made.players :])
    return np.asarray(odds / odds.sum(axis=2, keepdims=True), dtype=np.float64)


def _held(values: Floats, wins: Floats, losses: Floats, imagined: float, size: int) -> tuple[Floats, Floats]:
    """Score and curvature of what is imagined."""
    chance = 1 / (1 + (size - 1) * np.exp(-values))
    total = (wins + losses) * imagined
    return np.asarray(wins * imagined - total * chance), np.asarray(total * chance * (1 - chance))


def _held_wins(values: Floats, wins: Floats, losses: Floats, size: int) -> Floats:
    return np.asarray((wins + losses) / (1 + (size - 1) * np.exp(-values)), dtype=np.float64)


def _by_player_and_seat(made: Choices, of_tables: Floats) -> Floats:
    """Row by player by seat: sums over tables of values by table and seat."""
    flat = of_tables.reshape(len(of_tables), -1)
    summed = np.stack([flat[:, cells].sum(axis=1) for cells in made.cells], axis=1)
    return np.asarray(summed, dtype=np.float64).reshape(len(flat), made.players, -1)


def _by_figure(made: Choices, of_tables: Floats) -> Floats:
    """The same by player, then by seat."""
    both = _by_player_and_seat(made, of_tables)
    return np.concatenate([both.sum(axis=2), both.sum(axis=1)], axis=1)


def _by_table(made: Choices, weight: Floats) -> Floats:
    """Row of `weight` by table: how many choices, each pack counted with its weight."""
    if not len(made.table):
        return np.zeros((len(weight), 0))
    return np.asarray(np.add.reduceat(weight[:, made.pack] * made.number, made.starts, axis=1), dtype=np.float64)


def _expected_by_pack(made: Choices, chance: Floats) -> Floats:
    """Pack by figure: how often each was to be chosen."""
    width = made.chosen.shape[1]
    share = chance[made.table] * made.number[:, None]
    who = made.tables[made.table]
    there = who != EMPTY
    base = np.broadcast_to(made.pack[:, None] * width, who.shape)
    seat = np.broadcast_to(np.arange(who.shape[1]), who.shape)
    cells = np.concatenate([(base + who)[there], (base + made.players + seat)[there]])
    summed = np.bincount(cells, weights=np.tile(share[there], 2), minlength=made.packs * width)
    return np.asarray(summed, np.float64).reshape(made.packs, width)


def _pack_curvature(made: Choices, chance: Floats) -> Floats:
    """Pack by figure by figure: the curvature of each pack's part of the likelihood."""
    width, size = made.chosen.shape[1], made.tables.shape[1]
    who = made.tables[made.table]
    seat = np.broadcast_to(made.players + np.arange(size), who.shape)
    figures = np.concatenate([np.where(who == EMPTY, 0, who), seat], axis=1)
    part = np.tile(chance[made.table], (1, 2))
    # Within one seat its player and the seat itself go together; across seats chances are against each other.
    same = np.tile(np.eye(size), (2, 2))
    value = made.number[:, None, None] * (part[:, :, None] * same - part[:, :, None] * part[:, None, :])
    cells = (made.pack[:, None, None] * width + figures[:, :, None]) * width + figures[:, None, :]
    summed = np.bincount(cells.reshape(-1), weights=value.reshape(-1), minlength=made.packs * width * width)
    return np.asarray(summed, dtype=np.float64).reshape(made.packs, width, width)


def _each_curvature(made: Choices, chance: Floats, number: Floats) -> Floats:
    """The curvature for each row of chances and of numbers by table."""
    rows, tables = number.shape
    players, width = made.players, made.chosen.shape[1]
    found = np.empty((rows, width, width))
    at_once = max(1, AT_ONCE // max(1, tables * (width + 1)))
    every = np.arange(tables)
    for start in range(0, rows, at_once):
        part = slice(start, start + at_once)
        here, many = chance[part], number[part]
        # An empty seat's player goes into one column more, which is left behind.
        figures = np.zeros((len(here), tables, width + 1))
        figures[:, :, players:width] = here
        for seat in range(here.shape[2]):
            who = np.where(made.tables[:, seat] == EMPTY, width, made.tables[:, seat])
            figures[:, every, who] += here[:, :, seat]
        figures = figures[:, :, :width]
        whole = -(figures.transpose(0, 2, 1) @ (figures * many[:, :, None]))
        both = _by_player_and_seat(made, here * many[:, :, None])
        whole[:, :players, players:] += both
        whole[:, players:, :players] += both.transpose(0, 2, 1)
        at_player, at_seat = np.arange(players), np.arange(players, width)
        whole[:, at_player, at_player] += both.sum(axis=2)
        whole[:, at_seat, at_seat] += both.sum(axis=1)
        found[part] = whole
    return found
