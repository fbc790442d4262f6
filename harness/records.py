"""What the harness writes down: the types that cross between the loop, the gateway, the store and the readers.

They are kept apart from the tables: a record is checked when it is made and never changes; how it is laid out on disk
is the store's affair. Times are UTC, money is USD, durations are milliseconds.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

Json = dict[str, Any]
MatchStatus = Literal["queued", "running", "paused", "finished", "void"]
OVER: Final[tuple[MatchStatus, ...]] = ("finished", "void")
"""A match of such a status is never played on."""
RunStatus = Literal["running", "paused", "finished"]
PlayerKind = Literal["model", "bot", "human"]
Source = Literal["player", "forced", "fallback", "human"]
CallKind = Literal["act", "talk", "retry", "judge", "probe", "copied"]
"""What a call was for. `copied`: an answer given in the match that this one was forked from, kept for its words; it was
paid for there, so its figures are nothing here."""
ReadBy = Literal["tool", "whole", "fenced", "embedded"]

ErrorKind = Literal[
    "rate_limit",
    "quota",
    "timeout",
    "server",
    "connection",
    "cancelled",
    "auth",
    "unknown_model",
    "bad_request",
    "context",
    "limit",
    "budget",
    "content_filter",
    "refusal",
    "empty",
    "truncated",
    "unreadable",
    "illegal",
]
INFRASTRUCTURE: frozenset[str] = frozenset({"rate_limit", "quota", "timeout", "server", "connection", "cancelled"})
"""Never the player's fault: retried, then the match is paused."""
REFUSED: frozenset[str] = frozenset({"auth", "unknown_model", "bad_request", "context", "limit"})
"""The provider, or a limit, will not take this request: asked once, never repeated unchanged; the match is paused."""
OWN: frozenset[str] = frozenset({"content_filter", "refusal", "empty", "truncated", "unreadable", "illegal"})
"""The model's own: asked again, then the fallback or forfeit that the tournament file says."""
UNREADABLE: frozenset[str] = OWN - {"illegal"}
"""Answers in which no action was found; they are counted as one."""
OF_DECISIONS: frozenset[str] = frozenset({"act", "retry"})
"""Kinds of calls that ask for an action. Figures per decision count answers to these alone: a talk round is none."""


RESERVED_TOKENS = "reserved_tokens:"
"""The flag of a call that may have been paid for though its usage is not known, before the number of tokens that were
set aside for it and count as spent."""


class Record(BaseModel):
    """A value that never changes once made."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class PromptMessage(Record):
    """One message of a prompt. Its text is its parts joined by a blank line; parts are what the store shares."""

    role: Literal["system", "user", "assistant"]
    parts: tuple[str, ...]

    @property
    def text(self) -> str:
        """The message as it is sent."""
        return "\n\n".join(self.parts)


class CallRecord(Record):
    """One request to a model, whatever became of it. One HTTP request is one record: a retry is another."""

    id: int | None = None
    run_id: int | None = None
    match_id: int | None = None
    ply: int = 0
    """The first ply that the reply decides; for a talk call the next one."""
    seat: str = ""
    decision: int = 0
    """Which decision of that seat, from 0."""
    kind: CallKind = "act"
    attempt: int = 1
    """Counts the requests of one decision from 1, those that failed for any reason included."""
    label: str
    model: str
    prompt: tuple[PromptMessage, ...] = ()
    answer_schema: Json | None = None
    asked: Json = Field(default_factory=dict)
    """Parameters as the tournament file and the harness asked for them (no key, no header)."""
    sent: Json = Field(default_factory=dict)
    """Parameters as they were sent, after the library dropped or changed any."""
    served: Json = Field(default_factory=dict)
    """What the provider named: `model`, `provider`, `fingerprint`, `id`, where given."""
    content: str | None = None
    reasoning: str | None = None
    tool_arguments: str | None = None
    finish_reason: str | None = None
    response: str | None = None
    """The provider's whole response body as text, verbatim."""
    read_by: ReadBy | None = None
    error_kind: ErrorKind | None = None
    error: str | None = None
    """One line: the provider's own sentence, or what was wrong with the reply."""
    http_status: int | None = None
    retry_after: float | None = None
    """Seconds that the provider asked to wait."""
    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    completion_tokens: int | None = None
    reasoning_tokens: int | None = None
    cost: float | None = None
    priced_by: Literal["file", "table", "provider", "free", "reserved", "unknown"] = "unknown"
    reserved: float = 0.0
    """The worst price that was reserved for it before it was sent."""
    latency_ms: float | None = None
    started_at: datetime
    flags: tuple[str, ...] = ()
    """What is odd about it: `prompt_cut` (usage too small to be true for the text sent), `params_dropped`, ..."""


class CallLine(NamedTuple):
    """What a listing of many calls needs of each: no text but its error's sentence."""

    id: int
    match_id: int | None
    ply: int
    seat: str
    kind: str
    attempt: int
    label: str
    model: str
    error_kind: str | None
    error: str | None
    http_status: int | None
    prompt_tokens: int | None
    completion_tokens: int | None
    cost: float | None
    priced_by: str
    latency_ms: float | None
    flags: tuple[str, ...]


class PledgeRecord(Record):
    """A promise as the log stores it; its maker is the message's sender."""

    kind: str
    addressee: str
    turns: int
    condition: str | None = None


