"""The tables of an export: every column with its type and meaning, defined here and nowhere else.

Files, data frames and the check of what is imported are made from this; a test holds `docs/data.md` to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from harness.records import ErrorKind

if TYPE_CHECKING:
    import pyarrow as pa

FORMAT = 1
"""Of the files of an export; a change that an older import could not read makes it one more."""
Kind = Literal["text", "json", "int", "float", "bool", "time"]
KINDS: dict[Kind, tuple[str, str]] = {
    "text": ("string", "a text"),
    "json": ("string (JSON)", "a text that holds JSON"),
    "int": ("int64", "a whole number of 64 bits"),
    "float": ("float64", "a finite number"),
    "bool": ("bool", "true or false"),
    "time": ("timestamp[us, UTC]", "a time as 2026-05-04T12:00:00.000250+00:00"),
}
"""Each kind's type as the documentation names it, and what a value of it is in words."""
Hidden = Literal["", "always", "private"]


class Column(NamedTuple):
    """One column. `null` says whether a value may be missing."""

    name: str
    kind: Kind
    meaning: str
    null: bool = False
    unit: str = ""
    hidden: Hidden = ""
    """Whether a public export leaves it empty: always, or in rows that are private."""


class Table(NamedTuple):
    """One table, one file. `row` says what a row is; rows of `long` tables may be large."""

    name: str
    row: str
    columns: tuple[Column, ...]
    long: bool = False
    derived: bool = False
    """Whether all of it can be computed from the other tables, so that an import passes it over."""

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names in order."""
        return tuple(column.name for column in self.columns)


def _whole(*columns: tuple[str, str, str]) -> tuple[Column, ...]:
    return tuple(Column(name, "int", meaning, unit=unit) for name, meaning, unit in columns)


_RUN = Column("run", "text", "The run's name")
_MATCH = Column("match", "int", "The match's number in the database, as `parley replay` takes it")
_NUMBER = Column("number", "int", "The match's place in its run's schedule, from 0")
_GAME = Column("game", "text", "The game's name")
_OF_MATCH = (_RUN, _MATCH, _NUMBER, _GAME)
_COPIED = Column(
    "copied", "bool", "Of a fork: it was played in the match that this one was forked from, and counts there"
)
_CALL = Column("call", "int", "The call that it came from, as in `calls`", null=True)
_STATUS = "queued, running, paused, finished or void"

RUNS = Table(
    "runs",
    "one run",
    (
        _RUN,
        Column("seed", "int", "The tournament's seed", hidden="always"),
        Column("status", "text", "running, paused or finished"),
        Column("why", "text", "Why it is paused", null=True, hidden="always"),
        Column("spec", "json", "The tournament file, every default filled in; never a key", hidden="always"),
        Column("source", "text", "The file's text as it was read", hidden="always"),
        Column("versions", "json", "Versions of Parley, litellm and the prompts"),
        Column("created_at", "time", "When it was begun"),
        Column("ended_at", "time", "When it ended", null=True),
    ),
    long=True,
)
MATCHES = Table(
    "matches",
    "one match",
    (
        *_OF_MATCH,
        Column("game_index", "int", "Which entry of the file's `games`, from 0"),
        Column("options", "json", "The game's options"),
        Column("scenario", "text", "The start position's name; null is the game's own start", null=True),
        Column("seed", "int", "The seed of its chance", hidden="always"),
        Column("pack", "int", "Matches of one pack share a seed; seats are rotated among them"),
        Column("rotation", "int", "Its place in the pack, from 0"),
        Column("status", "text", _STATUS),
        Column("why", "text", "Why it is paused or void", null=True, hidden="always"),
        Column("plies", "int", "Actions so far", unit="turns"),
        Column("reason", "text", "How it ended, in the game's word; `forfeit` for one that was given up", null=True),
        Column("outcome", "json", "`winners`, `places` by seat, `reason`; null before the end", null=True),
        Column("versions", "json", "Versions of the rules, prompts, Parley and litellm when it started"),
        Column("parent", "int", "Of a fork: the match it was forked from, where that is still there", null=True),
        Column("parent_ply", "int", "Of a fork: the ply it was forked at", null=True),
        Column(
            "lineage",
            "json",
            "Of a fork: the stretches of its log up to there, with who played each",
            True,
            hidden="always",
        ),
        Column("started_at", "time", "When it began", null=True),
        Column("ended_at", "time", "When it ended", null=True),
        Column("start_hash", "text", "SHA-256 of the start position", null=True),
        Column("start", "json", "The start position, its chance included", null=True, hidden="always"),
        Column("start_events", "json", "What happened at the start: a list of events"),
    ),
    long=True,
)
SEATS = Table(
    "seats",
    "one seat of one match, with its sums",
    (
        *_OF_MATCH,
        Column("seat", "text", "The seat's name in the game"),
        Column("seat_number", "int", "Its place in the game's order, from 0"),
        Column("label", "text", "The player's label"),
        Column("kind", "text", "model, bot or human"),
        Column("model", "text", "The model's name, or the bot's; null for a human", null=True),
        Column("persona", "text", "The persona that the player was given", null=True),
        Column("identity", "text", "Hash of all that makes a player who it is"),
        *_whole(
            ("turns", "Actions of it; of a fork, only its own", "turns"),
            ("decisions", "Replies wanted of it: decisions that were not forced", "decisions"),
            ("forced", "Turns without a choice, for which nobody was asked", "turns"),
            ("fallback", "Decisions made for it after its answers could not be used", "decisions"),
            ("illegal", "Answers to its decisions with an illegal action", "calls"),
            ("unreadable", "Answers to its decisions in which no action was found", "calls"),
            ("failed", "Calls that failed for infrastructure", "calls"),
            ("messages", "Messages sent", "messages"),
            ("pledges", "Pledges made", "pledges"),
            ("calls", "Calls made for it", "calls"),
            ("prompt_tokens", "Prompt tokens of those", "tokens"),
            ("cached_tokens", "Prompt tokens that the provider had cached", "tokens"),
            ("completion_tokens", "Answer tokens, reasoning included", "tokens"),
            ("reasoning_tokens", "Reasoning tokens", "tokens"),
        ),
        Column("cost", "float", "Cost of its calls, of those whose price is known", unit="USD"),
        Column("unpriced", "int", "Calls whose cost is not known", unit="calls"),
        Column("latency_ms", "float", "How long its calls took, together", unit="ms"),
    ),
)
OUTCOMES = Table(
    "outcomes",
    "one seat of one match, with how it ended for it",
    (
        *_OF_MATCH,
        Column("seat", "text", "The seat's name in the game"),
        Column("seats", "int", "How many seats the match has", unit="seats"),
        Column("label", "text", "The player's label"),
        Column("kind", "text", "model, bot or human"),
        Column("model", "text", "The model's name, or the bot's", null=True),
        Column("identity", "text", "Hash of all that makes a player who it is"),
        Column("pack", "int", "The match's pack: the unit of intervals"),
        Column("status", "text", _STATUS),
        Column(
            "fate",
            "text",
            "What the match is in tables: counted, or forfeit, paused, stopped, void, running, queued, no_result",
        ),
        Column("place", "int", "Its place, 1 the best; seats that share a place have the same", null=True),
        Column("points", "float", "Seats placed below it, those that share its place by half", null=True),
        Column("win_share", "float", "1 for a win, 1/k for a first place that k share, else 0", null=True),
        Column("forfeited", "bool", "It was its own forfeit that ended the match"),
        Column("fallbacks", "int", "Decisions made for it after its answers could not be used", unit="decisions"),
        Column("plies", "int", "Actions of the match", unit="turns"),
        Column("reason", "text", "How the match ended, in the game's word", null=True),
        Column("forked", "bool", "The match is a fork, whose start was no fair one"),
    ),
    derived=True,
)
TURNS = Table(
    "turns",
    "one action",
    (
        *_OF_MATCH,
        Column("ply", "int", "Its number in the match, from 1"),
        Column("seat", "text", "Who acted"),
        Column("label", "text", "The player's label"),
        Column("action", "text", "What was played"),
        Column("source", "text", "player, human, forced (no choice) or fallback (chosen by the harness)"),
        Column("decision", "int", "Which decision of that seat, from 0"),
        Column("plan_index", "int", "Its place in the reply's plan, from 0"),
        Column("shown_index", "int", "Where it stood in the list as shown, from 0", null=True),
        Column("legal_count", "int", "Legal actions there were", unit="actions"),
        Column("events", "json", "What happened: a list of events, each with its `kind`"),
        Column("position_hash", "text", "SHA-256 of the position after it"),
        _CALL,
        Column("thoughts", "text", "The reply's thoughts, on its first action", null=True, hidden="always"),
        Column("notes", "text", "The seat's notes as the reply set them", null=True, hidden="always"),
        Column("dropped", "json", "Why messages or pledges of the reply were left out: a list", hidden="always"),
        Column("plan_fault", "text", "Why the rest of the plan was given up with blame", null=True, hidden="always"),
        Column("talk", "json", "The order of the talk round held just before: a list of seats", null=True),
        Column("at", "time", "When it was played"),
        _COPIED,
    ),
)
CALLS = Table(
    "calls",
    "one request to a model, whatever became of it",
    (
        _RUN,
        Column("match", "int", "The match's number in the database; null for a probe", null=True),
        Column("number", "int", "The match's place in its run's schedule, from 0", null=True),
        Column("game", "text", "The game's name", null=True),
        Column("call", "int", "The call's number in the database"),
        Column("ply", "int", "The first ply that the reply decides; of a talk call the next one"),
        Column("seat", "text", "For whom; empty for a probe"),
        Column("decision", "int", "Which decision of that seat, from 0"),
        Column("kind", "text", "act, talk, retry, judge, probe, or copied (paid for in the match forked from)"),
        Column("attempt", "int", "The request's number in its decision, from 1"),
        Column("label", "text", "The player's label"),
        Column("model", "text", "The model as the tournament file names it"),
        Column("error_kind", "text", f"What was wrong, if anything: {', '.join(get_args(ErrorKind))}", True),
        Column("error", "text", "The provider's sentence, or what was wrong with the reply", True, hidden="always"),
        Column("http_status", "int", "The HTTP status", null=True),
        Column("retry_after_ms", "float", "How long the provider asked to wait", null=True, unit="ms"),
        Column("finish_reason", "text", "Why the provider ended the answer", null=True),
        Column("read_by", "text", "How the answer was read: tool, whole, fenced or embedded", null=True),
        Column("prompt_tokens", "int", "Prompt tokens", null=True, unit="tokens"),
        Column("cached_tokens", "int", "Prompt tokens that the provider had cached", null=True, unit="tokens"),
        Column("completion_tokens", "int", "Answer tokens, reasoning included", null=True, unit="tokens"),
        Column("reasoning_tokens", "int", "Reasoning tokens", null=True, unit="tokens"),
        Column("cost", "float", "What it cost; null where the price is not known", null=True, unit="USD"),
        Column("priced_by", "text", "file, table, provider, free, reserved or unknown"),
        Column("reserved", "float", "The worst price, reserved before it was sent", unit="USD"),
        Column("latency_ms", "float", "How long it took", null=True, unit="ms"),
        Column("started_at", "time", "When it was sent"),
        Column("flags", "json", "What is odd about it: a list"),
        Column("asked", "json", "Parameters as asked for; no key, no header", hidden="always"),
        Column("sent", "json", "Parameters as sent", hidden="always"),
        Column("served", "json", "What the provider named: model, provider, fingerprint, id", hidden="always"),
        Column("prompt", "json", "A list of `role` and `parts`; parts are joined by a blank line", hidden="always"),
        Column("answer_schema", "json", "The JSON schema that was sent with it", null=True, hidden="always"),
        Column("content", "text", "The answer", null=True, hidden="always"),
        Column("reasoning", "text", "What the provider gave as reasoning", null=True, hidden="always"),
        Column("tool_arguments", "text", "The arguments of a tool call", null=True, hidden="always"),
        Column("response", "text", "The provider's whole response, verbatim", null=True, hidden="always"),
    ),
    long=True,
)
MESSAGES = Table(
    "messages",
    "one message",
    (
        *_OF_MATCH,
        Column("seq", "int", "Its number in the match, from 0"),
        Column("ply", "int", "The next ply when it was said"),
        Column("sender", "text", "The seat that said it"),
        Column("label", "text", "The sender's label"),
        Column("addressee", "text", "`all` or a seat"),
        Column("private", "bool", "Said to one seat alone"),
        Column("text", "text", "The words", hidden="private"),
        Column("cut", "bool", "It was too long and was cut"),
        Column("talk", "bool", "Said in a talk round, not with an action"),
        _CALL,
        _COPIED,
    ),
)
PLEDGES = Table(
    "pledges",
    "one pledge, with its verdict",
    (
        *_OF_MATCH,
        Column("seq", "int", "The message that carried it"),
        Column("pledge", "int", "Its place in that message, from 0"),
        Column("ply", "int", "The ply of that message"),
        Column("maker", "text", "The seat that made it"),
        Column("label", "text", "The maker's label"),
        Column("addressee", "text", "The seat it was made to"),
        Column("addressee_label", "text", "The addressee's label", null=True),
        Column("private", "bool", "Its message was said to one seat alone"),
        Column("kind", "text", "What was promised, in the game's word"),
        Column("turns", "int", "Its term", unit="turns of the game"),
        Column("condition", "text", "The deed of the addressee's that it depends on", null=True),
        Column("verdict", "text", "kept, broken, untested or void"),
        Column("verdict_ply", "int", "The ply of the act that decided it", null=True),
        Column("why", "text", "deed, fallback, no_choice, no_occasion, condition, open or log"),
        Column("phase", "text", "first third, middle third or last third of the match so far"),
        _COPIED,
    ),
)
ANSWERS = Table(
    "answers",
    "one answer that a person typed for a seat",
    (
        *_OF_MATCH,
        Column("seat", "text", "The person's seat"),
        Column("decision", "int", "Which decision of that seat, from 0"),
        Column("text", "text", "What was typed", hidden="always"),
        Column("put_at", "time", "When it was given"),
        Column("used_at", "time", "When it was used", null=True),
    ),
)

TABLES: dict[str, Table] = {
    table.name: table for table in (RUNS, MATCHES, SEATS, OUTCOMES, TURNS, CALLS, MESSAGES, PLEDGES, ANSWERS)
}


def arrow_schema(table: Table) -> pa.Schema:
    """The table as an Arrow schema: types, what may be null, and every column's meaning and unit as metadata."""
    import pyarrow as pa

    types = {
        "text": pa.string(),
        "json": pa.string(),
        "int": pa.int64(),
        "float": pa.float64(),
        "bool": pa.bool_(),
        "time": pa.timestamp("us", tz="UTC"),
    }
    fields = []
    for column in table.columns:
        told = {"description": column.meaning}
        if column.unit:
            told["unit"] = column.unit
        if column.kind == "json":
            told["content"] = "json"
        fields.append(pa.field(column.name, types[column.kind], column.null or bool(column.hidden), told))
    return pa.schema(fields, {"table": table.name, "row": table.row, "parley_export": str(FORMAT)})


def arrow_table(table: Table, rows: Sequence[Sequence[object]]) -> pa.Table:
    """Rows as an Arrow table; a value's place is its column's."""
    import pyarrow as pa

    schema = arrow_schema(table)
    columns = zip(*rows, strict=True) if rows else ((),) * len(table.columns)
    arrays = [
        # Times are texts of one form until here: Arrow reads them far quicker than Python does.
        pa.array(values, pa.string()).cast(field.type) if column.kind == "time" else pa.array(values, field.type)
        for column, field, values in zip(table.columns, schema, columns, strict=True)
    ]
    return pa.Table.from_arrays(arrays, schema=schema)
