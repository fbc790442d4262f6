"""Runs to be compared, written straight into a store: matches that end after one turn, as told.

`python -m tests.dashboard.compared DB` writes one for pictures.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from pathlib import Path
from zlib import crc32

from games import get_game
from games.api import Json
from harness.records import CallRecord, ErrorKind, MatchRecord, RunRecord, SeatRecord, TurnRecord
from harness.replay import position_hash
from harness.store import Store
from tests.dashboard.records import IMAGE, NOW

GAME = "so_long_sucker"
LABELS = ("ann", f"bob {IMAGE}", "cid", "dan \u202eright to left\u202c")
FAIR, FIXED, TROUBLED, SINGLE, EMPTY, ENDLESS = "fair", "fixed", f"troubled {IMAGE}", "one pack", "empty", "endless"


def run_of(name: str, **changes: object) -> RunRecord:
    """A run whose file names one game and the players."""
    spec = {
        "name": name,
        "seating": "fixed" if name == FIXED else "rotate",
        "games": [{"game": GAME, "options": {"chips": 3}, "seats": 4, "start": None}],
        "players": [{"label": label} for label in LABELS],
    }
    # Each run is played on starts of its own: packs of runs of one seed would be pooled.
    record = RunRecord(name=name, spec=spec, seed=crc32(name.encode()), created_at=NOW, status="finished")
    return record.model_copy(update=changes)


def match_of(number: int, order: Sequence[str], *, entry: int = 0, chips: int = 3) -> MatchRecord:
    """A match of a pack of four, in which the players sit in that order; those named after vowels are bots."""
    names = get_game(GAME).seats(4)
    seats = tuple(
        SeatRecord(seat=seat, label=label, kind="bot" if label[0] in "aeiou" else "model", identity=f"of {label}")
        for seat, label in zip(names, order, strict=True)
    )
    return MatchRecord(
        number=number,
        game=GAME,
        game_index=entry,
        options={"chips": chips},
        seed=number // 4,
        pack=number // 4,
        rotation=number % 4,
        seats=seats,
    )


def end(
    store: Store, match: MatchRecord, places: Sequence[int], *, reason: str = "last_alive", fell: bool = False
) -> None:
    """Begin a match and end it with those places, by seat."""
    assert match.id is not None
    begin(store, match)
    names = [seat.seat for seat in match.seats]
    outcome: Json = {
        "winners": [name for name, place in zip(names, places, strict=True) if place == 1],
        "places": dict(zip(names, places, strict=True)),
        "scores": {},
        "reason": reason,
    }
    turn = TurnRecord(
        ply=1, seat=names[0], action="any", source="fallback" if fell else "player", position_hash="0" * 64,
        decision=0, legal_count=3, at=NOW,
    )  # fmt: skip
    store.add_turns(match.id, [turn], outcome=outcome).result()


def begin(store: Store, match: MatchRecord) -> None:
    """Begin a match."""
    game = get_game(match.game)
    start = game.dump(game.start([seat.seat for seat in match.seats], game.Options(**match.options), 1).state)
    store.start_match(
        match.id or 0, start=start, start_events=[], start_hash=position_hash(start), versions={"rules": game.version}
    ).result()


def ask(store: Store, match: MatchRecord, seat: int, **changes: object) -> None:
    """A call of the player in that seat."""
    record = CallRecord(
        match_id=match.id, ply=1, seat=match.seats[seat].seat, label=match.seats[seat].label, model="openai/any",
        content="{}", finish_reason="stop", read_by="whole", prompt_tokens=800, cached_tokens=500,
        completion_tokens=40, reasoning_tokens=10, cost=0.002, priced_by="table", latency_ms=900.0, started_at=NOW,
    ).model_copy(update=changes)  # fmt: skip
    store.add_call(record).result()


def places_of(number: int, order: Sequence[str]) -> list[int]:
    """Who comes which: the earlier a name, the oftener it is before the others."""
    luck = random.Random(number)
    drawn = {label: place + luck.uniform(0, 6) for place, label in enumerate(sorted(order))}
    ranked = sorted(order, key=drawn.__getitem__)
    return [ranked.index(label) + 1 for label in order]


def played(store: Store, run: RunRecord, matches: int, *, fixed: bool = False) -> list[MatchRecord]:
    """A run of so many matches, all ended; players rotate, unless they are `fixed`."""
    planned = []
    for number in range(matches):
        turned = 0 if fixed else number % 4
        planned.append(match_of(number, (*LABELS[turned:], *LABELS[:turned])))
    run_id = store.create_run(run, planned).result()
    found = store.matches(run_id)
    for match in found:
        order = [seat.label for seat in match.seats]
        end(store, match, places_of(match.pack if fixed else match.number, order))
    return found


def troubled(store: Store, name: str, labels: Sequence[str], harm: str) -> None:
    """Calls of every kind, and matches that became whatever a match can; one player's are missing oftener."""
    planned = [match_of(number, (*labels[number % 4 :], *labels[: number % 4])) for number in range(88)]
    other = ("eve", *labels[1:])
    planned += [match_of(number, (*other[number % 4 :], *other[: number % 4])) for number in range(88, 96)]
    matches = store.matches(store.create_run(run_of(name, status="paused"), planned).result())
    errors: list[ErrorKind] = ["rate_limit", "timeout", "illegal", "unreadable", "truncated", "content_filter"]
    for match in matches[:84]:
        order = [seat.label for seat in match.seats]
        reason = "forfeit" if match.number % 28 == 5 else "last_alive"
        places = [2 if label == labels[1] else 1 for label in order] if reason == "forfeit" else None
        fell = match.number % 14 == 3
        for seat, label in enumerate(order):
            if label[0] in "bcd":
                ask(store, match, seat)
                if match.number % 9 == seat:
                    kind = errors[match.number % len(errors)]
                    ask(store, match, seat, error_kind=kind, error=f"no {harm}", read_by=None, attempt=2)
        if match.number == 7:
            seat = order.index(labels[1])
            ask(store, match, seat, flags=("prompt_cut", "history:-2"), cost=None, priced_by="unknown")
            ask(store, match, seat, flags=("reserved_tokens:400",), cost=0.5, priced_by="reserved", prompt_tokens=None)
        end(store, match, places or places_of(match.number, order), reason=reason, fell=fell)
    for match in matches[84:88]:
        begin(store, match)
        store.set_match(match.id or 0, "void", "the power failed").result()
    for match in matches[88:94]:
        begin(store, match)
        store.set_match(match.id or 0, "paused", f"eve: too many requests {harm}").result()


def endless(store: Store) -> None:
    """A run with labels and a reason of a million characters."""
    labels = ("ann", "b" * 1_000_000, "c" * 1_000_000 + "1", "c" * 1_000_000 + "2")
    matches = store.matches(
        store.create_run(run_of(ENDLESS), [match_of(number, labels) for number in range(5)]).result()
    )
    for match in matches[:4]:
        end(store, match, (1, 2, 3, 4))
    store.set_match(matches[4].id or 0, "void", "w" * 1_000_000).result()


def write(path: Path) -> None:
    """A database with all of these runs."""
    with Store.open(path) as store:
        store.create_run(run_of(EMPTY), []).result()
        played(store, run_of(SINGLE), 4)
        endless(store)
        played(store, run_of(FIXED), 96, fixed=True)
        troubled(store, TROUBLED, LABELS, IMAGE)
        played(store, run_of(FAIR), 96)


if __name__ == "__main__":
    # For pictures: the same troubles, of players with names as people give them.
    with Store.open(sys.argv[1]) as opened:
        troubled(opened, "a bad night", ("atlas", "basil", "cedar", "dune"), "")
