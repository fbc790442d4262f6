"""What commands, tables and pages tell in the same words: costs, endings, what nobody plays. Imports nothing heavy."""

from __future__ import annotations

from collections.abc import Sequence


def money(usd: float, unpriced: int = 0, *, calls: int | None = None) -> str:
    """An amount in USD, with what is not known named: `unpriced` calls have no known price.

    `calls` is how many calls the amount is of: a dash where there were none, which is not a cost of nothing.

    >>> money(0.0, calls=0), money(0.0, calls=3), money(0.01234), money(0.5, 3), money(0.0, 1)
    ('–', '$0.00', '$0.0123', '$0.5000 + unknown', '$0.00 + unknown')
    """
    if calls == 0:
        return "–"
    known = f"${usd:,.4f}" if usd else "$0.00"
    return f"{known} + unknown" if unpriced else known


def first_place(winners: Sequence[str], reason: str | None) -> str:
    """Who came first, each as it is to be named. A first place that several share is no win of each.

    >>> first_place(["r1 (p1)"], "out"), first_place([], "cap")
    ('r1 (p1) won', 'ended without a winner')
    >>> first_place(["r1 (p1)", "free (p2)"], "cap"), first_place(["r1 (p1)", "free (p2)"], "forfeit")
    ('draw: r1 (p1), free (p2)', 'first place shared after a forfeit: r1 (p1), free (p2)')
    """
    names = ", ".join(winners)
    if len(winners) == 1:
        return f"{names} won"
    if not winners:
        return "ended without a winner"
    return f"first place shared after a forfeit: {names}" if reason == "forfeit" else f"draw: {names}"


def standing(status: str, *, held: bool) -> str:
    """A status as it is shown: what nobody plays is not running."""
    return "stopped" if status == "running" and not held else status
