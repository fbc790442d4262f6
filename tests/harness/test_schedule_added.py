"""Players who come later: nothing that was planned changes, and what brings them in is on the seeds that are there."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from harness.records import MatchRecord
from harness.schedule import match_seed, schedule
from harness.spec import Gauntlet, PlayerSpec, SpecError, Tournament, going_on
from tests.harness.scheduling import (
    files,
    of_kind,
    order,
    packs,
    short,
    told,
    tournament,
)
from tests.harness.scheduling import tables as tables


def joined(spec: Tournament, *labels: str, matches: int | None = None) -> Tournament:
    """The same file with more players at its end, as a run of it takes it."""
    players = (*spec.players, *(PlayerSpec(label=label, bot="b") for label in labels))
    file = spec.model_copy(update={"players": players, "added": (), "matches": matches or spec.matches})
    change = going_on(spec, file)
    assert (change.differences, change.joining) == ([], labels)
    return change.spec


def played(matches: list[MatchRecord]) -> Counter[str]:
    """Packs' tables by label: each line-up of a pack counts once."""
    tables = {(match.game_index, match.pack, tuple(sorted(order(match)))) for match in matches}
    return Counter(label for _, _, line_up in tables for label in line_up)


GROWN = files(most=3, matches=50, replicates=2)


@settings(max_examples=150, deadline=None)
@given(GROWN, st.integers(1, 3), st.integers(0, 40), st.integers(1, 2), st.integers(0, 40))
def test_what_was_planned_stays_whatever_comes_later(
    spec: Tournament, first: int, more: int, second: int, still_more: int
) -> None:
    stages = [spec]
    stages.append(joined(stages[-1], *(f"x{n}" for n in range(first))))
    stages.append(stages[-1].model_copy(update={"matches": (spec.matches or 1) + more}))
    stages.append(joined(stages[-1], *(f"y{n}" for n in range(second))))
    stages.append(stages[-1].model_copy(update={"matches": (spec.matches or 1) + more + still_more}))
    found = [schedule(stage) for stage in stages]
    for before, after in pairwise(found):
        assert after[: len(before)] == before
    last = found[-1]
    assert [match.number for match in last] == list(range(len(last)))
    for (_, number), pack in packs(last).items():
        assert {match.seed for match in pack} == {match_seed(spec.seed, 0, number)}
        assert sorted(match.rotation for match in pack) == list(range(len(pack)))
    assert schedule(Tournament.from_json(stages[-1].to_json())) == last


@settings(max_examples=150, deadline=None)
@given(GROWN, st.integers(1, 3))
def test_who_joins_plays_as_often_as_the_others_on_the_seeds_that_are_there(spec: Tournament, number: int) -> None:
    before, labels = schedule(spec), [f"x{n}" for n in range(number)]
    after = schedule(joined(spec, *labels))
    new = after[len(before) :]
    assert {match.pack for match in new} <= {match.pack for match in before}
    assert all(set(order(match)) & set(labels) for match in new)
    baselines = spec.line_ups.gauntlet if isinstance(spec.line_ups, Gauntlet) else ()
    often = {label: count for label, count in played(after).items() if label not in baselines}
    others = [often.get(player.label, 0) for player in spec.players if player.label not in baselines]
    for label in labels:
        assert often[label] >= sum(others) / len(others) - 1.5
        assert often[label] <= max(*others, *(often[other] for other in labels)) + 1
    if spec.seating in ("rotate", "balanced"):
        sat = Counter((seat.label, seat.seat) for match in after for seat in match.seats)
        for label in labels:
            assert len({sat[label, seat.seat] for seat in after[0].seats}) == 1


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 4), st.integers(1, 12), st.integers(1, 2), st.sampled_from(["rotate", "balanced", "random"]))
def test_where_all_play_all_everything_is_even_again(seats: int, number: int, joining: int, seating: str) -> None:
    """One table, then further players: every line-up is then played on every seed."""
    if seating == "balanced" and seats == 4:
        number = 1
    spec = tournament(seats, seats, matches=number * seats, seating=seating)
    after = schedule(joined(spec, *(f"x{n}" for n in range(joining))))
    everyone = [f"p{n}" for n in range(seats)] + [f"x{n}" for n in range(joining)]
    for pack in packs(after).values():
        assert {tuple(sorted(order(match))) for match in pack} == set(combinations(sorted(everyone), seats))
    met = Counter(pair for match in after for pair in combinations(sorted(order(match)), 2))
    assert len(set(met.values())) == 1


def test_by_hand_a_third_player_of_tables_of_two() -> None:
    spec = tournament(2, 2, matches=2)
    one, other = schedule(spec)
    new = schedule(joined(spec, "x"))[2:]
    # In each other's place: who sat down first is replaced first, then the other.
    assert short(new) == [
        (0, " ".join("x" if label == "p0" else label for label in order(one))),
        (0, " ".join("x" if label == "p0" else label for label in order(other))),
        (0, " ".join("x" if label == "p1" else label for label in order(one))),
        (0, " ".join("x" if label == "p1" else label for label in order(other))),
    ]
    assert [match.rotation for match in new] == [2, 3, 4, 5]


