"""The same answer in the words of each provider: OpenAI (and Groq, OpenRouter), Gemini, Bedrock's converse call."""

from __future__ import annotations

import json
import re
import time
from typing import TYPE_CHECKING, Any

from tests.providers.behaviours import Answer, Fail
from tests.providers.choose import nodes

if TYPE_CHECKING:
    from tests.providers.server import Seen

Json = dict[str, Any]
_GEMINI_FINISH = {"stop": "STOP", "length": "MAX_TOKENS", "content_filter": "SAFETY"}
_BEDROCK_FINISH = {"stop": "end_turn", "length": "max_tokens", "content_filter": "content_filtered"}


def dialect(path: str) -> str | None:
    """Which provider's form a path asks for; None where the provider would not know it."""
    if re.search(r"/models?/[^/]+:generateContent$", path):
        return "gemini"
    if re.search(r"/model/.+/converse$", path):
        return "bedrock"
    for tail, name in (
        ("/openai/v1/chat/completions", "groq"),
        ("/api/v1/chat/completions", "openrouter"),
        ("/chat/completions", "openai"),
    ):
        if path.endswith(tail):
            return name
    return None


def success(seen: Seen, answer: Answer) -> Json:
    """The body of a success."""
    content = answer.content(seen) if callable(answer.content) else answer.content
    prompt = max(1, len(seen.text) // 4)
    completion = len((content or "") + (answer.reasoning or "") + (answer.tool_arguments or "")) // 4 + 1
    if seen.dialect == "gemini":
        return _gemini(seen, answer, content, prompt, completion)
    if seen.dialect == "bedrock":
        return _bedrock(seen, answer, content, prompt, completion)
    return _openai(seen, answer, content, prompt, completion)


def failure(seen: Seen, fail: Fail) -> Json:
    """The body of an error."""
    if seen.dialect == "gemini":
        names = {400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND"}
        name = names.get(fail.status, "RESOURCE_EXHAUSTED" if fail.status == 429 else "UNAVAILABLE")
        return {"error": {"code": fail.status, "message": fail.message, "status": name}}
    if seen.dialect == "bedrock":
        return {"message": fail.message}
    if seen.dialect == "openrouter":
        return {"error": {"message": fail.message, "code": fail.status}}
    return {"error": {"message": fail.message, "type": "scripted", "param": None, "code": fail.code}}


def _usage(seen: Seen, answer: Answer, ordinary: Json) -> Json | None:
    if answer.usage == "missing":
        return None
    if callable(answer.usage):
        return answer.usage(seen)
    if isinstance(answer.usage, dict):
        return answer.usage
    return ordinary


def _openai(seen: Seen, answer: Answer, content: str | None, prompt: int, completion: int) -> Json:
    message: Json = {"role": "assistant", "content": content}
    if answer.reasoning is not None:
        message[answer.reasoning_field] = answer.reasoning
    if answer.refusal is not None:
        message["refusal"] = answer.refusal
    if answer.tool_arguments is not None:
        call = {"name": "answer", "arguments": answer.tool_arguments}
        message["tool_calls"] = [{"id": "call_1", "type": "function", "function": call}]
    body: Json = {
        "id": f"chatcmpl-{seen.index}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": answer.model or seen.body.get("model"),
        "choices": [{"index": 0, "message": message, "finish_reason": answer.finish}] if answer.choices else [],
    }
    ordinary: Json = {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}
    if answer.cached is not None:
        ordinary["prompt_tokens_details"] = {"cached_tokens": answer.cached}
    if answer.reasoning_tokens is not None:
        ordinary["completion_tokens_details"] = {"reasoning_tokens": answer.reasoning_tokens}
    if answer.cost is not None:
        ordinary["cost"] = answer.cost
    usage = _usage(seen, answer, ordinary)
    if usage is not None:
        body["usage"] = usage
    if answer.fingerprint is not None:
        body["system_fingerprint"] = answer.fingerprint
    if answer.upstream is not None or seen.dialect == "openrouter":
        body["provider"] = answer.upstream or "Loopback"
    if seen.dialect == "groq":
        body["service_tier"] = "on_demand"
        body["x_groq"] = {"id": f"req_{seen.index}"}
    return body


def _gemini(seen: Seen, answer: Answer, content: str | None, prompt: int, completion: int) -> Json:
    parts: list[Json] = []
    if answer.reasoning is not None:
        parts.append({"text": answer.reasoning, "thought": True})
    if content:
        parts.append({"text": content})
    ordinary: Json = {
        "promptTokenCount": prompt,
        "candidatesTokenCount": completion - (answer.reasoning_tokens or 0),
        "totalTokenCount": prompt + completion,
    }
    if answer.reasoning_tokens is not None:
        ordinary["thoughtsTokenCount"] = answer.reasoning_tokens
    if answer.cached is not None:
        ordinary["cachedContentTokenCount"] = answer.cached
    candidate: Json = {"index": 0, "finishReason": _GEMINI_FINISH.get(answer.finish, "STOP")}
    if parts:
        candidate["content"] = {"role": "model", "parts": parts}
    body: Json = {
        "candidates": [candidate] if answer.choices else [],
        "modelVersion": answer.model or "loopback-gemini",
        "responseId": f"gemini-{seen.index}",
    }
    usage = _usage(seen, answer, ordinary)
    if usage is not None:
        body["usageMetadata"] = usage
    return body


def _bedrock(seen: Seen, answer: Answer, content: str | None, prompt: int, completion: int) -> Json:
    blocks: list[Json] = []
    if answer.reasoning is not None:
        blocks.append({"reasoningContent": {"reasoningText": {"text": answer.reasoning}}})
    tools = [n["toolSpec"] for n in nodes(seen.body.get("toolConfig", {})) if isinstance(n.get("toolSpec"), dict)]
    if tools and content:
        try:
            wanted = json.loads(content)
        except ValueError:
            wanted = None
        if isinstance(wanted, dict):
            blocks.append({"toolUse": {"toolUseId": "tool_1", "name": tools[0]["name"], "input": wanted}})
            content = None
    if content:
        blocks.append({"text": content})
    stop = "tool_use" if any("toolUse" in block for block in blocks) else _BEDROCK_FINISH.get(answer.finish, "end_turn")
    ordinary: Json = {"inputTokens": prompt, "outputTokens": completion, "totalTokens": prompt + completion}
    if answer.cached is not None:
        ordinary |= {"inputTokens": prompt - answer.cached, "cacheReadInputTokens": answer.cached}
    body: Json = {
        "output": {"message": {"role": "assistant", "content": blocks}},
        "stopReason": stop,
        "metrics": {"latencyMs": 1},
    }
    usage = _usage(seen, answer, ordinary)
    if usage is not None:
        body["usage"] = usage
    return body
