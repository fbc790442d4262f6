"""The verdict on every pledge, judged from what was done later. No model is asked.

A match is played again from its start by its logged actions, and each game says which decisions put a promise of a kind
to the test (`games.api.PledgeKind`). So whoever has the log has the verdicts, on any machine.

**Reach.** A pledge with a term of n holds for the rest of the turn in which it was made and for the n turns after it,
counted by the game's turn events. It is judged at the first occasion in that time. One that came with an action says
nothing of that action, which was decided with it: it is judged from the next one on. One made in a talk round is
judged from the action that follows.

**Condition.** "If you spare me, I donate" binds its maker only while the addressee holds up its side: it has done the
deed since, or a pledge of its own to do it is running. A decision before that settles nothing. Once the addressee has
had its first occasion for the deed and not done it, the promise binds no more.

**Verdicts.** `kept`; `broken`; `void` where the deciding act was a fallback, or no legal action would have decided
otherwise; `untested` where no occasion came. `Why` says more.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import Any, Literal, NamedTuple, Protocol

from games import GAMES, get_game
from games.api import Seat
from harness.records import OVER, Json, MatchRecord, MessageRecord, PledgeRecord
from harness.starts import handed_on

Verdict = Literal["kept", "broken", "untested", "void"]
Why = Literal["deed", "fallback", "no_choice", "no_occasion", "condition", "open", "log"]
"""What a verdict rests on: a free `deed` of the player's own; a `fallback` or `no_choice` in the deciding act; and for
untested pledges: `no_occasion` in the term or up to the end, the `condition` not met when occasions came, the term
still `open` in a match that goes on, or a `log` that cannot be followed so far."""
VERDICTS: tuple[Verdict, ...] = ("kept", "broken", "untested", "void")
PHASES = ("first third", "middle third", "last third")
"""Of the plies that a match has so far; a pledge belongs to the one in which it was made."""


def phase(ply: int, plies: int) -> str:
    """The one of `PHASES` that a ply belongs to, of a match of so many."""
    return PHASES[min(3 * (ply - 1) // max(plies, 1), 2)]


class TurnLike(Protocol):
    """What judging needs of a turn: `harness.records.TurnRecord` has it."""

    @property
    def ply(self) -> int:
        """Its number, from 1."""

    @property
    def action(self) -> str:
        """What was played."""

    @property
    def source(self) -> str:
        """How it came about; `fallback` is nobody's deed."""


class MessageLike(Protocol):
    """What judging needs of a message: `harness.records.MessageRecord` has it."""

    @property
    def seq(self) -> int:
        """Its number in the match, from 0."""

    @property
    def ply(self) -> int:
        """The next ply when it was said."""

    @property
    def sender(self) -> Seat:
        """Who made the pledges."""

    @property
    def talk(self) -> bool:
        """Said in a talk round, not with an action."""

    @property
    def pledges(self) -> Sequence[PledgeRecord]:
        """What was promised."""


class JudgedPledge(NamedTuple):
    """One pledge and what became of it. `seq` and `number` (from 0) say which pledge of which message it is."""

    seq: int
    number: int
    ply: int
    """The ply of its message: the next one when it was said."""
    maker: Seat
    addressee: Seat
    kind: str
    turns: int
    condition: str | None
    verdict: Verdict
    verdict_ply: int | None
    """The ply of the act that decided it; None while untested."""
    why: Why
    phase: str
    """One of `PHASES`."""


class Deed(NamedTuple):
    """One decision that could settle pledges of `kind` from `maker` to `to`, whether any was made or not."""

    ply: int
    turn: int
    """How many turn events the match had before it, those of its start not counted."""
    maker: Seat
    kind: str
    to: Seat
    kept: bool
    """It did what such a pledge promises."""
    free: bool
    """Another legal action would have done the opposite."""
    fallback: bool
    alive: bool
    """The addressee was still in the game."""
    pledged: bool = False
    """It settled a pledge."""
    running: bool = False
    """A pledge that this decision bears on was running, settled by it or not."""

    @property
    def counts(self) -> bool:
        """Whether it tells anything of its maker."""
        return self.free and not self.fallback


