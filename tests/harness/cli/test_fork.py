"""`parley fork` and `parley find` on the command line: what is said, what is refused, what stays harmless."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import time
from dataclasses import replace
from pathlib import Path

import pytest

from harness.cli.shadow import open_question
from harness.spec import Tournament
from harness.store import Store
from tests.harness.cli.calling import PATIENCE, command, environment, invoke, piped
from tests.harness.cli.hostile import SHOWN_TURNED, harmful
from tests.harness.forking import go, models, planned, steady
from tests.providers import Loopback
from tests.providers.fixtures import loopback as loopback


@pytest.fixture
def own(db: str, tmp_path: Path) -> str:
    """A copy of the played database, to write to."""
    path = str(tmp_path / "own.db")
    shutil.copy(db, path)
    return path


def test_a_fork_is_played_listed_and_told_from_where_it_comes(own: str) -> None:
    called = invoke("fork", "1", "--ply", "5", "--seat", "Red=bot:greedy", "--times", "2", "--db", own)
    assert called.status == 0, called.err
    assert "bots-fork-1-ply-5: 2 forks of match 1 of bots at ply 5" in called.out
    parent = invoke("show", "1", "--db", own, "--json").json
    before = {seat["seat"]: seat["label"] for seat in parent["seats"]}
    assert f"  red: greedy (before: {before['red']})" in called.out
    assert "bots-fork-1-ply-5: 2 of 2 matches finished" in called.out
    shown = invoke("show", "bots-fork-1-ply-5", "--db", own)
    assert "forked from match 1 at ply 5\n" in shown.out
    (listed,) = (run for run in invoke("runs", "--db", own, "--json").json if run["run"] != "bots")
    assert listed["forked_from"] == {"parents": [1, 1], "plies": [5, 5]}
    assert "match 1 at ply 5" in invoke("runs", "--db", own).out
    match = invoke("show", "5", "--db", own, "--json").json
    assert match["forked_from"] == {"match": 1, "run": "bots", "ply": 5, "seats": before}
    assert f"forked from match 1 at ply 5 (played before: red {before['red']}, " in invoke("show", "5", "--db", own).out
    assert invoke("verify", "bots-fork-1-ply-5", "--db", own).status == 0
    assert invoke("verify", "5", "--db", own).status == 0
    assert invoke("replay", "5", "--all", "--db", own).status == 0
    again = invoke("resume", "bots-fork-1-ply-5", "--db", own)
    assert (again.status, "nothing to play" in again.out) == (0, True)


def test_forks_are_no_part_of_the_leaderboard_unless_named(own: str) -> None:
    invoke("fork", "1", "--ply", "5", "--name", "other", "--db", own)
    everything = invoke("leaderboard", "--db", own)
    assert everything.out.startswith("bots · ")
    assert "other · " not in everything.out
    assert "Left out: 1 run of forks. Name one to see it: other" in everything.out
    named = invoke("leaderboard", "other", "--db", own)
    assert named.out.startswith("other · so_long_sucker, 4 seats · from forks · 1 match counted")
    assert [
        table["forks"] for table in invoke("leaderboard", "bots", "other", "--db", own, "--json").json["tables"]
    ] == [
        False,
        True,
    ]


def test_forks_of_one_match_are_one_pack_and_have_no_intervals(own: str) -> None:
    assert invoke("fork", "1", "--ply", "5", "--times", "21", "--name", "other", "--db", own).status == 0
    for view in ("behaviour", "pledges"):
        shown = invoke(view, "other", "--db", own).out
        assert shown.startswith("other · so_long_sucker, 4 seats · from forks · 21 matches counted in 1 pack\n")
        assert "[" not in shown
        assert "No intervals: they take at least 20 packs; all forks of one match are one pack." in shown
        tables = invoke(view, "bots", "other", "--db", own, "--json").json["tables"]
        assert [(table["forks"], table["packs"]) for table in tables] == [(False, 1), (True, 1)]
    assert invoke("leaderboard", "other", "--db", own, "--json").json["tables"][0]["packs"] == 1


@pytest.mark.parametrize(("bot", "alike"), [("banker", True), ("random", False)])
def test_forks_that_came_out_alike_are_told(own: str, bot: str, alike: bool) -> None:
    last = invoke("show", "1", "--db", own, "--json").json["turns"]
    ply = last - 1 if alike else 2
    seats = [part for seat in ("red", "blue", "green", "yellow") for part in ("--seat", f"{seat}=bot:{bot}")]
    called = invoke("fork", "1", "--ply", str(ply), *seats, "--times", "3", "--db", own)
    assert called.status == 0
    told = "all 3 came out alike: nothing in them is left to chance; --reseed draws chance anew"
    assert (told in " ".join(called.out.split())) is alike


def test_a_run_is_forked_wherever_something_happened(own: str) -> None:
    called = invoke("fork", "bots", "--where", "capture", "--db", own)
    assert called.status == 0, called.err
    with Store.open_readonly(own) as store:
        wanted = [
            (match.id, turn.ply - 1)
            for match in store.matches(1)
            for turn in store.turns(match.id or 0)
            if any(event["kind"] == "capture" for event in turn.events)
        ]
        assert [(match.parent_id, match.parent_ply) for match in store.matches(2)] == wanted
    assert f"bots-fork-capture: {len(wanted)} forks of " in called.out
    assert invoke("verify", "bots-fork-capture", "--db", own).status == 0


def test_where_and_ply_go_for_matches_and_runs(own: str) -> None:
    assert invoke("fork", "1", "--where", "capture", "--db", own).status == 0
    shorter = invoke("show", "bots", "--db", own, "--json").json["matches"]
    ply = sorted(match["turns"] for match in shorter)[1]
    called = invoke("fork", "bots", "--ply", str(ply), "--db", own)
    assert called.status == 0, called.err
    assert "Left out: ply: match " in called.out
    made = invoke("show", f"bots-fork-ply-{ply}", "--db", own, "--json").json["matches"]
    assert len(made) == sum(match["turns"] > ply for match in shorter)


def test_players_of_another_file_may_play_on(own: str, tmp_path: Path) -> None:
    file = tmp_path / "guests.yaml"
    file.write_text("players:\n  - {label: guest, bot: random}\n")
    called = invoke("fork", "2", "--ply", "3", "--players", str(file), "--seat", "blue=guest", "--db", own)
    assert called.status == 0, called.err
    assert "  blue: guest (before: " in called.out


@pytest.mark.parametrize(
    ("args", "wanted"),
    [
        (("1",), "fork: give --ply N, or --where KIND"),
        (("1", "--ply", "1", "--where", "capture"), "fork: give --ply N, or --where KIND"),
        (("1", "--ply", "999"), "ply: match 1 has plies 0 to "),
        (("1", "--ply", "-1"), "'-1' is not a whole number from 0"),
        (("99", "--ply", "1"), "no match '99' in "),
        (("nobody", "--ply", "1"), "no run named 'nobody' in "),
        (("bots", "--where", "captur"), "--where: no event of the kind 'captur' in bots; what happens there: "),
        (("1", "--ply", "1", "--seat", "red"), "--seat: 'red' is not SEAT=WHO, as red=bot:greedy"),
        (("1", "--ply", "1", "--seat", "red=a", "--seat", "RED=b"), "--seat: red is given twice"),
        (
            ("1", "--ply", "1", "--seat", "pink=greedy"),
            "seat: match 1 (so_long_sucker) has no seat 'pink'; it has red, ",
        ),
        (("1", "--ply", "1", "--seat", "red=nobody"), "seat red: no player has the label 'nobody'; there are greedy, "),
        (
            ("1", "--ply", "1", "--seat", "red=bot:alpha"),
            "seat red: so_long_sucker has no bot 'alpha'; it has random, ",
        ),
        (("1", "--ply", "1", "--name", "bots"), "name: there is a run 'bots' already"),
        (("1", "--ply", "1", "--name", "77"), "name: "),
        (("1", "--ply", "1", "--times", "0"), "'0' is not a whole number from 1"),
        (("1", "--ply", "1", "--players", "none.yaml"), "none.yaml: no such file"),
    ],
)
def test_bad_input_is_one_line_and_makes_nothing(own: str, args: tuple[str, ...], wanted: str) -> None:
    called = invoke("fork", *args, "--db", own)
    assert called.status == 2
    assert wanted in called.err
    assert called.err.count("\n") == 1
    with Store.open_readonly(own) as store:
        assert len(store.runs()) == 1


def test_a_position_where_the_match_is_over_is_refused(own: str) -> None:
    last = invoke("show", "1", "--db", own, "--json").json["turns"]
    called = invoke("fork", "1", "--ply", str(last), "--db", own)
    assert (called.status, f"match 1 is over at ply {last}" in called.err) == (2, True)


def test_a_model_that_cannot_be_asked_is_found_before_a_run_is_made(own: str, tmp_path: Path) -> None:
    file = tmp_path / "guests.yaml"
    file.write_text("players:\n  - {label: guest, model: openai/gpt-x, api_key_env: NO_SUCH_KEY, price: free}\n")
    called = invoke("fork", "1", "--ply", "3", "--players", str(file), "--seat", "red=guest", "--db", own)
    assert (called.status, "NO_SUCH_KEY" in called.err) == (2, True)
    with Store.open_readonly(own) as store:
        assert len(store.runs()) == 1


async def test_a_fork_that_was_killed_goes_on_and_asks_nothing_twice(
    loopback: Loopback, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOUSE_KEY", "sk-house-0123456789")
    loopback.always(steady)
    path = str(tmp_path / "parley.db")
    with Store.open(path) as store:
        await go(models("so_long_sucker", loopback), store)
    before = len(loopback.requests)
    loopback.always(lambda seen: replace(steady(seen), delay=0.02))
    arguments = command("fork", "1", "--ply", "8", "--seat", "red=bot:turncoat", "--name", "fork", "--db", path)
    killed = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment())
    end = time.monotonic() + PATIENCE * 2
    with Store.open_readonly(path) as store:
        while (match := store.match(2)) is None or match.plies < 11:
            assert killed.poll() is None, killed.stderr and killed.stderr.read()
            assert time.monotonic() < end
            await asyncio.sleep(0.01)
    killed.kill()
    killed.communicate()
    again = await asyncio.to_thread(piped, "resume", "fork", "--db", path)
    assert again.status == 0, again.err
    assert invoke("verify", "fork", "--db", path).status == 0
    with Store.open_readonly(path) as store:
        own = [call for call in store.calls(2) if call.kind != "copied"]
    places = [(call.seat, call.decision, call.attempt) for call in own]
    assert len(places) == len(set(places))
    # Three models are probed at each start; the one answer under way at the kill may have come to nothing.
    assert len(loopback.requests) - before - len(own) - 6 in (0, 1)


def test_a_person_takes_a_seat_over_and_sees_what_it_saw(own: str, tmp_path: Path) -> None:
    with Store.open(own) as store:
        guest = Tournament.from_json((store.run(1) or pytest.fail("no run")).spec).players[0]
        me = guest.model_copy(update={"label": "me", "bot": None, "human": True})
        turn = next(turn for turn in store.turns(1) if turn.ply > 8 and turn.decision > 2 and turn.talk is None)
        made = planned(store, [(1, turn.ply - 1)], seats={turn.seat: "me"}, players=[me])
        match = store.match(5)
        assert match is not None
        ask = asyncio.run(open_question(store, made.spec, made.run.name, match, turn.seat))
    assert ask is not None
    assert (ask.observation.seat, ask.observation.decision, ask.ply) == (turn.seat, turn.decision, turn.ply)
    assert turn.action in ask.shown
    assert len(ask.history) == turn.decision
    assert ask.observation.notes == "", "a bot's notes are of use to that bot alone"


def test_finding_names_match_ply_seat_and_player(db: str) -> None:
    hits = invoke("find", "bots", "--kind", "capture", "--db", db, "--json").json
    assert hits
    assert {(hit["what"], hit["kind"]) for hit in hits} == {("event", "capture")}
    first = hits[0]
    lines = invoke("find", "bots", "--kind", "capture", "--db", db).out.splitlines()
    assert lines[0] == (
        f"match {first['match']} ply {first['ply']} {first['seat']} ({first['label']}): capture: {first['text']}"
    )
    assert lines[-1].startswith(f"{len(hits)} hits. Look at one: ")
    few = invoke("find", "bots", "--kind", "capture", "--limit", "2", "--db", db).out.splitlines()
    assert few[:2] == lines[:2]
    assert few[2:] == ["The first 2 hits; --limit N shows more."]


def test_finding_in_messages_by_whom_and_to_whom(db: str) -> None:
    said = invoke("find", "bots", "--said-by", "banker", "--to", "all", "--db", db, "--json").json
    assert said
    assert {(hit["what"], hit["label"], hit["to"]) for hit in said} == {("message", "banker", "all")}
    word = said[0]["text"].split()[0]
    assert invoke("find", "bots", word.upper(), "--said-by", "banker", "--db", db, "--json").json[0] == said[0]


def test_finding_who_broke_a_pledge(db: str) -> None:
    made = invoke("find", "bots", "--what", "pledge", "--limit", "1000", "--db", db, "--json").json
    found = {
        verdict: invoke("find", "bots", "--verdict", verdict, "--limit", "1000", "--db", db, "--json").json
        for verdict in ("kept", "broken", "untested", "void")
    }
    assert sum(map(len, found.values())) == len(made) > 0
    assert all(hit["verdict"] == verdict for verdict, hits in found.items() for hit in hits)
    one = (found["broken"] + found["kept"])[0]
    args = ("--verdict", one["verdict"], "--by", one["label"], "--limit", "1", "--db", db)
    assert invoke("find", "bots", *args).out.startswith(
        f"match {one['match']} ply {one['ply']} {one['seat']} ({one['label']}): pledge {one['verdict']}: "
    )


@pytest.mark.parametrize(
    ("args", "wanted"),
    [
        (("bots",), "words: there are none; give some, or one of --by, --said-by, --to, "),
        (("bots", "x" * 100_000), "words: 100,000 letters; at most 200 can be looked for"),
        (("nobody", "x"), "no run named 'nobody'"),
        (("1", "x"), "find: 1 is the number of a match, and the name of a run is wanted; there are bots\n"),
        (("bots", "--by", ""), "by: '' is no seat and no player of this run; there are blue, green, "),
        (("bots", "--what", ""), "what: '' is none of message, "),
        (("bots", "--said-by", "pink"), "said-by: 'pink' is no seat and no player"),
        (("bots", "--source", "luck"), "source: 'luck' is none of player, forced, fallback, human"),
        (("bots", "--illegal", "--to", "red"), "illegal: nothing has that and to too"),
        (("bots", "--by", "pink"), "by: 'pink' is no seat and no player"),
        (("bots", "--verdict", "lost"), "verdict: 'lost' is none of kept, broken, untested, void"),
        (("bots", "--what", "move"), "what: 'move' is none of message, pledge, action, event, illegal"),
        (("bots", "--what", "action", "--verdict", "kept"), "verdict: nothing has that and what action too"),
        (("bots", "x", "--limit", "0"), "'0' is not a whole number from 1"),
    ],
)
def test_a_query_without_an_answer_is_one_line(db: str, args: tuple[str, ...], wanted: str) -> None:
    called = invoke("find", *args, "--db", db)
    assert (called.status, called.err.count("\n")) == (2, 1)
    assert wanted in called.err


def test_nothing_found_is_no_fault_and_names_what_there_is(db: str) -> None:
    called = invoke("find", "bots", "--kind", "captur", "--db", db)
    assert called.status == 0
    assert called.out.startswith("Nothing of that in bots. There are: ")
    assert " capture, " in called.out
    assert invoke("find", "bots", "nosuchword", "--db", db).out == "Nothing of that in bots.\n"


@pytest.mark.parametrize("args", [("promise",), ("--said-by", "red"), ("--action", "play"), ("--illegal",)])
def test_hostile_words_stay_letters_on_their_own_line(hostile: str, args: tuple[str, ...]) -> None:
    called = invoke("find", "[red]run[/]", *args, "--db", hostile)
    assert called.status == 0, called.err
    assert harmful(called.out) == []
    lines = called.out.splitlines()
    assert all(line.startswith("match ") for line in lines[:-1])
    told = invoke("find", "[red]run[/]", *args, "--db", hostile, "--json")
    assert told.out.isascii()
    assert len(told.json) == len(lines) - 1
    if args == ("promise",):
        assert SHOWN_TURNED in called.out


def test_the_help_is_quick_and_whole() -> None:
    for name in ("fork", "find"):
        called = piped(name, "--help")
        assert called.status == 0
        assert "--db URL" in called.out
    assert "\n    parley fork 12 --ply 30 --times 20\n" in piped("fork", "--help").out
