"""Runs set up: a new one from a tournament, or the one of its name, which is gone on with if it is the same."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Awaitable, Sequence
from datetime import UTC, datetime
from typing import TypeVar

from games import get_game
from harness.prompt import prompts_hash
from harness.records import Json, MatchRecord, RunRecord
from harness.schedule import installed_identity, schedule
from harness.spec import SpecError, Tournament, differences, stored
from harness.store import Store, StoreError

T = TypeVar("T")


def versions() -> Json:
    """The versions that every run and match records: Parley, litellm, and a hash of the prompts."""
    return {
        "parley": importlib.metadata.version("parley-harness"),
        "litellm": importlib.metadata.version("litellm"),
        "prompts": prompts_hash(),
    }


async def prepare(spec: Tournament, store: Store, *, source: str, fresh: bool) -> tuple[RunRecord, list[MatchRecord]]:
    """The run's record and matches: found and, where the file asks for more matches, extended; or made."""
    found = store.run(spec.name)
    if found is not None and fresh:
        number = 2
        while store.run(f"{spec.name}-{number}") is not None:
            number += 1
        spec, found = spec.with_overrides(name=f"{spec.name}-{number}"), None
    if found is None:
        record = RunRecord(
            name=spec.name,
            spec=spec.to_json(),
            source=source,
            seed=spec.seed,
            versions=versions(),
            created_at=datetime.now(UTC),
        )
        try:
            await done(store.create_run(record, schedule(spec)))
        except StoreError:
            # Another process may have begun the very same run in the same moment; then this one joins it.
            if store.run(spec.name) is None:
                raise
        found = store.run(spec.name)
    if found is None:
        raise SpecError(f"the run {spec.name!r} was taken away while it was being set up")
    run_id = record_id(found)
    await _extend(found, spec, store, source)
    record_now = store.run(run_id)
    if record_now is None:
        raise SpecError(f"the run {spec.name!r} was taken away while it was being set up")
    return record_now, store.matches(run_id)


async def _extend(found: RunRecord, spec: Tournament, store: Store, source: str) -> None:
    # Limits and budget may be changed in any way, so one that is stored and cannot be read is no hindrance.
    free = {key: value for key, value in spec.to_json().items() if key in ("parallel", "limits", "budget")}
    before = stored(found.spec | free, found.name)
    changed = differences(before, spec)
    existing = store.matches(record_id(found))
    forks = any(match.forked for match in existing)
    again = "use --fresh to start a new run beside it, or give the file another name"
    if forks:
        again = "it is a run of forks: fork its matches anew, or give the file another name"
    if changed:
        raise SpecError(f"the run {found.name!r} was begun with another {', '.join(changed)}; {again}")
    wanted = _seated_now(existing, spec) if forks else schedule(spec)
    for old, new in zip(existing, wanted, strict=False):
        for seat_before, seat_now in zip(old.seats, new.seats, strict=True):
            if seat_before.identity != seat_now.identity and old.status not in ("finished", "void"):
                raise SpecError(
                    f"player {seat_now.label!r} is no longer the one that the run {found.name!r} was begun with "
                    f"(the prompts or the version of Parley changed); {again}"
                )
    more = [match for match in wanted if match.number >= len(existing)]
    if more or spec.to_json() != found.spec:
        await done(store.extend_run(record_id(found), spec=spec.to_json(), source=source, matches=more))


def _seated_now(forks: Sequence[MatchRecord], spec: Tournament) -> list[MatchRecord]:
    """The matches of a run of forks with their players as they are now: no file gives them."""
    identify = installed_identity()
    return [
        fork.model_copy(
            update={
                "seats": tuple(
                    seat.model_copy(update={"identity": identify(spec.player(seat.label), get_game(fork.game))})
                    for seat in fork.seats
                )
            }
        )
        for fork in forks
    ]


async def done(write: Awaitable[T]) -> T:
    """Wait until the rows of a write are durable."""
    return await write


def record_id(record: RunRecord | MatchRecord) -> int:
    """The id of a stored record."""
    if record.id is None:
        raise ValueError("the record is not stored yet")
    return record.id
