"""Head to head, and seats: the figures of the ratings, each with its matches."""

from __future__ import annotations

import pytest

from harness.adaptive import Stopping, by_looks, unjudged
from harness.leaderboard import Leaderboard, Looked
from harness.rating_text import of_two
from harness.ratings.looks import Verdict
from harness.views import head_to_head, leaderboard, seats
from harness.views.base import Behind, Choice, Figure
from harness.views.results import Results
from harness.views.tables import SELF_PLAY
from tests.harness.test_leaderboard import match
from tests.harness.views.made import HOSTILE, LONG, chart, check, column, drawn, only, results, run_of, seen, sheet


def test_cells_are_read_from_either_side() -> None:
    found = results(drawn(24))
    heat = chart(only(head_to_head.view, found), "ahead")
    cells = {(one["row"], one["column"]): one["value"] for one in heat.rows}
    assert len(cells) == 16
    assert cells["a", "a"] is None
    assert cells["a", "b"] + cells["b", "a"] == pytest.approx(1)
    (table,) = found.leaderboard.tables
    pair = next(one for one in table.ratings.main.pairs if (one.first.label, one.second.label) == ("a", "b"))
    assert cells["a", "b"] == pair.ahead
    mine = next(one for one in heat.behind if one and set(one.players) == {"a", "b"})
    assert mine == Behind("r", ("a", "b"), "g", 0, "finished", "-forfeit")


def test_a_star_marks_what_pairs_are_judged_by() -> None:
    found = results(drawn(24))
    section = only(head_to_head.view, found)
    (table,) = found.leaderboard.tables
    cells = {(one["row"], one["column"]): one for one in chart(section, "wins-map").rows}
    for pair in table.ratings.main.pairs:
        names = pair.first.label, pair.second.label
        assert cells[names]["value"] == of_two(pair.win_odds)
        assert cells[names[::-1]]["value"] == pytest.approx(1 - cells[names]["value"])
        assert cells[names]["text"].endswith("*") == pair.apart
    assert cells["a", "d"]["text"].endswith("*")
    assert not any(one["text"].endswith("*") for one in chart(section, "ahead").rows)


def test_the_table_of_pairs_is_that_of_the_ratings() -> None:
    found = results(drawn(24))
    (table,) = found.leaderboard.tables
    told = sheet(only(head_to_head.view, found), "head-to-head")
    assert len(told.rows) == 6
    by = {(row.values["first"], row.values["second"]): row.values for row in told.rows}
    for pair in table.ratings.main.pairs:
        row = by.get((pair.first.label, pair.second.label))
        if row is not None:
            assert row["ahead"] == Figure(pair.ahead, pair.ahead_interval)
            assert row["p"] == pair.p_corrected
            assert row["apart"] == pair.apart
            assert row["wins_of_two"].value == of_two(pair.win_odds)  # type: ignore[union-attr]


def test_a_chosen_player_is_the_first_of_its_pairs() -> None:
    section = only(head_to_head.view, results(drawn(24)), Choice(player="c"))
    assert column(sheet(section, "head-to-head"), "first") == ["c"] * 3
    assert [one.name for one in section.charts] == ["wins-of-two"]


def test_few_packs_judge_no_pair() -> None:
    section = only(head_to_head.view, results(drawn(3)))
    assert any(line.startswith("No pair is judged: that needs 20 packs") for line in section.lines)
    assert column(sheet(section, "head-to-head"), "p") == [None] * 6
    assert seen(head_to_head.view, results([])) == []
    lonely = only(head_to_head.view, results([one for one in drawn(20) if one.label == "a"]))
    assert lonely.lines[-1] == "There are no two players to compare."
    waiting = only(head_to_head.view, results([one.model_copy(update={"status": "queued"}) for one in drawn(1)]))
    assert waiting.lines[-1] == "No match has been counted yet."


VERDICT = Verdict(packs=24, apart=True, stop=True, difference=0.8, interval=(0.1, 1.5), next_look=None)
STOPPING = Stopping("a", "b", VERDICT, at_most=96, matches=96)


def looked(stand: Stopping, *, pooled: bool = False, labels: str = "abcd", packs: int = 24) -> Results:
    """Results of a run that stops by looks at two players, or of several runs, one of which does."""
    found = results(drawn(packs, labels))
    (table,) = found.leaderboard.tables
    if pooled:
        rated = unjudged(table.ratings, [stand])
        table = table._replace(ratings=rated, pooled=("r", "s"), pooled_stopping=(Looked("r", 0, stand),))
    else:
        table = table._replace(ratings=by_looks(table.ratings, stand), stopping=stand)
    found.__dict__["leaderboard"] = Leaderboard((table,))
    return found


BY_LOOKS = "a and b are judged by the run's looks, and so have no p."


def test_a_pair_that_looks_judge_is_among_those_told_apart() -> None:
    lines = only(head_to_head.view, looked(STOPPING, labels="ab")).lines
    assert lines[-2:] == ["1 of 1 pair are told apart.", BY_LOOKS]
    assert sum("Judged between packs" in line for line in lines) == 1
    apart = sum(pair.apart for pair in looked(STOPPING).leaderboard.tables[0].ratings.main.pairs)
    assert only(head_to_head.view, looked(STOPPING)).lines[-2:] == [f"{apart} of 6 pairs are told apart.", BY_LOOKS]
    # Of pairs of another player it says nothing.
    assert BY_LOOKS not in only(head_to_head.view, looked(STOPPING), Choice(player="c")).lines


