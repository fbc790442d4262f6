"""Are these two told apart yet? Asked of a run that is under way, answered from whole packs only."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from harness.ratings.ballots import ballots
from harness.ratings.looks import Plan, Verdict, follow
from harness.ratings.missing import OPEN, fate
from harness.ratings.pairs import Difference
from harness.ratings.rate import gap
from harness.records import SeatStats


def told_apart(stats: Iterable[SeatStats], first: str, second: str, looks: Plan) -> Verdict:
    """Whether two players of one table, named by label, are told apart by the packs that are whole so far.

    Packs are taken in their order, up to the first that is not whole, and every look up to there is judged from the
    packs that it was planned for: whatever was played at once with them, and is there already, changes nothing. The
    first look that tells them apart ends it. Matches that were void or ended by forfeit leave their pack whole, and
    enter nothing. Where a label stands for players of several identities, it is no one player: nothing is decided.
    """
    packs: dict[int, list[SeatStats]] = defaultdict(list)
    for stat in stats:
        packs[stat.pack].append(stat)
    whole: list[list[SeatStats]] = []
    for _, seated in sorted(packs.items()):
        if any(fate(stat) in OPEN for stat in seated):
            break
        whole.append(seated)

    def at(look: int) -> Difference | None:
        return _difference([stat for seated in whole[:look] for stat in seated], first, second)

    return follow(looks, len(whole), at)


def _difference(stats: list[SeatStats], first: str, second: str) -> Difference | None:
    found = ballots(stat for stat in stats if fate(stat) == "counted")
    labels = [player.label for player in found.players]
    if not labels.count(first) == labels.count(second) == 1:
        return None
    return gap(found, labels.index(first), labels.index(second))
