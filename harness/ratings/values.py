"""Ratings as plain values for JSON: names of fields are keys, numbers are rounded to what means something."""

from __future__ import annotations

from typing import Any

from harness.ratings.rate import Assessed
from harness.ratings.table import Ratings, ranked
from harness.records import Json

PLACES = 6
"""What lies beyond differs between machines and means nothing."""


def plain(value: Any) -> Any:
    """A value made of named tuples, tuples, dictionaries, numbers and texts, as JSON has them."""
    if isinstance(value, float):
        return round(value, PLACES) + 0.0
    if isinstance(value, tuple):
        named = getattr(value, "_asdict", None)
        return plain(named()) if named is not None else [plain(one) for one in value]
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    return value


def players_json(seen: Assessed) -> list[Json]:
    """Who was rated, in order, each with its figures."""
    return [
        {"rank": rank, **plain(seen.players[at]), "group": seen.groups[at], **plain(seen.standings[at])}
        for rank, at, _ in ranked(seen)
    ]


def ratings_json(found: Ratings) -> Json:
    """What a table's ratings hold beside its rows."""
    views = [one for one in (found.models, *found.leave_one_out) if one is not None]
    return {
        "design_effect": plain(found.main.imagined),
        "seat_effects": plain(found.main.seats),
        "pairs": plain(found.main.pairs),
        "by_places": None
        if found.by_places is None
        else {**plain(found.agreement._asdict()), "rows": players_json(found.by_places)},
        "views": [
            {
                "view": one.name,
                "left_out": plain(one.left_out),
                "matches": one.matches,
                "rows": players_json(one.assessed),
                "changes": plain(one.changes),
            }
            for one in views
        ],
    }
