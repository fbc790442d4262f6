"""Strategies for any record at all."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any, get_args

from hypothesis import strategies as st

from harness.records import (
    CallKind,
    CallRecord,
    ErrorKind,
    MatchRecord,
    MatchStatus,
    MessageRecord,
    PlayerKind,
    PledgeRecord,
    PromptMessage,
    ReadBy,
    RunRecord,
    RunStatus,
    SeatRecord,
    Source,
    Stretch,
    TurnRecord,
)
from tests.harness.store.samples import OUTCOME

# Anything that a str can hold: NUL and lone surrogates too.
anything = st.text(st.characters(), max_size=30) | st.sampled_from(
    ["\x00", "a\x10b\x000000", "\ud83d\ude00", "\udfff", ""]
)
maybe = st.none() | anything
_whole = st.integers(-(2**63), 2**63 - 1)
count = st.integers(0, 2**40)
_real = st.floats(allow_nan=False, allow_infinity=False)
_value = st.recursive(
    st.none() | st.booleans() | st.integers() | _real | anything,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(anything, inner, max_size=3),
    max_leaves=6,
)
json_objects = st.dictionaries(anything, _value, max_size=4)
# Zones of a fixed offset: Python holds no hour that a clock change skips or repeats equal to any in another zone.
_zones = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
moments = st.datetimes(datetime(1970, 1, 2), datetime(9990, 1, 1), timezones=st.just(UTC) | _zones)  # noqa: DTZ001
_lines = st.lists(anything, max_size=3).map(tuple)


def _one_of(kinds: Any) -> st.SearchStrategy[Any]:
    return st.sampled_from(get_args(kinds))


runs = st.builds(
    RunRecord,
    id=st.none(),
    name=anything,
    spec=json_objects,
    source=anything,
    seed=_whole,
    status=_one_of(RunStatus),
    why=maybe,
    versions=json_objects,
    created_at=moments,
    ended_at=st.none() | moments,
)
seats = st.builds(
    SeatRecord,
    seat=anything,
    label=anything,
    kind=_one_of(PlayerKind),
    model=maybe,
    persona=maybe,
    identity=anything,
)
stretches = st.builds(
    Stretch,
    until=count,
    match_id=count,
    run=anything,
    number=count,
    seed=_whole,
    seats=st.lists(seats, max_size=2).map(tuple),
)
matches = st.builds(
    MatchRecord,
    id=st.none(),
    run_id=st.none(),
    number=count,
    game=anything,
    game_index=count,
    options=json_objects,
    scenario=maybe,
    seed=_whole,
    pack=count,
    rotation=count,
    seats=st.lists(seats, max_size=4).map(tuple),
    status=_one_of(MatchStatus),
    why=maybe,
    start=st.none() | json_objects,
    start_events=st.lists(json_objects, max_size=2).map(tuple),
    start_hash=maybe,
    plies=count,
    outcome=st.none() | st.just(OUTCOME),
    versions=json_objects,
    parent_id=st.none(),
    parent_ply=st.none() | count,
    lineage=st.lists(stretches, max_size=2).map(tuple),
    started_at=st.none() | moments,
    ended_at=st.none() | moments,
)
turns = st.builds(
    TurnRecord,
    ply=st.integers(1, 10**6),
    seat=anything,
    action=anything,
    source=_one_of(Source),
    position_hash=anything,
    events=st.lists(json_objects, max_size=3).map(tuple),
    decision=count,
    plan_index=count,
    call_id=st.none(),
    shown_index=st.none() | count,
    legal_count=count,
    thoughts=maybe,
    notes=maybe,
    dropped=_lines,
    plan_fault=maybe,
    talk=st.none() | _lines,
    at=moments,
)
pledges = st.builds(PledgeRecord, kind=anything, addressee=anything, turns=count, condition=maybe)
messages = st.builds(
    MessageRecord,
    seq=count,
    ply=count,
    sender=anything,
    addressee=anything,
    text=anything,
    cut=st.booleans(),
    talk=st.booleans(),
    call_id=st.none(),
    pledges=st.lists(pledges, max_size=3).map(tuple),
)
_prompts = st.builds(PromptMessage, role=st.sampled_from(["system", "user", "assistant"]), parts=_lines)
calls = st.builds(
    CallRecord,
    id=st.none(),
    run_id=st.none(),
    match_id=st.none(),
    ply=count,
    seat=anything,
    decision=count,
    kind=_one_of(CallKind),
    attempt=count,
    label=anything,
    model=anything,
    prompt=st.lists(_prompts, max_size=3).map(tuple),
    answer_schema=st.none() | json_objects,
    asked=json_objects,
    sent=json_objects,
    served=json_objects,
    content=maybe,
    reasoning=maybe,
    tool_arguments=maybe,
    finish_reason=maybe,
    response=maybe,
    read_by=st.none() | _one_of(ReadBy),
    error_kind=st.none() | _one_of(ErrorKind),
    error=maybe,
    http_status=st.none() | count,
    retry_after=st.none() | _real,
    prompt_tokens=st.none() | count,
    cached_tokens=st.none() | count,
    completion_tokens=st.none() | count,
    reasoning_tokens=st.none() | count,
    cost=st.none() | _real,
    priced_by=st.sampled_from(["file", "table", "provider", "free", "reserved", "unknown"]),
    reserved=_real,
    latency_ms=st.none() | _real,
    started_at=moments,
    flags=_lines,
)
