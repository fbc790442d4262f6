"""Ratings in words, for a terminal: intervals drawn, seats, pairs, and views that leave players out.

Labels are as the file gives them: escape them for markup.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, exp

from harness.intervals import Interval
from harness.leaderboard import Table
from harness.ratings.ballots import Player
from harness.ratings.ballots import called as called
from harness.ratings.check import Change, View
from harness.ratings.pairs import Pair
from harness.ratings.rate import Assessed
from harness.ratings.table import Ratings, ranked

WIDTH = 20
"""Characters of a drawn interval."""
TOLD = 3
"""So many changes of order are told one by one."""

SEATS = ("seat", "matches", "won", "drawn", "effect")
VIEW = ("#", "player", "matches", "win chance", "drawn", "strength")
PLACES = ("#", "player", "mean place", "by places", "drawn", "by wins", "p")
LEFT_OUT = ("without", "matches", "order of the others", "changes")
PAIRS = ("first", "second", "matches", "wins", "ahead", "wins of the two", "p", "apart", "needed")
Rows = list[tuple[str, ...]]


def percent(value: float | None) -> str:
    """A share without decimals; a dash for none."""
    return "–" if value is None else f"{100 * value:.0f} %"


def chance_with_interval(value: float | None, interval: Interval | None) -> str:
    """A share with its interval, in whole points of per cent, or in tenths where those would show it without width.

    >>> chance_with_interval(0.41, (0.33, 0.5)), chance_with_interval(None, None)
    ('41 % (33–50)', '–')
    >>> chance_with_interval(0.999, (0.9966, 0.9999))
    '99.9 % (99.7–100.0)'
    """
    if value is None or interval is None:
        return percent(value)
    low, high = (100 * bound for bound in interval)
    places = 0 if f"{low:.0f}" != f"{high:.0f}" else 1
    return f"{100 * value:.{places}f} % ({low:.{places}f}–{high:.{places}f})"


def top_of(found: Sequence[tuple[float | None, Interval | None]]) -> float:
    """The next tenth above all that is to be drawn."""
    values = [max(value, interval[1] if interval else value) for value, interval in found if value is not None]
    return min(1.0, ceil(10 * max(values, default=1.0) + 1e-9) / 10)


def bar(value: float | None, interval: Interval | None, top: float) -> str:
    """An interval from 0 to `top`, drawn; blank where there is none.

    >>> bar(0.5, (0.25, 0.75), 1.0)
    '     ├────●────┤'
    """
    if value is None or interval is None or top <= 0:
        return ""
    low, here, high = (min(WIDTH - 1, max(0, int(one / top * WIDTH))) for one in (interval[0], value, interval[1]))
    cells = [" "] * low + ["─"] * (high - low + 1)
    cells[low], cells[high] = "├", "┤"
    cells[here] = "●"
    return "".join(cells)


def ranks_text(ranks: tuple[int, int] | None) -> str:
    """The ranks that chance leaves open."""
    if ranks is None:
        return ""
    return str(ranks[0]) if ranks[0] == ranks[1] else f"{ranks[0]}–{ranks[1]}"


def names(players: Sequence[Player]) -> dict[Player, str]:
    """The same by player."""
    told = called([(player.label, player.identity) for player in players])
    return dict(zip(players, told, strict=True))


def notes(found: Ratings, *, options: bool = True) -> list[str]:
    """What there is to know before rows are compared: seats that are fixed, places that do not fit, orders that depend
    on who else sat there; with the command line's `options` that tell more. Empty where nothing is wrong."""
    lines = []
    named = names(found.main.players)
    if found.main.uneven:
        shares = (f"{seat.seat} {chance_with_interval(seat.win_share, seat.win_interval)}" for seat in found.main.seats)
        lines.append(f"Won by seat: {', '.join(shares)}. Seats and players cannot be told apart.")
    if found.agreement.fits is False:
        worst = found.agreement.players[0]
        lines.append(
            f"Places do not fit one strength a player: by its places {named[worst.player]} would win "
            f"{percent(worst.by_places)}, by its wins {percent(worst.by_wins)}. Trust the wins"
            f"{'; --by places has more' if options else ''}."
        )
    for one in found.leave_one_out:
        changed = [change for change in one.changes if change.apart]
        if changed:
            more = " --view leave-one-out has more." if options else ""
            lines.append(f"{_change_text(one, changed, named)}{more}")
    return lines


