"""What is missing from a table: matches that began and gave no result that counts, of whom, and why."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from harness.records import SeatStats
from harness.telling import standing

NOT_COUNTED = ("forfeit", "paused", "stopped", "void", "running", "queued", "no_result")
"""Fates of matches that enter no win rate; `stopped` is running though nobody plays it, `no_result` is finished without
places."""
MISSING = ("forfeit", "paused", "stopped", "void", "no_result")
"""Those of them that began and are not under way any more."""
OPEN = ("queued", "running", "stopped", "paused")
"""Fates of matches that may still give a result: their pack is not whole yet."""
BEARABLE = 0.05
"""The share of matches that may be missing, and by how much it may differ between players, in a comparable table."""

Matches = Mapping[tuple[str, int], Sequence[SeatStats]]
"""The seats of each match, by run and the database's number."""
Fates = Mapping[tuple[str, int], str]


class Cause(NamedTuple):
    """Missing matches of one fate for one reason, and how many of them each player sat in."""

    fate: str
    why: str | None
    matches: int
    players: dict[str, int]


class Lacking(NamedTuple):
    """How many of a player's matches began, and how many of those are missing."""

    label: str
    identity: str
    started: int
    missing: int


def fate(stat: SeatStats) -> str:
    """What became of a match: `counted`, or one of `NOT_COUNTED`."""
    if stat.status != "finished":
        return standing(stat.status, held=stat.held)
    if stat.reason == "forfeit":
        return "forfeit"
    return "no_result" if stat.place is None or not stat.winners else "counted"


def incomplete_packs(matches: Matches, fates: Fates) -> int:
    """How many packs have matches that count and others that do not."""
    kinds: dict[tuple[str, int], set[bool]] = defaultdict(set)
    for key, seated in matches.items():
        kinds[key[0], seated[0].pack].add(fates[key] == "counted")
    return sum(len(found) > 1 for found in kinds.values())


def too_much_missing(started: int, missing: int, players: Iterable[Lacking]) -> str | None:
    """Why so much is missing that players cannot be compared, if so; and of whom, where more of some is."""
    lacking = sorted((one.missing / one.started, one.label, one.identity) for one in players if one.started)
    of_whom = None
    if lacking and lacking[-1][0] - lacking[0][0] > BEARABLE:
        (least, fewest, _), (most, label, _) = lacking[0], lacking[-1]
        of_whom = f"{100 * most:.0f} % of {label}'s, {100 * least:.0f} % of {fewest}'s"
    if missing > BEARABLE * started:
        how_many = f"{missing} of {started} matches begun are missing ({100 * missing / started:.0f} %)"
        return f"{how_many}, unevenly: {of_whom}" if of_whom else how_many
    return f"matches are missing unevenly: {of_whom}" if of_whom else None


def causes(matches: Matches, fates: Fates) -> tuple[Cause, ...]:
    """Why matches are missing, the commonest first."""
    found: dict[tuple[str, str | None], list[Sequence[SeatStats]]] = defaultdict(list)
    for key, seated in matches.items():
        became = fates[key]
        if became in MISSING:
            forfeited = sorted(stat.label for stat in seated if (stat.place or 1) > 1)
            why = f"by {', '.join(forfeited)}" if became == "forfeit" else seated[0].why
            found[became, why].append(seated)
    told = [
        Cause(
            became,
            why,
            len(them),
            dict(sorted(Counter(label for seated in them for label in {stat.label for stat in seated}).items())),
        )
        for (became, why), them in found.items()
    ]
    return tuple(sorted(told, key=lambda cause: (-cause.matches, cause.fate, cause.why or "")))
