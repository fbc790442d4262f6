"""Compare a match's record with what its run's file and its outcome say of it."""

from __future__ import annotations

import json
from collections.abc import Mapping

from harness.records import Json, MatchRecord
from harness.replay import Difference
from harness.schedule import schedule
from harness.spec import stored


def ending_difference(match: MatchRecord, reason: str | None, places: Mapping[str, int | None]) -> Difference | None:
    """Compare the reason and each seat's place, as they are kept for tables of results, with the match's outcome."""
    outcome = match.outcome or {}
    if reason != outcome.get("reason"):
        return Difference(None, "reason", json.dumps(reason), json.dumps(outcome.get("reason")))
    for seat, place in places.items():
        derived = outcome.get("places", {}).get(seat)
        if place != derived:
            return Difference(None, f"place of {seat}", json.dumps(place), json.dumps(derived))
    return None


def planned(spec: Json) -> dict[int, MatchRecord]:
    """The matches that a run's file asks for, by number, without their players' identities: those depend on what is
    installed.

    Raises:
        ValueError: where the file cannot be read or asks for what cannot be.
    """
    return {match.number: match for match in schedule(stored(spec, str(spec.get("name"))), lambda *_: "")}


def record_difference(match: MatchRecord, plan: MatchRecord | None) -> Difference | None:
    """Compare who plays what, on which seed, from where, with what the run's file gives for that number.

    `plan` is None where the file gives nothing. A fork is not in its run's file, and is not compared with it.
    """
    if match.forked:
        return None
    if plan is None:
        return Difference(None, "number", str(match.number), "a number that the run's file gives")
    for name in ("game", "game_index", "options", "scenario", "seed", "pack", "rotation"):
        logged, derived = getattr(match, name), getattr(plan, name)
        if logged != derived:
            return Difference(None, name, json.dumps(logged), json.dumps(derived))
    if len(match.seats) != len(plan.seats):
        return Difference(None, "number of seats", str(len(match.seats)), str(len(plan.seats)))
    for number, (here, there) in enumerate(zip(match.seats, plan.seats, strict=True), start=1):
        for name in ("seat", "label", "kind", "model", "persona"):
            logged, derived = getattr(here, name), getattr(there, name)
            if logged != derived:
                return Difference(None, f"{name} of seat {number}", json.dumps(logged), json.dumps(derived))
    return None
