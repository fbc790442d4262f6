"""The doctor counts what the log holds, and shows the example that tells most."""

from __future__ import annotations

import json
import logging
import random
from pathlib import Path
from typing import Any

import pytest

from harness.call_log import call_line
from harness.doctor import FLAGS, examine, group_of
from harness.records import INFRASTRUCTURE, OWN, REFUSED, CallLine
from tests.harness.cli.calling import Call, invoke
from tests.harness.store.samples import call_of
from tests.harness.test_leaderboard import match
from tests.providers import Answer, Loopback, legal
from tests.providers.fixtures import loopback as loopback


def line(number: int, label: str = "ann", error_kind: str | None = None, **keys: Any) -> CallLine:
    values: dict[str, Any] = {
        "id": number, "match_id": 1, "ply": number, "seat": "red", "kind": "act", "attempt": 1, "label": label,
        "model": "openai/any", "error_kind": error_kind, "error": None if error_kind is None else f"{error_kind}!",
        "http_status": 200, "prompt_tokens": 10, "completion_tokens": 5, "cost": 0.1, "priced_by": "file",
        "latency_ms": 100.0 * number, "flags": (),
    }  # fmt: skip
    return CallLine(**{**values, **keys})


CALLS = [
    line(1),
    line(2, error_kind="server", error="busy (request 1)"),
    line(3, error_kind="server", error="overloaded"),
    line(4, error_kind="server", error="overloaded", attempt=2),
    line(5, error_kind="illegal", attempt=3),
    line(6, "bob", flags=("prompt_cut",), latency_ms=9000.0),
    line(7, "bob", error_kind="context", match_id=None),
    line(8, "bob", priced_by="reserved", error_kind="timeout", latency_ms=None, flags=("prompt_cut", "sent_twice")),
]


def test_failures_by_player_and_kind_with_the_commonest_sentence() -> None:
    stats = match(0, {"ann": 1, "bob": 2}, decisions=8, fallback=2)
    report = examine(CALLS, stats)
    assert (report.calls, report.failed) == (8, 6)
    assert [(fault.label, fault.kind, fault.group, fault.calls) for fault in report.faults] == [
        ("ann", "server", "infrastructure", 3),
        ("ann", "illegal", "own", 1),
        ("bob", "context", "refused", 1),
        ("bob", "timeout", "infrastructure", 1),
    ]
    assert (report.faults[0].share, report.faults[0].example.id) == (0.6, 3)
    ann, bob = report.players
    assert (ann.retries, ann.fallbacks, ann.fallback_share, bob.reckoned) == (2, 2, 0.25, 1)
    assert (ann.latency_median_ms, bob.latency_95_ms) == (100.0, 9000.0)
    assert bob.flags == {"prompt_cut": 2, "sent_twice": 1}
    assert [call.id for call in report.slowest] == [6, 7, 5, 4, 3]


def test_the_order_of_the_rows_changes_no_byte() -> None:
    rows = list(CALLS)
    stats = match(0, {"ann": 1, "bob": 2})
    before = json.dumps(examine(rows, stats).to_json())
    random.Random(3).shuffle(rows)
    assert json.dumps(examine(rows, stats).to_json()) == before


def test_paused_matches_are_counted_once_by_reason() -> None:
    nobody: dict[str, int | None] = {"a": None, "b": None}
    stats = [seat for n in range(3) for seat in match(n, nobody, status="paused", reason=None, why=f"why {n // 2}")]
    report = examine([], [*stats, *match(4, {"a": 1, "b": 2})])
    assert report.paused == {"why 0": 2, "why 1": 1}
    assert report.calls == 0


def test_every_kind_of_failure_is_somebodys() -> None:
    assert {group_of(kind) for kind in INFRASTRUCTURE} == {"infrastructure"}
    assert {group_of(kind) for kind in OWN} == {"own"}
    assert {group_of(kind) for kind in (*REFUSED, "budget")} == {"refused"}


def test_the_line_of_a_call_holds_no_words_of_anybody() -> None:
    call = call_of(id=7, match_id=3, ply=2, label="a\nb", error_kind="server", error="secret", http_status=500)
    said = call_line(call)
    assert said == (
        "call 7: a b, match 3 ply 2 red act, request 1: server (HTTP 500), 700+45 tokens (0 cached), $0.001000, 0.00 s"
    )


HOUSE = """\
name: house
games: [{game: so_long_sucker, options: {chips: 1}}]
talk: off
retries: 1
players:
  - {label: ann, model: openai/any, api_base: "BASE", api_key_env: HOUSE_KEY, price: free}
  - {label: b, bot: banker}
  - {label: c, bot: turncoat}
  - {label: d, bot: random}
"""
KEY = "sk-house-0123456789abcdef"


@pytest.fixture
def run(loopback: Loopback, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, Call]:
    """A run of a model that is illegal now and then, played with `--verbose`."""
    monkeypatch.setenv("HOUSE_KEY", KEY)
    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    served = 0

    def behave(seen: Any) -> Any:
        nonlocal served
        served += 1
        bad = served % 4 == 0
        return Answer('{"actions": ["fly [bold]up[/]"]}') if bad else legal("hash")(seen)

    loopback.always(behave)
    file, db = tmp_path / "house.yaml", str(tmp_path / "parley.db")
    file.write_text(HOUSE.replace("BASE", loopback.api_base))
    call = invoke("--verbose", "run", str(file), "--db", db)
    assert call.status == 0, call.err
    return db, call


def test_a_run_is_examined(run: tuple[str, Call]) -> None:
    db, _ = run
    report = invoke("doctor", "house", "--db", db, "--json").json
    (fault,) = report["failures"]
    assert (fault["label"], fault["kind"], fault["group"], fault["calls"]) == (
        "ann",
        "illegal",
        "own",
        report["failed"],
    )
    assert report["failed"] > 0
    assert fault["example"]["match"] >= 1
    shown = invoke("doctor", "house", "--db", db)
    assert shown.status == 0
    assert f"house: {report['calls']} calls, {report['failed']} of them failed." in shown.out
    assert "fly [bold]up[/]" in shown.out
    assert "Slowest calls" in shown.out


def test_a_run_of_bots_has_nothing_to_be_examined(tmp_path: Path) -> None:
    file, db = tmp_path / "bots.yaml", str(tmp_path / "parley.db")
    file.write_text(
        HOUSE.replace('model: openai/any, api_base: "BASE", api_key_env: HOUSE_KEY, price: free', "bot: greedy")
    )
    assert invoke("run", str(file), "--db", db).status == 0
    assert "no call to a model" in invoke("doctor", "house", "--db", db).out


def test_verbose_logs_one_line_a_call_and_no_key_prompt_or_header(run: tuple[str, Call]) -> None:
    db, call = run
    report = invoke("doctor", "house", "--db", db, "--json").json
    lines = [row for row in call.err.splitlines() if row.startswith("DEBUG harness.call_log: call ")]
    assert len(lines) == report["calls"]
    assert all(row.startswith("DEBUG harness.") for row in call.err.splitlines())
    for secret in (KEY, "sk-", "Bearer", "Authorization", "http://", "fly", "chips"):
        assert secret not in call.err


def test_every_flag_is_explained() -> None:
    assert all(meaning and not meaning.endswith(".") for meaning in FLAGS.values())
