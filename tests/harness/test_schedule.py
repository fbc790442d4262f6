"""Seats and seeds are dealt fairly, and asking for more matches changes none that were there."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, pairwise, permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import games
from games.api import Game
from games.chance import SEED_LIMIT
from harness.schedule import match_seed, schedule
from harness.spec import GameEntry, PlayerSpec, SpecError, Tournament, identity
from tests.harness.scheduling import (
    SEATINGS,
    SEATS,
    order,
    packs,
    tournament,
)
from tests.harness.scheduling import tables as tables

FILES = st.builds(
    lambda seats, more, seed, matches, seating: tournament(
        seats + more, seats, seed=seed, matches=matches, seating=seating
    ),
    st.integers(2, 5),
    st.integers(0, 4),
    st.integers(0, SEED_LIMIT - 1),
    st.integers(1, 40),
    st.sampled_from(SEATINGS),
)


@settings(max_examples=60, deadline=None)
@given(FILES)
def test_the_shape_of_every_schedule(spec: Tournament) -> None:
    matches = schedule(spec)
    assert [match.number for match in matches] == list(range(len(matches)))
    assert len(matches) >= (spec.matches or 1)
    for pack in packs(matches).values():
        assert len({match.seed for match in pack}) == 1
        assert [match.rotation for match in pack] == list(range(len(pack)))
        assert len({frozenset(order(match)) for match in pack}) == 1
    for match in matches:
        assert match.status == "queued"
        assert tuple(seat.seat for seat in match.seats) == SEATS[: len(match.seats)]
        assert len(set(order(match))) == len(match.seats)
        assert 0 <= match.seed < SEED_LIMIT
        assert match.options == {"wide": False}
    assert len({pack[0].seed for pack in packs(matches).values()}) == len(packs(matches))
    assert schedule(spec) == matches


@settings(max_examples=60, deadline=None)
@given(FILES)
def test_in_a_pack_every_player_has_every_seat_equally_often(spec: Tournament) -> None:
    for pack in packs(schedule(spec)).values():
        sat = Counter((seat.label, seat.seat) for match in pack for seat in match.seats)
        if spec.seating in ("rotate", "balanced"):
            seats = len(pack[0].seats)
            assert len(sat) == seats * seats
            assert len(set(sat.values())) == 1
        else:
            assert len(pack) == 1


@settings(max_examples=60, deadline=None)
@given(FILES, st.integers(1, 60))
def test_more_matches_only_add_to_the_end(spec: Tournament, more: int) -> None:
    before = schedule(spec)
    after = schedule(spec.model_copy(update={"matches": (spec.matches or 1) + more}))
    assert after[: len(before)] == before
    assert len(after) >= len(before)


@given(st.integers(1, 30), st.integers(1, 30), st.sampled_from(["rotate", "balanced"]))
@settings(max_examples=40, deadline=None)
def test_more_matches_of_several_games_only_add_to_the_end(fewer: int, more: int, seating: str) -> None:
    entries = (
        GameEntry(game="table", seats=4),
        GameEntry(game="bench", seats=2),
        GameEntry(game="table", seats=3, options={"wide": True}),
    )
    spec = tournament(5, 4, games=entries, matches=fewer, seating=seating)
    before = schedule(spec)
    after = schedule(spec.model_copy(update={"matches": fewer + more}))
    assert after[: len(before)] == before
    per_game = Counter(match.game_index for match in before)
    assert all(per_game[index] >= fewer for index in range(3))


def test_no_number_of_matches_is_one_pack_of_each_game() -> None:
    entries = (GameEntry(game="table", seats=4), GameEntry(game="bench", seats=2))
    matches = schedule(tournament(4, 4, games=entries))
    assert [(match.game, match.pack, match.rotation) for match in matches] == [
        *(("table", 0, turn) for turn in range(4)),
        *(("bench", 0, turn) for turn in range(2)),
    ]


@pytest.mark.parametrize(("asked", "played"), [(1, 4), (4, 4), (5, 8), (8, 8)])
def test_matches_are_rounded_up_to_whole_packs(asked: int, played: int) -> None:
    assert len(schedule(tournament(4, 4, matches=asked))) == played


def test_rotations_are_cyclic() -> None:
    for pack in packs(schedule(tournament(4, 4, matches=40))).values():
        for one, other in pairwise(pack):
            assert order(other) == (*order(one)[1:], order(one)[0])


def test_packs_go_round_the_table_in_every_order_before_one_comes_again() -> None:
    def around(labels: tuple[str, ...]) -> tuple[str, ...]:
        first = labels.index("p0")
        return labels[first:] + labels[:first]

    found = [around(order(pack[0])) for pack in packs(schedule(tournament(4, 4, matches=48))).values()]
    assert len(found) == 12
    assert len(set(found[:6])) == len(set(found[6:])) == 6


def test_balanced_is_every_order() -> None:
    matches = schedule(tournament(4, 4, seating="balanced", matches=1))
    assert {order(match) for match in matches} == set(permutations(("p0", "p1", "p2", "p3")))
    assert len(matches) == 24
    after = Counter(pair for match in matches for pair in pairwise((*order(match), order(match)[0])))
    assert set(after.values()) == {8}


def test_fixed_is_the_order_of_the_file() -> None:
    assert {order(match) for match in schedule(tournament(3, 3, seating="fixed", matches=9))} == {("p0", "p1", "p2")}


def test_random_seats_everyone_everywhere() -> None:
    matches = schedule(tournament(3, 3, seating="random", matches=600))
    sat = Counter(order(match) for match in matches)
    assert set(sat) == set(permutations(("p0", "p1", "p2")))
    assert min(sat.values()) > 60
    assert len({match.seed for match in matches}) == 600


@pytest.mark.parametrize(("pool", "seats"), [(5, 2), (5, 4), (6, 3), (7, 4), (9, 4)])
def test_a_small_pool_plays_every_line_up_in_turn(pool: int, seats: int) -> None:
    everyone = list(combinations([f"p{n}" for n in range(pool)], seats))
    matches = schedule(tournament(pool, seats, matches=2 * seats * len(everyone)))
    line_ups = [tuple(sorted(order(pack[0]))) for pack in packs(matches).values()]
    assert Counter(line_ups) == dict.fromkeys(everyone, 2)
    assert sorted(line_ups[: len(everyone)]) == everyone
    played: Counter[str] = Counter({f"p{n}": 0 for n in range(pool)})
    for line_up in line_ups:
        played.update(line_up)
        assert max(played.values()) - min(played.values()) <= 2
    assert len(set(played.values())) == 1


def test_a_large_pool_plays_equally_often() -> None:
    matches = schedule(tournament(23, 4, matches=4 * 230))
    played: Counter[str] = Counter({f"p{n}": 0 for n in range(23)})
    met: Counter[frozenset[str]] = Counter()
    for pack in packs(matches).values():
        played.update(order(pack[0]))
        met.update(frozenset(pair) for pair in combinations(order(pack[0]), 2))
        assert max(played.values()) - min(played.values()) <= 1
    assert set(played.values()) == {40}
    # 230 packs hold 1,380 meetings, 5.45 for each of the 253 pairs.
    assert len(met) == 253
    assert max(met.values()) <= 9


def test_seeds_come_from_run_entry_and_pack_alone() -> None:
    matches = schedule(tournament(4, 4, seed=5, matches=8))
    assert [match.seed for match in matches] == [match_seed(5, 0, 0)] * 4 + [match_seed(5, 0, 1)] * 4
    other = schedule(tournament(6, 3, seed=5, matches=6, seating="balanced"))
    assert other[0].seed == matches[0].seed
    assert len({match_seed(run, entry, pack) for run in range(20) for entry in range(5) for pack in range(20)}) == 2000


def test_match_seeds_stay_what_they_were() -> None:
    """A log made today names its seed; a run gone on with next year must deal the same."""
    assert match_seed(1, 0, 0) == 1267989879725468
    assert match_seed(7, 2, 31) == 8767725137161326


def test_another_seed_is_another_schedule() -> None:
    one, two = (schedule(tournament(6, 4, seed=seed, matches=40)) for seed in (1, 2))
    assert [order(match) for match in one] != [order(match) for match in two]
    assert {match.seed for match in one}.isdisjoint(match.seed for match in two)


def test_who_sits_there() -> None:
    players = (
        PlayerSpec(label="m", model="openai/x", persona="diplomat"),
        PlayerSpec(label="b", bot="b"),
        PlayerSpec(label="h", human=True),
    )
    spec = Tournament(name="t", games=(GameEntry(game="table", start="s"),), players=players, seating="fixed")

    def identify(player: PlayerSpec, game: Game) -> str:
        return identity(player, prompts_hash="p", version=game.version)

    match = schedule(spec, identify)[0]
    assert match.scenario == "s"
    assert [(seat.label, seat.kind, seat.model, seat.persona) for seat in match.seats] == [
        ("m", "model", "openai/x", "diplomat"),
        ("b", "bot", "b", None),
        ("h", "human", None, None),
    ]
    assert [seat.identity for seat in match.seats] == [identify(player, games.get_game("table")) for player in players]


def test_a_bot_is_another_in_another_game() -> None:
    entries = (GameEntry(game="table", seats=2), GameEntry(game="bench", seats=2))
    matches = schedule(tournament(2, 2, games=entries, seating="fixed"))
    assert matches[0].seats[0].identity != matches[1].seats[0].identity


@pytest.mark.parametrize(
    ("spec", "line"),
    [
        (tournament(4, 7), "seats: 7 is not allowed; table is played with 2, 3, 4, 5, 6"),
        (tournament(3, 4), "players: only 3 players, fewer than the 4 seats of table"),
        (tournament(1, 2, games=(GameEntry(game="table"),)), "players: only 1 player; table needs at least 2"),
        (tournament(2, 2, games=(GameEntry(game="chess"),)), "games: 'chess' is no game here"),
        (
            tournament(2, 2, games=(GameEntry(game="table", options={"wyde": True}),)),
            "options.wyde: unknown key; did you mean wide?",
        ),
    ],
)
def test_a_table_that_cannot_be(spec: Tournament, line: str) -> None:
    with pytest.raises(SpecError) as caught:
        schedule(spec)
    assert str(caught.value) == line


def test_only_those_named_for_a_game_play_it() -> None:
    spec = tournament(6, 2)
    named = ("p4", "p1", "p3")
    entry = spec.games[0].model_copy(update={"players": named})
    limited = spec.model_copy(update={"games": (spec.games[0], entry), "matches": 6})
    seen = {index: set() for index in (0, 1)}  # type: dict[int, set[str]]
    for match in schedule(limited):
        seen[match.game_index] |= {seat.label for seat in match.seats}
    assert seen[1] == set(named)
    assert seen[0] == {player.label for player in spec.players}
