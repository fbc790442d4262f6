"""One table's ratings: each player's figures with intervals, seats, pairs, and what changes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from harness.intervals import Interval
from harness.ratings.ballots import EMPTY, Ballots, Floats, Player, Whole, linked, pack_sums, seat_counts, shares
from harness.ratings.choices import Choices, Which, choices
from harness.ratings.logit import Fit, fit, redrawn
from harness.ratings.packs import LEAST_PACKS, design_effect, drawn_shares, generator, interval, pack_weights
from harness.ratings.pairs import Difference, Pair, difference, head_to_head
from harness.ratings.standing import average_tables, relative, win_chances

UNEVEN = 0.25
"""Seats are not balanced if more than this share of a player's matches would have to be moved to other seats."""
DIGITS = 9
"""Figures that agree to so many digits are equal: what lies beyond is arithmetic."""


class Standing(NamedTuple):
    """A player's figures in some matches; None where there are none, intervals from 20 packs on."""

    matches: int
    packs: int
    wins: float
    """A first place shared by k counts 1/k."""
    win_rate: float | None
    """As it was, whoever sat there."""
    win_interval: Interval | None
    mean_place: float | None
    place_interval: Interval | None
    probability: float | None
    """To win against an average table of the others, in each seat equally often. None where seats are not balanced."""
    probability_interval: Interval | None
    strength: float | None
    """In log odds: 0 has its group's mean odds to win, and each 0.69 more doubles them."""
    strength_interval: Interval | None


NOTHING = Standing(0, 0, 0.0, None, None, None, None, None, None, None, None)


class SeatFigure(NamedTuple):
    """What a seat is worth."""

    seat: str
    matches: int
    win_share: float
    """Of all matches; if the seat makes no difference it is 1 in as many as there are seats."""
    win_interval: Interval | None
    effect: float | None
    """In log odds, apart from who sat there; mean 0. None where seats and players cannot be told apart."""
    effect_interval: Interval | None


class Assessed(NamedTuple):
    """All figures of one way to rate these matches."""

    players: tuple[Player, ...]
    standings: tuple[Standing, ...]
    groups: tuple[int, ...]
    """Of each player: those who are linked by matches have the same."""
    seats: tuple[SeatFigure, ...]
    pairs: tuple[Pair, ...]
    uneven: str | None
    """Why players cannot be told from their seats, if so."""
    imagined: float
    """How many matches of a pack are worth one: what is imagined is as much more."""


class _Fitted(NamedTuple):
    made: Choices
    found: Fit
    drawn: Floats | None


