"""Calls of a database that kept prompts part by part come out of its upgrade as they went in."""

from __future__ import annotations

import json
import shutil
import zlib
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, MetaData, create_engine, insert

from harness.records import CallRecord, PromptMessage
from harness.store import Store, upgrade
from harness.store.columns import escape, to_json
from harness.store.place import SqliteFile, find
from tests.harness.store.samples import NOON, call_of, match_of, run_of

ODD = "\x00 \x10 \u4f60 \ud800"


def written() -> list[CallRecord]:
    """Calls of two seats whose prompts grow, one of a seat without a system message, and one of no match."""
    calls = []
    for decision in range(4):
        for seat in ("red", "blue"):
            messages = [PromptMessage(role="system", parts=("the rules", f"you are {seat}"))]
            for number in range(decision):
                messages.append(PromptMessage(role="user", parts=(f"news {number} {ODD}",)))
                messages.append(PromptMessage(role="assistant", parts=(f"{seat} answers {number}",)))
            messages.append(PromptMessage(role="user", parts=(f"news {decision} {ODD}", f"now {decision}")))
            said = {"content": f"{seat} answers {decision} {ODD}", "reasoning": ODD if decision else None}
            response = json.dumps(said) if decision != 2 else None
            schema = {"enum": [decision, ODD]} if decision != 1 else None
            more = {"answer_schema": schema, "served": {"id": f"{seat}{decision}"} if decision else {}}
            calls.append(
                call_of(
                    match_id=1, seat=seat, decision=decision, prompt=tuple(messages), response=response, **said, **more
                )
            )
    bare = (PromptMessage(role="user", parts=("no system message",)), PromptMessage(role="user", parts=()))
    calls.append(call_of(match_id=1, seat="green", prompt=bare, content=None, tool_arguments="{}"))
    calls.append(call_of(match_id=None, seat="", kind="probe", prompt=bare[:1]))
    return [call.model_copy(update={"id": number, "run_id": 1}) for number, call in enumerate(calls, start=1)]


class Before:
    """Writes rows as the tables of version 0002 have them."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._tables = MetaData()
        self._tables.reflect(connection)
        self._ids: dict[str, int] = {}
        self._moment: Any = NOON.isoformat(timespec="microseconds") if connection.dialect.name == "sqlite" else NOON

    def add(self, table: str, **values: Any) -> None:
        self._connection.execute(insert(self._tables.tables[table]).values(**values))

    def text(self, text: str) -> int:
        if text not in self._ids:
            self._ids[text] = len(self._ids) + 1
            plain = text.encode("utf-8", "surrogatepass")
            self.add("text", id=self._ids[text], hash=sha256(plain).digest(), body=zlib.compress(plain))
        return self._ids[text]

    def run(self) -> None:
        run, match = run_of(), match_of()
        own = {name: getattr(match, name) for name in ("number", "game", "game_index", "seed", "pack", "rotation")}
        dated = {"versions": "{}", "created_at": self._moment}
        self.add("run", id=1, name=run.name, spec="{}", source="", seed=7, status="running", **dated)
        own |= {"options": "{}", "versions": "{}", "start_events": "[]"}
        self.add("match", id=1, run_id=1, status="running", plies=0, **own)

    def call(self, call: CallRecord) -> None:
        plain = (
            *("id", "run_id", "match_id", "ply", "seat", "decision", "kind", "attempt", "label", "model"),
            *("cost", "priced_by", "reserved", "prompt_tokens", "completion_tokens"),
        )
        words = ("content", "reasoning", "tool_arguments")
        self.add(
            "call",
            started_at=self._moment,
            flags="[]",
            served=to_json(call.served),
            asked_text=self.text(to_json(call.asked)),
            sent_text=self.text(to_json(call.sent)),
            schema_text=None if call.answer_schema is None else self.text(to_json(call.answer_schema)),
            prompt=to_json([[message.role, [self.text(part) for part in message.parts]] for message in call.prompt]),
            response=None if call.response is None else zlib.compress(call.response.encode("utf-8", "surrogatepass")),
            **{name: getattr(call, name) for name in plain},
            **{name: None if (said := getattr(call, name)) is None else escape(said) for name in words},
        )


def test_calls_come_out_as_they_went_in(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = written()
    before = tmp_path / "before"
    newer = ["__pycache__", *(f"{number:04}_*" for number in range(3, int(upgrade.HEAD) + 1))]
    shutil.copytree(upgrade.SCRIPTS, before, ignore=shutil.ignore_patterns(*newer))
    with monkeypatch.context() as then:
        then.setattr(upgrade, "SCRIPTS", before)
        then.setattr(upgrade, "HEAD", "0002")
        place = find(url)
        upgrade.ready(place)
        engine = create_engine(f"sqlite:///{place.path}" if isinstance(place, SqliteFile) else place.url)
        with engine.begin() as connection:
            old = Before(connection)
            old.run()
            for call in calls:
                old.call(call)
            if connection.dialect.name == "postgresql":
                # Ids that are given are not counted by a server.
                for name in ("text", "call"):
                    counter = f"setval(pg_get_serial_sequence('{name}', 'id'), max(id))"
                    connection.exec_driver_sql(f"SELECT {counter} FROM {name}")
        engine.dispose()
    with Store.open(url) as store:
        assert store.calls(1, prompts=True) == [call for call in calls if call.match_id]
        assert store.call(len(calls)) == calls[-1]
        with store.reading() as connection:
            columns = ("asked_text", "sent_text", "opening_text")
            every = " UNION ".join(f"SELECT {column} FROM call" for column in columns)
            used = connection.exec_driver_sql(every).scalars()
            kept = connection.exec_driver_sql("SELECT id FROM text").scalars()
            assert set(kept) == set(used) - {None}
        again = call_of(match_id=1, seat="red", decision=4, run_id=1)
        assert store.call(store.add_call(again).result()) == again.model_copy(update={"id": len(calls) + 1})
