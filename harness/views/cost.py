"""Cost against strength: what players take for how often they win, and who takes least for that."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from math import fsum
from typing import NamedTuple

from harness.behaviour.bootstrap import Cell, Replicates
from harness.behaviour.gather import COUNTED
from harness.board_text import no_intervals
from harness.leaderboard import Row as Standing
from harness.leaderboard import Table, seats_of
from harness.ratings.missing import fate
from harness.records import SeatStats
from harness.views.base import CALLS, PLAYER, Chart, Choice, Column, Figure, Kind, Row, Section, Sheet
from harness.views.common import Key, chance, key_of, labels_of, names_of
from harness.views.front import AT_LEAST, FREE, FRONT, OTHER, Point, front, scatter
from harness.views.membership import Draws, left_open
from harness.views.results import Results
from harness.views.tables import behind, file_name, players, sheet, source_lines, title, warnings
from harness.views.words import cell, several


class Measured(NamedTuple):
    """One thing that players take: a sum over matches over another."""

    key: str
    title: str
    kind: Kind
    format: str
    """Of the axis, as d3 has it."""
    part: Callable[[SeatStats], float]
    whole: Callable[[SeatStats], float]
    money: bool = False


MATCH = Measured("cost_match", "Cost of a match", "usd", "$~g", lambda one: one.cost, lambda _: 1, money=True)
MEASURED = (
    MATCH,
    Measured(
        "cost_decision", "Cost of a decision", "usd", "$~g",
        lambda one: one.cost, lambda one: one.decisions, money=True,
    ),
    Measured(
        "wait_decision", "Waiting for a decision", "seconds", "~g",
        lambda one: one.latency_ms / 1000, lambda one: one.decisions,
    ),
    Measured(
        "tokens_decision", "Tokens of a decision", "count", "~s",
        lambda one: one.prompt_tokens + one.completion_tokens, lambda one: one.decisions,
    ),
)  # fmt: skip
_AXES = {
    "cost_match": "cost of a match (USD)",
    "cost_decision": "cost of a decision (USD)",
    "wait_decision": "waiting for a decision (s)",
    "tokens_decision": "tokens of a decision, in and out",
}
_HOW = (
    "Packs are drawn anew 1,000 times, costs and wins together, and each time there is a front: the share of draws in "
    "which the player is on it. A hollow dot is on it in 2.5 to 97.5 %: its place is left open."
)
_BEATEN = 3
"""So many of those who beat a player are named."""


Fronts = Mapping[str, Mapping[Key, float]]
"""By the key of what is taken, then by player: in which share of the draws it is on the front."""


class Taken(NamedTuple):
    """What one player took."""

    row: Standing
    figures: Mapping[str, Figure]
    unpriced: int
    """Calls of unknown price in the matches that enter the figures."""
    calls: int
    stats: Sequence[SeatStats]
    """Its seats in those matches: in those that count, and in those that a forfeit ended."""

    @property
    def matches(self) -> int:
        """From how many matches its sums are."""
        return len({(one.run, one.match_id) for one in self.stats})

    @property
    def free(self) -> bool:
        """Nothing that it did costs anything."""
        return not self.unpriced and not self.figures[MATCH.key].value

    def of(self, measured: Measured) -> float | None:
        """What it takes, if that is known at all and more than nothing."""
        return self.figures[measured.key].value or None

    def sure(self, measured: Measured) -> bool:
        """Whether that is all that it takes."""
        return not (measured.money and self.unpriced)


def view(results: Results, choice: Choice) -> Sequence[Section]:
    """A section for each table of the leaderboard in which the chosen player is."""
    return [_section(results, table, choice) for table in results.tables(choice) if players(table, choice)]


def spent(results: Results, table: Table) -> list[SeatStats]:
    """The seats of a table's matches that count, and of those that a forfeit ended, which cost as well; in the packs
    that the leaderboard has."""
    return [one for one in seats_of(table, results.stats, results.runs) if fate(one) in COUNTED]


def taken(results: Results, table: Table) -> list[Taken]:
    """What each player of a table took, in the order of its rows, with intervals from 20 packs on."""
    stats = spent(results, table)
    packs = {pack: place for place, pack in enumerate(sorted({(one.run, one.pack) for one in stats}))}
    by_player: defaultdict[Key, list[SeatStats]] = defaultdict(list)
    for one in stats:
        by_player[one.label, one.identity].append(one)
    draws = Replicates(list(packs.values()))
    places = [(row.label, row.identity, measured) for row in table.rows for measured in MEASURED]
    cells = [_cell(by_player[label, identity], measured, packs) for label, identity, measured in places]
    intervals = draws.intervals(cells, shares=[False] * len(cells))
    found = {
        (label, identity, measured.key): Figure(one.value, interval)
        for (label, identity, measured), one, interval in zip(places, cells, intervals, strict=True)
    }
    them = []
    for row in table.rows:
        own = by_player[key_of(row)]
        unpriced = sum(one.unpriced for one in own)
        figures = {measured.key: found[row.label, row.identity, measured.key] for measured in MEASURED}
        if unpriced and not figures[MATCH.key].value:
            # Nothing is known of what it costs; that is not nothing.
            figures |= {measured.key: Figure(None) for measured in MEASURED if measured.money}
        them.append(Taken(row, figures, unpriced, sum(one.calls for one in own), own))
    return them


def _cell(stats: Sequence[SeatStats], measured: Measured, packs: Mapping[tuple[str, int], int]) -> Cell:
    parts: defaultdict[int, list[float]] = defaultdict(list)
    wholes: defaultdict[int, float] = defaultdict(float)
    for one in stats:
        if measured.money or one.calls:
            pack = packs[one.run, one.pack]
            parts[pack].append(measured.part(one))
            wholes[pack] += measured.whole(one)
    return Cell({pack: fsum(values) for pack, values in parts.items()}, wholes)


def on_front(them: Sequence[Taken], measured: Measured) -> list[Taken]:
    """Those whom nobody beats who wins as often for no more, of all who take anything and whose sum is known."""
    known = _known(them, measured)
    return [known[place] for place in front([(one.of(measured) or 0.0, chance(one.row).value or 0.0) for one in known])]


def _known(them: Sequence[Taken], measured: Measured) -> list[Taken]:
    return [one for one in them if one.of(measured) and one.sure(measured) and chance(one.row).value is not None]


def on_front_in_draws(results: Results, table: Table, them: Sequence[Taken]) -> Fronts:
    """By what is taken, in which share of the draws of the packs each player is on the front; none under 20 packs."""
    if not any(row.probability_interval for row in table.rows):
        return {measured.key: {} for measured in MEASURED}
    draws = Draws(spent(results, table))
    return {
        measured.key: draws.on_front(
            {
                key_of(one.row): [stat for stat in one.stats if measured.money or stat.calls]
                for one in _known(them, measured)
            },
            measured.part,
            measured.whole,
        )
        for measured in MEASURED
    }


def beaten_by(one: Taken, them: Sequence[Taken]) -> list[Taken]:
    """Who is known to cost no more and wins at least as often, and one of the two by more. The free are among them."""
    own, wins = one.figures[MATCH.key].value, chance(one.row).value
    if own is None or wins is None:
        return []
    found = []
    for other in them:
        cost, chances = other.figures[MATCH.key].value, chance(other.row).value
        if other is one or other.unpriced or cost is None or chances is None:
            continue
        if cost <= own and chances >= wins and (cost < own or chances > wins):
            found.append(other)
    return found


def _section(results: Results, table: Table, choice: Choice) -> Section:
    them = taken(results, table)
    rated = any(row.probability is not None for row in table.rows)
    known = names_of(table.rows)
    best = on_front(them, MATCH)
    fronts = on_front_in_draws(results, table, them)
    lines = [*source_lines(table), *no_intervals(table)]
    forfeits = table.matches["forfeit"]
    if forfeits:
        lines.append(
            f"What players take is of {several(forfeits, 'match', 'matches')} ended by forfeit too; wins are not."
        )
    if best:
        members = ", ".join(known[key_of(one.row)] for one in best)
        lines.append(
            f"On the front of cost by the figures as they are, from the cheapest: {members}. "
            "Nobody wins as often for less."
        )
        lines.append(_how_sure(fronts[MATCH.key], known))
    elif them and all(one.free for one in them):
        lines.append("Nobody here costs anything.")
    free = [known[key_of(one.row)] for one in them if one.free]
    if free and len(free) < len(them):
        lines.append(f"Free, and so in no front: {', '.join(free)}.")
    return Section(
        title=title(table, results),
        lines=lines,
        warnings=_warnings(table, them, known, rated=rated),
        charts=_charts(table, them, known, choice, fronts, rated=rated),
        sheets=[_sheet(table, them, best, choice, fronts[MATCH.key])],
    )


def _how_sure(shares: Mapping[Key, float], known: Mapping[Key, str]) -> str:
    if not shares:
        return "How sure that front is, is not known: it takes 20 packs and seats that are balanced."
    open_ = [f"{known[key]} ({100 * share:.0f} %)" for key, share in shares.items() if left_open(share)]
    if not open_:
        return "Draws of the packs leave nobody's place on it, or off it, open."
    told = ", ".join(open_)
    return f"Left open, hollow in the chart, with the share of draws of the packs in which each is on it: {told}."


def _warnings(table: Table, them: Sequence[Taken], known: Mapping[Key, str], *, rated: bool) -> list[str]:
    found = warnings(table)
    if not rated and table.matches["counted"] and not table.forks:
        found.append("Seats are not balanced, so that wins are shown as they were and not as chances to win.")
    unpriced = [one for one in them if one.unpriced]
    if unpriced:
        told = ", ".join(f"{known[key_of(one.row)]} ({one.unpriced:,} of {one.calls:,} calls)" for one in unpriced)
        found.append(f"What these cost is at least what is shown, as the price of some calls is not known: {told}.")
    return found


def _charts(
    table: Table, them: Sequence[Taken], known: Mapping[Key, str], choice: Choice, fronts: Fronts, *, rated: bool
) -> list[Chart]:
    found = []
    y = "chance to win" if rated else "share of matches won"
    for measured in MEASURED:
        points = _points(table, them, known, measured, choice, fronts[measured.key])
        if not any(point.state != FREE for point in points):
            continue
        best = [known[key_of(one.row)] for one in on_front(them, measured)]
        front_told = f"On the front by these figures: {', '.join(best)}." if best else "There is no front."
        if best:
            front_told += f" {_how_sure(fronts[measured.key], known)}"
        told = f"{measured.title} against {'the ' if rated else ''}{y}"
        alt = f"{told} of {several(len(points), 'player', 'players')}. {front_told}"
        chart = scatter(
            measured.key, told, alt, points,
            x=_AXES[measured.key], y=y, format=measured.format,
        )  # fmt: skip
        found.append(chart._replace(small=measured is not MATCH, help=_HOW))
    return found


def _points(
    table: Table,
    them: Sequence[Taken],
    known: Mapping[Key, str],
    measured: Measured,
    choice: Choice,
    shares: Mapping[Key, float],
) -> list[Point]:
    best = on_front(them, measured)
    points = []
    for one in them:
        wins, takes = chance(one.row), one.figures[measured.key]
        free = measured.money and one.free
        if wins.value is None or not (free or takes.value):
            continue
        state = FREE if free else FRONT if one in best else OTHER if one.sure(measured) else AT_LEAST
        at_least = "at least " if state == AT_LEAST else ""
        told = "free" if free else f"{at_least}{cell(takes, measured.kind)}"
        share = shares.get(key_of(one.row))
        sure = "" if share is None else f"; on the front in {100 * share:.0f} % of draws"
        points.append(
            Point(
                known[key_of(one.row)],
                Figure(None) if free else takes,
                wins,
                state,
                f"{told}; wins {cell(wins, 'share')}{sure}",
                behind(table, one.row.label, forfeits=True),
                quiet=choice.player not in (None, one.row.label),
                open=left_open(share),
            )
        )
    return points


def _sheet(
    table: Table, them: Sequence[Taken], best: Sequence[Taken], choice: Choice, shares: Mapping[Key, float]
) -> Sheet:
    known = labels_of(table.rows)
    rows = []
    for one in them:
        if choice.player not in (None, one.row.label):
            continue
        better = [known[key_of(other.row)] for other in beaten_by(one, them)]
        more = f" and {len(better) - _BEATEN} more" if len(better) > _BEATEN else ""
        rows.append(
            Row(
                {
                    "player": known[key_of(one.row)],
                    "identity": one.row.identity[:12],
                    "kind": one.row.kind,
                    "win_chance": chance(one.row),
                    **one.figures,
                    "front": "yes" if one in best else "–" if one.free or one.unpriced else "no",
                    "front_share": shares.get(key_of(one.row)),
                    "beaten_by": ", ".join(better[:_BEATEN]) + more or None,
                    "matches": one.matches,
                    "calls": one.calls,
                    "unpriced": one.unpriced,
                },
                behind(table, one.row.label, forfeits=True),
            )
        )
    columns = (
        PLAYER,
        Column("identity", "identity", help="The beginning of the hash of all that makes this player."),
        Column("kind", "kind"),
        Column(
            "win_chance",
            "win chance" if any(row.probability is not None for row in table.rows) else "won",
            "share",
            "The chance to win an average table; where seats are not balanced, the share of matches won.",
        ),
        Column(
            "cost_match", "cost of a match", "usd", "Retries and talk included; a lower bound where calls are unpriced."
        ),
        Column("cost_decision", "of a decision", "usd", "Of decisions that were not forced."),
        Column("wait_decision", "waiting for a decision", "seconds", "Latency of its calls, talk included."),
        Column("tokens_decision", "tokens of a decision", "count", "In and out, reasoning included."),
        Column(
            "front", "on the front",
            help="Whether nobody wins as often for less, of those who cost anything, by the figures as they are.",
        ),
        Column("front_share", "on it in draws", "share", _HOW),
        Column("beaten_by", "costs no more, wins as often", help="By the figures as they are."),
        Column("matches", "matches", "count", "Those that count, and those that a forfeit ended, which cost as well."),
        CALLS,
        Column("unpriced", "unpriced", "count", "Calls whose price is not known."),
    )  # fmt: skip
    return sheet(file_name("cost", table), "Cost and strength", columns, rows, always=4)
