from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.chance import SEED_LIMIT, Draws, draw

KEYS = st.one_of(st.integers(0, SEED_LIMIT - 1), st.text(st.characters(codec="utf-8"), max_size=20))


def test_the_published_draws():
    assert [f"{draw(0, k):016x}" for k in range(3)] == ["d56c9c7e6769d062", "f227960998e4764c", "cf57b6136a1a9d4c"]
    picks = Draws(0)
    assert [picks.pick(6) for _ in range(6)] == [5, 5, 4, 0, 3, 2]


@given(KEYS, st.integers(0, 1000))
def test_a_draw_depends_on_key_and_number_alone(key, drawn):
    draws = Draws(key, drawn)
    first = [draws.next() for _ in range(3)]
    assert first == [draw(key, drawn + k) for k in range(3)]
    assert draws.drawn == drawn + 3
    assert all(0 <= value < 2**64 for value in first)


def test_every_use_takes_the_next_number():
    draws = Draws(7)
    assert (draws.pick(4), draws.below(0.5), draws.choice("abcd")) == (
        (draw(7, 0) * 4) >> 64,
        draw(7, 1) / 2**64 < 0.5,
        "abcd"[(draw(7, 2) * 4) >> 64],
    )
    assert draws.drawn == 3


@pytest.mark.parametrize(("p", "always"), [(0.0, False), (1.0, True)])
def test_certain_and_impossible(p, always):
    draws = Draws(3)
    assert {draws.below(p) for _ in range(200)} == {always}


@given(st.integers(0, 2**53 - 1), st.lists(st.integers(), max_size=12))
def test_shuffle_swaps_from_the_last_down(seed, items):
    shuffled = list(items)
    Draws(seed).shuffle(shuffled)
    by_hand = list(items)
    for k, i in enumerate(range(len(items) - 1, 0, -1)):
        j = (draw(seed, k) * (i + 1)) >> 64
        by_hand[i], by_hand[j] = by_hand[j], by_hand[i]
    assert shuffled == by_hand


def test_picks_are_alike():
    counts = [0] * 6
    draws = Draws("alike")
    for _ in range(6000):
        counts[draws.pick(6)] += 1
    assert all(850 < count < 1150 for count in counts)
