"""How the loopback provider picks a legal answer from nothing but the request it was sent."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]
_BULLET = re.compile(r"^\s*(?:[-*]|\d+[.)])\s+`?(?P<action>[^`\n]+?)`?\s*$")


def nodes(value: Any) -> Iterator[Json]:
    """Every object inside a JSON value, outermost first."""
    if isinstance(value, dict):
        yield value
        for inner in value.values():
            yield from nodes(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from nodes(inner)


def schema_in(body: Json) -> Json | None:
    """The answer's schema, wherever the provider's dialect puts it: the first object that declares `actions`."""
    for node in nodes({key: body[key] for key in body if key not in ("messages", "contents", "system")}):
        properties = node.get("properties")
        if isinstance(properties, dict) and ("actions" in properties or "messages" in properties):
            return node
        packed = node.get("schema")
        if isinstance(packed, str) and packed.startswith("{"):
            inner = schema_in(json.loads(packed))
            if inner is not None:
                return inner
    return None


def texts_in(body: Json) -> list[str]:
    """The texts of the messages, in the order sent, in any of the dialects."""
    found: list[str] = []
    for key in ("system", "systemInstruction", "system_instruction", "messages", "contents"):
        value = body.get(key)
        if isinstance(value, str):
            found.append(value)
        for node in nodes(value):
            found.extend(node[name] for name in ("content", "text") if isinstance(node.get(name), str))
    return found


def legal_in(body: Json) -> list[str]:
    """The legal actions: the schema's enum, else the last list of the text that follows a line with the word legal."""
    schema = schema_in(body)
    if schema is not None and "actions" in schema.get("properties", {}):
        for node in nodes(schema["properties"]["actions"]):
            if isinstance(node.get("enum"), list):
                return [str(value) for value in node["enum"]]
    return legal_in_text("\n".join(texts_in(body)))


def legal_in_text(text: str) -> list[str]:
    """The last bulleted, numbered or JSON list after a line that speaks of legal actions."""
    best: list[str] = []
    lines = text.split("\n")
    for place, line in enumerate(lines):
        if "legal" not in line.lower():
            continue
        found: list[str] = []
        after = line.split(":", 1)[1].strip() if ":" in line else ""
        for candidate in [after, *lines[place + 1 :]]:
            stripped = candidate.strip()
            if stripped.startswith("["):
                try:
                    listed = json.loads(stripped)
                except ValueError:
                    break
                found = [str(value) for value in listed]
                break
            bullet = _BULLET.match(candidate)
            if bullet is not None:
                found.append(bullet["action"].strip('"'))
            elif found and stripped:
                break
        if found:
            best = found
    return best


def fill(schema: Json | None, actions: list[str], say: str | None = None) -> Json:
    """The smallest answer that the schema admits, with these actions and, if wanted, one message to all."""
    if schema is None:
        return {"actions": actions} | ({"messages": [{"to": "all", "text": say}]} if say else {})
    answer: Json = {}
    for name, node in schema.get("properties", {}).items():
        if name == "actions":
            answer[name] = actions
        elif name == "messages" and say:
            item = node.get("items", {})
            answer[name] = [{**_least(item), "to": "all", "text": say}]
        else:
            answer[name] = _least(node)
    return answer


def _least(node: Json) -> Any:
    options = node.get("anyOf") or node.get("oneOf")
    if options:
        return _least(options[-1])
    if "const" in node:
        return node["const"]
    if node.get("enum"):
        return node["enum"][0]
    kind = node.get("type")
    if isinstance(kind, list):
        kind = "null" if "null" in kind else kind[0]
    kind = str(kind).lower()
    if kind == "object" or "properties" in node:
        return {name: _least(inner) for name, inner in node.get("properties", {}).items()}
    if kind in ("integer", "number"):
        return node.get("minimum", 0)
    return {"array": [], "string": "", "boolean": False}.get(kind)
