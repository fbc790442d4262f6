"""What differs between a run and the file it is asked to go on with."""

from __future__ import annotations

from typing import Any

import games
from harness.spec.faults import FieldError, path_text, shown
from harness.spec.models import Tournament
from harness.spec.tables import pack_size, pool, seats_at

MAY_CHANGE = ("matches", "parallel", "limits", "budget")
"""Keys that a run may be gone on with in another form; `matches` only upwards."""


def differences(old: Tournament, new: Tournament) -> list[str]:
    """Why a run of `old` cannot go on as `new`: one line for each key that differs; empty if it can.

    Both are compared with every default filled in, so that writing a default out is no difference.
    """
    found: list[str] = []
    before, after = old.to_json(), new.to_json()
    for key in before:
        if key not in MAY_CHANGE:
            _compare((key,), before[key], after[key], found)
    if not found:
        found.extend(_fewer(old, new))
    return found


def _fewer(old: Tournament, new: Tournament) -> list[str]:
    if all(then <= now for then, now in zip(_played(old), _played(new), strict=True)):
        return []
    return [f"matches: {shown(old.matches)} in the run, {shown(new.matches)} now; it may be raised, not lowered"]


def _played(spec: Tournament) -> list[int]:
    """Matches of each game, whole packs."""
    counts = []
    for entry in spec.games:
        try:
            size = pack_size(spec, seats_at(entry, games.get_game(entry.game), len(pool(spec, entry))))
        except (FieldError, KeyError):
            size = 1
        counts.append(-(-(spec.matches or 1) // size) * size)
    return counts


def _compare(path: tuple[str | int, ...], old: Any, new: Any, found: list[str]) -> None:
    if isinstance(old, dict) and isinstance(new, dict):
        for key in [*old, *(key for key in new if key not in old)]:
            _compare((*path, key), old.get(key), new.get(key), found)
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (one, other) in enumerate(zip(old, new, strict=True)):
            _compare((*path, index), one, other, found)
    elif isinstance(old, list) and isinstance(new, list):
        found.append(f"{path_text(path)}: {len(old)} in the run, {len(new)} now")
    elif old != new or isinstance(old, bool) != isinstance(new, bool):
        found.append(f"{path_text(path)}: {shown(old)} in the run, {shown(new)} now")
