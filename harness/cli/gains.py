"""What `--add-player` would add to a stored run: for commands that preview it, and the one that does it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from harness.cli.find import listing, opened
from harness.cli.output import one_line, several

if TYPE_CHECKING:
    from harness.records import Spend
    from harness.runs import Growth
    from harness.spec import Tournament


class Gain(NamedTuple):
    """What a stored run would gain, and how it stands."""

    grown: Growth
    open: int
    """Matches that the run has already and that are not over."""
    spent: Spend
    """What the run has taken so far."""


def gain(spec: Tournament, db: str | None) -> Gain:
    """What `run --add-player` would make of the stored run of this file; nothing is written.

    Raises:
        SpecError: where there is no such run, or the file differs from what it was begun with.
    """
    from harness.records import OVER
    from harness.runs import growth

    with opened(db) as store:
        grown = growth(spec, store)
        run = store.run(spec.name)
        assert run is not None
        assert run.id is not None
        still = {status: number for status, number in store.progress(run.id).items() if status not in OVER}
        return Gain(grown, sum(still.values()), store.spend(run.id))


def gain_in_words(grown: Growth) -> str:
    """How many matches a run gains by `--add-player`, and for whom."""
    gained = several(len(grown.more), "match", "matches")
    return f"{one_line(grown.spec.name)} gains {gained} by --add-player, for {listing(grown.joining) or 'nobody new'}."


def gain_json(grown: Growth) -> dict[str, Any]:
    """The same for programs."""
    return {"matches": len(grown.more), "players": list(grown.joining)}
