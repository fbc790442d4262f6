"""A model as a player: too long a prompt, too short an answer, and the same again after a stop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.gateway import CallRequest, Paused
from harness.players import Ask
from harness.players.memory import Shortened
from harness.players.model import ModelPlayer
from harness.prompt import Failure, Past
from harness.records import CallRecord
from harness.reply import Completion
from tests.harness.test_decide import GAME, an_ask

GOOD = '{"actions": ["next blue"]}'


class Model:
    """A gateway whose model takes prompts up to so many characters, and cuts answers as it is told."""

    def __init__(self, limit: int = 10**9, finish: Sequence[str] = ()) -> None:
        self.limit = limit
        self.finish = list(finish)
        self.calls: list[CallRecord] = []
        self.more_room: list[bool] = []

    async def complete(self, request: CallRequest) -> CallRecord:
        size = sum(len(message.text) for message in request.prompt)
        finish = self.finish.pop(0) if self.finish else "stop"
        content = {"length": '{"actions": [', "nothing": None}.get(finish, GOOD)
        reasoning, finish = ("hmm", "stop") if finish == "nothing" else (None, finish)
        fault: dict[str, Any] = {"error_kind": "context", "error": "too long"}
        if size <= self.limit:
            verdict = request.read(Completion(content, reasoning, None, finish))
            fault = {"error_kind": verdict.error_kind, "error": verdict.error, "content": content}
        call = CallRecord(
            id=len(self.calls) + 1,
            label=request.label,
            model="m",
            attempt=request.attempt,
            prompt=request.prompt,
            finish_reason=finish,
            started_at=datetime.now(UTC),
            flags=request.flags,
            **fault,
        )
        self.calls.append(call)
        self.more_room.append(request.more_room)
        if size > self.limit:
            paused = Paused("context", "too long")
            paused.attempt = request.attempt
            raise paused
        return call


def player(model: Model, **more: Any) -> ModelPlayer:
    return ModelPlayer("house", model, bounded=False, **more)  # type: ignore[arg-type]


def asking(decisions: int, recorded: Sequence[CallRecord] = (), **more: Any) -> Ask:
    history = tuple(
        Past(n, "act", (), (), f'{{"actions": [], "n": "{str(n + 10) * 150}"}}', (), "player") for n in range(decisions)
    )
    ask = an_ask()
    context = replace(ask.context, options=GAME.Options(chips=3).model_dump())
    return ask._replace(context=context, history=history, recorded=recorded, **more)


def size(call: CallRecord) -> int:
    return sum(len(message.text) for message in call.prompt)


async def bare(decisions: int) -> int:
    """The size of a prompt with so many decisions of history."""
    model = Model()
    await player(model).answer(asking(decisions))
    return size(model.calls[0])


async def test_a_prompt_too_long_is_asked_again_without_its_oldest_part() -> None:
    notes: list[str] = []
    model = Model(limit=await bare(6) + 60)
    house = player(model, note=notes.append)
    answer = await house.answer(asking(12))
    assert (answer.error_kind, answer.attempt) == (None, 3)
    assert [call.flags for call in model.calls] == [(), ("history:-4",), ("history:-7",)]
    assert [call.attempt for call in model.calls] == [1, 2, 3]
    kept = [message.text for message in model.calls[-1].prompt if message.role == "assistant"]
    assert [text.count(str(n + 10)) for n, text in zip(range(7, 12), kept, strict=True)] == [150] * 5
    await house.answer(asking(13))
    assert model.calls[-1].flags == ("history:-7",), "what was left out stays out, and nothing is refused again"
    assert len(model.calls) == 4
    assert len(notes) == 1
    assert notes[0].startswith("house: its prompt is too long")
    assert "4 of 12" in notes[0]


async def test_only_without_any_history_it_pauses() -> None:
    model = Model(limit=10)
    with pytest.raises(Paused) as paused:
        await player(model).answer(asking(3))
    assert paused.value.kind == "context"
    assert [call.flags for call in model.calls] == [(), ("history:-1",), ("history:-2",), ("history:-3",)]
    again = Model(limit=10)
    with pytest.raises(Paused):
        await player(again).answer(asking(3, recorded=model.calls))
    assert not again.calls


@pytest.mark.parametrize("known", range(6))
async def test_going_on_leaves_out_the_same_and_repeats_nothing(known: int) -> None:
    limit = await bare(5) + 60
    model = Model(limit=limit)
    first = player(model)
    await first.answer(asking(12))
    await first.answer(asking(13))
    again = Model(limit=limit)
    second = player(again)
    await second.answer(asking(12, recorded=model.calls[: min(known, 3)]))
    await second.answer(asking(13, recorded=model.calls[3 : 3 + max(0, known - 3)]))
    assert [call.flags for call in again.calls] == [call.flags for call in model.calls[known:]]
    assert [size(call) for call in again.calls] == [size(call) for call in model.calls[known:]]


async def test_seats_and_matches_forget_each_for_itself() -> None:
    model = Model(limit=await bare(5) + 60)
    house = player(model)
    await house.answer(asking(12))
    await house.answer(asking(5, match_id=2))
    assert model.calls[-1].flags == ()


@given(st.integers(0, 60), st.one_of(st.none(), st.integers(0, 60)), st.integers(0, 60))
def test_shortening_ends_and_always_leaves_out_the_oldest(decisions: int, limit: int | None, left_out: int) -> None:
    history = Shortened(limit, decisions, min(left_out, decisions))
    everything = list(range(decisions))
    for _ in range(30):
        shown = list(history.of(everything))
        assert shown == everything[decisions - history.kept :]
        assert history.kept + history.missing == history.wanted
        if not history.shorten():
            break
        assert history.kept < len(shown)
    assert history.kept == 0


async def test_a_cut_answer_is_asked_again_with_more_room_and_to_be_brief() -> None:
    model = Model(finish=["length", "nothing", "stop"])
    house = player(model)
    ask = asking(0)
    failures: list[Failure] = []
    for kind in ("truncated", "empty", None):
        answer = await house.answer(ask._replace(failures=tuple(failures)))
        assert answer.error_kind == kind
        failures.append(Failure(answer.completion.content, answer.error_kind or "", answer.error or ""))
    assert model.more_room == [False, True, True]
    assert "Be brief" not in model.calls[0].prompt[-1].text
    assert all("Be brief" in call.prompt[-1].text for call in model.calls[1:])


async def test_or_counts_as_illegal_with_no_more_room() -> None:
    model = Model(finish=["length", "nothing", "stop"])
    house = player(model, on_length="illegal")
    ask = asking(0)
    failures: list[Failure] = []
    for kind in ("illegal", "illegal", None):
        answer = await house.answer(ask._replace(failures=tuple(failures)))
        assert answer.error_kind == kind
        failures.append(Failure(answer.completion.content, answer.error_kind or "", answer.error or ""))
    assert model.more_room == [False, False, False]
    assert not any("Be brief" in call.prompt[-1].text for call in model.calls)
    assert model.calls[0].finish_reason == "length"
