"""litellm makes no request of its own, prints nothing, and is not imported before it is needed: watched from
outside."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.providers import Loopback, legal, status
from tests.providers.fixtures import loopback as loopback

ROOT = Path(__file__).parents[3]

WATCHED = """
import asyncio, gc, json, logging, sys, warnings
warnings.simplefilter("default", ResourceWarning)
reached = []
def watch(event, args):
    if event == "socket.connect":
        reached.append(str(args[1]))
    elif event in ("socket.getaddrinfo", "socket.gethostbyname"):
        reached.append(str(args[0]))
    elif event in ("subprocess.Popen", "os.system") and args[1] != ["uname", "-p"]:  # the standard library's platform
        reached.append(event + " " + str(args[1]))
sys.addaudithook(watch)

from harness.gateway import CallRequest, Gateway, Patience, Paused, Verdict, check_prices, missing_key
from harness.records import PromptMessage
from harness.spec import Tournament

assert "litellm" not in sys.modules, "litellm was imported with the gateway"
bases = json.loads(sys.argv[1])
price = {"input": 1.0, "output": 1.0}
spec = Tournament.model_validate({
    "name": "quiet", "games": [{"game": "so_long_sucker"}],
    "players": [
        {"label": name, "model": model, "api_base": base, "params": {"temperature": 0.5}, "price": price}
        for name, (model, base) in bases.items()
    ],
    "budget": {"usd": 5.0},
})
assert [missing_key(player) for player in spec.players] == [None] * len(bases)
assert check_prices(spec) == []
assert "litellm" not in sys.modules, "litellm was imported by a check that does not need it"
calls = []

async def record(call):
    calls.append(call)
    return len(calls)

async def main():
    gateway = Gateway(spec, run_id=None, record=record, spent={}, locals=None, patience=Patience(attempts=2, first=0.0))
    request = CallRequest(
        label="", prompt=(PromptMessage(role="user", parts=("Legal actions:\\n- a\\n- b",)),), schema=None, kind="act",
        match_id=1, ply=1, seat="red", decision=0, attempt=1, read=lambda completion: Verdict("whole", None, None),
    )
    for label in bases:
        await gateway.complete(request._replace(label=label))
        try:
            await gateway.complete(request._replace(label=label))
        except Paused:
            pass
    await gateway.close()

asyncio.run(main(), debug=True)
gc.collect()
kinds = [call.error_kind for call in calls]
print(json.dumps({"reached": reached, "calls": len(calls), "kinds": kinds}), file=sys.__stderr__)
"""


def _run(loopback: Loopback, tmp_path: Path) -> tuple[dict[str, Any], str, list[str]]:
    players = {
        "house": ("openai/any", loopback.base_for("openai")),
        "gem": ("gemini/gemini-2.5-flash", loopback.base_for("gemini")),
        "rock": ("bedrock/anthropic.claude-3-5-sonnet-20240620-v1:0", loopback.base_for("bedrock")),
        "quick": ("groq/llama-3.3-70b-versatile", loopback.base_for("groq")),
        "router": ("openrouter/meta-llama/llama-3.3-70b-instruct", loopback.base_for("openrouter")),
    }
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "PYTHONPATH": str(ROOT),
        "HTTP_PROXY": "http://203.0.113.1:9",
        "AWS_ACCESS_KEY_ID": "AKIAEXAMPLEEXAMPLE00",
        "AWS_SECRET_ACCESS_KEY": "example-secret-example",
        "AWS_REGION_NAME": "eu-west-1",
    }
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, json.dumps(players)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    *noise, report = [line for line in done.stderr.splitlines() if line.strip()]
    return json.loads(report), done.stdout, [line for line in noise if not line.startswith("Executing <")]


def test_only_the_players_addresses_are_reached_and_nothing_is_said(loopback: Loopback, tmp_path: Path) -> None:
    ok, bad = legal(), status(500)
    loopback.always(lambda seen: bad if seen.index % 3 else ok(seen))
    report, out, noise = _run(loopback, tmp_path)
    assert out == ""
    assert noise == []
    assert report["calls"] == len(loopback.requests) >= 10
    assert report["reached"]
    assert all("127.0.0.1" in where for where in report["reached"]), report["reached"]
    assert {None, "server"} == set(report["kinds"])
    assert [path.name for path in tmp_path.iterdir() if not path.name.startswith(".")] == []
