"""A match as measures see it: its log in lines that cost little, so that a million turns are read in one pass."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from harness.pledges import Judged, JudgedPledge, judge, judge_all
from harness.ratings.missing import fate
from harness.records import (
    OF_DECISIONS,
    OWN,
    CallRecord,
    Json,
    MatchRecord,
    MessageRecord,
    PledgeRecord,
    SeatStats,
    TurnRecord,
)

Seat = str


class TurnLine(NamedTuple):
    """One action. `events` is the JSON text of its events, which is read only where a measure asks for their kind."""

    ply: int
    seat: Seat
    action: str
    source: str
    decision: int
    plan_index: int
    shown_index: int | None
    legal_count: int
    events: str


class MessageLine(NamedTuple):
    """One message; `chars` is its length in characters, `talk` whether it was said in a talk round."""

    seq: int
    ply: int
    sender: Seat
    addressee: str
    chars: int
    talk: bool
    pledges: tuple[PledgeRecord, ...] = ()

    def reaches(self, seat: Seat) -> bool:
        """Whether a seat hears it."""
        return seat != self.sender and self.addressee in ("all", seat)


class Fault(NamedTuple):
    """One answer to a decision that could not be used: `kind` is one of `harness.records.OWN`."""

    seat: Seat
    decision: int
    attempt: int
    kind: str


class Happened(NamedTuple):
    """One event. `by` is the seat whose action it came of, `kind` as what it was asked for (see `Kinds`)."""

    ply: int
    by: Seat
    kind: str
    fields: Mapping[str, Any]


def win_share(stat: SeatStats) -> float:
    """1 for a first place, 1/k for one that k share, else 0."""
    return 1 / stat.winners if stat.place == 1 and stat.winners else 0.0


Parse = Callable[[str], list[Any]]


class Kinds:
    """Which events are read; the texts of all others are passed over unread.

    Each is a kind (`donate`), or a kind with the value of a field of words (`turn:why=choice`), which spares the
    reading of the many others of that kind.
    """

    def __init__(self, kinds: Iterable[str]) -> None:
        self._names: dict[str, list[tuple[str, str, str]]] = {}
        plain, conditions = [], []
        for name in sorted(set(kinds)):
            kind, _, condition = name.partition(":")
            field, _, value = condition.partition("=")
            self._names.setdefault(kind, []).append((name, field, value))
            if condition:
                conditions.append(re.compile(f'"{re.escape(field)}": ?"{re.escape(value)}"').search)
            else:
                plain.append(re.escape(kind))
        self._plain = re.compile(f'"kind": ?"(?:{"|".join(plain) or "(?!)"})"').search
        self._conditions = conditions

    def found(self, text: str) -> bool:
        """Whether the text of a turn's events may hold any of them; seldom one that holds none."""
        return bool(self._plain(text)) or any(search(text) for search in self._conditions)

    def names(self, event: Json) -> list[str]:
        """As which of them an event is read."""
        known = self._names.get(event["kind"], ())
        return [name for name, field, value in known if not field or event.get(field) == value]


