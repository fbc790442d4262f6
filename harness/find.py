"""Find a moment of a run: what was said, done, or happened, and what was answered that could not be taken."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Generator, Iterator, Sequence
from heapq import merge
from itertools import groupby, islice
from operator import attrgetter
from typing import Literal, NamedTuple, get_args

from games.api import Event
from harness.pledges import VERDICTS, JudgedPledge, Verdict, judge
from harness.prompt import event_text
from harness.records import Json, RunRecord, Source
from harness.store import Store
from harness.store.find import MessageHit, Span

LIMIT = 50
LONGEST = 200
"""Letters that the words, an action or a kind may have at most: no database looks for texts of any length."""
What = Literal["message", "pledge", "action", "event", "illegal"]
WHATS: tuple[What, ...] = get_args(What)
_HAVE: dict[str, frozenset[What]] = {
    "said-by": frozenset({"message", "pledge"}),
    "to": frozenset({"message", "pledge"}),
    "kind": frozenset({"event", "pledge"}),
    "action": frozenset({"action", "event"}),
    "source": frozenset({"action", "event"}),
    "illegal": frozenset({"illegal"}),
    "verdict": frozenset({"pledge"}),
}
"""Which moments have what a field asks for."""


class BadQuery(ValueError):
    """A query that can have no answer. The text begins with the field at fault."""


class Query(NamedTuple):
    """What is looked for. Every word has to occur, in any case; every field that is given has to hold."""

    words: tuple[str, ...] = ()
    """In messages; in actions; in the kind and the sentence of events; in the terms and the message of pledges, and in
    the verdict if one was asked for; in what was wrong with an illegal answer."""
    said_by: str | None = None
    """A seat, or a player's label: messages alone, or pledges."""
    to: str | None = None
    """`all`, a seat or a label: messages alone, or pledges made to it."""
    kind: str | None = None
    """Events of that kind, and pledges of that kind."""
    action: str | None = None
    """A part of the action: actions alone, or with `kind` the events of such actions."""
    source: Source | None = None
    """How the action came about; like `action`."""
    illegal: bool = False
    """Illegal answers alone."""
    verdict: str | None = None
    """Pledges alone, those that came to it: one of `harness.pledges.VERDICTS`. It takes a match's whole log to judge
    them, so that of every match with such a pledge is read and played again."""
    by: str | None = None
    """A seat, or a player's label: whoever spoke, promised, acted, brought an event about or answered."""
    what: str | None = None
    """One of `WHATS` alone."""
    limit: int = LIMIT
    """At most so many hits, the first in the order of play."""

    @property
    def who(self) -> str | None:
        """Whose moments are looked for."""
        return self.by if self.said_by is None else self.said_by


class Hit(NamedTuple):
    """One moment: the match and the ply at which it is seen in a replay. `text` is as it was written: hostile."""

    match: int
    number: int
    """Of the match in its run."""
    ply: int
    """Of a pledge that was judged: that of the act which decided it."""
    seat: str
    """Who spoke, promised, acted or answered."""
    label: str
    what: What
    kind: str | None
    """Of an event or a pledge."""
    to: str | None
    """Of a message or a pledge."""
    source: str | None
    """Of an action, and of the action that an event came from."""
    text: str
    verdict: Verdict | None = None
    """Of a pledge, where a verdict was asked for."""


class Mark(NamedTuple):
    """How far a run was looked through: up to that match number and ply, and `seen` hits of that ply."""

    number: int = 0
    ply: int = 0
    seen: int = 0

    def after(self, hits: Sequence[Hit]) -> Mark:
        """The mark behind these hits, which were found from this one on."""
        if not hits:
            return self
        last = (hits[-1].number, hits[-1].ply)
        seen = sum((hit.number, hit.ply) == last for hit in hits)
        return Mark(*last, seen + self.seen if last == self[:2] else seen)


START = Mark()


