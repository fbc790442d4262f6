"""One player in all seats: counted by match, rated by nobody, whatever became of its matches."""

from __future__ import annotations

from typing import Any

from harness.board_text import not_counted_lines, table_rows
from harness.leaderboard import Table, leaderboard
from harness.records import SeatStats
from tests.harness.test_leaderboard import ZERO, only


def alone(number: int, label: str, places: tuple[int | None, ...] = (1, 2, 3), **keys: Any) -> list[SeatStats]:
    """A match of one player in all seats."""
    return [
        SeatStats(
            **{
                **ZERO,
                "match_id": number,
                "number": number,
                "pack": number // 2,
                "seat": f"s{at}",
                "seats": len(places),
                "label": label,
                "identity": label,
                "place": place,
                "winners": 1 if 1 in places else None,
                **keys,
            }
        )
        for at, place in enumerate(places)
    ]


def table(*matches: list[SeatStats]) -> Table:
    return only(leaderboard([stat for seated in matches for stat in seated]))


def test_matches_are_counted_once_whatever_became_of_them() -> None:
    found = table(
        alone(0, "a"),
        alone(1, "b", (3, 1, 2)),
        alone(2, "a", (1, 1, 3), reason="forfeit"),
        alone(3, "b", (None, None, None), status="paused", why="no answer"),
        alone(4, "a", (2, 1, 3), fallback=1),
    )
    assert found.self_play
    rows = {row.label: row for row in found.rows}
    assert (rows["a"].matches, rows["a"].started, rows["a"].missing, rows["a"].forfeits) == (2, 3, 1, 1)
    assert (rows["b"].matches, rows["b"].started, rows["b"].missing) == (1, 2, 1)
    assert rows["a"].not_counted["forfeit"] == rows["b"].not_counted["paused"] == 1
    assert rows["a"].with_fallback == found.with_fallback == 1
    assert {cause.fate: cause.players for cause in found.causes} == {"forfeit": {"a": 1}, "paused": {"b": 1}}
    assert rows["a"].decisions == 3 * 3 * 8
    for row in found.rows:
        assert (row.rank, row.ranks, row.best, row.worst, row.without_fallback) == (None,) * 5
    assert not any("no match links" in line for line in not_counted_lines(found))
    assert table_rows(found)


def test_each_seats_share_comes_from_all_players() -> None:
    found = table(*(alone(number, "ab"[number % 2], (1, 2, 3) if number % 3 else (3, 2, 1)) for number in range(60)))
    seats = {seat.seat: seat for seat in found.ratings.main.seats}
    assert [round(seats[f"s{at}"].win_share, 3) for at in range(3)] == [0.667, 0, 0.333]
    first, second = seats["s0"], seats["s1"]
    assert first.win_interval is not None
    assert first.win_interval[0] < 2 / 3 < first.win_interval[1]
    assert first.effect is not None
    assert second.effect is not None
    assert first.effect > 0 > second.effect


def test_one_match_of_two_players_makes_it_no_self_play() -> None:
    mixed = alone(2, "a")
    mixed[0] = mixed[0].model_copy(update={"label": "b", "identity": "b"})
    assert not table(alone(0, "a"), alone(1, "b"), mixed).self_play


def test_a_label_of_two_identities_is_two_players() -> None:
    seated = alone(0, "a")
    seated[0] = seated[0].model_copy(update={"identity": "another"})
    assert not table(seated).self_play
