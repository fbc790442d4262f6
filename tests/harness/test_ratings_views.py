"""When not to trust a table: fixed seats, places that do not fit, players who decide between others, what is pooled."""

from __future__ import annotations

import json
import random
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest

from harness import rating_text as text
from harness.board_text import COLUMNS, all_rows, not_counted_lines, table_rows
from harness.leaderboard import Table, leaderboard
from harness.ratings.ballots import ballots
from harness.ratings.check import agreement, view
from harness.ratings.rate import assess, gap
from harness.ratings.settings import settings
from harness.records import RunRecord, SeatStats
from tests.calibrate.worlds import APART, KINGMAKER, play
from tests.harness.test_leaderboard import finished, match, only


def played(packs: int, seed: int = 1, labels: str = "abcd", **keys: object) -> list[SeatStats]:
    """Packs in which a player is the likelier to win the earlier in the alphabet."""
    rng = random.Random(seed)
    stats = []
    for number in range(4 * packs):
        order = sorted(labels, key=lambda label: rng.random() * (1 + labels.index(label)))
        stats += match(number, {label: order.index(label) + 1 for label in labels}, **keys)
    return stats


def fixed(matches: int, seed: int = 1) -> list[SeatStats]:
    """The same players in the same seats all along; packs of one match."""
    rng = random.Random(seed)
    stats = []
    for number in range(matches):
        first = rng.choices("abcd", (6, 2, 1, 1))[0]
        places = {label: 1 if label == first else 2 for label in "abcd"}
        stats += [
            seat.model_copy(update={"seat": f"s{'abcd'.index(seat.label)}", "pack": number})
            for seat in match(number, places)
        ]
    return stats


def test_fixed_seats_are_marked_and_the_seats_shown() -> None:
    table = only(leaderboard(fixed(60)))
    assert table.not_comparable == table.seats_fixed == "seats fixed: each player always sat in the same seat"
    for row in table.rows:
        assert (row.rank, row.probability, row.strength) == (None, None, None)
        assert row.win_rate is not None
    first = table.ratings.main.seats[0]
    assert first.win_share > 0.4
    assert first.win_interval is not None
    assert first.win_interval[0] < first.win_share < first.win_interval[1]
    assert first.effect is None
    lines = not_counted_lines(table)
    assert lines[0] == "Not comparable: seats fixed: each player always sat in the same seat."
    low, high = first.win_interval
    assert lines[1].startswith(f"Won by seat: s0 {100 * first.win_share:.0f} % ({100 * low:.0f}–{100 * high:.0f}), s1 ")
    assert gap(ballots(fixed(60)), 0, 1) is None


def test_seats_that_are_nearly_fixed_are_marked_too() -> None:
    stats = fixed(50) + [seat for number in range(50, 54) for seat in finished(number)]
    table = only(leaderboard(stats))
    assert table.seats_fixed is not None
    assert table.seats_fixed.startswith("seats fixed in part: a sat as s0 in 94 % of its matches")


def test_rotated_and_random_seats_are_not_marked() -> None:
    assert only(leaderboard(played(20))).not_comparable is None
    rng = random.Random(2)
    stats = []
    for number in range(60):
        seats = rng.sample(range(4), 4)
        stats += [
            seat.model_copy(update={"seat": f"s{seats['abcd'.index(seat.label)]}", "pack": number})
            for seat in finished(number)
        ]
    assert only(leaderboard(stats)).not_comparable is None


def test_a_pack_under_way_is_not_called_fixed() -> None:
    assert only(leaderboard(finished(0))).not_comparable is None


def test_places_that_are_lots_do_not_fit_and_true_ones_do() -> None:
    for world, fits in ((KINGMAKER._replace(packs=80), False), (APART._replace(packs=80), True)):
        found = play(world, np.random.default_rng(2))
        main, placed = assess(found), assess(found, "places")
        told = agreement(found, main, placed)
        assert told.fits is fits
        assert {one.player for one in told.players} == set(found.players)
        assert told.players[0].p == min(one.p for one in told.players if one.p is not None)


def test_a_game_that_knows_only_a_winner_has_no_ratings_by_places() -> None:
    stats = [seat for number in range(80) for seat in match(number, {"a": 1, "b": 2, "c": 2, "d": 2})]
    found = only(leaderboard(stats)).ratings
    assert found.agreement.fits is None
    assert text.fit_line(found) == "Places tell nothing here that the winners do not."
    assert found.by_places is not None
    assert [one.probability for one in found.by_places.standings] == [one.probability for one in found.main.standings]


def kingmaker_stats() -> list[SeatStats]:
    """a wins more than b as long as d is there; among a, b and c it is b who is ahead."""
    stats = []
    for number in range(120):
        pack = number // 4
        if pack % 4 == 0:
            places = {"b": 1, "a": 2, "c": 3, "d": 4}
        elif pack % 4 == 1:
            places = {"a": 1, "b": 2, "c": 3, "d": 4}
        elif pack % 4 == 2:
            places = {"d": 1, "b": 2, "a": 3, "c": 4}
        else:
            places = {"a": 1, "b": 2, "c": 3, "d": 4} if pack % 8 == 3 else {"d": 1, "b": 2, "c": 3, "a": 4}
        stats += match(number, {**places})
    return stats