def _change_text(seen: View, changed: Sequence[Change], named: dict[Player, str]) -> str:
    left = ", ".join(named[player] for player in seen.left_out)
    told = "; ".join(f"{named[change.below]} is then above {named[change.above]}" for change in changed[:TOLD])
    more = f"; {len(changed) - TOLD} more" if len(changed) > TOLD else ""
    return f"Without {left} the order changes: {told}{more}."


def seat_rows(found: Assessed) -> Rows:
    """What each seat is worth, under `SEATS`."""
    top = top_of([(seat.win_share, seat.win_interval) for seat in found.seats])
    return [
        (
            seat.seat,
            str(seat.matches),
            chance_with_interval(seat.win_share, seat.win_interval),
            bar(seat.win_share, seat.win_interval, top),
            _signed(seat.effect, seat.effect_interval),
        )
        for seat in found.seats
    ]


def view_rows(found: Assessed) -> Rows:
    """Players of a view, under `VIEW`."""
    named = names(found.players)
    top = top_of([(one.probability, one.probability_interval) for one in found.standings])
    rows: Rows = []
    for rank, at, _ in ranked(found):
        one = found.standings[at]
        rows.append(
            (
                "–" if rank is None else str(rank),
                named[found.players[at]],
                str(one.matches),
                chance_with_interval(one.probability, one.probability_interval),
                bar(one.probability, one.probability_interval, top),
                _signed(one.strength, one.strength_interval),
            )
        )
    return rows


def place_rows(found: Ratings) -> Rows:
    """Players by their places, under `PLACES`; empty where places tell nothing that winners do not."""
    if found.by_places is None:
        return []
    seen, named = found.by_places, names(found.by_places.players)
    misfits = {one.player: one for one in found.agreement.players}
    by_wins = dict(zip(found.main.players, found.main.standings, strict=True))
    top = top_of([(one.probability, one.probability_interval) for one in seen.standings])
    rows: Rows = []
    for rank, at, _ in ranked(seen):
        one, player = seen.standings[at], seen.players[at]
        misfit = misfits.get(player)
        between = f" ({one.place_interval[0]:.2f}–{one.place_interval[1]:.2f})" if one.place_interval else ""
        rows.append(
            (
                "–" if rank is None else str(rank),
                named[player],
                f"{one.mean_place:.2f}{between}",
                chance_with_interval(one.probability, one.probability_interval),
                bar(one.probability, one.probability_interval, top),
                chance_with_interval(by_wins[player].probability, by_wins[player].probability_interval),
                chance_of(misfit.p if misfit else None),
            )
        )
    return rows


def fit_line(found: Ratings) -> str:
    """Whether places fit, in a sentence."""
    if found.by_places is None or not found.agreement.players:
        return "Places tell nothing here that the winners do not."
    if found.agreement.fits is None:
        return "Whether places fit is not judged: too few packs."
    if found.agreement.fits:
        return "Nothing speaks against one strength a player for wins and places alike."
    return (
        "Places do not fit one strength a player: some win more or less often than their places would have it "
        "(p: how likely that is by chance, corrected for all players). Trust the wins."
    )


def left_out_rows(found: Ratings) -> Rows:
    """What becomes of the order without each player, under `LEFT_OUT`."""
    named = names(found.main.players)
    rows: Rows = []
    for one in found.leave_one_out:
        order = ", ".join(
            f"{named[one.assessed.players[at]]} {percent(one.assessed.standings[at].probability)}"
            for _, at, _ in ranked(one.assessed)
        )
        changes = "; ".join(
            f"{named[change.below]} above {named[change.above]}{' (told apart before)' if change.apart else ''}"
            for change in one.changes[:TOLD]
        )
        more = f"; {len(one.changes) - TOLD} more" if len(one.changes) > TOLD else ""
        rows.append(
            (", ".join(named[player] for player in one.left_out), str(one.matches), order, (changes or "–") + more)
        )
    return rows


