"""What is written is what is read: any record, on either database."""

from __future__ import annotations

import dataclasses
import itertools
import json
import sqlite3
import zlib
from datetime import UTC

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from harness.records import CallRecord, MatchRecord, MessageRecord, PromptMessage, RunRecord, TurnRecord
from harness.store import Store
from harness.store.columns import escape, pack, unescape, unpack
from tests.harness.store import samples, strategies

# The database is the fixture's on purpose: rows of earlier examples stay in it, as in a real one.
anyhow = settings(
    max_examples=30,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)
_fresh = itertools.count(1)


@dataclasses.dataclass
class Table:
    store: Store

    def match(self) -> int:
        return samples.new_match(self.store, f"run {next(_fresh)}")


@pytest.fixture
def table(store: Store) -> Table:
    return Table(store)


@given(record=strategies.runs, matches=st.lists(strategies.matches, max_size=3, unique_by=lambda match: match.number))
@anyhow
def test_runs_and_matches(table: Table, record: RunRecord, matches: list[MatchRecord]) -> None:
    record = record.model_copy(update={"name": f"{record.name} {next(_fresh)}"})
    store = table.store
    run_id = store.create_run(record, matches).result()
    assert store.run(run_id) == record.model_copy(update={"id": run_id})
    assert store.run(record.name) == store.run(run_id)
    assert store.runs()[-1] == store.run(run_id)
    found = store.matches(run_id, with_start=True)
    in_order = sorted(matches, key=lambda match: match.number)
    assert [match.model_copy(update={"id": None, "run_id": None}) for match in found] == in_order
    assert [store.match(match.id or 0) for match in found] == found
    light = [match.model_copy(update={"start": None, "start_events": ()}) for match in found]
    assert store.matches(run_id) == light


@given(turns=st.lists(strategies.turns, max_size=3, unique_by=lambda turn: turn.ply))
@anyhow
def test_turns(table: Table, turns: list[TurnRecord]) -> None:
    match_id = table.match()
    table.store.add_turns(match_id, turns).result()
    assert table.store.turns(match_id) == sorted(turns, key=lambda turn: turn.ply)
    # Once more, as after a crash between the commit and its news: nothing is added, nothing refused.
    table.store.add_turns(match_id, turns).result()
    assert table.store.turns(match_id) == sorted(turns, key=lambda turn: turn.ply)


@given(messages=st.lists(strategies.messages, max_size=3, unique_by=lambda message: message.seq))
@anyhow
def test_messages_and_pledges(table: Table, messages: list[MessageRecord]) -> None:
    match_id = table.match()
    table.store.add_messages(match_id, messages).result()
    assert table.store.messages(match_id) == sorted(messages, key=lambda message: message.seq)
    table.store.add_messages(match_id, messages).result()
    assert table.store.messages(match_id) == sorted(messages, key=lambda message: message.seq)


@given(records=st.lists(strategies.calls, min_size=1, max_size=3))
@anyhow
def test_calls(table: Table, records: list[CallRecord]) -> None:
    store = table.store
    match_id = table.match()
    run_id = store.runs()[-1].id
    records = [record.model_copy(update={"match_id": match_id}) for record in records]
    ids = [future.result() for future in [store.add_call(record) for record in records]]
    assert ids == sorted(set(ids))
    whole = [record.model_copy(update={"id": i, "run_id": run_id}) for i, record in zip(ids, records, strict=True)]
    assert store.calls(match_id, prompts=True) == whole
    assert store.call(ids[0]) == whole[0]
    assert store.calls(match_id) == [one.model_copy(update={"prompt": (), "answer_schema": None}) for one in whole]


@given(strategies.anything)
def test_escaping_is_lossless_and_leaves_what_any_database_takes(text: str) -> None:
    escaped = escape(text)
    assert unescape(escaped) == text
    assert "\x00" not in escaped
    escaped.encode()
    if not set(text) & set("\x00\x10") and text.isprintable():
        assert escaped == text


@given(strategies.anything)
def test_packing_is_lossless(text: str) -> None:
    assert unpack(pack(text)) == text


def test_a_call_of_no_match_keeps_its_run(store: Store) -> None:
    run_id = store.create_run(samples.run_of()).result()
    record = samples.call_of(run_id=run_id, kind="probe", seat="")
    call_id = store.add_call(record).result()
    assert store.call(call_id) == record.model_copy(update={"id": call_id})


def test_times_come_back_in_utc(store: Store) -> None:
    match_id = samples.new_match(store)
    store.add_turns(match_id, [samples.turn_of(1)]).result()
    store.start_match(match_id, start={}, start_events=(), start_hash="h", versions={}).result()
    match = store.match(match_id)
    assert match is not None
    assert match.started_at is not None
    for moment in (match.started_at, store.turns(match_id)[0].at, store.runs()[0].created_at):
        assert moment.tzinfo is UTC


