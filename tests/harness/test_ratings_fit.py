"""The strengths are those of the model: by an oracle, by hand, and whatever the order of what is handed over."""

from __future__ import annotations

import json
import random
from itertools import permutations
from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from harness.leaderboard import leaderboard
from harness.ratings.ballots import Ballots, Floats, ballots, linked
from harness.ratings.choices import choices, stages
from harness.ratings.logit import fit, redrawn
from harness.ratings.rate import Assessed, assess
from harness.records import SeatStats
from tests.calibrate.worlds import APART, POOL, World, play
from tests.harness.test_leaderboard import finished, match, only


def rated(stats: list[SeatStats]) -> Assessed:
    return assess(ballots(stats), pairs=True)


def chances(stats: list[SeatStats]) -> dict[str, float]:
    """Each player's chance to win at an average table."""
    seen = rated(stats)
    return {
        player.label: one.probability
        for player, one in zip(seen.players, seen.standings, strict=True)
        if one.probability is not None
    }


def by_hand(found: Ballots, imagined: float, *, places: bool) -> Floats:
    """The same model written down once more, match by match, and handed to scipy."""
    players, size = len(found.players), len(found.seats)

    def loss(values: Floats) -> float:
        strengths = values[:players] - values[:players].mean()
        effects = values[players:] - values[players:].mean()
        total = 0.0
        for who, placed in zip(found.seated, found.places, strict=True):
            odds = dict(zip(range(size), np.exp(strengths[who] + effects), strict=True))
            for here, share in stages(tuple(placed))[: None if places else 1]:
                whole = sum(odds[seat] for seat in here)
                total += sum(part * log(odds[seat] / whole) for seat, part in zip(here, share, strict=True) if part)
        for value in (*strengths, *effects):
            total += imagined * (0.5 * value - size / 2 * log(np.exp(value) + size - 1))
        return -total

    found_by = minimize(loss, np.zeros(players + size), method="BFGS", options={"gtol": 1e-7})
    return np.concatenate(
        [found_by.x[:players] - found_by.x[:players].mean(), found_by.x[players:] - found_by.x[players:].mean()]
    )


@pytest.mark.parametrize("world", [APART, POOL], ids=["table of all", "pool of six"])
@pytest.mark.parametrize("places", [False, True], ids=["wins", "places"])
def test_strengths_and_seats_are_the_likeliest(world: World, places: bool) -> None:
    found = play(world, np.random.default_rng(5), packs=12)
    fitted = fit(choices(found, "places" if places else "wins"), 4, 1.3)
    wanted, players = by_hand(found, 1.3, places=places), len(found.players)
    assert fitted.values == pytest.approx(wanted, abs=1e-6)
    assert [fitted.values[:players].mean(), fitted.values[players:].mean()] == pytest.approx([0, 0], abs=1e-12)


def test_two_players_by_hand() -> None:
    """30 wins to 10 with balanced seats, and half a win imagined for each: even seats, odds by the formula."""
    found = ballots([seat for number in range(40) for seat in match(number, won(number % 8 > 1), size=2)])
    fitted = fit(choices(found), 2)
    strengths, effects = fitted.values[:2], fitted.values[2:]
    assert effects == pytest.approx([0, 0], abs=1e-9)
    gap = strengths[0] - strengths[1]
    # The score: 30 - 40 p + 1/2 - q = 0, with p the chance of the first and q that against an average player.
    p, q = 1 / (1 + np.exp(-gap)), 1 / (1 + np.exp(-gap / 2))
    assert 30 - 40 * p + 0.5 - q == pytest.approx(0, abs=1e-6)


def won(first: bool) -> dict[str, int | None]:
    return {"a": 1, "b": 2} if first else {"a": 2, "b": 1}


def test_seats_are_told_from_players() -> None:
    """Whoever sits in the first seat wins: nobody is better, and the seat is."""
    stats = []
    for number in range(40):
        sitting = match(number, {"a": 1, "b": 2, "c": 3, "d": 4})
        first = next(seat.label for seat in sitting if seat.seat == "s0")
        stats += [seat.model_copy(update={"place": 1 if seat.label == first else 2}) for seat in sitting]
    seen = rated(stats)
    assert [one.probability for one in seen.standings] == pytest.approx([0.25] * 4)
    assert seen.seats[0].win_share == 1
    assert seen.seats[0].effect is not None
    assert seen.seats[1].effect is not None
    assert seen.seats[0].effect > 1 > 0 > seen.seats[1].effect