def test_a_pair_that_no_look_has_judged_yet_is_not_called_judged() -> None:
    early = STOPPING._replace(verdict=Verdict(0, apart=False, stop=False, difference=0.0, interval=None, next_look=20))
    lines = only(head_to_head.view, looked(early, labels="ab", packs=3)).lines
    assert lines[-1].startswith("No pair is judged: that needs 20 packs")
    assert sum("first look after 20 packs" in line for line in lines) == 1


def test_a_pair_of_pooled_looks_is_in_no_count_and_is_told_of_once() -> None:
    alone = only(head_to_head.view, looked(STOPPING, pooled=True, labels="ab")).lines
    assert alone[-1].startswith("Pooled with looks, as `until` asks (r: a and b told apart")
    table = looked(STOPPING, pooled=True).leaderboard.tables[0]
    apart = sum(pair.apart for pair in table.ratings.main.pairs)
    lines = only(head_to_head.view, looked(STOPPING, pooled=True)).lines
    assert lines[-2] == alone[-1]
    assert lines[-1] == f"{apart} of 5 other pairs are told apart."
    theirs = only(head_to_head.view, looked(STOPPING, pooled=True), Choice(player="c")).lines
    assert theirs[-1].endswith(" of 3 pairs are told apart.")
    few = only(head_to_head.view, looked(STOPPING, pooled=True, packs=3)).lines
    assert few[-1].startswith("No other pair is judged: that needs 20 packs")


def test_who_never_met_has_an_open_cell() -> None:
    stats = drawn(20, "abcd") + [
        one.model_copy(update={"match_id": one.match_id + 900, "number": one.number + 80, "pack": one.pack + 20})
        for one in drawn(20, "abce", seed=3)
    ]
    heat = chart(only(head_to_head.view, results(stats)), "ahead")
    cell = next(one for one in heat.rows if (one["row"], one["column"]) == ("d", "e"))
    assert (cell["value"], cell["text"], cell["told"]) == (None, "–", "never met")


def test_seats_are_those_of_the_ratings() -> None:
    found = results(drawn(24))
    (table,) = found.leaderboard.tables
    section = only(seats.view, found)
    told = sheet(section, "seats")
    assert column(told, "seat") == [one.seat for one in table.ratings.main.seats]
    assert column(told, "won") == [one.win_share for one in table.ratings.main.seats]
    assert column(told, "effect") == [one.effect for one in table.ratings.main.seats]
    assert column(told, "bias") == [one.win_share - 0.25 for one in table.ratings.main.seats]
    assert [one["text"] for one in chart(section, "seated").rows] == ["24"] * 16
    assert chart(section, "seated").behind[0] == Behind("r", ("a",), "g", 0, "finished", "-forfeit", seat="s0")


def test_fixed_seats_are_flagged_and_seen() -> None:
    stats = [one.model_copy(update={"seat": f"s{'abcd'.index(one.label)}"}) for one in drawn(24)]
    section = only(seats.view, results(stats))
    assert section.warnings == ["Not comparable: seats fixed: each player always sat in the same seat."]
    assert "Seats and players cannot be told apart: how often a seat won is what who sat there won." in section.lines
    assert [one.name for one in section.charts] == ["won-from-seat", "seated"], "no effect can be told"
    cells = [one["value"] for one in chart(section, "seated").rows]
    assert sorted(cells) == [0] * 12 + [1] * 4


def test_self_play_rates_seats_and_nobody() -> None:
    alone = results([one.model_copy(update={"label": "a", "identity": "a"}) for one in drawn(24)])
    section = only(seats.view, alone)
    assert SELF_PLAY in section.lines
    assert all(one is not None for one in column(sheet(section, "seats"), "effect"))
    assert only(head_to_head.view, alone).lines[-1] == "There are no two players to compare."
    board = only(leaderboard.view, alone)
    assert (list(board.charts), len(board.sheets)) == ([], 1)


def test_only_counted_matches_are_sat_through() -> None:
    stats = drawn(20) + match(80, {"a": None, "b": None, "c": None, "d": None}, status="paused", reason=None)
    section = only(seats.view, results(stats))
    assert sum(column(sheet(section, "seated"), "matches")) == 4 * 80
    assert seen(seats.view, results([])) == []


def test_self_play_of_a_pooled_run_is_in_no_other_table() -> None:
    both, other = drawn(24), [one.model_copy(update={"match_id": 500 + one.match_id}) for one in drawn(4, run="s")]
    alone = [
        one.model_copy(update={"match_id": 1000 + one.match_id, "label": "a", "identity": both[0].identity})
        for one in drawn(20, run="s", game_index=1)
    ]
    assert both[0].label == "a"
    found = results([*both, *other, *alone], runs=[run_of("r"), run_of("s")])
    told = {table.self_play: table.counted for table in found.leaderboard.tables}
    assert told == {False: 96 + 16, True: 80}
    for section in seen(seats.view, found):
        rows = sheet(section, "seated")
        assert sum(column(rows, "matches")) == 4 * told[len(rows.rows) == 4]


def test_a_chosen_player_leaves_seats_as_they_are() -> None:
    found = results(drawn(24))
    whole, part = only(seats.view, found), only(seats.view, found, Choice(player="b"))
    assert sheet(whole, "seats") == sheet(part, "seats")
    assert set(column(sheet(part, "seated"), "player")) == {"b"}


@pytest.mark.parametrize("label", [HOSTILE, LONG, "\ud800"])
def test_hostile_labels_are_text(label: str) -> None:
    found = results(drawn(20, ["a", label, "c", "d"]))
    for view in (head_to_head.view, seats.view):
        for one in only(view, found).charts:
            assert "<img" not in check(one)
