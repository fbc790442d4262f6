"""Runs and matches as `parley runs` and `parley show` tell them: plain values for JSON and for tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from harness.cli.output import stamp
from harness.cli.unconfirmed import by_label, unconfirmed
from harness.telling import standing

if TYPE_CHECKING:
    from harness.records import MatchRecord, RunRecord, SeatStats
    from harness.store import Store
    from harness.store.forks import Origin

STATUSES = ("finished", "running", "stopped", "paused", "queued", "void")
"""A run or a match that is `running` by the database while nobody plays it is shown as `stopped`."""


def run_json(run: RunRecord, counts: Mapping[str, Any], held: bool, forks: Origin | None) -> dict[str, Any]:
    """A run of the list."""
    matches: dict[str, int] = {}
    for status, number in counts.get("matches", {}).items():
        shown = standing(status, held=held)
        matches[shown] = matches.get(shown, 0) + number
    return {
        "run": run.name,
        "status": standing(run.status, held=held),
        "why": run.why,
        "seed": run.seed,
        "games": list(dict.fromkeys(entry["game"] for entry in run.spec.get("games", ()))),
        "players": [player["label"] for player in run.spec.get("players", ())],
        "matches": {status: matches.get(status, 0) for status in STATUSES},
        "calls": counts.get("calls", 0),
        "tokens": counts.get("tokens", 0),
        "cost": counts.get("cost", 0.0),
        "unpriced": counts.get("unpriced", 0),
        "unconfirmed": counts.get("unconfirmed", 0.0),
        "begun": stamp(run.created_at),
        "ended": stamp(run.ended_at),
        "forked_from": None
        if forks is None
        else {"parents": forks.parents and list(forks.parents), "plies": list(forks.plies)},
    }


def whole_run_json(store: Store, run: RunRecord) -> dict[str, Any]:
    """A run with its settings, players and matches."""
    assert run.id is not None
    held = run.id in store.holders()
    counts = store.run_counts().get(run.id, {}) | {"unconfirmed": sum(unconfirmed(store, [run.id]).values())}
    described = run_json(run, counts, held, store.forks().get(run.id))
    fallbacks = _fallbacks(store.seat_stats([run.id]))
    del described["games"], described["players"], described["matches"]
    spec = run.spec
    return {
        **described,
        "versions": run.versions,
        "settings": {key: spec.get(key) for key in ("seating", "talk", "pledges", "interface", "retries", "on_illegal")}
        | {key: spec.get(key) for key in ("line_ups", "replicates", "until", "added") if key in spec},
        "games": [
            {key: entry.get(key) for key in ("game", "options", "seats", "start")} for entry in spec.get("games", ())
        ],
        "players": [_player_json(player) for player in spec.get("players", ())],
        "matches": [_line_of_match(match, held, fallbacks[match.id or 0]) for match in store.matches(run.id)],
    }


def _player_json(player: Mapping[str, Any]) -> dict[str, Any]:
    kind = next((kind for kind in ("model", "bot") if player.get(kind) is not None), "human")
    return {
        "label": player["label"],
        "kind": kind,
        "plays": player.get(kind) if kind != "human" else None,
        "persona": player.get("persona"),
    }


def _fallbacks(stats: Iterable[SeatStats]) -> Counter[int]:
    """How many fallbacks each match has."""
    found: Counter[int] = Counter()
    for one in stats:
        found[one.match_id] += one.fallback
    return found


def _line_of_match(match: MatchRecord, held: bool, fallbacks: int) -> dict[str, Any]:
    outcome = match.outcome or {}
    return {
        "match": match.id,
        "number": match.number,
        "game": match.game,
        "status": standing(match.status, held=held),
        "why": match.why,
        "turns": match.plies,
        "seats": {seat.seat: seat.label for seat in match.seats},
        "winners": list(outcome.get("winners", ())),
        "places": dict(outcome.get("places", {})),
        "reason": outcome.get("reason"),
        "fallbacks": fallbacks,
        "begun": stamp(match.started_at),
        "ended": stamp(match.ended_at),
        "forked_from": _fork_json(match),
    }


def _fork_json(match: MatchRecord) -> dict[str, Any] | None:
    if not match.forked or not match.lineage:
        return None
    last = match.lineage[-1]
    seats = {seat.seat: seat.label for seat in last.seats}
    return {"match": match.parent_id, "run": last.run, "ply": match.parent_ply, "seats": seats}


def match_json(store: Store, match: MatchRecord, run: str) -> dict[str, Any]:
    """A match with its seats and their figures."""
    assert match.run_id is not None
    stats = {one.seat: one for one in store.seat_stats([match.run_id]) if one.match_id == match.id}
    fallbacks = _fallbacks(stats.values())[match.id or 0]
    described = _line_of_match(match, match.run_id in store.holders(), fallbacks)
    del described["seats"]
    open_costs = by_label(unconfirmed(store, [match.run_id]), [match.id])
    return {
        **described,
        "run": run,
        "options": match.options,
        "scenario": match.scenario,
        "seed": match.seed,
        "pack": match.pack,
        "rotation": match.rotation,
        "versions": match.versions,
        "seats": [
            {
                "seat": seat.seat,
                "label": seat.label,
                "kind": seat.kind,
                "plays": seat.model,
                "persona": seat.persona,
                "identity": seat.identity,
                "place": described["places"].get(seat.seat),
                **_figures(stats.get(seat.seat)),
                "unconfirmed": open_costs.get(seat.label, 0.0),
            }
            for seat in match.seats
        ],
    }


FIGURES = (
    "turns",
    "forced",
    "fallback",
    "decisions",
    "illegal",
    "unreadable",
    "talk_faults",
    "failed",
    "messages",
    "pledges",
    "calls",
    "prompt_tokens",
    "cached_tokens",
    "completion_tokens",
    "reasoning_tokens",
    "cost",
    "unpriced",
    "latency_ms",
)


def _figures(stats: SeatStats | None) -> dict[str, Any]:
    return {name: 0 if stats is None else getattr(stats, name) for name in FIGURES}
