"""A progress that keeps what it is told."""

from __future__ import annotations

from collections.abc import Callable

from harness.records import CallRecord, MatchRecord, TurnRecord


class Watching:
    """Keeps notes, calls and turns; `on_turn` and `on_call` are told of each."""

    def __init__(
        self,
        on_turn: Callable[[MatchRecord, TurnRecord], None] | None = None,
        on_call: Callable[[CallRecord], None] | None = None,
    ) -> None:
        self.begun: list[tuple[str, int, int]] = []
        self.ended: list[tuple[int | None, str, str | None]] = []
        self.calls: list[CallRecord] = []
        self.turns = 0
        self.notes: list[str] = []
        self._on_turn = on_turn
        self._on_call = on_call

    def started(self, run: str, total: int, done: int) -> None:
        self.begun.append((run, total, done))

    def match_started(self, match: MatchRecord) -> None:
        pass

    def match_ended(self, match: MatchRecord, status: str, why: str | None) -> None:
        self.ended.append((match.id, status, why))

    def call(self, record: CallRecord) -> None:
        self.calls.append(record)
        if self._on_call is not None:
            self._on_call(record)

    def turn(self, match: MatchRecord, turn: TurnRecord) -> None:
        self.turns += 1
        if self._on_turn is not None:
            self._on_turn(match, turn)

    def note(self, line: str) -> None:
        self.notes.append(line)