def assess(
    found: Ballots,
    which: Which = "wins",
    *,
    intervals: bool = True,
    pairs: bool = False,
    fair: bool = True,
    alone: bool = False,
) -> Assessed:
    """Rate the players of these matches by their wins, or by all places; where the matches were not `fair`, tell only
    how they ended. Where each player sat `alone`, in all seats of its matches, only seats are rated.

    Intervals are made where there are 20 packs; they are seeded from the matches, so that the same ones give the same.
    """
    players, packs = len(found.players), found.number_of_packs
    random = generator(found)
    weights = pack_weights(random, packs) if intervals and fair and packs >= LEAST_PACKS else None
    counts = pack_sums(found, np.ones(found.places.shape))
    of_player = [int(number) for number in (counts > 0).sum(axis=0)]
    effect = _design_effect(found, counts)
    uneven = uneven_seats(found)
    group = linked(found.seated, players)
    fitted = None if uneven or not fair or not players else _fitted(found, which, effect, weights, random)
    standings = _standings(found, group, counts, of_player, fitted, weights, effect, random)
    if alone:
        # Who sat in every seat won and lost every match: there is nothing to rate, but for the seats.
        size = len(found.seats)
        standings = tuple(NOTHING._replace(matches=one.matches // size, packs=one.packs) for one in standings)
    told: tuple[Pair, ...] = ()
    if pairs:
        model = None
        if fitted is not None:
            drawn = fitted.drawn[:, :players] if fitted.drawn is not None else None
            model = (fitted.found.values, fitted.found.influence(), drawn)
        told = head_to_head(found, group, of_player, model, weights, effect, random)
    figures = _seats(found, fitted, weights, effect, random)
    return Assessed(found.players, standings, tuple(group), figures, told, uneven, effect)


class Drawn(NamedTuple):
    """Chances to win as they come out where packs have other weights."""

    weights: Floats
    """Draw by pack."""
    chances: Floats
    """Draw by player."""


def drawn_chances(found: Ballots) -> Drawn | None:
    """The draws that the intervals of chances to win are made of; None where there is no interval."""
    packs = found.number_of_packs
    if packs < LEAST_PACKS or uneven_seats(found):
        return None
    random = generator(found)
    weights = pack_weights(random, packs)
    counts = pack_sums(found, np.ones(found.places.shape))
    fitted = _fitted(found, "wins", _design_effect(found, counts), weights, random)
    if fitted.drawn is None:
        return None
    players = len(found.players)
    return Drawn(weights, _meaning(fitted.drawn, _members(linked(found.seated, players)), len(found.seats))[0])


def gap(found: Ballots, first: int, second: int) -> Difference | None:
    """The difference of two players' strengths by their wins; None where nothing can be said of it."""
    if uneven_seats(found) or len({linked(found.seated, len(found.players))[at] for at in (first, second)}) > 1:
        return None
    counts = pack_sums(found, np.ones(found.places.shape))
    fitted = _fitted(found, "wins", _design_effect(found, counts), None, generator(found))
    packs = [int(number) for number in (counts > 0).sum(axis=0)]
    return difference(fitted.found.values, fitted.found.influence(), packs, first, second)


def uneven_seats(found: Ballots) -> str | None:
    """Who sat in which seat too often for players to be told from seats; None where all sat in all alike.

    One pack is never judged: its matches may be under way.
    """
    if found.number_of_packs < 2:
        return None
    counts = seat_counts(found)
    share = counts / counts.sum(axis=1, keepdims=True)
    moved = np.maximum(share - 1 / len(found.seats), 0).sum(axis=1)
    player = int(moved.argmax())
    if moved[player] <= UNEVEN:
        return None
    seat = int(share[player].argmax())
    if (share.max(axis=1) == 1).all():
        return "seats fixed: each player always sat in the same seat"
    often = f"sat as {found.seats[seat]} in {100 * share[player, seat]:.0f} % of its matches"
    return f"seats fixed in part: {found.players[player].label} {often}"


def _design_effect(found: Ballots, counts: Floats) -> float:
    won = shares(found)
    number = counts.sum(axis=0)
    sums, squares = pack_sums(found, won), pack_sums(found, won**2).sum(axis=0)
    mean = sums.sum(axis=0) / np.maximum(number, 1)
    variance = np.maximum(squares - number * mean**2, 0) / np.maximum(number - 1, 1)
    return design_effect(sums, counts, np.where(variance < 1e-12, 0.0, variance), number)


def _fitted(
    found: Ballots, which: Which, effect: float, weights: Floats | None, random: np.random.Generator
) -> _Fitted:
    made = choices(found, which)
    size = int((found.seated != EMPTY).sum(axis=1).max(initial=2))
    model = fit(made, size, effect)
    return _Fitted(made, model, None if weights is None else redrawn(made, model, weights, random))


def _standings(
    found: Ballots,
    group: Sequence[int],
    counts: Floats,
    packs: Sequence[int],
    fitted: _Fitted | None,
    weights: Floats | None,
    effect: float,
    random: np.random.Generator,
) -> tuple[Standing, ...]:
    players, seats = len(found.players), len(found.seats)
    wins = pack_sums(found, shares(found))
    places = pack_sums(found, found.places)
    # A place is 0 for the first and 1 for the last, so that it is a share as well.
    span = max(seats - 1, 1)
    drawn_wins = drawn_places = None
    if weights is not None:
        drawn_wins = drawn_shares(wins, counts, weights, effect, random)
        drawn_places = 1 + span * drawn_shares((places - counts) / span, counts, weights, effect, random)
    groups = _members(group)
    chance = strength = drawn_chance = drawn_strength = None
    if fitted is not None:
        chance, strength = _meaning(fitted.found.values[None], groups, seats)
        if fitted.drawn is not None:
            drawn_chance, drawn_strength = _meaning(fitted.drawn, groups, seats)

    def between(drawn: Floats | None, player: int) -> Interval | None:
        return None if drawn is None else interval(drawn[:, player], packs[player])

    number = counts.sum(axis=0)
    return tuple(
        Standing(
            matches=int(number[player]),
            packs=packs[player],
            wins=round(float(wins[:, player].sum()), DIGITS),
            win_rate=round(float(wins[:, player].sum() / number[player]), DIGITS),
            win_interval=between(drawn_wins, player),
            mean_place=float(places[:, player].sum() / number[player]),
            place_interval=between(drawn_places, player),
            probability=None if chance is None else round(float(chance[0, player]), DIGITS),
            probability_interval=between(drawn_chance, player),
            strength=None if strength is None else round(float(strength[0, player]), DIGITS),
            strength_interval=between(drawn_strength, player),
        )
        for player in range(players)
    )


def _members(group: Sequence[int]) -> list[list[int]]:
    return [[player for player, of in enumerate(group) if of == one] for one in sorted(set(group))]


def _meaning(values: Floats, groups: list[list[int]], seats: int) -> tuple[Floats, Floats]:
    """Chances at an average table of the own group, and strengths, by row of `values` and player."""
    players = sum(len(group) for group in groups)
    chance = np.zeros((len(values), players))
    for group in groups:
        chance += win_chances(values, average_tables(group, seats), players)
    return chance, relative(values[:, :players], groups)


def _seats(
    found: Ballots, fitted: _Fitted | None, weights: Floats | None, effect: float, random: np.random.Generator
) -> tuple[SeatFigure, ...]:
    there = found.seated != EMPTY
    packs, seats, players = found.number_of_packs, len(found.seats), len(found.players)
    rows = np.repeat(found.packs[:, None], seats, axis=1) * seats + np.arange(seats)
    won, counts = (
        _by_column(rows[there], value[there], packs, seats) for value in (shares(found), np.ones(rows.shape))
    )
    drawn = None if weights is None else drawn_shares(won, counts, weights, effect, random)
    return tuple(
        SeatFigure(
            name,
            int(counts[:, seat].sum()),
            float(won[:, seat].sum() / max(counts[:, seat].sum(), 1.0)),
            None if drawn is None else interval(drawn[:, seat], packs),
            None if fitted is None else float(fitted.found.values[players + seat]),
            None if fitted is None or fitted.drawn is None else interval(fitted.drawn[:, players + seat], packs),
        )
        for seat, name in enumerate(found.seats)
    )


def _by_column(cells: Whole, value: Floats, packs: int, columns: int) -> Floats:
    summed = np.bincount(cells, weights=value, minlength=packs * columns)
    return np.asarray(summed, dtype=np.float64).reshape(packs, columns)
