"""What the pages show, read from the store and shaped into JSON. Knows nothing of the web."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, get_args

from games import GAMES, get_game
from harness.export import as_shown
from harness.packing import to_text
from harness.records import Json, MatchRecord, MatchStatus, RunRecord, SeatStats
from harness.replay import Shown, build
from harness.reply import clean
from harness.store import DEFAULT, Store, StoreError, default_url
from harness.store.listing import Exact, Word
from harness.telling import standing

SHEET = 25
"""Matches on one sheet of a run's list."""
SETTLED_SECONDS = 3.0
"""A database that was not written to for so long is taken to stand still."""
STATUSES = ("running", "stopped", "paused", "queued", "finished", "void")
EXACTLY = ("players", "seat", "game", "entry", "reason", "had", "matches")
LONGEST = 4000
"""Characters of one part of an address."""
MOST_PLAYERS = 8
SHOWN = 100
"""Characters of a name in a sentence."""
_SUMS = (
    *("turns", "forced", "fallback", "decisions", "illegal", "unreadable", "failed", "calls", "prompt_tokens"),
    *("cached_tokens", "completion_tokens", "cost", "unpriced", "messages", "pledges"),
)


class Query(NamedTuple):
    """What of the runs is looked at: one run's matches of some status that contain a text, sheet by sheet (from 0).

    What follows asks for matches exactly (see `Exact`). It is text as it stands in the address.
    """

    run: int | None = None
    """Its number in the database."""
    text: str = ""
    status: str = ""
    sheet: int = 0
    players: str = ""
    """Labels, as a JSON list."""
    seat: str = ""
    game: str = ""
    entry: str = ""
    reason: str = ""
    had: str = ""
    matches: str = ""
    """Numbers in the database, with commas between."""
    name: str = ""
    """The run's name, where the address has that and no number."""

    @classmethod
    def read(cls, wanted: Mapping[str, Any]) -> Query:
        """A query from a page's address or from the page itself; what makes no sense counts as not said."""
        status = str(wanted.get("status") or "")
        exactly = {name: str(wanted.get(name) or "")[:LONGEST] for name in EXACTLY}
        return cls(
            run=_number(wanted.get("run")),
            name="" if _number(wanted.get("run")) is not None else str(wanted.get("run") or "")[:LONGEST],
            text=str(wanted.get("text") or "")[:200],
            status=status if status in STATUSES else "",
            sheet=_number(wanted.get("sheet")) or 0,
            **exactly,
        )

    @property
    def exact(self) -> Exact:
        """What is asked for exactly."""
        numbers = (_number(text) for text in self.matches.split(","))
        return Exact(
            players=_labels(self.players),
            seat=self.seat or None,
            game=self.game or None,
            entry=_number(self.entry),
            reason=self.reason or None,
            had=self.had or None,
            matches=[number for number in numbers if number is not None],
        )


def _labels(text: str) -> list[str]:
    try:
        found = json.loads(text) if text else []
    except (ValueError, RecursionError):
        return []
    return [one for one in found if isinstance(one, str)][:MOST_PLAYERS] if isinstance(found, list) else []


def exactly(query: Query) -> str:
    """Which matches are asked for exactly, in words; empty where none are."""
    wanted = query.exact
    told = []
    if wanted.players:
        names = ", ".join(clean(label)[:SHOWN] for label in wanted.players)
        told.append(f"with {names}" if len(wanted.players) > 1 else f"of {names}")
    if wanted.seat:
        told.append(f"with {'that player' if wanted.players else 'somebody'} as {clean(wanted.seat)[:SHOWN]}")
    if wanted.game:
        told.append(f"of {title(wanted.game)[:SHOWN]}")
    if wanted.entry is not None:
        told.append(f"of entry {wanted.entry + 1} of the file's games")
    if wanted.reason:
        other = wanted.reason.startswith("-")
        told.append(f"that ended {'other than ' if other else ''}by {clean(wanted.reason.removeprefix('-'))[:SHOWN]}")
    if wanted.had:
        which, _, what = clean(wanted.had).rpartition(":")
        where = " in a talk round" if which == "talk" else ""
        what = what.replace("_", " ").replace(",", " or ")[:SHOWN]
        told.append(f"in which {'it' if wanted.players else 'somebody'} had{where}: {what}")
    if wanted.matches:
        told.append(f"of a list of {len(wanted.matches)}")
    return ", ".join(told)


def open_store() -> Store:
    """The database that `PARLEY_DB` names, for reading. Raises `StoreError` where there is none."""
    url = default_url()
    try:
        # A file that was taken away and made anew is another database under the same name.
        return _opened(url, _file(url).stat().st_ino)
    except OSError:
        return _opened(url, 0)