def pair_rows(found: Assessed) -> Rows:
    """Each pair, under `PAIRS`: the better one first."""
    named = names(found.players)
    return [
        (
            named[pair.first],
            named[pair.second],
            str(pair.matches),
            f"{pair.first_wins:g}–{pair.second_wins:g}" if pair.matches else "–",
            chance_with_interval(pair.ahead, pair.ahead_interval),
            chance_with_interval(of_two(pair.win_odds), both(pair.win_odds_interval)),
            chance_of(pair.p_corrected),
            "yes" if pair.apart else "no" if pair.p is not None or (pair.by_looks and pair.win_odds_interval) else "–",
            needed_text(pair),
        )
        for pair in better_first(found)
    ]


def better_first(found: Assessed) -> list[Pair]:
    """All pairs, each with the better one first, in the order of players."""
    order = {found.players[at]: place for place, (_, at, _) in enumerate(ranked(found))}
    pairs = [pair if order[pair.first] < order[pair.second] else turned(pair) for pair in found.pairs]
    return sorted(pairs, key=lambda pair: (order[pair.first], order[pair.second]))


def turned(pair: Pair) -> Pair:
    """The same, seen from the other side."""
    return pair._replace(
        first=pair.second,
        second=pair.first,
        first_wins=pair.second_wins,
        second_wins=pair.first_wins,
        ahead=None if pair.ahead is None else 1 - pair.ahead,
        ahead_interval=pair.ahead_interval and (1 - pair.ahead_interval[1], 1 - pair.ahead_interval[0]),
        win_odds=None if pair.win_odds is None else -pair.win_odds,
        win_odds_interval=pair.win_odds_interval and (-pair.win_odds_interval[1], -pair.win_odds_interval[0]),
    )


def needed_text(pair: Pair) -> str:
    """Matches still to be played, in words."""
    if pair.p is None:
        return "–"
    return "very many" if pair.matches_needed is None else f"{pair.matches_needed:,}"


def chance_of(p: float | None) -> str:
    """How likely something is by chance.

    >>> chance_of(0.034), chance_of(0.00001), chance_of(None)
    ('0.034', '<0.001', '–')
    """
    return "–" if p is None else "<0.001" if p < 0.001 else f"{p:.3f}"


def of_two(odds: float | None) -> float | None:
    """How often the first of two wins if one of them does, from log odds."""
    return None if odds is None else 1 / (1 + exp(-odds))


def both(interval: Interval | None) -> Interval | None:
    """The same of an interval."""
    return interval and (1 / (1 + exp(-interval[0])), 1 / (1 + exp(-interval[1])))


def _signed(value: float | None, interval: Interval | None) -> str:
    if value is None:
        return "–"
    between = f" ({interval[0]:+.2f} to {interval[1]:+.2f})" if interval else ""
    return f"{value:+.2f}{between}"


SELF_PLAY = "Self-play: one player in all seats of a match. Nobody is rated; --seats shows what each seat is worth."


def stopping_line(table: Table) -> str | None:
    """What the looks by which a run stops say of its two players, and what that means where it was pooled with others;
    None where none stops so."""
    if table.pooled_stopping:
        looked = "; ".join(f"{one.run}: {one.stopping.line()}" for one in table.pooled_stopping)
        pairs = [label for one in table.pooled_stopping for label in one.stopping[:2]]
        return (
            f"Pooled with looks, as `until` asks ({looked}). Figures of several runs take the last look for the only "
            f"one: the intervals of {', '.join(dict.fromkeys(pairs))} do not hold here, and whether those are apart is "
            "not judged. Each run by itself has figures that hold."
        )
    if table.stopping is None:
        return None
    return f"Judged between packs, as the run's `until` asks: {table.stopping.line()}."


def shared_line(table: Table) -> str:
    """In how many matches nobody won alone, and what that counts for each."""
    those = f"{table.shared:,} of {table.matches['counted']:,} matches"
    part = "half a win for each" if table.seats == 2 else "1/k of a win for each of k"
    return f"Drawn: {those} have a shared first place, which counts {part}."


def pooled_lines(table: Table) -> list[str]:
    """Of what a pooled table is made, and that it is."""
    if not table.pooled:
        return []
    differing = f"they differ in {', '.join(table.differing)}" if table.differing else "their settings are the same"
    told = [f"Pooled over {len(table.pooled)} runs ({', '.join(table.pooled)}); {differing}."]
    return told + [f"Of one seed, and so on the same packs: {', '.join(names)}." for names in table.same_seed]
