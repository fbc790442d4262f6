"""The laws that every game is held to, at the level of its engine.

A game takes part by a module `tests/games/<game>/laws.py` with

- `OPTIONS`: the options to try;
- `relabellings(position)`: the renamings of seats that its rulebook admits, as maps of names;
- `relabel(value, names)`: a position, an event record or an action's text under such a renaming;
- `rearranged(position, seat, draws)`: a position that differs from this one in all that the seat cannot know.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from games import GAMES, get_game
from games.api import Event, Game, IllegalAction, UnreadableAction, even_out
from games.chance import SEED_LIMIT, Draws
from tests.games.casefile import position_hash

moderate = settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def hooks(name: str) -> ModuleType:
    return import_module(f"tests.games.{name}.laws")


class Played(NamedTuple):
    """A random match: its states by ply, the actions and each one's events (those of the start first)."""

    game: Game
    seats: tuple[str, ...]
    options: Any
    states: tuple[Any, ...]
    actions: tuple[str, ...]
    events: tuple[tuple[Event, ...], ...]


@lru_cache(maxsize=64)
def play(name: str, variant: int, seed: int) -> Played:
    game = get_game(name)
    variants = [(options, number) for options in hooks(name).OPTIONS for number in game.players]
    options, number = variants[variant % len(variants)]
    seats = game.seats(number)
    state, events = game.start(seats, options, seed)
    states, actions, logged = [state], [], [events]
    draws = Draws(f"laws:{name}:{variant}:{seed}")
    while game.to_act(state) is not None:
        assert len(actions) < game.longest(seats, options), "law 5: a match that does not end"
        actions.append(draws.choice(game.legal(state)))
        state, events = game.apply(state, actions[-1])
        states.append(state)
        logged.append(events)
    return Played(game, seats, options, tuple(states), tuple(actions), tuple(logged))


matches = st.tuples(st.integers(0, 199), st.integers(0, SEED_LIMIT - 1))
every_game = pytest.mark.parametrize("name", GAMES)


@every_game
def test_the_game_says_what_the_laws_need(name):
    laws = hooks(name)
    assert laws.OPTIONS
    assert callable(laws.relabellings)
    assert callable(laws.relabel)
    assert callable(laws.rearranged)


@every_game
@moderate
@given(match=matches)
def test_law_1_same_start_and_actions_same_positions_and_events(name, match):
    played = play(name, *match)
    game = played.game
    state, events = game.start(played.seats, played.options, match[1])
    assert (state, events) == (played.states[0], played.events[0])
    for ply, action in enumerate(played.actions, start=1):
        state, events = game.apply(state, action)
        assert (state, events) == (played.states[ply], played.events[ply])


