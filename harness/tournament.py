"""Many matches at once: set up or go on with a run, play what is left of it, stop without losing anything."""

from __future__ import annotations

import asyncio
import contextlib
import gc
from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

from harness.records import OVER, RunRecord
from harness.runs import done, goes_on, looked, made_ready, prepare, record_id
from harness.session import BY_HAND, Session, unfinished
from harness.session import Control as Control
from harness.spec import Tournament
from harness.store import Store, StoreError, owner_shown
from harness.watcher import Progress as Progress

COLLECTED_AFTER = (50_000, 10, 10)
"""So many new objects for a first look for cyclic garbage, and so many looks for a longer one, twice."""


class RunResult(NamedTuple):
    """How a run stands when `run` returns. `counts` are its matches by status, `played` those ended by this call.

    `taken`: another process plays it, which `why` names; this one does nothing more.
    """

    name: str
    run_id: int
    status: Literal["finished", "paused", "nothing", "taken"]
    why: str | None
    counts: Mapping[str, int]
    played: int


async def run(
    spec: Tournament,
    store: Store,
    *,
    source: str = "",
    fresh: bool = False,
    add_player: bool = False,
    progress: Progress,
    control: Control | None = None,
) -> RunResult:
    """Play a tournament: a new run, or what is left of the one of that name.

    A provider that is away pauses the run, be it at the very beginning. However it ends, it is not left running. With
    `add_player` players whom the run has not had so far are brought into it.

    Raises:
        SpecError: when the file differs from what the run was begun with, or cannot be played (a key, a price, a
            model or weights missing, a first question refused). No match was begun then.
    """
    control = control or Control()
    spec, record, matches = await prepare(spec, store, source=source, fresh=fresh, add_player=add_player)
    run_id = record_id(record)
    spec = spec.with_overrides(name=record.name)
    spec, matches = await made_ready(spec, run_id, store, matches)
    left = unfinished(matches)
    session = Session(spec, record, matches, store, progress, control)
    if left and not await session.claim():
        return _taken(record, session, store)
    progress.started(record.name, len(matches), len(matches) - len(left))
    if not left:
        return await _nothing(spec, record, store)
    try:
        await session.open()
        with _seldom_collected():
            await session.play_all(left)
    except BaseException as error:
        # A database that fails is the very error that is told of.
        with contextlib.suppress(StoreError):
            await done(store.set_run(run_id, "paused", _reason(error)))
        raise
    finally:
        await session.close()
    if session.taken_by is not None:
        return _taken(record, session, store)
    return await _ended(record, session, store)


def _taken(record: RunRecord, session: Session, store: Store) -> RunResult:
    run_id = record_id(record)
    why = None if session.taken_by is None else f"{owner_shown(session.taken_by)} is playing it"
    return RunResult(record.name, run_id, "taken", why, store.progress(run_id), session.played)


async def _nothing(spec: Tournament, record: RunRecord, store: Store) -> RunResult:
    """Nothing is left to play. Whoever was killed between the last match and its note of the end has left that."""
    run_id = record_id(record)
    why = await asyncio.to_thread(looked, spec, run_id, store)
    if record.status != "finished" or (spec.until is not None and record.why != why):
        await done(store.set_run(run_id, "finished", why))
    return RunResult(record.name, run_id, "nothing", why, store.progress(run_id), 0)


async def _ended(record: RunRecord, session: Session, store: Store) -> RunResult:
    run_id = record_id(record)
    counts = store.progress(run_id)
    left = sum(count for status, count in counts.items() if status not in OVER)
    why = session.why or (f"{left} matches are not finished" if left else None)
    on = False
    if session.spec.until is not None:
        on = not left and await asyncio.to_thread(goes_on, session.spec, run_id, store)
        said = await asyncio.to_thread(looked, session.spec, run_id, store)
        if left:
            why = f"{why}; packs that are not whole keep the next look waiting ({said})"
        else:
            why = f"{why or BY_HAND} before the next look ({said})" if on else said
    status: Literal["finished", "paused"] = "paused" if left or on else "finished"
    await done(store.set_run(run_id, status, why))
    return RunResult(record.name, run_id, status, why, counts, session.played)


@contextlib.contextmanager
def _seldom_collected() -> Iterator[None]:
    """Have cyclic garbage looked for less often. What matches keep until they end grows and grows, hardly any of it is
    garbage, and walking through all of it again and again takes a quarter of a run's time."""
    before = gc.get_threshold()
    gc.set_threshold(*(COLLECTED_AFTER if before[0] else before))
    try:
        yield
    finally:
        gc.set_threshold(*before)


def _reason(error: BaseException) -> str:
    """Why a run is paused that an error ended, in one line."""
    if isinstance(error, asyncio.CancelledError):
        return BY_HAND
    lines = str(error).splitlines()
    return lines[0] if lines else type(error).__name__
