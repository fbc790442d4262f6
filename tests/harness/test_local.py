"""Local models: a real llama.cpp that serves the real small model."""

from __future__ import annotations

import asyncio
import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from harness.local import CONTEXT, LocalModelError, LocalServer, LocalServers, is_local, resolve, sampling_defaults

SMALL = "local/smollm2"
MOVES = ["play red new", "play red on 1", "play blue new"]
ANSWER = {
    "type": "object",
    "properties": {
        "actions": {"type": "array", "items": {"type": "string", "enum": MOVES}, "minItems": 1, "maxItems": 1},
        "notes": {"type": ["string", "null"], "maxLength": 20},
    },
    "required": ["actions", "notes"],
    "additionalProperties": False,
}
STORY = {"messages": [{"role": "user", "content": "Tell a long story."}], "max_tokens": 7000, "ignore_eos": True}


@pytest.fixture(scope="module")
def server() -> Iterator[LocalServer]:
    with LocalServer.start(SMALL) as running:
        yield running


@pytest.fixture
async def session(server: LocalServer) -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession(headers={"Authorization": f"Bearer {server.api_key}"}) as opened:
        yield opened


def question(*words: str) -> dict[str, Any]:
    return {
        "model": "smollm2",
        "messages": [{"role": "user", "content": " ".join(words)}],
        "max_tokens": 150,
        "response_format": {"type": "json_schema", "json_schema": {"name": "reply", "schema": ANSWER}},
    }


