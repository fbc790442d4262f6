"""`parley pledges` and `parley behaviour`: tables, JSON, bad input, hostile words, and runs of bots of every game."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from games import GAMES, get_game
from harness.behaviour.registry import all_measures
from tests.harness.cli.calling import invoke
from tests.harness.cli.hostile import harmful


def test_the_ledger_of_a_run(db: str) -> None:
    called = invoke("pledges", "bots", "--db", db)
    assert called.status == 0
    head, columns, *rows = called.out.splitlines()
    assert head == "bots · so_long_sucker, 4 seats · 4 matches counted in 1 pack"
    assert columns.split() == ["player", "pledges", "kept", "broken", "untested", "void", "share", "kept"]
    (table,) = invoke("pledges", "bots", "--db", db, "--json").json["tables"]
    told = {row["label"]: row for row in table["rows"] if not row["by"]}
    for row in rows[:2]:
        label, pledges, kept, broken, untested, void, *_ = row.split()
        assert [int(number) for number in (kept, broken, untested, void)] == [
            told[label][verdict] for verdict in ("kept", "broken", "untested", "void")
        ]
        assert int(pledges) == sum(one["maker"] == label for one in table["pledges"])
    assert "No intervals: they take at least 20 packs." in called.out


@pytest.mark.parametrize("by", ["kind", "addressee", "phase"])
def test_pledges_are_broken_down(db: str, by: str) -> None:
    (table,) = invoke("pledges", "bots", "--db", db, "--json").json["tables"]
    out = invoke("pledges", "bots", "--db", db, "--by", by).out
    keys = {row["key"] for row in table["rows"] if row["by"] == by}
    assert keys
    assert all(key in out for key in keys)


def test_every_pledge_is_listed_with_its_plies(db: str) -> None:
    (table,) = invoke("pledges", "bots", "--db", db, "--json").json["tables"]
    listed = invoke("pledges", "bots", "--db", db, "--list").out.splitlines()
    tested = [one for one in table["pledges"] if one["verdict_ply"] is not None]
    assert tested
    for one in tested:
        begins = [str(one["match"]), str(one["ply"]), one["maker"], one["kind"], one["addressee"], str(one["turns"])]
        assert any(line.split()[:6] == begins and str(one["verdict_ply"]) in line.split() for line in listed)
        steps = invoke("replay", str(one["match"]), "--db", db, "--json").json
        decided = next(step for step in steps if step["ply"] == one["verdict_ply"])
        assert decided["seat"] == one["maker_seat"]


def test_the_measures_of_a_run(db: str) -> None:
    called = invoke("behaviour", "bots", "--db", db)
    assert called.status == 0
    (table,) = invoke("behaviour", "bots", "--db", db, "--json").json["tables"]
    names = [one["name"] for one in table["measures"]]
    assert names == [name for name in all_measures() if name in names]
    assert {"wins", "donations_given", "strikes_made", "turn_given", "messages", "position_bias"} <= set(names)
    for one in table["measures"]:
        assert one["title"] in called.out
    wins = next(one for one in table["measures"] if one["name"] == "wins")
    assert sum(row["part"] for row in wins["rows"] if row["key"] is None) == 4
    assert all(row["whole"] == 4 for row in wins["rows"] if row["key"] is None)


def test_one_measure_with_its_keys_and_its_definition(db: str) -> None:
    out = invoke("behaviour", "bots", "--db", db, "--measure", "donations_given").out
    assert "who asks" in out
    assert "Denominator: `donate` and `refuse`." in " ".join(out.split())
    assert "nothing of the kind" in invoke("behaviour", "bots", "--db", db, "--measure", "tokens").out


def test_who_helped_and_who_hurt_whom(db: str) -> None:
    called = invoke("behaviour", "bots", "--db", db, "--alliances")
    assert called.status == 0
    (table,) = invoke("behaviour", "bots", "--db", db, "--alliances", "--json").json["tables"]
    assert table["counted"] == 4
    rows = [row for row in table["rows"] if row["by"] == "player" and row["phase"] is None]
    gifts = next(one for one in invoke("behaviour", "bots", "--db", db, "--json").json["tables"][0]["measures"]
                 if one["name"] == "donations_given")["rows"]  # fmt: skip
    given = sum(row["part"] for row in gifts if row["key"] is None)
    assert sum(row["part"] for row in rows if row["act"] == "donated") == given > 0
    helped = {(row["giver"]["label"], row["receiver"]["label"]): row for row in rows if row["act"] == "help"}
    lines = [line.split() for line in called.out.splitlines()]
    for (giver, receiver), row in helped.items():
        assert [giver, receiver, f"{row['value']:.2f}"] in [line[:3] for line in lines]
    assert "No intervals: they take at least 20 packs." in called.out


@pytest.mark.parametrize(
    ("args", "wanted"),
    [
        (("behaviour", "bots", "--measure", "luck"), "--measure: there is no measure 'luck'; there are wins, place,"),
        (("behaviour", "nobody"), "no run named 'nobody'"),
        (("behaviour", "nobody", "--alliances"), "no run named 'nobody'"),
        (("behaviour", "bots", "--alliances", "--measure", "wins"), "--alliances: takes no --measure"),
        (("behaviour",), "RUN"),
        (("pledges", "nobody"), "no run named 'nobody'"),
        (("pledges", "bots", "--by", "luck"), "luck"),
    ],
)
def test_bad_input_is_one_line(db: str, args: tuple[str, ...], wanted: str) -> None:
    called = invoke(*args, "--db", db)
    assert called.status == 2
    assert wanted in called.err
    assert len(called.err.splitlines()) == 1


def test_a_changed_line_changes_both(db: str, tmp_path: Path) -> None:
    """A refusal becomes a gift: the figures follow, and the ledger follows as far as the log can be followed."""
    copy = str(tmp_path / "copy.db")
    base = sqlite3.connect(copy)
    sqlite3.connect(db).backup(base)
    before = [invoke(name, "bots", "--db", copy, "--json").json for name in ("behaviour", "pledges")]
    base.execute(
        "UPDATE turn SET action = 'donate ' || seat, events = replace(events, '\"refuse\"', '\"donate\"') "
        "WHERE (match_id, ply) = (SELECT match_id, ply FROM turn WHERE action = 'refuse' AND source = 'player' LIMIT 1)"
    )
    base.commit()
    base.close()
    after = [invoke(name, "bots", "--db", copy, "--json").json for name in ("behaviour", "pledges")]
    assert before[0] != after[0]
    assert before[1] != after[1]
    assert after[1]["tables"][0]["unfollowed"]


def test_a_damaged_log_is_told_in_one_line(db: str, tmp_path: Path) -> None:
    copy = str(tmp_path / "copy.db")
    base = sqlite3.connect(copy)
    sqlite3.connect(db).backup(base)
    base.execute('UPDATE turn SET events = \'[{"kind":"ask"}]\' WHERE match_id = 1 AND ply = 5')
    base.commit()
    base.close()
    called = invoke("behaviour", "bots", "--db", copy)
    assert called.status == 2
    assert called.err.startswith("parley: measure donations_asked: match 0 of bots: KeyError: 'asked'")
    assert invoke("behaviour", "bots", "--db", copy, "--alliances").status == 0


@pytest.mark.parametrize("name", ["pledges", "behaviour", "alliances"])
def test_hostile_words_stay_letters(hostile: str, tmp_path: Path, name: str) -> None:
    path = str(tmp_path / "hostile.db")
    base = sqlite3.connect(path)
    sqlite3.connect(hostile).backup(base)
    base.execute("UPDATE match SET status = 'finished'")
    base.execute("UPDATE seat SET place = number + 1")
    base.execute(
        """UPDATE match SET reason = 'last', outcome = '{"winners":["red"],"places":{"red":1},"reason":"last"}'"""
    )
    if name == "alliances":
        strike = '[{"kind": "nerf", "of": "red"}, {"kind": "nerf", "of": "blue"}]'
        base.execute("UPDATE turn SET source = 'player', legal_count = 2, events = ?", (strike,))
    base.commit()
    base.close()
    more = {"pledges": ("--list",), "alliances": ("--alliances",)}.get(name, ())
    called = invoke("pledges" if name == "pledges" else "behaviour", "[red]run[/]", "--db", path, *more)
    assert called.status == 0, called.err
    assert "[bold red]nothing[/]" in called.out
    assert harmful(called.out) == []


BOTS = {
    "so_long_sucker": ("banker", "turncoat", "random", "greedy"),
    "star_ludo": ("balanced", "random"),
    "trap_race": ("normal", "forward"),
    "twenty_one": ("greedy", "random"),
}


@pytest.mark.parametrize("game", GAMES)
def test_bots_of_every_game_give_sensible_figures(tmp_path: Path, game: str) -> None:
    """Every share is a share, wins add up to the matches, and what the game's events allow is there."""
    bots = BOTS.get(game) or sorted(get_game(game).bots)[:2]
    seats = next(number for number in get_game(game).players if number >= len(bots))
    file, db = tmp_path / "some.yaml", str(tmp_path / "some.db")
    players = ", ".join(f"{{label: {bot}, bot: {bot}}}" for bot in bots)
    file.write_text(
        f"name: some\nmatches: {2 * seats}\ngames: [{{game: {game}, seats: {seats}}}]\nplayers: [{players}]\n"
    )
    assert invoke("run", str(file), "--db", db).status == 0
    (table,) = invoke("behaviour", "some", "--db", db, "--json").json["tables"]
    measures = {one["name"]: one for one in table["measures"]}
    assert {"wins", "place", "position_bias", "fallbacks"} <= set(measures)
    assert sum(row["part"] for row in measures["wins"]["rows"] if row["key"] is None) == pytest.approx(table["counted"])
    for one in measures.values():
        for row in one["rows"]:
            if one["unit"] == "share" and row["value"] is not None:
                assert 0 <= row["value"] <= 1
            if one["unit"] == "points":
                assert -100 <= row["value"] <= 100
    meant = {
        "so_long_sucker": {"donations_asked", "strikes_made", "turn_given", "messages", "pledges_broken"},
        "star_ludo": {"strikes_made", "first_strike"},
        "trap_race": set(),
        "twenty_one": set(),
    }
    assert meant.get(game, set()) <= set(measures)
    assert ("turn_given" in measures) == (game == "so_long_sucker")
    assert json.dumps(invoke("pledges", "some", "--db", db, "--json").json)
    (allied,) = invoke("behaviour", "some", "--db", db, "--alliances", "--json").json["tables"]
    assert {row["by"] for row in allied["rows"]} <= {"player", "seat"}
    assert (allied["note"] is None) == (seats > 2)


TWICE = """\
name: twice
matches: 2
games: [{game: star_ludo, seats: 2, options: {cap: 50}}, {game: star_ludo, seats: 2}]
players: [{label: a, bot: random}, {label: b, bot: casual}]
"""


def test_two_entries_of_one_game_are_told_apart(tmp_path: Path) -> None:
    db, file = str(tmp_path / "parley.db"), tmp_path / "twice.yaml"
    file.write_text(TWICE)
    assert invoke("run", str(file), "--db", db).status == 0
    for command in ("leaderboard", "behaviour", "pledges"):
        heads = [line for line in invoke(command, "twice", "--db", db).out.splitlines() if line.startswith("twice · ")]
        assert [line.split(", ")[0] for line in heads] == [
            f"twice · star_ludo (entry {number} of the file's games)" for number in (1, 2)
        ]
