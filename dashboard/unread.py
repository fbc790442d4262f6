"""What of a page's address makes no sense, or names what is not there: a page shows what is left, and says what it left
out."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, get_args

from dashboard.data import MOST_PLAYERS, SHOWN, STATUSES, Query, match_number
from harness.records import ErrorKind, RunRecord
from harness.reply import clean
from harness.store import Store
from harness.views.base import Choice

_OF_CALLS = ("answer", "talk")
"""What `had` may begin with, before the kinds of errors."""


def of_runs(given: Mapping[str, str]) -> list[str]:
    """Of the address of the page of runs: each part that could not be read, as it stands there."""
    readable: dict[str, Callable[[str], bool]] = {
        "status": lambda text: text in STATUSES,
        "sheet": _is_number,
        "entry": _is_number,
        "players": _are_labels,
        "had": _is_fault,
        "matches": lambda text: all(map(_is_number, text.split(","))),
    }
    return [f"{name}={given[name]}" for name, fits in readable.items() if given.get(name) and not fits(given[name])]


def of_views(given: Mapping[str, Sequence[str]]) -> list[str]:
    """The same of a page that compares players."""
    found = [f"set={text}" for text in given.get("set", ()) if not all(text.partition("="))]
    return found + [f"pool={text}" for text in given.get("pool", ()) if text not in ("", "0", "1")]


def told(found: Sequence[str]) -> str:
    """Those parts in a sentence."""
    parts = ", ".join(map(short, found))
    return f"Of the address this could not be read, and is left out: {parts}"


class Unknown(NamedTuple):
    """A part of an address that names what is not there."""

    name: str
    value: str
    there: Sequence[str]
    """What could have been named."""


MOST_NAMED = 10
"""So many of what is there are named."""


def missing(found: Sequence[Unknown]) -> str:
    """Those parts in a line, and what there is."""
    return f"Not there, and left out: {'; '.join(map(_named, found))}."


def _named(one: Unknown) -> str:
    there = [short(name) for name in one.there[:MOST_NAMED]]
    more = f" and {len(one.there) - MOST_NAMED:,} more" if len(one.there) > MOST_NAMED else ""
    return f"{one.name} {short(one.value)} (there {'is' if len(one.there) == 1 else 'are'} {', '.join(there)}{more})"


def short(text: str) -> str:
    """A text of anybody's as it stands in a sentence."""
    return " ".join(clean(text[: 4 * SHOWN]).split())[:SHOWN]


def of_choice(
    choice: Choice, games: Sequence[str], players: Sequence[str], settings: Sequence[tuple[str, str]]
) -> tuple[Choice, list[Unknown]]:
    """What is left of a choice where there are only these, and what is not. Where nothing was played all is left."""
    found: list[Unknown] = []
    if not games:
        return choice, found
    if choice.game is not None and choice.game not in games:
        found.append(Unknown("game", choice.game, games))
        choice = choice._replace(game=None)
    if choice.player is not None and choice.player not in players:
        found.append(Unknown("player", choice.player, players))
        choice = choice._replace(player=None)
    for pair in choice.settings:
        if pair not in settings:
            name, value = pair
            # Of an option that is there its values are named, else the options.
            there = [other for key, other in settings if key == name] or sorted({key for key, _ in settings})
            found.append(Unknown("option", f"{name}={value}", there))
    return choice._replace(settings=tuple(pair for pair in choice.settings if pair in settings)), found


def of_matches(store: Store, run: RunRecord, query: Query) -> tuple[Query, list[Unknown]]:
    """What is left of a query where only this run's matches are, and what is not. Without matches all is left.

    Raises:
        StoreError: the database cannot be read.
    """
    exact, found = query.exact, []
    if not (exact.game or exact.seat or exact.players or exact.reason or exact.entry is not None):
        return query, []
    games, entries, reasons = store.played_as(run.id or 0)
    if not games:
        return query, []
    seats, labels = store.sitters(run.id or 0)
    # Figures lead to matches that ended by anything but a forfeit, whether there was one or not.
    reasons.add("forfeit")
    asked: list[tuple[str, Sequence[str], set[str]]] = [
        ("game", [exact.game] if exact.game else [], games),
        ("entry", [] if exact.entry is None else [str(exact.entry)], set(map(str, entries))),
        ("players", exact.players, labels),
        ("seat", [exact.seat] if exact.seat else [], seats),
        ("reason", [exact.reason.removeprefix("-")] if exact.reason else [], reasons),
    ]
    for name, values, there in asked:
        found += [Unknown(name, value, sorted(there)) for value in values if value not in there]
    return Query.read({**query._asdict(), **{one.name: "" for one in found}}), found


def _is_number(text: str) -> bool:
    return match_number(text) is not None


def _are_labels(text: str) -> bool:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(found, list) and len(found) <= MOST_PLAYERS and all(isinstance(one, str) for one in found)


def _is_fault(text: str) -> bool:
    before, _, more = text.partition(":")
    if text == "fallback" or before == "flag":
        return True
    kinds = more if before in _OF_CALLS else text
    return set(kinds.split(",")) <= set(get_args(ErrorKind))
