"""The baseline bots. `random` and `greedy` are silent; `banker` and `turncoat` talk and pledge as models do.

A bot is told of events and messages since its last decision only, so what it needs for longer goes into its notes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from games.api import Bot, Message, Observation, Pledge, Reply, Seat
from games.chance import Draws
from games.so_long_sucker.tactics import can_donate, cheapest_gift, greedy_action, others

LONGEST_LINE = 120
"""No line of a bot is longer than this, in characters."""
TERM = 40
"""The term of a bot's pledges, in turns: the longest there is."""
REMINDER = 12
"""Decisions after which a standing offer is said again."""
FRESH = 2
"""A bot does not say again any of its last so many lines; so every occasion has more lines than this."""


class Memory(NamedTuple):
    """What a talking bot carries in its notes.

    `donors` ever gave it a chip; `thanked` are those it has acknowledged. `offered` is the decision at which it last
    made its standing offer and `table` how many were alive then; `pleaded` is the decision of its last plea; `said` are
    its last few lines, which it does not repeat at once.
    """

    donors: tuple[Seat, ...] = ()
    thanked: tuple[Seat, ...] = ()
    offered: int | None = None
    table: int = 0
    pleaded: int | None = None
    said: tuple[str, ...] = ()

    def to_notes(self) -> str:
        """The notes as JSON text."""
        return json.dumps(self._asdict())


def recall(seen: Observation) -> Memory:
    """The memory from the notes and from what happened since; notes that are no memory count as none."""
    try:
        kept = json.loads(seen.notes)
        memory = Memory(
            donors=tuple(seat for seat in kept["donors"] if seat in seen.seats),
            thanked=tuple(seat for seat in kept["thanked"] if seat in seen.seats),
            offered=None if kept["offered"] is None else int(kept["offered"]),
            table=int(kept["table"]),
            pleaded=None if kept["pleaded"] is None else int(kept["pleaded"]),
            said=tuple(str(line) for line in kept["said"])[-FRESH:],
        )
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
        memory = Memory()
    for event in seen.events:
        donor = event.fields.get("seat")
        if event.kind == "donate" and event.fields.get("to") == seen.seat and donor not in memory.donors:
            memory = memory._replace(donors=(*memory.donors, str(donor)))
    return memory


def random(seen: Observation, draws: Draws) -> Reply:
    """All legal actions alike; says nothing."""
    return Reply((draws.choice(seen.legal),) if seen.legal else ())


def greedy(seen: Observation, _draws: Draws) -> Reply:
    """Takes what it can and gives nothing; says nothing."""
    return Reply((greedy_action(seen),) if seen.legal else ())


def banker(seen: Observation, draws: Draws) -> Reply:
    """Donates to whoever donated to it before and to nobody else; plays like `greedy` otherwise."""
    memory = recall(seen)
    action = greedy_action(seen) if seen.legal else None
    asker = _asker(seen)
    if asker and action and asker in memory.donors:
        action = cheapest_gift(seen)
    voice = _Voice(seen, draws, memory.said)
    if action == "refuse" and asker:
        voice.say(_NO_CREDIT, asker, about=asker)
    elif asker and action:
        voice.say(_REPAYMENT, "all", about=asker)
    for donor in memory.donors:
        if (
            donor not in memory.thanked
            and donor in others(seen)
            and voice.say(_THANKS, "all", about=donor, pledges=[Pledge("donate", donor, TERM)])
        ):
            memory = memory._replace(thanked=(*memory.thanked, donor))
    memory = _plead(seen, memory, action, voice, condition="donate")
    if _time_to_offer(seen, memory, voice) and voice.say(_TERMS, "all"):
        memory = memory._replace(offered=seen.decision, table=len(seen.view["alive"]))
    return Reply((action,) if action else (), voice.messages, memory._replace(said=voice.said).to_notes())


def turncoat(seen: Observation, draws: Draws) -> Reply:
    """Promises donations to all; gives while three or more live, never when a refusal would leave two.

    So among three it refuses if no one else could still give, and among two always. Otherwise it plays like `greedy`.
    """
    memory = recall(seen)
    action = greedy_action(seen) if seen.legal else None
    asker = _asker(seen)
    if asker and action and _keeps_faith(seen):
        action = cheapest_gift(seen)
    voice = _Voice(seen, draws, memory.said)
    if action == "refuse" and asker:
        voice.say(_BETRAYAL, asker, about=asker)
    elif asker and action:
        voice.say(_GIFT if memory.offered is None else _FAITH, "all", about=asker)
    memory = _plead(seen, memory, action, voice, condition=None)
    if _time_to_offer(seen, memory, voice) and voice.say(
        _PROMISE if len(others(seen)) > 1 else _LAST_PROMISE,
        "all",
        about=others(seen)[0],
        pledges=[Pledge("donate", seat, TERM) for seat in others(seen)],
    ):
        memory = memory._replace(offered=seen.decision, table=len(seen.view["alive"]))
    return Reply((action,) if action else (), voice.messages, memory._replace(said=voice.said).to_notes())


