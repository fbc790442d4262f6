"""Measures of what players do to each other: gifts, strikes, and the move handed on. They go by kinds of events."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from harness.behaviour.log import Happened, Played, Seat
from harness.behaviour.registry import Tally, measure

STRIKES = ("capture", "kill", "nerf")
"""Events by which a seat takes something of another seat's, which their field `of` names (of a kill, its `colour`)."""


CHOICE = "turn:why=choice"
"""The move goes to whom the player on the move chose."""


def strikes(match: Played) -> list[tuple[Happened, Seat]]:
    """Every strike against another seat, with its target."""
    found = []
    for one in match.happened(*STRIKES):
        target = one.fields.get("of", one.fields.get("colour"))
        if target in match.labels and target != one.by:
            found.append((one, target))
    return found


def per_match(match: Played, times: Mapping[tuple[Seat, str], int]) -> Iterator[Tally]:
    """How often each seat did something to each other one in a match, in all and by the other's player."""
    for seat in match.seats:
        by_label: Counter[str] = Counter()
        for other in match.others(seat):
            by_label[match.labels[other]] += times.get((seat, other), 0)
        yield Tally(seat, None, by_label.total(), 1)
        by_label.pop(match.labels[seat], None)
        for label, number in by_label.items():
            yield Tally(seat, label, number, 1)


@measure("Donations asked for", unit="per match", by="who is asked", events=("ask",))
def donations_asked(match: Played) -> Iterator[Tally]:
    """How often the player asks for a donation in a match, in all and each other player.

    Unit: one request (`ask`). Numerator: its requests. Denominator: its matches (with that other player at the table).
    Left out: nothing; requests chosen by a fallback count too.
    """
    asked = Counter((one.by, one.fields["asked"]) for one in match.happened("ask"))
    return per_match(match, asked)


def _answers(match: Played, wanted: str) -> Iterator[Tally]:
    for one in match.happened("donate", "refuse"):
        if one.ply not in match.stood_in:
            for key in match.ways(one.by, one.fields["to"]):
                yield Tally(one.by, key, one.kind == wanted, 1)


@measure("Donations given", unit="share", by="who asks", events=("donate", "refuse"))
def donations_given(match: Played) -> Iterator[Tally]:
    """Of the times that the player was asked for a donation, the share in which it gave, in all and by who asked.

    Unit: one answer to a request. Numerator: `donate`. Denominator: `donate` and `refuse`. Left out: answers by a
    fallback, which are nobody's choice.
    """
    return _answers(match, "donate")


@measure("Donations refused", unit="share", by="who asks", events=("donate", "refuse"))
def donations_refused(match: Played) -> Iterator[Tally]:
    """Of the times that the player was asked for a donation, the share in which it gave none, in all and by who asked.

    Unit: one answer to a request. Numerator: `refuse`. Denominator: `donate` and `refuse`. Left out: answers by a
    fallback, which are nobody's choice.
    """
    return _answers(match, "refuse")


@measure("Captures and kills", unit="per match", by="target", events=STRIKES)
def strikes_made(match: Played) -> Iterator[Tally]:
    """How often the player strikes another seat in a match, in all and each other player.

    Unit: one strike: a `capture` or `nerf` of another's piece, or a `kill` of a chip of another's colour. Numerator:
    its strikes. Denominator: its matches (with that other player at the table). Left out: what a player does to its own
    pieces, and captures of piles, which belong to nobody.
    """
    made = Counter((one.by, target) for one, target in strikes(match))
    return per_match(match, made)


STRUCK, DRAWN = "struck", "by an even draw"


@measure("Strikes on donors", unit="points", by="which share", events=STRIKES, reads=("donate",))
def strikes_on_donors(match: Played) -> Iterator[Tally]:
    """How much oftener the player strikes one who had given to it than an even draw among those it could strike would,
    in percentage points; beside it both shares, of what it struck and of such a draw. At 0 it makes no difference to
    the player who gave; below 0 it spares them.

    Unit: one strike (see strikes_made) of its own choice, when somebody had donated to the player in this match and it
    could strike two or more others, as pledges to spare are judged. Numerator: 1 if the target had donated to it, less
    the share of donors among those whom some legal action would have struck. Denominator: those strikes. Left out:
    fallbacks, strikes before the first donation, and those with one possible target.
    """
    donors: dict[Seat, dict[Seat, int]] = {}
    for one in match.happened("donate"):
        donors.setdefault(one.fields["to"], {}).setdefault(one.by, one.ply)
    for one, target in strikes(match) if donors else ():
        given = donors.get(one.by)
        if given is None or min(given.values()) >= one.ply or one.ply in match.stood_in:
            continue
        open_to = match.could_strike.get(one.ply, ())
        if target in open_to and len(open_to) > 1:
            had = {seat for seat, ply in given.items() if ply < one.ply}
            struck, drawn = 100 * (target in had), 100 * len(had.intersection(open_to)) / len(open_to)
            yield Tally(one.by, None, struck - drawn, 1)
            yield Tally(one.by, STRUCK, struck, 1)
            yield Tally(one.by, DRAWN, drawn, 1)


@measure("Turn given", unit="share", by="who gets it", events=(CHOICE,), reads=("eliminated",))
def turn_given(match: Played) -> Iterator[Tally]:
    """Of the player's choices of who goes next, the share that went to another player (and not to itself), in all and
    by whom it went to.

    Unit: one `turn` event whose `why` is `choice`. Numerator: those in which another player (that player) got the turn.
    Denominator: all of them (while that player was in the game). Left out: choices by a fallback, and turns that the
    rules gave.
    """
    labels = match.labels
    others = {seat: [one for one in match.others(seat) if labels[one] != labels[seat]] for seat in match.seats}
    for one in match.happened(CHOICE):
        to = one.fields["seat"]
        if one.ply not in match.stood_in:
            yield Tally(one.by, None, to != one.by, 1)
            for other in others[one.by]:
                if match.lives(other, one.ply):
                    yield Tally(one.by, labels[other], to == other, 1)


@measure("First strike", unit="share", by="", events=STRIKES)
def first_strike(match: Played) -> Iterator[Tally]:
    """How far a match has gone when the player first strikes another seat, as a share of its plies.

    Unit: one match in which it strikes (see strikes_made). Numerator: the ply of its first strike over the match's
    plies. Denominator: those matches. Left out: matches in which it never does.
    """
    first: dict[Seat, int] = {}
    for one, _ in strikes(match):
        first.setdefault(one.by, one.ply)
    for seat, ply in first.items():
        yield Tally(seat, None, ply / match.plies, 1)
