"""Runs read as rows of the export's tables, a few matches at a time, so that memory does not grow with the run."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from harness.data.schema import CALLS, TABLES, Table
from harness.pledges import judge
from harness.ratings.missing import fate
from harness.records import OVER, CallRecord, RunRecord, SeatStats
from harness.store.columns import escape, sortable, to_json, unescape

if TYPE_CHECKING:
    from harness.store.flow import Head, Snapshot, Values

Rows = Sequence[tuple[Any, ...]]
_MATCHES_AT_ONCE = 20
_CALLS_AT_ONCE = 50
_OF_HEAD = frozenset(TABLES) - {"runs"}
_SUMS = TABLES["seats"].names[TABLES["seats"].names.index("turns") :]
_STATUS = 6
"""Where a match's status stands among its values."""


class Wanted(NamedTuple):
    """What is to be read: these tables; `public` without what is hidden; `prompts` with what was sent to models."""

    tables: Collection[str] = tuple(TABLES)
    public: bool = False
    prompts: bool = True


def read(store: Snapshot, runs: Iterable[RunRecord], wanted: Wanted) -> Iterator[tuple[str, Rows]]:
    """Rows of the wanted tables in lists, each with its table's name; those of one table in the order of matches.

    A public reading leaves out matches that are not over, with all that belongs to them: their players could learn from
    it what is hidden from them.
    """
    hide = {name: _hider(TABLES[name]) for name in wanted.tables} if wanted.public else {}
    for name, rows in _rows(store, runs, wanted):
        yield name, [hide[name](row) for row in rows] if name in hide else rows


def _rows(store: Snapshot, runs: Iterable[RunRecord], wanted: Wanted) -> Iterator[tuple[str, Rows]]:
    for run in runs:
        if "runs" in wanted.tables:
            yield "runs", [_run_row(run)]
        if not _OF_HEAD.intersection(wanted.tables):
            continue
        name = escape(run.name)
        if "calls" in wanted.tables:
            yield from _call_rows((name, None, None, None), store.probes(run.id or 0), prompts=True)
        ids = store.match_ids(run.id or 0)
        for first in range(0, len(ids), _MATCHES_AT_ONCE):
            some = store.heads(ids[first : first + _MATCHES_AT_ONCE])
            if wanted.public:
                some = [head for head in some if head.values[_STATUS] in OVER]
            if some:
                yield from _of_matches(store, name, some, wanted)


def _of_matches(store: Snapshot, run: str, heads: Sequence[Head], wanted: Wanted) -> Iterator[tuple[str, Rows]]:
    tables, ids = wanted.tables, [head.id for head in heads]
    if "matches" in tables:
        yield "matches", [(*_head(run, head), *head.values) for head in heads]
    if "seats" in tables or "outcomes" in tables:
        stats = {(stat.match_id, stat.seat): stat for stat in store.match_stats(ids)}
        if "seats" in tables:
            yield "seats", [row for head in heads for row in _seat_rows(run, head, stats)]
        if "outcomes" in tables:
            yield "outcomes", [row for head in heads for row in _outcome_rows(run, head, stats)]
    made = store.pledge_rows(ids) if "pledges" in tables else {}
    acted = store.turn_rows(ids if "turns" in tables else [number for number in ids if made.get(number)])
    if "turns" in tables:
        yield "turns", [row for head in heads for row in _turn_rows(run, head, acted[head.id])]
    if "messages" in tables:
        said = store.message_rows(ids)
        yield "messages", [row for head in heads for row in _message_rows(run, head, said[head.id])]
    if "pledges" in tables:
        judged = (head for head in heads if made[head.id])
        yield "pledges", [row for head in judged for row in _pledge_rows(store, run, head, acted[head.id])]
    if "answers" in tables:
        typed = store.answer_rows(ids)
        yield "answers", [(*_head(run, head), *row[1:]) for head in heads for row in typed[head.id]]
    if "calls" in tables:
        prompts = wanted.prompts and not wanted.public
        for head in heads:
            yield from _call_rows(_head(run, head), store.calls(head.id, prompts=prompts), prompts=prompts)


def _head(run: str, head: Head) -> Values:
    return run, head.id, head.number, head.game


def _run_row(run: RunRecord) -> Values:
    return (
        escape(run.name),
        run.seed,
        run.status,
        None if run.why is None else escape(run.why),
        to_json(run.spec),
        escape(run.source),
        to_json(run.versions),
        sortable(run.created_at),
        None if run.ended_at is None else sortable(run.ended_at),
    )


_Stats = Mapping[tuple[int, str], SeatStats]


def _seat_rows(run: str, head: Head, stats: _Stats) -> Iterator[Values]:
    for seat, number, label, kind, model, persona, identity, _ in head.seats:
        stat = stats[head.id, seat]
        # Databases add up in any order, and what lies beyond comes of that.
        sums = [round(getattr(stat, name), 9) for name in _SUMS]
        yield (*_head(run, head), seat, number, label, kind, model, persona, identity, *sums)


