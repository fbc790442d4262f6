"""What the views of players' play have in common: who is shown in which order, and what a section is from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol, TypeVar

from harness.behaviour import gather
from harness.behaviour.bootstrap import LEAST_PACKS
from harness.behaviour.gather import COUNTED, Head, Player
from harness.leaderboard import Row, Table
from harness.rating_text import called
from harness.views.base import Behind, Choice, Figure, Kind
from harness.views.charts import distinct
from harness.views.results import Results
from harness.views.tables import game_title, title
from harness.views.words import several

Key = tuple[str, str]
"""A player's label and identity."""
Headed = TypeVar("Headed", bound=Head)
_KINDS: Mapping[str, Kind] = {"share": "share", "USD": "usd", "seconds": "seconds"}


class Named(Protocol):
    """Who played, in any of the packages' own words."""

    @property
    def label(self) -> str:
        """The name in the tournament file."""

    @property
    def identity(self) -> str:
        """The hash of all that makes that player."""


def kind_of(unit: str) -> Kind:
    """How a measure's unit is written; what is neither share, money nor time is a plain number."""
    return _KINDS.get(unit, "number")


def title_of(head: Head, results: Results) -> str:
    """What a table is of, in the words of the leaderboard."""
    tables = board_of(results, head)
    return title(tables[0], results) if tables else f"{game_title(head.game)}, {head.seats} seats"


def source_lines(head: Head) -> list[str]:
    """From how many matches a table is, what of them does not count, and whether there are intervals."""
    begun = sum(head.matches.values())
    told = f"From {head.counted:,} of {several(begun, 'match', 'matches')}, in {several(head.packs, 'pack', 'packs')}"
    forfeits = head.matches.get("forfeit", 0)
    if forfeits:
        told += f", {several(forfeits, 'forfeit', 'forfeits')} among them"
    lines = [f"{told}."]
    left = [
        f"{number:,} {fate.replace('_', ' ')}"
        for fate, number in head.matches.items()
        if fate not in COUNTED and number
    ]
    if left:
        lines.append(f"Not counted: {', '.join(left)}.")
    if head.forks:
        lines.append("From forks: each match began where its parent stood; what was played before counts for nobody.")
    if head.counted and head.packs < LEAST_PACKS:
        whole = "; all forks of one match are one pack" if head.forks else ""
        lines.append(f"No intervals: they take at least {LEAST_PACKS} packs{whole}.")
    return lines


def fitting(results: Results, heads: Iterable[Headed], choice: Choice) -> list[Headed]:
    """The chosen tables."""
    return [head for head in heads if results.fits(choice, head.run, head.game, head.game_index)]


def board_of(results: Results, head: Head) -> list[Table]:
    """The leaderboard's table of the same matches, or those in which they were pooled with others."""
    return [
        table
        for table in results.leaderboard.tables
        if table.key == head.key or (head.run in table.pooled and (table.game, table.seats) == (head.game, head.seats))
    ]


def ordered(results: Results, head: Head, players: Iterable[Player]) -> list[Player]:
    """Players in the order of the leaderboard, then those it has not."""
    rows: list[Row] = [row for table in board_of(results, head) for row in table.rows]
    places = {key_of(row): place for place, row in reversed(list(enumerate(rows)))}
    return sorted(players, key=lambda one: (places.get(key_of(one), len(places)), one))


def key_of(player: Named) -> Key:
    """Who a player is."""
    return player.label, player.identity


def labels_of(players: Sequence[Named]) -> dict[Key, str]:
    """Names for tables: labels; where two players have the same, with the beginning of their identity."""
    keys = [key_of(player) for player in players]
    return dict(zip(keys, called(keys), strict=True))


def names_of(players: Sequence[Named]) -> dict[Key, str]:
    """Names for axes, each its own."""
    labels = labels_of(players)
    return dict(zip(labels, distinct(labels.values()), strict=True))


def behind(head: Head, *labels: str, forfeits: bool = True, seat: str | None = None) -> Behind:
    """The matches of a table that enter figures, in which all of these sat, the first in that seat; or those of them
    that were played to their end."""
    players = tuple(dict.fromkeys(labels))
    reason = None if forfeits else "-forfeit"
    return Behind(head.run, players, head.game, head.game_index, "finished", reason, seat)


def figure(one: gather.Figure | None) -> Figure | None:
    """A measure's figure as views have it."""
    return None if one is None else Figure(one.value, one.interval)


def chance(row: Row) -> Figure:
    """A player's chance to win; where seats are not balanced, the share that it won."""
    if row.probability is None:
        return Figure(row.win_rate, row.win_interval)
    return Figure(row.probability, row.probability_interval)


def file_name(what: str, head: Head) -> str:
    """What a table's file is named after."""
    return f"{what}-{head.run}-{head.game}-{head.game_index + 1}"