def find(store: Store, run: RunRecord, query: Query, *, since: Mark = START, before: int | None = None) -> list[Hit]:
    """The first moments of a run that fit, by match number and ply: those behind `since`, in matches numbered below
    `before`.

    Nothing is read beyond the last hit that is wanted. In a run of forks only what the forks themselves played is
    looked at.

    Raises:
        BadQuery: when nothing can fit.
    """
    if run.id is None:
        raise ValueError("the run is not stored yet")
    searched = _searched(query)
    _check_seats(store, run.id, query)
    span = Span(since.number, since.ply, before)
    with contextlib.ExitStack() as stack:
        streams = [
            stack.enter_context(contextlib.closing(stream)) for stream in _streams(store, run.id, query, searched, span)
        ]
        found = merge(*streams, key=attrgetter("number", "ply"))
        return list(islice(found, since.seen, since.seen + query.limit))


def _searched(query: Query) -> frozenset[What]:
    """Which moments have all that is asked for."""
    asked = {
        "said-by": query.said_by,
        "to": query.to,
        "kind": query.kind,
        "action": query.action,
        "source": query.source,
        "illegal": query.illegal or None,
        "verdict": query.verdict,
    }
    given = [name for name, value in asked.items() if value is not None]
    if not (query.words or given or query.by is not None or query.what is not None):
        raise BadQuery("words: there are none; give some, or say what else is looked for")
    if any(not word.strip() for word in query.words):
        raise BadQuery("words: one of them is empty; leave it out")
    for name, text in (("words", "".join(query.words)), ("action", query.action or ""), ("kind", query.kind or "")):
        if len(text) > LONGEST:
            raise BadQuery(f"{name}: {len(text):,} letters; at most {LONGEST} can be looked for")
    known: tuple[tuple[str, str | None, tuple[str, ...]], ...] = (
        ("source", query.source, get_args(Source)),
        ("verdict", query.verdict, VERDICTS),
        ("what", query.what, WHATS),
    )
    for name, value, values in known:
        if value is not None and value not in values:
            raise BadQuery(f"{name}: {value!r} is none of {', '.join(values)}")
    if query.by is not None and query.said_by is not None:
        raise BadQuery("by: said-by tells whose already; give one of them")
    if query.limit < 1:
        raise BadQuery(f"limit: {query.limit} is not a whole number from 1")
    searched = frozenset(one for one in WHATS if query.what in (None, one))
    for number, name in enumerate(given):
        other = next((one for one in given[:number] if not _HAVE[one] & _HAVE[name]), f"what {query.what}")
        searched &= _HAVE[name]
        if not searched:
            raise BadQuery(f"{name}: nothing has that and {other} too; ask for one of them")
    return searched


def _check_seats(store: Store, run_id: int, query: Query) -> None:
    if query.said_by is None and query.to is None and query.by is None:
        return
    seats, labels = store.sitters(run_id)
    known = seats | labels
    for name, value, others in (("said-by", query.said_by, set()), ("to", query.to, {"all"}), ("by", query.by, set())):
        if value is not None and value not in known | others:
            there = ", ".join([*sorted(others), *sorted(seats), *sorted(labels - seats)])
            raise BadQuery(f"{name}: {value!r} is no seat and no player of this run; there are {there}")


def _streams(
    store: Store, run_id: int, query: Query, searched: frozenset[What], span: Span
) -> Iterator[Generator[Hit, None, None]]:
    # Where nothing asks for pledges or events as such, the message and the action that they came with stand for them.
    if "message" in searched:
        yield _messages(store, run_id, query, span)
    if "pledge" in searched and query.verdict is not None:
        yield _judged(store, run_id, query, span)
    elif "pledge" in searched and (query.kind is not None or query.what == "pledge"):
        yield _pledges(store, run_id, query, span)
    actions = "action" in searched
    events = "event" in searched and not (actions and (query.action is not None or query.source is not None))
    if actions or events:
        yield _turns(store, run_id, query, span, actions=actions, events=events)
    if "illegal" in searched:
        yield _illegal(store, run_id, query, span)


def _messages(store: Store, run_id: int, query: Query, span: Span) -> Generator[Hit, None, None]:
    for hit in store.find_messages(run_id, words=query.words, sender=query.who, to=query.to, span=span):
        yield Hit(*hit[:5], "message", None, hit.to, None, hit.text)


def _promising(store: Store, run_id: int, query: Query, span: Span) -> Iterator[MessageHit]:
    # What every pledge may be told with is not in the database, nor are its numbers as text.
    told = _FRAME + (query.verdict or "")
    words = [word for word in query.words if word.casefold() not in told and not _PART.search(word)]
    return store.find_messages(
        run_id, words=words, sender=query.who, to=query.to, pledged=True, kind=query.kind, span=span
    )


