"""All ratings of one table at once: by wins, by places, without some of the players, and with other matches."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from harness.ratings.ballots import Ballots, Player, ballots
from harness.ratings.check import Agreement, View, agreement, view
from harness.ratings.missing import fate
from harness.ratings.rate import Assessed, Standing, assess
from harness.records import SeatStats

MOST_LEFT_OUT = 12
"""Leaving each player out in turn is done for no more than so many players: the text and the time grow with it."""


class Ratings(NamedTuple):
    """Of one table; all but `main` may be missing."""

    main: Assessed
    """By wins, with pairs."""
    by_places: Assessed | None
    agreement: Agreement
    models: View | None
    """Without the bots, where there are bots and at least two models."""
    leave_one_out: tuple[View, ...]
    without_fallback: dict[Player, Standing]
    """Only the matches in which nobody fell back; empty where there are no others."""
    with_forfeits: dict[Player, Standing]
    """With the matches that a forfeit ended, as they ended; empty where there are none."""


def ratings(
    stats: Iterable[SeatStats],
    seats: Sequence[str] | None,
    fell: Collection[tuple[str, int]],
    *,
    fair: bool = True,
    alone: bool = False,
) -> Ratings:
    """Rate one table's players, or tell only how matches ended that were not `fair`. Where each player sat `alone`, in
    all seats of its matches, only seats are rated.

    `fell` names the counted matches in which somebody fell back, by run and number in the database; `seats` is the
    order of seats.
    """
    stats = list(stats)
    counted = [stat for stat in stats if fate(stat) == "counted"]
    found = ballots(counted, seats)
    if alone:
        return Ratings(assess(found, fair=fair, alone=True), None, Agreement(None, ()), None, (), {}, {})
    main = assess(found, pairs=fair, fair=fair)
    fair = fair and not main.uneven
    by_places = assess(found, "places") if fair and len(found.seats) > 2 else None
    clean = [stat for stat in counted if (stat.run, stat.match_id) not in fell]
    ended = [stat for stat in stats if fate(stat) in ("counted", "forfeit")]
    return Ratings(
        main=main,
        by_places=by_places,
        agreement=agreement(found, main, by_places) if by_places is not None else Agreement(None, ()),
        models=_models(found, main) if fair else None,
        leave_one_out=_leave_one_out(found, main) if fair else (),
        without_fallback=_by_player(clean, seats, fair=fair) if fell else {},
        with_forfeits=_by_player(ended, seats, fair=fair) if len(ended) > len(counted) else {},
    )


def ranked(seen: Assessed) -> list[tuple[int | None, int, tuple[int, int] | None]]:
    """Players in order, group by group: rank, number, and the ranks that chance leaves open (None under 20 packs).

    Equal chances share a rank. Where seats are not balanced nobody has one, and the order is that of win rates.
    """
    found: list[tuple[int | None, int, tuple[int, int] | None]] = []
    better: dict[Player, int] = {}
    worse: dict[Player, int] = {}
    for pair in seen.pairs:
        if pair.apart and pair.win_odds is not None:
            first, second = (pair.first, pair.second) if pair.win_odds > 0 else (pair.second, pair.first)
            worse[first] = worse.get(first, 0) + 1
            better[second] = better.get(second, 0) + 1
    judged = [pair for pair in seen.pairs if pair.p is not None or (pair.by_looks and pair.win_odds_interval)]
    tested = {player for pair in judged for player in (pair.first, pair.second)}
    for group in sorted(set(seen.groups)):
        members = [number for number in range(len(seen.players)) if seen.groups[number] == group]
        members.sort(key=lambda number: _order(seen, number))
        chances = [seen.standings[number].probability for number in members]
        for number, chance in zip(members, chances, strict=True):
            player = seen.players[number]
            open_ = (1 + better.get(player, 0), len(members) - worse.get(player, 0)) if player in tested else None
            found.append((None if chance is None else chances.index(chance) + 1, number, open_))
    return found


def _order(seen: Assessed, number: int) -> tuple[float, float, Player]:
    one = seen.standings[number]
    main = one.win_rate if one.probability is None else one.probability
    return -(main or 0.0), one.mean_place or 0.0, seen.players[number]


def _models(found: Ballots, main: Assessed) -> View | None:
    others = [number for number, player in enumerate(found.players) if player.kind != "model"]
    if not others or len(found.players) - len(others) < 2:
        return None
    return view(found, main, others, "models", intervals=True)


def _leave_one_out(found: Ballots, main: Assessed) -> tuple[View, ...]:
    players = found.players
    if not 2 < len(players) <= MOST_LEFT_OUT or len(found.seats) < 3:
        return ()
    return tuple(
        view(found, main, [number], f"without {player.label}", intervals=False) for number, player in enumerate(players)
    )


def _by_player(stats: Sequence[SeatStats], seats: Sequence[str] | None, *, fair: bool) -> dict[Player, Standing]:
    seen = assess(ballots(stats, seats), fair=fair)
    return dict(zip(seen.players, seen.standings, strict=True))
