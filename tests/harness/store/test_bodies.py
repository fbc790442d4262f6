"""What calls say at length: kept as the difference to earlier calls, and read again to the letter."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.records import CallRecord, PromptMessage
from harness.store import Store, StoreError
from harness.store.bodies import Said, pack_body, prompts_of, unpack_bodies
from tests.harness.store.samples import call_of, match_of, new_match, run_of
from tests.harness.store.strategies import anything

SYSTEM = PromptMessage(role="system", parts=("the rules", "the table"))
_few = st.sampled_from(["a", "b", "c"]) | anything
prompts = st.lists(
    st.builds(
        PromptMessage,
        role=st.sampled_from(["system", "user", "assistant"]),
        parts=st.lists(_few, max_size=3).map(tuple),
    ),
    max_size=4,
).map(tuple)


@given(shown=st.lists(prompts, min_size=1, max_size=6), response=st.none() | anything)
def test_whatever_prompts_follow_each_other(shown: list[tuple[PromptMessage, ...]], response: str | None) -> None:
    rows, last = {}, None
    for number, prompt in enumerate(shown, start=5):
        record = call_of(prompt=prompt, response=response, served={"id": str(number)})
        body, last = pack_body(record, number, last, last)
        rows[number] = body
    bodies = unpack_bodies(rows, rows)
    said = prompts_of(bodies)
    for number, prompt in enumerate(shown, start=5):
        rest = prompt[1:] if prompt and prompt[0].role == "system" else prompt
        assert said[number] == list(rest)
        assert (bodies[number].response, bodies[number].served) == (response, {"id": str(number)})


def words(chance: random.Random, number: int) -> str:
    return " ".join("".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=6)) for _ in range(number))


def growing(seat: str, decision: int) -> CallRecord:
    """The call of a seat whose prompt holds all that was said to it before."""

    def one(kind: str, number: int, length: int) -> str:
        return words(random.Random(f"{seat} {kind} {number}"), length)

    messages = [SYSTEM]
    for number in range(decision):
        messages.append(PromptMessage(role="user", parts=(one("news", number, 30),)))
        messages.append(PromptMessage(role="assistant", parts=(one("reply", number, 20),)))
    messages.append(PromptMessage(role="user", parts=(one("news", decision, 30), one("now", decision, 60))))
    content = one("reply", decision, 20)
    return call_of(seat=seat, decision=decision, prompt=tuple(messages), content=content, response=f"[{content!r}]")


def test_a_call_late_in_a_match_takes_no_more_than_an_early_one(store: Store) -> None:
    match_id = new_match(store)
    written = [growing(seat, number).model_copy(update={"match_id": match_id}) for number in range(60) for seat in "ab"]
    ids = [store.add_call(record).result() for record in written]
    with store.reading() as connection:
        sizes = [len(body) for (body,) in connection.exec_driver_sql("SELECT body FROM call ORDER BY id")]
    early, late = sum(sizes[10:20]), sum(sizes[-10:])
    assert late <= 1.1 * early
    assert [call.prompt for call in store.calls(match_id, prompts=True)] == [record.prompt for record in written]
    for number in (ids[0], ids[7], ids[-1]):
        found = store.call(number)
        assert found is not None
        assert found.prompt == written[number - ids[0]].prompt


def test_matches_do_not_refer_to_each_other(store: Store) -> None:
    store.create_run(run_of(), [match_of(0), match_of(1)]).result()
    first, second = (match.id or 0 for match in store.matches(1))
    written: dict[int, list[CallRecord]] = {first: [], second: []}
    for decision in range(6):
        for match_id in written:
            record = growing("red", decision).model_copy(update={"match_id": match_id})
            written[match_id].append(record)
            store.add_call(record)
    store.add_call(call_of(run_id=1, kind="probe")).result()
    for match_id, records in written.items():
        assert [call.prompt for call in store.calls(match_id, prompts=True)] == [record.prompt for record in records]
    with store.reading() as connection:
        connection.exec_driver_sql("SELECT 1")
    store.remove_run(1)


def test_what_was_taken_away_is_not_referred_to(store: Store, url: str) -> None:
    """Another process takes a run away; on SQLite the ids of its matches and calls are given again."""
    for name in ("one", "two"):
        match_id = new_match(store, name)
        for decision in range(3):
            store.add_call(growing("red", decision).model_copy(update={"match_id": match_id})).result()
        called = [call.prompt for call in store.calls(match_id, prompts=True)]
        assert called == [growing("red", decision).prompt for decision in range(3)]
        with Store.open(url) as other:
            other.remove_run(store.runs()[-1].id or 0)


def test_texts_that_were_taken_away_are_stored_again(store: Store, url: str) -> None:
    """Another process took away the only run that used a text, and this one still knows its id."""
    kept, gone = new_match(store, "kept"), new_match(store, "gone")
    store.add_call(call_of(match_id=gone, asked={"only": "here"})).result()
    with Store.open(url) as other:
        other.remove_run(2)
    call_id = store.add_call(call_of(match_id=kept, asked={"only": "here"})).result()
    found = store.call(call_id)
    assert found is not None
    assert (found.asked, found.prompt) == ({"only": "here"}, call_of().prompt)


def _cut(connection: sqlite3.Connection) -> None:
    connection.execute("UPDATE call SET body = CAST(substr(body, 1, length(body) - 5) AS BLOB) WHERE id = 2")


def _emptied(connection: sqlite3.Connection) -> None:
    connection.execute("UPDATE call SET body = x'' WHERE id = 2")


def _other_format(connection: sqlite3.Connection) -> None:
    connection.execute("UPDATE call SET body = CAST(x'02' || substr(body, 2) AS BLOB) WHERE id = 2")


def _gone(connection: sqlite3.Connection) -> None:
    connection.execute("DELETE FROM call WHERE id = 2")


def _other_digit(connection: sqlite3.Connection) -> None:
    """One bit of a letter of what it says, which may well inflate."""
    body = bytearray(connection.execute("SELECT body FROM call WHERE id = 2").fetchone()[0])
    body[-20] ^= 1
    connection.execute("UPDATE call SET body = ? WHERE id = 2", (bytes(body),))


@pytest.mark.parametrize("harm", [_cut, _emptied, _other_format, _gone, _other_digit])
def test_a_damaged_row_is_named(tmp_path: Path, harm: Callable[[sqlite3.Connection], None]) -> None:
    path = tmp_path / "parley.db"
    with Store.open(path) as store:
        match_id = new_match(store)
        for decision in range(4):
            store.add_call(growing("red", decision).model_copy(update={"match_id": match_id})).result()
        with sqlite3.connect(path) as connection:
            harm(connection)
        connection.close()
        for read in (lambda: store.calls(match_id, prompts=True), lambda: store.calls(match_id), lambda: store.call(4)):
            with pytest.raises(StoreError, match=r"^call 2: .*row is (damaged|missing)"):
                read()
        found = store.call(1)
        assert found is not None
        assert found.prompt == growing("red", 0).prompt


def test_a_body_does_not_need_what_it_does_not_refer_to() -> None:
    first, said = pack_body(call_of(), 1, None, None)
    alone, _ = pack_body(call_of(seat="blue"), 2, None, None)
    third, _ = pack_body(call_of(), 300, said, Said(1, said.tail, ()))
    rows = {1: first, 2: alone, 300: third}
    assert set(unpack_bodies(rows, [300])) == {1, 300}
    assert set(unpack_bodies({2: rows[2]}, [2])) == {2}
