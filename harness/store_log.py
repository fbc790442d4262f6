"""A match's log in the store, as the loop of a match writes it."""

from __future__ import annotations

from collections.abc import Sequence

from harness.records import Json, MessageRecord, TurnRecord
from harness.runs import done
from harness.store import Store


class StoreLog:
    """A match's log in the store."""

    def __init__(self, store: Store, versions: Json) -> None:
        self._store = store
        self._versions = versions

    async def start(self, match_id: int, start: Json, events: Sequence[Json], start_hash: str) -> None:
        """The start position and its events."""
        await done(
            self._store.start_match(
                match_id, start=start, start_events=events, start_hash=start_hash, versions=self._versions
            )
        )

    async def turns(
        self, match_id: int, turns: Sequence[TurnRecord], messages: Sequence[MessageRecord], outcome: Json | None
    ) -> None:
        """The turns of one decision with what was said; with `outcome` the match is finished."""
        await done(self._store.add_turns(match_id, turns, messages, outcome=outcome))

    async def messages(self, match_id: int, messages: Sequence[MessageRecord]) -> None:
        """What was said in a talk round."""
        await done(self._store.add_messages(match_id, messages))
