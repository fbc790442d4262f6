"""A language model as a player: observation to prompt, prompt through the gateway, text back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Literal

from harness.answer_schema import answer_schema
from harness.gateway import TOO_LONG, CallRequest, Gateway, Paused, Verdict
from harness.players import Answer, Ask
from harness.players.memory import Shortened
from harness.prompt import LACKED_ROOM, render
from harness.records import OWN, CallKind, CallRecord, PlayerKind
from harness.reply import Completion, Reading, read

CUT = "the answer was cut off before it was whole, which counts as illegal here"


class ModelPlayer:
    """Asks one model of the tournament file.

    `bounded` says that its server constrains the output by grammar, so that strings need a longest length. `on_length`
    is the tournament file's. `note` is told once when prompts grow too long for the model.
    """

    kind: PlayerKind = "model"

    def __init__(
        self,
        label: str,
        gateway: Gateway,
        *,
        bounded: bool,
        on_length: Literal["retry", "illegal"] = "retry",
        note: Callable[[str], None] | None = None,
    ) -> None:
        self.label = label
        self._gateway = gateway
        self._bounded = bounded
        self._on_length = on_length
        self._note = note
        self._shortened: dict[tuple[int, str], Shortened] = {}

    async def answer(self, ask: Ask) -> Answer:
        """The model's answer to this attempt. A call that was paid for and stored before is used, not repeated.

        A prompt that is too long for the model is asked again without the oldest decisions of its history, for as long
        as there is any; what was left out stays out for the rest of the match.

        Raises:
            Paused: when no answer can be had.
        """
        history = self._history(ask)
        for call in ask.recorded:
            history.learn(call)
        usable = [call for call in ask.recorded if call.error_kind is None or call.error_kind in OWN]
        if len(usable) > len(ask.failures):
            return _answer(usable[len(ask.failures)])
        made = max([ask.attempt, *(call.attempt for call in ask.recorded)])
        hopeless = next((call for call in ask.recorded if history.exhausted_by(call)), None)
        if hopeless is not None:
            # The very same prompt would be refused again.
            raise Paused("context", f"{self.label}: {hopeless.error}; {TOO_LONG}")
        while True:
            try:
                readings: dict[Completion, Reading] = {}
                call = await self._gateway.complete(self._request(ask, history, made + 1, readings))
                return _answer(call, readings)
            except Paused as paused:
                if paused.kind != "context" or not history.shorten():
                    raise
                made = max(made + 1, paused.attempt)
                self._tell(ask, history)

    def _history(self, ask: Ask) -> Shortened:
        """What this seat of this match is still shown of its earlier decisions, as of now."""
        key = (ask.match_id, ask.observation.seat)
        before = self._shortened.get(key)
        now = Shortened(ask.context.interface.history_limit, len(ask.history), before.left_out if before else 0)
        self._shortened[key] = now
        return now

    def _tell(self, ask: Ask, history: Shortened) -> None:
        if self._note is not None:
            note, self._note = self._note, None
            note(
                f"{self.label}: its prompt is too long for the model; in match {ask.match_id} the oldest "
                f"{history.missing} of {history.wanted} earlier decisions are left out (calls marked history:-N)"
            )

    def _request(self, ask: Ask, history: Shortened, attempt: int, readings: dict[Completion, Reading]) -> CallRequest:
        """A request whose answers are put into `readings` as they are judged."""
        observation = ask.observation

        def judge(completion: Completion) -> Verdict:
            reading = readings[completion] = read(completion, observation)
            kind, error = reading.error_kind, reading.error
            if self._on_length == "illegal" and (
                kind == "truncated" or (kind == "empty" and bool(completion.reasoning))
            ):
                kind, error = "illegal", CUT
            return Verdict(reading.read_by, kind, error)

        kind: CallKind = "talk" if observation.asked == "talk" else "retry" if ask.failures else "act"
        lacked_room = bool(ask.failures) and ask.failures[-1].error_kind in LACKED_ROOM
        return CallRequest(
            label=self.label,
            prompt=render(observation, ask.shown, ask.context, history.of(ask.history), ask.failures),
            schema=answer_schema(observation, ask.shown, ask.context, bounded=self._bounded),
            kind=kind,
            match_id=ask.match_id,
            ply=ask.ply,
            seat=observation.seat,
            decision=observation.decision,
            attempt=attempt,
            more_room=lacked_room and self._on_length == "retry",
            flags=history.flags,
            read=judge,
        )


def _answer(call: CallRecord, readings: Mapping[Completion, Reading] = MappingProxyType({})) -> Answer:
    completion = Completion(call.content, call.reasoning, call.tool_arguments, call.finish_reason)
    return Answer(completion, call.id, call.error_kind, call.error, call.attempt, readings.get(completion))
