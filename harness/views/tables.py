"""What the views of a leaderboard's tables have in common: what a table is of, and the matches behind its figures."""

from __future__ import annotations

from collections.abc import Sequence

from games import GAMES, get_game
from harness.board_text import counts, no_intervals
from harness.leaderboard import Row as Player
from harness.leaderboard import Table, seats_of
from harness.rating_text import called, pooled_lines, stopping_line
from harness.records import OWN, UNREADABLE
from harness.telling import money
from harness.views.base import Behind, Choice, Column, Row, Sheet
from harness.views.results import Results
from harness.views.words import several

SELF_PLAY = "Self-play: one player in all seats of a match. Nobody is rated."
NONE_COUNTED = "No match has been counted yet."
HAD = {
    "illegal": "answer:illegal",
    "unreadable": f"answer:{','.join(sorted(UNREADABLE))}",
    "talk": f"talk:{','.join(sorted(OWN))}",
    "fallback": "fallback",
}
"""How the matches are asked for in which a player's answers were faulty, by what was wrong."""
Names = dict[tuple[str, str], str]
"""How players are named in one table, by label and identity."""


def game_title(game: str) -> str:
    """A game's title, or its name where this installation has not got it."""
    return get_game(game).title if game in GAMES else game


def title(table: Table, results: Results) -> str:
    """What a table is of; where one game was played several ways, with what tells them apart."""
    told = f"{game_title(table.game)}, {table.seats} seats"
    alike = [one for one in results.leaderboard.tables if (one.run, one.game) == (table.run, table.game)]
    if len(alike) > 1 and not table.pooled:
        told += f" · {_apart(table, alike, results)}"
    return f"{told} · from forks" if table.forks else told


def _apart(table: Table, alike: Sequence[Table], results: Results) -> str:
    each = [results.settings.get((one.run, one.game_index), {}) for one in alike]
    mine = results.settings.get((table.run, table.game_index), {})
    differing = [name for name in mine if len({one.get(name) for one in each}) > 1]
    told = [f"{name.rpartition('.')[2]} {mine[name]}" for name in differing if name != "seats"]
    told += [f"rules {table.rules}"] if len({one.rules for one in alike}) > 1 else []
    return ", ".join(told) or f"entry {table.game_index + 1} of the file"


def source_lines(table: Table) -> list[str]:
    """From how many matches a table is, and what of them does not count."""
    begun = sum(table.matches.values())
    incomplete = ""
    if table.packs_incomplete:
        incomplete = ", incomplete" if table.packs == 1 else f" ({table.packs_incomplete:,} of them incomplete)"
    lines = [
        f"From {table.matches['counted']:,} of {several(begun, 'match', 'matches')}, "
        f"in {several(table.packs, 'pack', 'packs')}{incomplete}."
    ]
    left_out = counts(table.matches)
    if left_out:
        lines.append(f"Not counted: {left_out}.")
    lines += pooled_lines(table)
    if table.self_play:
        lines.append(SELF_PLAY)
    looked = stopping_line(table)
    if looked is not None:
        lines.append(looked)
    if table.forks:
        lines.append("From forks: each match began where its parent stood, so that these figures rate nobody.")
    return lines


def fallback_lines(table: Table) -> list[str]:
    """Where somebody's decisions were made for it, and where a price is not known."""
    lines = []
    if table.with_fallback:
        lines.append(
            f"In {table.with_fallback:,} of {table.matches['counted']:,} counted matches somebody fell back; "
            "the figures without fallbacks leave them out."
        )
    unpriced = sum(row.unpriced for row in table.rows)
    if unpriced:
        lines.append(
            f"The price of {several(unpriced, 'call', 'calls')} is not known; the cost is at least what is shown."
        )
    return lines + no_intervals(table)


def warnings(table: Table) -> list[str]:
    """Why rows cannot be compared, if they cannot."""
    return [f"Not comparable: {table.not_comparable}."] if table.not_comparable else []


def names_of(table: Table) -> Names:
    """Labels; where two players have the same, with the beginning of their identity."""
    keys = [(row.label, row.identity) for row in table.rows]
    return dict(zip(keys, called(keys), strict=True))


def players(table: Table, choice: Choice) -> list[Player]:
    """The chosen rows."""
    return [row for row in table.rows if choice.player in (None, row.label)]


def behind(
    table: Table,
    *labels: str,
    status: str | None = "finished",
    reason: str | None = None,
    seat: str | None = None,
    had: str | None = None,
    forfeits: bool = False,
) -> Behind | None:
    """The matches of a table in which all of these sat; if nothing else is said, those that count, with `forfeits`
    those too that a forfeit ended. None where several runs were pooled: no list holds them."""
    if table.pooled:
        return None
    if status == "finished" and reason is None and had is None and not forfeits:
        reason = "-forfeit"
    return Behind(table.run, labels, table.game, table.game_index, status, reason, seat, had)


def unconfirmed(table: Table, results: Results) -> dict[str, float]:
    """What of each player's cost in a table no provider confirmed, in USD, by label."""
    if not results.unconfirmed:
        return {}
    matches = {stat.match_id for stat in seats_of(table, results.stats, results.runs)}
    found: dict[str, float] = {}
    for one in results.unconfirmed:
        if one.match_id in matches:
            found[one.label] = found.get(one.label, 0.0) + one.usd
    return dict(sorted(found.items()))


def unconfirmed_lines(found: dict[str, float]) -> list[str]:
    """The same in words."""
    if not found:
        return []
    each = ", ".join(f"{label} {money(usd)}" for label, usd in found.items())
    whole = money(sum(found.values()))
    return [f"Not confirmed by the provider, and reckoned at the most that it can be: {whole} of the cost ({each})."]


def sheet(name: str, title: str, columns: Sequence[Column], rows: Sequence[Row], *, always: int = 1) -> Sheet:
    """A table without the columns, but for the first `always`, in which nobody has anything: they say nothing."""
    told = [
        column
        for place, column in enumerate(columns)
        if place < always or any(row.values.get(column.key) not in (None, 0, "") for row in rows)
    ]
    return Sheet(name, title, tuple(told), tuple(rows))


def file_name(what: str, table: Table) -> str:
    """What a table's file is named after."""
    return f"{what}-{table.run}-{table.game}-{table.game_index + 1}"
