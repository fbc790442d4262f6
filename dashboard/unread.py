"""What of a page's address makes no sense: a page shows what is left of it, and says what it left out."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import get_args

from dashboard.data import MOST_PLAYERS, SHOWN, STATUSES, match_number
from harness.records import ErrorKind
from harness.reply import clean

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
    parts = ", ".join(" ".join(clean(one[: 4 * SHOWN]).split())[:SHOWN] for one in found)
    return f"Of the address this could not be read, and is left out: {parts}"


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
