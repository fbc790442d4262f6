"""What goes into the gateway and what comes out of it besides records."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from harness.records import CallKind, ErrorKind, Json, PromptMessage, ReadBy
from harness.reply import Completion


class Verdict(NamedTuple):
    """What the reader made of an answer; it is put on the call's record before that is stored."""

    read_by: ReadBy | None
    error_kind: ErrorKind | None
    error: str | None


class CallRequest(NamedTuple):
    """One question to one player's model. `attempt` is the number of this decision's next request, from 1.

    `more_room` doubles what the answer may have of tokens (the last one was cut off or empty). `read` judges the
    answer;
    it must be pure and must not raise.
    """

    label: str
    prompt: tuple[PromptMessage, ...]
    schema: Json | None
    kind: CallKind
    match_id: int | None
    ply: int
    seat: str
    decision: int
    attempt: int
    read: Callable[[Completion], Verdict]
    more_room: bool = False
    flags: tuple[str, ...] = ()
    """What the asker wants to stand on the record among what is odd about the call."""


class Stopped(Exception):
    """The run was asked to stop before the request was sent: nothing was asked, nothing is wrong."""


class Paused(Exception):
    """No answer can be had: the match has to wait (or, with `everyone`, the whole run).

    `kind` is the cause. `why` is one line that names the player, what happened and what would help.
    """

    def __init__(self, kind: ErrorKind, why: str, *, everyone: bool = False) -> None:
        super().__init__(why)
        self.kind: ErrorKind = kind
        self.why = why
        self.everyone = everyone
        self.attempt = 0
        """The number of the last request that was made for this question; 0 if there was none."""
