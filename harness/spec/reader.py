"""YAML text to plain values, with every surprise of YAML refused by line and column.

Only mappings, lists, text, whole numbers, numbers, true, false and null come out. Forms that YAML 1.1 gives a second
meaning (`12:30` as 750, `017` as 15, dates) stay text, so that strict types name them as they were written.
"""

from __future__ import annotations

import math
import re
from collections.abc import Hashable
from typing import Any

import yaml

from harness.spec.faults import LEFT_OUT, FieldError, path_text, printable, shorten, shown

MAX_BYTES = 1_000_000
"""A larger tournament file is refused unread."""
MAX_VALUES = 20_000
"""At most so many values, counted with every alias written out."""
MAX_DEPTH = 40

_MERGE = "tag:yaml.org,2002:merge"
_PLAIN = frozenset(f"tag:yaml.org,2002:{kind}" for kind in ("null", "bool", "int", "float", "str", "seq", "map"))


class _NotRead(yaml.MarkedYAMLError):
    """What YAML has and a tournament file may not have."""


class _Loader(yaml.SafeLoader):
    """The safe loader, stricter still."""

    depth = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            here = self.peek_event()  # type: ignore[no-untyped-call]
            raise _NotRead(problem="nested too deeply", problem_mark=here.start_mark)
        node = super().compose_node(parent, index)
        self.depth -= 1
        if node is not None and node.tag not in _PLAIN and node.tag != _MERGE:
            raise _NotRead(problem=f"the tag {shorten(node.tag)} is not read", problem_mark=node.start_mark)
        return node

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen: dict[Hashable, yaml.Mark] = {}
        for key_node, _ in node.value:
            if key_node.tag == _MERGE:
                raise _NotRead(problem="merge keys (<<) are not read", problem_mark=key_node.start_mark)
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, str):
                why = "a key has to be text" + (" (put it in quotes)" if isinstance(key, bool | int | float) else "")
                raise _NotRead(problem=f"{shown(key)} is not text; {why}", problem_mark=key_node.start_mark)
            if key in seen:
                again = f"the key {shown(key)} stands here again (first in line {seen[key].line + 1})"
                raise _NotRead(problem=again, problem_mark=key_node.start_mark)
            seen[key] = key_node.start_mark
        return super().construct_mapping(node, deep=deep)

    def construct_number(self, node: yaml.ScalarNode) -> int | float:
        """A number; one with too many digits to be meant is refused."""
        if len(node.value) > 100:
            raise _NotRead(problem="a number of more than 100 digits", problem_mark=node.start_mark)
        if node.tag.endswith(":int"):
            return int(node.value)
        return float(self.construct_yaml_float(node))


def _resolvers() -> dict[str, list[tuple[str, re.Pattern[str]]]]:
    """YAML's own, without dates, octal, hexadecimal, sexagesimal and underscored numbers."""
    ours: dict[str, list[tuple[str, re.Pattern[str]]]] = {}
    narrowed = {
        "tag:yaml.org,2002:int": re.compile(r"^[-+]?(?:0|[1-9][0-9]*)$"),
        "tag:yaml.org,2002:float": re.compile(
            r"^(?:[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$"
        ),
    }
    for first, rules in yaml.SafeLoader.yaml_implicit_resolvers.items():
        ours[first] = [(tag, narrowed.get(tag, rule)) for tag, rule in rules if not tag.endswith(":timestamp")]
    return ours


_Loader.yaml_implicit_resolvers = _resolvers()
for _kind in ("int", "float"):
    _Loader.add_constructor(f"tag:yaml.org,2002:{_kind}", _Loader.construct_number)