class _Voice:
    """Collects messages within the allowance; a line that does not fit is not said rather than cut."""

    def __init__(self, seen: Observation, draws: Draws, said: tuple[str, ...]) -> None:
        self.seen = seen
        self.draws = draws
        self.said = said
        self.messages: tuple[Message, ...] = ()

    def say(self, lines: Sequence[str], to: str, *, about: Seat | None = None, pledges: Sequence[Pledge] = ()) -> bool:
        """Say one of the lines, with `{them}` put in; to all where private words are not allowed. Whether it was."""
        talk = self.seen.talk
        if talk is None or len(self.messages) >= talk.messages:
            return False
        texts = [line.format(them=about, Them=(about or "").capitalize()) for line in lines]
        fitting = [text for text in texts if len(text) <= min(LONGEST_LINE, talk.chars)]
        if not fitting:
            return False
        text = self.draws.choice([text for text in fitting if text not in self.said] or fitting)
        self.said = (*self.said, text)[-FRESH:]
        carried = tuple(pledge for pledge in pledges if pledge.kind in self.seen.pledges)
        addressee = to if talk.private else "all"
        self.messages += (Message(self.seen.seat, addressee, text, carried),)
        return True


def _asker(seen: Observation) -> Seat | None:
    """Who asks the bot for a chip right now, if anybody does."""
    view = seen.view
    asked = view["phase"] == "answer" and view["to_act"] == seen.seat
    return str(view["mover"]) if asked else None


def _keeps_faith(seen: Observation) -> bool:
    view = seen.view
    if len(view["alive"]) > 3:
        return True
    still_to_ask = [seat for seat in others(seen) if seat != view["mover"] and seat not in view["asked"]]
    return any(can_donate(view, seat) for seat in still_to_ask)


def _plead(seen: Observation, memory: Memory, action: str | None, voice: _Voice, condition: str | None) -> Memory:
    """Out of chips: beg whoever is asked, with a promise to give in turn; once for each request."""
    view = seen.view
    if view["mover"] != seen.seat or view["phase"] not in ("ask", "answer"):
        return memory
    if action:
        giver = action.removeprefix("ask ")
    elif memory.pleaded is None or memory.pleaded < seen.decision - 1:
        giver = str(view["to_act"])
    else:
        return memory
    if giver != seen.seat and voice.say(_PLEA, giver, about=giver, pledges=[Pledge("donate", giver, TERM, condition)]):
        return memory._replace(pleaded=seen.decision)
    return memory


def _time_to_offer(seen: Observation, memory: Memory, voice: _Voice) -> bool:
    """A standing offer is made at first, when somebody has gone out, and now and then; one thing at a time."""
    begging = seen.view["mover"] == seen.seat and seen.view["phase"] in ("ask", "answer")
    if voice.messages or begging or not others(seen):
        return False
    if memory.offered is None or memory.table != len(seen.view["alive"]):
        return True
    return seen.decision - memory.offered >= REMINDER


_TERMS = (
    "I keep books: whoever gives me a chip gets one back. Nobody else does.",
    "My terms are simple. Lend to me and I lend to you.",
    "No gifts from me, only repayments. Be the first to lend and you are safe with me.",
    "The bank is open: one chip for me today is one chip for you when you run dry.",
    "Ask those I owe whether I pay. I owe only those who gave.",
)
_THANKS = (
    "{Them} gave me a chip. I owe {them} one and will pay.",
    "Entered: one chip from {them}. {Them} can ask me whenever the need comes.",
    "Thank you, {them}. Your account with me is open.",
    "That was {them}'s chip that saved me. I do not forget a lender.",
)
_REPAYMENT = (
    "I pay what I owe: here is your chip, {them}.",
    "{Them} lent to me once. Here it comes back.",
    "Debts first. This one is for {them}.",
)
_NO_CREDIT = (
    "Nothing lent, nothing owed. Sorry, {them}.",
    "I looked you up, {them}: you never gave me a chip.",
    "No entry under {them}, so no chip.",
    "You had your chances to lend, {them}.",
)
_PLEA = (
    "I am out of chips, {them}. Give me one and you get one from me when you need it.",
    "One chip, {them}. I will be worth more to you alive.",
    "{Them}, help me now and I help you later.",
    "Without me you face the others alone, {them}. One chip keeps me here.",
)
_PROMISE = (
    "Nobody has to go out: whoever is empty gets a chip from me.",
    "Count on me, all of you. Ask and I give.",
    "I give to everyone who asks. Let us keep this table full.",
    "You have my word: run dry, ask me, and you play on.",
    "No enemies here. My chips are your chips when you need one.",
)
_LAST_PROMISE = (
    "Just us two now, {them}. My word stands: ask and I give.",
    "We came this far together, {them}. I would not let you fall now.",
    "Only {them} and I are left. I will not be the one to end it.",
)
_GIFT = (
    "Of course, {them}. Take this.",
    "{Them} asks, I give. Let the others see it.",
    "One chip for {them}, gladly.",
)
_FAITH = (
    "As promised, {them}: here you are.",
    "My word is good. A chip for {them}.",
    "{Them} asks, I give. Remember that.",
    "There you go, {them}. Stay with us.",
)
_BETRAYAL = (
    "I said it and I meant it then. Not now, {them}.",
    "My word was good until today, {them}. So long.",
    "Nothing personal, {them}. There is room for one only.",
    "Promises are for crowded tables, {them}.",
)

BOTS: Mapping[str, Bot] = {"random": random, "greedy": greedy, "banker": banker, "turncoat": turncoat}
"""The bots by the names that a tournament file uses."""
