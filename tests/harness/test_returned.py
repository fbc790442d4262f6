"""Whether help is returned: 0 for players who draw lots, whoever helped them, and not for those who look."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import pytest

from games import GAMES, get_game
from harness.behaviour.alliances import KINDS, AlliancesTable, alliances
from harness.behaviour.log import Played, played
from harness.behaviour.returned import CHOSEN
from harness.records import MatchRecord, SeatRecord, TurnRecord
from tests.harness.logs import NOON, stats_of

Donors = dict[str, set[str]]
"""Who ever spared, or gave something to, whom: givers by receiver."""
Choose = Callable[[random.Random, Sequence[str], str, Donors], str]


def lots(chance: random.Random, legal: Sequence[str], _seat: str, _donors: Donors) -> str:
    return chance.choice(legal)


def grateful(chance: random.Random, legal: Sequence[str], seat: str, donors: Donors) -> str:
    """Draws lots too, but gives the move to nobody who gave it none, if it can."""
    kept = [one for one in legal if one.startswith("next ") and one.removeprefix("next ") in donors.get(seat, ())]
    return chance.choice(kept or legal)


def match_of(name: str, number: int, choose: Choose) -> Played:
    """A match of so many seats as the game has at most, each of which chooses alike."""
    game: Any = get_game(name)
    chance = random.Random(f"{name} {number}")
    seats = tuple(game.seats(max(game.players)))
    state = game.start(seats, game.Options(), number).state
    start, turns, donors = game.dump(state), [], {}
    while (seat := game.to_act(state)) is not None:
        legal = game.legal(state)
        action = choose(chance, legal, seat, donors)
        step = game.apply(state, action)
        state = step.state
        for event in step.events:
            if event.kind == "turn" and event.fields.get("why") == "choice" and event.fields["seat"] != seat:
                donors.setdefault(event.fields["seat"], set()).add(seat)
        turns.append(
            TurnRecord(
                ply=len(turns) + 1,
                seat=seat,
                action=action,
                source="player",
                position_hash="",
                events=tuple(event.to_json() for event in step.events),
                decision=0,
                legal_count=len(legal),
                at=NOON,
            )
        )
    match = MatchRecord(
        id=number + 1,
        number=number,
        game=name,
        options=game.Options().model_dump(mode="json"),
        seed=number,
        pack=number,
        seats=tuple(SeatRecord(seat=seat, label=seat, kind="bot", identity=seat) for seat in seats),
        status="finished",
        start=start,
        plies=len(turns),
        outcome=game.outcome(state).to_json(),
    )
    return played(match, "run", stats_of(match), turns, kinds=KINDS)


def table_of(name: str, numbers: range, choose: Choose) -> AlliancesTable:
    (table,) = alliances(match_of(name, number, choose) for number in numbers).tables
    return table


def choosing(name: str) -> bool:
    """Whether one chooses whom to help there."""
    return not CHOSEN.keys().isdisjoint(get_game(name).pledges)


@pytest.mark.parametrize("name", [name for name in GAMES if not choosing(name)])
def test_nothing_is_said_where_nobody_is_chosen(name: str) -> None:
    assert table_of(name, range(2), lots).returned == ()


@lru_cache
def by_lot(name: str) -> AlliancesTable:
    return table_of(name, range(60), lots)


@pytest.mark.parametrize("name", [name for name in GAMES if choosing(name)])
def test_who_draws_lots_returns_nothing(name: str) -> None:
    """All seats play alike: their sums together are 0 but for chance, which is at most 1 a decision."""
    rows = by_lot(name).returned
    assert {row.given for row in rows} == {"help", "harm"}
    for act, given in {(row.act, row.given) for row in rows}:
        some = [row for row in rows if (row.act, row.given) == (act, given)]
        decisions = sum(row.after.whole for row in some)
        mean = sum(row.difference * row.after.whole for row in some) / decisions
        assert abs(mean) < 3 / decisions**0.5


def test_both_shares_are_of_the_same_decisions() -> None:
    for row in by_lot("so_long_sucker").returned:
        assert row.after.whole == row.without.whole
        assert row.after.matches == row.without.matches
        assert row.difference == pytest.approx((row.after.part - row.without.part) / row.after.whole)


def test_who_looks_at_who_helped_shows() -> None:
    rows = table_of("so_long_sucker", range(60), grateful).returned
    seen = [row for row in rows if (row.act, row.given) == ("gave_turn", "help")]
    assert len(seen) == 4
    for row in seen:
        assert row.difference > 0.3
        assert row.interval is not None
        assert row.interval[0] > 0.1


def test_always_to_those_who_helped_has_an_interval_too() -> None:
    """Were the shares taken for independent, the interval from 1 and 0 would be too narrow by a root of 2."""
    from tests.harness.test_alliances import finished

    matches = [finished(number) for number in range(20)]
    (row,) = alliances(matches).tables[0].returned
    assert (row.after.value, row.without.value, row.difference) == (1, 0, 1)
    assert row.after.interval is not None
    assert row.interval == (pytest.approx(2 * row.after.interval[0] - 1), 1)


@pytest.mark.soak
@pytest.mark.parametrize("name", [name for name in GAMES if choosing(name)])
def test_intervals_of_those_who_draw_lots_cover_nothing(name: str) -> None:
    packs, tables = 40, 30
    found = [
        row.interval
        for number in range(tables)
        for row in table_of(name, range(number * packs, (number + 1) * packs), lots).returned
        if row.interval is not None
    ]
    covered = sum(low <= 0 <= high for low, high in found) / len(found)
    print(f"{name}: {100 * covered:.1f} % of {len(found)} intervals cover 0")
    assert len(found) > 100
    assert 0.91 < covered < 0.98
