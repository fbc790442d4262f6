"""What a seat does to another: help and harm, each of which was its own choice."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple

from harness.behaviour.dealings import CHOICE, STRIKES
from harness.behaviour.log import Played, Seat

Sense = Literal["help", "harm"]
SENSES: tuple[Sense, ...] = ("help", "harm")


class Act(NamedTuple):
    """One kind of deed."""

    name: str
    title: str
    sense: Sense
    summed: bool
    """Whether it enters the sum of its sense."""
    definition: str


ACTS = (
    Act("donated", "Donated", "help", True, "It gave a donation that the other asked for (`donate`)."),
    Act("gave_turn", "Gave the turn", "help", True, "It chose the other to go next (`turn` whose `why` is `choice`)."),
    Act("spared", "Spared", "help", True, "It could strike the other, as pledges to spare are judged, and did not."),
    Act("kept", "Kept a pledge", "help", False, "It kept a pledge made to the other."),
    Act("struck", "Struck", "harm", True, "It took something of the other's (`capture`, `nerf`, `kill`, `replace`)."),
    Act("refused", "Refused", "harm", True, "It gave no donation though the other asked for one (`refuse`)."),
    Act("broke", "Broke a pledge", "harm", False, "It broke a pledge made to the other."),
)
SENSE_OF = {act.name: act.sense for act in ACTS}
SUMMED = {act.name for act in ACTS if act.summed}
_OF = {"kill": "colour", "replace": "joker_of"}
"""The field that names whose it was, where that is not `of`."""
_STRIKES = (*STRIKES, "replace")
KINDS = frozenset({"donate", "refuse", CHOICE, *_STRIKES})
"""The event kinds that are read."""


class Deed(NamedTuple):
    """One deed of one seat towards another."""

    ply: int
    giver: Seat
    receiver: Seat
    act: str


def deeds(match: Played) -> list[Deed]:
    """Every deed of a match that was its seat's own choice, in order."""
    return sorted([*_done(match), *_spared(match), *_words(match)], key=lambda one: one.ply)


def _done(match: Played) -> Iterator[Deed]:
    """What events tell."""
    settled = {(deed.ply, deed.to): deed.counts for deed in match.judged.deeds if deed.kind == "spare"}
    fated = match.stood_in | {turn.ply for turn in match.turns if turn.legal_count == 1}

    def free(ply: int, to: Seat) -> bool:
        return settled.get((ply, to), ply not in fated)

    for kind, act, field in (("donate", "donated", "to"), ("refuse", "refused", "to"), (CHOICE, "gave_turn", "seat")):
        yield from _towards(match, kind, act, field, lambda ply, _: ply not in fated)
    for kind in _STRIKES:
        yield from _towards(match, kind, "struck", _OF.get(kind, "of"), free)


def _towards(match: Played, kind: str, act: str, field: str, free: Callable[[int, Seat], bool]) -> Iterator[Deed]:
    for one in match.happened(kind):
        to = one.fields.get(field)
        if isinstance(to, str) and to in match.labels and to != one.by and free(one.ply, to):
            yield Deed(one.ply, one.by, to, act)


def _spared(match: Played) -> Iterator[Deed]:
    for deed in match.judged.deeds:
        if deed.kind == "spare" and deed.kept and deed.counts and deed.alive:
            yield Deed(deed.ply, deed.maker, deed.to, "spared")


def _words(match: Played) -> Iterator[Deed]:
    for one in match.judged.pledges:
        if one.verdict in ("kept", "broken") and one.verdict_ply is not None and one.addressee in match.labels:
            yield Deed(one.verdict_ply, one.maker, one.addressee, "kept" if one.verdict == "kept" else "broke")
