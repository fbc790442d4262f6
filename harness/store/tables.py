"""The tables. Their names, and the columns that other tools read, are kept for ever; changes come by migration.

The rows are written and read through the records of `harness.records`; nothing outside this package sees these classes.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Float, ForeignKeyConstraint, Index, LargeBinary, Table, UniqueConstraint
from sqlmodel import Field, SQLModel

from harness.store.columns import JsonText, Moment, Whole, Words


class Run(SQLModel, table=True):
    """One tournament."""

    id: int | None = Field(default=None, sa_type=Whole, primary_key=True)
    name: str = Field(sa_type=Words, unique=True)
    spec: Any = Field(sa_type=JsonText, nullable=False)
    source: str = Field(sa_type=Words)
    seed: int = Field(sa_type=Whole)
    status: str = Field(sa_type=Words)
    why: str | None = Field(default=None, sa_type=Words)
    versions: Any = Field(sa_type=JsonText, nullable=False)
    created_at: datetime = Field(sa_type=Moment)
    ended_at: datetime | None = Field(default=None, sa_type=Moment)


class Match(SQLModel, table=True):
    """One match: who is in it stands in `seat`, what was played in `turn`."""

    __table_args__ = (
        UniqueConstraint("run_id", "number"),
        Index("ix_match_run_status", "run_id", "status"),
        Index("ix_match_parent", "parent_id", "parent_ply", "run_id"),
    )

    id: int | None = Field(default=None, sa_type=Whole, primary_key=True)
    run_id: int = Field(sa_type=Whole, foreign_key="run.id")
    number: int = Field(sa_type=Whole)
    game: str = Field(sa_type=Words)
    game_index: int = Field(sa_type=Whole)
    options: Any = Field(sa_type=JsonText, nullable=False)
    scenario: str | None = Field(default=None, sa_type=Words)
    seed: int = Field(sa_type=Whole)
    pack: int = Field(sa_type=Whole)
    rotation: int = Field(sa_type=Whole)
    status: str = Field(sa_type=Words)
    why: str | None = Field(default=None, sa_type=Words)
    plies: int = Field(sa_type=Whole)
    reason: str | None = Field(default=None, sa_type=Words)
    outcome: Any = Field(default=None, sa_type=JsonText, nullable=True)
    versions: Any = Field(sa_type=JsonText, nullable=False)
    parent_id: int | None = Field(default=None, sa_type=Whole, foreign_key="match.id")
    parent_ply: int | None = Field(default=None, sa_type=Whole)
    started_at: datetime | None = Field(default=None, sa_type=Moment)
    ended_at: datetime | None = Field(default=None, sa_type=Moment)
    claimed_by: str | None = Field(default=None, sa_type=Words)
    claimed_until: datetime | None = Field(default=None, sa_type=Moment)
    start_hash: str | None = Field(default=None, sa_type=Words)
    start_events: Any = Field(sa_type=JsonText, nullable=False)
    start: Any = Field(default=None, sa_type=JsonText, nullable=True)
    lineage: Any = Field(default=None, sa_type=JsonText, nullable=True)


class SeatRow(SQLModel, table=True):
    """Who sits where; `number` is the seat's place in the game's order."""

    __tablename__ = "seat"

    match_id: int = Field(sa_type=Whole, primary_key=True, foreign_key="match.id")
    number: int = Field(sa_type=Whole, primary_key=True)
    seat: str = Field(sa_type=Words)
    label: str = Field(sa_type=Words)
    kind: str = Field(sa_type=Words)
    model: str | None = Field(default=None, sa_type=Words)
    persona: str | None = Field(default=None, sa_type=Words)
    identity: str = Field(sa_type=Words)
    place: int | None = Field(default=None, sa_type=Whole)


class TextRow(SQLModel, table=True):
    """A text stored once, by the SHA-256 of its UTF-8 bytes: system messages, parameters. `body` is zlib."""

    __tablename__ = "text"

    id: int | None = Field(default=None, sa_type=Whole, primary_key=True)
    hash: bytes = Field(sa_type=LargeBinary, unique=True)
    body: bytes = Field(sa_type=LargeBinary)


class Call(SQLModel, table=True):
    """One request to a model. `opening_text` is the system message that begins its prompt, as a JSON list of parts; the
    rest of the prompt, the schema and all that came back in words are in `body` (see `harness.store.bodies`).
    """

    __table_args__ = (
        # Sums over many calls are answered from these two alone, without touching the replies.
        Index(
            "ix_call_match_sums",
            *("match_id", "seat", "kind", "error_kind", "prompt_tokens", "cached_tokens", "completion_tokens"),
            *("reasoning_tokens", "cost", "latency_ms"),
        ),
        Index("ix_call_run_sums", "run_id", "match_id", "label", "prompt_tokens", "completion_tokens", "cost"),
    )

    id: int | None = Field(default=None, sa_type=Whole, primary_key=True)
    run_id: int | None = Field(default=None, sa_type=Whole, foreign_key="run.id")
    match_id: int | None = Field(default=None, sa_type=Whole, foreign_key="match.id")
    ply: int = Field(sa_type=Whole)
    seat: str = Field(sa_type=Words)
    decision: int = Field(sa_type=Whole)
    kind: str = Field(sa_type=Words)
    attempt: int = Field(sa_type=Whole)
    label: str = Field(sa_type=Words)
    model: str = Field(sa_type=Words)
    prompt_tokens: int | None = Field(default=None, sa_type=Whole)
    cached_tokens: int | None = Field(default=None, sa_type=Whole)
    completion_tokens: int | None = Field(default=None, sa_type=Whole)
    reasoning_tokens: int | None = Field(default=None, sa_type=Whole)
    cost: float | None = Field(default=None, sa_type=Float(53))
    priced_by: str = Field(sa_type=Words)
    reserved: float = Field(sa_type=Float(53))
    latency_ms: float | None = Field(default=None, sa_type=Float(53))
    started_at: datetime = Field(sa_type=Moment)
    finish_reason: str | None = Field(default=None, sa_type=Words)
    read_by: str | None = Field(default=None, sa_type=Words)
    error_kind: str | None = Field(default=None, sa_type=Words)
    error: str | None = Field(default=None, sa_type=Words)
    http_status: int | None = Field(default=None, sa_type=Whole)
    retry_after: float | None = Field(default=None, sa_type=Float(53))
    flags: Any = Field(sa_type=JsonText, nullable=False)
    asked_text: int | None = Field(default=None, sa_type=Whole, foreign_key="text.id")
    sent_text: int | None = Field(default=None, sa_type=Whole, foreign_key="text.id")
    opening_text: int | None = Field(default=None, sa_type=Whole, foreign_key="text.id")
    body: bytes = Field(sa_type=LargeBinary)


class Turn(SQLModel, table=True):
    """The n-th action of a match."""

    __table_args__ = (Index("ix_turn_sums", "match_id", "seat", "source", "decision"),)

    match_id: int = Field(sa_type=Whole, primary_key=True, foreign_key="match.id")
    ply: int = Field(sa_type=Whole, primary_key=True)
    seat: str = Field(sa_type=Words)
    action: str = Field(sa_type=Words)
    source: str = Field(sa_type=Words)
    position_hash: str = Field(sa_type=Words)
    events: Any = Field(sa_type=JsonText, nullable=False)
    decision: int = Field(sa_type=Whole)
    plan_index: int = Field(sa_type=Whole)
    call_id: int | None = Field(default=None, sa_type=Whole, foreign_key="call.id")
    shown_index: int | None = Field(default=None, sa_type=Whole)
    legal_count: int = Field(sa_type=Whole)
    at: datetime = Field(sa_type=Moment)
    thoughts: str | None = Field(default=None, sa_type=Words)
    notes: str | None = Field(default=None, sa_type=Words)
    dropped: Any = Field(sa_type=JsonText, nullable=False)
    plan_fault: str | None = Field(default=None, sa_type=Words)
    talk: Any = Field(default=None, sa_type=JsonText, nullable=True)


class MessageRow(SQLModel, table=True):
    """Words that were said."""

    __tablename__ = "message"
    __table_args__ = (Index("ix_message_sums", "match_id", "sender"),)

    match_id: int = Field(sa_type=Whole, primary_key=True, foreign_key="match.id")
    seq: int = Field(sa_type=Whole, primary_key=True)
    ply: int = Field(sa_type=Whole)
    sender: str = Field(sa_type=Words)
    addressee: str = Field(sa_type=Words)
    text: str = Field(sa_type=Words)
    cut: bool
    talk: bool
    call_id: int | None = Field(default=None, sa_type=Whole, foreign_key="call.id")


class PledgeRow(SQLModel, table=True):
    """A promise carried by a message, the `number`-th of it from 0."""

    __tablename__ = "pledge"
    __table_args__ = (ForeignKeyConstraint(["match_id", "seq"], ["message.match_id", "message.seq"]),)

    match_id: int = Field(sa_type=Whole, primary_key=True)
    seq: int = Field(sa_type=Whole, primary_key=True)
    number: int = Field(sa_type=Whole, primary_key=True)
    kind: str = Field(sa_type=Words)
    addressee: str = Field(sa_type=Words)
    turns: int = Field(sa_type=Whole)
    condition: str | None = Field(default=None, sa_type=Words)


class Inbox(SQLModel, table=True):
    """A human's answer, from whichever process it was given in."""

    __table_args__ = (Index("ix_inbox_wanted", "match_id", "seat", "decision"),)

    id: int | None = Field(default=None, sa_type=Whole, primary_key=True)
    match_id: int = Field(sa_type=Whole, foreign_key="match.id")
    seat: str = Field(sa_type=Words)
    decision: int = Field(sa_type=Whole)
    text: str = Field(sa_type=Words)
    put_at: datetime = Field(sa_type=Moment)
    used_at: datetime | None = Field(default=None, sa_type=Moment)


def _table(name: str) -> Table:
    return SQLModel.metadata.tables[name]


run, match, seat, text = _table("run"), _table("match"), _table("seat"), _table("text")
call, turn, message, pledge, inbox = (
    _table("call"),
    _table("turn"),
    _table("message"),
    _table("pledge"),
    _table("inbox"),
)
