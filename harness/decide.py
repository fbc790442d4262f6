"""One decision: ask, read, ask again with what was wrong, fall back."""

from __future__ import annotations

from typing import Literal, NamedTuple

from games.api import Message
from games.chance import Draws
from harness.players import Answer, Ask, Player
from harness.prompt import Failure
from harness.records import Source
from harness.reply import Reading, read


class Decision(NamedTuple):
    """What a seat decided and how it came about.

    `actions` are to be played in order; the first is legal, the others are tried. Empty for a talk round, and for a
    forfeit (`forfeited`). `reply` is the text of the answer that counted (None where there was none).
    """

    actions: tuple[str, ...]
    source: Source
    messages: tuple[Message, ...] = ()
    cut: tuple[int, ...] = ()
    notes: str | None = None
    thoughts: str | None = None
    dropped: tuple[str, ...] = ()
    call_id: int | None = None
    forfeited: bool = False


class Policy(NamedTuple):
    """What the tournament file says of answers that are not usable."""

    retries: int
    on_illegal: Literal["fallback", "forfeit"]


async def decide(player: Player, ask: Ask, policy: Policy) -> Decision:
    """Get a usable decision out of a player.

    An unreadable or illegal answer is asked again `retries` times (a person as often as it takes); then the seat falls
    back to a legal action drawn by chance, or forfeits. In a talk round it stays silent instead.

    Raises:
        Paused: when the player cannot be reached.
    """
    failures: list[Failure] = []
    attempt = 0
    call_id = None
    while player.kind == "human" or len(failures) <= policy.retries:
        answer = await player.answer(ask._replace(failures=tuple(failures), attempt=attempt))
        attempt = answer.attempt
        call_id = answer.call_id
        reading = answer.reading or read(answer.completion, ask.observation)
        failure = _failure(answer, reading)
        if failure is None and reading.reply is not None:
            reply = reading.reply
            return Decision(
                actions=reply.actions if ask.observation.asked == "act" else (),
                source="human" if player.kind == "human" else "player",
                messages=reply.messages,
                cut=reading.cut,
                notes=reply.notes,
                thoughts=reply.thoughts,
                dropped=(*reading.dropped, *reading.dropped_pledges),
                call_id=answer.call_id,
            )
        failures.append(failure or Failure(answer.completion.content, "unreadable", "there was no answer"))
    return _without_answer(ask, policy, call_id)


def _failure(answer: Answer, reading: Reading) -> Failure | None:
    kind = answer.error_kind or reading.error_kind
    if kind is None:
        return None
    said = answer.completion.content or answer.completion.tool_arguments
    return Failure(said, kind, (reading.error if answer.error_kind is None else answer.error) or kind)


def _without_answer(ask: Ask, policy: Policy, call_id: int | None) -> Decision:
    if ask.observation.asked == "talk":
        return Decision((), "fallback", call_id=call_id)
    if policy.on_illegal == "forfeit":
        return Decision((), "fallback", call_id=call_id, forfeited=True)
    choice = Draws(f"{ask.chance}:fallback").choice(ask.observation.legal)
    return Decision((choice,), "fallback", call_id=call_id)
