"""The form that an answer is asked for in, in words and as a schema."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from games.api import Allowance, Observation
from harness.answer_schema import ENUM_CHARS, answer_schema
from harness.prompt import (
    ENUM_ITEMS,
    render,
)
from harness.reply import Completion, read
from harness.spec import Interface
from tests.harness.prompting import (
    context,
    observation,
    prompt,
)
from tests.providers.choose import nodes

INTERFACES = [
    Interface(legal=legal, thoughts=thoughts, notes=notes)
    for legal, thoughts, notes in itertools.product(
        ("enum", "list", "none"), ("before", "after", "none"), (True, False)
    )
]


def objects_of(schema: Any) -> Iterator[dict[str, Any]]:
    return (node for node in nodes(schema) if node.get("type") == "object")


def keywords_of(schema: Any) -> set[str]:
    if isinstance(schema, list):
        return set().union(*map(keywords_of, schema))
    if not isinstance(schema, dict):
        return set()
    below = [
        *schema.get("properties", {}).values(),
        *(value for key, value in schema.items() if key in ("items", "anyOf")),
    ]
    return set(schema).union(*map(keywords_of, below))


@pytest.mark.parametrize("interface", INTERFACES, ids=str)
@pytest.mark.parametrize("asked", ["act", "talk"])
@pytest.mark.parametrize("bounded", [True, False])
def test_schemas_are_valid_in_the_strictest_dialect(interface: Interface, asked: Any, bounded: bool) -> None:
    seen = observation(asked=asked)
    schema = answer_schema(seen, seen.legal, context(interface=interface), bounded=bounded)
    found = list(objects_of(schema))
    assert found[0] is schema
    assert len(found) == 3
    for node in found:
        assert node["required"] == list(node["properties"])
        assert node["additionalProperties"] is False
    plain = {"type", "properties", "required", "additionalProperties", "items", "enum", "anyOf"}
    bounds = {"maxLength", "maxItems", "minItems", "minimum", "maximum"}
    assert keywords_of(schema) <= (plain | bounds if bounded else plain)
    keys = list(schema["properties"])
    wanted = ["actions"] if asked == "act" else []
    if interface.thoughts != "none":
        wanted.insert(0 if interface.thoughts == "before" else len(wanted), "thoughts")
    assert keys == [*wanted, "messages", *(["notes"] if interface.notes else [])]


@pytest.mark.parametrize("interface", INTERFACES, ids=str)
def test_the_words_name_the_keys_of_the_schema_in_their_order(interface: Interface) -> None:
    seen = observation()
    ctx = context(interface=interface)
    schema = answer_schema(seen, seen.legal, ctx, bounded=False)
    system = prompt(seen, ctx)[0].parts[0]
    assert re.findall(r'^- "(\w+)":', system, re.MULTILINE) == list(schema["properties"])
    form = next(line for line in system.splitlines() if line.startswith("The form: ")).removeprefix("The form: ")
    assert list(json.loads(form)) == list(schema["properties"])
    copied = read(Completion(form, finish_reason="stop"), seen)
    assert copied.error_kind == "illegal"


def test_the_form_of_a_talk_round_can_be_read() -> None:
    seen = observation(asked="talk", legal=())
    text = prompt(seen)[-1].text
    form = text.partition('without "actions": ')[2].splitlines()[0]
    assert list(json.loads(form)) == list(answer_schema(seen, (), context(), bounded=False)["properties"])
    assert read(Completion(form, finish_reason="stop"), seen).error_kind is None
    assert "legal actions" not in text


def test_legal_actions_are_an_enum_in_the_order_shown_where_they_fit() -> None:
    def items(legal: tuple[str, ...], how: Any = "enum") -> Any:
        seen = observation(legal=legal)
        ctx = context(interface=Interface(legal=how))
        return answer_schema(seen, legal, ctx, bounded=False)["properties"]["actions"]["items"]

    shown = ("play red on 2", "play red new", "play red on 1")
    assert items(shown) == {"type": "string", "enum": list(shown)}
    assert items(shown, "list") == items(shown, "none") == {"type": "string"}
    assert "enum" in items(tuple(map(str, range(ENUM_ITEMS))))
    assert "enum" not in items(tuple(map(str, range(ENUM_ITEMS + 1))))
    assert "enum" in items(("x" * (ENUM_CHARS - 1), "y"))
    assert "enum" not in items(("x" * ENUM_CHARS, "y"))


def test_legal_actions_are_listed_in_the_order_shown_unless_the_interface_says_none() -> None:
    shown = ("play red on 2", "play red new", "play red on 1")
    for how, listed in (("enum", True), ("list", True), ("none", False)):
        seen = observation(legal=shown)
        text = render(seen, shown, context(interface=Interface(legal=how)), (), ())[-1].text
        assert ("- play red on 2\n- play red new\n- play red on 1" in text) is listed
        assert ("play red new" in text) is listed


def test_what_may_not_be_said_is_not_in_the_schema() -> None:
    def keys(seen: Observation) -> dict[str, Any]:
        properties: dict[str, Any] = answer_schema(seen, seen.legal, context(), bounded=False)["properties"]
        return properties

    assert "messages" not in keys(observation(talk=None))
    assert "messages" not in keys(observation(talk=Allowance(0, 280, private=True)))
    message = keys(observation(talk=Allowance(2, 280, private=False)))["messages"]["items"]["properties"]
    assert message["to"]["enum"] == ["all"]
    seen = observation(alive=("red", "blue", "green"), seat="red")
    message = keys(seen)["messages"]["items"]["properties"]
    assert message["to"]["enum"] == ["all", "blue", "green"]
    assert message["pledges"]["items"]["properties"]["to"]["enum"] == ["blue", "green"]
    assert "pledges" not in keys(observation(pledges=()))["messages"]["items"]["properties"]


def longest(schema: Any) -> int:
    """Characters of the longest text that a bounded schema admits, without blanks between tokens."""
    if "anyOf" in schema:
        return max(map(longest, schema["anyOf"]))
    if "enum" in schema:
        return max(len(json.dumps(value)) for value in schema["enum"])
    kind = schema["type"]
    if kind == "object":
        return 2 + sum(len(name) + 4 + longest(item) for name, item in schema["properties"].items())
    if kind == "array":
        return 2 + int(schema["maxItems"]) * (1 + longest(schema["items"]))
    if kind == "integer":
        return len(str(schema["maximum"]))
    return 4 if kind == "null" else 2 + int(schema["maxLength"])


@pytest.mark.parametrize("interface", INTERFACES, ids=str)
def test_a_bounded_schema_bounds_the_whole_answer(interface: Interface) -> None:
    """At three characters a token, indentation apart, an answer ends within some 250 tokens."""
    seen = observation()
    assert longest(answer_schema(seen, seen.legal, context(interface=interface), bounded=True)) < 750
