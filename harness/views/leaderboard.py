"""The leaderboard: chances to win with their intervals, and how far they can be trusted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from harness.intervals import Interval
from harness.leaderboard import Row as Player
from harness.leaderboard import Table, share
from harness.rating_text import fit_line, left_out_rows, notes, ranks_text
from harness.ratings.ballots import Player as Rated
from harness.ratings.rate import Standing
from harness.views.base import (
    COST,
    DECISIONS,
    MATCHES,
    PLAYER,
    Behind,
    Chart,
    Choice,
    Column,
    Figure,
    Row,
    Section,
    Sheet,
)
from harness.views.charts import PLAIN, SHARE, Dot, Scale, distinct, dots, intervals_of
from harness.views.results import Results
from harness.views.tables import (
    Names,
    behind,
    fallback_lines,
    file_name,
    names_of,
    players,
    sheet,
    source_lines,
    title,
    unconfirmed,
    unconfirmed_lines,
    warnings,
)
from harness.views.words import UNREADABLE_SAYS, cell

MOST_CASES = 16
"""Players whose figures are drawn when something else is counted; of more, the table tells."""
COLUMNS = (
    PLAYER,
    Column("rank", "#", "count", "The order of win chances; equal ones share a rank."),
    Column("win_chance", "win chance", "share", "Against an average table, in each seat equally often; 95 %."),
    Column("ranks", "ranks", "text", "The best and the worst rank that the pairs told apart leave open."),
    Column("won", "won", "share", "The plain share of matches won; a first place that k share is 1/k of a win."),
    Column("mean_place", "mean place", "number"),
    Column("matches", "matches", "count", "Those that count."),
    Column("strength", "strength", "number", "The win chance as log odds: 0.69 more is twice the odds."),
    Column("packs", "packs", "count", "Packs of matches on one seed; intervals need 20."),
    Column("group", "group", "count", "Between groups nothing is compared: no match links them."),
    Column("kind", "kind", "text"),
    DECISIONS,
    Column(
        "illegal",
        "illegal per decision",
        "number",
        "Illegal answers; a decision that was asked again may have several. As counted, without an interval.",
    ),
    Column("unreadable", "unreadable per decision", "number", f"{UNREADABLE_SAYS} As counted, without an interval."),
    Column(
        "fallback",
        "fallback",
        "share",
        "Decisions made for it after its answers were used up, of all; as counted, without an interval.",
    ),
    Column("forfeits", "forfeits", "count", "Matches that ended by its own forfeit."),
    Column("tokens_in", "tokens in", "count"),
    Column("cached", "cached", "share", "The share of tokens in that came from a cache."),
    Column("tokens_out", "tokens out", "count"),
    Column("reasoning", "reasoning", "count", "Tokens of reasoning, within those out."),
    COST,
    Column("unpriced", "unpriced calls", "count"),
    Column("unconfirmed", "not confirmed", "usd", "USD of the cost that no provider confirmed."),
    Column("latency", "latency", "seconds", "Mean of a call."),
)
CASES = (
    PLAYER,
    Column("of", "counted", "text", "Which matches, and which figure of them."),
    MATCHES,
    Column("win_chance", "win chance", "share"),
    Column("won", "won", "share"),
    Column("mean_place", "mean place", "number"),
    Column("p", "p", "p", "How likely wins and places would differ so much by chance, corrected for all players."),
)
LEFT_OUT = (
    Column("without", "without"),
    MATCHES,
    Column("order", "order of the others", "text"),
    Column("changes", "changes", "text"),
)


def view(results: Results, choice: Choice) -> Sequence[Section]:
    """A section for each table in which the chosen player is."""
    return [_section(table, results, choice) for table in results.tables(choice) if players(table, choice)]


def _section(table: Table, results: Results, choice: Choice) -> Section:
    names = names_of(table)
    chosen = players(table, choice)
    open_costs = unconfirmed(table, results)
    counted = bool(table.matches["counted"])
    cases = [one for row in chosen for one in _cases(row, table)] if counted else []
    sheets = [_board(table, chosen, names, open_costs)]
    if len(cases) > len(chosen) and not table.self_play:
        sheets.append(_cases_sheet(table, cases, names))
    if table.ratings.leave_one_out:
        sheets.append(_left_out(table))
    lines = [*source_lines(table), *fallback_lines(table), *unconfirmed_lines(open_costs)]
    if table.ratings.by_places is not None and table.ratings.agreement.fits is not False:
        lines.append(fit_line(table.ratings))
    return Section(
        title=title(table, results),
        lines=lines,
        warnings=[*warnings(table), *notes(table.ratings, options=False)],
        charts=_charts(table, chosen, names, cases) if counted and not table.self_play else (),
        sheets=sheets,
    )


def _charts(table: Table, chosen: Sequence[Player], names: Names, cases: Sequence[_Case]) -> list[Chart]:
    shown = dict(zip(names, distinct(names.values()), strict=True))
    even = (1 / table.seats, "even")
    rated = not table.ratings.main.uneven and not table.forks
    chances = [_dot(row, shown, table, row.probability, row.probability_interval) for row in chosen]
    plain = [_dot(row, shown, table, row.win_rate, row.win_interval) for row in chosen]
    places = [_dot(row, shown, table, row.mean_place, row.place_interval, kind="number") for row in chosen]
    what = "Win chance" if rated else "Share of matches won"
    alt = f"{what} of each player with its 95 % interval, and a line at 1 in {table.seats}, where all are alike: "
    found = [
        dots(
            "win-chance",
            f"{what}{intervals_of(chances if rated else plain)}; the line is 1 in {table.seats}",
            alt + _said(chances if rated else plain),
            chances if rated else plain,
            Scale(what.lower(), SHARE, most=1),
            line=even,
        )
    ]
    if table.seats > 2 and any(dot.value is not None for dot in places):
        alt = f"Mean place of each player, 1 is the best: {_said(places)}"
        middle = ((1 + table.seats) / 2, "even")
        scale = Scale("mean place (left is better)", PLAIN, zero=False)
        found.append(dots("mean-place", "Mean place", alt, places, scale, line=middle))
    drawn = [
        Dot(
            shown[one.row.label, one.row.identity], one.chance, one.interval, cell(one.figure, "share"), one.of,
            one.behind,
        )
        for one in cases
        if one.chance is not None and one.comparable
    ]  # fmt: skip
    if rated and len(chosen) <= MOST_CASES and len({dot.by for dot in drawn}) > 1:
        alt = f"The win chance of each player when other matches or figures are counted: {_said(drawn)}"
        name = "Win chance when something else is counted"
        found.append(dots("sensitivity", name, alt, drawn, Scale("win chance", SHARE, most=1), line=even))
    return found


def _dot(
    row: Player, shown: Names, table: Table, value: float | None, interval: Interval | None, kind: str = "share"
) -> Dot:
    told = cell(Figure(value, interval), "share" if kind == "share" else "number")
    return Dot(
        shown[row.label, row.identity],
        value,
        interval,
        f"{told}, {row.matches:,} matches",
        behind=behind(table, row.label) if row.matches else None,
    )


def _said(found: Sequence[Dot]) -> str:
    return "; ".join(f"{dot.name}{f', {dot.by}' if dot.by else ''}: {dot.told}" for dot in found)


def _board(table: Table, chosen: Sequence[Player], names: Names, open_costs: dict[str, float]) -> Sheet:
    several_groups = len({row.group for row in table.rows}) > 1
    rows = [
        Row(
            {
                "player": names[row.label, row.identity],
                "rank": row.rank,
                "matches": row.matches,
                "win_chance": Figure(row.probability, row.probability_interval),
                "ranks": ranks_text(row.ranks) or None,
                "won": Figure(row.win_rate, row.win_interval),
                "mean_place": Figure(row.mean_place, row.place_interval),
                "strength": None if row.strength is None else Figure(row.strength, row.strength_interval),
                "packs": row.packs,
                "group": row.group + 1 if several_groups else None,
                "kind": row.kind,
                "decisions": row.decisions,
                "illegal": row.illegal_per_decision,
                "unreadable": row.unreadable_per_decision,
                "fallback": row.fallback_share,
                "forfeits": row.forfeits,
                "tokens_in": row.prompt_tokens,
                "cached": share(row.cached_tokens, row.prompt_tokens),
                "tokens_out": row.completion_tokens,
                "reasoning": row.reasoning_tokens,
                "cost": row.cost if row.calls else None,
                "unpriced": row.unpriced,
                "unconfirmed": open_costs.get(row.label),
                "latency": None if row.latency_ms is None else row.latency_ms / 1000,
            },
            behind(table, row.label) if row.matches else None,
        )
        for row in chosen
    ]
    return sheet(file_name("leaderboard", table), "Players", COLUMNS, rows, always=7)


class _Case(NamedTuple):
    """A player's figures when something else is counted."""

    row: Player
    of: str
    matches: int | None
    chance: float | None
    interval: Interval | None
    won: float | None
    place: Figure
    p: float | None
    behind: Behind | None
    comparable: bool = True
    """Whether its win chance is one against the same players."""

    @property
    def figure(self) -> Figure:
        """The win chance."""
        return Figure(self.chance, self.interval)