@every_game
def test_law_1_holds_whatever_the_order_of_hashes(name):
    script = (
        "import sys; from tests.games.test_laws import fingerprint; "
        "print([fingerprint(sys.argv[1], n, n) for n in range(0, 40, 3)])"
    )
    prints = {
        subprocess.run(
            [sys.executable, "-c", script, name],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            cwd=Path(__file__).parents[2],
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for hash_seed in ("1", "2")
    }
    assert len(prints) == 1
    assert prints == {f"{[fingerprint(name, n, n) for n in range(0, 40, 3)]}\n"}


def fingerprint(name: str, variant: int, seed: int) -> str:
    played = play(name, variant, seed)
    log = [[event.to_json() for event in events] for events in played.events]
    return position_hash({"log": log, "positions": [played.game.dump(state) for state in played.states]})


@every_game
@moderate
@given(match=matches)
def test_law_2_the_legal_list_is_complete_and_true(name, match):
    played = play(name, *match)
    game, known = played.game, sorted(set(played.actions))
    for state in played.states[:: max(1, len(played.states) // 12)]:
        legal = game.legal(state)
        assert (not legal) == (game.to_act(state) is None)
        assert len(set(legal)) == len(legal)
        for action in legal:
            assert even_out(action) == action
            step = game.apply(state, action)
            assert step.events
            assert game.apply(state, f" \t{action.upper().replace(' ', '  ')} ") == step
        for action in known:
            if action not in legal:
                with pytest.raises(IllegalAction) as refused:
                    game.apply(state, action)
                assert not isinstance(refused.value, UnreadableAction)


@every_game
@moderate
@given(match=matches, text=st.one_of(st.text(max_size=30), st.from_regex(r"[a-z]{2,8}( [a-z0-9,]{1,6}){0,3}\n?")))
def test_law_2_any_other_text_is_refused(name, match, text):
    played = play(name, *match)
    game, state = played.game, played.states[len(played.states) // 2]
    legal = game.legal(state)
    for attempt in (text, *(f"{action}{text}" for action in legal[:2]), *(f"{text} {action}" for action in legal[:2])):
        if even_out(attempt) not in legal:
            with pytest.raises(IllegalAction) as refused:
                game.apply(state, attempt)
            line = str(refused.value)
            assert line.isprintable(), "an error text is one printable line"
            assert len(line) < 1000


@every_game
@pytest.mark.parametrize(
    "hostile",
    ["x" * 1_000_000, "\x1b[2J\u202e\u200b", "\ud800", "{" * 100_000, "play " * 200_000, "<script>", "", "\n", " "],
    ids=["megabyte", "controls", "surrogate", "braces", "words", "markup", "empty", "break", "blank"],
)
def test_law_9_a_hostile_text_is_unreadable_and_its_error_short(name, hostile):
    played = play(name, 0, 1)
    with pytest.raises(UnreadableAction) as refused:
        played.game.apply(played.states[0], hostile)
    line = str(refused.value)
    assert line.isprintable()
    assert len(line) < 1000


@every_game
@moderate
@given(match=matches)
def test_law_3_positions_survive_json_and_apply_changes_nothing(name, match):
    played = play(name, *match)
    game = played.game
    for ply, state in enumerate(played.states):
        before = game.dump(state)
        again = game.load(json.loads(json.dumps(before)))
        assert again == state
        assert game.dump(again) == before
        if ply < len(played.actions):
            step = game.apply(again, played.actions[ply])
            assert step == (played.states[ply + 1], played.events[ply + 1])
            assert game.dump(again) == before


@every_game
@moderate
@given(match=matches, draw=st.integers(0, 2**32))
def test_law_4_what_a_seat_cannot_know_shows_nowhere(name, match, draw):
    played = play(name, *match)
    game, laws, draws = played.game, hooks(name), Draws(draw)
    for state in played.states[:: max(1, len(played.states) // 8)]:
        position = game.dump(state)
        for seat in played.seats:
            other = game.load(laws.rearranged(position, seat, draws))
            assert json.dumps(game.view(other, seat)) == json.dumps(game.view(state, seat))
            assert game.to_act(other) == game.to_act(state)
            if game.to_act(state) == seat:
                assert game.legal(other) == game.legal(state)
                for action in {*played.actions, "nonsense"} - set(game.legal(state)):
                    assert refusal(game, other, action) == refusal(game, state, action)


def refusal(game: Game, state: Any, action: str) -> str:
    with pytest.raises(IllegalAction) as refused:
        game.apply(state, action)
    return f"{type(refused.value).__name__}: {refused.value}"


@every_game
@moderate
@given(match=matches)
def test_views_hold_no_chance_and_name_the_viewer(name, match):
    played = play(name, *match)
    for state in played.states[:: max(1, len(played.states) // 8)]:
        before = played.game.dump(state)
        for seat in (*played.seats, None):
            view = played.game.view(state, seat)
            assert view["you"] == seat
            assert "chance" not in view
            assert json.loads(json.dumps(view)) == view
        assert played.game.dump(state) == before


@every_game
@moderate
@given(match=matches)
def test_law_5_every_match_ends_with_an_outcome(name, match):
    played = play(name, *match)
    game = played.game
    assert all(game.outcome(state) is None for state in played.states[:-1])
    last = played.states[-1]
    outcome = game.outcome(last)
    assert outcome is not None
    assert set(outcome.places) == set(played.seats)
    assert outcome.winners == tuple(seat for seat in played.seats if outcome.places[seat] == 1)
    places = sorted(outcome.places.values())
    assert all(place in (rank, places[rank - 2]) for rank, place in enumerate(places, start=1))
    assert game.legal(last) == ()
    for action in set(played.actions):
        with pytest.raises(IllegalAction):
            game.apply(last, action)


@every_game
@moderate
@given(match=matches)
def test_law_6_no_seat_is_favoured_by_code(name, match):
    played = play(name, *match)
    game, laws = played.game, hooks(name)
    for ply, action in enumerate(played.actions):
        position = game.dump(played.states[ply])
        for names in laws.relabellings(position):
            state = game.load(laws.relabel(position, names))
            assert set(game.legal(state)) == {laws.relabel(each, names) for each in game.legal(played.states[ply])}
            step = game.apply(state, laws.relabel(action, names))
            assert game.dump(step.state) == laws.relabel(game.dump(played.states[ply + 1]), names)
            assert [event.to_json() for event in step.events] == [
                laws.relabel(event.to_json(), names) for event in played.events[ply + 1]
            ]


@every_game
@moderate
@given(match=matches)
def test_events_are_json_for_known_seats(name, match):
    played = play(name, *match)
    for events in played.events:
        for event in events:
            record = event.to_json()
            assert json.loads(json.dumps(record)) == record
            assert Event.from_json(record) == event
            assert event.audience == "all" or set(event.audience) <= set(played.seats)


@every_game
def test_bots_play_whole_matches_with_legal_actions(name):
    from tests.games.table import play_bots

    game = get_game(name)
    for number in game.players:
        for bot in game.bots:
            log = play_bots(name, [bot] * number, {}, seed=5)
            assert game.outcome(log.state) is not None


@every_game
def test_every_scenario_loads_and_ends(name):
    game = get_game(name)
    for number in game.players:
        for scenario, build in game.scenarios.items():
            position = build(game.seats(number), {}, 11)
            assert position["chance"]["seed"] == 11, scenario
            state = game.load(position)
            assert game.dump(state) == position
            draws = Draws(scenario)
            for _ in range(game.longest(game.seats(number), {})):
                if game.to_act(state) is None:
                    break
                state = game.apply(state, draws.choice(game.legal(state))).state
            assert game.outcome(state) is not None