class Judged(NamedTuple):
    """A whole match: its pledges in the order in which they were made, and every deed that could settle one."""

    pledges: list[JudgedPledge]
    deeds: list[Deed]
    followed: int
    """The last ply up to which the log could be followed."""


def judge(match: MatchRecord, turns: Sequence[TurnLike], messages: Iterable[MessageLike]) -> list[JudgedPledge]:
    """The verdict on every pledge of a match, in the order in which they were made.

    `match` has its start, `turns` are all of its turns in order. Where the log cannot be followed (`verify` tells
    where), what was to be decided later is `untested`.
    """
    said = [message for message in messages if message.pledges]
    named = {kind for message in said for one in message.pledges for kind in (one.kind, one.condition)}
    return _judged(match, turns, said, named).pledges if said else []


def with_verdicts(match: MatchRecord, turns: Sequence[TurnLike], messages: Sequence[MessageRecord]) -> Json:
    """`messages` as JSON, each pledge with its `verdict`, `verdict_ply` and `why`; and `verdicts`: what was kept and
    broken, by the ply of the act (`ply`, `verdict`, and by `seq` and `number` the pledge)."""
    fates = {(one.seq, one.number): one for one in judge(match, turns, messages)}
    said = [message.model_dump(mode="json", exclude={"call_id"}) for message in messages]
    for message in said:
        for number, pledge in enumerate(message["pledges"]):
            fate = fates[message["seq"], number]
            pledge |= {"verdict": fate.verdict, "verdict_ply": fate.verdict_ply, "why": fate.why}
    decided = sorted(
        (one.verdict_ply, one.seq, one.number, one.verdict)
        for one in fates.values()
        if one.verdict_ply is not None and one.verdict != "void"
    )
    marks = [{"ply": ply, "verdict": verdict, "seq": seq, "number": number} for ply, seq, number, verdict in decided]
    return {"messages": said, "verdicts": marks}


def judge_all(match: MatchRecord, turns: Sequence[TurnLike], messages: Iterable[MessageLike]) -> Judged:
    """The same, with every deed that could have settled a pledge: what shares are compared with."""
    return _judged(match, turns, messages, None)


def _judged(
    match: MatchRecord, turns: Sequence[TurnLike], messages: Iterable[MessageLike], kinds: Collection[str | None] | None
) -> Judged:
    course = _follow(match, turns, kinds)
    made = [_Made.of(message, number, course) for message in messages for number in range(len(message.pledges))]
    over = match.outcome is not None or match.status in OVER
    court = _Court(course, made, plies=len(turns), over=over)
    pledges = [court.sentence(one) for one in made]
    return Judged(pledges, court.marked(), course.followed)


class _Course(NamedTuple):
    """What came about: the deeds in order, and the plies of turn events (a ply stands as often as it has some)."""

    deeds: list[Deed]
    turn_plies: list[int]
    followed: int


def _follow(match: MatchRecord, turns: Sequence[TurnLike], wanted: Collection[str | None] | None) -> _Course:
    """Play the match again; deeds of the kinds that are wanted, or of all."""
    deeds: list[Deed] = []
    turn_plies: list[int] = []
    ply = 0
    if match.game not in GAMES or match.start is None:
        return _Course(deeds, turn_plies, ply)
    game = get_game(match.game)
    if not game.pledges:
        return _Course(deeds, turn_plies, len(turns))
    kinds = [(kind, pledge.occasions) for kind, pledge in game.pledges.items() if wanted is None or kind in wanted]
    try:
        state: Any = game.load(match.start)
        for turn in turns:
            if turn.ply != ply + 1:
                break
            if match.lineage:
                state = handed_on(match, game, state, ply)
            step = game.apply(state, turn.action)
            for kind, occasions in kinds:
                for to, kept, free in occasions(state, turn.action):
                    maker, fallback, alive = (
                        game.to_act(state) or "",
                        turn.source == "fallback",
                        to in game.alive(state),
                    )
                    deeds.append(Deed(turn.ply, len(turn_plies), maker, kind, to, kept, free, fallback, alive))
            ply, state = turn.ply, step.state
            turn_plies += [ply for event in step.events if event.kind in game.turn_events]
    except ValueError:
        # A start that does not load, or an action that the rules refuse: `verify` tells of it.
        pass
    return _Course(deeds, turn_plies, ply)


