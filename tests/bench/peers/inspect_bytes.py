"""The same messages through inspect-ai: `python inspect_bytes.py MATCHES.json FOLDER` in an environment that has it.

The file holds a list of matches, each a list of calls in order: `seat`, `messages` ([role, text] each) and `reply`.
Every match is a sample, every call a `generate` of mockllm that is answered with the reply. A message that a seat was
shown before is the same object again, as it is for an agent that keeps its conversation; so the log has what it shares
best. Prints the size of the log in bytes and the number of calls in it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import inspect_ai
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.log import read_eval_log
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    ModelOutput,
    ModelUsage,
    get_model,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver

KINDS = {"system": ChatMessageSystem, "user": ChatMessageUser, "assistant": ChatMessageAssistant}


def answer(call: dict[str, Any]) -> ModelOutput:
    """The reply with its usage; where that is missing, inspect-ai would fetch a tokenizer to count it."""
    output = ModelOutput.from_content("mockllm/model", call["reply"])
    shown = sum(len(text) for _, text in call["messages"]) // 4
    said = len(call["reply"]) // 4
    output.usage = ModelUsage(input_tokens=shown, output_tokens=said, total_tokens=shown + said)
    return output


@solver
def play(matches: list[list[dict[str, Any]]]) -> Solver:
    """Ask what was asked in a match."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        calls = matches[int(str(state.sample_id))]
        replies = iter([answer(call) for call in calls])
        model = get_model("mockllm/model", custom_outputs=replies, memoize=False)
        seen: dict[tuple[str, str, str], ChatMessage] = {}
        for call in calls:
            shown = [
                seen.setdefault((call["seat"], role, text), KINDS[role](content=text))
                for role, text in call["messages"]
            ]
            await model.generate(shown)
        return state

    return solve


def main(source: Path, folder: Path) -> None:
    """Log every match; print one JSON object."""
    matches = json.loads(source.read_text(encoding="utf-8"))
    samples = [Sample(id=str(number), input=f"match {number}") for number in range(len(matches))]
    (log,) = inspect_ai.eval(
        Task(dataset=samples, solver=play(matches)),
        model="mockllm/model",
        log_dir=str(folder),
        log_format="eval",
        log_realtime=False,
        display="none",
        max_samples=len(matches),
        score=False,
    )
    if log.status != "success":
        raise SystemExit(f"inspect-ai: {log.error.message if log.error else log.status}")
    written = Path(log.location.removeprefix("file://"))
    kept = read_eval_log(str(written))
    calls = sum(event.event == "model" for sample in kept.samples or () for event in sample.events)
    print(json.dumps({"bytes": written.stat().st_size, "calls": calls}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
