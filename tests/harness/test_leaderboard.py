"""The leaderboard counts what it says it counts, whatever the order."""

from __future__ import annotations

import json
import random
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.board_text import COLUMNS, not_counted_lines, table_rows
from harness.leaderboard import Leaderboard, Row, Table, leaderboard
from harness.records import SeatStats

ZERO: dict[str, Any] = {
    "run": "r",
    "game": "g",
    "status": "finished",
    "kind": "bot",
    "reason": "last_alive",
    "turns": 10,
    "forced": 2,
    "fallback": 0,
    "decisions": 8,
    "illegal": 0,
    "unreadable": 0,
    "failed": 0,
    "calls": 0,
    "prompt_tokens": 0,
    "cached_tokens": 0,
    "completion_tokens": 0,
    "reasoning_tokens": 0,
    "cost": 0.0,
    "unpriced": 0,
    "latency_ms": 0.0,
    "messages": 0,
    "pledges": 0,
}


def match(number: int, places: dict[str, int | None], *, size: int = 4, **keys: Any) -> list[SeatStats]:
    """The seats of one match; packs are of `size` matches, in which the players rotate round the table."""
    winners = sum(1 for place in places.values() if place == 1)
    return [
        SeatStats(
            **{
                **ZERO,
                "match_id": 100 + number,
                "number": number,
                "pack": number // size,
                "seat": f"s{(index + number) % len(places)}",
                "seats": len(places),
                "label": label,
                "identity": f"id-{label}",
                "place": place,
                "winners": winners or None,
                **keys,
            }
        )
        for index, (label, place) in enumerate(places.items())
    ]


def finished(number: int, **keys: Any) -> list[SeatStats]:
    return match(number, {"a": 1, "b": 2, "c": 3, "d": 4}, **keys)


def only(board: Leaderboard) -> Table:
    """The one table there is."""
    (table,) = board.tables
    return table


def rows(stats: list[SeatStats]) -> dict[str, Row]:
    """The one table's rows by label."""
    return {row.label: row for row in only(leaderboard(stats)).rows}


def test_wins_places_and_shared_firsts() -> None:
    stats = [
        *match(0, {"a": 1, "b": 2, "c": 3, "d": 4}),
        *match(1, {"a": 1, "b": 1, "c": 3, "d": 4}),
        *match(2, {"a": 4, "b": 1, "c": 1, "d": 1}),
        *match(3, {"a": 2, "b": 4, "c": 1, "d": 3}),
    ]
    found = rows(stats)
    assert [found[label].wins for label in "abcd"] == pytest.approx([1.5, 0.5 + 1 / 3, 4 / 3, 1 / 3], abs=1e-6)
    assert found["a"].win_rate == pytest.approx(0.375)
    assert found["a"].mean_place == 2.0
    assert [row.label for row in only(leaderboard(stats)).rows] == ["a", "c", "b", "d"]
    assert [row.rank for row in only(leaderboard(stats)).rows] == [1, 2, 3, 4]
    assert sum(row.wins for row in found.values()) == pytest.approx(4)


def test_ties_are_equal_in_all_24_orders() -> None:
    seats = match(0, {"red": 1, "green": 2, "yellow": 2, "blue": 4})
    boards = {json.dumps(leaderboard(list(order)).to_json()) for order in permutations(seats)}
    assert len(boards) == 1
    found = rows(seats)
    assert found["green"].mean_place == found["yellow"].mean_place == 2.0
    assert found["green"].rank == found["yellow"].rank == found["blue"].rank == 2


def random_matches(rng: random.Random, packs: int) -> list[SeatStats]:
    """Matches of four with costs and shares that do not add up exactly in binary."""
    stats = []
    for number in range(4 * packs):
        places: list[int | None] = [*rng.choice([(1, 2, 3, 4), (1, 1, 3, 4), (1, 1, 1, 4), (1, 2, 2, 4)])]
        rng.shuffle(places)
        stats += match(
            number,
            dict(zip("abcd", places, strict=True)),
            kind="model",
            calls=7,
            cost=rng.random(),
            latency_ms=1000 * rng.random(),
        )
    return stats


