"""`parley leaderboard`: what each of its views prints, from runs that were really played."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from harness.cli.leaderboard import _print
from harness.leaderboard import leaderboard
from tests.harness.cli.calling import ESCAPES, invoke
from tests.harness.cli.hostile import MARKUP, harmful
from tests.harness.test_leaderboard import match

RUN = """\
name: {name}
seed: {seed}
matches: 80
parallel: 2
seating: {seating}
games: [{{game: so_long_sucker, options: {{chips: 2}}}}]
players:
  - {{label: greedy, bot: greedy}}
  - {{label: banker, bot: banker}}
  - {{label: turncoat, bot: turncoat}}
  - {{label: lots, bot: random}}
"""


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A database with a run of 20 packs in which seats rotate, and one in which they are fixed."""
    folder = tmp_path_factory.mktemp("views")
    db = str(folder / "parley.db")
    for name, seed, seating in (("fair", 3, "rotate"), ("trap", 4, "fixed")):
        file = folder / f"{name}.yaml"
        file.write_text(RUN.format(name=name, seed=seed, seating=seating))
        assert invoke("run", str(file), "--db", db).status == 0
    return db


def test_intervals_are_printed_and_drawn(runs: str) -> None:
    out = invoke("leaderboard", "fair", "--db", runs).out
    (table,) = invoke("leaderboard", "fair", "--db", runs, "--json").json["tables"]
    head, titles, *lines = out.splitlines()
    assert head == "fair · so_long_sucker, 4 seats · 80 matches counted in 20 packs"
    assert titles.split()[:3] == ["#", "player", "matches"]
    for row, line in zip(table["rows"], lines, strict=False):
        low, high = row["probability_interval"]
        assert f"{100 * row['probability']:.0f} % ({100 * low:.0f}–{100 * high:.0f})" in line
        assert "●" in line
        assert row["label"] in line


def test_a_run_with_fixed_seats_is_marked_and_its_seats_are_shown(runs: str) -> None:
    out = invoke("leaderboard", "trap", "--db", runs).out
    (table,) = invoke("leaderboard", "trap", "--db", runs, "--json").json["tables"]
    assert "Not comparable: seats fixed: each player always sat in the same seat." in out
    seats = {seat["seat"]: seat for seat in table["seat_effects"]}
    assert list(seats) == ["red", "blue", "green", "yellow"]
    for name, seat in seats.items():
        low, high = seat["win_interval"]
        assert f"{name} {100 * seat['win_share']:.0f} % ({100 * low:.0f}–{100 * high:.0f})" in out
    assert all(row["rank"] is None and row["probability"] is None for row in table["rows"])
    assert "●" not in out
    assert table["seats_fixed"]


def test_head_to_head(runs: str) -> None:
    out = invoke("leaderboard", "fair", "--db", runs, "--head-to-head").out
    (table,) = invoke("leaderboard", "fair", "--db", runs, "--json").json["tables"]
    rows = [line.split() for line in out.splitlines()[2:8]]
    assert len(table["pairs"]) == 6
    told = {frozenset((pair["first"]["label"], pair["second"]["label"])): pair for pair in table["pairs"]}
    for row in rows:
        pair = told[frozenset(row[:2])]
        assert row[2] == str(pair["matches"]) == "80"
        assert ("yes" in row) == pair["apart"]
    best = table["rows"][0]["label"]
    assert [row[0] for row in rows[:3]] == [best] * 3
    assert "corrected for all pairs (Holm)" in out


@pytest.mark.parametrize("drawn", [0, 2])
def test_head_to_head_says_how_many_were_drawn(drawn: int, capsys: pytest.CaptureFixture[str]) -> None:
    stats = [one for n in range(5) for one in match(n, {"a": 1, "b": 1 if n < drawn else 2})]
    (table,) = leaderboard(stats).tables
    _print(table, "pairs")
    line = "Drawn: 2 of 5 matches have a shared first place, which counts half a win for each."
    assert (line in capsys.readouterr().out.splitlines()) == (drawn > 0)
    assert table.shared == drawn


def test_places_seats_and_leaving_out(runs: str) -> None:
    places = invoke("leaderboard", "fair", "--db", runs, "--by", "places").out
    assert "by places" in places.splitlines()[1]
    assert "one strength a player" in places
    seats = invoke("leaderboard", "fair", "--db", runs, "--seats").out
    assert [line.split()[0] for line in seats.splitlines()[2:6]] == ["red", "blue", "green", "yellow"]
    left = invoke("leaderboard", "fair", "--db", runs, "--view", "leave-one-out").out
    assert sorted(line.split()[0] for line in left.splitlines()[2:6]) == ["banker", "greedy", "lots", "turncoat"]
    models = invoke("leaderboard", "fair", "--db", runs, "--view", "models").out
    assert "No view of models alone" in models


def test_what_cannot_be_rated_says_so_in_every_view(runs: str) -> None:
    for more in (
        ["--by", "places"],
        ["--head-to-head"],
        ["--seats"],
        ["--view", "leave-one-out"],
        ["--view", "models"],
    ):
        called = invoke("leaderboard", "trap", "--db", runs, *more)
        assert called.status == 0
        assert "Not comparable: seats fixed" in called.out


def test_pooled_runs_are_marked(runs: str) -> None:
    out = invoke("leaderboard", "--db", runs, "--pool").out
    assert out.splitlines()[0] == "pooled · so_long_sucker, 4 seats · 160 matches counted in 100 packs"
    assert out.splitlines()[1] == "Pooled over 2 runs (fair, trap); they differ in seating."
    assert "fair" in invoke("leaderboard", "--db", runs).out.splitlines()[0]


