"""Head to head: of each two players who is ahead, how sure that is, and what it would take to be sure."""

from __future__ import annotations

from collections.abc import Sequence

from harness.leaderboard import Table
from harness.rating_text import better_first, both, needed_text, of_two, turned
from harness.ratings.ballots import Player
from harness.ratings.packs import LEAST_PACKS
from harness.ratings.pairs import Pair
from harness.views.base import Chart, Choice, Column, Figure, Row, Section, Sheet
from harness.views.charts import SHARE, Cell, Dot, Scale, Span, cut, distinct, dots, heat, intervals_of
from harness.views.results import Results
from harness.views.tables import (
    NONE_COUNTED,
    behind,
    file_name,
    names_of,
    players,
    sheet,
    source_lines,
    title,
    warnings,
)
from harness.views.words import cell, several

MOST_DOTS = 28
"""Pairs that are drawn one by one; of more, the heat map and the table tell."""
HALF = 12
"""Characters of each of two names on an axis."""
MOST_CELLS = 24
"""Players of a heat map that can be read."""
COLUMNS = (
    Column("first", "first"),
    Column("second", "second"),
    Column(
        "wins_of_two", "wins of the two", "share", "How often the first wins if one of the two does, in equal seats."
    ),
    Column(
        "p", "p", "p", "How likely so large a difference would be if there were none, corrected for all pairs (Holm)."
    ),
    Column("apart", "apart", "text", "Whether p is under 0.05."),
    Column("needed", "needed", "text", "Matches still to be played until they are told apart with a chance of 80 %."),
    Column("matches", "matches", "count", "In which both sat, and that count."),
    Column("first_wins", "first won", "count", "A first place that k share is 1/k of a win."),
    Column("second_wins", "second won", "count"),
    Column(
        "ahead", "ahead", "share", "The share of them in which the first was placed better; shared places count half."
    ),
    Column("p_alone", "p alone", "p", "The same without correction."),
)


def view(results: Results, choice: Choice) -> Sequence[Section]:
    """A section for each table; where a player is chosen, its pairs alone."""
    return [_section(table, results, choice) for table in results.tables(choice) if players(table, choice)]


def _section(table: Table, results: Results, choice: Choice) -> Section:
    pairs = [
        pair if choice.player in (None, pair.first.label) else turned(pair)
        for pair in better_first(table.ratings.main)
        if choice.player in (None, pair.first.label, pair.second.label)
    ]
    lines = source_lines(table)
    if not table.matches["counted"]:
        return Section(title(table, results), [*lines, NONE_COUNTED], warnings(table))
    if not pairs:
        return Section(title(table, results), [*lines, "There are no two players to compare."], warnings(table))
    lines += _judged_lines(table, pairs)
    return Section(title(table, results), lines, warnings(table), _charts(table, pairs, choice), [_sheet(table, pairs)])


def _judged_lines(table: Table, pairs: Sequence[Pair]) -> list[str]:
    """How many of these are told apart; without those that pooled runs stop by, as the lines above say that they are
    not judged."""
    rest = [pair for pair in pairs if not (pair.by_looks and table.pooled_stopping)]
    if not rest:
        return []
    other = "other " if len(rest) < len(pairs) else ""
    by_looks = [pair for pair in rest if pair.by_looks and pair.win_odds_interval]
    if not by_looks and all(pair.p is None for pair in rest):
        needed = f"that needs {LEAST_PACKS} packs with each of the two, balanced seats, and a link"
        return [f"No {other}pair is judged: {needed}."]
    apart = sum(pair.apart for pair in rest)
    lines = [f"{apart:,} of {several(len(rest), f'{other}pair', f'{other}pairs')} are told apart."]
    if by_looks and table.stopping is not None:
        lines.append(
            f"{table.stopping.first} and {table.stopping.second} are judged by the run's looks, and so have no p."
        )
    return lines


def _shown(table: Table) -> dict[Player, str]:
    names = names_of(table)
    rated = [Player(row.label, row.identity, row.kind) for row in table.rows]
    return dict(zip(rated, distinct(names[one.label, one.identity] for one in rated), strict=True))