async def ask(session: aiohttp.ClientSession, server: LocalServer, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    async with session.post(f"{server.api_base}/chat/completions", json=body) as response:
        return response.status, await response.json()


async def test_an_answer_keeps_to_the_schema_and_names_a_legal_action(
    session: aiohttp.ClientSession, server: LocalServer
) -> None:
    for number in range(2):
        status, reply = await ask(session, server, question("Choose an action.", f"Turn {number}."))
        assert status == 200
        answer = json.loads(reply["choices"][0]["message"]["content"])
        assert answer.keys() == {"actions", "notes"}
        assert answer["actions"][0] in MOVES


async def test_a_prompt_that_begins_like_the_last_one_is_counted_as_cached(
    session: aiohttp.ClientSession, server: LocalServer
) -> None:
    rules = "A player may play a chip on any pile. " * 12
    _, first = await ask(session, server, question(rules, "Turn 1."))
    _, second = await ask(session, server, question(rules, "Turn 2."))
    assert first["usage"]["prompt_tokens"] > 100
    assert second["usage"]["prompt_tokens_details"]["cached_tokens"] > 0.9 * second["usage"]["prompt_tokens"]


async def test_litellm_reaches_it_as_an_openai_model(server: LocalServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    import litellm

    reply = await litellm.acompletion(
        f"openai/{server.name}",
        api_base=server.api_base,
        api_key=server.api_key,
        num_retries=0,
        max_retries=0,
        extra_body=sampling_defaults(SMALL),
        **{key: value for key, value in question("Choose an action.").items() if key != "model"},
    )
    assert json.loads(reply.choices[0].message.content)["actions"][0] in MOVES
    assert reply.usage.prompt_tokens > 0
    assert reply.usage.prompt_tokens_details.cached_tokens is not None
    with pytest.raises(litellm.ContextWindowExceededError):
        await litellm.acompletion(
            f"openai/{server.name}",
            api_base=server.api_base,
            api_key=server.api_key,
            num_retries=0,
            max_retries=0,
            messages=[{"role": "user", "content": "word " * (CONTEXT + 1)}],
        )
    await litellm.close_litellm_async_clients()


async def test_a_prompt_over_the_context_is_refused_and_not_cut(
    session: aiohttp.ClientSession, server: LocalServer
) -> None:
    status, reply = await ask(session, server, question("word " * (CONTEXT + 1)))
    assert status == 400
    assert reply["error"]["type"] == "exceed_context_size_error"
    assert reply["error"]["n_ctx"] == CONTEXT


async def test_nobody_is_answered_without_the_key(server: LocalServer) -> None:
    async with aiohttp.ClientSession() as stranger:
        assert (await ask(stranger, server, question("Choose.")))[0] == 401
    async with aiohttp.ClientSession(headers={"Authorization": "Bearer guess"}) as guesser:
        assert (await ask(guesser, server, question("Choose.")))[0] == 401


async def test_it_listens_on_loopback_alone(server: LocalServer) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as elsewhere:
        # Any other address of the loopback range is one that it does not listen on.
        assert elsewhere.connect_ex(("127.0.0.2", server.port)) != 0


async def test_closing_hangs_up_on_a_call_in_flight() -> None:
    running = LocalServer.start(SMALL)
    headers = {"Authorization": f"Bearer {running.api_key}"}
    async with (
        aiohttp.ClientSession(headers=headers) as session,
        session.post(f"{running.api_base}/chat/completions", json={**STORY, "stream": True}) as response,
    ):
        assert await response.content.readline()
        await asyncio.wait_for(asyncio.to_thread(running.close), 30)
        with pytest.raises(aiohttp.ClientPayloadError):
            await response.read()
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", running.port)) != 0
    running.close()


def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, env={**os.environ, **environment}
    )


def test_a_process_that_ends_without_closing_ends_at_once_and_says_nothing() -> None:
    done = run(
        "import http.client, json\n"
        "from harness.local import LocalServer\n"
        f"server = LocalServer.start({SMALL!r})\n"
        "connection = http.client.HTTPConnection('127.0.0.1', server.port)\n"
        f"body = json.dumps({STORY!r} | {{'stream': True}})\n"
        "connection.request('POST', '/v1/chat/completions', body, {'Authorization': 'Bearer ' + server.api_key})\n"
        "assert connection.getresponse().readline()\n"
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("kept", [1_000_000, 90_000_000], ids=["in its head", "in its tensors"])
def test_a_damaged_file_is_one_line_and_the_process_goes_on(tmp_path: Path, kept: int) -> None:
    broken = tmp_path / "broken.gguf"
    with resolve(SMALL).open("rb") as whole:
        broken.write_bytes(whole.read(kept))
    done = run(
        "import sys\n"
        "from harness.local import LocalModelError, LocalServer\n"
        "try:\n"
        f"    LocalServer.start('local:' + {str(broken)!r})\n"
        "except LocalModelError as error:\n"
        "    print(error)\n"
        f"LocalServer.start({SMALL!r}).close()\n"
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert re.fullmatch(r"'local:.*broken.gguf': llama.cpp cannot load this file .*damaged.*\n", done.stdout)


async def test_a_run_starts_one_server_for_each_file(tmp_path: Path) -> None:
    again = tmp_path / "again model.gguf"
    again.symlink_to(resolve(SMALL))
    other = tmp_path / "other model.gguf"
    other.hardlink_to(resolve(SMALL)) if same_device(tmp_path) else other.write_bytes(resolve(SMALL).read_bytes())
    servers = LocalServers()
    try:
        first, second, linked = await asyncio.gather(*(servers.get(m) for m in (SMALL, SMALL, f"local:{again}")))
        assert first is second is linked
        third = await servers.get(f"local:{other}")
        assert third.port != first.port
        assert (first.name, third.name) == ("smollm2", "other-model")
        assert first.api_key != third.api_key
    finally:
        await servers.close()
    for closed in (first, third):
        with socket.socket() as probe:
            assert probe.connect_ex(("127.0.0.1", closed.port)) != 0
    again_up = await servers.get(SMALL)
    assert again_up is not first
    await servers.close()


def same_device(folder: Path) -> bool:
    return folder.stat().st_dev == resolve(SMALL).stat().st_dev


async def test_a_file_that_cannot_be_loaded_is_refused_each_time(tmp_path: Path) -> None:
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF" + bytes(1000))
    servers = LocalServers()
    for _ in range(2):
        with pytest.raises(LocalModelError, match="cannot load"):
            await servers.get(f"local:{broken}")
    await servers.close()


# Names


@pytest.mark.parametrize(
    ("model", "local"),
    [
        ("local/smollm2", True),
        ("local:/models/any.gguf", True),
        ("local/unknown", True),
        ("openai/local", False),
        ("localhost/any", False),
        ("", False),
    ],
)
def test_what_counts_as_local(model: str, local: bool) -> None:
    assert is_local(model) is local
    assert bool(sampling_defaults(model)) is local


def test_sampling_defaults_are_a_copy() -> None:
    sampling_defaults(SMALL)["min_p"] = 1
    assert sampling_defaults(SMALL)["min_p"] == 0.05


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("local/llama", "unknown local model 'local/llama': there is local/smollm2"),
        ("local/", "there is local/smollm2"),
        ("local:", "names no file"),
        ("local:  ", "names no file"),
        ("local:{folder}/none.gguf", "No such file"),
        ("local:{folder}", "Is a directory"),
        ("local:{folder}/text.gguf", "is not a GGUF file"),
        ("local:{folder}/empty.gguf", "is not a GGUF file"),
        ("local:{folder}/a\0b.gguf", "cannot be read"),
        ("local:~nobody-of-this-name/x.gguf", "cannot be read"),
        ("gpt-4", "is no local model"),
    ],
)
def test_a_name_that_stands_for_no_model_gets_one_line(tmp_path: Path, model: str, said: str) -> None:
    (tmp_path / "text.gguf").write_text("not a model")
    (tmp_path / "empty.gguf").touch()
    with pytest.raises(LocalModelError) as refused:
        resolve(model.replace("{folder}", str(tmp_path)))
    assert said in str(refused.value)
    assert str(refused.value).isprintable()
