"""Neither player is favoured by code: under swapped starters everything is the same with the players swapped."""

from __future__ import annotations

import pytest

from games.twenty_one import actions, position, rules
from tests.games.twenty_one.build import GAME
from tests.games.twenty_one.laws import relabel
from tests.games.twenty_one.test_rounds import walk

SWAP = {"p1": "p2", "p2": "p1"}


@pytest.mark.parametrize("options", [{}, {"jokers": 1, "tie_break": "closest"}])
@pytest.mark.parametrize("seed", range(6))
def test_players_swapped_with_starters(monkeypatch, seed, options):
    steps = walk(seed, options)
    legal = [GAME.legal(GAME.load(where)) for where, _, _, _ in steps]
    places = GAME.outcome(GAME.load(steps[-1][2])).places
    swapped = tuple(1 - seat for seat in rules.STARTERS)
    monkeypatch.setattr(rules, "STARTERS", swapped)
    monkeypatch.setattr(position, "STARTERS", swapped)
    for (where, action, after, events), listed in zip(steps, legal, strict=True):
        state = GAME.load(relabel(where, SWAP))
        assert GAME.legal(state) == listed
        step = GAME.apply(state, action)
        assert GAME.dump(step.state) == relabel(after, SWAP)
        told = [event.to_json() for event in step.events]
        if after["round"] == 4 != where["round"]:
            told[-2:] = told[:-3:-1]  # both grids are shown, p1's first
        assert told == [relabel(event, SWAP) for event in events]
    ended = GAME.outcome(GAME.load(relabel(steps[-1][2], SWAP)))
    assert ended.places == {SWAP[seat]: place for seat, place in places.items()}


def transposed(value):
    """A position, an event or an action with rows and columns exchanged."""
    if isinstance(value, str):
        words = {"row": "column", "column": "row"}
        return " ".join(words.get(word, word) for word in value.split(" "))
    if isinstance(value, dict):
        return {key: transposed(item) for key, item in value.items()}
    if isinstance(value, list) and len(value) == 9 and not any(isinstance(item, dict) for item in value):
        return [value[3 * (cell % 3) + cell // 3] for cell in range(9)]
    return [transposed(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("seed", range(6))
def test_rows_exchanged_with_columns(seed):
    for where, action, after, events in walk(seed):
        state = GAME.load({**where, "grids": transposed(where["grids"]), "direction": transposed(where["direction"])})
        assert set(GAME.legal(state)) == {transposed(each) for each in actions.legal(GAME.load(where))}
        step = GAME.apply(state, transposed(action))
        there = GAME.dump(step.state)
        assert there["grids"] == transposed(after["grids"])
        assert there["direction"] == transposed(after["direction"])
        assert {key: there[key] for key in there if key not in ("grids", "direction")} == {
            key: after[key] for key in after if key not in ("grids", "direction")
        }
        assert [event.kind for event in step.events] == [event["kind"] for event in events]
