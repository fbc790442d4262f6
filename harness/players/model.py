"""A language model as a player: observation to prompt, prompt through the gateway, text back."""

from __future__ import annotations

from harness.gateway import CallRequest, Gateway, Paused, Verdict
from harness.players import Answer, Ask
from harness.prompt import answer_schema, render
from harness.records import OWN, CallKind, CallRecord, PlayerKind
from harness.reply import Completion, read

LACKED_ROOM = frozenset({"truncated", "empty"})
"""Failures that more room for the answer may cure."""


class ModelPlayer:
    """Asks one model of the tournament file.

    `bounded` says that its server constrains the output by grammar, so that strings need a longest length.
    """

    kind: PlayerKind = "model"

    def __init__(self, label: str, gateway: Gateway, *, bounded: bool) -> None:
        self.label = label
        self._gateway = gateway
        self._bounded = bounded

    async def answer(self, ask: Ask) -> Answer:
        """The model's answer to this attempt. A call that was paid for and stored before is used, not repeated.

        Raises:
            Paused: when no answer can be had.
        """
        usable = [call for call in ask.recorded if call.error_kind is None or call.error_kind in OWN]
        if len(usable) > len(ask.failures):
            return _answer(usable[len(ask.failures)])
        hopeless = next((call for call in ask.recorded if call.error_kind == "context"), None)
        if hopeless is not None:
            # The very same prompt would be refused again.
            raise Paused("context", f"{self.label}: {hopeless.error}")
        prompt = render(ask.observation, ask.shown, ask.context, ask.history, ask.failures)
        observation = ask.observation

        def judge(completion: Completion) -> Verdict:
            reading = read(completion, observation)
            return Verdict(reading.read_by, reading.error_kind, reading.error)

        kind: CallKind = "talk" if observation.asked == "talk" else "retry" if ask.failures else "act"
        call = await self._gateway.complete(
            CallRequest(
                label=self.label,
                prompt=prompt,
                schema=answer_schema(observation, ask.shown, ask.context, bounded=self._bounded),
                kind=kind,
                match_id=ask.match_id,
                ply=ask.ply,
                seat=observation.seat,
                decision=observation.decision,
                attempt=max([ask.attempt, *(call.attempt for call in ask.recorded)]) + 1,
                more_room=bool(ask.failures) and ask.failures[-1].error_kind in LACKED_ROOM,
                read=judge,
            )
        )
        return _answer(call)


def _answer(call: CallRecord) -> Answer:
    completion = Completion(call.content, call.reasoning, call.tool_arguments, call.finish_reason)
    return Answer(completion, call.id, call.error_kind, call.error, call.attempt)
