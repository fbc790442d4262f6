"""Lines of an export as the records that they were made of. What no record can be is refused by line and field."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn, TypeVar

from pydantic import ValidationError

from games import GAMES, get_game
from harness.data.lines import BadImport, Lines, Row
from harness.records import (
    CallRecord,
    MatchRecord,
    MessageRecord,
    PledgeRecord,
    Record,
    RunRecord,
    SeatRecord,
    Stretch,
    TurnRecord,
)
from harness.spec import SpecError, stored
from harness.spec.base import run_name
from harness.spec.faults import path_text, shown
from harness.store.intake import Typed

R = TypeVar("R", bound=Record)
_CALL = (
    *("ply", "seat", "decision", "kind", "attempt", "label", "model", "error_kind", "error", "http_status"),
    *("finish_reason", "read_by", "prompt_tokens", "cached_tokens", "completion_tokens", "reasoning_tokens", "cost"),
    *("priced_by", "reserved", "latency_ms", "started_at", "flags", "asked", "sent", "served", "prompt"),
    *("answer_schema", "content", "reasoning", "tool_arguments", "response"),
)
_MATCH = (
    *("number", "game", "game_index", "options", "scenario", "seed", "pack", "rotation", "status", "why", "start"),
    *("start_events", "start_hash", "plies", "outcome", "versions", "parent_ply", "started_at", "ended_at"),
)
_TURN = (
    *("ply", "seat", "action", "source", "position_hash", "events", "decision", "plan_index", "shown_index"),
    *("legal_count", "thoughts", "notes", "dropped", "plan_fault", "talk", "at"),
)
_COUNTS = ("number", "game_index", "pack", "rotation", "plies", "parent_ply", "decision", "plan_index", "legal_count")


class Maker:
    """Makes records of the lines of one file."""

    def __init__(self, lines: Lines) -> None:
        self.lines = lines

    def refuse(self, row: Row, field: str, what: str) -> NoReturn:
        """Say what is wrong with a line."""
        raise self.lines.fault(row, field, what)

    def make(self, kind: type[R], row: Row, values: Mapping[str, Any]) -> R:
        """The record of a line."""
        for name in _COUNTS:
            if (values.get(name) or 0) < 0:
                self.refuse(row, name, f"{values[name]} is below 0")
        try:
            return kind(**values)
        except ValidationError as error:
            first = error.errors(include_url=False, include_context=False)[0]
            told = f"{shown(first['input'])} is not right: {first['msg']}"
            raise self.lines.fault(row, path_text(first["loc"]) or "line", told) from error

    def is_object(self, row: Row, *fields: str) -> None:
        """Refuse a line where one of these holds other JSON than an object."""
        for field in fields:
            if row[field] is not None and not isinstance(row[field], dict):
                self.refuse(row, field, f"{shown(row[field])} is no JSON object")

    def one_of(self, row: Row, field: str, names: Sequence[str]) -> None:
        """Refuse a line where a field is none of these."""
        if row[field] not in names:
            self.refuse(row, field, f"{shown(row[field])} is none of {', '.join(names)}")

    def expect(self, row: Row, field: str, value: Any) -> None:
        """Refuse a line where a field is not what it has to be."""
        if row[field] != value:
            self.refuse(row, field, f"{shown(row[field])} stands where {shown(value)} has to be")

    def events(self, row: Row, field: str) -> None:
        """Refuse events that a replay could not show."""
        for event in row[field] if isinstance(row[field], list) else [row[field]]:
            audience = event.get("audience") if isinstance(event, dict) else None
            named = isinstance(audience, list) and all(isinstance(seat, str) for seat in audience)
            if not (isinstance(event, dict) and isinstance(event.get("kind"), str) and (audience == "all" or named)):
                told = "an event is an object with a `kind` and an `audience`, which is `all` or a list of seats"
                self.refuse(row, field, f"{shown(event)}: {told}")


def run_of(maker: Maker, row: Row, name: str | None) -> RunRecord:
    """A run, under another name if one is given."""
    maker.is_object(row, "spec", "versions")
    try:
        wanted = run_name(row["run"] if name is None else name)
    except ValueError as error:
        if name is not None:
            raise BadImport(f"--as: {error}") from error
        raise maker.lines.fault(row, "run", f"{error}; --as NAME gives it another name") from error
    # A run's file bears its name: by that it is gone on with.
    spec = row["spec"] if name is None else {**row["spec"], "name": name}
    try:
        stored(spec, wanted)
    except SpecError as error:
        # Lists of runs read it too: one that cannot be read would be in the way of all.
        raise maker.lines.fault(row, "spec", str(error)) from error
    fields = ("seed", "status", "why", "source", "versions", "created_at", "ended_at")
    return maker.make(RunRecord, row, {"name": wanted, "spec": spec, **{field: row[field] for field in fields}})


def match_of(maker: Maker, row: Row, seats: Sequence[SeatRecord]) -> MatchRecord:
    """A match with its seats, of no parent yet."""
    if row["game"] not in GAMES:
        maker.refuse(row, "game", f"{shown(row['game'])} is no game here; there are {', '.join(GAMES)}")
    maker.is_object(row, "options", "outcome", "versions", "start")
    maker.events(row, "start_events")
    try:
        get_game(row["game"]).Options.model_validate(row["options"])
    except ValueError as error:
        told = f"{shown(row['options'])} are no options of {row['game']}; `parley games` tells them"
        raise maker.lines.fault(row, "options", told) from error
    game, names = get_game(row["game"]), [seat.seat for seat in seats]
    if len(names) not in game.players or sorted(names) != sorted(game.seats(len(names))):
        maker.refuse(
            row, "match", f"seats.jsonl gives it the seats {', '.join(names) or 'none'}: not those of {game.name}"
        )
    if row["lineage"] is not None and not isinstance(row["lineage"], list):
        maker.refuse(row, "lineage", f"{shown(row['lineage'])} is no list")
    outcome = row["outcome"]
    if outcome is not None:
        _check_outcome(maker, row, outcome, names)
    maker.expect(row, "reason", None if outcome is None else outcome["reason"])
    if (row["start"] is None) != (row["start_hash"] is None):
        maker.refuse(row, "start_hash", "a match has a start position and its hash, or neither")
    if row["start"] is None and row["plies"]:
        maker.refuse(row, "start", "it is null; a match with turns has a start position")
    values = {field: row[field] for field in _MATCH}
    record = maker.make(MatchRecord, row, {**values, "seats": tuple(seats), "lineage": row["lineage"] or ()})
    _check_lineage(maker, row, record.lineage, names)
    return record


def _check_outcome(maker: Maker, row: Row, outcome: Mapping[str, Any], names: Sequence[str]) -> None:
    places, winners, reason = (outcome.get(name) for name in ("places", "winners", "reason"))
    whole = (
        isinstance(places, dict)
        and set(places) == set(names)
        and all(isinstance(place, int) and place > 0 for place in places.values())
        and winners == [seat for seat in places if places[seat] == 1]
        and isinstance(reason, str)
    )
    if not whole:
        told = "an outcome has `places` (1 or more, by seat), `winners` (the seats at place 1, in that order), `reason`"
        maker.refuse(row, "outcome", f"{shown(outcome)}: {told}")


def _check_lineage(maker: Maker, row: Row, lineage: Sequence[Stretch], names: Sequence[str]) -> None:
    for stretch in lineage:
        if {seat.seat for seat in stretch.seats} != set(names):
            maker.refuse(row, "lineage", f"a stretch of it has other seats than {', '.join(names)}")
    if lineage and lineage[-1].until != row["parent_ply"]:
        maker.refuse(row, "parent_ply", f"{shown(row['parent_ply'])}, but its lineage goes to {lineage[-1].until}")


def seat_of(maker: Maker, row: Row, number: int) -> SeatRecord:
    """A seat, the `number`-th of its match."""
    maker.expect(row, "seat_number", number)
    fields = ("seat", "label", "kind", "model", "persona", "identity")
    return maker.make(SeatRecord, row, {field: row[field] for field in fields})


def call_of(maker: Maker, row: Row, run_id: int | None, match_id: int | None, seats: Sequence[str]) -> CallRecord:
    """A call, with the number that it had as its id."""
    maker.is_object(row, "asked", "sent", "served", "answer_schema")
    if match_id is not None:
        maker.one_of(row, "seat", seats)
    wait = row["retry_after_ms"]
    values = {field: row[field] for field in _CALL}
    owner = {"id": row["call"], "run_id": run_id, "match_id": match_id}
    return maker.make(CallRecord, row, {**values, **owner, "retry_after": None if wait is None else wait / 1000})


def turn_of(maker: Maker, row: Row, ply: int, seats: Sequence[str], calls: Mapping[int, int]) -> TurnRecord:
    """A turn, the one of that ply."""
    maker.expect(row, "ply", ply)
    maker.one_of(row, "seat", seats)
    maker.events(row, "events")
    values = {field: row[field] for field in _TURN}
    return maker.make(TurnRecord, row, {**values, "call_id": _call(maker, row, calls)})


def message_of(
    maker: Maker, row: Row, seq: int, seats: Sequence[str], calls: Mapping[int, int], pledges: Sequence[PledgeRecord]
) -> MessageRecord:
    """A message, the one of that number, with its pledges."""
    maker.expect(row, "seq", seq)
    maker.one_of(row, "sender", seats)
    maker.one_of(row, "addressee", ("all", *seats))
    values = {field: row[field] for field in ("seq", "ply", "sender", "addressee", "text", "cut", "talk")}
    more = {"call_id": _call(maker, row, calls), "pledges": tuple(pledges)}
    return maker.make(MessageRecord, row, {**values, **more})


def pledge_of(maker: Maker, row: Row, number: int, sender: str, seats: Sequence[str]) -> PledgeRecord:
    """A pledge, the `number`-th of its message."""
    maker.expect(row, "pledge", number)
    maker.expect(row, "maker", sender)
    maker.one_of(row, "addressee", seats)
    return maker.make(PledgeRecord, row, {field: row[field] for field in ("kind", "addressee", "turns", "condition")})


def answer_of(maker: Maker, row: Row, seats: Sequence[str]) -> Typed:
    """What a person typed."""
    maker.one_of(row, "seat", seats)
    return Typed(*(row[field] for field in Typed._fields))


def _call(maker: Maker, row: Row, calls: Mapping[int, int]) -> int | None:
    """The new number of the call that a line names."""
    if row["call"] is not None and row["call"] not in calls:
        maker.refuse(row, "call", f"{row['call']} is no call of this match in calls.jsonl")
    return None if row["call"] is None else calls[row["call"]]
