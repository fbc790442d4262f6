"""Cost against strength: who takes what, who is on the front, and what is not known."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.ratings.ballots import ballots
from harness.ratings.missing import fate
from harness.ratings.packs import interval
from harness.ratings.rate import assess, drawn_chances
from harness.views.base import Behind, Choice, Figure
from harness.views.cost import spent, taken, view
from harness.views.front import AT_LEAST, FREE, FRONT, NARROW, OTHER, Point, _place_labels, front, scatter
from harness.views.membership import Draws
from harness.views.results import Results
from tests.harness.views.logged import costly, match, of_logs, packs
from tests.harness.views.made import HOSTILE, LONG, TURNED, check, column, only, results, run_of, seen, sheet


def test_what_each_player_takes() -> None:
    section = only(view, of_logs(packs(20, sums=costly)))
    table = sheet(section, "cost")
    taken = {row.values["player"]: row for row in table.rows}
    assert taken["a"].values["cost_match"].value == pytest.approx(0.2)  # type: ignore[union-attr]
    assert taken["a"].values["cost_decision"].value == pytest.approx(0.1)  # type: ignore[union-attr]
    assert taken["b"].values["wait_decision"].value == pytest.approx(0.4)  # type: ignore[union-attr]
    assert taken["b"].values["tokens_decision"].value == pytest.approx(550)  # type: ignore[union-attr]
    assert taken["c"].values["cost_match"] == Figure(0.0)
    assert taken["c"].values["wait_decision"] == Figure(None), "it is asked by no call"
    assert taken["a"].behind == Behind("r", ("a",), "so_long_sucker", 0, "finished")
    assert [row.behind and row.behind.players for row in table.rows] == [(row.values["player"],) for row in table.rows]


def test_the_front_is_of_those_who_cost_anything() -> None:
    section = only(view, of_logs(packs(20, sums=costly)))
    assert (
        "On the front of cost by the figures as they are, from the cheapest: b, a. Nobody wins as often for less."
        in (section.lines)
    )
    assert "Free, and so in no front: c, d." in section.lines
    rows = [row for row in section.charts[0].rows if row["part"] == "dot"]
    assert {row["full"]: row["state"] for row in rows} == {"a": FRONT, "b": FRONT, "c": FREE, "d": FREE}
    line = [row["full"] for row in section.charts[0].rows if row["part"] == "line"]
    assert line == ["b", "a"]
    assert {row["full"] for row in rows if row["y_low"] is not None} == set("abcd")


def paying(number: int, **fields: Any) -> Any:
    """Of 24 packs: `a` and `b` win alike often; `b` costs little more than `a` in most packs, and less in some."""

    def sums(label: str) -> dict[str, object]:
        cost = {"a": 0.1, "b": 0.12 if number // 4 % 3 else 0.05, "c": 3.0, "d": 5.0}[label]
        return {**costly(label), "calls": 2, "cost": cost}

    return match(number, sums=sums, **fields)


FORFEIT = {
    "winners": ["red", "blue", "green"],
    "places": {"red": 1, "blue": 1, "green": 1, "yellow": 4},
    "reason": "forfeit",
}


def test_the_draws_say_how_sure_the_front_is() -> None:
    section = only(view, of_logs([paying(number) for number in range(96)]))
    rows = {row.values["player"]: row.values for row in sheet(section, "cost").rows}
    shares = {name: row["front_share"] for name, row in rows.items()}
    assert shares["d"] == 0, "it costs most, and never wins"
    assert all(0 <= share <= 1 for share in shares.values())  # type: ignore[operator]
    assert 0.025 < shares["b"] < 0.975  # type: ignore[operator]
    line = next(line for line in section.lines if line.startswith("Left open, hollow in the chart"))
    assert f"b ({100 * shares['b']:.0f} %)" in line  # type: ignore[operator]
    assert "d (" not in line
    drawn = {row["full"]: row for row in section.charts[0].rows if row["part"] == "dot"}
    assert drawn["b"]["open"]
    assert not drawn["d"]["open"]
    assert "; on the front in 0 % of draws" in drawn["d"]["told"]


def test_nothing_is_drawn_under_twenty_packs_nor_where_seats_are_fixed() -> None:
    for matches in ([paying(number) for number in range(76)], [paying(4 * number) for number in range(24)]):
        section = only(view, of_logs(matches))
        assert any(line.startswith("How sure that front is, is not known") for line in section.lines)
        assert not any(row.get("open") for row in section.charts[0].rows)
        assert "front_share" not in {column.key for column in sheet(section, "cost").columns}


def test_draws_are_those_of_the_win_chances_and_hold_what_forfeits_cost() -> None:
    """A pack that a forfeit ended has no part in the chances, and one in what is spent."""
    matches = [paying(number) for number in range(96)]
    spent = [paying(number, outcome=FORFEIT) for number in range(96, 100)]
    stats = [stat for one in [*matches, *spent] for stat in one.stats.values()]
    found = ballots(stat for stat in stats if fate(stat) == "counted")
    drawn = drawn_chances(found)
    assert drawn is not None
    standing = assess(found).standings[0]
    assert interval(drawn.chances[:, 0], standing.packs) == standing.probability_interval
    dear = [stat.model_copy(update={"cost": 1e6}) if stat.pack == 24 and stat.label == "a" else stat for stat in stats]
    shares = [
        Draws(some).on_front(
            {
                key: [stat for stat in some if (stat.label, stat.identity) == key]
                for key in (("a", "id-a"), ("b", "id-b"))
            },
            lambda one: one.cost,
            lambda _: 1,
        )
        for some in (stats, dear)
    ]
    assert shares[1]["b", "id-b"] > shares[0]["b", "id-b"]


def pooled(packs_of_each: int, *, seed: int = 1, rules: str = "1", **entry: Any) -> Results:
    """Two runs of as many packs each; by `entry` the second is an entry of the first."""
    first, second = (
        [stat for number in range(4 * packs_of_each) for stat in paying(number, run=run).stats.values()]
        for run in ("first", "second")
    )
    second = [one.model_copy(update={"match_id": one.match_id + 1000, "rules": rules, **entry}) for one in second]
    runs = [run_of("first"), run_of("second").model_copy(update={"seed": seed})]
    return results([*first, *second], runs=runs)


@pytest.mark.parametrize(
    ("change", "packs_in_all"),
    [({}, 12), ({"seed": 2}, 24), ({"rules": "2"}, 12), ({"run": "first", "game_index": 1}, 24)],
)
def test_pooled_packs_are_those_of_the_leaderboard(change: dict[str, Any], packs_in_all: int) -> None:
    found = pooled(12, **change)
    (table,) = found.leaderboard.tables
    assert table.packs == packs_in_all
    seats = spent(found, table)
    assert len({(one.run, one.pack) for one in seats}) == packs_in_all
    for one, row in zip(taken(found, table), table.rows, strict=True):
        assert one.matches == row.matches == 96
        assert (row.probability_interval is not None) is (packs_in_all >= 20)
        # What costs the same in every match has no interval of its own.
        if row.label == "b":
            assert (one.figures["cost_match"].interval is not None) is (packs_in_all >= 20)


def test_draws_of_pooled_runs_are_those_of_the_leaderboard() -> None:
    found = pooled(24)
    (table,) = found.leaderboard.tables
    draws = Draws(spent(found, table))
    assert draws._weights.shape[1] == table.packs == 24
    for row in table.rows:
        assert interval(draws._chances[row.label, row.identity], row.packs) == row.probability_interval


def test_what_a_forfeit_ended_costs_and_is_led_to() -> None:
    section = only(view, of_logs([*packs(2, sums=costly), match(8, sums=costly, outcome=FORFEIT)]))
    assert "What players take is of 1 match ended by forfeit too; wins are not." in section.lines
    rows = {row.values["player"]: row for row in sheet(section, "cost").rows}
    assert rows["a"].values["matches"] == 9
    assert rows["a"].values["cost_match"].value == pytest.approx(0.2)  # type: ignore[union-attr]
    assert rows["a"].behind == Behind("r", ("a",), "so_long_sucker", 0, "finished")


def test_who_pays_more_for_less_is_not_on_it() -> None:
    def dear(label: str) -> dict[str, object]:
        return {**costly(label), "cost": {"a": 0.01, "b": 0.5}.get(label, 0.0)}

    section = only(view, of_logs(packs(2, sums=dear)))
    states = {row["full"]: row["state"] for row in section.charts[0].rows if row["part"] == "dot"}
    assert states["b"] == OTHER
    rows = {row.values["player"]: row.values for row in sheet(section, "cost").rows}
    assert rows["b"]["beaten_by"] == "a, c, d", "none of these wins less often than b, which never did"
    assert rows["a"]["beaten_by"] is None
    assert (rows["a"]["front"], rows["b"]["front"], rows["c"]["front"]) == ("yes", "no", "–")


def test_calls_of_unknown_price_make_the_cost_a_lower_bound() -> None:
    def unpriced(label: str) -> dict[str, object]:
        return {**costly(label), "unpriced": {"a": 0, "b": 1}.get(label, 0)}

    section = only(view, of_logs(packs(2, sums=unpriced)))
    assert section.warnings == [
        "What these cost is at least what is shown, as the price of some calls is not known: b (8 of 16 calls)."
    ]
    states = {row["full"]: row["state"] for row in section.charts[0].rows if row["part"] == "dot"}
    assert states["b"] == AT_LEAST
    told = next(row["told"] for row in section.charts[0].rows if row["full"] == "b")
    assert told.startswith("at least $0.0200")
    assert "On the front of cost by the figures as they are, from the cheapest: a. Nobody wins as often for less." in (
        section.lines
    )


def test_what_nobody_knows_the_price_of_is_not_free() -> None:
    def unknown(label: str) -> dict[str, object]:
        return {**costly(label), **({"cost": 0.0, "unpriced": 2} if label == "b" else {})}

    section = only(view, of_logs(packs(2, sums=unknown)))
    rows = {row.values["player"]: row.values for row in sheet(section, "cost").rows}
    assert rows["b"]["cost_match"] == Figure(None)
    assert "b" not in {row.get("full") for row in section.charts[0].rows}
    assert "Free, and so in no front: c, d." in section.lines


def test_free_players_only() -> None:
    section = only(view, of_logs(packs(3)))
    assert "Nobody here costs anything." in section.lines
    assert section.charts == []
    assert any(line.startswith("No intervals") for line in section.lines)
    assert column(sheet(section, "cost"), "cost_match") == [0.0] * 4


def test_nothing_at_all() -> None:
    assert seen(view, results([])) == []


def test_a_chosen_player_stands_out_among_all() -> None:
    section = only(view, of_logs(packs(2, sums=costly)), Choice(player="b"))
    assert column(sheet(section, "cost"), "player") == ["b"]
    quiet = {row["full"]: row["quiet"] for row in section.charts[0].rows if row["part"] == "dot"}
    assert quiet == {"a": True, "b": False, "c": True, "d": True}
    assert seen(view, of_logs(packs(1)), Choice(player="nobody")) == []


def test_fixed_seats_show_what_was_won_and_say_so() -> None:
    fixed = [match(4 * number, sums=costly) for number in range(24)]
    section = only(view, of_logs(fixed))
    assert any("seats fixed" in warning for warning in section.warnings)
    assert any(warning.startswith("Seats are not balanced") for warning in section.warnings)
    rows = {row.values["player"]: row.values for row in sheet(section, "cost").rows}
    assert rows["a"]["win_chance"].value == pytest.approx(15 / 24)  # type: ignore[union-attr]
    assert "share of matches won" in section.charts[0].title


@pytest.mark.parametrize("name", [HOSTILE, TURNED, "'; alert(1) //", LONG])
def test_hostile_names_stay_text(name: str) -> None:
    points = [
        Point(label, Figure(cost), Figure(wins), OTHER, label)
        for label, cost, wins in ((name, 0.1, 0.2), ("b", 0.2, 0.3))
    ]
    told = scatter("cost", "Cost", "in words", points, x="cost", y="wins", format="$~g")
    svg = check(told)
    assert "<img" not in svg
    assert "\u202e" not in svg
    assert all(len(row["full"]) <= 120 for row in told.rows)


@given(st.lists(st.tuples(st.floats(0.001, 10), st.floats(0, 1)), max_size=12))
def test_nobody_on_the_front_is_beaten_and_everybody_else_is(points: list[tuple[float, float]]) -> None:
    found = set(front(points))
    for one in range(len(points)):
        beaten = any(
            points[other][0] <= points[one][0] and points[other][1] >= points[one][1] and points[other] != points[one]
            for other in range(len(points))
        )
        assert (one not in found) == beaten


def test_no_label_covers_another_or_a_dot() -> None:
    """Forty players on a grid and a few at one place: what is written covers nothing."""
    rows = [
        {
            "x": 10.0**across, "y": 0.05 + 0.1 * up, "x_low": None, "x_high": None, "y_low": None, "y_high": None,
            "label": f"p{across}{up}", "state": OTHER,
        }
        for across, up in [*product(range(5), range(8)), (2, 3), (2, 3)]
    ]  # fmt: skip
    _place_labels(rows, (0.3, 30_000.0), 1.0, None)
    shown = [row for row in rows if row["side"] != "none"]
    assert 10 <= len(shown) < len(rows)
    spans = [(row["y"], row["side"], row["x"]) for row in shown]
    assert len(spans) == len(set(spans)), "two at one place are not written twice on one side"


def test_names_of_sixty_letters_fit_a_phone() -> None:
    points = [
        Point(f"{'a-name-' * 9}{number}", Figure(0.1 * 2**number), Figure(0.05 * number), OTHER, "told")
        for number in range(12)
    ]
    told = scatter("cost", "Cost", "in words", points, x="cost", y="wins", format="$~g")
    check(told)
    assert all(len(row["label"]) * 6.4 < NARROW for row in told.rows)