def test_a_player_who_decides_between_others_is_found_by_leaving_it_out() -> None:
    table = only(leaderboard(kingmaker_stats()))
    assert table.rows[0].label == "a"
    views = {one.left_out[0].label: one for one in table.ratings.leave_one_out}
    assert [(change.above.label, change.below.label) for change in views["d"].changes] == [("a", "b")]
    assert views["c"].changes == ()
    rows = [dict(zip(text.LEFT_OUT, row, strict=True)) for row in text.left_out_rows(table.ratings)]
    assert [row["without"] for row in rows] == ["a", "b", "c", "d"]
    assert rows[3]["changes"].startswith("b above a")
    assert rows[3]["order of the others"].startswith("b ")
    assert rows[2]["changes"] == "–"


def test_models_alone_are_rated_as_if_the_bots_had_not_been_there() -> None:
    stats = [
        seat.model_copy(update={"kind": "model" if seat.label in "cd" else "bot"}) for seat in played(24, labels="abcd")
    ]
    seen = only(leaderboard(stats)).ratings.models
    assert seen is not None
    assert [player.label for player in seen.assessed.players] == ["c", "d"]
    assert [player.label for player in seen.left_out] == ["a", "b"]
    both = [one.probability or 0 for one in seen.assessed.standings]
    assert sum(both) == pytest.approx(1)
    # c was before d in more matches, whoever won them.
    ahead = sum(
        seats["c"] < seats["d"]
        for seats in (
            {seat.label: seat.place or 0 for seat in stats if seat.number == number} for number in range(4 * 24)
        )
    )
    assert both[0] == pytest.approx(ahead / 96, abs=0.03)
    assert only(leaderboard(played(20))).ratings.models is None


def test_striking_a_player_keeps_the_places_of_the_others() -> None:
    found = ballots([*match(0, {"a": 1, "b": 2, "c": 3}), *match(1, {"d": 1, "a": 2, "e": 3})])
    rest = found.without([0])
    assert [player.label for player in rest.players] == ["b", "c", "d", "e"]
    assert assess(rest).standings[0].wins == 1
    # A match that leaves one player is dropped, and so is whoever is in no other.
    assert [player.label for player in found.without([0, 1]).players] == ["d", "e"]
    assert view(found, assess(found), [0], "x", intervals=False).matches == 2


def test_versions_of_the_rules_are_never_pooled() -> None:
    stats = [
        *played(2, rules="1"),
        *(seat.model_copy(update={"number": seat.number + 50}) for seat in finished(51, rules="2")),
    ]
    stats += finished(60, status="queued", reason=None)
    board = leaderboard(stats)
    assert [(table.rules, table.matches["counted"], table.matches["queued"]) for table in board.tables] == [
        ("1", 8, 0), ("2", 1, 1),
    ]  # fmt: skip


def test_runs_are_pooled_only_if_asked_and_then_marked() -> None:
    first, second = played(12, run="first", rules="1"), played(12, seed=2, run="second", rules="2")
    assert [table.run for table in leaderboard([*first, *second]).tables] == ["first", "second"]
    played_with = {
        **settings("first", {"talk": {"messages": 1}, "games": [{"options": {"chips": 3}}]}),
        **settings("second", {"talk": {"messages": 2}, "games": [{"options": {"chips": 3}}]}),
    }
    table = only(leaderboard([*first, *second], pool=True, settings=played_with))
    assert (table.run, table.pooled, table.packs) == ("pooled", ("first", "second"), 24)
    assert table.differing == ("rules", "talk.messages")
    assert text.pooled_lines(table) == ["Pooled over 2 runs (first, second); they differ in rules, talk.messages."]
    assert table.rows[0].probability_interval is not None
    assert text.pooled_lines(only(leaderboard(first))) == []
    alike = only(leaderboard([*first, *played(12, seed=2, run="second", rules="1")], pool=True))
    assert text.pooled_lines(alike) == ["Pooled over 2 runs (first, second); their settings are the same."]


def run_of(name: str, seed: int) -> RunRecord:
    at = datetime(2026, 5, 4, tzinfo=UTC)
    return RunRecord(name=name, spec={}, source="", seed=seed, versions={}, created_at=at)


def moved(stats: list[SeatStats], by: int, **keys: Any) -> list[SeatStats]:
    """The same matches under other numbers of the database."""
    return [stat.model_copy(update={"match_id": stat.match_id + by, **keys}) for stat in stats]