def test_weaker_opponents_are_made_up_for() -> None:
    """d and e win as often, but e only met those whom all others beat."""
    stats: list[SeatStats] = []
    number = 0
    for places, times in (
        ({"a": 1, "b": 2, "c": 3, "d": 4}, 6), ({"d": 1, "a": 2, "b": 3, "c": 4}, 2),
        ({"x": 4, "y": 3, "z": 2, "e": 1}, 2), ({"x": 1, "y": 2, "z": 3, "e": 4}, 6),
        ({"a": 1, "x": 2, "y": 3, "z": 4}, 8),
    ):  # fmt: skip
        for _ in range(times * 4):
            stats += match(number, {**places})
            number += 1
    found = chances(stats)
    assert found["d"] > found["e"] + 0.05
    assert found["a"] > found["x"]


@pytest.mark.parametrize(
    ("places", "made"),
    [
        ((1, 1), [((0, 1), (0.5, 0.5))]),
        ((1, 1, 1), [((0, 1, 2), (1 / 3, 1 / 3, 1 / 3))]),
        ((1, 2, 2), [((0, 1, 2), (1, 0, 0))]),
        ((1, 2, 3, 3), [((0, 1, 2, 3), (1, 0, 0, 0)), ((1, 2, 3), (1, 0, 0))]),
        ((1, 1, 3), [((0, 1, 2), (0.5, 0.5, 0)), ((1, 2), (0.5, 0)), ((0, 2), (0.5, 0))]),
        ((0, 2, 3), [((1, 2), (1, 0))]),
        ((0, 0, 3), []),
    ],
)
def test_places_as_choices(places: tuple[float, ...], made: list[object]) -> None:
    assert stages(places) == made


def test_a_tie_in_the_middle_is_every_order_alike() -> None:
    """Places 1, 2, 2, 4: the tied are each second in half of the orders, and before the last in all."""
    made = stages((1, 2, 2, 4))
    assert made == [
        ((0, 1, 2, 3), (1, 0, 0, 0)),
        ((1, 2, 3), (0.5, 0.5, 0)),
        ((2, 3), (0.5, 0)),
        ((1, 3), (0.5, 0)),
    ]


def test_tied_players_are_equal_in_all_24_orders() -> None:
    seats = match(0, {"red": 1, "green": 2, "yellow": 2, "blue": 4})
    boards = {json.dumps(leaderboard(list(order)).to_json()) for order in permutations(seats)}
    assert len(boards) == 1
    found = assess(ballots(seats), "places")
    by_label = {player.label: one for player, one in zip(found.players, found.standings, strict=True)}
    assert by_label["green"].probability == by_label["yellow"].probability
    assert (
        (by_label["red"].probability or 0) > (by_label["green"].probability or 0) > (by_label["blue"].probability or 1)
    )


def some_matches(rng: random.Random, packs: int) -> list[SeatStats]:
    stats = []
    for number in range(4 * packs):
        places: list[int | None] = [*rng.choice([(1, 2, 3, 4), (1, 1, 3, 4), (1, 1, 1, 1), (1, 2, 2, 4), (1, 2, 3, 3)])]
        rng.shuffle(places)
        stats += match(number, dict(zip("abcd", places, strict=True)))
    return stats


@settings(max_examples=10, deadline=None)
@given(st.randoms(use_true_random=False), st.sampled_from([1, 3, 21]))
def test_the_order_of_matches_and_seats_changes_no_byte(rng: random.Random, packs: int) -> None:
    stats = some_matches(rng, packs)
    before = json.dumps(leaderboard(stats).to_json())
    rng.shuffle(stats)
    assert json.dumps(leaderboard(stats).to_json()) == before


def test_other_labels_change_no_figure() -> None:
    """Only what is drawn may differ, and that by little: the players' order is another one."""
    stats = some_matches(random.Random(3), 25)
    renamed = {"a": "zoe", "b": "yan", "c": "\u202exi", "d": "[bold]w[/]"}
    other = [
        stat.model_copy(update={"label": renamed[stat.label], "identity": f"id-{renamed[stat.label]}"})
        for stat in stats
    ]
    before, after = ({row.label: row for row in only(leaderboard(some)).rows} for some in (stats, other))
    for label, row in before.items():
        same = after[renamed[label]]
        assert same.probability == pytest.approx(row.probability, abs=1e-8)
        assert same.strength == pytest.approx(row.strength, abs=1e-8)
        assert same.probability_interval == pytest.approx(row.probability_interval, abs=0.03)


def test_one_player_always_wins() -> None:
    stats = [seat for number in range(100) for seat in finished(number)]
    found = {player.label: one for player, one in zip(rated(stats).players, rated(stats).standings, strict=True)}
    winner, loser = found["a"], found["b"]
    assert winner.win_rate == 1
    assert winner.probability is not None
    assert winner.probability_interval is not None
    assert loser.probability_interval is not None
    assert 0.85 < winner.probability < 1
    assert winner.probability_interval[0] < winner.probability < winner.probability_interval[1] <= 1
    # All packs went alike, so they are worth one match each: 25 matches without a win leave room for a few in 100.
    assert 0 <= loser.probability_interval[0] < 0.01
    assert 0.02 < loser.probability_interval[1] < 0.12
    assert found["b"].probability == found["c"].probability == found["d"].probability


