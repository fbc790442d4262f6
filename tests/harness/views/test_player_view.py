"""A player's profile: figures that stand elsewhere too, put together for one."""

from __future__ import annotations

import pytest

from harness.views.base import Behind, Choice, Figure
from harness.views.player import _host, view
from tests.harness.views.logged import costly, match, of_logs, packs
from tests.harness.views.made import HOSTILE, LONG, TURNED, chart, column, run_of, seen, sheet

SPEC = {
    "players": [
        {"label": "a", "model": "openai/any", "persona": "diplomat", "params": {"temperature": 0.5},
         "api_base": "https://user:secret@example.org:8000/v1?key=secret"},
    ]
}  # fmt: skip


def profile(label: str = "a", number: int = 20, **more: object) -> list:  # type: ignore[type-arg]
    run = run_of()
    run = run.model_copy(update={"spec": {**run.spec, **SPEC}})
    return seen(view, of_logs(packs(number, sums=costly, **more), run), Choice(player=label))


def test_who_it_is() -> None:
    who, *_ = profile(number=1)
    assert who.title == "a"
    (row,) = sheet(who, "identity").rows
    assert row.values["model"] == "openai/any"
    assert row.values["persona"] == "diplomat"
    assert row.values["params"] == '{"temperature": 0.5}'
    assert row.values["identity"] == "id-a"
    assert row.values["server"] == "example.org:8000"
    assert "secret" not in sheet(who, "identity").csv()
    assert not who.warnings


@pytest.mark.parametrize(
    ("address", "host"),
    [(None, None), ("http://[::1]:80/v1", "::1:80"), ("http://a:99999", None), ("nonsense", None)],
)
def test_a_server_is_named_without_what_may_be_secret(address: str | None, host: str | None) -> None:
    assert _host(address) == host


def test_a_changed_identity_is_another_player_and_is_said() -> None:
    some = [match(number, identities={"a": f"{number // 4}-identity"}) for number in range(8)]
    who, *rest = seen(view, of_logs(some), Choice(player="a"))
    assert len(sheet(who, "identity").rows) == 2
    assert who.warnings[0].startswith("2 players had this label in So Long Sucker, 4 seats")
    titles = [section.title for section in rest if section.title.startswith("So Long")]
    assert len(titles) == len(set(titles)) == 2
    pledges = [section for section in rest if section.title.startswith("Pledges")]
    made = [len(sheet(section, "pledges-all").rows) for section in pledges]
    assert sum(made) == 4, "each has its own"


def test_results_by_seat_and_against_whom() -> None:
    _, section, *_ = profile()
    assert section.lines[1].startswith("It won 60.0 % (")
    assert "At an average table it wins" in section.lines[1]
    wins = chart(section, "won-by-seat")
    assert [row["name"] for row in wins.rows] == ["all seats", "blue", "green", "red", "yellow"]
    assert [row["value"] for row in wins.rows] == [0.6] * 5
    assert wins.behind[1] == Behind("r", ("a",), "so_long_sucker", 0, "finished", "-forfeit", seat="blue")
    seats = sheet(section, "seats")
    assert column(seats, "matches") == [20] * 4
    against = sheet(section, "against")
    assert column(against, "other") == ["b", "c", "d"]
    assert column(against, "ahead") == pytest.approx([0.6, 0.8, 1.0])
    assert against.rows[0].behind == Behind("r", ("a", "b"), "so_long_sucker", 0, "finished", "-forfeit")
    mirrored = sheet(profile("b")[1], "against")
    assert column(mirrored, "ahead")[0] == pytest.approx(0.4)
    assert all(row.values["ahead"].interval for row in mirrored.rows)


def test_a_profile_keeps_versions_of_the_rules_apart() -> None:
    some = [match(number, sums=costly, rules=str(1 + number // 8)) for number in range(12)]
    _, *sections = seen(view, of_logs(some), Choice(player="a"))
    numbers = {}
    for section in sections:
        if section.title.startswith("So Long"):
            numbers[section.title] = column(sheet(section, "seats"), "matches")
        if section.title.startswith("Pledges"):
            numbers[section.title] = [len(sheet(section, "pledges-all").rows)]
    title = "So Long Sucker, 4 seats · rules"
    assert numbers == {
        f"{title} 1": [2] * 4,
        f"Pledges · {title} 1": [4],
        f"{title} 2": [1] * 4,
        f"Pledges · {title} 2": [2],
    }


def test_what_it_takes_and_what_went_wrong() -> None:
    _, section, *_ = profile("b", number=2)
    takes = {row.values["what"]: row.values for row in sheet(section, "takes").rows}
    assert takes["Cost of a match"]["value"] == pytest.approx(0.02)
    assert takes["Waiting for a decision"]["value"] == pytest.approx(0.4)
    assert takes["Cached"]["value"] == 0.5
    assert takes["Calls"]["value"] == 16
    wrong = {row.values["what"]: row for row in sheet(section, "failures").rows}
    assert wrong["Illegal answers"].values["times"] == 8
    assert wrong["Illegal answers"].values["rate"] == 0.5
    assert wrong["Illegal answers"].behind == Behind("r", ("b",), "so_long_sucker", 0, "finished", had="answer:illegal")
    assert wrong["Decisions made for it (fallbacks)"].behind is None, "none to look at"


def test_measures_beside_the_others() -> None:
    play = next(section for section in profile(number=2) if section.title.startswith("How it plays"))
    plays = {row.values["measure"]: row.values for row in sheet(play, "plays").rows}
    assert plays["Tokens"]["place"] == "1 of 2"
    assert {"Won by seat", "Place by seat"}.isdisjoint(plays), "the profile begins with these, and has them once"
    strip = chart(play, "among")
    own = {row["what"]: row["at"] for row in strip.rows if row["own"]}
    assert own["Answers that could not be used"] == 0
    assert own["Cost of a decision"] == 1
    assert all(0 <= row["at"] <= 1 for row in strip.rows)
    assert {row["full"] for row in strip.rows} == set("abcd")


def test_pledges_of_its_own_each_with_its_ply() -> None:
    judged = next(section for section in profile("b", number=1) if section.title.startswith("Pledges"))
    rows = sheet(judged, "pledges-all").rows
    assert {row.values["maker"] for row in rows} == {"b"}
    assert len(rows) == 2
    assert all(row.behind and row.behind.match and row.behind.ply == 1 for row in rows)


def test_without_a_choice_everybody_and_the_first() -> None:
    sections = seen(view, of_logs(packs(20)))
    players = sheet(sections[0], "players")
    assert column(players, "player") == list("abcd")
    assert isinstance(players.rows[0].values["win_chance"], Figure)
    assert sections[1].title == "a"
    assert seen(view, of_logs([])) == []
    assert seen(view, of_logs(packs(1)), Choice(player="nobody")) == []


def test_none_of_its_matches_counts() -> None:
    _, section, *_ = seen(view, of_logs([match(0, status="void", outcome=None)]), Choice(player="a"))
    assert "None of its matches counts." in section.lines


@pytest.mark.parametrize("name", [HOSTILE, TURNED, LONG])
def test_hostile_labels_stay_text(name: str) -> None:
    some = [match(number, (name, "b", "c", "d")) for number in range(4)]
    sections = seen(view, of_logs(some), Choice(player=name))
    assert sections[0].title == name
    for one in (one for section in sections for one in section.charts):
        assert "\u202e" not in str(one.rows)
