"""What the pages are given, without a browser."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from dashboard.app import app
from dashboard.bundle import boards, player, runs
from dashboard.data import SHEET, STATUSES, Query, listing, listing_text, open_store, replay, title
from games import GAMES, get_game
from games.api import Json
from harness import export
from harness.export import as_shown
from harness.records import CallRecord, MatchRecord, SeatRecord
from harness.replay import BrokenLog, build
from harness.store import Store, StoreError, new_owner
from harness.telling import standing
from tests.dashboard.conftest import Database
from tests.dashboard.records import IMAGE, NOW, Written, match_record, run_record

LABELS = ("one", "two", "three", "four")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.open(tmp_path / "parley.db")


def test_a_query_takes_only_what_makes_sense() -> None:
    assert Query.read({}) == Query()
    wanted = {"run": "3", "text": "a" * 500, "status": "paused", "sheet": 2}
    assert Query.read(wanted) == Query(3, "a" * 200, "paused", 2)
    assert Query.read({"run": "-1", "status": "<b>", "sheet": "1e9", "text": None}) == Query(name="-1")
    assert Query.read({"run": "9" * 30, "sheet": "٣"}) == Query(name="9" * 30)


def shown_by(store: Store, query: Query) -> Json:
    """The listing of a database that has runs."""
    shown = listing(store, query)
    assert shown is not None
    return shown


def test_listing_pages_filters_and_counts(store: Store) -> None:
    assert listing(store, Query()) is None
    first = store.create_run(run_record("first"), [match_record(number, LABELS) for number in range(60)]).result()
    store.create_run(run_record("second"), ()).result()
    ids = [match.id or 0 for match in store.matches(first)]
    store.set_match(ids[0], "paused", "no connection").result()
    newest = shown_by(store, Query())
    assert [run["name"] for run in newest["runs"]] == ["second", "first"]
    assert newest["run"] != first
    shown = shown_by(store, Query(run=first))["matches"]
    assert [row["id"] for row in shown["rows"]] == ids[:SHEET]
    assert shown["counts"]["queued"] == 59
    assert (shown["sheet"], shown["sheets"], shown["shown"]) == (0, 3, 60)
    last = shown_by(store, Query(run=first, sheet=99))["matches"]
    assert [row["id"] for row in last["rows"]] == ids[50:]
    assert last["sheet"] == 2
    paused = shown_by(store, Query(run=first, status="paused"))["matches"]
    assert [(row["id"], row["why"]) for row in paused["rows"]] == [(ids[0], "no connection")]
    assert paused["counts"]["queued"] == 59, "the other counts stand where they were"
    assert shown_by(store, Query(run=first, text="CONNECTION Two"))["matches"]["shown"] == 1
    assert shown_by(store, Query(run=first, text="nobody"))["matches"]["rows"] == []


def test_what_nobody_plays_is_stopped_and_an_unknown_cost_is_told(store: Store) -> None:
    run = store.create_run(run_record("r"), [match_record(number, LABELS) for number in range(2)]).result()
    store.claim_run(run, "elsewhere", 0.0).result()
    match = store.matches(run)[0].id or 0
    store.set_match(match, "running").result()
    shown = shown_by(store, Query(status="stopped"))
    assert shown["runs"][0]["status"] == "stopped"
    assert [row["id"] for row in shown["matches"]["rows"]] == [match]
    assert shown["matches"]["counts"]["running"] == 0
    store.add_call(
        CallRecord(run_id=run, match_id=match, label="one", seat="red", model="openai/any", cost=None, started_at=NOW)
    ).result()
    assert shown_by(store, Query())["runs"][0]["unpriced"] == 1


def holds(match: MatchRecord, status: str, word: str) -> bool:
    """Whether a row of the list shows a word, case aside, or the address of its game does."""
    seats = (f"{one.seat} {one.label} {one.model or ''} {one.persona or ''}" for one in match.seats)
    winners = " ".join((match.outcome or {}).get("winners", ()))
    shown = f"#{match.id} {title(match.game)} {match.game} {status} {match.why or ''} {winners} {' '.join(seats)}"
    return word.casefold() in shown.casefold()


def test_the_filter_finds_what_a_row_shows_and_nothing_else(store: Store) -> None:
    labels = [("Anna", "b%b", "c_c", "four"), ("anna lee", "b/b", f"c{IMAGE}", "stop'd"), ("Örjan", "b\\b", "x", "NO")]
    records = [match_record(number, labels[number % 3]) for number in range(18)]
    run = store.create_run(run_record("r"), records).result()
    matches = store.matches(run)
    for match in matches[:3]:
        Written(store, match).to_end()
    for match in matches[3:6]:
        store.set_match(match.id or 0, "paused", "No answer: 100% of it").result()
    for match in matches[6:9]:
        Written(store, match).turn()
    store.set_match(matches[9].id or 0, "void", "the power failed").result()
    words = (
        *("anna", "ANNA", "lee", "örjan", "Ö", "%", "_", "/", "\\", "b%b", "c_c", "'", "<img", "x'; DROP TABLE match"),
        *("#1", "1", "#", "#99", "stop", "stopped", "run", "running", "paused", "finish", "queued", "void", "power"),
        *("sucker", "so_long", "So Long", "openai", "red", "any", "no", "100%", "\x00", "\ud800", "anna no", "four  1"),
    )
    for held in (False, True):
        if held:
            assert store.claim_run(run, new_owner(), 60).result() is None
        stands = {match.id: standing(match.status, held=held) for match in store.matches(run)}
        for text in words:
            fitting = [
                match
                for match in store.matches(run)
                if all(holds(match, stands[match.id], word) for word in text.split())
            ]
            shown = shown_by(store, Query(run=run, text=text))["matches"]
            assert [row["id"] for row in shown["rows"]] == [match.id for match in fitting], text
            assert (shown["shown"], shown["all"]) == (len(fitting), 18)
            assert shown["counts"] == {
                status: sum(stands[match.id] == status for match in fitting) for status in STATUSES
            }
            assert [row["status"] for row in shown["rows"]] == [stands[match.id] for match in fitting]
            for status in STATUSES:
                of_status = shown_by(store, Query(run=run, text=text, status=status))["matches"]
                assert [row["id"] for row in of_status["rows"]] == [
                    match.id for match in fitting if stands[match.id] == status
                ], (text, status)
                assert of_status["counts"] == shown["counts"]
                assert of_status["shown"] == shown["counts"][status]


def test_a_row_sums_its_seats(database: Database) -> None:
    with Store.open_readonly(database.path) as store:
        run = store.runs()[0]
        row = shown_by(store, Query(run=run.id))["matches"]["rows"][0]
        calls = store.calls(row["id"])
    assert row["calls"] == len(calls) > 0
    assert row["tokens"] == sum((call.prompt_tokens or 0) + (call.completion_tokens or 0) for call in calls)
    assert row["cost"] == pytest.approx(sum(call.cost or 0 for call in calls))
    model = next(seat for seat in row["seats"] if seat["kind"] == "model")
    assert model["sums"]["illegal"] == 1
    assert {seat["place"] for seat in row["seats"]} == {1, 2, 3, 4}


def test_a_replay_is_the_same_text_until_something_is_written(store: Store) -> None:
    run = store.create_run(run_record("r"), [match_record(0, LABELS)]).result()
    match = store.matches(run)[0]
    assert replay(store, 999) is None
    waiting = replay(store, match.id or 0)
    assert waiting is not None
    assert json.loads(waiting.json)["frames"]["rows"] == []
    written = Written(store, match)
    written.turn()
    before = replay(store, written.match_id)
    assert replay(store, written.match_id) is not None
    assert before is not None
    assert replay(store, written.match_id).json is before.json  # type: ignore[union-attr]
    for change in (
        lambda: written.say("red", "all", "a word"),
        lambda: written.call("red", "an answer"),
        written.turn,
        lambda: store.set_match(written.match_id, "paused", "wait").result(),
        written.to_end,
    ):
        change()
        after = replay(store, written.match_id)
        assert after is not None
        assert after.json != before.json
        before = after
    assert before.status == "finished"


@pytest.mark.parametrize("game", GAMES)
def test_a_replay_followed_turn_by_turn_is_the_one_made_at_once(store: Store, game: str) -> None:
    rules = get_game(game)
    seats = tuple(
        SeatRecord(seat=seat, label=seat, kind="bot", model="random", identity=seat)
        for seat in rules.seats(rules.players[-1])
    )
    options = rules.Options().model_dump(mode="json")
    waiting = MatchRecord(number=0, game=game, options=options, seed=5, seats=seats)
    run = store.create_run(run_record("r"), [waiting]).result()
    written = Written(store, store.matches(run)[0])
    for _ in range(6):
        found = replay(store, written.match_id)
        assert found is not None
        match = store.match(written.match_id)
        assert match is not None
        number = written.match_id
        whole = as_shown(build(match, store.turns(number), [], store.calls(number), run="r"))
        assert json.loads(found.json) == {
            key: value for key, value in json.loads(json.dumps(whole)).items() if key != "details"
        }
        written.turn()


def test_a_log_that_cannot_be_followed_is_said(store: Store) -> None:
    run = store.create_run(run_record("r"), [match_record(0, LABELS)]).result()
    written = Written(store, store.matches(run)[0])
    written.turn()
    written.ply += 1
    written.turn()
    with pytest.raises(BrokenLog):
        replay(store, written.match_id)


def test_a_game_without_a_board_gets_its_views_as_text(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    run = store.create_run(run_record("r"), [match_record(0, LABELS)]).result()
    written = Written(store, store.matches(run)[0])
    monkeypatch.setattr(export, "boards", tuple)
    found = replay(store, written.match_id)
    assert found is not None
    shown = json.loads(found.json)
    assert len(shown["view_texts"]) == len(shown["views"]) > 0
    assert all(text.strip() for text in shown["view_texts"])


def test_the_database_of_the_environment_is_opened_and_opened_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "parley.db"
    monkeypatch.setenv("PARLEY_DB", str(path))
    with pytest.raises(StoreError):
        open_store()
    for name in ("one", "two"):
        with Store.open(path) as store:
            store.create_run(run_record(name)).result()
        assert [run.name for run in open_store().runs()] == [name]
        # Kept, so that the new file cannot get the number of the old one.
        path.rename(tmp_path / f"{name}.old")


def test_a_listing_is_kept_while_nobody_writes(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARLEY_DB", str(tmp_path / "parley.db"))
    assert listing_text(store, Query()) is None
    run = store.create_run(run_record("r"), [match_record(0, LABELS)]).result()
    before = listing_text(store, Query())
    assert listing_text(store, Query()) is not before, "just written to: more may follow unseen"
    for path in tmp_path.iterdir():
        os.utime(path, (1, 1))
    kept = listing_text(store, Query())
    assert kept == before
    assert listing_text(store, Query()) is kept
    assert listing_text(store, Query(run=run)) is not kept
    store.set_match(store.matches(run)[0].id or 0, "paused", "wait").result()
    after = listing_text(store, Query())
    assert after is not None
    assert "wait" in after


def test_the_modules_stand_alone() -> None:
    assert "so_long_sucker" in boards()
    assert set(boards()) <= set(GAMES)
    for module in (player(), runs()):
        assert "\nimport " not in module
        assert "innerHTML" not in module
        assert "http" not in module.replace("http://www.w3.org/2000/svg", "")


def test_no_folder_of_pages_stands_beside_the_frame() -> None:
    # Streamlit would show a page without its frame to whoever is connected while the server is started anew.
    script = Path(str(app.script_path))
    assert script.name == "frame.py"
    assert not (script.parent / "pages").exists()