class Played:
    """One match with all that measures read of it.

    Of a fork, what was played and said up to the fork belongs to another match: it is left out of `turns`, `messages`
    and `happened`, and is there for judging alone.
    """

    def __init__(
        self,
        match: MatchRecord,
        run: str,
        stats: Sequence[SeatStats],
        turns: Sequence[TurnLine],
        messages: Sequence[MessageLine],
        faults: Sequence[Fault],
        kinds: Kinds,
        parse: Parse = json.loads,
        latest: str = "",
    ) -> None:
        self.match = match
        self.run = run
        self.stats = {stat.seat: stat for stat in stats}
        self.seats: tuple[Seat, ...] = tuple(seat.seat for seat in match.seats)
        self.labels: dict[Seat, str] = {seat.seat: seat.label for seat in match.seats}
        self.fate = fate(stats[0]) if stats else match.status
        self.rules = (stats[0].rules if stats else None) or latest
        """The version of the rules that it counts under; of one that never began, the `latest` of its entry."""
        self.since = match.parent_ply or 0
        """Turns beyond this ply count."""
        self.all_turns, self.all_messages, self._kinds, self._parse = turns, messages, kinds, parse
        self.turns = [turn for turn in turns if turn.ply > self.since] if self.since else turns
        self.messages = [said for said in messages if said.ply > self.since] if self.since else messages
        self.faults = faults

    @property
    def plies(self) -> int:
        """How many actions the match has so far."""
        return len(self.all_turns)

    @cached_property
    def by_kind(self) -> dict[str, list[Happened]]:
        """What happened, by event kind, of the kinds that any measure reads."""
        found, names = self._kinds.found, self._kinds.names
        wanted = [turn for turn in self.turns if found(turn.events)]
        # One text is read in less than half the time that its pieces take.
        read = self._parse("[" + ",".join([turn.events for turn in wanted]) + "]")
        happened: dict[str, list[Happened]] = {}
        for turn, events in zip(wanted, read, strict=True):
            for event in events:
                for name in names(event):
                    happened.setdefault(name, []).append(Happened(turn.ply, turn.seat, name, event))
        return happened

    def happened(self, *kinds: str) -> Iterable[Happened]:
        """The events of these kinds, in order."""
        if len(kinds) == 1:
            return self.by_kind.get(kinds[0], ())
        return sorted((one for kind in kinds for one in self.by_kind.get(kind, ())), key=lambda one: one.ply)

    def others(self, seat: Seat) -> Iterator[Seat]:
        """The other seats, in seat order."""
        return (other for other in self.seats if other != seat)

    @cached_property
    def alone(self) -> frozenset[Seat]:
        """The seats whose player has no other one in this match: all, but for self-play."""
        seats = Counter(self.labels.values())
        return frozenset([seat for seat, label in self.labels.items() if seats[label] == 1])

    def ways(self, seat: Seat, other: Seat) -> tuple[str | None, ...]:
        """Where a deed towards another seat counts: in all, and for that seat's player if it is another one."""
        label = self.labels.get(other)
        return (None,) if label is None or label == self.labels[seat] else (None, label)

    @cached_property
    def stood_in(self) -> frozenset[int]:
        """The plies at which a fallback was played, which is nobody's choice."""
        return frozenset([turn.ply for turn in self.turns if turn.source == "fallback"])

    @cached_property
    def out(self) -> dict[Seat, int]:
        """The ply at which each seat went out, of those that an `eliminated` event names."""
        return {one.fields["seat"]: one.ply for one in self.happened("eliminated")}

    def lives(self, seat: Seat, ply: int) -> bool:
        """Whether a seat was not out before that ply."""
        return self.out.get(seat, ply) >= ply

    @cached_property
    def judged(self) -> Judged:
        """Every pledge and every deed that could settle one: the match is played again for this."""
        judged = judge_all(self.match, self.all_turns, self.all_messages)
        if not self.since:
            return judged
        deeds = [deed for deed in judged.deeds if deed.ply > self.since]
        return judged._replace(pledges=self._own(judged.pledges), deeds=deeds)

    @cached_property
    def pledges(self) -> Sequence[JudgedPledge]:
        """Every pledge with its verdict; the match is played again only if there is one."""
        if "judged" in self.__dict__:
            return self.judged.pledges
        return self._own(judge(self.match, self.all_turns, self.all_messages))

    @cached_property
    def could_strike(self) -> dict[int, set[Seat]]:
        """The other seats that some legal action would have struck, by ply, wherever a pledge to spare can be judged.
        The match is played again for this."""
        found: dict[int, set[Seat]] = {}
        for deed in self.judged.deeds:
            if deed.kind == "spare":
                found.setdefault(deed.ply, set()).add(deed.to)
        return found

    def _own(self, pledges: list[JudgedPledge]) -> list[JudgedPledge]:
        return [one for one in pledges if one.ply > self.since] if self.since else pledges


def played(
    match: MatchRecord,
    run: str,
    stats: Sequence[SeatStats],
    turns: Iterable[TurnRecord],
    messages: Iterable[MessageRecord] = (),
    calls: Iterable[CallRecord] = (),
    *,
    kinds: Iterable[str],
) -> Played:
    """A match from its records; `stats` are those of its seats, `kinds` the event kinds to be read."""
    lines = [
        TurnLine(
            *(turn.ply, turn.seat, turn.action, turn.source, turn.decision, turn.plan_index),
            *(turn.shown_index, turn.legal_count, json.dumps(turn.events)),
        )
        for turn in turns
    ]
    said = [
        MessageLine(one.seq, one.ply, one.sender, one.addressee, len(one.text), one.talk, one.pledges)
        for one in messages
    ]
    faults = [
        Fault(call.seat, call.decision, call.attempt, call.error_kind)
        for call in calls
        if call.kind in OF_DECISIONS and call.error_kind is not None and call.error_kind in OWN
    ]
    return Played(match, run, stats, lines, said, faults, Kinds(kinds))
