"""The tournament of a run as the database has it."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from harness.spec.faults import SpecError, fault_of, printable
from harness.spec.models import Tournament


def stored(
    data: dict[str, Any],
    run: str,
    *,
    parallel: int | None = None,
    usd: float | None = None,
    tokens: int | None = None,
) -> Tournament:
    """A stored run's tournament, with what is given in place of what is stored.

    `usd` and `tokens` are the whole run's budget. They stand in before anything is read, so that a stored budget that
    cannot be read is replaced by them.

    Raises:
        SpecError: in one line that names the run and the key, where the outcome cannot be read.
    """
    changed = dict(data)
    budget = {key: value for key, value in (("usd", usd), ("tokens", tokens)) if value is not None}
    if budget:
        before = changed.get("budget")
        changed["budget"] = {**(before if isinstance(before, dict) else {}), **budget}
    if parallel is not None:
        changed["parallel"] = parallel
    try:
        return Tournament.from_json(changed)
    except ValidationError as error:
        fault = fault_of(error, Tournament)
    way_out = {"budget.usd": "--usd AMOUNT", "budget.tokens": "--tokens N", "parallel": "--parallel N"}.get(fault.path)
    hint = f"; `parley resume RUN {way_out}` replaces it" if way_out else ""
    raise SpecError(f"the tournament of the run {printable(run)!r} cannot be read: {fault}{hint}")
