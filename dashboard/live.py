"""What a page asks for while matches go on: only what is new, derived from where the last answer ended."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import NamedTuple

from dashboard.bundle import boards
from dashboard.data import title
from games import GAMES, get_game
from harness.prompt import view_text
from harness.records import Json, MatchRecord, MessageRecord
from harness.replay import BrokenLog, Frame, follow, frame_json, frames
from harness.store import Store

SIZES = (2, 4, 6, 8)
"""How many boards a wall may have."""
LINGER = timedelta(seconds=8)
"""A match that ended stays on the wall for so long though others wait for its place."""
LISTED = 100
"""So many of the matches that are played besides those on the wall are named."""
_KEPT = 64
"""Matches whose last position is remembered."""


class Standing(NamedTuple):
    """Where a match stands: its last ply and the last thing that was said."""

    frame: Frame
    message: MessageRecord | None


class Follower:
    """Remembers where matches stand, so that a look at one costs what was played since the last look."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._standings: OrderedDict[int, Standing] = OrderedDict()
        self._lock = threading.Lock()

    def standing(self, match: MatchRecord) -> Standing | None:
        """Where a match stands now; None before its start is written.

        Raises:
            BrokenLog: the log cannot be followed.
            StoreError: the database cannot be read.
        """
        match_id = match.id or 0
        with self._lock:
            known = self._standings.get(match_id)
        if known is None or known.frame.ply > match.plies:
            known = self._begin(match_id)
        if known is None:
            return None
        for frame in follow(match, known.frame, self.store.turns(match_id, after=known.frame.ply)):
            known = known._replace(frame=frame)
        said = self.store.messages(match_id, after=known.message.seq if known.message else -1)
        if said:
            known = known._replace(message=said[-1])
        with self._lock:
            self._standings[match_id] = known
            self._standings.move_to_end(match_id)
            while len(self._standings) > _KEPT:
                self._standings.popitem(last=False)
        return known

    def _begin(self, match_id: int) -> Standing | None:
        match = self.store.match(match_id)
        if match is None or match.start is None:
            return None
        return Standing(next(iter(frames(match, ()))), None)


@lru_cache(maxsize=2)
def follower(store: Store) -> Follower:
    """The one follower of a store."""
    return Follower(store)


def wall(
    following: Follower, *, size: int, run: int | None, shown: Sequence[int], have: Mapping[int, str], now: datetime
) -> Json:
    """A wall of `size` boards: where each match on it stands, and what else is being played.

    `shown` are the matches on the reader's wall, place by place; each keeps its place while it is played and for a
    little longer. `have` is the `mark` of what the reader has of a match: where that is still so, nothing is repeated.
    With a `run` (its id) only matches of that run are shown.
    """
    store = following.store
    playing = store.playing()
    runs = {record.id: record.name for record in store.runs()}
    of_run = [match for match in playing if run is None or match.run_id == run]
    places = _places(store, of_run, shown[:size], size, run, now)
    on_wall = {match.id for match in places}
    waiting = [match for match in of_run if match.id not in on_wall]
    counts: dict[int, int] = {}
    for match in playing:
        counts[match.run_id or 0] = counts.get(match.run_id or 0, 0) + 1
    return {
        "size": size,
        "run": run,
        "runs": [{"id": number, "name": runs.get(number, ""), "playing": counts[number]} for number in sorted(counts)],
        "playing": len(of_run),
        "cells": [_cell(following, match, runs.get(match.run_id, ""), have) for match in places],
        "others": [{"id": match.id, "title": title(match.game), "plies": match.plies} for match in waiting[:LISTED]],
    }


def _places(
    store: Store, playing: Sequence[MatchRecord], shown: Sequence[int], size: int, run: int | None, now: datetime
) -> list[MatchRecord]:
    """The matches on the wall in their places. An ended match goes when another waits for its place."""
    by_id = {match.id: match for match in playing}
    ended = {number: match for number in shown if number not in by_id and (match := store.match(number)) is not None}
    fitting = {number: match for number, match in ended.items() if run is None or match.run_id == run}
    lingering = {
        number for number, match in fitting.items() if match.ended_at is not None and now - match.ended_at < LINGER
    }
    waiting: Iterable[MatchRecord] = iter([match for match in playing if match.id not in shown])
    places: list[MatchRecord] = []
    for number in (*shown, *[None] * (size - len(shown))):
        if number in by_id:
            places.append(by_id[number])
        elif number in lingering:
            places.append(fitting[number])
        elif (next_one := next(iter(waiting), None)) is not None:
            places.append(next_one)
        elif number in fitting:
            places.append(fitting[number])
    return places


def _cell(following: Follower, match: MatchRecord, run: str, have: Mapping[int, str]) -> Json:
    number = match.id or 0
    cell: Json = {"id": number}
    try:
        if match.game not in GAMES:
            raise KeyError(match.game)
        standing = following.standing(match)
    except (BrokenLog, KeyError) as error:
        return {**cell, "mark": "broken", **_head(match, run), "fault": _fault(match, error)}
    ply = standing.frame.ply if standing else 0
    said = standing.message.seq if standing and standing.message else -1
    cell["mark"] = f"{match.status}.{ply}.{said}.{'begun' if standing else 'waits'}"
    if have.get(number) == cell["mark"]:
        return cell
    cell |= _head(match, run)
    if standing is not None:
        game = get_game(match.game)
        view = {key: value for key, value in game.view(standing.frame.state, None).items() if key != "you"}
        cell |= {"frame": frame_json(match.game, standing.frame), "view": view}
        if match.game not in boards():
            cell["text"] = view_text(match.game, {**view, "you": None})
        if standing.message is not None:
            cell["message"] = standing.message.model_dump(include={"sender", "addressee", "text", "ply"})
    return cell


def _fault(match: MatchRecord, error: Exception) -> str:
    if isinstance(error, BrokenLog):
        return f"its log cannot be re-executed ({error})"
    return f"the game {match.game} is not installed here"


def _head(match: MatchRecord, run: str) -> Json:
    return {
        "match": {
            "id": match.id,
            "run": run,
            "game": match.game,
            "title": title(match.game),
            "options": match.options,
            "scenario": match.scenario,
            "status": match.status,
            "why": match.why,
            "outcome": match.outcome,
            "seats": [seat.model_dump(include={"seat", "label", "kind", "model"}) for seat in match.seats],
        }
    }


def now() -> datetime:
    """The time, in UTC."""
    return datetime.now(UTC)
