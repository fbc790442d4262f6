"""Measures of how matches end, seat by seat."""

from __future__ import annotations

from collections.abc import Iterator

from harness.behaviour.log import Played, Seat, win_share
from harness.behaviour.registry import Tally, measure


@measure("Won by seat", unit="share", by="own seat", forfeits=False)
def wins(match: Played) -> Iterator[Tally]:
    """The share of matches won, in all and from each seat.

    Unit: one match of the player. Numerator: 1 for a first place of its own, 1/k for one that k share. Denominator: its
    matches (from that seat). Left out: matches without an outcome, and those ended by forfeit; in all, those in which
    the player has several seats, as one of them always wins.
    """
    for seat, stat in match.stats.items():
        for key in _ways(match, seat):
            yield Tally(seat, key, win_share(stat), 1)


@measure("Place by seat", unit="place", by="own seat", forfeits=False)
def place(match: Played) -> Iterator[Tally]:
    """The mean place, in all and from each seat; 1 is best, and equal places share a number.

    Unit: one match of the player. Numerator: its place. Denominator: its matches (from that seat). Left out: matches
    without an outcome, and those ended by forfeit; in all, those in which the player has several seats.
    """
    for seat, stat in match.stats.items():
        if stat.place is not None:
            for key in _ways(match, seat):
                yield Tally(seat, key, stat.place, 1)


def _ways(match: Played, seat: Seat) -> tuple[str | None, ...]:
    return (None, seat) if seat in match.alone else (seat,)
