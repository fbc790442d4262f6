"""What a page's address asks for, and the addresses of the matches behind figures.

`?page=leaderboard&run=3&run=5&game=star_ludo&set=options.chips=3&player=flash&pool=1`: runs by number or by name,
settings by name with their value as JSON. What makes no sense counts as not said.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple
from urllib.parse import urlencode

from dashboard.data import LONGEST, match_number
from harness.views.base import Behind, Choice

KEYS = ("run", "game", "set", "player", "pool")


class Asked(NamedTuple):
    """What a page is to show."""

    runs: tuple[int | str, ...] = ()
    """By number or name; empty: the newest."""
    choice: Choice = Choice()
    pool: bool = False


def asked(given: Mapping[str, Sequence[str]]) -> Asked:
    """What an address asks for, by key.

    >>> asked({"run": ["3,5", "x"]}).runs
    (3, 5, 'x')
    >>> asked({"set": ["options.chips=3"], "pool": ["1"]}).choice.settings
    (('options.chips', '3'),)
    """
    runs = [run for value in given.get("run", ()) for run in _runs(value)]
    pairs = (value.partition("=") for value in given.get("set", ()))
    return Asked(
        runs=tuple(dict.fromkeys(runs)),
        choice=Choice(
            game=_last(given, "game"),
            settings=tuple(sorted({(name, value) for name, _, value in pairs if name and value})),
            player=_last(given, "player"),
        ),
        pool=_last(given, "pool") == "1",
    )


def _runs(value: str) -> list[int | str]:
    """`3`, `3,5`, or a name."""
    numbers = [match_number(text) for text in value.split(",")]
    known: list[int | str] = [number for number in numbers if number is not None]
    return known if len(known) == len(numbers) else [value] if value else []


def _last(given: Mapping[str, Sequence[str]], key: str) -> str | None:
    values = given.get(key)
    return values[-1] or None if values else None


def written(wanted: Asked) -> dict[str, list[str]]:
    """The address that asks for it, by key; what is as it would be without it is left out."""
    choice = wanted.choice
    found = {
        "run": [str(run) for run in wanted.runs],
        "game": [choice.game] if choice.game else [],
        "set": [f"{name}={value}" for name, value in choice.settings],
        "player": [choice.player] if choice.player else [],
        "pool": ["1"] if wanted.pool else [],
    }
    return {key: values for key, values in found.items() if values}


def link(behind: Behind | None, runs: Mapping[str, int]) -> str | None:
    """The address of the matches behind a figure; `runs` are ids by name. None where there are none
    to show, or more than an address can name."""
    if behind is None:
        return None
    if behind.match is not None:
        place = {} if behind.ply is None else {"ply": behind.ply}
        return "./?" + urlencode({"match": behind.match, **place})
    run = runs.get(behind.run)
    if run is None:
        return None
    found = {
        "run": run,
        "players": json.dumps(behind.players) if behind.players else None,
        "game": behind.game,
        "entry": behind.entry,
        "status": behind.status,
        "reason": behind.reason,
        "seat": behind.seat,
        "had": behind.had,
        "matches": ",".join(map(str, behind.matches)) or None,
    }
    told = {key: str(value) for key, value in found.items() if value is not None}
    # A list that is cut short would be of other matches.
    if any(len(value) > LONGEST for value in told.values()):
        return None
    return "./?" + urlencode(told, errors="replace")
