"""Behaviour and pledges as views show what the measures and the ledger say, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from harness.behaviour.log import Played
from harness.behaviour.registry import MEASURES, Tally, all_measures, measure
from harness.views.base import Behind, Choice, Figure
from harness.views.behaviour import view
from tests.harness.views.logged import costly, match, of_logs, packs
from tests.harness.views.made import HOSTILE, LONG, TURNED, chart, column, results, run_of, seen, sheet


def test_every_measure_that_found_anything_is_a_chart() -> None:
    found = of_logs(packs(20, sums=costly))
    (table,) = found.behaviour.tables
    section, judged = seen(view, found)
    assert [one.name for one in section.charts] == [one.measure.name for one in table.measures]
    lost = {"winners": ["red"], "places": dict(zip(("red", "blue", "green", "yellow"), (1, 2, 3, 4), strict=True))}
    # The bot in red wins, so that no win of those who cost something has a price.
    (beaten,) = seen(view, of_logs([match(2, sums=costly, outcome={**lost, "reason": "last_alive"})]))[:1]
    assert "cost_per_win" not in [one.name for one in beaten.charts]
    assert "cost_per_decision" in [one.name for one in beaten.charts]
    assert "Cost of a win" in column(sheet(beaten, "behaviour-r"), "measure")
    for shown, one in zip(section.charts, table.measures, strict=True):
        assert shown.help == one.measure.definition
        assert shown.small
        assert [row["name"] for row in shown.rows] == list("abcd"), "in the order of the leaderboard, in all of them"
        for row, player in zip(shown.rows, sorted(table.players), strict=True):
            figure = one.of(player)
            assert row["value"] == (figure.value if figure else None)
            assert (row["low"], row["high"]) == (figure.interval if figure and figure.interval else (None, None))
    assert section.title == "So Long Sucker, 4 seats"
    assert section.lines[0] == "From 80 of 80 matches, in 20 packs."
    assert judged.title == "Pledges · So Long Sucker, 4 seats"


def test_tables_hold_every_figure_and_lead_to_the_matches() -> None:
    found = of_logs(packs(2, sums=costly))
    (table,) = found.behaviour.tables
    section = seen(view, found)[0]
    overview = sheet(section, "behaviour-r-so_long_sucker")
    assert len(overview.rows) == sum(row.key is None for one in table.measures for row in one.rows)
    assert not overview.folded
    wins = sheet(section, "behaviour-wins")
    assert wins.folded
    assert len(wins.rows) == 4 * 5, "in all, and from each seat"
    by = {(row.values["player"], row.values["key"]): row for row in wins.rows}
    figure = next(one for one in table.measures if one.measure.name == "wins").of(sorted(table.players)[0], "blue")
    assert figure is not None
    assert by["a", "blue"].values["figure"] == Figure(figure.value, figure.interval)
    assert by["a", "blue"].behind == Behind("r", ("a",), "so_long_sucker", 0, "finished", "-forfeit", seat="blue")
    struck = sheet(section, "behaviour-strikes_made")
    pair = next(row for row in struck.rows if (row.values["player"], row.values["key"]) == ("a", "b"))
    assert pair.behind == Behind("r", ("a", "b"), "so_long_sucker", 0, "finished")


def test_a_measure_of_the_users_own_is_one_more_chart() -> None:
    before = dict(all_measures())
    try:

        @measure("Own", unit="per match")
        def own(match: Played) -> Iterator[Tally]:
            """One for each match."""
            for seat in match.seats:
                yield Tally(seat, None, 1, 1)

        section = seen(view, of_logs(packs(1)))[0]
        assert [row["value"] for row in chart(section, "own").rows] == [1.0] * 4
    finally:
        MEASURES.clear()
        MEASURES.update(before)


def test_pledges_lead_to_the_ply_that_they_were_made_at() -> None:
    found = of_logs(packs(2))
    (ledger,) = found.ledger.tables
    judged = seen(view, found)[1]
    everything = sheet(judged, "pledges-all")
    assert len(everything.rows) == len(ledger.entries) == 16
    for row, entry in zip(everything.rows, ledger.entries, strict=True):
        assert row.behind == Behind("r", match=entry.match_id, ply=entry.pledge.ply)
        assert row.values["verdict"] == entry.pledge.verdict
    became = sheet(judged, "pledges-r")
    whole = {row.values["player"]: row.values for row in became.rows if row.values["by"] == "in all"}
    by_label = {row.player.label: row for row in ledger.rows if not row.by}
    assert {label: row["kept"] for label, row in whole.items()} == {
        label: row.verdicts["kept"] for label, row in by_label.items()
    }
    says = sheet(judged, "pledges-say")
    assert column(says, "difference") == [
        row.difference for label in "abcd" for row in ledger.says if row.player.label == label
    ]
    assert judged.lines[0].startswith("16 pledges, judged from what was done later")


def test_a_chosen_player_alone() -> None:
    section, judged = seen(view, of_logs(packs(2)), Choice(player="b"))
    assert all([row["name"] for row in one.rows] == ["b"] for one in section.charts)
    assert set(column(sheet(section, "behaviour-r"), "player")) == {"b"}
    assert set(column(sheet(judged, "pledges-all"), "maker")) == {"b"}
    assert seen(view, of_logs(packs(1)), Choice(player="nobody")) == []
    assert seen(view, of_logs(packs(1)), Choice(game="star_ludo")) == []


def test_versions_of_the_rules_have_sections_of_their_own() -> None:
    found = of_logs([match(number, rules=str(1 + number // 8)) for number in range(12)])
    sections = seen(view, found)
    assert [section.title for section in sections] == [
        "So Long Sucker, 4 seats · rules 1",
        "Pledges · So Long Sucker, 4 seats · rules 1",
        "So Long Sucker, 4 seats · rules 2",
        "Pledges · So Long Sucker, 4 seats · rules 2",
    ]
    assert [sections[at].lines[0] for at in (0, 2)] == [
        "From 8 of 8 matches, in 2 packs.",
        "From 4 of 4 matches, in 1 pack.",
    ]
    assert [len(sheet(sections[at], "pledges-all").rows) for at in (1, 3)] == [16, 8]


def test_players_stand_in_the_order_of_the_leaderboard_of_their_own_rules() -> None:
    others = [match(number, ("d", "c", "b", "a"), rules="2") for number in range(20, 28)]
    names = [
        [row["name"] for row in section.charts[0].rows]
        for section in seen(view, of_logs([*packs(2), *others]))
        if not section.title.startswith("Pledges")
    ]
    assert [one[0] for one in names] == ["a", "d"]


def test_no_talk_is_no_section() -> None:
    silent = packs(1)
    for one in silent:
        one.messages = one.all_messages = []
    assert [section.title for section in seen(view, of_logs(silent))] == ["So Long Sucker, 4 seats"]


def test_nothing_at_all() -> None:
    assert seen(view, of_logs([])) == []
    (section,) = seen(view, of_logs([match(0, status="void", outcome=None)]))
    assert section.charts == []
    assert "Not counted: 1 void." in section.lines
    assert results([]).leaderboard.tables == ()


def test_what_is_missing_and_why_there_are_no_intervals() -> None:
    some = [*packs(2), match(8, status="paused", outcome=None)]
    section = seen(view, of_logs(some))[0]
    assert section.lines[:3] == [
        "From 8 of 9 matches, in 2 packs.",
        "Not counted: 1 paused.",
        "No intervals: they take at least 20 packs.",
    ]


def test_forks_and_forfeits_are_marked() -> None:
    lost = {"winners": ["red"], "places": dict(zip(("red", "blue", "green", "yellow"), (1, 1, 1, 2), strict=True))}
    some = [*packs(1), match(4, outcome={**lost, "reason": "forfeit"})]
    assert seen(view, of_logs(some))[0].lines[0] == "From 5 of 5 matches, in 2 packs, 1 forfeit among them."
    forks = seen(view, of_logs([match(0, parent_id=9, parent_ply=2)]))[0]
    assert any(line.startswith("From forks: each match began where its parent stood") for line in forks.lines)


@pytest.mark.parametrize("name", [HOSTILE, TURNED, LONG])
def test_hostile_labels_stay_text(name: str) -> None:
    labels = (name, "b", "c", "d")
    for section in seen(view, of_logs([match(number, labels) for number in range(4)], run_of())):
        for one in section.charts:
            assert all(len(row["full"]) <= 120 and len(row["name"]) <= 66 for row in one.rows)
            assert "\u202e" not in str([row["name"] for row in one.rows])


def test_another_identity_is_another_player() -> None:
    some = [match(number, identities={"a": f"id-{number // 4}xxxxxxxx"}) for number in range(8)]
    section = seen(view, of_logs(some))[0]
    shown = [row["name"] for row in chart(section, "wins").rows]
    assert len(shown) == 5
    assert len(set(shown)) == 5
    assert sorted(label for label in column(sheet(section, "behaviour-r"), "player") if label.startswith("a"))
