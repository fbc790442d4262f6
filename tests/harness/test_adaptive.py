"""Runs that stop once two players are told apart: at the looks, from whole packs, the same after a crash."""

from __future__ import annotations

import random
import re
import sqlite3
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.adaptive import begun, further, looks, stopped, stoppings, why_it_stands
from harness.leaderboard import leaderboard
from harness.ratings.stopping import told_apart
from harness.records import MatchRecord, SeatStats
from harness.runs import made_ready
from harness.schedule import schedule
from harness.spec import SpecError, Tournament, parse, stored
from harness.store import Store, new_owner
from harness.tournament import Control, run
from harness.views.results import Pooled
from harness.views.tables import source_lines
from tests.harness.cli.calling import PATIENCE, invoke
from tests.harness.store.samples import run_of
from tests.harness.test_killed import kill_within, start, turns_in
from tests.harness.test_leaderboard import ZERO
from tests.harness.watching import Watching
from tests.harness.whole_runs import go, log_of, verified

APART = """
name: until
parallel: 40
until: {apart: [strong, weak], at_most: 200}
games: [{game: star_ludo, seats: 2, options: {cap: 120}}]
players:
  - {label: strong, bot: casual}
  - {label: weak, bot: random}
"""
EQUAL = APART.replace("casual", "random").replace("at_most: 200", "at_most: 60")


def plan_of(text: str) -> Tournament:
    return parse(text, "until.yaml")


async def test_two_of_clearly_different_strength_are_told_apart_early(store: Store) -> None:
    result, progress = await go(plan_of(APART), store)
    assert result.status == "finished"
    packs = looks(plan_of(APART), 0).plan.looks
    played = sum(result.counts.values())
    assert played // 2 in packs[:3]
    assert result.counts == {"finished": played}
    told = re.fullmatch(
        r"strong and weak told apart after (\d+) packs: difference of strengths \(log odds\) (\S+) \[(\S+), (\S+)\]",
        result.why or "",
    )
    assert told is not None
    assert int(told[1]) * 2 == played
    assert 0 < float(told[3]) < float(told[2]) < float(told[4])
    found = store.run("until")
    assert found is not None
    assert (found.status, found.why) == ("finished", result.why)
    # 40 at once, but never a match beyond the look.
    assert progress.begun[0] == ("until", 40, 0)
    verified(store, result.run_id)


async def test_two_alike_are_played_to_the_end(store: Store) -> None:
    result, progress = await go(plan_of(EQUAL), store)
    assert result.status == "finished"
    assert result.counts == {"finished": 60}
    assert re.match(
        r"strong and weak not told apart in 60 matches: difference of strengths \(log odds\) -?\d\.\d\d \[-",
        result.why or "",
    )
    at = looks(plan_of(EQUAL), 0).plan.looks
    assert [total for _, total, _ in progress.begun] == [2 * look for look in at]
    assert [done for _, _, done in progress.begun] == [0, *(2 * look for look in at[:-1])]
    assert sum("up to the next look" in note for note in progress.notes) == len(at) - 1
    again, _ = await go(plan_of(EQUAL), store)
    assert (again.status, again.played, again.why) == ("nothing", 0, result.why)


async def test_stopped_in_the_middle_it_comes_to_the_same(tmp_path: Path) -> None:
    with Store.open(str(tmp_path / "whole.db")) as whole:
        result, _ = await go(plan_of(EQUAL), whole)
        wanted = log_of(whole, result.run_id)
    with Store.open(str(tmp_path / "stopped.db")) as store:
        for turns in (150, 2500, 5000):
            control = Control()
            left = [turns]

            def stop(*_: Any, left: list[int] = left, control: Control = control) -> None:
                left[0] -= 1
                if left[0] == 0:
                    control.stop.set()

            paused, _ = await go(plan_of(EQUAL), store, control=control, progress=Watching(on_turn=stop))
            assert paused.status == "paused"
            assert "keep the next look waiting" in (paused.why or "")
        found, _ = await go(plan_of(EQUAL), store)
        assert (found.status, found.why) == ("finished", result.why)
        assert log_of(store, found.run_id) == wanted


async def test_stopped_between_two_looks_it_goes_on(store: Store) -> None:
    control = Control()

    class AtTheLook(Watching):
        def match_ended(self, match: MatchRecord, status: str, why: str | None) -> None:
            super().match_ended(match, status, why)
            if len(self.ended) == 40:
                control.stop.set()

    first, _ = await go(plan_of(EQUAL), store, control=control, progress=AtTheLook())
    assert (first.status, first.counts) == ("paused", {"finished": 40})
    assert "before the next look (strong and weak not told apart after 20 packs" in (first.why or "")
    again, progress = await go(plan_of(EQUAL), store)
    assert again.counts == {"finished": 60}
    assert progress.begun[0][2] == 40


