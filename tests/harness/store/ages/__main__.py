from __future__ import annotations

import sqlite3
import tempfile
from pathlib import Path

from harness.records import PledgeRecord
from harness.store import Store
from harness.store.upgrade import HEAD
from tests.harness.store.samples import OUTCOME, call_of, match_of, message_of, run_of, turn_of


def fill(store: Store) -> None:
    """A little of everything."""
    run_id = store.create_run(run_of("first", source="name: first"), [match_of(0), match_of(1)]).result()
    match_id, other = (match.id or 0 for match in store.matches(run_id))
    start = {"start": {"pile": ["red"]}, "start_events": [{"kind": "dealt", "audience": "all"}], "start_hash": "h"}
    store.start_match(match_id, **start, versions={"rules": "1"}).result()
    call_id = store.add_call(call_of(match_id=match_id)).result()
    promised = PledgeRecord(kind="donate", addressee="blue", turns=4, condition="spare")
    said = [message_of(0, call_id=call_id, pledges=(promised,)), message_of(1, "blue", text="\x00\ud800")]
    turns = [
        turn_of(1, call_id=call_id, thoughts="hm", notes="n", talk=("red",)),
        turn_of(2, "blue", source="fallback"),
    ]
    store.add_turns(match_id, turns, said, outcome=OUTCOME).result()
    store.set_match(other, "paused", "quota").result()
    store.put_inbox(other, "red", 0, "pass").result()


def main() -> None:
    """Write the present age's file, unless it is there."""
    target = Path(__file__).with_name(f"{HEAD}.sql")
    if target.exists():
        raise SystemExit(f"{target} is there and stays as it is")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "parley.db"
        with Store.open(path) as store:
            fill(store)
        connection = sqlite3.connect(path)
        target.write_text("\n".join(connection.iterdump()) + "\n", encoding="utf-8")
        connection.close()


if __name__ == "__main__":
    main()