@settings(max_examples=25, deadline=None)
@given(st.randoms(use_true_random=False), st.integers(1, 6))
def test_the_order_of_the_rows_changes_no_byte(rng: random.Random, packs: int) -> None:
    stats = random_matches(rng, packs)
    before = leaderboard(stats)
    rng.shuffle(stats)
    assert json.dumps(leaderboard(stats).to_json()) == json.dumps(before.to_json())
    assert leaderboard(stats) == before


def test_numbers_of_the_database_leave_no_trace() -> None:
    stats = random_matches(random.Random(4), 3)
    moved = [stat.model_copy(update={"match_id": stat.match_id + 7000}) for stat in stats]
    assert json.dumps(leaderboard(moved).to_json()) == json.dumps(leaderboard(stats).to_json())


def test_only_finished_matches_count_and_the_rest_is_shown_by_player() -> None:
    nobody: dict[str, int | None] = {"a": None, "b": None, "c": None, "d": None}
    stats = [
        *match(0, {"a": 1, "b": 2, "c": 3, "d": 4}),
        *match(1, {"b": 1, "a": 2, "c": 3, "d": 4}),
        *match(2, nobody, status="paused", reason=None, cost=0.5),
        *match(3, nobody, status="paused", reason=None),
        *match(4, {"a": 4, "b": 1, "c": 2, "d": 3}, status="void"),
        *match(5, {"a": 4, "b": 1, "c": 1, "d": 1}, reason="forfeit", cost=0.25, illegal=3),
        *match(6, nobody, status="running", reason=None),
        *match(7, nobody, status="queued", reason=None),
        *match(8, nobody, reason=None),
        *match(9, nobody, status="running", held=False, reason=None),
    ]
    table = only(leaderboard(stats))
    assert table.matches == {
        "counted": 2, "forfeit": 1, "paused": 2, "stopped": 1, "void": 1, "running": 1, "queued": 1, "no_result": 1,
    }  # fmt: skip
    found = rows(stats)
    for label in "abcd":
        assert found[label].matches == 2
        assert found[label].not_counted == {
            "forfeit": 1, "paused": 2, "stopped": 1, "void": 1, "running": 1, "queued": 1, "no_result": 1,
        }  # fmt: skip
    assert found["a"].win_rate == found["b"].win_rate == 0.5
    assert found["a"].mean_place == 1.5
    assert [found[label].forfeits for label in "abcd"] == [1, 0, 0, 0]
    assert found["a"].illegal == 3
    assert found["a"].decisions == 24
    assert found["a"].cost == 0.25
    assert found["a"].cost_not_counted == 0.5
    lines = not_counted_lines(table)
    assert lines[0].startswith("Not comparable: 6 of 9 matches begun are missing (67 %).")
    assert lines[1] == (
        "Not counted: 1 ended by forfeit, 2 paused, 1 stopped, 1 void, 1 running, 1 queued, 1 without a result."
    )
    assert "forfeited 1" in lines[2]
    assert "$0.5000 spent in them" in lines[2]
    assert lines[2].startswith("  a: ")


def test_a_player_with_no_finished_match_stands_last_without_a_rank() -> None:
    stats = [
        *match(0, {"a": 1, "b": 2}),
        *match(1, {"a": None, "z": None}, status="paused", reason=None),
    ]
    last = only(leaderboard(stats)).rows[-1]
    assert (last.label, last.rank, last.win_rate, last.mean_place, last.matches) == ("z", None, None, None, 0)
    cells = dict(zip(COLUMNS, table_rows(only(leaderboard(stats)))[-1], strict=True))
    assert [cells[name] for name in ("#", "player", "matches", "win chance", "won", "mean place")] == [
        "–", "z", "0", "–", "–", "–",
    ]  # fmt: skip


