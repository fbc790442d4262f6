"""What a fork's players take over: the decisions of the match before the fork, as its seats remember them.

A fork's log begins with a copy of its parent's. The loop runs over it as over any log that an earlier process left,
but nobody is asked there: each decision is put together from the copied turns and messages. Words that no turn holds
(thoughts and notes of a talk round, the rest of a plan) are read again from the copied calls, or asked of the very bot
that sat there, whose chance is known.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from games import get_game
from games.api import Message, Observation, Pledge, Seat
from games.chance import Draws
from harness.decide import Decision
from harness.observation import chance_key
from harness.players.bot import reply_text
from harness.records import OWN, CallRecord, MatchRecord, MessageRecord, SeatRecord, Stretch, TurnRecord
from harness.reply import Completion, Reading, read


class LogDiffers(Exception):
    """An unfinished match does not come out again as its log has it, so it cannot be gone on with."""


class Before:
    """The part of a fork's log that was played in other matches."""

    def __init__(
        self,
        match: MatchRecord,
        turns: Sequence[TurnRecord],
        messages: Sequence[MessageRecord],
        calls: Sequence[CallRecord],
    ) -> None:
        self._match = match
        self._game = get_game(match.game)
        self.ends = frozenset(stretch.until for stretch in match.lineage)
        """Plies at which others took over."""
        self.ply = max(self.ends, default=0)
        """The last ply that was played before."""
        self._turns: dict[tuple[Seat, int], list[TurnRecord]] = defaultdict(list)
        self._said: dict[tuple[Seat, int, bool], list[MessageRecord]] = defaultdict(list)
        self._calls: dict[tuple[Seat, int], list[CallRecord]] = defaultdict(list)
        for turn in turns:
            if turn.ply <= self.ply:
                self._turns[turn.seat, turn.decision].append(turn)
        for message in messages:
            if message.ply <= self.ply:
                self._said[message.sender, message.ply, message.talk].append(message)
        for call in calls:
            if call.kind == "copied" and (call.error_kind is None or call.error_kind in OWN):
                self._calls[call.seat, call.decision].append(call)

    def player(self, seat: Seat, ply: int) -> SeatRecord:
        """Who sat there when the ply after that one was decided."""
        return next(one for one in self._stretch(ply).seats if one.seat == seat)

    def decision(self, observation: Observation, ply: int) -> Decision:
        """What a seat decided then; `ply` is the last one played before.

        Raises:
            LogDiffers: when it decided nothing there.
        """
        seat, number = observation.seat, observation.decision
        played = self._turns.get((seat, number), [])
        said = self._said.get((seat, ply + 1, observation.asked == "talk"), [])
        reading = self._reading(observation, ply)
        own = self.player(seat, ply).kind
        words = Decision(
            actions=tuple(turn.action for turn in played),
            source="human" if own == "human" else "player",
            messages=tuple(map(_message, said)),
            cut=tuple(index for index, message in enumerate(said) if message.cut),
            call_id=next((call.id for call in reversed(self._calls.get((seat, number), []))), None),
        )
        if observation.asked == "talk":
            return self._talk(words, reading, own)
        first = played[0] if played else None
        if first is None:
            raise LogDiffers(
                f"ply {ply + 1} is no decision {number} of {seat} in the log; the run cannot go on with this version"
            )
        plan = reading.reply.actions if reading is not None and reading.reply is not None else ()
        whole = first.source in ("player", "human") and plan[: len(played)] == words.actions
        return words._replace(
            actions=plan if whole else words.actions,
            source=first.source,
            notes=first.notes,
            thoughts=first.thoughts,
            dropped=first.dropped,
            call_id=first.call_id,
        )

    def carried(self, seat: Seat, ply: int, notes: str, now: SeatRecord) -> str:
        """A seat's notes as whoever takes it over at that ply gets them. A bot's are of use to that bot alone."""
        before = self.player(seat, ply - 1) if ply else now
        same = (before.kind, before.model) == (now.kind, now.model)
        return notes if same or "bot" not in (before.kind, now.kind) else ""

    def seated(self, ply: int) -> tuple[SeatRecord, ...]:
        """Who sat where after that ply."""
        return self._stretch(ply).seats if ply < self.ply else self._match.seats

    def _stretch(self, ply: int) -> Stretch:
        return next(stretch for stretch in self._match.lineage if ply < stretch.until)

    def _talk(self, words: Decision, reading: Reading | None, own: str) -> Decision:
        if reading is None or reading.reply is None:
            # Only a model's answer can have been of no use; of a person's, the words said are all that is kept.
            return words if words.messages or own == "human" else words._replace(source="fallback")
        return words._replace(
            notes=reading.reply.notes,
            thoughts=reading.reply.thoughts,
            dropped=(*reading.dropped, *reading.dropped_pledges),
        )

    def _reading(self, observation: Observation, ply: int) -> Reading | None:
        """The reply behind a decision, where it can be had again."""
        stretch = self._stretch(ply)
        player = self.player(observation.seat, ply)
        bot = self._game.bots.get(player.model or "") if player.kind == "bot" else None
        if bot is not None:
            key = chance_key(stretch.run, stretch.number, player.seat, observation.decision, "choice")
            return read(Completion(reply_text(bot(observation, Draws(key))), None, None, "stop"), observation)
        calls = self._calls.get((observation.seat, observation.decision))
        if not calls or calls[-1].error_kind is not None:
            return None
        call = calls[-1]
        return read(Completion(call.content, call.reasoning, call.tool_arguments, call.finish_reason), observation)


def _message(record: MessageRecord) -> Message:
    pledges = tuple(Pledge(one.kind, one.addressee, one.turns, one.condition) for one in record.pledges)
    return Message(record.sender, record.addressee, record.text, pledges)
