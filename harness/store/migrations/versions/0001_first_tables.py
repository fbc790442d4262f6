"""The first tables. Kept as they were: later changes are later migrations."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

WHOLE = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MOMENT = sa.Text().with_variant(sa.TIMESTAMP(timezone=True), "postgresql")
REAL = sa.Float(53)


def upgrade() -> None:
    """Make every table and index."""
    op.create_table(
        "run",
        sa.Column("id", WHOLE, primary_key=True),
        sa.Column("name", sa.Text, nullable=False, unique=True),
        sa.Column("spec", sa.Text, nullable=False),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("seed", WHOLE, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("why", sa.Text),
        sa.Column("versions", sa.Text, nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("ended_at", MOMENT),
    )
    op.create_table(
        "match",
        sa.Column("id", WHOLE, primary_key=True),
        sa.Column("run_id", WHOLE, sa.ForeignKey("run.id"), nullable=False),
        sa.Column("number", WHOLE, nullable=False),
        sa.Column("game", sa.Text, nullable=False),
        sa.Column("game_index", WHOLE, nullable=False),
        sa.Column("options", sa.Text, nullable=False),
        sa.Column("scenario", sa.Text),
        sa.Column("seed", WHOLE, nullable=False),
        sa.Column("pack", WHOLE, nullable=False),
        sa.Column("rotation", WHOLE, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("why", sa.Text),
        sa.Column("plies", WHOLE, nullable=False),
        sa.Column("reason", sa.Text),
        sa.Column("outcome", sa.Text),
        sa.Column("versions", sa.Text, nullable=False),
        sa.Column("parent_id", WHOLE, sa.ForeignKey("match.id")),
        sa.Column("parent_ply", WHOLE),
        sa.Column("started_at", MOMENT),
        sa.Column("ended_at", MOMENT),
        sa.Column("claimed_by", sa.Text),
        sa.Column("claimed_until", MOMENT),
        sa.Column("start_hash", sa.Text),
        sa.Column("start_events", sa.Text, nullable=False),
        sa.Column("start", sa.Text),
        sa.UniqueConstraint("run_id", "number"),
    )
    op.create_index("ix_match_run_status", "match", ["run_id", "status"])
    op.create_table(
        "seat",
        sa.Column("match_id", WHOLE, sa.ForeignKey("match.id"), primary_key=True),
        sa.Column("number", WHOLE, primary_key=True),
        sa.Column("seat", sa.Text, nullable=False),
        sa.Column("label", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("model", sa.Text),
        sa.Column("persona", sa.Text),
        sa.Column("identity", sa.Text, nullable=False),
        sa.Column("place", WHOLE),
    )
    op.create_table(
        "text",
        sa.Column("id", WHOLE, primary_key=True),
        sa.Column("hash", sa.LargeBinary, nullable=False, unique=True),
        sa.Column("body", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "call",
        sa.Column("id", WHOLE, primary_key=True),
        sa.Column("run_id", WHOLE, sa.ForeignKey("run.id")),
        sa.Column("match_id", WHOLE, sa.ForeignKey("match.id")),
        sa.Column("ply", WHOLE, nullable=False),
        sa.Column("seat", sa.Text, nullable=False),
        sa.Column("decision", WHOLE, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("attempt", WHOLE, nullable=False),
        sa.Column("label", sa.Text, nullable=False),
        sa.Column("model", sa.Text, nullable=False),
        sa.Column("prompt_tokens", WHOLE),
        sa.Column("cached_tokens", WHOLE),
        sa.Column("completion_tokens", WHOLE),
        sa.Column("reasoning_tokens", WHOLE),
        sa.Column("cost", REAL),
        sa.Column("priced_by", sa.Text, nullable=False),
        sa.Column("reserved", REAL, nullable=False),
        sa.Column("latency_ms", REAL),
        sa.Column("started_at", MOMENT, nullable=False),
        sa.Column("finish_reason", sa.Text),
        sa.Column("read_by", sa.Text),
        sa.Column("error_kind", sa.Text),
        sa.Column("error", sa.Text),
        sa.Column("http_status", WHOLE),
        sa.Column("retry_after", REAL),
        sa.Column("flags", sa.Text, nullable=False),
        sa.Column("served", sa.Text, nullable=False),
        sa.Column("asked_text", WHOLE, sa.ForeignKey("text.id")),
        sa.Column("sent_text", WHOLE, sa.ForeignKey("text.id")),
        sa.Column("schema_text", WHOLE, sa.ForeignKey("text.id")),
        sa.Column("prompt", sa.Text, nullable=False),
        sa.Column("content", sa.Text),
        sa.Column("reasoning", sa.Text),
        sa.Column("tool_arguments", sa.Text),
        sa.Column("response", sa.LargeBinary),
    )
    sums = ["match_id", "seat", "kind", "error_kind", "prompt_tokens", "cached_tokens", "completion_tokens"]
    op.create_index("ix_call_match_sums", "call", [*sums, "reasoning_tokens", "cost", "latency_ms"])
    spend = ["run_id", "match_id", "label", "prompt_tokens", "completion_tokens", "cost"]
    op.create_index("ix_call_run_sums", "call", spend)
    op.create_table(
        "turn",
        sa.Column("match_id", WHOLE, sa.ForeignKey("match.id"), primary_key=True),
        sa.Column("ply", WHOLE, primary_key=True),
        sa.Column("seat", sa.Text, nullable=False),
        sa.Column("action", sa.Text, nullable=False),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("position_hash", sa.Text, nullable=False),
        sa.Column("events", sa.Text, nullable=False),
        sa.Column("decision", WHOLE, nullable=False),
        sa.Column("plan_index", WHOLE, nullable=False),
        sa.Column("call_id", WHOLE, sa.ForeignKey("call.id")),
        sa.Column("shown_index", WHOLE),
        sa.Column("legal_count", WHOLE, nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.Column("thoughts", sa.Text),
        sa.Column("notes", sa.Text),
        sa.Column("dropped", sa.Text, nullable=False),
        sa.Column("plan_fault", sa.Text),
        sa.Column("talk", sa.Text),
    )
    op.create_index("ix_turn_sums", "turn", ["match_id", "seat", "source", "decision"])
    op.create_table(
        "message",
        sa.Column("match_id", WHOLE, sa.ForeignKey("match.id"), primary_key=True),
        sa.Column("seq", WHOLE, primary_key=True),
        sa.Column("ply", WHOLE, nullable=False),
        sa.Column("sender", sa.Text, nullable=False),
        sa.Column("addressee", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("cut", sa.Boolean, nullable=False),
        sa.Column("talk", sa.Boolean, nullable=False),
        sa.Column("call_id", WHOLE, sa.ForeignKey("call.id")),
    )
    op.create_index("ix_message_sums", "message", ["match_id", "sender"])
    op.create_table(
        "pledge",
        sa.Column("match_id", WHOLE, primary_key=True),
        sa.Column("seq", WHOLE, primary_key=True),
        sa.Column("number", WHOLE, primary_key=True),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("addressee", sa.Text, nullable=False),
        sa.Column("turns", WHOLE, nullable=False),
        sa.Column("condition", sa.Text),
        sa.ForeignKeyConstraint(["match_id", "seq"], ["message.match_id", "message.seq"]),
    )
    op.create_table(
        "inbox",
        sa.Column("id", WHOLE, primary_key=True),
        sa.Column("match_id", WHOLE, sa.ForeignKey("match.id"), nullable=False),
        sa.Column("seat", sa.Text, nullable=False),
        sa.Column("decision", WHOLE, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("put_at", MOMENT, nullable=False),
        sa.Column("used_at", MOMENT),
    )
    op.create_index("ix_inbox_wanted", "inbox", ["match_id", "seat", "decision"])
