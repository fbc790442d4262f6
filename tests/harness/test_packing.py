"""A packed replay: differences that lead from one value to the next, tables, what everybody may have."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games import GAMES
from games.api import Json
from harness.packing import FIRST, difference, head, packed, public, table
from tests.dashboard.played import played

VALUES = st.recursive(
    st.none() | st.integers(0, 3) | st.sampled_from(["a", "b"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("abcd"), inner, max_size=3),
    max_leaves=6,
)
MAPS = st.dictionaries(st.sampled_from("abcd"), VALUES, max_size=4)


def applied(old: Json, change: list[Any]) -> Json:
    """What the page makes of a value and a change."""
    put, inside, gone = change
    new = {**old, **put, **{key: applied(old[key], inner) for key, inner in inside.items()}}
    return {key: value for key, value in new.items() if key not in gone}


@given(MAPS, MAPS)
def test_a_change_leads_from_one_value_to_the_other(old: Json, new: Json) -> None:
    assert applied(old, difference(old, new)) == new


@pytest.mark.parametrize("game", GAMES)
def test_every_view_is_found_in_few_steps_and_in_its_order(game: str) -> None:
    replay = played(game)
    pack = packed(replay)

    def view(number: int) -> tuple[Json, int]:
        base, change = pack["views"][number]
        if base is None:
            return change, 0
        before, steps = view(base)
        return applied(before, pack["changes"][change]), steps + 1

    for number, wanted in enumerate(replay["views"]):
        found, steps = view(number)
        assert json.dumps(found) == json.dumps(wanted)
        assert steps <= 41
    assert len(json.dumps(pack)) < len(json.dumps(replay)) / 2


def test_a_table_keeps_every_record() -> None:
    records: list[Json] = [{"a": 1, "b": None}, {"a": 1, "b": 2, "c": 3}]
    got = table(records)
    assert got == {"same": {"a": 1}, "keys": ["b", "c"], "rows": [[None, None], [2, 3]]}
    assert table([]) == {"same": {}, "keys": [], "rows": []}


def test_the_head_is_the_first_plies_alone() -> None:
    pack = packed(played("trap_race"))
    first = head(pack)
    assert first["last"] == len(pack["frames"]["rows"]) - 1
    assert first["frames"]["rows"] == pack["frames"]["rows"][:FIRST]
    assert len(json.dumps(first)) / FIRST < len(json.dumps(pack)) / 10
    assert "details" not in first


def test_what_everybody_may_have_is_named_and_nothing_else() -> None:
    replay = {**played("so_long_sucker"), "surprise": "a new secret"}
    replay["calls"] = [{**call, "surprise": "a new secret"} for call in replay["calls"]]
    replay["match"] = {**replay["match"], "why": "a provider's sentence", "seed": 99}
    text = json.dumps(public(replay))
    for secret in ("a new secret", "provider's sentence", "thought of", "note of", "reasoning of", "News before"):
        assert secret not in text
    assert '"seed"' not in text