async def test_a_paused_match_keeps_the_look_waiting(store: Store, database: str) -> None:
    def mark(value: str | None) -> None:
        with sqlite3.connect(database) as raw:
            raw.execute("update match set start_hash = ? where number = 7", (value,))

    class Damaging(Watching):
        def started(self, run: str, total: int, done: int) -> None:
            super().started(run, total, done)
            mark("another")

    first, _ = await go(plan_of(APART), store, progress=Damaging())
    assert first.status == "paused"
    assert first.counts == {"finished": 39, "paused": 1}
    assert "packs that are not whole keep the next look waiting (strong and weak: first look after 20 packs)" in (
        first.why or ""
    )
    mark(None)
    again, progress = await go(plan_of(APART), store)
    assert again.status == "finished"
    assert progress.begun[0] == ("until", 40, 39)
    assert "told apart after" in (again.why or "")


async def test_a_void_match_leaves_its_pack_whole(store: Store) -> None:
    class Voiding(Watching):
        def started(self, run: str, total: int, done: int) -> None:
            super().started(run, total, done)
            if total == 40:
                store.set_match(7, "void", "by hand").result()

    result, _ = await go(plan_of(APART), store, progress=Voiding())
    assert result.status == "finished"
    assert result.counts["void"] == 1
    assert "told apart after" in (result.why or "")


