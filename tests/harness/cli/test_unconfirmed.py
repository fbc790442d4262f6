"""What of a cost no provider confirmed is told wherever the cost is."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.store import Store
from tests.harness.cli.calling import invoke
from tests.harness.store.samples import call_of, match_of, run_of


@pytest.fixture
def cut_off(tmp_path: Path) -> str:
    """A run of one match, two of whose calls were given up, one of p0 and one of p1, and a run that cost nothing."""
    path = str(tmp_path / "parley.db")
    with Store.open(path) as store:
        run_id = store.create_run(run_of("cut"), [match_of()]).result()
        match_id = store.matches(run_id)[0].id or 0
        given_up = {"cost": 0.25, "priced_by": "reserved", "error_kind": "cancelled", "content": None}
        given_up |= {"prompt_tokens": None, "completion_tokens": None}
        for call in (
            call_of(run_id=run_id, match_id=match_id, cost=1.0),
            call_of(run_id=run_id, match_id=match_id, **given_up),
            call_of(run_id=run_id, match_id=match_id, label="p1", seat="blue", **given_up),
        ):
            store.add_call(call).result()
        store.create_run(run_of("free"), [match_of()]).result()
    return path


def test_it_is_told_by_run_match_and_player(cut_off: str) -> None:
    listed = {run["run"]: run["unconfirmed"] for run in invoke("runs", "--db", cut_off, "--json").json}
    assert listed == {"cut": 0.5, "free": 0.0}
    assert invoke("show", "cut", "--db", cut_off, "--json").json["unconfirmed"] == 0.5
    seats = invoke("show", "1", "--db", cut_off, "--json").json["seats"]
    assert {seat["label"]: seat["unconfirmed"] for seat in seats} == {"p0": 0.25, "p1": 0.25, "p2": 0.0, "p3": 0.0}
    (table,) = invoke("leaderboard", "cut", "--db", cut_off, "--json").json["tables"]
    assert table["unconfirmed"] == {"p0": 0.25, "p1": 0.25}


def test_it_is_told_in_words(cut_off: str) -> None:
    assert "not confirmed" in invoke("runs", "--db", cut_off).out.splitlines()[0]
    assert "$1.5000, of which $0.5000 not confirmed by the provider" in invoke("show", "cut", "--db", cut_off).out
    line = "Not confirmed by the provider, and reckoned at the most that it can be: $0.5000 of the cost"
    assert f"{line} (p0 $0.2500, p1 $0.2500)." in invoke("show", "1", "--db", cut_off).out
    assert f"{line} (p0 $0.2500, p1 $0.2500)." in invoke("leaderboard", "cut", "--db", cut_off).out


def test_nothing_is_said_where_all_is_confirmed(db: str) -> None:
    for words in (("runs",), ("show", "bots"), ("show", "1"), ("leaderboard",)):
        assert "confirmed" not in invoke(*words, "--db", db).out
