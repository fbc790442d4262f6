"""Runs into which players come later, runs of every shape, and all that is done with runs afterwards."""

from __future__ import annotations

import asyncio
import sqlite3
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from harness.leaderboard import leaderboard
from harness.spec import SpecError, Tournament, parse
from harness.store import Store
from harness.tournament import Control
from tests.harness.cli.calling import invoke
from tests.harness.watching import Watching
from tests.harness.whole_runs import go, log_of, verified
from tests.providers import Loopback
from tests.providers.fixtures import loopback as loopback

FILE = """
name: grown
matches: {matches}
parallel: 4
{keys}
games: [{{game: star_ludo, seats: 2, options: {{cap: 20}}}}]
players:
  - {{label: a, bot: casual}}
  - {{label: b, bot: random}}
  - {{label: c, bot: strategic}}
{more}
"""
D = "  - {label: d, bot: aggressive}\n"
E = "  - {label: e, bot: casual}\n"
KINDS = ["", "line_ups: all", "line_ups: sampled", "line_ups: self_play", "line_ups: {gauntlet: [b, c]}"]


def text(keys: str = "", more: str = "", matches: int = 12) -> str:
    return FILE.format(keys=keys, more=more, matches=matches)


def file(keys: str = "", more: str = "", matches: int = 12) -> Tournament:
    return parse(text(keys, more, matches), "grown.yaml")


