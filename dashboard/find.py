"""What the page Find asks for: what there is to choose from, and hits, found piece by piece. Knows nothing of the web.

A run may have a million turns. One look takes about a second at most and tells how far it came; the page goes on from
there for as long as somebody waits for it.
"""

from __future__ import annotations

import re
import time
from bisect import bisect_left
from collections.abc import Mapping, Sequence

from dashboard.data import Query as Asked
from dashboard.data import match_number, run_of
from dashboard.unread import Unknown, missing, short
from harness.find import WHATS, BadQuery, Hit, Mark, Query, find
from harness.pledges import VERDICTS
from harness.records import Json, RunRecord
from harness.store import Store

PAGE = 50
"""Hits of one look at most."""
SECONDS = 1.0
"""So long a look may take, unless its first matches alone take longer."""
SHOWN = 240
"""Characters of a hit's text that are shown at most."""
_AHEAD = 60
"""Of those, so many before the first word that was found."""
_FIRST = 25
_GROWTH = 4
"""So many matches are looked through at first, and so many times more after that."""
_TYPED = 200
_FIELDS = ("by", "to", "kind", "verdict", "what")


def choices(store: Store, asked: Mapping[str, str]) -> Json:
    """The runs, newest first, and of the run asked for (if none is, the newest) what its moments can be told apart by.

    `note` says what of the question names what is not there, and `left_out` which of its fields.

    Raises:
        StoreError: the database cannot be read.
    """
    runs = store.runs()
    listed: Json = {"runs": [{"id": run.id, "name": run.name} for run in reversed(runs)]}
    if not runs:
        return listed
    wanted = _run(runs, asked)
    run = wanted or runs[-1]
    seats, labels = store.sitters(run.id or 0)
    kinds = store.kinds(run.id or 0)
    who = sorted(seats | labels)
    there = {"by": who, "to": ["all", *who], "kind": kinds, "verdict": VERDICTS, "what": WHATS}
    unknown = [
        Unknown(name, asked[name], some) for name, some in there.items() if asked.get(name, "") not in ("", *some)
    ]
    notes = (
        [f"There is no run {short(asked['run'])} in this database. Shown is the newest."]
        if _unheard(asked, wanted)
        else []
    )
    return {
        **listed,
        "run": run.id,
        "note": " ".join([*notes, *([missing(unknown)] if unknown else [])]),
        "left_out": [one.name for one in unknown],
        "matches": len(store.match_numbers(run.name) or ()),
        "seats": sorted(seats),
        "labels": sorted(labels - seats),
        "kinds": kinds,
    }


def hits(store: Store, asked: Mapping[str, str], *, seconds: float = SECONDS) -> Json:
    """The next hits of a query behind its `mark`, at most its `limit`.

    `mark` in the answer is where to go on, None at the end; `looked` of the run's `of` matches have been looked through
    so far.

    Raises:
        StoreError: the database cannot be read.
    """
    run = _run(store.runs(), asked)
    if run is None:
        return {"fault": _no_run(asked)}
    words = tuple(asked.get("words", "")[:_TYPED].split())
    by, to, kind, verdict, what = (asked.get(name) or None for name in _FIELDS)
    limit = min(match_number(asked.get("limit")) or PAGE, PAGE)
    query = Query(words, by=by, to=to, kind=kind, verdict=verdict, what=what, limit=limit)
    try:
        return _look(store, run, query, _mark(asked.get("mark", "")), seconds)
    except BadQuery as error:
        return {"fault": f"{error}"}


def _run(runs: Sequence[RunRecord], asked: Mapping[str, str]) -> RunRecord | None:
    return run_of(runs, Asked.read(asked))


def _unheard(asked: Mapping[str, str], run: RunRecord | None) -> bool:
    return run is None and bool(asked.get("run"))


def _no_run(asked: Mapping[str, str]) -> str:
    return f"run: {asked.get('run', '')!r} is none of this database; choose one"


def _mark(text: str) -> Mark:
    parts = [match_number(part) for part in text.split(".")]
    known = [part for part in parts if part is not None]
    return Mark(*known) if len(known) == len(parts) == len(Mark._fields) else Mark()


def _look(store: Store, run: RunRecord, query: Query, since: Mark, seconds: float) -> Json:
    numbers = list((store.match_numbers(run.name) or {}).values())
    begun = time.monotonic()
    found: list[Hit] = []
    mark: Mark | None = since
    place, size = bisect_left(numbers, since.number), _FIRST
    while place < len(numbers) and mark is not None:
        piece = time.monotonic()
        end = place + size
        before = numbers[end] if end < len(numbers) else None
        found += find(store, run, query._replace(limit=query.limit + 1 - len(found)), since=mark, before=before)
        if len(found) > query.limit:
            found = found[: query.limit]
            mark = since.after(found)
            place = bisect_left(numbers, mark.number)
            break
        mark = None if before is None else Mark(before)
        place = min(end, len(numbers))
        now = time.monotonic()
        if now - begun + _GROWTH * (now - piece) > seconds:
            break
        size *= _GROWTH
    return {
        "hits": [_shown(hit, query.words) for hit in found],
        "mark": ".".join(map(str, mark)) if mark is not None and place < len(numbers) else None,
        "looked": place,
        "of": len(numbers),
    }


def _shown(hit: Hit, words: Sequence[str]) -> Json:
    return {**hit._asdict(), "text": excerpt(hit.text, words)}


def excerpt(text: str, words: Sequence[str]) -> str:
    """A text on one line; of a long one, the part around the first of the words."""
    places = [found.start() for word in words if (found := re.search(re.escape(word), text, re.IGNORECASE))]
    first = max(0, min(places, default=0) - _AHEAD)
    if len(text) <= SHOWN:
        first = 0
    part = " ".join(text[first : first + SHOWN].split())
    return ("…" if first else "") + part + ("…" if first + SHOWN < len(text) else "")
