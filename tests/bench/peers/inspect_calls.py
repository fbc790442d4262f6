"""The same calls through inspect-ai: `python inspect_calls.py SCRIPT DELAY CALLS`, which `tests.bench.loop` runs.

SCRIPT is what `tests.bench.peers.inprocess` kept of a run of Parley. Each sample is one match: its seats have a
conversation each, and every turn is one `generate` with the messages of that turn. The model answers at once, or after
DELAY seconds; CALLS is the most calls of a sample (0: as many as the match had). All samples run at once. Nothing of
Parley is imported. Prints one JSON object: seconds of CPU and wall, bytes of memory and log.
"""

from __future__ import annotations

import json
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import anyio
from inspect_ai import Task, eval  # noqa: A004 - its name
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessage, ChatMessageSystem, ChatMessageUser, ModelOutput, ModelUsage, get_model
from inspect_ai.solver import Generate, TaskState, solver


@solver
def turns(calls: list[dict[str, str]]) -> Any:
    """Plays the script for as many turns as the sample has."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        model = get_model()
        conversations: dict[str, list[ChatMessage]] = {}
        for call in calls[: state.metadata["turns"]]:
            conversation = conversations.setdefault(call["seat"], [ChatMessageSystem(content=call["system"])])
            output = await model.generate([*conversation, ChatMessageUser(content=call["present"])])
            conversation += [ChatMessageUser(content=call["news"]), output.message]
        return state

    return solve


def main(script: Path, delay: float, most: int) -> None:
    """Run the samples and print what it took."""
    said = json.loads(script.read_text())
    content = said["calls"][0]["answer"]

    async def answer(*_: Any) -> ModelOutput:
        if delay:
            await anyio.sleep(delay)
        output = ModelOutput.from_content("mockllm", content)
        output.usage = ModelUsage(input_tokens=1000, output_tokens=50, total_tokens=1050)
        return output

    lengths = [min(length, most) if most else length for length in said["lengths"]]
    samples = [Sample(input="Play.", metadata={"turns": length}) for length in lengths]
    task = Task(dataset=MemoryDataset(samples), solver=turns(said["calls"]))
    with tempfile.TemporaryDirectory() as folder:
        wall, cpu = time.perf_counter(), time.process_time()
        (log,) = eval(
            task,
            model=get_model("mockllm/model", custom_outputs=answer),
            display="none",
            log_dir=folder,
            log_format="eval",
            log_realtime=False,
            max_samples=len(samples),
            max_connections=len(samples),
        )
        figures: dict[str, Any] = {"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall}
        if log.status != "success":
            raise SystemExit(f"the task ended with {log.status}: {log.error.message if log.error else None}")
        figures["bytes"] = sum(file.stat().st_size for file in Path(folder).glob("*.eval"))
    figures["decisions"] = sum(lengths)
    figures["memory"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    json.dump(figures, sys.stdout)


if __name__ == "__main__":
    main(Path(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]))
