"""Records as rows and back. Each pair of functions is the other's inverse."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from operator import attrgetter
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
from harness.store.bodies import WORDS, Body, opening
from harness.store.columns import from_json, to_json

Row = dict[str, Any]
Line = tuple[Any, ...]
"""The values of a row in the order of its table's columns as named here."""
Fields = Mapping[Any, Any]
"""What SQLAlchemy gives for a row: values by column name."""


def _names(record: type[BaseModel], *apart: str) -> tuple[str, ...]:
    """The fields that lie in columns of the same name. So a field added to a record alone is an error."""
    return tuple(name for name in record.model_fields if name not in apart)


_RUN = _names(RunRecord, "id")
_MATCH = _names(MatchRecord, "id", "run_id", "seats", "start_events", "lineage")
_SEAT = _names(SeatRecord)
_CALL = _names(
    CallRecord,
    *("id", "run_id", "prompt", "answer_schema", "asked", "sent", "served", "response", "flags", *WORDS),
)
_TURN = _names(TurnRecord, "events", "dropped", "talk")
_MESSAGE = _names(MessageRecord, "pledges")
_PLEDGE = _names(PledgeRecord)
CALL_COLUMNS = ("id", "run_id", "flags", "asked_text", "sent_text", "opening_text", "body", *_CALL)
TURN_COLUMNS = ("match_id", "events", "dropped", "talk", *_TURN)
MESSAGE_COLUMNS = ("match_id", *_MESSAGE)
PLEDGE_COLUMNS = ("match_id", "seq", "number", *_PLEDGE)
_call_values, _turn_values = attrgetter(*_CALL), attrgetter(*_TURN)
_message_values, _pledge_values = attrgetter(*_MESSAGE), attrgetter(*_PLEDGE)


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


def turn_line(record: TurnRecord, match_id: int) -> Line:
    """A turn as its row, as `TURN_COLUMNS` names it."""
    talk = None if record.talk is None else list(record.talk)
    return (match_id, list(record.events), list(record.dropped), talk, *_turn_values(record))


def turn_record(row: Fields) -> TurnRecord:
    """A turn from its row."""
    talk = None if row["talk"] is None else tuple(row["talk"])
    return TurnRecord(events=tuple(row["events"]), dropped=tuple(row["dropped"]), talk=talk, **_pick(row, _TURN))


def message_line(record: MessageRecord, match_id: int) -> Line:
    """A message as its row, without its pledges, as `MESSAGE_COLUMNS` names it."""
    return (match_id, *_message_values(record))


def pledge_lines(record: MessageRecord, match_id: int) -> list[Line]:
    """The pledges of a message as rows, as `PLEDGE_COLUMNS` names them."""
    return [(match_id, record.seq, number, *_pledge_values(pledge)) for number, pledge in enumerate(record.pledges)]


def message_record(row: Fields, pledges: Iterable[Fields]) -> MessageRecord:
    """A message from its row and the rows of its pledges."""
    return MessageRecord(**_pick(row, _MESSAGE), pledges=tuple(PledgeRecord(**_pick(one, _PLEDGE)) for one in pledges))


class CallDraft:
    """A call on its way to a row, with the texts that it shares with others.

    Its run is that of its match where it names none, unless it is `of_no_run`.
    """

    def __init__(self, record: CallRecord, *, of_no_run: bool = False) -> None:
        self.record = record
        self.of_no_run = of_no_run
        parts = opening(record.prompt)
        self.texts: tuple[str | None, str | None, str | None] = (
            to_json(record.asked) if record.asked else None,
            to_json(record.sent) if record.sent else None,
            None if parts is None else _opening_text(parts),
        )

    def row(self, number: int, run_id: int | None, ids: Mapping[str | None, int | None], body: bytes) -> Line:
        """The row with its id, given the ids of its texts (None: None) and its body; as `CALL_COLUMNS` names it."""
        asked, sent, first = self.texts
        flags = list(self.record.flags)
        return (number, run_id, flags, ids[asked], ids[sent], ids[first], body, *_call_values(self.record))


@lru_cache(256)
def _opening_text(parts: tuple[str, ...]) -> str:
    return to_json(list(parts))


def text_ids(row: Fields, *, prompts: bool) -> list[int]:
    """The ids of the texts that `call_record` needs for this row."""
    names = ("asked_text", "sent_text", "opening_text") if prompts else ("asked_text", "sent_text")
    return [row[name] for name in names if row[name] is not None]


def call_record(
    row: Fields, text: Callable[[int], str], body: Body, prompt: Sequence[PromptMessage] | None
) -> CallRecord:
    """A call from its row, the texts that it names and its body; without a `prompt` the schema is left out too."""

    def json_of(name: str) -> Any:
        return None if row[name] is None else from_json(text(row[name]))

    if prompt is not None and row["opening_text"] is not None:
        prompt = (PromptMessage(role="system", parts=tuple(json_of("opening_text"))), *prompt)
    return CallRecord(
        id=row["id"],
        run_id=row["run_id"],
        prompt=tuple(prompt or ()),
        answer_schema=None if prompt is None else body.schema,
        asked=json_of("asked_text") or {},
        sent=json_of("sent_text") or {},
        served=body.served,
        response=body.response,
        **body.words,
        flags=tuple(row["flags"]),
        **_pick(row, _CALL),
    )