def rows(database: str) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of matches and of what hangs on them, to the byte."""
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as raw:
        return {
            table: raw.execute(f"select * from {table} order by 1, 2, 3").fetchall()
            for table in ("match", "seat", "turn", "message", "call")
        }


@pytest.mark.parametrize("keys", KINDS)
@pytest.mark.parametrize("seating", ["rotate", "balanced", "random", "fixed"])
async def test_not_one_byte_that_was_there_changes(store: Store, database: str, keys: str, seating: str) -> None:
    keys = f"{keys}\nseating: {seating}\nreplicates: 2"
    first, _ = await go(file(keys), store)
    before = rows(database)
    grown, progress = await go(file(keys, D), store, add_player=True)
    assert (grown.run_id, grown.status) == (first.run_id, "finished")
    assert grown.played == sum(grown.counts.values()) - sum(first.counts.values()) > 0
    after = rows(database)
    for table, was in before.items():
        assert [row for row in after[table] if row in was] == was
    assert progress.begun[0][1:] == (sum(grown.counts.values()), sum(first.counts.values()))
    # The flag is not needed any more, more matches and another player are taken in, and all of it verifies.
    again, _ = await go(file(keys, D), store)
    assert again.status == "nothing"
    more, _ = await go(file(keys, D, matches=24), store)
    last, _ = await go(file(keys, E + D, matches=24), store, add_player=True)
    assert more.played > 0
    assert last.played > 0
    verified(store, last.run_id)
    shown = invoke("verify", "grown", "--db", database)
    assert (shown.status, "equals the log's" in shown.out) == (0, True), shown.out
    assert {stat.label for stat in store.seat_stats([last.run_id])} == set("abcde")


async def test_without_the_flag_a_further_player_is_refused(store: Store) -> None:
    await go(file(), store)
    with pytest.raises(SpecError) as refused:
        await go(file("", D + E), store)
    assert str(refused.value) == (
        "players: the run 'grown' was begun without d, e; --add-player brings them in; "
        "or use --fresh to start a new run beside it, or give the file another name"
    )
    with pytest.raises(SpecError, match="name: there is no run 'other' to add a player to"):
        await go(file().with_overrides(name="other"), store, add_player=True)
    assert store.run("other") is None


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("  - {label: b, bot: random}\n", "", r"players: 3 in the run, 2 now \(without b\)"),
        ("bot: strategic", "bot: casual", r"players\[2\]\.bot: \"strategic\" in the run"),
    ],
)
async def test_players_who_went_or_changed_are_refused_by_name(store: Store, old: str, new: str, line: str) -> None:
    await go(file(), store)
    with pytest.raises(SpecError, match=line):
        await go(parse(text("", D).replace(old, new), "grown.yaml"), store, add_player=True)


async def test_a_model_joins_with_limits_and_a_budget_of_its_own(
    store: Store, loopback: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOUSE_KEY", "sk-house-0123456789")
    await go(file(matches=2), store)
    model = f"  - {{label: m, model: openai/any, api_base: {loopback.api_base}, api_key_env: HOUSE_KEY, price: free}}\n"
    keys = "limits: {m: {rpm: 100000}}\nbudget: {per_player: {m: {tokens: 9000000}}}"
    grown, _ = await go(file(keys, model, matches=2), store, add_player=True)
    assert grown.status == "finished"
    assert loopback.requests
    assert any(stat.label == "m" for stat in store.seat_stats([grown.run_id]))


async def test_a_larger_table_is_not_slipped_in_with_a_player(store: Store) -> None:
    def open_seats(more: str) -> Tournament:
        return parse(text("", more).replace("seats: 2, ", ""), "grown.yaml")

    await go(open_seats(""), store)
    with pytest.raises(SpecError, match=r"games\[0\]\.seats: 3 in the run, 4 now \(to keep them, write them into"):
        await go(open_seats(D), store, add_player=True)
    kept = parse(text("", D).replace("seats: 2", "seats: 3"), "grown.yaml")
    assert (await go(kept, store, add_player=True))[0].status == "finished"


def test_on_the_command_line(tmp_path: Path, database: str) -> None:
    path = tmp_path / "grown.yaml"
    path.write_text(text())
    assert invoke("run", str(path), "--add-player", "--db", database).err == (
        "parley: name: there is no run 'grown' to add a player to; leave --add-player out to begin it\n"
    )
    assert invoke("run", str(path), "--db", database).status == 0
    assert "for nobody new." in invoke("check", str(path), "--add-player", "--db", database).out
    path.write_text(text("", D))
    refused = invoke("run", str(path), "--db", database)
    assert (refused.status, refused.err.count("\n")) == (2, 1)
    assert "--add-player brings them in" in refused.err
    gain = "grown gains 12 matches by --add-player, for d."
    looked = invoke("check", str(path), "--add-player", "--db", database)
    assert (looked.status, looked.out.splitlines()[-1]) == (0, gain)
    told = invoke("check", str(path), "--add-player", "--json", "--db", database).json
    assert told["gains"] == {"matches": 12, "players": ["d"]}
    assert len(rows(database)["match"]) == 12
    grown = invoke("run", str(path), "--add-player", "--db", database)
    assert grown.status == 0
    assert grown.out.splitlines()[0] == gain
    assert "grown: 24 matches, 12 of them finished before\n" in grown.out
    assert "nothing to play" in invoke("run", str(path), "--db", database).out
    assert "added later: d" in invoke("show", "grown", "--db", database).out
    stored = invoke("show", "grown", "--json", "--db", database).json["settings"]["added"]
    assert stored == [{"players": ["d"], "after": 12}]


async def test_it_is_stopped_and_gone_on_with_like_any_run(tmp_path: Path) -> None:
    with Store.open(str(tmp_path / "whole.db")) as whole:
        await go(file(), whole)
        found, _ = await go(file("", D), whole, add_player=True)
        wanted = log_of(whole, found.run_id)
    with Store.open(str(tmp_path / "stopped.db")) as store:
        control = Control()
        await go(file(), store, control=control, progress=Watching(on_turn=lambda *_: control.stop.set()))
        control = Control()
        stop = Watching(on_turn=lambda *_: control.stop.set())
        half, _ = await go(file("", D), store, add_player=True, control=control, progress=stop)
        assert half.status == "paused"
        last, _ = await go(file("", D), store)
        assert last.status == "finished"
        assert log_of(store, last.run_id) == wanted


async def test_luck_cancels_the_new_one_sits_in_the_others_places_on_their_seeds(store: Store) -> None:
    first, _ = await go(file(matches=6), store)
    await go(file("", D, matches=6), store, add_player=True)
    matches = store.matches(first.run_id)
    old, new = matches[:6], matches[6:]
    there = {(match.seed, tuple(seat.label for seat in match.seats)) for match in old}
    for match in new:
        labels = tuple(seat.label for seat in match.seats)
        assert "d" in labels
        assert any(
            match.seed == seed and sum(one != other for one, other in zip(labels, before, strict=True)) == 1
            for seed, before in there
        )


async def test_bots_draw_anew_in_every_replicate(store: Store) -> None:
    result, _ = await go(file("replicates: 3\nseating: fixed", matches=3), store)
    logs = log_of(store, result.run_id)
    by_start: dict[Any, list[Any]] = {}
    for number, seed, _, turns, _ in logs:
        seats = tuple(seat.label for seat in store.matches(result.run_id)[number].seats)
        by_start.setdefault((seed, seats), []).append([turn["action"] for turn in turns])
    for played in by_start.values():
        assert len(played) == 3
        assert len({tuple(actions) for actions in played}) > 1


@pytest.mark.parametrize("keys", [*KINDS[3:], "replicates: 2", "line_ups: all", "until: {apart: [a, b], at_most: 150}"])
def test_forks_of_a_run_of_any_shape_are_forks(store: Store, database: str, keys: str) -> None:
    matches = "" if "until" in keys else "matches: 4"
    spec = parse(text(keys).replace("matches: 12", matches), "grown.yaml")
    asyncio.run(go(spec, store))
    if "until" not in keys:
        asyncio.run(go(parse(text(keys, D).replace("matches: 12", matches), "grown.yaml"), store, add_player=True))
    forked = invoke("fork", "grown", "--ply", "2", "--name", "forks", "--db", database)
    assert forked.status == 0, forked.err
    for command in ("resume", "verify"):
        assert invoke(command, "forks", "--db", database).status == 0
    (table,) = invoke("leaderboard", "forks", "--db", database, "--json").json["tables"]
    assert (table["forks"], table["self_play"], table["stopping"]) == (True, False, None)
    assert {row["rank"] for row in table["rows"]} == {None}


async def test_what_is_taken_away_or_void_is_told(store: Store, database: str) -> None:
    result, _ = await go(file(), store)
    await go(file("", D), store, add_player=True)
    matches = store.matches(result.run_id)
    new = matches[-1]
    assert invoke("void", str(new.id), "--why", "a test", "--db", database).status == 0
    (table,) = leaderboard(store.seat_stats([result.run_id])).tables
    assert table.packs_incomplete == 1
    assert invoke("verify", "grown", "--db", database).status == 0
    assert invoke("rm", "grown", "--yes", "--db", database).status == 0
    assert store.run("grown") is None


async def test_self_play_rates_seats_and_nobody(store: Store) -> None:
    result, _ = await go(file("line_ups: self_play", matches=90), store)
    (table,) = leaderboard(store.seat_stats([result.run_id])).tables
    assert table.self_play
    assert table.not_comparable is None
    assert (table.packs, table.matches["counted"]) == (30, 90)
    for row in table.rows:
        assert (row.matches, row.packs, row.started) == (30, 30, 30)
        assert (row.rank, row.win_rate, row.mean_place, row.probability, row.strength) == (None,) * 5
    seats = table.ratings.main.seats
    assert sum(seat.win_share for seat in seats) == pytest.approx(1)
    assert all(seat.win_interval is not None and seat.effect is not None for seat in seats)
    assert not table.ratings.main.pairs
    shown = invoke("leaderboard", "grown", "--db", store.where)
    assert "Self-play: one player in all seats of a match. Nobody is rated" in shown.out
    assert "Not comparable" not in shown.out


async def test_self_play_is_never_pooled_with_other_matches(store: Store) -> None:
    await go(file("line_ups: self_play", matches=6).with_overrides(name="alone"), store)
    await go(file(matches=6).with_overrides(name="together"), store)
    stats = store.seat_stats([1, 2])
    tables = leaderboard(stats, pool=True).tables
    assert [(table.run, table.self_play) for table in tables] == [("together", False), ("alone", True)]
    counted = Counter(stat.run for stat in stats)
    assert set(counted) == {"alone", "together"}


GAMES = {
    "so_long_sucker": ("{game: so_long_sucker, options: {chips: 1}}", ["greedy", "banker", "random", "turncoat"]),
    "twenty_one": ("{game: twenty_one}", ["greedy", "random", "sampler", "random"]),
    "star_ludo": ("{game: star_ludo, seats: 3, options: {cap: 20}}", ["casual", "random", "alpha", "beta"]),
    "trap_race": ("{game: trap_race, start: last_five, options: {cap: 6}}", ["forward", "normal", "forward", "normal"]),
}


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("shape", ["all", "sampled", "self_play", "gauntlet"])
async def test_every_game_in_every_shape(store: Store, game: str, shape: str) -> None:
    entry, bots = GAMES[game]
    labels = [f"p{number}" for number in range(len(bots))]
    players = [f"  - {{label: {label}, bot: {bot}}}" for label, bot in zip(labels, bots, strict=True)]
    line_ups = "{gauntlet: [p1, p2, p3]}" if shape == "gauntlet" else shape
    head = f"name: {game}\nreplicates: 2\nline_ups: {line_ups}\nmatches: 2\ntalk: off\ngames: [{entry}]\nplayers:\n"
    first, _ = await go(parse(head + "\n".join(players), "x.yaml"), store)
    assert first.status == "finished"
    players.insert(0, f"  - {{label: new, bot: {bots[0]}}}")
    last, _ = await go(parse(head + "\n".join(players), "x.yaml"), store, add_player=True)
    assert last.status == "finished"
    assert last.played > 0
    verified(store, last.run_id)
    assert invoke("verify", game, "--db", store.where).status == 0
