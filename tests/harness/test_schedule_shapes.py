"""Gauntlets, self-play, samples and replicates: who meets whom, on which seed, how often; by hand and by property."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.schedule import match_seed, schedule
from harness.schedule.overview import in_words, overview
from harness.spec import GameEntry, Gauntlet, SpecError, Tournament
from tests.harness.scheduling import (
    SEATINGS,
    files,
    order,
    packs,
    short,
    told,
    tournament,
)
from tests.harness.scheduling import tables as tables

FILES = files(most=4, matches=60, replicates=3)


@settings(max_examples=150, deadline=None)
@given(FILES, st.integers(0, 80))
def test_of_every_kind_packs_are_whole_and_more_matches_only_add(spec: Tournament, more: int) -> None:
    matches = schedule(spec)
    assert [match.number for match in matches] == list(range(len(matches)))
    assert len(matches) >= (spec.matches or 1)
    sizes = set()
    for (_, number), pack in packs(matches).items():
        assert {match.seed for match in pack} == {match_seed(spec.seed, 0, number)}
        assert [match.rotation for match in pack] == list(range(len(pack)))
        sizes.add(len(pack))
    assert len(sizes) == 1
    assert schedule(spec.model_copy(update={"matches": (spec.matches or 1) + more}))[: len(matches)] == matches


@settings(max_examples=100, deadline=None)
@given(FILES)
def test_in_a_pack_every_player_has_every_seat_equally_often(spec: Tournament) -> None:
    if spec.seating not in ("rotate", "balanced"):
        return
    for pack in packs(schedule(spec)).values():
        sat = Counter((seat.label, seat.seat) for match in pack for seat in match.seats)
        for label in {label for label, _ in sat}:
            assert len({sat[label, seat.seat] for seat in pack[0].seats}) == 1


@settings(max_examples=100, deadline=None)
@given(FILES)
def test_replicates_are_the_same_matches_again(spec: Tournament) -> None:
    once = packs(schedule(spec.model_copy(update={"replicates": 1, "matches": 1})))
    several = packs(schedule(spec.model_copy(update={"matches": 1})))
    for key, pack in once.items():
        orders = [order(match) for match in pack]
        assert [order(match) for match in several[key]] == orders * spec.replicates
        assert len({match.number for match in several[key]}) == len(orders) * spec.replicates


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 4), st.integers(2, 12), st.integers(1, 40), st.integers(0, 999))
def test_sampled_line_ups_are_even(seats: int, more: int, number: int, seed: int) -> None:
    pool = seats + more
    spec = tournament(pool, seats, line_ups="sampled", seating="random", matches=number, seed=seed)
    played = Counter({f"p{n}": 0 for n in range(pool)})
    met = Counter(dict.fromkeys(combinations(sorted(played), 2), 0))
    for match in schedule(spec):
        played.update(order(match))
        met.update(combinations(sorted(order(match)), 2))
        assert max(played.values()) - min(played.values()) <= 1
    assert max(met.values()) - min(met.values()) <= 4


@settings(max_examples=80, deadline=None)
@given(st.integers(2, 4), st.integers(1, 4), st.integers(0, 2), st.integers(1, 40), st.sampled_from(SEATINGS))
def test_challengers_of_a_gauntlet_never_meet_and_play_the_same_tables(
    seats: int, challengers: int, more: int, matches: int, seating: str
) -> None:
    baselines = tuple(f"p{n}" for n in range(challengers, challengers + seats - 1 + more))
    spec = tournament(
        challengers + len(baselines), seats, line_ups=Gauntlet(gauntlet=baselines), matches=matches, seating=seating
    )
    tables_of: defaultdict[str, list[tuple[int, int, tuple[str, ...]]]] = defaultdict(list)
    for match in schedule(spec):
        (challenger,) = [label for label in order(match) if label not in baselines]
        others = tuple("·" if label == challenger else label for label in order(match))
        tables_of[challenger].append((match.pack, match.seed, others))
    assert len(tables_of) == challengers
    assert len({tuple(played) for played in tables_of.values()}) == 1


def test_a_gauntlet_by_hand() -> None:
    """Two challengers, two baselines, tables of two: each on each seed, in both seats."""
    found = short(schedule(tournament(4, 2, line_ups=Gauntlet(gauntlet=("p1", "p3")), matches=8)))
    assert [pack for pack, _ in found] == [0, 0, 0, 0, 1, 1, 1, 1]
    first, second = ("p1", "p3") if "p1" in found[0][1] else ("p3", "p1")
    for at, baseline in ((0, first), (4, second)):
        assert sorted(text for _, text in found[at : at + 4]) == sorted(
            [f"p0 {baseline}", f"{baseline} p0", f"p2 {baseline}", f"{baseline} p2"]
        )


def test_self_play_by_hand() -> None:
    found = schedule(tournament(2, 3, line_ups="self_play", matches=3, replicates=2))
    assert short(found) == [(0, "p0 p0 p0"), (0, "p1 p1 p1")] * 2
    assert found[0].seed == found[1].seed == match_seed(1, 0, 0)


@pytest.mark.parametrize(
    ("spec", "matches"),
    [
        (
            tournament(5, 2, line_ups="sampled", matches=10),
            "0.0 40, 0.1 04, 1.0 31, 1.1 13, 2.0 24, 2.1 42, 3.0 01, 3.1 10, 4.0 23, 4.1 32",
        ),
        (
            tournament(4, 3, line_ups=Gauntlet(gauntlet=("p2", "p3")), matches=12),
            "0.0 320, 0.1 203, 0.2 032, 0.3 321, 0.4 213, 0.5 132, 1.0 302, 1.1 023, 1.2 230, 1.3 312, 1.4 123, "
            "1.5 231",
        ),
        (tournament(3, 2, line_ups="all"), "0.0 10, 0.1 01, 1.0 20, 1.1 02, 2.0 12, 2.1 21"),
    ],
)
def test_schedules_stay_what_they_were(spec: Tournament, matches: str) -> None:
    """A run gone on with next year must meet the matches that it was begun with."""
    assert told(spec) == matches


def test_one_player_can_play_against_itself() -> None:
    entries = (GameEntry(game="table"),)
    assert short(schedule(tournament(1, 2, games=entries, line_ups="self_play"))) == [(0, "p0 p0 p0 p0 p0 p0")]


def test_all_is_one_of_each_line_up() -> None:
    found = schedule(tournament(4, 2, line_ups="all", seating="fixed"))
    assert sorted(text for _, text in short(found)) == ["p0 p1", "p0 p2", "p0 p3", "p1 p2", "p1 p3", "p2 p3"]
    twice = schedule(tournament(4, 2, line_ups="all", seating="fixed", replicates=2))
    assert Counter(text for _, text in short(twice)) == Counter({text: 2 for _, text in short(found)})


def test_all_and_auto_agree_where_line_ups_are_few() -> None:
    assert schedule(tournament(7, 4, line_ups="all", matches=200)) == schedule(tournament(7, 4, matches=200))


@pytest.mark.parametrize(
    ("spec", "line"),
    [
        (
            tournament(24, 4, line_ups="all"),
            "line_ups: all is 10,626 line-ups of 4 out of 24 players; at most 2,000 are gone through; use sampled",
        ),
        (
            tournament(10, 5, line_ups="all", seating="balanced", replicates=10),
            "line_ups: all is 252 line-ups in packs of 1,200, 302,400 matches; at most 100,000 are played; "
            "give matches or use sampled",
        ),
        (
            tournament(6, 6, seating="balanced", replicates=200),
            "replicates: one pack has 144,000 matches; at most 100,000 are played",
        ),
        (
            tournament(5, 4, line_ups=Gauntlet(gauntlet=("p0", "p1"))),
            "line_ups.gauntlet: only 2 baselines for the 3 other seats at a table of table",
        ),
        (
            tournament(
                3, 2, games=(GameEntry(game="table", players=("p0", "p1")),), line_ups=Gauntlet(gauntlet=("p0", "p1"))
            ),
            "line_ups.gauntlet: only baselines play table; it needs a challenger",
        ),
    ],
)
def test_a_schedule_that_cannot_be(spec: Tournament, line: str) -> None:
    with pytest.raises(SpecError) as caught:
        schedule(spec)
    assert str(caught.value) == line


def test_a_gauntlet_takes_the_largest_table_that_its_baselines_fill() -> None:
    entries = (GameEntry(game="table"),)
    found = schedule(tournament(6, 2, games=entries, line_ups=Gauntlet(gauntlet=("p4", "p5"))))
    assert {len(match.seats) for match in found} == {3}


def test_what_a_schedule_comes_to() -> None:
    rotated = overview(schedule(tournament(3, 3, matches=6)), ["p0", "p1", "p2"])
    assert (rotated.matches, rotated.packs, rotated.line_ups) == (6, 2, 1)
    assert set(rotated.meetings.values()) == {6}
    assert rotated.seated == {label: dict.fromkeys(("north", "east", "south"), 2) for label in ("p0", "p1", "p2")}
    assert in_words(rotated, self_play=False) == [
        "each two meet in 6 matches",
        "each player sits in each seat 2 times, equally often in all of them",
    ]
    fixed = overview(schedule(tournament(2, 2, seating="fixed")), ["p0", "p1"])
    assert in_words(fixed, self_play=False) == [
        "each two meet in 1 match",
        "each player sits in each seat 0 to 1 time, not equally often in all of them",
    ]
    spec = tournament(4, 2, line_ups=Gauntlet(gauntlet=("p1", "p3")), matches=8)
    against = overview(schedule(spec), ["p0", "p1", "p2", "p3"])
    assert against.meetings["p0", "p2"] == 0
    assert in_words(against, self_play=False, never=["p0", "p2"])[0] == (
        "each challenger meets each baseline in 2 matches; challengers never meet"
    )
    alone = overview(schedule(tournament(2, 3, line_ups="self_play", matches=4)), ["p0", "p1"])
    assert in_words(alone, self_play=True) == ["each player plays 2 matches against itself"]
