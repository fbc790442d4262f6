"""Runs as chats for training: what was sent to a model and what it answered, with how it ended for its seat.

A line is one decision, or one seat of one match with all its decisions. It holds nothing but what was sent to that seat
and what was answered, and how the match ended; so nothing of another seat's is in it that the seat did not see.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from harness.records import OWN, CallRecord, Json, MatchRecord, PromptMessage, RunRecord, SeatRecord
from harness.store.columns import escape, to_json

if TYPE_CHECKING:
    from harness.store.flow import Snapshot

Per = Literal["decision", "match"]
_ASKED = ("act", "talk", "retry")


class Choice(NamedTuple):
    """Which chats are wanted, and what is in them."""

    per: Per = "decision"
    games: frozenset[str] = frozenset()
    """Of these games; empty: of all."""
    labels: frozenset[str] = frozenset()
    """Of players of these labels; empty: of all."""
    place: int | None = None
    """Only of seats that came out at this place or a better one."""
    rejected: bool = False
    """With answers that could not be used, and the words in which they were sent back."""
    reasoning: bool = False
    """With what the provider gave as reasoning."""


class _Decision(NamedTuple):
    """The calls of one decision: those that could not be used, and the one that was, if any."""

    rejected: tuple[CallRecord, ...]
    accepted: CallRecord | None


def chats(store: Snapshot, runs: Iterable[RunRecord], choice: Choice) -> Iterator[Json]:
    """The chats of these runs, match by match, each a JSON object. Answers copied into forks are those of their
    parents, and left out."""
    for run in runs:
        for match_id in store.match_ids(run.id or 0):
            match = store.match(match_id)
            if match is not None and (not choice.games or match.game in choice.games):
                yield from _of_match(store, run.name, match, choice)


def _of_match(store: Snapshot, run: str, match: MatchRecord, choice: Choice) -> Iterator[Json]:
    wanted = [seat for seat in match.seats if _is_wanted(match, seat, choice)]
    if not wanted:
        return
    calls = [call for call in store.calls(match.id or 0, prompts=True) if call.kind in _ASKED]
    stats = {stat.seat: stat for stat in store.match_stats([match.id or 0])} if calls else {}
    for seat in wanted:
        decisions = _decisions([call for call in calls if call.seat == seat.seat])
        if not decisions:
            continue
        told = _told(run, match, seat, stats[seat.seat].fallback)
        if choice.per == "match":
            yield from _whole(decisions, told, choice)
        else:
            for decision in decisions:
                yield from _alone(decision, told, choice)


def _is_wanted(match: MatchRecord, seat: SeatRecord, choice: Choice) -> bool:
    if seat.kind != "model" or (choice.labels and seat.label not in choice.labels):
        return False
    place = (match.outcome or {}).get("places", {}).get(seat.seat)
    return choice.place is None or (match.status == "finished" and place is not None and place <= choice.place)


def _told(run: str, match: MatchRecord, seat: SeatRecord, fallbacks: int) -> Json:
    """What each line of a seat tells of it; one type a key, so that tools can make columns of them."""
    outcome = match.outcome or {}
    place = outcome.get("places", {}).get(seat.seat)
    places = list(outcome.get("places", {}).values())
    winners = outcome.get("winners", ())
    return {
        "run": escape(run),
        "match": match.id,
        "number": match.number,
        "game": match.game,
        "options": to_json(match.options),
        "seat": seat.seat,
        "label": escape(seat.label),
        "model": None if seat.model is None else escape(seat.model),
        "persona": None if seat.persona is None else escape(seat.persona),
        "status": match.status,
        "place": place,
        "points": None if place is None else sum(one > place for one in places) + (places.count(place) - 1) / 2,
        "win_share": None if place is None else (1 / len(winners) if seat.seat in winners else 0.0),
        "reason": outcome.get("reason"),
        "forfeited": outcome.get("reason") == "forfeit" and (place or 1) > 1,
        "fallbacks": fallbacks,
    }


def _decisions(calls: Sequence[CallRecord]) -> list[_Decision]:
    """A seat's decisions that were answered, in order."""
    found = []
    ordered = sorted(calls, key=attrgetter("decision", "id"))
    for _, some in itertools.groupby(ordered, key=attrgetter("decision")):
        answered = [call for call in some if _answer(call) is not None and call.prompt and _of_model(call)]
        accepted = next((call for call in answered if call.error_kind is None), None)
        rejected = tuple(call for call in answered if call.error_kind is not None)
        if accepted is not None or rejected:
            found.append(_Decision(rejected, accepted))
    return found


def _of_model(call: CallRecord) -> bool:
    """Whether what came back is the model's own, and no provider's fault."""
    return call.error_kind is None or call.error_kind in OWN


def _answer(call: CallRecord) -> str | None:
    """What a call was answered with, as the harness read it."""
    return call.content or call.tool_arguments


def _alone(decision: _Decision, told: Json, choice: Choice) -> Iterator[Json]:
    calls: list[tuple[CallRecord, Sequence[PromptMessage]]] = []
    if choice.rejected:
        calls += [(call, call.prompt) for call in decision.rejected]
    if decision.accepted is not None:
        prompt = decision.accepted.prompt if choice.rejected else _first_asked(decision)
        calls.append((decision.accepted, prompt))
    for call, prompt in calls:
        yield {
            "messages": [*map(_sent, prompt), _said(call, choice)],
            **told,
            "ply": call.ply,
            "decision": call.decision,
            "kind": "talk" if call.kind == "talk" else "act",
            "accepted": call.error_kind is None,
            "error_kind": call.error_kind,
            "rejected": len(decision.rejected),
        }


def _whole(decisions: Sequence[_Decision], told: Json, choice: Choice) -> Iterator[Json]:
    """One conversation: the system message of the first prompt, then what each decision was asked and answered."""
    messages: list[Json] = []
    decided = 0
    for decision in decisions:
        if decision.accepted is None and not choice.rejected:
            continue
        last = decision.accepted or decision.rejected[-1]
        asked = _first_asked(decision)
        if not messages:
            messages += [_sent(message) for message in asked if message.role == "system"]
        messages += [_sent(message) for message in asked[-1:]]
        if choice.rejected:
            # What stands in the last prompt behind the question is the answers that could not be used, and why not.
            messages += [_sent(message) for message in last.prompt[len(asked) :]]
        messages.append(_said(last, choice))
        decided += decision.accepted is not None
    if messages:
        yield {"messages": messages, **told, "decisions": decided}


def _first_asked(decision: _Decision) -> Sequence[PromptMessage]:
    """The prompt of a decision as it was asked first: without answers to it that could not be used."""
    accepted = decision.accepted
    first = decision.rejected[0].prompt if decision.rejected else ()
    if accepted is None:
        return first
    # It may have been shortened in between, to fit the model.
    return first if first and accepted.prompt[: len(first)] == first else accepted.prompt


def _sent(message: PromptMessage) -> Json:
    return {"role": message.role, "content": escape(message.text)}


def _said(call: CallRecord, choice: Choice) -> Json:
    said: dict[str, Any] = {"role": "assistant", "content": escape(_answer(call) or "")}
    if choice.reasoning:
        said["reasoning_content"] = None if call.reasoning is None else escape(call.reasoning)
    return said