def test_another_identity_run_entry_or_table_size_is_never_pooled() -> None:
    stats = [
        *match(0, {"a": 1, "b": 2}),
        *match(1, {"a": 1, "b": 2}, run="other"),
        *match(2, {"a": 1, "b": 2}, game_index=1),
        *match(3, {"a": 1, "b": 2, "c": 3}),
        *match(4, {"a": 1, "b": 2}, identity="changed"),
    ]
    board = leaderboard(stats)
    assert [(table.run, table.game_index, table.seats) for table in board.tables] == [
        ("other", 0, 2), ("r", 0, 2), ("r", 0, 3), ("r", 1, 2),
    ]  # fmt: skip
    assert sorted(row.identity for row in board.tables[1].rows) == ["changed", "changed", "id-a", "id-b"]


def test_shares_tokens_cost_and_latency() -> None:
    keys = {
        "kind": "model",
        "decisions": 10,
        "illegal": 2,
        "unreadable": 1,
        "fallback": 1,
        "calls": 12,
        "prompt_tokens": 1000,
        "cached_tokens": 600,
        "completion_tokens": 90,
        "reasoning_tokens": 30,
        "cost": 0.1,
        "unpriced": 1,
        "latency_ms": 2400.0,
    }
    stats = [
        *match(0, {"a": 1, "b": 2}, **keys),
        *match(1, {"a": 1, "b": 2}, **keys),
        *match(2, {"a": 2, "b": 1}, **keys),
    ]
    row = rows(stats)["a"]
    assert (row.illegal_per_decision, row.unreadable_per_decision, row.fallback_share) == (0.2, 0.1, 0.1)
    assert (row.prompt_tokens, row.cached_tokens, row.completion_tokens, row.reasoning_tokens) == (3000, 1800, 270, 90)
    assert row.cost == pytest.approx(0.3)
    assert row.unpriced == 3
    assert row.latency_ms == 200.0
    cells = dict(zip(COLUMNS, table_rows(only(leaderboard(stats)))[0], strict=True))
    assert cells["illegal"] == "0.20"
    assert cells["cached"] == "60.0 %"
    assert cells["cost"] == "$0.3000 + unknown"
    assert cells["latency"] == "0.2 s"
    assert "The price of 6 calls is not known; the cost is at least what is shown." in not_counted_lines(
        only(leaderboard(stats))
    )


def test_a_bot_has_no_latency_and_no_cost() -> None:
    cells = dict(zip(COLUMNS, table_rows(only(leaderboard(match(0, {"a": 1, "b": 2}))))[0], strict=True))
    assert (cells["latency"], cells["cost"], cells["cached"]) == ("–", "–", "–")
    assert only(leaderboard(match(0, {"a": 1, "b": 2}))).rows[0].latency_ms is None


def test_calls_that_cost_nothing_are_told_apart_from_no_calls_and_unreadable_answers_have_their_column() -> None:
    stats = match(0, {"a": 1, "b": 2}, calls=4, decisions=4, unreadable=1)
    cells = dict(zip(COLUMNS, table_rows(only(leaderboard(stats)))[0], strict=True))
    assert (cells["cost"], cells["unreadable"], cells["illegal"]) == ("$0.00", "0.25", "0.00")


def test_incomplete_packs_are_counted() -> None:
    places: dict[str, int | None] = {"a": 1, "b": 2}
    whole = [seat for number in range(4) for seat in match(number, places)]
    assert only(leaderboard(whole)).packs_incomplete == 0
    begun = [
        *whole,
        *(seat for number in range(4, 7) for seat in match(number, places)),
        *match(7, {"a": None, "b": None}, status="queued", reason=None),
        *(seat for number in range(8, 12) for seat in match(number, {"a": None, "b": None}, status="queued")),
    ]
    table = only(leaderboard(begun))
    assert (table.matches["counted"], table.packs, table.packs_incomplete) == (7, 2, 1)
    assert leaderboard(begun).to_json()["tables"][0]["packs_incomplete"] == 1


def test_labels_reach_the_table_as_they_are() -> None:
    label = "[bold red]x[/] </script>"
    assert table_rows(only(leaderboard(match(0, {label: 1, "b": 2}))))[0][1] == label


def test_nothing_gives_no_table() -> None:
    assert leaderboard([]).to_json() == {"level": 0.95, "tables": []}
