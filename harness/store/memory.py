"""What a writer remembers of what it has committed, so that the next rows can refer to it."""

from __future__ import annotations

from harness.store.bodies import Said
from harness.store.texts import TextIds

_MATCHES = 1000
"""Of how many matches the last calls are remembered: some 20 KB each, most of it shared with whoever plays them."""
Calls = dict[str | None, Said]
"""Of one match: the last call of each seat, and under None the last of any."""


class Memory:
    """The ids of texts, and the last calls of the matches that are played."""

    def __init__(self) -> None:
        self.texts = TextIds()
        self._calls: dict[int, Calls] = {}

    def last(self, match_id: int, seat: str | None) -> Said | None:
        """The last call of that seat of that match, or of any seat."""
        return self._calls.get(match_id, {}).get(seat)

    def remember(self, texts: dict[str, int], calls: dict[int, Calls]) -> None:
        """Take note of what is committed now."""
        self.texts.remember(texts)
        for match_id, said in calls.items():
            self._calls.setdefault(match_id, {}).update(said)
        while len(self._calls) > _MATCHES:
            del self._calls[next(iter(self._calls))]

    def forget_calls(self) -> None:
        """Know no call any more; texts stay known."""
        self._calls.clear()

    def forget(self, match_id: int | None = None) -> None:
        """Know no call of that match any more; of None: nothing at all."""
        if match_id is None:
            self.texts.forget()
            self._calls.clear()
        else:
            self._calls.pop(match_id, None)
