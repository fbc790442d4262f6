"""Long lists of actions in short: the ranges tell the list, and the pattern fits exactly what is in it."""

from __future__ import annotations

import doctest
import re
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from harness import ranges
from harness.answer_schema import ENUM_CHARS, PLAN_ITEMS, answer_schema
from harness.prompt import ENUM_ITEMS, Context, render
from harness.ranges import grouped
from harness.spec import Interface, Talk
from tests.harness.prompting import context, observation

words = st.sampled_from(["go", "put b", "a.b", "x+(y)", "set"])
tile = st.tuples(st.integers(0, 130), st.integers(0, 130))
tiled = st.builds(lambda word, at: f"{word} {at[0]},{at[1]}", words, tile)
bare = st.sampled_from(["stop", "a|b", "go north", "put 07,1", "put 1, 2", "[x]", "c^d$"])


def test_the_examples_hold() -> None:
    assert doctest.testmod(ranges).failed == 0


def written_out(text: str) -> set[str]:
    """The tiles that a text of ranges names."""

    def numbers(spans: str) -> list[int]:
        ends = [span.split("-") for span in spans.split(", ")]
        return [number for span in ends for number in range(int(span[0]), int(span[-1]) + 1)]

    found = set()
    for part in text.split("; "):
        rows, columns = re.fullmatch(r"rows? ([0-9-]+): columns? ([0-9, -]+)", part).groups()  # type: ignore[union-attr]
        found |= {f"{row},{column}" for row in numbers(rows) for column in numbers(columns)}
    return found


@settings(max_examples=200, deadline=None)
@given(actions=st.lists(tiled | bare, unique=True, max_size=60))
def test_the_groups_hold_exactly_the_list(actions: list[str]) -> None:
    groups = grouped(actions)
    told = {f"{group.words} {tile}" for group in groups.tiles for tile in written_out(group.text())}
    assert told | set(groups.others) == set(actions)
    assert len({group.words for group in groups.tiles}) == len(groups.tiles)


@settings(max_examples=200, deadline=None)
@given(actions=st.lists(tiled | bare, unique=True, min_size=1, max_size=60), others=st.lists(tiled | bare | st.text()))
def test_the_pattern_fits_the_list_and_nothing_else(actions: list[str], others: list[str]) -> None:
    pattern = re.compile(grouped(actions).pattern(), re.ASCII)
    assert all(pattern.search(action) for action in actions)
    near = [*others, *(f"{action}0" for action in actions), *(f"1{action}" for action in actions)]
    assert [text for text in near if pattern.search(text) and text.removesuffix("\n") not in actions] == []


def test_the_pattern_uses_nothing_that_a_grammar_may_lack() -> None:
    actions = [f"put {row},{column}" for row in range(31) for column in range(30) if (row * column) % 7 != 3]
    pattern = grouped([*actions, "auto"]).pattern()
    assert "(?" not in pattern
    assert not re.search(r"\\[a-zA-Z]", pattern)
    assert len(pattern) < ENUM_CHARS


def items(shown: tuple[str, ...], ctx: Context, *, bounded: bool = False) -> Any:
    schema = answer_schema(observation(legal=shown), shown, ctx, bounded=bounded)
    return schema["properties"]["actions"]["items"]


MANY = (*(f"put {row},{column}" for row in range(20) for column in range(20)), "stop")


def test_many_actions_with_tiles_make_a_pattern_instead_of_an_enum() -> None:
    for bounded in (False, True):
        assert items(MANY, context(), bounded=bounded) == {"type": "string", "pattern": grouped(MANY).pattern()}
    few = MANY[: ENUM_ITEMS - 1]
    assert items(few, context()) == {"type": "string", "enum": list(few)}
    assert items(MANY, context(interface=Interface(legal="list"))) == {"type": "string"}


def test_many_actions_without_tiles_are_held_to_no_list() -> None:
    shown = tuple(f"say {number}" for number in range(ENUM_ITEMS + 1))
    assert items(shown, context()) == {"type": "string"}
    assert items(shown, context(), bounded=True) == {"type": "string", "maxLength": 80}


def test_many_actions_are_told_as_ranges_and_few_one_by_one() -> None:
    def present(shown: tuple[str, ...]) -> str:
        return render(observation(legal=shown), shown, context(), (), ())[-1].text

    assert "- put ROW,COLUMN, where ROW,COLUMN is one of: rows 0-19: columns 0-19\n- stop" in present(MANY)
    assert "put 3,4" not in present(MANY)
    assert "- put 0,0\n- put 0,1\n" in present(MANY[:ENUM_ITEMS])
    shown = tuple(f"say {number}" for number in range(ENUM_ITEMS + 1))
    assert "- say 0\n- say 1\n" in present(shown)


def test_a_game_with_plans_asks_for_them_and_leaves_room() -> None:
    def bounds(game: str) -> tuple[int, int]:
        ctx = Context(game, "south", ("south", "north"), {}, None, Interface(), Talk(), "off", {})
        seen = observation(game="no_such_game", legal=("end",))
        schema = answer_schema(seen, seen.legal, ctx, bounded=True)
        return schema["properties"]["actions"]["maxItems"], schema["properties"]["actions"]["minItems"]

    assert bounds("so_long_sucker") == (1, 1)
    assert bounds("trap_race") == (PLAN_ITEMS, 1)