def test_runs_of_one_seed_have_their_packs_in_common() -> None:
    first, second = played(12, run="first"), moved(played(12, seed=2, run="second"), 1000)

    def pooled(one: int, other: int) -> Table:
        return only(leaderboard([*first, *second], pool=True, runs=[run_of("first", one), run_of("second", other)]))

    apart, alike = pooled(1, 2), pooled(7, 7)
    assert (apart.packs, alike.packs) == (24, 12)
    assert apart.rows[0].probability_interval is not None
    assert alike.rows[0].probability_interval is None
    assert [row.packs for row in alike.rows] == [12] * 4
    assert alike.pooled == apart.pooled == ("first", "second")
    assert (apart.same_seed, alike.same_seed) == ((), (("first", "second"),))
    assert text.pooled_lines(alike)[1:] == ["Of one seed, and so on the same packs: first, second."]
    assert text.pooled_lines(apart)[1:] == []
    assert alike.matches == apart.matches == {**apart.matches, "counted": 96}
    # A run's entries are played on starts of their own.
    entries = [*first, *moved(first, 1000, game_index=1)]
    assert only(leaderboard(entries, pool=True, runs=[run_of("first", 1)])).packs == 24


def test_forks_are_pooled_with_nothing() -> None:
    fair = [*played(12, run="first"), *moved(played(12, seed=2, run="second"), 1000)]
    forks = moved(played(3, run="forks"), 2000, parent_ply=3)
    more = moved(played(3, run="more forks"), 3000, parent_ply=3)
    runs = [run_of(name, 7) for name in ("forks", "more forks")]
    told = leaderboard([*fair, *forks, *more], pool=True, runs=runs).tables
    assert [(table.run, table.pooled, table.forks, table.packs, table.same_seed) for table in told] == [
        ("pooled", ("first", "second"), False, 24, ()),
        ("forks", (), True, 3, ()),
        ("more forks", (), True, 3, ()),
    ]
    assert {row.rank for row in told[0].rows} == {1, 2, 3, 4}


def test_forks_rate_nobody() -> None:
    table = only(leaderboard([seat.model_copy(update={"parent_ply": 3}) for seat in played(24)]))
    assert table.forks
    assert all((row.rank, row.probability, row.win_interval) == (None, None, None) for row in table.rows)
    assert all(row.win_rate is not None for row in table.rows)
    assert table.ratings.leave_one_out == ()


def test_ranks_say_what_chance_leaves_open() -> None:
    table = only(leaderboard(played(60)))
    ranks = {row.label: row.ranks for row in table.rows}
    for row in table.rows:
        assert row.rank is not None
        assert row.ranks is not None
        assert row.ranks[0] <= row.rank <= row.ranks[1]
    assert ranks["a"] == (1, 1)
    cells = [dict(zip(COLUMNS, row, strict=True)) for row in table_rows(table)]
    assert cells[0]["ranks"] == "1"
    assert all(cell["drawn"].strip()[0] in "├●" and cell["drawn"].count("●") == 1 for cell in cells)


def test_drawn_intervals_stay_in_their_column() -> None:
    assert text.bar(1.0, (0.9, 1.0), 1.0) == " " * 18 + "├●"
    assert text.bar(0.0, (0.0, 0.02), 1.0) == "●"
    assert text.bar(None, None, 1.0) == ""
    assert text.top_of([]) == 1.0
    assert text.top_of([(0.2, (0.1, 0.3)), (None, None)]) == 0.4


def test_hostile_labels_are_data() -> None:
    hostile = ["[bold red]a[/]", "\x1b[31mb", "</script>", "c\u202ed"]
    stats: list[SeatStats] = []
    for number in range(80):
        stats += match(number, {label: (at + number) % 4 + 1 for at, label in enumerate(hostile)})
    table = only(leaderboard(stats))
    labels = {row[1] for row in all_rows(table)}
    assert labels == set(hostile)
    told = json.loads(json.dumps(leaderboard(stats).to_json()))["tables"][0]
    assert {row["label"] for row in told["rows"]} == set(hostile)
    assert {one["first"]["label"] for one in told["pairs"]} <= set(hostile)


def test_players_of_one_label_are_told_apart() -> None:
    assert text.called([("a", "12345678"), ("a", "87654321"), ("b", "1")]) == ["a ·123456", "a ·876543", "b"]


def test_json_holds_everything() -> None:
    stats = [seat.model_copy(update={"kind": "model" if seat.label in "cd" else "bot"}) for seat in played(24)]
    (table,) = json.loads(json.dumps(leaderboard(stats).to_json()))["tables"]
    assert len(table["pairs"]) == 6
    assert set(table["by_places"]) == {"fits", "players", "rows"}
    assert [one["view"] for one in table["views"]] == ["models", "without a", "without b", "without c", "without d"]
    assert [seat["seat"] for seat in table["seat_effects"]] == ["s0", "s1", "s2", "s3"]
    assert table["rows"][0]["probability_interval"][0] < table["rows"][0]["probability"]
    assert "ratings" not in table


def test_seats_stand_in_the_order_of_the_game() -> None:
    names = ("red", "blue", "green", "yellow")
    stats = [seat.model_copy(update={"game": "so_long_sucker", "seat": names[int(seat.seat[1])]}) for seat in played(2)]
    assert tuple(seat.seat for seat in only(leaderboard(stats)).ratings.main.seats) == names
