from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from harness.gateway import CallRequest, Gateway, Patience, Verdict
from harness.records import CallRecord, PromptMessage, Spend
from harness.reply import Completion
from harness.spec import Tournament
from tests.providers import Loopback
from tests.providers.fixtures import loopback as loopback

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "thoughts": {"type": "string"},
        "actions": {"type": "array", "items": {"type": "string", "enum": ["play red new", "play blue new"]}},
        "messages": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"to": {"type": "string"}, "text": {"type": "string"}},
                "required": ["to", "text"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["thoughts", "actions", "messages"],
    "additionalProperties": False,
}
PROMPT = (
    PromptMessage(role="system", parts=("You are red.", "The rules are few.")),
    PromptMessage(role="user", parts=("Legal actions:\n- play red new\n- play blue new",)),
)
PROVIDERS = {
    "openai": "openai/any",
    "groq": "groq/llama-3.3-70b-versatile",
    "openrouter": "openrouter/meta-llama/llama-3.3-70b-instruct",
    "gemini": "gemini/gemini-2.5-flash",
    "bedrock": "bedrock/anthropic.claude-3-5-sonnet-20240620-v1:0",
}
KEYS = (
    "OPENAI_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "GROQ_API_KEY",
    "OPENROUTER_API_KEY",
    "OR_API_KEY",
    "ANTHROPIC_API_KEY",
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_BEARER_TOKEN_BEDROCK",
    "AWS_PROFILE",
    "AWS_REGION_NAME",
    "AWS_REGION",
    "AWS_DEFAULT_REGION",
    "MISTRAL_API_KEY",
)


def lenient(completion: Completion) -> Verdict:
    """A reader for tests of the gateway: JSON or not, and nothing else."""
    text = (completion.content or completion.tool_arguments or "").strip()
    if not text:
        return Verdict(None, "empty", "there is no answer")
    if completion.finish_reason == "length" and not text.endswith("}"):
        return Verdict(None, "truncated", "the answer was cut off")
    return Verdict("whole", None, None) if text.startswith("{") else Verdict(None, "unreadable", "no JSON")


def ask(label: str = "house", **changed: Any) -> CallRequest:
    usual: dict[str, Any] = {
        "label": label,
        "prompt": PROMPT,
        "schema": SCHEMA,
        "kind": "act",
        "match_id": 1,
        "ply": 3,
        "seat": "red",
        "decision": 2,
        "attempt": 1,
        "read": lenient,
    }
    return CallRequest(**(usual | changed))


class Clock:
    """Time that passes only when somebody waits for it."""

    def __init__(self) -> None:
        self.at = 1000.0
        self.waits: list[float] = []

    def now(self) -> float:
        return self.at

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.at += seconds
        await asyncio.sleep(0)


class Bench:
    """Gateways on one loopback provider, with all that they record and say."""

    def __init__(self, loopback: Loopback) -> None:
        self.loopback = loopback
        self.calls: list[CallRecord] = []
        self.warnings: list[str] = []
        self.seen: list[CallRecord] = []
        self.clock = Clock()
        self.gateways: list[Gateway] = []

    def player(
        self, label: str = "house", provider: str = "openai", model: str = "openai/any", **more: Any
    ) -> dict[str, Any]:
        return {"label": label, "model": model, "api_base": self.loopback.base_for(provider), "price": "free", **more}

    def spec(self, *players: dict[str, Any], **more: Any) -> Tournament:
        return Tournament.model_validate(
            {
                "name": "bench",
                "games": [{"game": "so_long_sucker"}],
                "players": list(players or [self.player()]),
                **more,
            }
        )

    def gateway(
        self,
        *players: dict[str, Any],
        patience: Patience | None = None,
        spent: dict[tuple[int | None, str], Spend] | None = None,
        real_time: bool = False,
        servers: Any = None,
        stop: asyncio.Event | None = None,
        **more: Any,
    ) -> Gateway:
        times: dict[str, Any] = {} if real_time else {"sleep": self.clock.sleep, "now": self.clock.now}
        gateway = Gateway(
            self.spec(*players, **more),
            run_id=7,
            record=self.record,
            spent=spent or {},
            locals=servers,
            on_call=self.seen.append,
            warn=self.warnings.append,
            stop=stop,
            patience=patience,
            **times,
        )
        self.gateways.append(gateway)
        return gateway

    async def warm(self) -> None:
        """One call, so that what litellm imports at its first does not count against a short time limit."""
        await self.gateway().complete(ask())
        self.loopback.clear()
        self.calls.clear()
        self.seen.clear()

    async def record(self, call: CallRecord) -> int:
        await asyncio.sleep(0)
        self.calls.append(call)
        return len(self.calls)


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> Iterator[None]:
    for name in KEYS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return


@pytest.fixture
async def bench(loopback: Loopback) -> AsyncIterator[Bench]:
    bench = Bench(loopback)
    yield bench
    for gateway in bench.gateways:
        await gateway.close()
