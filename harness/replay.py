"""Re-execute a log: every position of a match is derived again from its start and its actions."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from games import get_game
from games.api import Event, Game, IllegalAction
from harness.prompt import event_text
from harness.records import CallRecord, Json, MatchRecord, MessageRecord, TurnRecord
from harness.starts import start

SHOWN_CHARS = 160
"""A value is shown up to this length where a log and its re-execution part."""


class Frame(NamedTuple):
    """One ply of a replay: what was played and the position after it. Frame 0 is the start and has no action."""

    ply: int
    seat: str | None
    action: str | None
    source: str | None
    events: tuple[Event, ...]
    state: Any
    hash: str
    to_act: str | None


class Difference(NamedTuple):
    """The first place where a log and its re-execution part."""

    ply: int
    what: str
    logged: str
    derived: str

    def line(self) -> str:
        """One line for people."""
        logged, derived = _shortened(self.logged), _shortened(self.derived)
        return f"ply {self.ply}: {self.what} differs: the log has {logged}, re-execution gives {derived}"


def _shortened(text: str) -> str:
    return text if len(text) <= SHOWN_CHARS else f"{text[:SHOWN_CHARS]}… ({len(text)} characters)"


class BrokenLog(ValueError):
    """A log that cannot be re-executed: an action that the rules refuse, a missing ply, a start that does not load."""

    def __init__(self, difference: Difference) -> None:
        super().__init__(difference.line())
        self.difference = difference


def position_hash(position: Json) -> str:
    """SHA-256 of a position's canonical JSON, as every turn of a log carries it."""
    text = json.dumps(position, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def frames(match: MatchRecord, turns: Sequence[TurnRecord]) -> Iterator[Frame]:
    """Play a log again from the match's start position.

    Raises:
        BrokenLog: where the log cannot be followed.
    """
    if match.start is None:
        return
    game = get_game(match.game)
    try:
        state = game.load(match.start)
    except ValueError as error:
        raise BrokenLog(Difference(0, "start", "a position", str(error))) from error
    events = tuple(Event.from_json(event) for event in match.start_events)
    yield Frame(0, None, None, None, events, state, position_hash(game.dump(state)), game.to_act(state))
    for number, turn in enumerate(turns, start=1):
        if turn.ply != number:
            raise BrokenLog(Difference(number, "ply", str(turn.ply), str(number)))
        seat = game.to_act(state)
        if seat != turn.seat:
            raise BrokenLog(Difference(number, "seat to act", turn.seat, str(seat)))
        try:
            step = game.apply(state, turn.action)
        except IllegalAction as error:
            raise BrokenLog(Difference(number, "action", turn.action, str(error))) from error
        state = step.state
        yield Frame(
            number,
            turn.seat,
            turn.action,
            turn.source,
            step.events,
            state,
            position_hash(game.dump(state)),
            game.to_act(state),
        )


def verify(match: MatchRecord, turns: Sequence[TurnRecord]) -> Difference | None:
    """Compare a whole log with its re-execution: start, every hash, every event, the outcome. None if all agree."""
    game = get_game(match.game)
    if match.start is None:
        return Difference(0, "start", "none", "a position") if turns or match.status == "finished" else None
    recorded = match.versions.get("rules")
    if recorded is not None and recorded != game.version:
        return Difference(0, "version of the rules", str(recorded), game.version)
    if match.plies != len(turns):
        return Difference(len(turns), "number of turns", str(match.plies), str(len(turns)))
    difference = _start_difference(match, game)
    if difference is not None:
        return difference
    try:
        last = None
        for frame in frames(match, turns):
            difference = _frame_difference(match, turns, frame)
            if difference is not None:
                return difference
            last = frame
    except BrokenLog as broken:
        return broken.difference
    if last is None:
        return None
    return _end_difference(match, game, last)


def _start_difference(match: MatchRecord, game: Game) -> Difference | None:
    """A start comes from the seed again; a fork's comes from its parent and is taken as it stands."""
    if match.parent_id is not None:
        return None
    try:
        state, events = start(match)
    except ValueError as error:
        return Difference(0, "start", "a position", str(error))
    derived, logged = game.dump(state), match.start or {}
    for key in [*derived, *(key for key in logged if key not in derived)]:
        if logged.get(key) != derived.get(key):
            return Difference(0, f"start.{key}", json.dumps(logged.get(key)), json.dumps(derived.get(key)))
    happened = [event.to_json() for event in events]
    if list(match.start_events) != happened:
        return Difference(0, "start events", json.dumps(list(match.start_events)), json.dumps(happened))
    return None


def _frame_difference(match: MatchRecord, turns: Sequence[TurnRecord], frame: Frame) -> Difference | None:
    if frame.ply == 0:
        if match.start_hash != frame.hash:
            return Difference(0, "position hash", str(match.start_hash), frame.hash)
        return None
    turn = turns[frame.ply - 1]
    if turn.position_hash != frame.hash:
        return Difference(frame.ply, "position hash", turn.position_hash, frame.hash)
    derived = [event.to_json() for event in frame.events]
    if list(turn.events) != derived:
        return Difference(frame.ply, "events", json.dumps(list(turn.events)), json.dumps(derived))
    return None


def _end_difference(match: MatchRecord, game: Game, last: Frame) -> Difference | None:
    derived = game.outcome(last.state)
    if match.status == "finished":
        logged = match.outcome or {}
        if logged.get("reason") == "forfeit":
            return None
        if derived is None:
            return Difference(last.ply, "outcome", json.dumps(logged, sort_keys=True), "a match that goes on")
        if logged != derived.to_json():
            return Difference(
                last.ply,
                "outcome",
                json.dumps(logged, sort_keys=True),
                json.dumps(derived.to_json(), sort_keys=True),
            )
    return None


def build(
    match: MatchRecord,
    turns: Sequence[TurnRecord],
    messages: Sequence[MessageRecord],
    calls: Sequence[CallRecord],
    *,
    run: str,
) -> Json:
    """The whole replay as one JSON value, from which a page can show every ply without asking again.

    Views and prompt parts occur once each and are referred to by index. A view's `you` is left out: it is the only
    thing in which the views of a public position differ.
    """
    game = get_game(match.game)
    views = _Shared()
    texts = _Shared()
    seats = [seat.seat for seat in match.seats]
    shown = []
    for frame in frames(match, turns):
        eyes: list[str | None] = [None, *seats]
        shown.append(
            {
                "ply": frame.ply,
                "seat": frame.seat,
                "action": frame.action,
                "source": frame.source,
                "to_act": frame.to_act,
                "alive": list(game.alive(frame.state)),
                "events": [{**event.to_json(), "text": event_text(match.game, event)} for event in frame.events],
                "views": {eye or "spectator": views.index(_without_you(game.view(frame.state, eye))) for eye in eyes},
            }
        )
    return {
        "match": {
            "id": match.id,
            "run": run,
            "number": match.number,
            "game": match.game,
            "title": game.title,
            "options": match.options,
            "scenario": match.scenario,
            "seed": match.seed,
            "status": match.status,
            "why": match.why,
            "outcome": match.outcome,
            "plies": match.plies,
            "versions": match.versions,
            "seats": [seat.model_dump(include={"seat", "label", "kind", "model", "persona"}) for seat in match.seats],
        },
        "frames": shown,
        "views": views.items,
        "messages": [message.model_dump(mode="json", exclude={"call_id"}) for message in messages],
        "turns": [
            turn.model_dump(mode="json", exclude={"seat", "action", "source", "position_hash", "events", "at"})
            for turn in turns
        ],
        "calls": [_call_json(call, texts) for call in calls],
        "texts": texts.items,
    }


def _call_json(call: CallRecord, texts: _Shared) -> Json:
    shown = call.model_dump(
        mode="json",
        exclude={
            "run_id",
            "match_id",
            "prompt",
            "answer_schema",
            "response",
            "tool_arguments",
            "http_status",
            "retry_after",
            "reserved",
            "started_at",
        },
    )
    shown["content"] = call.content if call.content is not None else call.tool_arguments
    shown["prompt"] = [
        {"role": message.role, "parts": [texts.index(part) for part in message.parts]} for message in call.prompt
    ]
    return shown


def _without_you(view: Json) -> Json:
    return {key: value for key, value in view.items() if key != "you"}


class _Shared:
    """A list in which equal values stand once."""

    def __init__(self) -> None:
        self.items: list[Any] = []
        self._places: dict[str, int] = {}

    def index(self, value: Any) -> int:
        key = json.dumps(value, sort_keys=True)
        if key not in self._places:
            self._places[key] = len(self.items)
            self.items.append(value)
        return self._places[key]