def _charts(table: Table, pairs: Sequence[Pair], choice: Choice) -> list[Chart]:
    shown = _shown(table)
    found = []
    judged = any(pair.win_odds is not None for pair in pairs)
    if choice.player is None and len(table.rows) <= MOST_CELLS:
        if judged:
            found.append(_map(table, pairs, shown, by_wins=True))
        found.append(_map(table, pairs, shown, by_wins=False))
    if judged and len(pairs) <= MOST_DOTS:
        drawn = [
            Dot(
                name,
                of_two(pair.win_odds),
                both(pair.win_odds_interval),
                _told(pair),
                behind=behind(table, pair.first.label, pair.second.label),
            )
            for name, pair in zip(
                distinct(f"{cut(shown[pair.first], HALF)} : {cut(shown[pair.second], HALF)}" for pair in pairs),
                pairs,
                strict=True,
            )
        ]
        said = "; ".join(f"{dot.name}: {dot.told}" for dot in drawn)
        found.append(
            dots(
                "wins-of-two",
                f"How often the first wins if one of the two does{intervals_of(drawn)}; the line is one half",
                f"For each pair how often the first wins if one of the two does. {said}",
                drawn,
                Scale("wins of the two", SHARE, zero=False, most=1),
                line=(0.5, "even"),
            )
        )
    return found


def _map(table: Table, pairs: Sequence[Pair], shown: dict[Player, str], *, by_wins: bool) -> Chart:
    """A heat map of what pairs are judged by, or of who was placed better whatever for."""
    by_players = {(pair.first, pair.second): pair for one in pairs for pair in (one, turned(one))}
    order = [one for one in shown if any(one in pair for pair in by_players)]
    cells = [
        _cell(table, by_players.get((one, two)), shown, (one, two), by_wins=by_wins) for one in order for two in order
    ]
    said = "; ".join(f"{shown[pair.first]} against {shown[pair.second]}: {_told(pair)}" for pair in pairs)
    if by_wins:
        return heat(
            "wins-map",
            "How often the player of a row wins, if it or that of the column does, in per cent",
            f"A heat map of how often one of two wins if either does; a star marks pairs told apart by it. {said}",
            cells,
            Span(0.0, 1.0, 0.5),
            rows_are="wins",
            columns_are="against",
        )
    return heat(
        "ahead",
        "How often the player of a row was placed before that of the column, in per cent",
        f"A heat map of how often each player was placed before each other. {said}",
        cells,
        Span(0.0, 1.0, 0.5),
        rows_are="ahead",
        columns_are="of",
    )


def _cell(
    table: Table, pair: Pair | None, shown: dict[Player, str], of: tuple[Player, Player], *, by_wins: bool
) -> Cell:
    one, two = of
    if one == two:
        return Cell(shown[one], shown[two], None, "", "the same player")
    value = None if pair is None else of_two(pair.win_odds) if by_wins else pair.ahead
    if pair is None or value is None:
        return Cell(shown[one], shown[two], None, "–", "not linked" if by_wins else "never met")
    # Pairs are judged by wins: beside another figure a star would say of it what was not judged.
    mark = "*" if by_wins and pair.apart else ""
    met = behind(table, one.label, two.label) if pair.matches else None
    return Cell(shown[one], shown[two], value, f"{100 * value:.0f}{mark}", _told(pair), met)


def _told(pair: Pair) -> str:
    ahead = cell(Figure(pair.ahead, pair.ahead_interval), "share")
    wins = cell(Figure(of_two(pair.win_odds), both(pair.win_odds_interval)), "share")
    judged = "" if pair.p is None else f", p {cell(pair.p_corrected, 'p')}, {'apart' if pair.apart else 'not apart'}"
    return f"ahead {ahead}, wins of the two {wins}{judged}, {several(pair.matches, 'match', 'matches')}"


def _sheet(table: Table, pairs: Sequence[Pair]) -> Sheet:
    names = names_of(table)
    rows = [
        Row(
            {
                "first": names[pair.first.label, pair.first.identity],
                "second": names[pair.second.label, pair.second.identity],
                "matches": pair.matches,
                "first_wins": pair.first_wins,
                "second_wins": pair.second_wins,
                "ahead": Figure(pair.ahead, pair.ahead_interval),
                "wins_of_two": Figure(of_two(pair.win_odds), both(pair.win_odds_interval)),
                "p": pair.p_corrected,
                "apart": None if pair.p is None else pair.apart,
                "needed": None if pair.p is None else needed_text(pair),
                "p_alone": pair.p,
            },
            behind(table, pair.first.label, pair.second.label),
        )
        for pair in pairs
    ]
    return sheet(file_name("head-to-head", table), "Pairs", COLUMNS, rows, always=10)
