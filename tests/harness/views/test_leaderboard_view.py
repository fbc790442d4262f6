"""The leaderboard as a view shows what the leaderboard says, and nothing else."""

from __future__ import annotations

import pytest

from harness.store.call_sums import Unconfirmed
from harness.views.base import Behind, Choice, Figure
from harness.views.leaderboard import view
from tests.harness.test_leaderboard import match
from tests.harness.views.made import (
    HOSTILE,
    LONG,
    TURNED,
    chart,
    check,
    column,
    drawn,
    only,
    results,
    run_of,
    seen,
    sheet,
)


def test_figures_are_those_of_the_leaderboard() -> None:
    found = results(drawn(24))
    (table,) = found.leaderboard.tables
    section = only(view, found)
    board = sheet(section, "leaderboard")
    assert column(board, "player") == [row.label for row in table.rows]
    for told, row in zip(board.rows, table.rows, strict=True):
        assert told.values["win_chance"] == Figure(row.probability, row.probability_interval)
        assert told.values["mean_place"] == Figure(row.mean_place, row.place_interval)
        assert told.values["rank"] == row.rank
        assert told.behind == Behind("r", (row.label,), "g", 0, "finished", "-forfeit")
    dots = chart(section, "win-chance")
    assert [one["value"] for one in dots.rows] == [row.probability for row in table.rows]
    assert [(one["low"], one["high"]) for one in dots.rows] == [row.probability_interval for row in table.rows]
    assert [one.players for one in dots.behind if one] == [(row.label,) for row in table.rows]
    assert section.lines[0] == "From 96 of 96 matches, in 24 packs."
    assert not section.warnings


def test_a_line_stands_where_all_are_alike() -> None:
    rule = chart(only(view, results(drawn(24))), "win-chance").spec["layer"][0]
    assert rule["mark"]["type"] == "rule"
    assert rule["encoding"]["x"]["datum"] == 0.25


def test_under_20_packs_there_is_no_interval_and_it_says_so() -> None:
    section = only(view, results(drawn(4)))
    assert all(row.values["win_chance"].interval is None for row in sheet(section, "leaderboard").rows)  # type: ignore[union-attr]
    assert any(line.startswith("No intervals: they need at least 20 packs") for line in section.lines)
    assert all(one["low"] is None for one in chart(section, "win-chance").rows)


def test_fixed_seats_are_a_warning_and_rate_nobody() -> None:
    stats = [
        stat.model_copy(update={"seat": f"s{'abcd'.index(stat.label)}"}) for stat in drawn(24)
    ]  # each in a seat of its own
    section = only(view, results(stats))
    assert section.warnings[0] == "Not comparable: seats fixed: each player always sat in the same seat."
    assert column(sheet(section, "leaderboard"), "win_chance") == [None] * 4
    assert column(sheet(section, "leaderboard"), "rank") == [None] * 4
    # What is left is how often each won.
    assert chart(section, "win-chance").title.startswith("Share of matches won")
    assert all(one["value"] is not None for one in chart(section, "win-chance").rows)


def test_what_is_missing_unevenly_is_a_warning_with_its_cases() -> None:
    stats = drawn(24)
    for number in range(96, 100):
        places: dict[str, int | None] = dict.fromkeys(("e", "b", "c", "d"))
        stats += match(number, places, status="paused", reason=None, why="e: no answer")
    section = only(view, results(stats))
    assert section.warnings[0].startswith("Not comparable: ")
    cases = sheet(section, "sensitivity")
    told = {(row.values["player"], row.values["of"]): row.values["won"] for row in cases.rows}
    assert told["e", "missing ones all won"] == 1
    assert told["e", "missing ones all lost"] == 0
    assert ("a", "missing ones all won") not in told


def test_other_ways_to_count_stand_beside_the_main_one() -> None:
    stats = drawn(24, kind="model")
    stats = [one.model_copy(update={"fallback": int(one.number % 10 == 0)}) for one in stats]
    stats += match(96, {"a": 1, "b": 1, "c": 1, "d": 2}, reason="forfeit", kind="model")
    stats = [one.model_copy(update={"kind": "bot"}) if one.label == "d" else one for one in stats]
    found = results(stats)
    section = only(view, found)
    ways = ["as it stands", "without fallbacks", "with forfeits", "by places", "models only"]
    assert column(sheet(section, "sensitivity"), "of")[:5] == ways
    (table,) = found.leaderboard.tables
    of_a = next(row for row in table.rows if row.label == "a")
    told = {row.values["of"]: row.values for row in sheet(section, "sensitivity").rows if row.values["player"] == "a"}
    assert of_a.without_fallback is not None
    assert told["without fallbacks"]["win_chance"] == Figure(
        of_a.without_fallback.probability, of_a.without_fallback.probability_interval
    )
    # The models' view is of other tables: drawn beside the main one it would be read as a change.
    assert {one["by"] for one in chart(section, "sensitivity").rows} == set(ways[:4])
    assert len(sheet(section, "leave-one-out").rows) == 4