def test_killed_at_any_instant_it_decides_the_same(tmp_path: Path) -> None:
    path = tmp_path / "until.yaml"
    path.write_text(EQUAL)
    whole, db = tmp_path / "whole.db", tmp_path / "killed.db"
    done = start("run", str(path), "--db", str(whole))
    _, err = done.communicate(timeout=PATIENCE * 10)
    assert done.returncode == 0, err
    all_turns = turns_in(whole)
    rng = random.Random(3)
    for _ in range(3):
        kill_within(start("run", str(path), "--db", str(db)), db, rng.randint(1, all_turns // 5), rng.random() * 0.02)
    last = start("run", str(path), "--db", str(db))
    _, err = last.communicate(timeout=PATIENCE * 10)
    assert last.returncode == 0, err
    with Store.open(str(whole)) as one, Store.open(str(db)) as other:
        assert log_of(one, 1) == log_of(other, 1)
        runs = [opened.run("until") for opened in (one, other)]
    assert runs[0] is not None
    assert runs[1] is not None
    assert runs[0].why == runs[1].why
    assert runs[0].spec == runs[1].spec
    assert invoke("verify", "until", "--db", str(db)).status == 0


async def test_whoever_else_goes_on_at_a_look_is_left_alone(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    other = new_owner()

    async def made_ready_then_taken(*given: Any) -> Any:
        found = await made_ready(*given)
        if len(found[1]) > 40:
            assert await store.claim_run(1, other) is None
        return found

    monkeypatch.setattr("harness.session.made_ready", made_ready_then_taken)
    result, _ = await go(plan_of(EQUAL), store)
    assert (result.status, result.played) == ("taken", 40)
    record = store.run("until")
    assert record is not None
    assert record.status == "running", "it is the other's to say how it ends"
    assert store.holders() == {1: other}


async def test_a_pause_asked_for_at_a_look_is_heard(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    async def made_ready_then_paused(*given: Any) -> Any:
        found = await made_ready(*given)
        if len(found[1]) > 40:
            await store.ask_pause(1)
        return found

    monkeypatch.setattr("harness.session.made_ready", made_ready_then_paused)
    result, _ = await go(plan_of(EQUAL), store)
    assert (result.status, result.played) == ("paused", 40)
    assert (result.why or "").startswith("`parley pause` asked for it; ")


async def test_each_game_stops_by_itself(store: Store) -> None:
    text = APART.replace(
        "options: {cap: 120}}", "options: {cap: 120}}, {game: star_ludo, seats: 2, options: {cap: 8}}"
    ).replace("at_most: 200", "at_most: 60")
    result, _ = await go(plan_of(text), store)
    assert result.status == "finished"
    by_game = Counter(match.game_index for match in store.matches(result.run_id))
    assert by_game[0] < by_game[1] == 60
    assert re.match(
        r"games\[0\] star_ludo: .* told apart after .*; games\[1\] star_ludo: .* not told", result.why or ""
    )
    numbers = [match.number for match in store.matches(result.run_id)]
    assert numbers == list(range(len(numbers)))
    assert invoke("verify", "until", "--db", store.where).status == 0


async def test_the_file_may_not_change_how_it_stops(store: Store) -> None:
    await go(plan_of(APART), store)
    with pytest.raises(SpecError, match=r"until\.at_most: 200 in the run, 300 now"):
        await go(plan_of(APART.replace("200", "300")), store)


async def test_a_player_who_changed_is_not_decided_on(store: Store, database: str) -> None:
    control = Control()
    await go(plan_of(APART), store, control=control, progress=Watching(on_turn=lambda *_: control.stop.set()))
    with sqlite3.connect(database) as raw:
        raw.execute("update seat set identity = 'another' where label = 'weak'")
        raw.execute("update match set status = 'void'")
    with pytest.raises(SpecError, match="'weak' is no longer the one"):
        await go(plan_of(APART), store)


async def test_resume_goes_on_from_the_database_alone(store: Store) -> None:
    control = Control()
    await go(plan_of(EQUAL), store, control=control, progress=Watching(on_turn=lambda *_: control.stop.set()))
    record = store.run("until")
    assert record is not None
    result = await run(stored(record.spec, "until"), store, progress=Watching())
    assert result.counts == {"finished": 60}


async def test_the_leaderboard_has_the_interval_that_holds_under_stopping(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "400")
    result, _ = await go(plan_of(APART), store)
    stats = store.seat_stats([result.run_id])
    record = store.run("until")
    assert record is not None
    (plain,) = leaderboard(stats).tables
    (table,) = leaderboard(stats, runs=[record]).tables
    (stand,) = stoppings(stored(record.spec, "until"), stats)
    (usual,), (pair,) = plain.ratings.main.pairs, table.ratings.main.pairs
    assert usual.p is not None
    assert not usual.by_looks
    assert pair.by_looks
    assert pair.apart
    assert pair.p is None
    assert pair.win_odds_interval == stand.verdict.interval
    assert pair.win_odds_interval != usual.win_odds_interval
    assert table.stopping == stand
    assert stand.line() == result.why
    told = leaderboard(stats, runs=[record]).to_json()["tables"][0]
    assert told["stopping"]["line"] == result.why
    shown = invoke("leaderboard", "until", "--head-to-head", "--db", store.where)
    assert f"Judged between packs, as the run's `until` asks: {result.why}." in shown.out

    # Alone it stays what it is, asked to be pooled or not.
    assert leaderboard(stats, pool=True, runs=[record]).to_json()["tables"] == [told]


async def test_runs_that_stop_by_looks_are_marked_where_they_are_pooled(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "400")
    result, _ = await go(plan_of(APART), store)
    plain = APART.replace("until: {apart: [strong, weak], at_most: 200}", "matches: 40\nseed: 5")
    other, _ = await go(plan_of(plain.replace("name: until", "name: plain")), store)
    stats = store.seat_stats([result.run_id, other.run_id])
    (unknown,) = leaderboard(stats, pool=True).tables
    (table,) = leaderboard(stats, pool=True, runs=store.runs()).tables
    (stand,) = stoppings(stored(store.runs()[0].spec, "until"), store.seat_stats([result.run_id]))
    assert [(one.run, one.stopping) for one in table.pooled_stopping] == [("until", stand)]
    assert table.stopping is None
    # The pair is not judged by figures that take the last look for the only one, and so nobody's rank is.
    (usual,), (pair,) = unknown.ratings.main.pairs, table.ratings.main.pairs
    assert (usual.apart, usual.by_looks) == (True, False)
    assert (pair.apart, pair.p, pair.p_corrected, pair.win_odds_interval, pair.by_looks) == (
        (False, None, None, None, True)
    )
    assert pair.win_odds == usual.win_odds
    assert [row.ranks for row in table.rows] == [None, None]
    told = leaderboard(stats, pool=True, runs=store.runs()).to_json()["tables"][0]["pooled_stopping"]
    assert [(one["run"], one["first"], one["second"], one["line"]) for one in told] == [
        ("until", "strong", "weak", result.why)
    ]
    line = f"Pooled with looks, as `until` asks (until: {result.why}). "
    for view in ((), ("--head-to-head",)):
        shown = invoke("leaderboard", "--pool", *view, "--db", store.where).out
        assert line in shown
        assert "the intervals of strong, weak do not hold here" in shown
    # The pages have it from the same place.
    pooled = Pooled(store, store.runs())
    assert [one for one in source_lines(pooled.leaderboard.tables[0]) if one.startswith(line)] != []
    # No other table is marked.
    (alone,) = leaderboard(store.seat_stats([other.run_id]), runs=store.runs()).tables
    assert (alone.stopping, alone.pooled_stopping) == (None, ())


# --- the scheduler itself, on matches that nobody plays


def seats_of(match: MatchRecord, winner: str, **keys: Any) -> list[SeatStats]:
    labels = [seat.label for seat in match.seats]
    assert winner in labels
    return [
        SeatStats(
            **{
                **ZERO,
                "game": match.game,
                "match_id": match.number,
                "number": match.number,
                "pack": match.pack,
                "seat": seat.seat,
                "seats": len(labels),
                "label": seat.label,
                "identity": seat.label,
                "place": 1 if seat.label == winner else 2,
                "winners": 1,
                **keys,
            }
        )
        for seat in match.seats
    ]


def simulated(spec: Tournament, wins: Callable[[MatchRecord], str]) -> tuple[Tournament, list[SeatStats]]:
    """What a run of the file comes to, made ready from look to look as a run is."""
    now, stats = begun(spec), list[SeatStats]()
    while True:
        played = {stat.number for stat in stats}
        for match in schedule(now, lambda *_: ""):
            if match.number not in played:
                stats += seats_of(match, wins(match))
        wider = further(now, stats)
        if wider is None:
            return now, stats
        now = wider


THREE = """
name: three
until: {apart: [a, b], at_most: %d}
games: [{game: star_ludo, seats: 3}]
players: [{label: a, bot: casual}, {label: b, bot: random}, {label: c, bot: random}]
"""


def test_it_stops_at_looks_alone_and_just_where_they_say() -> None:
    spec = plan_of(THREE % 180)
    where = looks(spec, 0)
    ended: Counter[int] = Counter()
    for seed in range(40):
        random_ = random.Random(seed)
        odds = random_.choice([1.0, 1.6, 2.5])

        def wins(match: MatchRecord, random_: random.Random = random_, odds: float = odds) -> str:
            labels = [seat.label for seat in match.seats]
            return random_.choices(labels, [odds if label == "a" else 1 for label in labels])[0]

        ready, stats = simulated(spec, wins)
        packs = len({stat.pack for stat in stats})
        assert packs in where.plan.looks
        assert len(stats) == 3 * 3 * packs
        verdict = told_apart(stats, "a", "b", where.plan)
        assert verdict.stop
        assert verdict.packs == packs
        # One look earlier it was not decided, and between looks nobody asks.
        earlier = max((look for look in where.plan.looks if look < packs), default=0)
        if earlier:
            before = [stat for stat in stats if stat.pack < earlier]
            assert not told_apart(before, "a", "b", where.plan).stop
        assert ready.until is not None
        assert where.plan.looks[(ready.until.ready or (0,))[0] - 1] == packs
        line = why_it_stands(ready, stats) or ""
        assert (" not told apart in 180 matches" in line) == (not verdict.apart)
        ended[packs] += 1
    assert len(ended) > 2


def test_an_open_match_makes_nothing_ready() -> None:
    spec = begun(plan_of(THREE % 180))
    stats = [one for match in schedule(spec, lambda *_: "") for one in seats_of(match, "a")]
    assert further(spec, stats) is None, "told apart at once"
    flat = [one for match in schedule(spec, lambda *_: "") for one in seats_of(match, match.seats[0].label)]
    assert further(spec, flat) is not None
    for status in ("queued", "running", "paused"):
        assert further(spec, [*flat[:-3], *(one.model_copy(update={"status": status}) for one in flat[-3:])]) is None
    for change in ({"status": "void"}, {"reason": "forfeit"}):
        assert further(spec, [*flat[:-3], *(one.model_copy(update=change) for one in flat[-3:])]) is not None


def test_a_match_of_a_game_that_the_file_does_not_have_is_in_the_way_of_its_run_alone() -> None:
    spec = plan_of(THREE % 180)
    stats = [one for match in schedule(spec, lambda *_: "") for one in seats_of(match, "a")]
    stats = [one.model_copy(update={"run": spec.name}) for one in stats]
    stray = stats[0].model_copy(update={"game_index": 1, "number": 180, "match_id": 181})
    with pytest.raises(SpecError, match=r"^games\[1\]: match 180 is of it, and the file does not have it$"):
        stoppings(spec, [*stats, stray])
    run = run_of(spec.name, spec=spec.to_json())
    assert stopped([run], [*stats, stray]) == {}
    assert set(stopped([run], stats)) == {(spec.name, 0)}


def test_a_stored_run_is_planned_up_to_its_looks() -> None:
    spec = plan_of(THREE % 180)
    whole = schedule(spec)
    assert len(whole) == 180
    first = schedule(begun(spec))
    assert first == whole[: len(first)]
    assert len(first) == 60
    again = Tournament.from_json(begun(spec).to_json())
    assert schedule(again) == first