def test_a_text_is_stored_once_however_many_calls_share_it(tmp_path: object) -> None:
    path = f"{tmp_path}/parley.db"
    rules = "the rules of the game, at length. " * 200
    with Store.open(path) as store:
        match_id = samples.new_match(store)
        for ply in range(30):
            system = PromptMessage(role="system", parts=(rules, "the table"))
            prompt = (system, PromptMessage(role="user", parts=(f"ply {ply}",)))
            store.add_call(samples.call_of(match_id=match_id, ply=ply, prompt=prompt, answer_schema=None))
    # Two processes (or one that ran again) share texts too.
    with Store.open(path) as store:
        store.add_call(samples.call_of(match_id=match_id, ply=30, prompt=prompt, answer_schema=None)).result()
        assert [call.prompt for call in store.calls(match_id, prompts=True)][-1] == prompt
    connection = sqlite3.connect(path)
    texts = [zlib.decompress(body).decode() for (body,) in connection.execute("SELECT body FROM text")]
    assert len(texts) == len(set(texts)) == 3
    assert [rules in text for text in texts].count(True) == 1
    assert connection.execute("SELECT max(length(body)) FROM call").fetchone()[0] < 200
    connection.close()


MILLION = 1_000_000
HOSTILE = {
    "markup": "<img src=x onerror=alert(1)>" * (MILLION // 28),
    "nul": "\x00" * MILLION,
    "surrogates": "\ud83d\ude00\udfff" * (MILLION // 3),
    "escapes": "\x10d800\x1b[2J\u202e" * (MILLION // 11),
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_megabyte_of_anything(store: Store, text: str) -> None:
    match_id = samples.new_match(store)
    prompt = (PromptMessage(role="user", parts=(text,)),)
    few = text[:1000]
    schema = {"const": few}
    record = samples.call_of(match_id=match_id, prompt=prompt, answer_schema=schema, content=text, response=text)
    call_id = store.add_call(record).result()
    assert store.call(call_id) == record.model_copy(update={"id": call_id, "run_id": 1})
    message = samples.message_of(0, text=text)
    turn = samples.turn_of(1, action=few, thoughts=text, notes=few, events=({"kind": "said", "text": few},))
    store.add_turns(match_id, [turn], [message]).result()
    assert (store.turns(match_id), store.messages(match_id)) == ([turn], [message])


def test_other_tools_read_plain_sql(store: Store) -> None:
    """The columns that they may rely on, by name, and JSON as JSON."""
    match_id = samples.new_match(store)
    store.add_call(samples.call_of(match_id=match_id, error_kind="illegal", latency_ms=12.5, cached_tokens=9)).result()
    said = samples.message_of(0, "red", addressee="blue", text="let us talk: \u00e9\u4f60")
    store.add_turns(match_id, [samples.turn_of(1, call_id=1)], [said], outcome=samples.OUTCOME).result()
    wanted = {
        "SELECT run.name, match.status, match.seed FROM run JOIN match ON match.run_id = run.id": (
            "one",
            "finished",
            100,
        ),
        "SELECT match_id, ply, seat, action, source, position_hash FROM turn": (
            *(1, 1, "red", "play red new", "player"),
            f"{1:064x}",
        ),
        "SELECT match_id, ply, seat, attempt, kind, error_kind FROM call": (1, 0, "red", 1, "act", "illegal"),
        "SELECT cost, latency_ms FROM call": (0.001, 12.5),
        "SELECT prompt_tokens, cached_tokens, completion_tokens, reasoning_tokens FROM call": (700, 9, 45, None),
        "SELECT sender, addressee, text FROM message": ("red", "blue", "let us talk: \u00e9\u4f60"),
        "SELECT place FROM seat WHERE seat = 'green'": (3,),
    }
    as_json = {
        "SELECT events FROM turn": [{"kind": "played", "audience": "all", "color": "red"}],
        "SELECT options FROM match": {"chips": 3},
        "SELECT outcome FROM match": samples.OUTCOME,
        "SELECT spec FROM run": {"name": "one"},
    }
    with store.reading() as connection:
        for statement, row in wanted.items():
            statement = statement.replace(" match.", ' "match".').replace("JOIN match", 'JOIN "match"')
            assert tuple(connection.exec_driver_sql(statement).one()) == row
        for statement, value in as_json.items():
            assert json.loads(connection.exec_driver_sql(statement.replace("match", '"match"')).scalar_one()) == value


def test_an_id_that_no_row_can_have(store: Store) -> None:
    assert (store.match(2**63), store.call(10**40), store.run(2**63), store.run(str(2**63))) == (None,) * 4
