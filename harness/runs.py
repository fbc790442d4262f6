"""Runs set up: a new one from a tournament, or the one of its name, which is gone on with if it is the same."""

from __future__ import annotations

import asyncio
import importlib.metadata
from collections.abc import Awaitable, Sequence
from datetime import UTC, datetime
from typing import NamedTuple, TypeVar

from games import get_game
from harness.adaptive import begun, further, why_it_stands
from harness.prompt import prompts_hash
from harness.records import OVER, Json, MatchRecord, RunRecord
from harness.schedule import installed_identity, schedule
from harness.spec import SpecError, Tournament, going_on, stored
from harness.store import Store, StoreError

T = TypeVar("T")
NAMED = 5
"""So many new players are named in a line."""


def versions() -> Json:
    """The versions that every run and match records: Parley, litellm, and a hash of the prompts."""
    return {
        "parley": importlib.metadata.version("parley-harness"),
        "litellm": importlib.metadata.version("litellm"),
        "prompts": prompts_hash(),
    }


class Prepared(NamedTuple):
    """A run that is there, ready to be played."""

    spec: Tournament
    """The file as the run takes it, with what the run itself wrote."""
    record: RunRecord
    matches: list[MatchRecord]


async def prepare(spec: Tournament, store: Store, *, source: str, fresh: bool, add_player: bool = False) -> Prepared:
    """The run and its matches: found and, where the file asks for more matches, extended; or made.

    `add_player`: the file may have players whom the run has not had so far. They are brought in.

    Raises:
        SpecError: where the file differs from what the run was begun with.
    """
    found = store.run(spec.name)
    if found is None and add_player:
        raise _no_run(spec.name)
    if found is not None and fresh:
        number = 2
        while store.run(f"{spec.name}-{number}") is not None:
            number += 1
        spec, found = spec.with_overrides(name=f"{spec.name}-{number}"), None
    if found is None:
        first = begun(spec)
        record = RunRecord(
            name=spec.name,
            spec=first.to_json(),
            source=source,
            seed=spec.seed,
            versions=versions(),
            created_at=datetime.now(UTC),
        )
        try:
            await done(store.create_run(record, schedule(first)))
        except StoreError:
            # Another process may have begun the very same run in the same moment; then this one joins it.
            if store.run(spec.name) is None:
                raise
        found = store.run(spec.name)
    if found is None:
        raise SpecError(f"the run {spec.name!r} was taken away while it was being set up")
    run_id = record_id(found)
    spec = await _extend(found, spec, store, source, add_player=add_player)
    return Prepared(spec, *_as_it_is(spec.name, run_id, store))


def _as_it_is(name: str, run_id: int, store: Store) -> tuple[RunRecord, list[MatchRecord]]:
    record = store.run(run_id)
    if record is None:
        raise SpecError(f"the run {name!r} was taken away while it was being set up")
    return record, store.matches(run_id)


def looked(spec: Tournament, run_id: int, store: Store) -> str | None:
    """What the looks so far say of a run that stops by them, in one line."""
    return None if spec.until is None else why_it_stands(spec, store.seat_stats([run_id]))


def goes_on(spec: Tournament, run_id: int, store: Store) -> bool:
    """Whether a run that stops by looks has more to play than what it is ready for."""
    return further(spec, store.seat_stats([run_id])) is not None


async def made_ready(
    spec: Tournament, run_id: int, store: Store, matches: list[MatchRecord]
) -> tuple[Tournament, list[MatchRecord]]:
    """Look, where a run stops by looks and all that it is ready for is over, and make it ready for the next look if it
    goes on. Its file and all of its matches then."""
    if spec.until is None or any(match.status not in OVER for match in matches):
        return spec, matches
    wider = await asyncio.to_thread(lambda: further(spec, store.seat_stats([run_id])))
    if wider is None:
        return spec, matches
    more = schedule(wider)[len(matches) :]
    try:
        await done(store.extend_run(run_id, spec=wider.to_json(), matches=more))
    except StoreError:
        # Another process may have looked in the same moment, and have come to the same.
        if len(store.matches(run_id)) < len(matches) + len(more):
            raise
    return wider, _as_it_is(spec.name, run_id, store)[1]


class Growth(NamedTuple):
    """What a file makes of a run that is there."""

    spec: Tournament
    """The file as the run takes it."""
    joining: tuple[str, ...]
    """Labels of players whom the run has not had so far."""
    more: list[MatchRecord]
    """The matches that it has not had so far."""


def growth(spec: Tournament, store: Store) -> Growth:
    """What `--add-player` would add to the stored run of this file; nothing is written.

    Raises:
        SpecError: where there is no such run, or the file differs from what it was begun with.
    """
    found = store.run(spec.name)
    if found is None:
        raise _no_run(spec.name)
    return _growth(found, spec, store, add_player=True)


def _no_run(name: str) -> SpecError:
    return SpecError(f"name: there is no run {name!r} to add a player to; leave --add-player out to begin it")


async def _extend(found: RunRecord, spec: Tournament, store: Store, source: str, *, add_player: bool) -> Tournament:
    grown = _growth(found, spec, store, add_player=add_player)
    plain = grown.spec.to_json()
    if grown.more or plain != found.spec:
        await done(store.extend_run(record_id(found), spec=plain, source=source, matches=grown.more))
    return grown.spec


def _growth(found: RunRecord, spec: Tournament, store: Store, *, add_player: bool) -> Growth:
    # Limits and budget may be changed in any way, so one that is stored and cannot be read is no hindrance; and the
    # file's may name players whom the run does not have yet.
    free = {"parallel": spec.parallel, "limits": {}, "budget": None}
    before = stored(found.spec | free, found.name)
    change = going_on(before, spec)
    existing = store.matches(record_id(found))
    forks = any(match.forked for match in existing)
    again = "use --fresh to start a new run beside it, or give the file another name"
    if forks:
        again = "it is a run of forks: fork its matches anew, or give the file another name"
    if change.joining and (forks or not add_player) and not change.differences:
        named = ", ".join(change.joining[:NAMED]) + (", …" if len(change.joining) > NAMED else "")
        flag = "" if forks else "--add-player brings them in; or "
        raise SpecError(f"players: the run {found.name!r} was begun without {named}; {flag}{again}")
    if change.differences:
        told = ", ".join(change.differences)
        raise SpecError(f"the file differs from what the run {found.name!r} was begun with: {told}; {again}")
    spec = change.spec
    wanted = _seated_now(existing, spec) if forks else schedule(spec)
    for old, new in zip(existing, wanted, strict=False):
        # What is decided by looks is decided from one and the same player.
        over = old.status in OVER and (spec.until is None or found.status == "finished")
        for seat_before, seat_now in zip(old.seats, new.seats, strict=True):
            if seat_before.identity != seat_now.identity and not over:
                raise SpecError(
                    f"player {seat_now.label!r} is no longer the one that the run {found.name!r} was begun with "
                    f"(the prompts or the version of Parley changed); {again}"
                )
    return Growth(spec, change.joining, [match for match in wanted if match.number >= len(existing)])


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
