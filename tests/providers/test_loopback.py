"""The provider of the tests, held to what it promises: it is what the others lean on."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.providers import Answer, Hang, Loopback, legal, rate_limited
from tests.providers.choose import fill, legal_in_text
from tests.providers.fixtures import loopback as loopback

ROOT = Path(__file__).parents[2]
OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def post(url: str, body: Any) -> tuple[int, Any]:
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    try:
        with OPENER.open(request, timeout=20) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)


def question(text: str, **more: Any) -> dict[str, Any]:
    return {"model": "any", "messages": [{"role": "user", "content": text}], **more}


@pytest.mark.parametrize(
    ("text", "actions"),
    [
        ("Legal actions:\n- play red new\n- pass\n\nAnswer now.", ["play red new", "pass"]),
        ("1. not this\nYour legal moves:\n1. a b\n2) c", ["a b", "c"]),
        ('The legal actions: ["x", "y"]', ["x", "y"]),
        ("Legal: none yet\nLegal actions\n* `p`\n* `q r`\nrest", ["p", "q r"]),
        ("nothing of the kind\n- a", []),
    ],
)
def test_legal_actions_are_found_in_text(text: str, actions: list[str]) -> None:
    assert legal_in_text(text) == actions


def test_an_answer_fits_its_schema() -> None:
    schema = {
        "properties": {
            "thoughts": {"type": ["string", "null"]},
            "actions": {"type": "array"},
            "messages": {
                "type": "array",
                "items": {"properties": {"to": {"type": "string"}, "text": {"type": "string"}}},
            },
            "notes": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        }
    }
    assert fill(schema, ["a"]) == {"thoughts": None, "actions": ["a"], "messages": [], "notes": None}
    assert fill(schema, ["a"], "hi")["messages"] == [{"to": "all", "text": "hi"}]


def test_script_first_then_what_it_always_does(loopback: Loopback) -> None:
    loopback.script(Answer("one"), rate_limited("3"))
    loopback.always(legal(1))
    url = f"{loopback.api_base}/chat/completions"
    replies = [post(url, question("legal:\n- a\n- b")) for _ in range(4)]
    assert [code for code, _ in replies] == [200, 429, 200, 200]
    assert replies[0][1]["choices"][0]["message"]["content"] == "one"
    assert json.loads(replies[3][1]["choices"][0]["message"]["content"]) == {"actions": ["b"]}
    assert [seen.path for seen in loopback.requests] == ["/v1/chat/completions"] * 4
    assert post(f"{loopback.root}/v1/models", {})[0] == 404


async def test_what_hangs_is_let_go(loopback: Loopback) -> None:
    loopback.script(Hang(Answer("late")))
    reply = asyncio.create_task(asyncio.to_thread(post, f"{loopback.api_base}/chat/completions", question("x")))
    await loopback.arrived(1)
    assert not reply.done()
    loopback.release()
    assert (await reply)[1]["choices"][0]["message"]["content"] == "late"


def test_a_server_process_answers_alike_each_time_and_fails_as_told(tmp_path: Path) -> None:
    kinds: list[Counter[int]] = []
    answers = []
    for run in range(2):
        log = tmp_path / f"log{run}"
        command = [
            sys.executable,
            "-m",
            "tests.providers.serve",
            "--fail",
            "0.4",
            "--mix",
            "429,500",
            "--log",
            str(log),
        ]
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout is not None
            url = f"{server.stdout.readline().strip()}/chat/completions"
            replies = [post(url, question(f"turn {n}\nlegal:\n- a\n- b\n- c")) for n in range(40)]
            server.send_signal(signal.SIGTERM)
            assert server.wait(10) == 0
        kinds.append(Counter(code for code, _ in replies))
        answers.append([body["choices"][0]["message"]["content"] for code, body in replies if code == 200])
        assert len(log.read_text().splitlines()) == 40
    assert kinds[0] == kinds[1]
    assert answers[0] == answers[1]
    assert len(set(answers[0])) == 3
    assert set(kinds[0]) == {200, 429, 500}
    assert 5 < kinds[0][200] < 38
