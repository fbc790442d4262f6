"""Alliances as a view shows what is counted of deeds, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from harness.behaviour.alliances import TENTHS
from harness.views.alliances import MOST_MAPS, view
from harness.views.base import Behind, Choice, Figure
from tests.games.star_ludo.build import position as ludo
from tests.harness.test_alliances import finished, of
from tests.harness.views.logged import SEATS, match, of_logs, packs
from tests.harness.views.made import HOSTILE, LONG, TURNED, chart, run_of, seen, sheet


def figures(found: Any, act: str, phase: str = "") -> dict[tuple[str, str], float]:
    (table,) = found.alliances.tables
    return {
        (row.giver.label, row.receiver.label): row.figure.value
        for row in table.rows
        if row.by == "player" and (row.act, row.phase) == (act, phase)
    }


def test_heat_maps_hold_the_figures_of_the_deeds() -> None:
    found = of_logs(packs(2))
    first = seen(view, found)[0]
    names = [one.name for one in first.charts]
    assert names == [f"{act}-all" for act in ("help", "harm", "gave_turn", "spared", "kept", "struck", "broke")]
    for act in ("help", "harm", "spared"):
        wanted = figures(found, act)
        cells = {(row["row"], row["column"]): row for row in chart(first, f"{act}-all").rows}
        assert len(cells) == 16
        assert {pair: row["value"] for pair, row in cells.items() if pair[0] != pair[1]} == wanted
        assert all(cells[one, one]["value"] is None for one in "abcd")
    (pair,) = [
        one
        for one, row in zip(chart(first, "help-all").behind, chart(first, "help-all").rows, strict=True)
        if (row["row"], row["column"]) == ("a", "c")
    ]
    assert pair == Behind("r", ("a", "c"), "so_long_sucker", 0, "finished")


def test_versions_of_the_rules_have_sections_of_their_own() -> None:
    sections = seen(view, of_logs([match(number, rules=str(1 + number // 8)) for number in range(12)]))
    told = {
        section.title: section.lines[0] for section in sections if section.title.startswith("So Long Sucker, 4 seats")
    }
    assert told == {
        "So Long Sucker, 4 seats · rules 1": "From 8 of 8 matches, in 2 packs.",
        "So Long Sucker, 4 seats · rules 2": "From 4 of 4 matches, in 1 pack.",
    }


def test_thirds_share_one_scale_and_tenths_add_up() -> None:
    found = of_logs(packs(2))
    over = next(section for section in seen(view, found) if section.title.startswith("Over the match"))
    spans = {
        one.spec["layer"][0]["encoding"]["color"]["scale"]["domain"][1]
        for one in over.charts
        if one.name.startswith("help-") and one.name != "help-course"
    }
    assert len(spans) == 1
    thirds = sheet(over, "alliances-thirds")
    row = next(row for row in thirds.rows if (row.values["giver"], row.values["act"]) == ("a", "help"))
    whole = figures(found, "help")[str(row.values["giver"]), str(row.values["receiver"])]
    parts = [row.values[name].value for name in ("first_third", "middle_third", "last_third")]  # type: ignore[union-attr]
    assert sum(parts) == pytest.approx(whole)
    (table,) = found.alliances.tables
    given = sum(row.figure.part for row in table.course if (row.player.label, row.sense) == ("a", "help"))
    tenths = sheet(over, "alliances-tenths")
    mine = next(row for row in tenths.rows if (row.values["player"], row.values["act"]) == ("a", "help"))
    values = [mine.values[f"tenth_{tenth + 1}"].value for tenth in range(TENTHS)]  # type: ignore[union-attr]
    assert sum(values) * 8 == pytest.approx(given)


def test_pairs_and_seats_as_tables() -> None:
    found = of_logs(packs(20))
    sections = seen(view, found)
    assert [section.title.partition(" · ")[0] for section in sections] == [
        "So Long Sucker, 4 seats", "Over the match", "By seat",
    ]  # fmt: skip
    pairs = sheet(sections[0], "alliances-r")
    assert len(pairs.rows) == 12
    assert all(isinstance(row.values["help"], Figure) for row in pairs.rows)
    assert any(row.values["help"].interval for row in pairs.rows)  # type: ignore[union-attr]
    seats = sheet(sections[2], "alliances-seats")
    red = next(row for row in seats.rows if (row.values["giver"], row.values["receiver"]) == ("red", "blue"))
    assert red.values["gave_turn"].value == 1, "in every match it is red that gives blue the turn"  # type: ignore[union-attr]


def test_a_chosen_player_gives_and_receives() -> None:
    sections = seen(view, of_logs(packs(2)), Choice(player="b"))
    pairs = sheet(sections[0], "alliances-r")
    assert len(pairs.rows) == 6
    assert all("b" in (row.values["giver"], row.values["receiver"]) for row in pairs.rows)
    open_ = [row for row in chart(sections[0], "help-all").rows if row["value"] is not None]
    assert len(open_) == 6
    assert seen(view, of_logs(packs(1)), Choice(player="nobody")) == []


def test_two_seats_have_nobody_to_ally_with() -> None:
    outcome = {"winners": ["red"], "places": {"red": 1, "yellow": 2}, "reason": "last"}
    only = of(ludo({"red": [10, 20], "yellow": [41]}, (5, 2)), ("move 1",), outcome=outcome)
    first = seen(view, of_logs([only], run_of("run")))[0]
    assert "Two players have nobody to ally with: what they did to each other is all there is." in first.lines
    assert [one.name for one in first.charts] == ["harm-all", "struck-all"]


def test_self_play_is_shown_by_seats_and_over_the_match() -> None:
    seats = tuple({"seat": seat, "label": "a", "kind": "bot", "identity": "a"} for seat in SEATS)
    sections = seen(view, of_logs([finished(seats=seats)], run_of("run")))
    assert [section.title.partition(" · ")[0] for section in sections] == [
        "So Long Sucker, 4 seats", "Over the match", "By seat",
    ]  # fmt: skip
    assert any(line.startswith("Each match was one player in all seats") for line in sections[0].lines)
    assert not sections[0].charts
    assert sheet(sections[1], "alliances-tenths").rows
    assert sheet(sections[2], "alliances-seats").rows


def test_nothing_of_the_kind_is_one_line() -> None:
    (section,) = seen(view, of_logs([finished(actions=("play red on 1",))], run_of("run")))
    assert "In this game's logs nobody helped or hurt another by its own choice." in section.lines
    assert not section.charts
    assert seen(view, of_logs([])) == []


@pytest.mark.parametrize("name", [HOSTILE, TURNED, LONG])
def test_hostile_labels_stay_text(name: str) -> None:
    sections = seen(view, of_logs([match(number, (name, "b", "c", "d")) for number in range(4)]))
    for one in (one for section in sections for one in section.charts):
        assert "\u202e" not in str(one.rows)
        assert all(len(row.get("full_row", row.get("full"))) <= 120 for row in one.rows)


def test_many_players_are_read_by_pointing() -> None:
    """Twenty players: a number shows where its cell has room for it, and only sums are drawn."""
    labels = [f"player-{number}-with-a-name-of-many-letters-that-goes-on-and-on" for number in range(20)]
    first, over, *_ = seen(view, of_logs([match(number, labels[number % 17 :][:4]) for number in range(20)]))
    assert len(labels) > MOST_MAPS
    assert [one.name for one in first.charts] == ["help-all", "harm-all"]
    assert chart(first, "help-all").spec["layer"][1]["mark"]["opacity"]["expr"].startswith("width / 20 < ")
    assert len({row["row"] for row in chart(first, "help-all").rows}) == 20
    assert [one.name for one in over.charts] == ["help-course", "harm-course"]
    assert len(sheet(over, "alliances-thirds").rows) > len(sheet(first, "alliances-r").rows)
