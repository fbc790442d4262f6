"""What of a cost no provider confirmed: calls that may have been paid for though nobody told what they took (given up
on the way, lost, answered without usage). They count at the worst price, which was set aside for them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from harness.cli.output import one_line
from harness.telling import money

if TYPE_CHECKING:
    from harness.store import Store

Unconfirmed = dict[tuple[int | None, str], float]
"""USD by match (None: calls of no match) and player's label, where it is not nothing."""


def unconfirmed(store: Store, run_ids: Iterable[int]) -> Unconfirmed:
    """What of these runs' cost is not confirmed."""
    found: Unconfirmed = defaultdict(float)
    for run_id in run_ids:
        for call in store.call_lines(run_id):
            if call.priced_by == "reserved" and call.cost:
                found[call.match_id, call.label] += call.cost
    return dict(found)


def by_label(parts: Unconfirmed, matches: Iterable[int | None]) -> dict[str, float]:
    """The sums of those matches by player's label, in order of label."""
    wanted = set(matches)
    found: dict[str, float] = defaultdict(float)
    for (match_id, label), usd in parts.items():
        if match_id in wanted:
            found[label] += usd
    return dict(sorted(found.items()))


def unconfirmed_line(parts: Mapping[str, float]) -> str:
    """The line below a table; empty where all is confirmed.

    >>> unconfirmed_line({}), unconfirmed_line({"ann": 0.25})
    ('', 'Not confirmed by the provider, and reckoned at the most that it can be: $0.2500 of the cost (ann $0.2500).')
    """
    if not parts:
        return ""
    each = ", ".join(f"{one_line(label)} {money(usd)}" for label, usd in parts.items())
    whole = money(sum(parts.values()))
    return f"Not confirmed by the provider, and reckoned at the most that it can be: {whole} of the cost ({each})."
