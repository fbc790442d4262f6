"""Find a moment of a run: what was said, done, or happened, and what was answered that could not be taken."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Generator, Iterator
from heapq import merge
from itertools import islice
from typing import Literal, NamedTuple, get_args

from games.api import Event
from harness.prompt import event_text
from harness.records import Json, RunRecord, Source
from harness.store import Store

LIMIT = 50
What = Literal["message", "pledge", "action", "event", "illegal"]


class BadQuery(ValueError):
    """A query that can have no answer. The text begins with the field at fault."""


class Query(NamedTuple):
    """What is looked for. Every word has to occur, in any case; every field that is given has to hold."""

    words: tuple[str, ...] = ()
    """In messages; in actions; in the kind and fields of events; in what was wrong with an illegal answer."""
    said_by: str | None = None
    """A seat, or a player's label: messages alone."""
    to: str | None = None
    """`all`, a seat or a label: messages alone."""
    kind: str | None = None
    """Events of that kind, and pledges of that kind."""
    action: str | None = None
    """A part of the action: actions alone, or with `kind` the events of such actions."""
    source: Source | None = None
    """How the action came about; like `action`."""
    illegal: bool = False
    """Illegal answers alone."""
    limit: int = LIMIT
    """At most so many hits, the first in the order of play."""


class Hit(NamedTuple):
    """One moment: the match and the ply at which it is seen in a replay. `text` is as it was written: hostile."""

    match: int
    number: int
    """Of the match in its run."""
    ply: int
    seat: str
    label: str
    what: What
    kind: str | None
    """Of an event or a pledge."""
    to: str | None
    """Of a message or a pledge."""
    source: str | None
    """Of an action, and of the action that an event came from."""
    text: str


def find(store: Store, run: RunRecord, query: Query) -> list[Hit]:
    """The first moments of a run that fit, by match number and ply.

    Nothing is read beyond the last hit that is wanted. In a run of forks only what the forks themselves played is
    looked at.

    Raises:
        BadQuery: when nothing can fit.
    """
    if run.id is None:
        raise ValueError("the run is not stored yet")
    _check(query)
    _check_seats(store, run.id, query)
    with contextlib.ExitStack() as stack:
        streams = [stack.enter_context(contextlib.closing(stream)) for stream in _streams(store, run.id, query)]
        found = merge(*streams, key=lambda hit: (hit.number, hit.ply))
        return list(islice(found, query.limit))


def _check(query: Query) -> None:
    said = [name for name, value in (("said-by", query.said_by), ("to", query.to)) if value is not None]
    played = [name for name, value in (("action", query.action), ("source", query.source)) if value is not None]
    kind = ["kind"] if query.kind is not None else []
    answered = ["illegal"] if query.illegal else []
    if not (query.words or said or played or kind or answered):
        raise BadQuery("words: there are none; give some, or one of said-by, to, kind, action, source, illegal")
    if any(not word.strip() for word in query.words):
        raise BadQuery("words: one of them is empty; leave it out")
    for here, there in ((said, played), (said, answered), (played, answered), (kind, answered)):
        if here and there:
            raise BadQuery(f"{there[0]}: nothing has that and {here[0]} too; ask for one of them")
    if query.source is not None and query.source not in get_args(Source):
        raise BadQuery(f"source: {query.source!r} is none of {', '.join(get_args(Source))}")
    if query.limit < 1:
        raise BadQuery(f"limit: {query.limit} is not a whole number from 1")


def _check_seats(store: Store, run_id: int, query: Query) -> None:
    if query.said_by is None and query.to is None:
        return
    seats, labels = store.sitters(run_id)
    known = seats | labels
    for name, value, others in (("said-by", query.said_by, set()), ("to", query.to, {"all"})):
        if value is not None and value not in known | others:
            there = ", ".join([*sorted(others), *sorted(seats), *sorted(labels - seats)])
            raise BadQuery(f"{name}: {value!r} is no seat and no player of this run; there are {there}")


def _streams(store: Store, run_id: int, query: Query) -> Iterator[Generator[Hit, None, None]]:
    said = query.said_by is not None or query.to is not None
    played = query.action is not None or query.source is not None
    if not played and not query.illegal:
        yield _messages(store, run_id, query)
    if not said and not query.illegal:
        yield _turns(store, run_id, query)
    if query.illegal or not (said or played or query.kind):
        yield _illegal(store, run_id, query)


def _messages(store: Store, run_id: int, query: Query) -> Generator[Hit, None, None]:
    hits = store.find_messages(run_id, words=query.words, sender=query.said_by, to=query.to, kind=query.kind)
    for hit in hits:
        place = hit[:5]
        if query.kind is None:
            yield Hit(*place, "message", None, hit.to, None, hit.text)
        for kind, to, turns, condition in hit.pledges if query.kind is not None else ():
            terms = f"within {turns} turns" + (f", if {to} does {condition}" if condition else "")
            yield Hit(*place, "pledge", kind, to, None, f"{kind} to {to} {terms}: {hit.text}")


def _turns(store: Store, run_id: int, query: Query) -> Generator[Hit, None, None]:
    # What people read of an event need not stand in the log; where a kind narrows the search down, the words are looked
    # for in that too.
    in_log = query.words if query.kind is None else ()
    events_too = query.kind is not None or (query.action is None and query.source is None)
    for hit in store.find_turns(run_id, words=in_log, action=query.action, source=query.source, kind=query.kind):
        place = hit[:5]
        if query.kind is None and _holds(hit.action, query.words):
            # The moment is found; its events are seen with it.
            yield Hit(*place, "action", None, None, hit.source, hit.action)
            continue
        for event in hit.events if events_too else ():
            if query.kind in (None, event["kind"]) and _tells(hit.game, event, query):
                text = event_text(hit.game, Event.from_json(event))
                yield Hit(*place, "event", event["kind"], None, hit.source, text)


def _tells(game: str, event: Json, query: Query) -> bool:
    """Whether an event holds every word."""
    if not query.words:
        return True
    fields = {name: value for name, value in event.items() if name not in ("kind", "audience")}
    logged = f"{event['kind']} {json.dumps(fields, ensure_ascii=False, separators=(',', ':'))}"
    if query.kind is not None:
        logged += f"\n{event_text(game, Event.from_json(event))}"
    return _holds(logged, query.words)


def _illegal(store: Store, run_id: int, query: Query) -> Generator[Hit, None, None]:
    for hit in store.find_illegal(run_id, words=query.words):
        yield Hit(*hit[:5], "illegal", None, None, None, hit.error)


def _holds(text: str, words: tuple[str, ...]) -> bool:
    folded = text.casefold()
    return all(word.casefold() in folded for word in words)
