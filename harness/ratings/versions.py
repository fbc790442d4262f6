"""What a table is of, so that runs, entries and versions of the rules are never thrown together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from harness.records import SeatStats

Entry = tuple[str, int, str, int]
"""Run, entry of `games` in its file, game, number of seats."""
TableKey = tuple[str, int, str, int, str]
"""The same, and the version of the rules; empty where no match began."""


def entry_of(stat: SeatStats) -> Entry:
    """Where a seat's match stands."""
    return stat.run, stat.game_index, stat.game, stat.seats


def latest_rules(stats: Iterable[SeatStats]) -> dict[Entry, str]:
    """The version of the rules by which the last match of each entry began; entries without one are left out."""
    latest: dict[Entry, tuple[int, str]] = {}
    for stat in stats:
        if stat.rules is not None:
            entry = entry_of(stat)
            latest[entry] = max(latest.get(entry, (-1, "")), (stat.number, stat.rules))
    return {entry: rules for entry, (_, rules) in latest.items()}


def rules_of(stat: SeatStats, latest: Mapping[Entry, str]) -> str:
    """The version of the rules that a match counts under: its own; of one that never began, the latest of its entry."""
    return stat.rules or latest.get(entry_of(stat), "")