def test_tables_that_differ_by_the_rules_alone_have_heads_of_their_own(tmp_path: Path, db: str) -> None:
    copy = tmp_path / "rules.db"
    assert invoke("backup", str(copy), "--db", db).status == 0
    with sqlite3.connect(copy) as raw:
        raw.execute("update match set versions = json_set(versions, '$.rules', '0') where number < 1")
        raw.execute("update match set versions = '{}', status = 'queued' where number = 3")
    (version,) = {one["rules"] for one in invoke("leaderboard", "bots", "--db", db, "--json").json["tables"]}
    out = invoke("leaderboard", "bots", "--db", str(copy)).out
    heads = [line for line in out.splitlines() if line.startswith("bots · ")]
    assert heads == [
        "bots · so_long_sucker, rules 0, 4 seats · 1 match counted in 1 pack",
        f"bots · so_long_sucker, rules {version}, 4 seats · 2 matches counted in 1 pack, 1 incomplete",
    ]
    # Where there is one version, no head tells it; nor where versions are pooled, which another line says.
    assert "rules" not in invoke("leaderboard", "bots", "--db", db).out
    assert invoke("leaderboard", "bots", "--pool", "--db", str(copy)).out.startswith("pooled · so_long_sucker, 4 seats")


@pytest.mark.parametrize("command", [("behaviour",), ("behaviour", "--alliances"), ("pledges",)])
def test_behaviour_keeps_versions_of_the_rules_apart_as_the_leaderboard_does(
    command: tuple[str, ...], tmp_path: Path, db: str
) -> None:
    copy = tmp_path / "rules.db"
    assert invoke("backup", str(copy), "--db", db).status == 0
    with sqlite3.connect(copy) as raw:
        raw.execute("update match set versions = json_set(versions, '$.rules', '0') where number < 1")
        raw.execute("update match set versions = '{}', status = 'queued' where number = 3")
    ranked, told = (invoke(*one, "bots", "--db", str(copy), "--json").json for one in (["leaderboard"], command))
    assert [(one["rules"], one["matches"]["counted"], one["matches"].get("queued", 0)) for one in told["tables"]] == [
        (one["rules"], one["matches"]["counted"], one["matches"]["queued"]) for one in ranked["tables"]
    ]
    assert [one["matches"].get("queued", 0) for one in told["tables"]] == [0, 1]
    out = invoke(*command, "bots", "--db", str(copy)).out
    heads = [line for line in out.splitlines() if line.startswith("bots · ")]
    assert [head.partition(", 4 seats")[0] for head in heads] == [
        f"bots · so_long_sucker, rules {one['rules']}" for one in told["tables"]
    ]
    assert "rules" not in invoke(*command, "bots", "--db", db).out.splitlines()[0]


def test_json_is_the_same_to_the_byte_and_in_every_view(runs: str) -> None:
    first = invoke("leaderboard", "--db", runs, "--json").out
    assert invoke("leaderboard", "--db", runs, "--json").out == first
    assert invoke("leaderboard", "--db", runs, "--json", "--by", "places").out == first
    json.loads(first)


@pytest.mark.parametrize(
    ("more", "line"),
    [
        (["--by", "luck"], "--by"),
        (["--view", "all"], "--view"),
        (["--seats", "--head-to-head"], "each show another table: give one of them"),
        (["--view", "models", "--by", "places"], "each show another table: give one of them"),
    ],
)
def test_bad_options_are_one_line(runs: str, more: list[str], line: str) -> None:
    called = invoke("leaderboard", "--db", runs, *more)
    assert (called.status, called.out) == (2, "")
    assert line in called.err
    assert called.err.count("\n") == 1


@pytest.mark.parametrize("what", ["wins", "places", "pairs", "seats", "models", "leave-one-out"])
def test_hostile_labels_are_letters_in_every_view(what: str, capsys: pytest.CaptureFixture[str]) -> None:
    labels = [MARKUP, "\x1b]0;owned\x07b", "c\u202eturned\u200b", "d\nNot comparable: a lie."]
    stats = []
    for number in range(96):
        order = {label: (at * 7 + number // 3) % 4 + 1 for at, label in enumerate(labels)}
        stats += match(number, {**order}, run="[red]run[/]")
    stats = [seat.model_copy(update={"kind": "model" if seat.label in labels[:3] else "bot"}) for seat in stats]
    _print(leaderboard(stats).tables[0], what)
    out = capsys.readouterr().out
    assert harmful(out) == []
    assert "[red]run[/]" in out
    if what != "seats":
        assert MARKUP in out
    assert not any(line.startswith("Not comparable: a lie") for line in out.splitlines())


def test_a_run_without_results_shows_no_empty_views(capsys: pytest.CaptureFixture[str]) -> None:
    stats = match(0, {"a": None, "b": None}, status="queued", reason=None)
    for what in ("places", "pairs", "seats", "models", "leave-one-out"):
        _print(leaderboard(stats).tables[0], what)
        assert capsys.readouterr().out == "r · g, 2 seats · 0 matches counted in 0 packs\n"


@pytest.mark.parametrize("columns", ["80", "120"])
def test_it_fits_a_terminal(runs: str, columns: str) -> None:
    env = {"TTY_COMPATIBLE": "1", "TERM": "xterm-256color", "COLUMNS": columns, "NO_COLOR": "1"}
    for more in ([], ["--by", "places"], ["--head-to-head"], ["--seats"], ["--view", "leave-one-out"], ["--pool"]):
        lines = ESCAPES.sub("", invoke("leaderboard", "--db", runs, *more, env=env).out).splitlines()
        assert max(map(len, lines)) <= int(columns)
    shown = invoke("leaderboard", "fair", "--db", runs, env=env).out
    assert "●" in shown
    assert "win chance" in shown