class _Made(NamedTuple):
    """A pledge as it was made. `since` is the first ply whose act it bears on, `turn` counts the turn events before."""

    seq: int
    number: int
    ply: int
    since: int
    turn: int
    maker: Seat
    pledge: PledgeRecord

    @classmethod
    def of(cls, message: MessageLike, number: int, course: _Course) -> _Made:
        """The pledge of that number in a message."""
        since = message.ply if message.talk else message.ply + 1
        turn = bisect_left(course.turn_plies, message.ply)
        return cls(message.seq, number, message.ply, since, turn, message.sender, message.pledges[number])

    def covers(self, deed: Deed) -> bool:
        """Whether a deed of its maker's lies in its term."""
        return deed.ply >= self.since and deed.turn - self.turn <= self.pledge.turns


_Pair = tuple[Seat, str, Seat]


class _Court:
    """The deeds and the pledges of one match, by maker, kind and addressee."""

    def __init__(self, course: _Course, made: Sequence[_Made], *, plies: int, over: bool) -> None:
        self._course = course
        self._plies = plies
        self._over = over
        self._deeds: defaultdict[_Pair, list[Deed]] = defaultdict(list)
        self._made: defaultdict[_Pair, list[_Made]] = defaultdict(list)
        if made:
            for deed in course.deeds:
                self._deeds[deed.maker, deed.kind, deed.to].append(deed)
        for one in made:
            self._made[one.maker, one.pledge.kind, one.pledge.addressee].append(one)
        self._settling: set[tuple[int, str, Seat]] = set()
        self._bearing: set[tuple[int, Seat]] = set()

    def sentence(self, one: _Made) -> JudgedPledge:
        """What became of a pledge."""
        unmet = False
        for deed in self._deeds[one.maker, one.pledge.kind, one.pledge.addressee]:
            if not one.covers(deed):
                continue
            self._bearing.add((deed.ply, deed.to))
            met = self._met(one, deed)
            unmet = unmet or not met
            if met:
                self._settling.add((deed.ply, deed.kind, deed.to))
                return self._judged(one, *_verdict(deed), deed.ply)
        return self._judged(one, "untested", "condition" if unmet else self._nothing(one), None)

    def _nothing(self, one: _Made) -> Why:
        """Why nothing has put a pledge to the test."""
        if len(self._course.turn_plies) - one.turn > one.pledge.turns:
            return "no_occasion"
        if self._course.followed < self._plies:
            return "log"
        return "no_occasion" if self._over else "open"

    def _met(self, one: _Made, deed: Deed) -> bool:
        """Whether the addressee has held up its side when the maker acts."""
        condition = one.pledge.condition
        if condition is None:
            return True
        back = (one.pledge.addressee, condition, one.maker)
        done = [other for other in self._deeds[back] if one.ply <= other.ply < deed.ply]
        return done[0].kept if done else any(self._runs(other, deed) for other in self._made[back])

    def _runs(self, other: _Made, deed: Deed) -> bool:
        """Whether a pledge of the addressee's has been made and not been put to the test when the maker acts."""
        back = self._deeds[other.maker, other.pledge.kind, other.pledge.addressee]
        return other.covers(deed) and not any(other.since <= own.ply < deed.ply for own in back)

    def _judged(self, one: _Made, verdict: Verdict, why: Why, ply: int | None) -> JudgedPledge:
        pledge = one.pledge
        promise = (one.maker, pledge.addressee, pledge.kind, pledge.turns, pledge.condition)
        return JudgedPledge(one.seq, one.number, one.ply, *promise, verdict, ply, why, phase(one.ply, self._plies))

    def marked(self) -> list[Deed]:
        """Every deed, those on which pledges bear being marked."""
        if not self._bearing:
            return self._course.deeds
        return [
            deed._replace(running=True, pledged=(deed.ply, deed.kind, deed.to) in self._settling)
            if (deed.ply, deed.to) in self._bearing
            else deed
            for deed in self._course.deeds
        ]


def _verdict(deed: Deed) -> tuple[Verdict, Why]:
    if deed.fallback:
        return "void", "fallback"
    if not deed.free:
        return "void", "no_choice"
    return ("kept" if deed.kept else "broken"), "deed"
