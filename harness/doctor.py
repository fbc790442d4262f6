"""What went wrong in a run: failures by player and kind, retries, fallbacks, slow calls, odd flags. Pure functions."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from math import ceil
from typing import NamedTuple

from harness.records import INFRASTRUCTURE, OWN, CallLine, Json, SeatStats

SLOWEST = 5
"""Slow calls that are named."""
GROUPS = (("infrastructure", INFRASTRUCTURE), ("own", OWN))
FLAGS: dict[str, str] = {
    "prompt_cut": "the provider counted fewer prompt tokens than the text can have: it cut the prompt's front",
    "prompt_changed": "the request did not hold the prompt as it was asked to be sent",
    "params_dropped": "a parameter of the tournament file was not sent",
    "over_reserve": "it used more tokens than a call of this prompt and max_tokens can",
    "history": "so many of the oldest decisions were left out of the prompt, which was too long for the model",
    "reserved_tokens": "nobody told what it took: so many tokens were set aside for it and count as spent",
    "sent_twice": "the library sent the request twice by itself",
    "library_failed": "the provider answered, and the library failed to read it",
}
"""What each flag of a call means."""


class Fault(NamedTuple):
    """Failures of one kind of one player, with one example."""

    label: str
    model: str
    kind: str
    group: str
    """`infrastructure`, `own` (the model's), or `refused` (the provider will not take the request, or a limit)."""
    calls: int
    share: float
    """Of the player's calls."""
    example: CallLine


class Patient(NamedTuple):
    """One player's calls and decisions."""

    label: str
    model: str | None
    calls: int
    failed: int
    retries: int
    """Requests beyond the first of a decision, for whatever reason."""
    reckoned: int
    """Calls whose cost is what was reserved, since nobody told what they took."""
    decisions: int
    fallbacks: int
    fallback_share: float | None
    latency_median_ms: float | None
    latency_95_ms: float | None
    flags: dict[str, int]


class Report(NamedTuple):
    """A run's state of health. All lists are in an order that depends on the log alone."""

    calls: int
    failed: int
    players: tuple[Patient, ...]
    faults: tuple[Fault, ...]
    slowest: tuple[CallLine, ...]
    paused: dict[str, int]
    """Matches paused, by reason."""

    def to_json(self) -> Json:
        """Plain values."""
        return {
            "calls": self.calls,
            "failed": self.failed,
            "players": [one._asdict() for one in self.players],
            "failures": [{**one._asdict(), "example": _example(one.example)} for one in self.faults],
            "slowest": [_example(one) for one in self.slowest],
            "paused": [{"why": why, "matches": number} for why, number in self.paused.items()],
        }


def examine(calls: Iterable[CallLine], stats: Sequence[SeatStats]) -> Report:
    """The report on a run's calls and seats."""
    lines = sorted(calls, key=lambda call: call.id)
    by_label: dict[str, list[CallLine]] = defaultdict(list)
    for call in lines:
        by_label[call.label].append(call)
    labels = list(dict.fromkeys([stat.label for stat in stats] + [call.label for call in lines]))
    timed = [call for call in lines if call.latency_ms is not None]
    why = {stat.match_id: stat.why or "no reason given" for stat in stats if stat.status == "paused"}
    return Report(
        calls=len(lines),
        failed=sum(call.error_kind is not None for call in lines),
        players=tuple(_patient(label, by_label[label], stats) for label in labels),
        faults=tuple(fault for label in labels for fault in _faults(label, by_label[label])),
        slowest=tuple(sorted(timed, key=lambda call: (-(call.latency_ms or 0.0), call.id))[:SLOWEST]),
        paused=dict(sorted(Counter(why.values()).items(), key=lambda item: (-item[1], item[0]))),
    )


def _patient(label: str, calls: Sequence[CallLine], stats: Sequence[SeatStats]) -> Patient:
    own = [stat for stat in stats if stat.label == label]
    decisions, fallbacks = sum(stat.decisions for stat in own), sum(stat.fallback for stat in own)
    times = sorted(call.latency_ms for call in calls if call.latency_ms is not None and call.error_kind is None)
    return Patient(
        label=label,
        model=calls[0].model if calls else None,
        calls=len(calls),
        failed=sum(call.error_kind is not None for call in calls),
        retries=sum(call.attempt > 1 for call in calls),
        reckoned=sum(call.priced_by == "reserved" for call in calls),
        decisions=decisions,
        fallbacks=fallbacks,
        fallback_share=round(fallbacks / decisions, 6) if decisions else None,
        latency_median_ms=_quantile(times, 0.5),
        latency_95_ms=_quantile(times, 0.95),
        flags=dict(sorted(Counter(flag.partition(":")[0] for call in calls for flag in call.flags).items())),
    )


def _faults(label: str, calls: Sequence[CallLine]) -> list[Fault]:
    kinds: dict[str, list[CallLine]] = defaultdict(list)
    for call in calls:
        if call.error_kind is not None:
            kinds[call.error_kind].append(call)
    faults = [
        Fault(label, them[0].model, kind, group_of(kind), len(them), round(len(them) / len(calls), 6), _telling(them))
        for kind, them in kinds.items()
    ]
    return sorted(faults, key=lambda fault: (-fault.calls, fault.kind))


def _telling(calls: Sequence[CallLine]) -> CallLine:
    """The first call of the sentence that is most often told."""
    sentences = Counter(call.error for call in calls)
    most = max(sentences.values())
    return next(call for call in calls if sentences[call.error] == most)


def group_of(kind: str) -> str:
    """Whose trouble a kind of failure is."""
    return next((name for name, kinds in GROUPS if kind in kinds), "refused")


def _quantile(ordered: Sequence[float], share: float) -> float | None:
    return round(ordered[ceil(share * len(ordered)) - 1], 3) if ordered else None


def _example(call: CallLine) -> Json:
    return {
        "call": call.id,
        "match": call.match_id,
        "ply": call.ply,
        "seat": call.seat,
        "label": call.label,
        "kind": call.kind,
        "attempt": call.attempt,
        "http_status": call.http_status,
        "error_kind": call.error_kind,
        "error": call.error,
        "latency_ms": call.latency_ms,
        "completion_tokens": call.completion_tokens,
    }