def test_by_hand_a_fourth_player_of_tables_of_two_meets_everybody_once_then_all_go_on() -> None:
    grown = joined(tournament(3, 2, matches=6), "x", matches=14)
    assert told(grown) == (
        "0.0 10, 0.1 01, 1.0 20, 1.1 02, 2.0 12, 2.1 21, "
        "0.2 1x, 0.3 x1, 0.4 x0, 0.5 0x, 1.2 2x, 1.3 x2, "
        "3.0 12, 3.1 21, 4.0 0x, 4.1 x0, 5.0 02, 5.1 20, 6.0 1x, 6.1 x1"
    )


def test_later_packs_make_up_for_what_is_still_uneven() -> None:
    spec = tournament(5, 4, matches=12)
    grown = joined(spec, "x0", "x1", matches=400)
    often = played(schedule(grown))
    assert max(often.values()) - min(often.values()) <= 2


def test_a_challenger_who_joins_meets_the_same_baselines_on_the_same_seeds() -> None:
    spec = of_kind("gauntlet", 5, 3, matches=30)
    matches = schedule(joined(spec, "x", matches=60))

    def faced(label: str) -> list[Any]:
        mine = [match for match in matches if label in order(match)]
        return sorted((match.pack, tuple("·" if one == label else one for one in order(match))) for match in mine)

    assert faced("x") == faced("p0") == faced("p1")


def test_players_may_stand_anywhere_in_the_file_once_they_are_there() -> None:
    spec = tournament(3, 2, matches=12)
    grown = joined(spec, "x")
    file = grown.model_copy(update={"added": (), "players": (grown.players[-1], *grown.players[:-1])})
    change = going_on(grown, file)
    assert (change.differences, change.joining) == ([], ())
    assert change.spec == grown


def test_who_is_named_for_one_game_joins_that_game_alone() -> None:
    spec = tournament(3, 2)
    named = spec.games[0].model_copy(update={"players": ("p0", "p1")})
    spec = spec.model_copy(update={"games": (spec.games[0], named)})
    grown = joined(spec, "x")
    assert {match.game_index for match in schedule(grown) if "x" in order(match)} == {0}


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"players": lambda old: old[1:]}, "players: 3 in the run, 2 now (without p0)"),
        (
            {"players": lambda old: (*old[1:], PlayerSpec(label="x", bot="b"), PlayerSpec(label="y", bot="b"))},
            "players: 3 in the run, 2 now (without p0)",
        ),
        ({"players": lambda old: (old[1], old[0], old[2])}, 'players[0].label: "p0" in the run, "p1" now'),
        ({"seed": lambda old: old + 1}, "seed: 1 in the run, 2 now"),
        ({"replicates": lambda old: 2}, "replicates: 1 in the run, 2 now"),
        ({"line_ups": lambda old: "all"}, 'line_ups: "auto" in the run, "all" now'),
    ],
)
def test_players_who_went_or_changed_are_told(change: dict[str, Any], line: str) -> None:
    spec = tournament(3, 2)
    file = spec.model_copy(update={key: make(getattr(spec, key)) for key, make in change.items()})
    assert going_on(spec, file).differences[0] == line


def test_nobody_joins_a_run_that_stops_by_looks() -> None:
    spec = tournament(2, 2, until={"apart": ["p0", "p1"], "at_most": 80})
    file = spec.model_copy(update={"players": (*spec.players, PlayerSpec(label="x", bot="b"))})
    assert going_on(spec, file).differences == ["until: it is decided from packs as they were planned, without x"]


@pytest.mark.parametrize(
    ("added", "line"),
    [
        (({"players": ["q"]},), "added[0].players[0]: no player has the label"),
        (({"players": ["p1"]}, {"players": ["p1"]}), 'added[1].players: "p1" was added before'),
        (({"players": ["p0"]},), "added: a baseline of a gauntlet is there from the start"),
    ],
)
def test_what_a_stored_file_cannot_have_added(added: Any, line: str) -> None:
    plain = tournament(3, 2, line_ups=Gauntlet(gauntlet=("p0",))).to_json()
    with pytest.raises(ValidationError, match="Value error") as caught:
        Tournament.model_validate(plain | {"added": added})
    assert line.replace("[", "").split(":")[1] in str(caught.value).replace("[", "")


def test_too_many_matches_to_bring_somebody_in_are_refused() -> None:
    grown = joined(tournament(6, 6, matches=60_000), "x", "y")
    with pytest.raises(SpecError, match="players: to bring them in takes more than 100,000 matches of a game"):
        schedule(grown)