def _cases(row: Player, table: Table) -> Iterator[_Case]:
    found, player = table.ratings, Rated(row.label, row.identity, row.kind)
    mine = behind(table, row.label) if row.matches else None
    place = Figure(row.mean_place, row.place_interval)
    yield _Case(
        row, "as it stands", row.matches, row.probability, row.probability_interval, row.win_rate, place, None, mine
    )
    for of, one in (("without fallbacks", row.without_fallback), ("with forfeits", row.with_forfeits)):
        if one is not None:
            yield _standing(row, of, one, mine)
    if found.by_places is not None and player in found.by_places.players:
        placed = found.by_places.standings[found.by_places.players.index(player)]
        misfit = next((one.p for one in found.agreement.players if one.player == player), None)
        yield _standing(row, "by places", placed, mine)._replace(p=misfit)
    if found.models is not None and player in found.models.assessed.players:
        seen = found.models.assessed
        one = seen.standings[seen.players.index(player)]
        yield _standing(row, "models only", one, mine)._replace(comparable=False)
    if row.best is not None and row.worst is not None:
        for of, case in (("missing ones all won", row.best), ("missing ones all lost", row.worst)):
            yield _Case(
                row,
                of,
                None,
                None,
                None,
                case.win_rate,
                Figure(case.mean_place),
                None,
                behind(table, row.label, status=None),
            )


def _standing(row: Player, of: str, one: Standing, mine: Behind | None) -> _Case:
    place = Figure(one.mean_place, one.place_interval)
    return _Case(row, of, one.matches, one.probability, one.probability_interval, one.win_rate, place, None, mine)


def _cases_sheet(table: Table, cases: Sequence[_Case], names: Names) -> Sheet:
    rows = [
        Row(
            {
                "player": names[one.row.label, one.row.identity],
                "of": one.of,
                "matches": one.matches,
                "win_chance": one.figure,
                "won": one.won,
                "mean_place": one.place,
                "p": one.p,
            },
            one.behind,
        )
        for one in cases
    ]
    return sheet(file_name("sensitivity", table), "When something else is counted", CASES, rows, always=6)


def _left_out(table: Table) -> Sheet:
    rows = [
        Row({"without": without, "matches": int(matches), "order": order, "changes": changes})
        for without, matches, order, changes in left_out_rows(table.ratings)
    ]
    told = "Without one player: each is struck out of all matches, the best placed of the others is the winner"
    return Sheet(file_name("leave-one-out", table), told, LEFT_OUT, tuple(rows))
