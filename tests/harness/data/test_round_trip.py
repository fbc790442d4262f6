"""Export, import, export: nothing of a run is lost on the way, whatever became of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pytest

from harness.data.schema import TABLES
from harness.records import RunRecord
from harness.spec import stored
from harness.store import Store
from harness.verify import verify
from tests.harness.cli.calling import invoke
from tests.harness.data.conftest import RUNS, talkative
from tests.harness.forking import go
from tests.harness.store.postgres import PrivateServer
from tests.harness.store.samples import NOON, call_of, match_of
from tests.providers import Loopback

NUMBERED = {"match": "match", "parent": "match", "parents": "match", "match_id": "match", "call": "call"}
"""Fields that hold a number of the database's making, and of what."""


class Ids(NamedTuple):
    """What stands for a number of the database's, so that two databases can be compared."""

    match: Mapping[int, int]
    call: Mapping[int, int]

    def out_of(self, value: Any, field: str = "") -> Any:
        """A value with every such number replaced."""
        if isinstance(value, dict):
            return {key: self.out_of(one, key) for key, one in value.items()}
        if isinstance(value, list):
            return [self.out_of(one, field) for one in value]
        if field == "lineage" and isinstance(value, str):
            return self.out_of(json.loads(value))
        if field in NUMBERED and isinstance(value, int):
            of: Mapping[int, int] = getattr(self, NUMBERED[field])
            return of[value]
        return value


def lines(folder: Path, table: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / f"{table}.jsonl").read_text("utf-8").splitlines()]


def ids_of(folder: Path) -> Ids:
    matches = {row["match"]: place for place, row in enumerate(lines(folder, "matches"))}
    return Ids(matches, {row["call"]: place for place, row in enumerate(lines(folder, "calls"))})


def exported(db: str, folder: Path, *runs: str) -> Path:
    call = invoke("export", *runs, "--jsonl", str(folder), "--db", db)
    assert (call.status, call.err) == (0, "")
    return folder


def imported(folder: Path, db: str, *more: str) -> str:
    """A database that held something else before."""
    with Store.open(db) as store:
        run = RunRecord(name="other", spec={"name": "other"}, seed=1, created_at=NOON)
        run_id = store.create_run(run, [match_of(number) for number in range(3)]).result()
        store.add_call(call_of(match_id=store.matches(run_id)[0].id)).result()
    call = invoke("import", str(folder), "--db", db, *more)
    assert (call.status, call.err) == (0, "")
    return db


class Both(NamedTuple):
    """A database and its copy by way of files, with the files of each."""

    here: str
    there: str
    files: Path
    again: Path


@pytest.fixture(scope="module")
def both(played: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Both]:
    folder = tmp_path_factory.mktemp("both")
    files = exported(played, folder / "files", *RUNS)
    there = imported(files, str(folder / "there.db"))
    return Both(played, there, files, exported(there, folder / "again", *RUNS))


def test_what_is_exported_again_is_the_same_but_for_numbers(both: Both) -> None:
    here, there = ids_of(both.files), ids_of(both.again)
    for table in TABLES:
        first = [here.out_of(row) for row in lines(both.files, table)]
        assert [there.out_of(row) for row in lines(both.again, table)] == first, table
    assert (both.again / "export.json").read_bytes() == (both.files / "export.json").read_bytes()
    statuses = {row["status"] for row in lines(both.files, "matches")}
    assert {"finished", "void", "paused"} <= statuses
    assert any(row["reason"] == "forfeit" for row in lines(both.files, "matches"))
    assert any(row["cost"] and json.loads(row["prompt"]) for row in lines(both.files, "calls"))
    assert {"copied", "probe", "act", "retry"} <= {row["kind"] for row in lines(both.files, "calls")}
    assert any(row["parent"] is not None for row in lines(both.files, "matches"))
    assert set(here.match) != set(there.match), "the copy has the numbers of the original, so that none were mapped"


