"""A bot as a player: it answers in the same JSON text as a model, so that its replies pass through the same reader."""

from __future__ import annotations

from games.api import Bot, Message, Reply
from games.chance import Draws
from harness.players import Answer, Ask
from harness.records import PlayerKind
from harness.reply import Completion, to_json


class BotPlayer:
    """Plays one of a game's bots."""

    kind: PlayerKind = "bot"

    def __init__(self, label: str, bot: Bot) -> None:
        self.label = label
        self._bot = bot

    async def answer(self, ask: Ask) -> Answer:
        """The bot's reply as text; its chance is seeded for this decision alone."""
        reply = self._bot(ask.observation, Draws(ask.chance))
        return Answer(Completion(reply_text(reply), None, None, "stop"))


def reply_text(reply: Reply, *, pledges: bool = True) -> str:
    """A reply in the JSON form in which players answer, with or without the key for pledges."""
    answer: dict[str, object] = {}
    if reply.thoughts:
        answer["thoughts"] = reply.thoughts
    answer["actions"] = list(reply.actions)
    if reply.messages:
        answer["messages"] = [_message(message, pledges=pledges) for message in reply.messages]
    if reply.notes:
        answer["notes"] = reply.notes
    return to_json(answer)


def _message(message: Message, *, pledges: bool) -> dict[str, object]:
    said: dict[str, object] = {"to": message.to, "text": message.text}
    if pledges:
        said["pledges"] = [
            {"kind": pledge.kind, "to": pledge.to, "turns": pledge.turns, "if": pledge.condition}
            for pledge in message.pledges
        ]
    return said
