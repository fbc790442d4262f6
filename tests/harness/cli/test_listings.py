"""`parley games`, `runs`, `show`, `leaderboard`, `verify`: what they print, and their JSON."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path

import pytest

from games import GAMES, get_game
from harness.store import Store
from tests.harness.cli.calling import ESCAPES, Terminal, invoke, piped
from tests.harness.cli.hostile import MARKUP, SHOWN_TURNED, harmful

TERMINAL = {"TTY_COMPATIBLE": "1", "TERM": "xterm-256color", "COLUMNS": "80"}
"""Makes rich write as to a terminal."""

HOSTILE_CALLS = [
    ("runs",),
    ("show", "[red]run[/]"),
    ("show", "1"),
    ("show", "2"),
    ("leaderboard",),
    ("verify", "[red]run[/]"),
    ("replay", "1", "--all"),
    ("replay", "1", "--all", "--eyes", "red"),
]


def test_games_are_listed_with_all_that_a_file_may_name() -> None:
    text = invoke("games").out
    listed = invoke("games", "--json").json
    assert [game["game"] for game in listed] == list(GAMES)
    for described in listed:
        game = get_game(described["game"])
        assert described["bots"] == sorted(game.bots)
        assert described["scenarios"] == sorted(game.scenarios)
        assert {option["option"] for option in described["options"]} == set(game.Options.model_fields)
        for word in [game.name, game.title, *game.bots, *game.scenarios, *game.Options.model_fields]:
            assert word in text


def test_options_tell_their_defaults_and_values() -> None:
    game = next(game for game in invoke("games", "--json").json if game["game"] == "so_long_sucker")
    chips, rules = game["options"][:2]
    assert (chips["option"], chips["default"], chips["values"]) == ("chips", 7, "1 to 12")
    assert (rules["option"], rules["default"], rules["values"]) == ("rules", "modern", "modern, classic")


def test_runs(db: str) -> None:
    called = invoke("runs", "--db", db)
    assert called.status == 0
    head, row = called.out.splitlines()
    assert head.split()[:3] == ["run", "status", "finished"]
    assert row.split()[:3] == ["bots", "finished", "4/4"]
    (run,) = invoke("runs", "--db", db, "--json").json
    assert run["run"] == "bots"
    assert run["matches"] == {"finished": 4, "running": 0, "stopped": 0, "paused": 0, "queued": 0, "void": 0}
    assert run["players"] == ["greedy", "banker", "turncoat", "chance"]


def test_no_runs_yet(tmp_path: Path) -> None:
    path = tmp_path / "new.db"
    Store.open(path).close()
    assert "No runs in" in invoke("runs", "--db", str(path)).out
    assert invoke("runs", "--db", str(path), "--json").json == []
    assert "No matches in" in invoke("leaderboard", "--db", str(path)).out
    called = invoke("show", "bots", "--db", str(path))
    assert called.status == 2
    assert called.err == (
        f"parley: show: no run named 'bots' in {path}; there is no run yet; `parley run FILE` makes one\n"
    )


def test_show_a_run(db: str) -> None:
    text = invoke("show", "bots", "--db", db).out
    described = invoke("show", "bots", "--db", db, "--json").json
    assert described["run"] == "bots"
    assert [player["plays"] for player in described["players"]] == ["greedy", "banker", "turncoat", "random"]
    assert len(described["matches"]) == 4
    for match in described["matches"]:
        assert match["status"] == "finished"
        assert sorted(match["places"].values()) == [1, 2, 3, 4]
        winner = match["seats"][match["winners"][0]]
        row = next(
            line.split()
            for line in text.splitlines()
            if line.split()[:2] == [str(match["match"]), str(match["number"])]
        )
        assert row[2:5] == ["finished", str(match["turns"]), winner]


def test_show_a_match(db: str) -> None:
    described = invoke("show", "1", "--db", db, "--json").json
    text = invoke("show", "1", "--db", db).out
    assert described["match"] == 1
    assert sum(seat["turns"] for seat in described["seats"]) == described["turns"]
    for seat in described["seats"]:
        row = next(line.split() for line in text.splitlines() if line.startswith(f"{seat['seat']} "))
        assert row[1:4] == [seat["label"], str(seat["place"]), str(seat["turns"])]
    assert text.endswith(f" replay 1 --db {db}\n")


@pytest.mark.parametrize(
    ("args", "line"),
    [
        (("show", "bot"), "no run named 'bot' in {db}; there are bots"),
        (("show", "99"), "no match '99' in {db}; the latest run, bots, has 1 to 4"),
        (("show", "9" * 30), "no match '" + "9" * 30 + "' in {db}; the latest run, bots, has 1 to 4"),
        (("show", "٣"), "no match '٣' in {db}; the latest run, bots, has 1 to 4"),
        (("replay", "bots"), "'bots' is a run, and the number of a match is wanted; `parley show bots` lists them"),
        (("replay", "bot"), "no match 'bot' in {db}; the latest run, bots, has 1 to 4"),
        (("doctor", "1"), "1 is the number of a match, and the name of a run is wanted; there are bots"),
        (("replay", "1", "--eyes", "pink"), "--eyes: match 1 has no seat 'pink'; it has red, blue, green, yellow"),
        (("verify", "b\u202ex"), "no run named 'bx' in {db}; there are bots"),
        (("leaderboard", "bots", "[/]"), "no run named '[/]' in {db}; there are bots"),
        (
            ("play", "1", "--seat", "red"),
            "--seat: 'red' cannot be played by hand in match 1; no seat of it is played by a human",
        ),
    ],
)  # fmt: skip
def test_what_is_not_there_is_named_with_what_is(db: str, args: tuple[str, ...], line: str) -> None:
    called = invoke(*args, "--db", db)
    assert (called.status, called.out) == (2, "")
    assert called.err == f"parley: {args[0]}: {line.format(db=db)}\n"


def test_leaderboard(db: str) -> None:
    text = invoke("leaderboard", "bots", "--db", db).out
    described = invoke("leaderboard", "--db", db, "--json").json
    (board,) = described["tables"]
    assert board["run"] == "bots"
    for row in board["rows"]:
        cells = next(line.split() for line in text.splitlines() if line.split()[1:2] == [row["label"]])
        assert cells[:2] == [str(row["rank"]), row["label"]]
        assert f"{100 * row['win_rate']:.0f} %" in " ".join(cells)
        assert f"{100 * row['probability']:.0f} %" in " ".join(cells)
    # Nobody was paid or counted tokens, so there are no columns of nothing.
    assert "tokens" not in text
    assert "cost" not in text


def test_the_same_seed_gives_the_same_leaderboard_to_the_byte(db: str, file: Path, tmp_path: Path) -> None:
    other = str(tmp_path / "other.db")
    assert invoke("run", str(file), "--db", other, "--parallel", "1").status == 0
    assert invoke("leaderboard", "--db", other, "--json").out == invoke("leaderboard", "--db", db, "--json").out


def test_verify(db: str) -> None:
    called = invoke("verify", "bots", "--db", db)
    assert called.status == 0
    assert called.out.startswith("bots: 4 matches, ")
    assert called.out.endswith(" turns played again: every position, event and outcome equals the log's.\n")
    assert invoke("verify", "2", "--db", db).out.startswith("match 2 of bots, ")
    described = invoke("verify", "bots", "--db", db, "--json").json
    assert described["differences"] == 0
    assert [match["difference"] for match in described["matches"]] == [None] * 4
    assert described["turns"] == sum(match["turns"] for match in described["matches"])


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (
            "UPDATE turn SET position_hash = 'f' || substr(position_hash, 2) WHERE match_id = 2 AND ply = 7",
            "position hash",
        ),
        ("UPDATE turn SET action = 'play gold new' WHERE match_id = 2 AND ply = 7", "action"),
        ("UPDATE turn SET events = '[]' WHERE match_id = 2 AND ply = 7", "events"),
    ],
)
def test_verify_tells_the_first_difference(db: str, tmp_path: Path, change: str, what: str) -> None:
    path = tmp_path / "changed.db"
    shutil.copy(db, path)
    with sqlite3.connect(path) as connection:
        connection.execute(change)
    called = invoke("verify", "bots", "--db", str(path))
    assert called.status == 1
    assert called.out.startswith(f"match 2 (bots no. 1): ply 7: {what} differs: the log has ")
    assert called.out.splitlines()[1:] == ["bots: 4 matches, 1 difference."]
    listed = invoke("verify", "bots", "--db", str(path), "--json")
    assert listed.status == 1
    assert [match["difference"] is None for match in listed.json["matches"]] == [True, False, True, True]
    assert listed.json["matches"][1]["difference"]["ply"] == 7


@pytest.mark.parametrize("args", HOSTILE_CALLS)
def test_hostile_words_are_letters_in_a_pipe(hostile: str, args: tuple[str, ...]) -> None:
    called = invoke(*args, "--db", hostile)
    # (No file can hold such labels, which `verify` tells.)
    assert (called.status, called.err) == (int(args[0] == "verify"), "")
    assert harmful(called.out) == []
    assert "[red]run[/]" in called.out
    if args[0] in ("replay", "leaderboard") or args[:2] == ("show", "1"):
        assert MARKUP in called.out
        assert SHOWN_TURNED in called.out


@pytest.mark.parametrize("args", HOSTILE_CALLS)
@pytest.mark.parametrize("columns", [60, 132])
def test_hostile_words_are_letters_on_a_terminal(hostile: str, args: tuple[str, ...], columns: int) -> None:
    shown = invoke(*args, "--db", hostile, env={**TERMINAL, "COLUMNS": str(columns)})
    assert shown.status == int(args[0] == "verify")
    # Whatever escape sequence is there is one of ours: a weight or a colour, nothing that moves or links or titles.
    assert {found[-1] for found in ESCAPES.findall(shown.out)} <= {"m"}
    text = ESCAPES.sub("", shown.out)
    assert harmful(text) == []
    assert max(map(len, text.splitlines())) <= columns


@pytest.mark.parametrize("args", HOSTILE_CALLS)
def test_no_color_is_honoured(hostile: str, args: tuple[str, ...]) -> None:
    assert styles(invoke(*args, "--db", hostile, env={**TERMINAL, "NO_COLOR": "1"}).out) <= {"", "0", "1", "2"}


def test_without_it_there_is_colour(hostile: str) -> None:
    assert styles(invoke("replay", "1", "--all", "--db", hostile, env=TERMINAL).out) >= {"33", "36"}


def styles(out: str) -> set[str]:
    """The style numbers of an output's escape sequences."""
    return {code for found in ESCAPES.findall(out) for code in found[2:-1].split(";")}


def test_a_real_terminal_and_a_real_pipe(hostile: str) -> None:
    with Terminal("show", "1", "--db", hostile, columns=60) as shown:
        assert shown.end() == 0
        assert {found[-1] for found in ESCAPES.findall(shown.raw)} == {"m"}
        assert harmful(shown.text) == []
        assert max(map(len, shown.text.splitlines())) <= 60
    called = piped("show", "1", "--db", hostile)
    assert (called.status, called.err) == (0, "")
    assert "\x1b" not in called.out
    assert MARKUP in called.out


@pytest.mark.parametrize("args", [*HOSTILE_CALLS[:5], ("replay", "1")])
def test_hostile_words_come_through_json_unharmed_and_escaped(hostile: str, args: tuple[str, ...]) -> None:
    called = invoke(*args, "--db", hostile, "--json")
    assert called.status == 0
    assert called.out.isascii()
    assert harmful(called.out) == []
    json.loads(called.out)


def test_a_reason_is_shown_with_its_matches(hostile: str) -> None:
    described = invoke("show", "[red]run[/]", "--db", hostile).out
    assert any(line.startswith("paused, match 2: [/INST] I take") for line in described.splitlines())