def read_yaml(text: str) -> Any:
    """The text's one document as plain values. Raises `FieldError`, whose path is the line and column or the field."""
    if len(text) > MAX_BYTES:
        raise FieldError("", f"larger than {MAX_BYTES:,} characters; a tournament file is a page or two")
    try:
        data = yaml.load(text, Loader=_Loader)  # noqa: S506 (it is a safe loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        ours = isinstance(error, _NotRead)
        raise FieldError(where, f"{'' if ours else 'not readable as YAML: '}{_problem(error)}") from None
    except yaml.reader.ReaderError as error:
        before = text[: error.position]
        where = f"line {before.count(chr(10)) + 1}, column {len(before) - before.rfind(chr(10))}"
        raise FieldError(
            where, f"not readable as YAML: the character U+{int(error.character):04X} may not stand there"
        ) from None
    except (RecursionError, ValueError) as error:
        raise FieldError("", f"not readable as YAML: {shorten(str(error))}") from None
    _check(data)
    return data


def _problem(error: yaml.MarkedYAMLError) -> str:
    problem = printable(" ".join((error.problem or "").split()))
    if r"'\t'" in problem:
        return "a tab; indent with blanks"
    if "expected a single document" in " ".join((error.context or "").split()):
        return "a second document begins here; a file holds one"
    return problem or "malformed"


def _check(data: Any) -> None:
    """Refuse what is too much, what is not finite, and what looks like a key, each with its path."""
    count = 0
    stack: list[tuple[Any, tuple[str | int, ...]]] = [(data, ())]
    while stack:
        value, path = stack.pop()
        count += 1
        if count > MAX_VALUES:
            raise FieldError("", f"more than {MAX_VALUES:,} values once its aliases are written out")
        if len(path) > MAX_DEPTH:
            raise FieldError(path_text(path[:4]) + "…", "nested too deeply, or an alias that holds itself")
        if isinstance(value, float) and not math.isfinite(value):
            raise FieldError(path_text(path), f"{value} is not a finite number")
        if isinstance(value, str) and looks_secret(value):
            raise FieldError(path_text(path), f"{LEFT_OUT} looks like a key; {ADVICE}")
        if isinstance(value, dict):
            for key in value:
                if names_secret(key) and value[key] not in (None, False):
                    raise FieldError(path_text((*path, key)), f"a key may not stand in a tournament file; {ADVICE}")
            stack.extend((inner, (*path, key)) for key, inner in reversed(value.items()))
        elif isinstance(value, list):
            stack.extend((inner, (*path, index)) for index, inner in reversed(list(enumerate(value))))


ADVICE = "put it in the environment or a .env file, and that variable's name in api_key_env"

_SECRET_NAME = re.compile(
    r"(?:^|_)(?:api_?key|apikey|secret|passw(?:or)?d|authorization|bearer|credentials?|"
    r"(?:access|auth|session|bearer|security|id|refresh)_token|access_key(?:_id)?|private_key)(?:$|_)"
)
_SECRET_VALUE = re.compile(
    r"^\s*(?:Bearer\s+\S|Basic\s+\S{8}|-----BEGIN |sk-[\w-]{6}|(?:sk|pk|rk)_(?:live|test)_|gsk_\w{6}"
    r"|AIza[\w-]{10}|A[KS]IA[A-Z0-9]{12}"
    r"|gh[pousr]_\w{10}|github_pat_|xox[abprs]-|hf_\w{10}|r8_\w{10}|xai-\w{10}|pplx-\w{10}|ABSK\w{10}|eyJ[\w-]{10,}\.eyJ)"
)


def names_secret(key: str) -> bool:
    """Whether a key of the file names something that must not stand there.

    >>> [names_secret(key) for key in ("api_key", "X-Api-Key", "apiKey", "api_key_env", "max_tokens")]
    [True, True, True, False, False]
    """
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", key).lower().replace("-", "_")
    return not snake.endswith("_env") and _SECRET_NAME.search(snake) is not None


def looks_secret(value: str) -> bool:
    """Whether a value has the form of a provider's key.

    >>> [looks_secret(value) for value in ("sk-proj-0123456789", "Bearer abc", "smollm2")]
    [True, True, False]
    """
    return _SECRET_VALUE.match(value) is not None
