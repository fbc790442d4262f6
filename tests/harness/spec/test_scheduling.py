"""What a file may say of its schedule, and the one line for what it may not."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.spec import Gauntlet, SpecError, Tournament, Until, parse
from tests.harness.cli.calling import invoke

WIDE = "400"
"""Columns of a terminal in which no line is broken, wherever the file lies."""
FILE = """
name: t
{keys}
games: [{{game: star_ludo, seats: {seats}, options: {{cap: 20}}}}]
players:
  - {{label: a, bot: casual}}
  - {{label: b, bot: random}}
  - {{label: c, bot: random}}
  - {{label: d, bot: random}}
"""


def file(keys: str, seats: int = 2) -> Tournament:
    return parse(FILE.format(keys=keys, seats=seats), "t.yaml")


def test_what_a_file_may_say() -> None:
    plain = file("")
    assert (plain.line_ups, plain.replicates, plain.until, plain.added) == ("auto", 1, None, ())
    assert file("line_ups: self_play").line_ups == "self_play"
    assert file("line_ups: {gauntlet: [b, c]}").line_ups == Gauntlet(gauntlet=("b", "c"))
    assert file("until: {apart: [a, b], at_most: 400}").until == Until(apart=("a", "b"), at_most=400)
    for keys in ("line_ups: {gauntlet: [b]}", "replicates: 3", "until: {apart: [a, b], at_most: 400}"):
        spec = file(keys)
        assert Tournament.from_json(spec.to_json()) == spec


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        ("line_ups: gauntlet", 'line_ups: "gauntlet" needs its baselines by label, as {gauntlet: [greedy, casual]}'),
        ("line_ups: round_robin", 'line_ups: "round_robin" is called all here: every line-up in turn'),
        ("line_ups: sample", 'line_ups: "sample" is not one of auto, all, sampled, self_play; did you mean sampled?'),
        (
            "line_ups: [a]",
            'line_ups: ["a"] is not one of auto, all, sampled, self_play; '
            "baselines are named as {gauntlet: [greedy, casual]}",
        ),
        ("line_ups: {gauntlet: b}", 'line_ups.gauntlet: "b" is not a list'),
        ("line_ups: {gauntlet: []}", "line_ups.gauntlet: [] is too short; at least 1 wanted"),
        ("line_ups: {gauntlets: [b]}", "line_ups.gauntlets: unknown key; did you mean gauntlet?"),
        ("line_ups: {gauntlet: [e]}", 'line_ups.gauntlet[0]: no player has the label "e"; the labels are a, b, c, d'),
        (
            "line_ups: {gauntlet: [b, b]}",
            'line_ups.gauntlet[1]: "b" stands here already; name each player once',
        ),
        (
            "line_ups: {gauntlet: [a, b, c, d]}",
            "line_ups.gauntlet: names every player; leave out at least one as a challenger",
        ),
        ("replicates: 0", "replicates: 0 is not more than 0"),
        ("replicates: 1001", "replicates: 1001 is not at most 1000"),
        ("replicates: two", 'replicates: "two" is not a whole number'),
        ("until: 200", "until: 200 is not a mapping (key: value)"),
        ("until: {apart: [a, b]}", "until.at_most: missing; this key has no default"),
        ("until: {at_most: 200}", "until.apart: missing; this key has no default"),
        ("until: {apart: [a], at_most: 200}", 'until.apart: ["a"] is too short; at least 2 wanted'),
        ("until: {apart: [a, b, c], at_most: 200}", 'until.apart: ["a", "b", "c"] is too long; at most 2 allowed'),
        ("until: {apart: [a, a], at_most: 200}", 'until.apart[1]: "a" stands here already; name each player once'),
        ("until: {apart: [a, x], at_most: 200}", 'until.apart[1]: no player has the label "x"; the labels are'),
        (
            "until: {apart: [a, b], at_most: 30}",
            "until.at_most: 30 is 15 packs of 2 star_ludo matches; to tell two players apart takes at least 20 packs "
            "(40 matches)",
        ),
        (
            "until: {apart: [a, b], at_most: 78}",
            'until.at_most: 78 is 39 packs of 2 star_ludo matches, with "a" in about 19 of them; to tell two players '
            "apart takes at least 20 packs with each",
        ),
        (
            "until: {apart: [a, b], at_most: 80}\nline_ups: {gauntlet: [b, c, d]}",
            'until.at_most: 80 is 40 packs of 2 star_ludo matches, with "b" in about 13 of them',
        ),
        (
            "until: {apart: [a, b], at_most: 400}\nmatches: 8",
            "matches: until.at_most says how many matches there may be; leave this out",
        ),
        (
            "until: {apart: [a, b], at_most: 400}\nseating: fixed",
            "until: where seats are fixed, a good seat cannot be told from a good player; use rotate",
        ),
        (
            "until: {apart: [a, b], at_most: 400}\nline_ups: self_play",
            "until: in self_play nobody plays against another, so no two are ever told apart",
        ),
        ("added: [{players: [x]}]", 'added[0].players[0]: no player has the label "x"'),
    ],
)
def test_what_it_may_not_say(keys: str, line: str, tmp_path: Path) -> None:
    path = tmp_path / "t.yaml"
    path.write_text(FILE.format(keys=keys, seats=2))
    for command in ("check", "run", "forecast"):
        called = invoke(command, str(path), *(["--db", str(tmp_path / "x.db")] if command == "run" else []))
        assert called.status == 2
        assert called.err.startswith(f"parley: {path}: {line}")
        assert called.err.count("\n") == 1
    assert not (tmp_path / "x.db").exists()


def test_a_gauntlet_needs_baselines_for_the_other_seats() -> None:
    with pytest.raises(SpecError, match="only 1 baseline for the 2 other seats at a table of star_ludo"):
        file("line_ups: {gauntlet: [b]}", seats=3)


def test_the_two_of_until_play_every_game() -> None:
    text = FILE.format(keys="until: {apart: [a, b], at_most: 400}", seats=2)
    text = text.replace("{cap: 20}}]", "{cap: 20}}, {game: star_ludo, seats: 2, players: [a, c]}]")
    with pytest.raises(SpecError, match=r'until\.apart\[1\]: "b" does not play games\[1\] \(star_ludo\)'):
        parse(text, "t.yaml")


@pytest.mark.parametrize("option", [["--matches", "8"], ["--add-player", "--fresh"]])
def test_options_that_do_not_go_together(option: list[str], tmp_path: Path) -> None:
    path = tmp_path / "t.yaml"
    path.write_text(FILE.format(keys="until: {apart: [a, b], at_most: 400}", seats=2))
    called = invoke("run", str(path), "--db", str(tmp_path / "x.db"), *option)
    assert called.status == 2
    assert called.err.count("\n") == 1


def test_check_says_what_the_schedule_will_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", WIDE)
    path = tmp_path / "t.yaml"
    path.write_text(FILE.format(keys="line_ups: {gauntlet: [c, d]}\nmatches: 16\nreplicates: 2", seats=2))
    called = invoke("check", str(path))
    assert called.status == 0
    assert "seating rotate, a gauntlet against c, d, each match 2 times\n" in called.out
    assert (
        "Each challenger meets each baseline in 4 matches; challengers never meet; "
        "each player sits in each seat 4 times, equally often in all of them.\n"
    ) in called.out
    described = invoke("check", str(path), "--json").json
    assert (described["line_ups"], described["replicates"], described["until"]) == ({"gauntlet": ["c", "d"]}, 2, None)
    (game,) = described["games"]
    assert (game["matches"], game["packs"], game["line_ups"], game["looks"]) == (16, 2, 4, None)
    assert {tuple(one["players"]): one["matches"] for one in game["meetings"]} == {
        ("a", "b"): 0,
        ("a", "c"): 4,
        ("a", "d"): 4,
        ("b", "c"): 4,
        ("b", "d"): 4,
        ("c", "d"): 0,
    }
    assert game["seated"][0] == {"label": "a", "matches": {"red": 4, "yellow": 4}}


def test_check_and_forecast_name_the_looks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", WIDE)
    path = tmp_path / "t.yaml"
    path.write_text(FILE.format(keys="until: {apart: [a, b], at_most: 90}", seats=2))
    called = invoke("check", str(path))
    assert "until a and b are told apart" in called.out
    assert "looks after 20, 24, 27, 31, 34, 38, 41, 45 packs, at most 90 matches." in called.out.replace("\n", " ")
    (game,) = invoke("check", str(path), "--json").json["games"]
    assert game["looks"][0] == {"packs": 20, "matches": 40}
    told = invoke("forecast", str(path), "--json").json
    assert (told["matches"], told["first_look"]) == (90, 40)
