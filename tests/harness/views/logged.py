"""Results made of logs that a test names: matches of So Long Sucker whose players rotate, without a database."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from games.api import Json
from harness.behaviour.alliances import KINDS, Allying
from harness.behaviour.ledger import Judging
from harness.behaviour.log import Played, played
from harness.behaviour.tables import Measuring, kinds
from harness.records import MessageRecord, RunRecord
from harness.views.results import Results
from tests.harness.logs import logged, pledging, stats_of
from tests.harness.test_pledges import HIT_BY_BLUE, SPARED, START
from tests.harness.views.made import results, run_of

SEATS = ("red", "blue", "green", "yellow")
LABELS = ("a", "b", "c", "d")
PLACES = ((1, 2, 3, 4), (1, 3, 2, 4), (2, 1, 3, 4), (1, 2, 4, 3), (3, 1, 2, 4))
"""Who comes which, by label, from one pack to the next."""
Sums = Mapping[str, Any]


def match(
    number: int,
    labels: Sequence[str] = LABELS,
    *,
    size: int = 4,
    actions: Sequence[str] | None = None,
    messages: Sequence[MessageRecord] = (),
    sums: Callable[[str], Sums] = lambda label: {},
    identities: Mapping[str, str] | None = None,
    run: str = "r",
    rules: str = "1",
    **fields: Any,
) -> Played:
    """A match of a pack in which the players sit in turn in all seats; `sums` are of a label."""
    pack, turned = divmod(number, size)
    order = [*labels[turned % 4 :], *labels[: turned % 4]]
    places = dict(zip(labels, PLACES[pack % len(PLACES)], strict=True))
    kind = {label: "bot" if label in ("c", "d") else "model" for label in labels}
    seats = [
        {"seat": seat, "label": label, "kind": kind[label], "identity": (identities or {}).get(label, f"id-{label}")}
        for seat, label in zip(SEATS, order, strict=True)
    ]
    by_seat = {seat: places[label] for seat, label in zip(SEATS, order, strict=True)}
    outcome: Json = {
        "winners": [seat for seat, place in by_seat.items() if place == 1],
        "places": by_seat,
        "reason": "last_alive",
    }
    record, turns = logged(
        START,
        actions or (HIT_BY_BLUE if pack % 2 else SPARED),
        **{
            "id": 100 + number, "number": number, "pack": pack, "rotation": turned, "status": "finished",
            "outcome": outcome, "seats": tuple(seats), **fields,
        },
    )  # fmt: skip
    said = list(messages) or [pledging("blue", 1, "spare", "red"), pledging("red", 1, "give_turn", "blue", seq=1)]
    wanted: dict[str, dict[str, Any]] = {}
    for seat, label in zip(SEATS, order, strict=True):
        for name, value in sums(label).items():
            wanted.setdefault(name, dict.fromkeys(SEATS, 0))[seat] = value
    stats = [one.model_copy(update={"run": run, "rules": rules}) for one in stats_of(record, **wanted)]
    return played(record, run, stats, turns, said, kinds=kinds() | KINDS)


def packs(number: int, **more: Any) -> list[Played]:
    """So many packs of four."""
    return [match(one, **more) for one in range(4 * number)]


def of_logs(matches: Sequence[Played], run: RunRecord | None = None) -> Results:
    """All that views are made from, of these matches."""
    found = results([stat for one in matches for stat in one.stats.values()], runs=[run or run_of()])
    measuring, judging, allying = Measuring(), Judging(), Allying()
    for one in matches:
        judging.add(one)
        allying.add(one)
        measuring.add(one)
    found.__dict__["_from_logs"] = (measuring.result(), judging.result(), allying.result())
    return found


def costly(label: str) -> Sums:
    """What each label's calls took in a match: `a` much, `b` little, `c` and `d` nothing, being bots."""
    if label not in ("a", "b"):
        return {"decisions": 2}
    return {
        "decisions": 2,
        "calls": 2,
        "cost": 0.2 if label == "a" else 0.02,
        "latency_ms": 3000.0 if label == "a" else 800.0,
        "prompt_tokens": 1000,
        "completion_tokens": 100,
        "cached_tokens": 500,
        "reasoning_tokens": 50,
        "illegal": 1 if label == "b" else 0,
    }
