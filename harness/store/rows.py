"""Records as rows and back. Each pair of functions is the other's inverse."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from harness.records import (
    CallRecord,
    MatchRecord,
    MessageRecord,
    PledgeRecord,
    PromptMessage,
    RunRecord,
    SeatRecord,
    Stretch,
    TurnRecord,
)
from harness.store.columns import from_json, pack, to_json, unpack

Row = dict[str, Any]
Fields = Mapping[Any, Any]
"""What SQLAlchemy gives for a row: values by column name."""


def _names(record: type[BaseModel], *apart: str) -> tuple[str, ...]:
    """The fields that lie in columns of the same name. So a field added to a record alone is an error."""
    return tuple(name for name in record.model_fields if name not in apart)


_RUN = _names(RunRecord, "id")
_MATCH = _names(MatchRecord, "id", "run_id", "seats", "start_events", "lineage")
_SEAT = _names(SeatRecord)
_CALL = _names(CallRecord, "id", "run_id", "prompt", "answer_schema", "asked", "sent", "response", "flags")
_TURN = _names(TurnRecord, "events", "dropped", "talk")
_MESSAGE = _names(MessageRecord, "pledges")
_PLEDGE = _names(PledgeRecord)


def _take(record: object, names: Iterable[str]) -> Row:
    return {name: getattr(record, name) for name in names}


def _pick(row: Fields, names: Iterable[str]) -> Row:
    return {name: row[name] for name in names}


def run_row(record: RunRecord) -> Row:
    """A run as its row, without its id."""
    return _take(record, _RUN)


def run_record(row: Fields) -> RunRecord:
    """A run from its row."""
    return RunRecord(id=row["id"], **_pick(row, _RUN))


def match_row(record: MatchRecord, run_id: int) -> Row:
    """A match as its row, without its id and seats."""
    row = _take(record, _MATCH)
    reason = (record.outcome or {}).get("reason")
    lineage = [stretch.model_dump(mode="json") for stretch in record.lineage] or None
    return {
        **row,
        "run_id": run_id,
        "start_events": list(record.start_events),
        "reason": reason,
        "lineage": lineage,
    }


def match_record(row: Fields, seats: Iterable[SeatRecord]) -> MatchRecord:
    """A match from its row and seats. A row read without its start gives a record without one."""
    start = {"start": row.get("start"), "start_events": tuple(row.get("start_events") or ())}
    names = (name for name in _MATCH if name != "start")
    lineage = tuple(Stretch(**stretch) for stretch in row["lineage"] or ())
    return MatchRecord(
        id=row["id"], run_id=row["run_id"], seats=tuple(seats), lineage=lineage, **start, **_pick(row, names)
    )


def seat_rows(record: MatchRecord, match_id: int) -> list[Row]:
    """The seats of a match as rows."""
    places = (record.outcome or {}).get("places", {})
    return [
        {"match_id": match_id, "number": number, "place": places.get(seat.seat), **_take(seat, _SEAT)}
        for number, seat in enumerate(record.seats)
    ]


def seat_record(row: Fields) -> SeatRecord:
    """A seat from its row."""
    return SeatRecord(**_pick(row, _SEAT))


def turn_row(record: TurnRecord, match_id: int) -> Row:
    """A turn as its row."""
    return {
        "match_id": match_id,
        **_take(record, _TURN),
        "events": list(record.events),
        "dropped": list(record.dropped),
        "talk": None if record.talk is None else list(record.talk),
    }


def turn_record(row: Fields) -> TurnRecord:
    """A turn from its row."""
    talk = None if row["talk"] is None else tuple(row["talk"])
    return TurnRecord(events=tuple(row["events"]), dropped=tuple(row["dropped"]), talk=talk, **_pick(row, _TURN))


def message_row(record: MessageRecord, match_id: int) -> Row:
    """A message as its row, without its pledges."""
    return {"match_id": match_id, **_take(record, _MESSAGE)}


def pledge_rows(record: MessageRecord, match_id: int) -> list[Row]:
    """The pledges of a message as rows."""
    return [
        {"match_id": match_id, "seq": record.seq, "number": number, **_take(pledge, _PLEDGE)}
        for number, pledge in enumerate(record.pledges)
    ]


def message_record(row: Fields, pledges: Iterable[Fields]) -> MessageRecord:
    """A message from its row and the rows of its pledges."""
    return MessageRecord(**_pick(row, _MESSAGE), pledges=tuple(PledgeRecord(**_pick(one, _PLEDGE)) for one in pledges))


class CallDraft:
    """A call on its way to a row: the texts that it shares with others, and what is its own."""

    def __init__(self, record: CallRecord) -> None:
        self.record = record
        self.shared: dict[str, str | None] = {
            "asked_text": to_json(record.asked) if record.asked else None,
            "sent_text": to_json(record.sent) if record.sent else None,
            "schema_text": None if record.answer_schema is None else to_json(record.answer_schema),
        }
        self.response = None if record.response is None else pack(record.response)

    def texts(self) -> list[str]:
        """Every text to be kept by its content."""
        parts = [part for message in self.record.prompt for part in message.parts]
        return parts + [text for text in self.shared.values() if text is not None]

    def row(self, run_id: int | None, ids: Mapping[str, int]) -> Row:
        """The row, without its id, given the ids of its texts."""
        return {
            **_take(self.record, _CALL),
            **{name: None if text is None else ids[text] for name, text in self.shared.items()},
            "run_id": run_id,
            "flags": list(self.record.flags),
            "prompt": [[message.role, [ids[part] for part in message.parts]] for message in self.record.prompt],
            "response": self.response,
        }


def text_ids(row: Fields, *, prompts: bool) -> list[int]:
    """The ids of the texts that `call_record` needs for this row."""
    ids = [row[name] for name in ("asked_text", "sent_text") if row[name] is not None]
    if prompts:
        ids += [number for _, parts in row["prompt"] for number in parts]
        if row["schema_text"] is not None:
            ids.append(row["schema_text"])
    return ids


def call_record(row: Fields, text: Callable[[int], str], *, prompts: bool) -> CallRecord:
    """A call from its row and the texts that it names; without `prompts` the prompt and the schema are left out."""

    def json_of(name: str) -> Any:
        return None if row[name] is None else from_json(text(row[name]))

    prompt: Sequence[tuple[Any, list[int]]] = row["prompt"] if prompts else ()
    return CallRecord(
        id=row["id"],
        run_id=row["run_id"],
        prompt=tuple(PromptMessage(role=role, parts=tuple(map(text, parts))) for role, parts in prompt),
        answer_schema=json_of("schema_text") if prompts else None,
        asked=json_of("asked_text") or {},
        sent=json_of("sent_text") or {},
        response=None if row["response"] is None else unpack(row["response"]),
        flags=tuple(row["flags"]),
        **_pick(row, _CALL),
    )
