"""What one seat is shown. Hidden information crosses from a match to a player here and nowhere else."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from games.api import Allowance, Event, Game, Message, Observation, Seat
from games.chance import Draws
from harness.prompt import Past


@dataclass
class Record:
    """All that has happened at a table so far, in order: what the spectator may know."""

    events: list[Event] = field(default_factory=list)
    messages: list[Message] = field(default_factory=list)


@dataclass
class Memory:
    """What the harness keeps for one seat between its decisions."""

    decision: int = 0
    """How often it has been asked."""
    shown: tuple[str, ...] = ()
    """The legal actions in the order in which they were shown when it was last asked."""
    events_seen: int = 0
    messages_seen: int = 0
    said: int = 0
    """Messages it has sent in this match."""
    notes: str = ""
    past: list[Past] = field(default_factory=list)


def observe(
    game: Game,
    state: Any,
    seat: Seat,
    seats: tuple[Seat, ...],
    record: Record,
    memory: Memory,
    *,
    asked: Literal["act", "talk"],
    talk: Allowance | None,
    pledges: bool,
) -> Observation:
    """The observation of one seat at this moment, by naming what is shown.

    Events are those whose audience holds the seat; messages those to all, to the seat, or from it. Both since it was
    last asked.
    """
    return Observation(
        game=game.name,
        seat=seat,
        seats=seats,
        decision=memory.decision,
        asked=asked,
        view=game.view(state, seat),
        events=tuple(event for event in record.events[memory.events_seen :] if event.reaches(seat)),
        messages=tuple(
            message
            for message in record.messages[memory.messages_seen :]
            if message.to == "all" or seat in (message.to, message.sender)
        ),
        legal=game.legal(state) if asked == "act" else (),
        alive=game.alive(state),
        notes=memory.notes,
        talk=talk,
        pledges=tuple(game.pledges) if pledges and talk is not None else (),
    )


def chance_key(run: str, number: int, seat: Seat, decision: int, purpose: str) -> str:
    """The key of chance that is not the match's own: never its seed, which is hidden from players.

    It depends on the run's name, the match's number, the seat and the seat's decision number alone.
    """
    return f"{run}:{number}:{seat}:{decision}:{purpose}"


def shown_order(key: str, legal: tuple[str, ...]) -> tuple[str, ...]:
    """The legal actions in the order shown to a player: shuffled, since models favour what stands first."""
    order = list(legal)
    Draws(key).shuffle(order)
    return tuple(order)