def test_one_match() -> None:
    found = chances(finished(0))
    assert found["a"] > found["b"] == found["c"] == found["d"] > 0
    assert sum(found.values()) == pytest.approx(1)


def test_nothing_but_draws() -> None:
    stats = [seat for number in range(80) for seat in match(number, {"a": 1, "b": 1, "c": 1, "d": 1})]
    seen = rated(stats)
    assert [one.probability for one in seen.standings] == pytest.approx([0.25] * 4)
    assert [one.wins for one in seen.standings] == [20] * 4
    for one in seen.standings:
        assert one.probability_interval is not None
        assert one.probability_interval[0] < 0.25 < one.probability_interval[1]
    assert not any(pair.apart for pair in seen.pairs)


def test_no_matches() -> None:
    seen = rated([])
    assert (seen.players, seen.standings, seen.pairs) == ((), (), ())


def test_a_player_at_every_seat_of_a_table_tells_of_seats_alone() -> None:
    """Self-play: the first seat wins, and nobody is better or worse for it."""
    stats: list[SeatStats] = []
    for number in range(40):
        stats += [
            seat.model_copy(update={"label": "a", "identity": "id-a", "place": 1 if seat.seat == "s0" else 2})
            for seat in finished(number)
        ]
    seen = rated(stats)
    assert [
        (player.label, one.probability, one.win_rate) for player, one in zip(seen.players, seen.standings, strict=True)
    ] == [("a", 1.0, 0.25)]
    assert seen.seats[0].win_share == 1


def two_groups() -> list[SeatStats]:
    stats: list[SeatStats] = []
    for number in range(160):
        group = "abcd" if number // 4 % 2 else "wxyz"
        best = group[number % 3]
        stats += match(number, {label: 1 if label == best else 2 for label in group})
    return stats


def test_between_groups_that_never_met_nothing_is_said() -> None:
    stats = two_groups()
    table = only(leaderboard(stats))
    assert table.not_comparable == "no match links these players: a, b, c, d | w, x, y, z"
    twice = [stat.model_copy(update={"label": "b"}) if stat.label == "x" else stat for stat in stats]
    assert only(leaderboard(twice)).not_comparable == (
        "no match links these players: a, b ·id-b, c, d | b ·id-x, w, y, z"
    )
    assert [row.group for row in table.rows] == [0] * 4 + [1] * 4
    assert {row.rank for row in table.rows if row.group == 1} == {row.rank for row in table.rows if row.group == 0}
    for pair in table.ratings.main.pairs:
        across = (pair.first.label in "abcd") != (pair.second.label in "abcd")
        assert (pair.win_odds is None) == (pair.p is None) == across
        assert not (across and pair.apart)
    for group in (0, 1):
        assert sum(row.probability or 0 for row in table.rows if row.group == group) == pytest.approx(1)


def test_players_who_met_by_others_are_linked() -> None:
    assert linked(np.array([[0, 1, 2, 3], [3, 4, 5, 6]]), 8) == [0, 0, 0, 0, 0, 0, 0, 1]


def test_fits_drawn_anew_are_the_fits() -> None:
    """Drawing packs is quick, not rough: each drawn fit is the likeliest for its weights."""
    found = play(APART, np.random.default_rng(9))
    made = choices(found)
    fitted = fit(made, 4, 1.5)
    weights = np.random.default_rng(1).integers(0, 3, (40, made.packs)).astype(float)
    drawn = redrawn(made, fitted, weights, np.random.default_rng(2))
    again = np.random.default_rng(2)
    wins = again.standard_gamma(0.5, drawn.shape) * 1.5
    losses = again.standard_gamma(1.5, drawn.shape) * 1.5
    far = 0.0
    for row, weight in enumerate(weights):

        def loss(values: Floats, row: int = row, weight: Floats = weight) -> float:
            strengths, effects = values[:4] - values[:4].mean(), values[4:] - values[4:].mean()
            level = np.concatenate([strengths, effects])
            odds = np.exp(strengths[found.seated] + effects)
            total = weight[found.packs] @ np.log((odds * (found.places == 1)).sum(axis=1) / odds.sum(axis=1))
            return -float(total + (wins[row] * level - (wins[row] + losses[row]) * np.log(np.exp(level) + 3)).sum())

        best = minimize(loss, drawn[row], method="BFGS").fun
        far = max(far, loss(drawn[row]) - best)
    # The likelihood lies this close below its top: by 1/2 at one standard error.
    assert far < 0.01
