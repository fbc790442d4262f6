"""Players: whoever answers when a seat is asked. Three kinds: a model, a bot, a human."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from games.api import Observation
from harness.prompt import Context, Failure, Past
from harness.records import CallRecord, PlayerKind
from harness.reply import Completion, Reading


class Ask(NamedTuple):
    """One question to one seat, with all that an answer may be made from.

    `shown` are the legal actions in the order shown. `failures` are the answers of this decision that were not
    usable, oldest first. `recorded` are the calls of this very decision that an earlier process made and stored.
    `chance` is the key for whatever the player leaves to chance. `ply` is the next ply of the match.
    """

    observation: Observation
    shown: tuple[str, ...]
    context: Context
    history: Sequence[Past]
    failures: tuple[Failure, ...]
    match_id: int
    ply: int
    chance: str
    recorded: Sequence[CallRecord] = ()
    attempt: int = 0
    """Requests made for this decision so far."""


class Answer(NamedTuple):
    """What came back: always text, whoever answered. `error_kind` is set where there is nothing to read.

    `reading` is what the text was read as, where that was done already.
    """

    completion: Completion
    call_id: int | None = None
    error_kind: str | None = None
    error: str | None = None
    attempt: int = 0
    """Requests made for this decision, those of this answer included."""
    reading: Reading | None = None


class Player(Protocol):
    """Someone who answers. An answer that cannot be had at all raises (`harness.gateway.Paused`)."""

    label: str
    kind: PlayerKind

    async def answer(self, ask: Ask) -> Answer:
        """Answer one question."""
