"""What a run was played with, as far as it may change who wins: what pooled runs are held against."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from harness.records import Json

OF_THE_RUN = ("seating", "talk", "pledges", "interface", "retries", "on_illegal")
OF_THE_GAME = ("options", "seats", "start")


def settings(run: str, spec: Json) -> dict[tuple[str, int], dict[str, str]]:
    """Of each entry of `games` of a run: its settings by dotted name, as JSON. `spec` has every default filled in."""
    found = {}
    for index, entry in enumerate(spec.get("games", ())):
        values = {name: spec.get(name) for name in OF_THE_RUN} | {name: entry.get(name) for name in OF_THE_GAME}
        # A run that was begun before there was this key had what is now its default.
        values["line_ups"] = spec.get("line_ups", "auto")
        found[run, index] = dict(_flat(values, ""))
    return found


def _flat(values: Mapping[str, Any], before: str) -> list[tuple[str, str]]:
    told: list[tuple[str, str]] = []
    for name, value in values.items():
        dotted = f"{before}{name}"
        told += _flat(value, f"{dotted}.") if isinstance(value, dict) and value else [(dotted, json.dumps(value))]
    return told
