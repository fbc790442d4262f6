"""A person as a player: the answer comes through the store's inbox, from whichever process the person sits at."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence

from harness.players import Answer, Ask
from harness.records import PlayerKind
from harness.reply import Completion

Inbox = Callable[[int, str, int], Awaitable[Sequence[str]]]
"""(match id, seat, decision) -> the answers given to that decision so far, in the order in which they came."""


class HumanPlayer:
    """Waits for a person's answer: a bare action, or the JSON form that models answer in."""

    kind: PlayerKind = "human"

    def __init__(self, label: str, inbox: Inbox, *, poll_seconds: float = 0.25) -> None:
        self.label = label
        self._inbox = inbox
        self._poll = poll_seconds

    async def answer(self, ask: Ask) -> Answer:
        """The person's answer, however long it takes."""
        observation = ask.observation
        while True:
            texts = await self._inbox(ask.match_id, observation.seat, observation.decision)
            if len(texts) > len(ask.failures):
                text = texts[len(ask.failures)]
                break
            await asyncio.sleep(self._poll)
        if not text.lstrip().startswith("{"):
            text = json.dumps({"actions": [text]} if observation.asked == "act" else _said(text))
        return Answer(Completion(text, None, None, "stop"))


def _said(text: str) -> dict[str, object]:
    return {"messages": [{"to": "all", "text": text}] if text.strip() else []}