@pytest.mark.parametrize("command", ["verify", "leaderboard", "behaviour", "pledges", "show"])
@pytest.mark.parametrize("run", RUNS)
def test_every_command_tells_the_same_of_both(both: Both, run: str, command: str) -> None:
    here, there = ids_of(both.files), ids_of(both.again)
    first = invoke(command, run, "--json", "--db", both.here)
    second = invoke(command, run, "--json", "--db", both.there)
    assert second.status == first.status
    assert there.out_of(second.json) == here.out_of(first.json)


def test_replays_and_finds_are_the_same(both: Both) -> None:
    here, there = ids_of(both.files), ids_of(both.again)
    for first, second in zip(here.match, there.match, strict=True):
        told = [
            invoke("replay", str(number), "--json", "--db", db)
            for number, db in ((first, both.here), (second, both.there))
        ]
        assert told[0].out == told[1].out
    for run in RUNS:
        found = [invoke("find", run, "said", "--json", "--db", db).json for db in (both.here, both.there)]
        assert there.out_of(found[1]) == here.out_of(found[0])


def test_what_was_halted_is_gone_on_with_to_the_same_end(both: Both, tmp_path: Path) -> None:
    ends, asked = [], []
    for number, db in enumerate((both.here, both.there)):
        copy = str(tmp_path / f"{number}.db")
        assert invoke("backup", copy, "--db", db).status == 0
        with Store.open(copy) as store:
            record = store.run("halted")
            assert record is not None
            spec = stored(record.spec, "halted")
            # A player is known by its address too.
            port = urlsplit(spec.players[0].api_base or "").port or 0
            with Loopback(talkative, port) as loopback:
                result = asyncio.run(go(spec, store))
            asked.append(len(loopback.requests))
            assert result.status == "finished", result.why
            matches = store.matches(record.id or 0, with_start=True)
            assert all(verify(match, store.turns(match.id or 0)) is None for match in matches)
            ends.append([[turn.position_hash for turn in store.turns(match.id or 0)] for match in matches])
    assert ends[0] == ends[1]
    assert asked[0] == asked[1], "an answer that was paid for was asked for again"


def test_a_fork_finds_its_parent_that_is_there_already(played: str, tmp_path: Path) -> None:
    """Runs that are exported one by one hang together again where the parent is imported first."""
    there = imported(exported(played, tmp_path / "models", "models"), str(tmp_path / "there.db"))
    files = exported(played, tmp_path / "again", "again")
    assert invoke("import", str(files), "--db", there).status == 0
    alone = str(tmp_path / "alone.db")
    assert invoke("import", str(files), "--db", alone).status == 0
    parents = {}
    for db in (there, alone):
        with Store.open_readonly(db) as store:
            run = store.run("again")
            assert run is not None
            forks = store.matches(run.id or 0, with_start=True)
            parents[db] = [
                None if fork.parent_id is None else (parent := store.match(fork.parent_id)) and parent.number
                for fork in forks
            ]
            assert all(fork.forked and verify(fork, store.turns(fork.id or 0)) is None for fork in forks)
    assert parents[there] == [0, 1, 0, 1]
    assert parents[alone] == [None] * 4


def test_another_name_is_borne_by_run_and_file(played: str, tmp_path: Path) -> None:
    files = exported(played, tmp_path / "files", "models")
    there = imported(files, str(tmp_path / "there.db"), "--as", "theirs")
    assert invoke("verify", "theirs", "--db", there).status == 0
    with Store.open_readonly(there) as store:
        run = store.run("theirs")
        assert run is not None
        assert (run.name, run.spec["name"]) == ("theirs", "theirs")
        assert store.run("models") is None


@pytest.mark.soak
def test_a_server_gives_the_same_files(both: Both, tmp_path: Path) -> None:
    server = PrivateServer()
    try:
        url = server.new_database()
        assert invoke("import", str(both.files), "--db", url).status == 0
        again = exported(url, tmp_path / "again", *RUNS)
        assert invoke("export", *RUNS, "--parquet", str(tmp_path / "parquet"), "--db", url).status == 0
    finally:
        server.stop()
    here, there = ids_of(both.files), ids_of(again)
    for table in TABLES:
        first = [here.out_of(row) for row in lines(both.files, table)]
        assert [there.out_of(row) for row in lines(again, table)] == first, table
