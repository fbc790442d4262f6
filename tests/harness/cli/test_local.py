"""`parley local`, as the process that a user starts and stops."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import aiohttp
import pytest
import yaml

from harness.local import resolve
from harness.spec import PlayerSpec

SMALL = "local/smollm2"
PARLEY = Path(sys.executable).with_name("parley")
QUESTION = {"messages": [{"role": "user", "content": "Say yes."}], "max_tokens": 5}
STORY = {
    "messages": [{"role": "user", "content": "Tell a long story."}],
    "max_tokens": 7000,
    "ignore_eos": True,
    "stream": True,
}


def read_until(process: subprocess.Popen[str], last: str) -> str:
    assert process.stdout is not None
    text = ""
    for line in process.stdout:
        text += line
        if line.strip().startswith(last):
            return text
    raise AssertionError(f"it ended early: {text}{process.communicate()[1]}")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "SIGTERM"])
async def test_parley_local_serves_what_it_says_and_stops_when_told(number: signal.Signals) -> None:
    process = subprocess.Popen([PARLEY, "local"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        said = await asyncio.to_thread(read_until, process, "params:")
        key = re.search(r"^  export (\w+)=(\S+)$", said, re.MULTILINE)
        assert key
        (entry,) = yaml.safe_load(said[said.index("players:") :])["players"]
        player = PlayerSpec.model_validate(entry)
        assert (player.model, player.price, player.api_key_env) == ("openai/smollm2", "free", key[1])
        async with (
            aiohttp.ClientSession(headers={"Authorization": f"Bearer {key[2]}"}) as session,
            session.post(f"{player.api_base}/chat/completions", json=QUESTION) as response,
        ):
            assert (await response.json())["usage"]["completion_tokens"] > 0
        process.send_signal(number)
        rest, complaints = process.communicate(timeout=30)
        assert (process.returncode, rest.strip(), complaints) == (0, "Stopped.", "")
    finally:
        process.kill()


async def test_parley_local_stops_though_a_client_is_waiting() -> None:
    environment = {**os.environ, "PARLEY_LOCAL_KEY": "a key of my own"}
    command = [PARLEY, "local", "--model", f"local:{resolve(SMALL)}"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    try:
        said = await asyncio.to_thread(read_until, process, "params:")
        (entry,) = yaml.safe_load(said[said.index("players:") :])["players"]
        async with (
            aiohttp.ClientSession(headers={"Authorization": "Bearer a key of my own"}) as session,
            session.post(f"{entry['api_base']}/chat/completions", json=STORY) as response,
        ):
            assert await response.content.readline()
            process.send_signal(signal.SIGINT)
            assert await asyncio.to_thread(process.wait, 30) == 0
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--model", "local/none"], "unknown local model 'local/none': there is local/smollm2"),
        (["--model", "local:/none.gguf"], "cannot be read"),
        (["--model", "gpt-4"], "is no local model"),
        (["--port", "65536"], "65536"),
        (["--port", "{taken}"], "cannot be used (Address already in use): choose another"),
        ([], "make setup"),
    ],
    ids=["unknown name", "no file", "not local", "no such port", "port taken", "no weights"],
)
def test_parley_local_refuses_bad_input_in_one_line(tmp_path: Path, arguments: list[str], said: str) -> None:
    environment = dict(os.environ) if arguments else {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        command = [PARLEY, "local", *(argument.replace("{taken}", port) for argument in arguments)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
