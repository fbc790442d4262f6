"""A circuit breaker for each player: after too many questions in a row without an answer it is not asked any more."""

from __future__ import annotations

from harness.gateway import words
from harness.gateway.limits import give_up_of
from harness.gateway.types import Paused
from harness.spec import PlayerSpec, Tournament


class Breaker:
    """Counts, by player, the questions in a row that came to nothing. Once open it stays open for this process."""

    def __init__(self, spec: Tournament) -> None:
        self._spec = spec
        self._in_vain: dict[str, int] = {}
        self._open: dict[str, Paused] = {}

    def check(self, player: PlayerSpec) -> None:
        """Raises `Paused` for a player that is not asked any more."""
        paused = self._open.get(player.label)
        if paused is not None:
            raise Paused(paused.kind, paused.why)

    def answered(self, player: PlayerSpec) -> None:
        """A question was answered: the count begins anew."""
        self._in_vain.pop(player.label, None)

    def failed(self, player: PlayerSpec, paused: Paused) -> str | None:
        """A question came to nothing, for this reason. Where that was one too many: the line that says so, once."""
        label = player.label
        self._in_vain[label] = self._in_vain.get(label, 0) + 1
        if self._in_vain[label] < give_up_of(self._spec, player) or label in self._open:
            return None
        line = words.in_vain(player, self._in_vain[label], paused)
        self._open[label] = Paused(paused.kind, line)
        return line
