"""How much of its history a seat is still shown once its prompts have grown too long for its model.

What is left out is the oldest, and it stays out: the start of the prompt is then the same from one decision to the
next, which a provider's prefix cache needs. All that is known of it stands on the calls (`history:-N`), so that a
match that is gone on with leaves out the same.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeVar

from harness.records import CallRecord

T = TypeVar("T")
_FLAG = re.compile(r"history:-(\d+)")


class Shortened:
    """The earlier decisions of one seat as they are shown for one more.

    `limit` is how many the interface wants (None: all), `decisions` how many there are, `left_out` how many of the
    oldest are not shown any more.
    """

    def __init__(self, limit: int | None, decisions: int, left_out: int) -> None:
        self._decisions = decisions
        self.wanted = decisions if limit is None else min(limit, decisions)
        self.left_out = left_out

    @property
    def kept(self) -> int:
        """How many are shown."""
        return max(0, min(self.wanted, self._decisions - self.left_out))

    @property
    def missing(self) -> int:
        """How many of those that the interface wants are not shown."""
        return self.wanted - self.kept

    @property
    def flags(self) -> tuple[str, ...]:
        """What a call is marked with."""
        return (f"history:-{self.missing}",) if self.missing else ()

    def of(self, history: Sequence[T]) -> Sequence[T]:
        """What is shown."""
        return history[self._decisions - self.kept :]

    def shorten(self) -> bool:
        """Leave out a third of what is shown; False if nothing is."""
        if not self.kept:
            return False
        self.left_out = self._decisions - self.kept * 2 // 3
        return True

    def learn(self, call: CallRecord) -> None:
        """Go on from a stored call of this decision: from what it left out, and one step further if it was refused."""
        kept = self._kept_in(call)
        self.left_out = max(self.left_out, self._decisions - kept) if kept < self.wanted else self.left_out
        if call.error_kind == "context" and self.kept == kept:
            self.shorten()

    def exhausted_by(self, call: CallRecord) -> bool:
        """Whether this call was refused as too long although it showed nothing that could be left out."""
        return call.error_kind == "context" and self._kept_in(call) == 0

    def _kept_in(self, call: CallRecord) -> int:
        found = next((match for flag in call.flags if (match := _FLAG.fullmatch(flag))), None)
        return self.wanted - (int(found[1]) if found else 0)