def _pledges(store: Store, run_id: int, query: Query, span: Span) -> Generator[Hit, None, None]:
    for hit in _promising(store, run_id, query, span):
        for kind, to, turns, condition, _ in hit.pledges:
            text = f"{_terms(kind, to, turns, condition)}: {hit.text}"
            if _holds(f"pledge: {text}", query.words):
                yield Hit(*hit[:5], "pledge", kind, to, None, text)


def _judged(store: Store, run_id: int, query: Query, span: Span) -> Generator[Hit, None, None]:
    # What is decided behind a ply may have been promised before it.
    messages = _promising(store, run_id, query, span._replace(ply=0))
    for (match_id, number), promising in groupby(messages, attrgetter("match", "number")):
        told = [
            (hit, pledge, text)
            for hit in promising
            for pledge in hit.pledges
            if _holds(f"pledge {query.verdict}: {(text := _told(hit, *pledge[:4]))}", query.words)
        ]
        # Judging plays the match again: only where a pledge of the right verdict would be a hit.
        verdicts = _verdicts(store, match_id) if told else {}
        found = []
        for hit, (kind, to, _, _, place), text in told:
            fate = verdicts.get((hit.seq, place))
            if fate is not None and fate.verdict == query.verdict:
                ply = hit.ply if fate.verdict_ply is None else fate.verdict_ply
                found.append(Hit(match_id, number, ply, *hit[3:5], "pledge", kind, to, None, text, fate.verdict))
        for one in sorted(found, key=attrgetter("ply")):
            if (number, one.ply) >= (span.number, span.ply):
                yield one


def _verdicts(store: Store, match_id: int) -> dict[tuple[int, int], JudgedPledge]:
    """What became of each pledge of a match, by its message and its number in that."""
    match = store.match(match_id)
    if match is None:
        return {}
    return {(one.seq, one.number): one for one in judge(match, store.acts(match_id), store.messages(match_id))}


_FRAME = "pledge: to within turns, if does, said at ply: "
"""The words around the terms of a pledge."""
_PART = re.compile(r"[\d:,]")
"""In a word that may be more than one column of a pledge, or a number."""


def _told(hit: MessageHit, kind: str, to: str, turns: int, condition: str | None) -> str:
    return f"{_terms(kind, to, turns, condition)}, said at ply {hit.ply}: {hit.text}"


def _terms(kind: str, to: str, turns: int, condition: str | None) -> str:
    return f"{kind} to {to} within {turns} turns" + (f", if {to} does {condition}" if condition else "")


def _turns(
    store: Store, run_id: int, query: Query, span: Span, *, actions: bool, events: bool
) -> Generator[Hit, None, None]:
    # Among all events, words of a sentence that are not in the log go unfound, so that few rows are read; where a kind
    # narrows the search down, they are looked for in the sentences alone.
    in_log = query.words if query.kind is None else ()
    turns = store.find_turns(
        run_id, words=in_log, seat=query.who, action=query.action, source=query.source, kind=query.kind, span=span
    )
    for hit in turns:
        place = hit[:5]
        if actions and _holds(hit.action, query.words):
            # The moment is found; its events are seen with it.
            yield Hit(*place, "action", None, None, hit.source, hit.action)
            continue
        for event in hit.events if events else ():
            if query.kind in (None, event["kind"]) and _tells(hit.game, event, query):
                text = event_text(hit.game, Event.from_json(event))
                yield Hit(*place, "event", event["kind"], None, hit.source, text)


def _tells(game: str, event: Json, query: Query) -> bool:
    """Whether an event holds every word where people see it: the log's names of fields are nothing that happened."""
    return not query.words or _holds(f"{event['kind']}: {event_text(game, Event.from_json(event))}", query.words)


def _illegal(store: Store, run_id: int, query: Query, span: Span) -> Generator[Hit, None, None]:
    for hit in store.find_illegal(run_id, words=query.words, seat=query.who, span=span):
        yield Hit(*hit[:5], "illegal", None, None, None, hit.error)


def _holds(text: str, words: tuple[str, ...]) -> bool:
    folded = text.casefold()
    return all(word.casefold() in folded for word in words)
