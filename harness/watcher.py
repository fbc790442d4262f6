"""Who looks on while a run is played."""

from __future__ import annotations

from typing import Protocol

from harness.records import CallRecord, MatchRecord, TurnRecord


class Progress(Protocol):
    """What is told of a run while it is played. Nothing here may raise."""

    def started(self, run: str, total: int, done: int) -> None:
        """The run begins or goes on; `done` matches of `total` are finished already."""

    def match_started(self, match: MatchRecord) -> None:
        """A match is being played."""

    def match_ended(self, match: MatchRecord, status: str, why: str | None) -> None:
        """A match ended or was paused."""

    def call(self, record: CallRecord) -> None:
        """A request to a model ended."""

    def turn(self, match: MatchRecord, turn: TurnRecord) -> None:
        """A turn was committed."""

    def note(self, line: str) -> None:
        """Something worth a line."""