def missing() -> bool:
    """Whether there is no file where the database should be."""
    url = default_url()
    return "://" not in url.removeprefix("sqlite:///") and not _file(url).exists()


def _file(url: str) -> Path:
    return Path(url.removeprefix("sqlite:///")).expanduser()


@lru_cache(maxsize=2)
def _opened(url: str, _file: int) -> Store:
    return Store.open_readonly(url)


def listing(store: Store, query: Query) -> Json | None:
    """The runs, newest first, and one sheet of the matches of the one looked at (the newest if none is).

    A sheet that does not exist (any more) gives the last one that does. None while there is no run.
    """
    runs = store.runs()
    if not runs:
        return None
    counts, held = store.run_counts(), store.holders()
    chosen = run_of(runs, query) or runs[-1]
    return {
        "runs": [_run_json(run, counts.get(run.id or 0, {}), held=run.id in held) for run in reversed(runs)],
        "run": chosen.id,
        "query": {key: value for key, value in query._asdict().items() if key != "name"},
        "matches": _matches(store, chosen, query, held=chosen.id in held),
    }


def run_of(runs: Sequence[RunRecord], query: Query) -> RunRecord | None:
    """The run that a query asks for, by its number or by its name; None if it asks for none, or for one that is not
    there."""
    by_number = (run for run in runs if run.id == query.run)
    by_name = (run for run in runs if query.name and run.name == query.name)
    return next(by_number, None) or next(by_name, None)


def listing_text(store: Store, query: Query) -> str | None:
    """The listing as JSON text. It is not made anew while nobody writes: a page asks every other second."""
    touched = _touched(_file(default_url()))
    if touched is None:
        return _text(store, query)
    # That a run's player has died is written nowhere: it shows in who holds the run.
    return _kept_text(store, query, touched, tuple(sorted(store.holders())))


def _text(store: Store, query: Query) -> str | None:
    shown = listing(store, query)
    return None if shown is None else json.dumps(shown)


@lru_cache(maxsize=16)
def _kept_text(store: Store, query: Query, _touched: tuple[int, ...], _held: tuple[int, ...]) -> str | None:
    return _text(store, query)


def _touched(file: Path) -> tuple[int, ...] | None:
    """When a database's files were last written to; None if nobody can tell, or too lately to tell writes apart."""
    try:
        found = [path.stat() for path in (file, file.with_name(f"{file.name}-wal")) if path.exists()]
    except OSError:
        return None
    newest = max((one.st_mtime for one in found), default=0.0)
    if not 0 < newest < time.time() - SETTLED_SECONDS:
        return None
    return tuple(number for one in found for number in (one.st_mtime_ns, one.st_size))


def _run_json(run: RunRecord, counts: Mapping[str, Any], *, held: bool) -> Json:
    return {
        "id": run.id,
        "name": run.name,
        "status": standing(run.status, held=held),
        "why": run.why,
        "created": run.created_at.isoformat(timespec="seconds"),
        "matches": counts.get("matches", {}),
        "forks": counts.get("forks", 0),
        "calls": counts.get("calls", 0),
        "tokens": counts.get("tokens", 0),
        "cost": counts.get("cost", 0.0),
        "unpriced": counts.get("unpriced", 0),
    }


def _matches(store: Store, run: RunRecord, query: Query, *, held: bool) -> Json:
    shown_as = {status: standing(status, held=held) for status in get_args(MatchStatus)}
    wanted = [status for status, shown in shown_as.items() if shown == query.status] if query.status else None
    words = [_word(text, shown_as) for text in dict.fromkeys(query.text.split())]
    found = store.sheet(run.id or 0, words=words, exact=query.exact, statuses=wanted, number=query.sheet, size=SHEET)
    counts = dict.fromkeys(STATUSES, 0)
    for status, number in found.counts.items():
        counts[shown_as[status]] += number
    stats: dict[int, list[SeatStats]] = {}
    for one in store.match_stats([match.id or 0 for match in found.matches]):
        stats.setdefault(one.match_id, []).append(one)
    return {
        "rows": [_match_json(match, shown_as[match.status], stats.get(match.id or 0, ())) for match in found.matches],
        "sheet": found.number,
        "sheets": found.sheets,
        "first": found.number * SHEET,
        "shown": counts[query.status] if query.status else sum(counts.values()),
        "all": found.all,
        "counts": counts,
    }


def _word(text: str, shown_as: Mapping[str, str]) -> Word:
    """A word that is looked for: in the database as it stands there, here in what is shown under another name."""
    folded = text.casefold()
    games = [game for game in GAMES if folded in title(game).casefold()]
    return Word(text, games, [status for status, shown in shown_as.items() if folded in shown])