def _outcome_rows(run: str, head: Head, stats: _Stats) -> Iterator[Values]:
    values = dict(zip(TABLES["matches"].names[4:], head.values, strict=True))
    there = [stat for stat in (stats[head.id, seat[0]] for seat in head.seats) if stat.place is not None]
    places = [stat.place or 0 for stat in there]
    for seat, _, label, kind, model, _, identity, place in head.seats:
        stat = stats[head.id, seat]
        share = points = None
        if place is not None:
            share = 1 / stat.winners if place == 1 and stat.winners else 0.0
            points = sum(other > place for other in places) + (places.count(place) - 1) / 2
        forfeited = values["reason"] == "forfeit" and (place or 1) > 1
        yield (
            *_head(run, head),
            *(seat, len(head.seats), label, kind, model, identity, values["pack"], values["status"], fate(stat)),
            *(place, points, share, forfeited, stat.fallback, values["plies"], values["reason"], head.forked),
        )


def _turn_rows(run: str, head: Head, turns: Iterable[Values]) -> Iterator[Values]:
    first, labels, since = _head(run, head), head.labels, head.since
    if not since:
        for row in turns:
            yield (*first, row[1], row[2], labels[row[2]], *row[3:], False)
        return
    for row in turns:
        copied = row[1] <= since
        label = (head.labels_at(row[1]) if copied else labels)[row[2]]
        yield (*first, row[1], row[2], label, *row[3:], copied)


def _message_rows(run: str, head: Head, messages: Iterable[Values]) -> Iterator[Values]:
    labels, since = head.labels, head.since
    for _, seq, ply, sender, addressee, *rest in messages:
        copied = ply <= since
        label = (head.labels_at(ply) if copied else labels)[sender]
        yield (*_head(run, head), seq, ply, sender, label, addressee, addressee != "all", *rest, copied)


class _Act(NamedTuple):
    """What judging needs of a turn."""

    ply: int
    action: str
    source: str


def _pledge_rows(store: Snapshot, run: str, head: Head, turns: Iterable[Values]) -> Iterator[Values]:
    match = store.match(head.id)
    assert match is not None
    messages = store.messages(head.id)
    to = {message.seq: message.addressee for message in messages}
    acts = [_Act(row[1], unescape(row[3]), row[4]) for row in turns]
    for one in judge(match, acts, messages):
        labels = head.labels_at(one.ply)
        yield (
            *_head(run, head),
            *(one.seq, one.number, one.ply, one.maker, labels[one.maker], one.addressee, labels.get(one.addressee)),
            *(to[one.seq] != "all", one.kind, one.turns, one.condition, one.verdict, one.verdict_ply, one.why),
            *(one.phase, one.ply <= head.since),
        )


def _call_rows(head: Values, calls: Sequence[CallRecord], *, prompts: bool) -> Iterator[tuple[str, Rows]]:
    for first in range(0, len(calls), _CALLS_AT_ONCE):
        some = calls[first : first + _CALLS_AT_ONCE]
        yield CALLS.name, [(*head, *_call_values(call, prompts=prompts)) for call in some]


def _call_values(call: CallRecord, *, prompts: bool) -> Values:
    prompt = None
    if prompts:
        prompt = to_json([{"role": message.role, "parts": list(message.parts)} for message in call.prompt])
    return (
        *(call.id, call.ply, escape(call.seat), call.decision, call.kind, call.attempt, escape(call.label)),
        *(escape(call.model), call.error_kind, _text(call.error), call.http_status),
        None if call.retry_after is None else round(call.retry_after * 1000, 6),
        *(_text(call.finish_reason), call.read_by, call.prompt_tokens, call.cached_tokens, call.completion_tokens),
        *(call.reasoning_tokens, call.cost, call.priced_by, call.reserved, call.latency_ms),
        *(sortable(call.started_at), to_json(list(call.flags)), to_json(call.asked), to_json(call.sent)),
        *(to_json(call.served), prompt, None if call.answer_schema is None else to_json(call.answer_schema)),
        *(_text(call.content), _text(call.reasoning), _text(call.tool_arguments), _text(call.response)),
    )


def _text(text: str | None) -> str | None:
    return None if text is None else escape(text)


def _hider(table: Table) -> Any:
    """What makes of a row of a table one for everybody."""
    always = [place for place, column in enumerate(table.columns) if column.hidden == "always"]
    private = [place for place, column in enumerate(table.columns) if column.hidden == "private"]
    marked = table.names.index("private") if private else 0

    def hidden(row: Values) -> Values:
        values = list(row)
        for place in always:
            values[place] = None
        if private and row[marked]:
            for place in private:
                values[place] = None
        return tuple(values)

    return hidden
