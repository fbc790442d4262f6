"""What is missing from a leaderboard, fell back or was forfeited is told beside the figures, never in them."""

from __future__ import annotations

import json

from harness.board_text import COLUMNS, all_rows, not_counted_lines
from harness.leaderboard import leaderboard
from harness.records import SeatStats
from tests.harness.test_leaderboard import finished, match, only

FORFEIT: dict[str, int | None] = {"a": 4, "b": 1, "c": 1, "d": 1}
NOBODY: dict[str, int | None] = {"a": None, "b": None, "c": None, "d": None}


def test_up_to_five_in_a_hundred_may_be_missing() -> None:
    stats = [seat for number in range(19) for seat in finished(number)]
    table = only(leaderboard([*stats, *match(19, NOBODY, status="paused", reason=None, why="ann: down")]))
    assert (table.started, table.missing, table.not_comparable) == (20, 1, None)
    assert [row[1] for row in all_rows(table)] == ["a", "b", "c", "d"]
    worse = only(leaderboard([*stats[4:], *match(19, NOBODY, status="paused", reason=None)]))
    assert worse.not_comparable == "1 of 19 matches begun are missing (5 %)"


def test_what_is_queued_or_under_way_is_not_missing() -> None:
    stats = [*finished(0), *match(1, NOBODY, status="queued", reason=None)]
    stats += match(2, NOBODY, status="running", reason=None)
    table = only(leaderboard(stats))
    assert (table.started, table.missing, table.not_comparable) == (2, 0, None)
    assert table.rows[0].best is table.rows[0].worst is None


def test_missing_unevenly_is_not_comparable_though_little_is_missing() -> None:
    pool = ["a", "b", "c", "d", "e"]
    stats: list[SeatStats] = []
    for number in range(60):
        seated = [*pool[:3], "e"] if 20 <= number < 30 else pool[:4]
        stats += match(number, {label: place + 1 for place, label in enumerate(seated)})
    assert only(leaderboard(stats)).not_comparable is None
    stats += match(60, {"a": None, "b": None, "c": None, "e": None}, status="paused", reason=None)
    table = only(leaderboard(stats))
    assert table.not_comparable == "matches are missing unevenly: 9 % of e's, 0 % of d's"
    for number in range(61, 64):
        stats += match(number, {"a": None, "b": None, "c": None, "e": None}, status="paused", reason=None)
    table = only(leaderboard(stats))
    assert table.not_comparable == "4 of 64 matches begun are missing (6 %), unevenly: 29 % of e's, 0 % of d's"


def test_best_and_worst_case_and_causes_by_player() -> None:
    stats = [
        *finished(0),
        *match(1, {"b": 1, "a": 2, "c": 3, "d": 4}),
        *match(2, NOBODY, status="paused", reason=None, why="ann: no answer"),
        *match(3, NOBODY, status="void", reason=None, why="a typo"),
        *match(4, {"a": 4, "b": 1, "c": 1, "d": 1}, reason="forfeit"),
    ]
    table = only(leaderboard(stats))
    found = {row.label: row for row in table.rows}
    a, b = found["a"], found["b"]
    assert a.best is not None
    assert a.worst is not None
    # a has 1 win of 2; two of its missing ones are open, the third it forfeited itself.
    assert (a.best.win_rate, a.worst.win_rate) == (3 / 5, 1 / 5)
    assert (a.best.mean_place, a.worst.mean_place) == ((1 + 2 + 1 + 1 + 4) / 5, (1 + 2 + 4 + 4 + 4) / 5)
    assert b.best is not None
    assert b.best.win_rate == 4 / 5
    everybody = {"a": 1, "b": 1, "c": 1, "d": 1}
    assert [(cause.fate, cause.why, cause.matches, cause.players) for cause in table.causes] == [
        ("forfeit", "by a", 1, everybody),
        ("paused", "ann: no answer", 1, everybody),
        ("void", "a typo", 1, everybody),
    ]
    lines = not_counted_lines(table)
    assert lines[0] == (
        "Not comparable: 3 of 5 matches begun are missing (60 %). What they could change: at best, at worst."
    )
    assert "  1 paused: ann: no answer (a 1, b 1, c 1, d 1)" in lines
    assert "  1 ended by forfeit: by a (a 1, b 1, c 1, d 1)" in lines
    shown = [dict(zip(COLUMNS, row, strict=True)) for row in all_rows(table)[:4]]
    assert [(row["player"], row["matches"], row["won"], row["mean place"]) for row in shown] == [
        ("a", "2", "50 %", "1.50"),
        ("  with forfeits", "3", "33 %", "2.33"),
        ("  at best", "", "60 %", "1.80"),
        ("  at worst", "", "20 %", "3.00"),
    ]
    values = json.loads(json.dumps(leaderboard(stats).to_json()))["tables"][0]
    assert values["rows"][0]["best"] == {"win_rate": 0.6, "mean_place": 1.8}
    assert values["causes"][1]["why"] == "ann: no answer"