def _match_json(match: MatchRecord, status: str, stats: Sequence[SeatStats]) -> Json:
    by_seat = {one.seat: one for one in stats}
    outcome = match.outcome or {}
    places = outcome.get("places", {})
    seats = []
    for seat in match.seats:
        sums = by_seat.get(seat.seat)
        seats.append(
            {
                **seat.model_dump(include={"seat", "label", "kind", "model", "persona"}),
                "place": places.get(seat.seat),
                "sums": {name: getattr(sums, name) for name in _SUMS} if sums else {},
            }
        )
    return {
        "id": match.id,
        "number": match.number,
        "fork": {"match": match.parent_id, "ply": match.parent_ply} if match.forked else None,
        "title": title(match.game),
        "status": status,
        "why": match.why,
        "plies": match.plies,
        "winners": list(outcome.get("winners", ())),
        "reason": outcome.get("reason"),
        "seats": seats,
        "calls": sum(one.calls for one in stats),
        "tokens": sum(one.prompt_tokens + one.completion_tokens for one in stats),
        "cost": sum(one.cost for one in stats),
        "unpriced": sum(one.unpriced for one in stats),
    }


def title(game: str) -> str:
    """A game's title, or its name where this installation has not got it."""
    return get_game(game).title if game in GAMES else game


def about(store: Store, match: MatchRecord) -> Json:
    """What a replay's page has to know besides the replay: who can play on in a fork, and where the match is."""
    run = next((run for run in store.runs() if run.id == match.run_id), None)
    labels = [str(player["label"]) for player in (run.spec.get("players", ()) if run else ())]
    # A server's address may hold a password; whoever reads a page there sets PARLEY_DB as it was set for the page.
    here = default_url().removeprefix("sqlite:///")
    return {
        "match": match.id,
        "bots": sorted(get_game(match.game).bots) if match.game in GAMES else [],
        "players": labels,
        "db": None if "://" in here or here == DEFAULT else here,
    }


class Replay(NamedTuple):
    """A replay as the player takes it: equal as long as nothing new was written."""

    json: str
    """All but what is only read when a decision is opened."""
    mark: str
    """Changes whenever something was written."""
    status: str


def replay(store: Store, match_id: int) -> Replay | None:
    """The replay of a match; None if there is no such match.

    Raises:
        StoreError: the database cannot be read.
        BrokenLog: the log cannot be re-executed.
        KeyError: the game is not installed.
    """
    mark = store.mark(match_id)
    if mark is None:
        return None
    return Replay(_replay_json(store, match_id, mark), mark, mark.partition(".")[0])


def details(store: Store, match_id: int) -> str | None:
    """What of a match is only read when a decision is opened: prompts, replies and thoughts, as JSON. Raises as
    `replay` does; None if there is no such match."""
    mark = store.mark(match_id)
    return None if mark is None else _details_json(store, match_id, mark)


@lru_cache(maxsize=16)
def _replay_json(store: Store, match_id: int, _mark: str) -> str:
    shown = as_shown(_built(store, match_id, prompts=False))
    return to_text({key: value for key, value in shown.items() if key != "details"})


@lru_cache(maxsize=4)
def _details_json(store: Store, match_id: int, _mark: str) -> str:
    return to_text(as_shown(_built(store, match_id, prompts=True))["details"])


def _built(store: Store, match_id: int, *, prompts: bool) -> Json:
    match = store.match(match_id)
    if match is None:
        raise StoreError(f"there is no match {match_id}")
    run = next((run for run in store.runs() if run.id == match.run_id), None)
    begun = _begun(store, match_id, match.start_hash)
    with begun.lock:
        turns, messages = store.turns(match_id), store.messages(match_id)
        calls = store.calls(match_id, prompts=prompts)
        return build(match, turns, messages, calls, run=run.name if run else "", shown=begun.shown)


class _Begun(NamedTuple):
    """What was made of a match so far: while it goes on, a look at it makes only what is new."""

    shown: Shown
    lock: threading.Lock


@lru_cache(maxsize=8)
def _begun(_store: Store, _match_id: int, _start: str | None) -> _Begun:
    return _Begun(Shown(), threading.Lock())


def _number(text: Any) -> int | None:
    """A whole number from 0 that a database can hold; None for anything else."""
    digits = str(text)
    if not (digits.isascii() and digits.isdecimal() and len(digits) < 19):
        return None
    return int(digits)


def match_number(text: str | None) -> int | None:
    """The match that an address names, or None."""
    return _number(text) if text is not None else None