def test_a_player_is_chosen_and_no_figure_changes() -> None:
    found = results(drawn(24))
    whole, part = only(view, found), only(view, found, Choice(player="b"))
    assert column(sheet(part, "leaderboard"), "player") == ["b"]
    of_b = next(row for row in sheet(whole, "leaderboard").rows if row.values["player"] == "b")
    assert sheet(part, "leaderboard").rows[0].values["win_chance"] == of_b.values["win_chance"]
    assert seen(view, found, Choice(player="nobody")) == []


def test_settings_and_games_choose_tables() -> None:
    stats = drawn(5) + [one.model_copy(update={"game_index": 1, "match_id": one.match_id + 500}) for one in drawn(5)]
    found = results(stats, runs=[run_of(games=2)])
    assert [section.title for section in seen(view, found)] == ["g, 4 seats · chips 3", "g, 4 seats · chips 4"]
    chosen = only(view, found, Choice(settings=(("options.chips", "4"),)))
    assert chosen.title == "g, 4 seats · chips 4"
    assert seen(view, found, Choice(settings=(("options.chips", "5"),))) == []
    assert seen(view, found, Choice(game="other")) == []


def test_pooled_runs_are_marked_and_lead_nowhere() -> None:
    two = [one.model_copy(update={"run": "two", "match_id": one.match_id + 500}) for one in drawn(12, seed=2)]
    another = run_of("two", options={"chips": 9}).model_copy(update={"seed": 2})
    found = results(drawn(12) + two, runs=[run_of("r"), another])
    section = only(view, found)
    assert "Pooled over 2 runs (r, two); they differ in options.chips." in section.lines
    assert section.lines[0] == "From 96 of 96 matches, in 24 packs."
    assert {row.behind for row in sheet(section, "leaderboard").rows} == {None}
    assert len(seen(view, found, Choice(settings=(("options.chips", "9"),)))) == 1


def test_nothing_and_one_player_are_no_fault() -> None:
    assert seen(view, results([])) == []
    section = only(view, results(match(0, {"a": None, "b": None}, status="queued", reason=None)))
    assert section.charts == ()
    assert section.lines[1] == "Not counted: 1 queued."
    lonely = [one for one in drawn(20) if one.label == "a"]
    assert column(sheet(only(view, results(lonely)), "leaderboard"), "player") == ["a"]


def test_columns_in_which_nobody_has_anything_are_left_out() -> None:
    keys = {column.key for column in sheet(only(view, results(drawn(5))), "leaderboard").columns}
    assert "cost" not in keys
    paid = drawn(5, kind="model", calls=2, cost=0.25, unpriced=1)
    section = only(view, results(paid, unconfirmed=[Unconfirmed(100, "a", 0.1), Unconfirmed(None, "a", 9.0)]))
    board = sheet(section, "leaderboard")
    assert column(board, "cost") == pytest.approx([5.0] * 4)
    assert dict(zip(column(board, "player"), column(board, "unconfirmed"), strict=True))["a"] == 0.1
    assert any("$0.1000 of the cost (a $0.1000)" in line for line in section.lines)


def test_forks_rate_nobody() -> None:
    section = only(view, results(drawn(24, parent_ply=3)))
    assert "From forks: each match began where its parent stood, so that these figures rate nobody." in section.lines
    assert column(sheet(section, "leaderboard"), "win_chance") == [None] * 4


@pytest.mark.parametrize("label", [HOSTILE, TURNED, LONG, "\ud800", "=1+1", "datum.value"])
def test_hostile_labels_are_text(label: str) -> None:
    section = only(view, results(drawn(20, ["a", label, f"{label}!", "d"])))
    for one in section.charts:
        svg = check(one)
        assert "<img" not in svg
        assert "\u202e" not in svg
        assert all(len(str(row["name"])) <= 64 for row in one.rows)
        assert len({row["name"] for row in one.rows}) == 4
    assert label in column(sheet(section, "leaderboard"), "player")