def test_many_causes_are_told_in_short() -> None:
    stats = [*finished(0)]
    for number in range(1, 10):
        stats += match(number, NOBODY, status="paused", reason=None, why=f"fault {number}")
    lines = not_counted_lines(only(leaderboard(stats)))
    assert sum(": fault " in line for line in lines) == 6
    assert "  3 for 3 other reasons" in lines


def test_matches_with_fallbacks_are_left_out_in_a_row_of_their_own() -> None:
    stats = [seat for number in range(80) for seat in finished(number)]
    fell = [seat.model_copy(update={"fallback": 1}) if seat.label == "d" else seat for seat in finished(80)]
    stats += [seat.model_copy(update={"place": 5 - (seat.place or 0)}) for seat in fell]
    table = only(leaderboard(stats))
    found = {row.label: row for row in table.rows}
    assert (table.with_fallback, found["a"].with_fallback) == (1, 1)
    assert (found["a"].matches, found["a"].wins) == (81, 80.0)
    clean = found["a"].without_fallback
    assert clean is not None
    assert (clean.matches, clean.wins, clean.win_rate, clean.mean_place) == (80, 80.0, 1.0, 1.0)
    assert clean.probability_interval is not None
    # The headline is what it would be with nobody's fallback marked.
    unmarked = only(leaderboard([seat.model_copy(update={"fallback": 0}) for seat in stats]))
    assert unmarked.rows[0].probability_interval == found["a"].probability_interval
    assert unmarked.rows[0].without_fallback is None
    shown = [dict(zip(COLUMNS, row, strict=True)) for row in all_rows(table)]
    assert [row["player"] for row in shown[:2]] == ["a", "  without fallbacks"]
    low, high = clean.probability_interval
    assert shown[1]["win chance"].endswith(f"({100 * low:.0f}–{100 * high:.0f})")
    assert (shown[1]["matches"], shown[1]["won"]) == ("80", "100 %")
    assert "In 1 of 81 counted matches somebody fell back; the row without fallbacks leaves them out." in (
        not_counted_lines(table)
    )


def test_matches_that_a_forfeit_ended_come_in_by_a_row_of_their_own() -> None:
    stats = [seat for number in range(8) for seat in finished(number)]
    ended = [*stats, *(seat for number in range(8, 12) for seat in match(number, {**FORFEIT}, reason="forfeit"))]
    before, after = only(leaderboard(stats)), only(leaderboard(ended))
    assert [row.probability for row in before.rows] == [row.probability for row in after.rows]
    assert all(row.with_forfeits is None for row in before.rows)
    a = next(row for row in after.rows if row.label == "a")
    assert a.with_forfeits is not None
    # 8 wins of 12: the forfeiter is last, the others share the first place.
    assert (a.matches, a.with_forfeits.matches, a.with_forfeits.wins) == (8, 12, 8.0)
    assert a.probability is not None
    assert a.with_forfeits.probability is not None
    assert a.with_forfeits.probability < a.probability