class MessageRecord(Record):
    """Words that were said. `seq` counts the messages of a match from 0; `ply` is the next ply when they were said."""

    seq: int
    ply: int
    sender: str
    addressee: str
    """`all` or a seat."""
    text: str
    """With control, direction-changing and zero-width characters taken out; the call keeps the reply verbatim."""
    cut: bool = False
    talk: bool = False
    """Said in a talk round, not with an action."""
    call_id: int | None = None
    pledges: tuple[PledgeRecord, ...] = ()


class TurnRecord(Record):
    """The n-th action of a match and how it came about. `ply` is n; ply 0 is the start position."""

    ply: int
    seat: str
    action: str
    source: Source
    position_hash: str
    """SHA-256 of the position after it: `json.dumps(position, sort_keys=True, separators=(",", ":"))`."""
    events: tuple[Json, ...] = ()
    decision: int = 0
    plan_index: int = 0
    """Its place in the reply's plan, from 0."""
    call_id: int | None = None
    shown_index: int | None = None
    """Where it stood in the list as shown, from 0; None for later actions of a plan and where no list was shown."""
    legal_count: int = 0
    thoughts: str | None = None
    notes: str | None = None
    """The seat's private memory as this reply set it; on the first action of a reply only, like `thoughts`."""
    dropped: tuple[str, ...] = ()
    """Why messages or pledges of the reply were left out."""
    plan_fault: str | None = None
    """Why the rest of the plan was given up with blame, if it was."""
    talk: tuple[str, ...] | None = None
    """The order of the talk round held just before this decision, if there was one."""
    at: datetime


class SeatRecord(Record):
    """Who sits where."""

    seat: str
    label: str
    kind: PlayerKind
    model: str | None = None
    """The model's name, or the bot's; None for a human."""
    persona: str | None = None
    identity: str
    """Hash of all that makes a player who it is: model, parameters, endpoint, persona, prompt set, engine version."""


class Stretch(Record):
    """The first part of a fork's log, which comes from another match: who played it, and on which chance."""

    until: int
    """Its last ply."""
    match_id: int
    """The match that it was copied from, which may have been taken away since."""
    run: str
    number: int
    """The number of that match in its run."""
    seed: int
    """Of the draws up to `until`."""
    seats: tuple[SeatRecord, ...]


class MatchRecord(Record):
    """One match: who plays what from where, and how it stands."""

    id: int | None = None
    run_id: int | None = None
    number: int
    """Its place in the run's schedule, from 0."""
    game: str
    game_index: int = 0
    """Which entry of the tournament file's `games`."""
    options: Json
    scenario: str | None = None
    seed: int
    pack: int = 0
    rotation: int = 0
    seats: tuple[SeatRecord, ...]
    status: MatchStatus = "queued"
    why: str | None = None
    """Why it is paused or void, in one line."""
    start: Json | None = None
    start_events: tuple[Json, ...] = ()
    start_hash: str | None = None
    plies: int = 0
    outcome: Json | None = None
    versions: Json = Field(default_factory=dict)
    """`rules`, `prompts` (a hash), `parley`, `litellm` as they were when it started."""
    parent_id: int | None = None
    parent_ply: int | None = None
    """The match and ply it was forked from. Of a fork whose parent was taken away, the ply alone is left."""
    lineage: tuple[Stretch, ...] = ()
    """Of a fork: the stretches of its log up to `parent_ply`, in order."""
    started_at: datetime | None = None
    ended_at: datetime | None = None

    @property
    def forked(self) -> bool:
        """Whether its first turns were played in another match."""
        return self.parent_ply is not None


class RunRecord(Record):
    """One tournament."""

    id: int | None = None
    name: str
    spec: Json
    """The tournament file, every default filled in. Holds no key."""
    source: str = ""
    """The file's text as it was read."""
    seed: int
    status: RunStatus = "running"
    why: str | None = None
    versions: Json = Field(default_factory=dict)
    created_at: datetime
    ended_at: datetime | None = None


class SeatStats(Record):
    """One seat of one match with its sums, as the tables of results need them."""

    run: str
    match_id: int
    number: int
    game: str
    game_index: int = 0
    """Which entry of the tournament file's `games`: packs are counted in each by itself."""
    status: MatchStatus
    held: bool = True
    """Of a match that is running, whether anybody alive plays its run."""
    pack: int
    seat: str
    seats: int
    label: str
    kind: PlayerKind
    identity: str
    place: int | None
    winners: int | None
    """How many share the first place of this match."""
    reason: str | None
    why: str | None = None
    """Why the match is paused or void."""
    parent_ply: int | None = None
    """Of a fork, the ply it was forked at; what was played and said up to there counts in no sum."""
    rules: str | None = None
    """The version of the rules that it was begun with."""
    turns: int
    forced: int
    fallback: int
    decisions: int
    """Replies wanted of it: distinct decisions with an action that were not forced."""
    illegal: int
    """Answers to its decisions with an illegal action; a decision that was asked again may have several."""
    unreadable: int
    """Answers to its decisions in which no action was found: those of `UNREADABLE`, likewise."""
    talk_faults: int = 0
    """Answers in talk rounds that could not be used: those of `OWN`."""
    failed: int
    """Calls that failed for infrastructure."""
    calls: int
    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int
    reasoning_tokens: int
    cost: float
    unpriced: int
    """Calls whose cost is not known."""
    latency_ms: float
    messages: int
    pledges: int


class Spend(Record):
    """What has been spent: money (USD), tokens and requests."""

    usd: float = 0.0
    tokens: int = 0
    calls: int = 0
