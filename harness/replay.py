"""Re-execute a log: every position of a match is derived again from its start and its actions."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from games import get_game
from games.api import Event, IllegalAction
from harness.pledges import with_verdicts
from harness.prompt import event_text
from harness.records import CallRecord, Json, MatchRecord, MessageRecord, SeatRecord, TurnRecord
from harness.starts import handed_on

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
    """The first place where a log and its re-execution part.

    `ply` is None where it is no position but the match's record that is wrong; `derived` is then what the run's file
    or the outcome gives, and None where the record cannot be read at all.
    """

    ply: int | None
    what: str
    logged: str
    derived: str | None

    def line(self) -> str:
        """One line for people."""
        logged = _shortened(self.logged)
        if self.derived is None:
            return f"{self.what}: {logged}"
        derived = _shortened(self.derived)
        if self.ply is None:
            return f"{self.what} differs: the record has {logged}, it should have {derived}"
        return f"ply {self.ply}: {self.what} differs: the log has {logged}, re-execution gives {derived}"


def _shortened(text: str) -> str:
    return text if len(text) <= SHOWN_CHARS else f"{text[:SHOWN_CHARS]}… ({len(text)} characters)"


class BrokenLog(ValueError):
    """A log that cannot be re-executed: an action that the rules refuse, a missing ply, a start that does not load."""

    def __init__(self, difference: Difference) -> None:
        super().__init__(difference.line())
        self.difference = difference


_canonical = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode


def position_hash(position: Json) -> str:
    """SHA-256 of a position's canonical JSON, as every turn of a log carries it."""
    return hashlib.sha256(_canonical(position).encode()).hexdigest()


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
    first = Frame(0, None, None, None, events, state, position_hash(game.dump(state)), game.to_act(state))
    yield first
    yield from follow(match, first, turns)


def follow(match: MatchRecord, after: Frame, turns: Sequence[TurnRecord]) -> Iterator[Frame]:
    """Play on from a frame of a match with the turns that come next.

    Raises:
        BrokenLog: where the log cannot be followed.
    """
    game, state = get_game(match.game), after.state
    for number, turn in enumerate(turns, start=after.ply + 1):
        state = handed_on(match, game, state, number - 1)
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


def build(
    match: MatchRecord,
    turns: Sequence[TurnRecord],
    messages: Sequence[MessageRecord],
    calls: Sequence[CallRecord],
    *,
    run: str,
    shown: Shown | None = None,
) -> Json:
    """The whole replay as one JSON value, from which a page can show every ply without asking again.

    `shown` are the frames that an earlier replay of the match has made; those that came since are added to it. Views
    and prompt parts occur once each and are referred to by index. A view's `you` is left out: it is the only thing in
    which the views of a public position differ.
    """
    game = get_game(match.game)
    texts = _Shared()
    shown = shown or Shown()
    shown.follow(match, turns)
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
            "seats": _seats_json(match.seats),
        },
        "fork": _fork_json(match),
        "frames": list(shown.frames),
        "views": list(shown.views),
        **with_verdicts(match, turns, messages),
        "turns": [
            turn.model_dump(mode="json", exclude={"seat", "action", "source", "position_hash", "events", "at"})
            for turn in turns
        ],
        "calls": [_call_json(call, texts) for call in calls],
        "texts": texts.items,
    }


class Shown:
    """The frames of a match and their views as `build` gives them; of a match that goes on, none is made twice."""

    def __init__(self) -> None:
        self.frames: list[Json] = []
        self._views = _Shared()
        self._last: Frame | None = None

    @property
    def views(self) -> list[Json]:
        """Each view once."""
        return self._views.items

    def follow(self, match: MatchRecord, turns: Sequence[TurnRecord]) -> None:
        """Add the frames up to the last of a match's turns; the log begins as it did before.

        Raises:
            BrokenLog: where the log cannot be followed.
        """
        game, last = get_game(match.game), self._last
        eyes: list[str | None] = [None, *(seat.seat for seat in match.seats)]
        for frame in frames(match, turns) if last is None else follow(match, last, turns[last.ply :]):
            views = {eye or "spectator": self._views.index(_without_you(game.view(frame.state, eye))) for eye in eyes}
            self.frames.append({**frame_json(match.game, frame), "views": views})
            self._last = frame


def frame_json(name: str, frame: Frame) -> Json:
    """A frame of a match of the game of that name, without its views: what was played and what happened."""
    return {
        "ply": frame.ply,
        "seat": frame.seat,
        "action": frame.action,
        "source": frame.source,
        "to_act": frame.to_act,
        "alive": list(get_game(name).alive(frame.state)),
        "events": [{**event.to_json(), "text": event_text(name, event)} for event in frame.events],
    }


def _fork_json(match: MatchRecord) -> Json | None:
    """Where a fork comes from; `before` are the stretches of its log up to there, with who played each."""
    if not match.forked:
        return None
    before = [
        {
            "until": stretch.until,
            "match": stretch.match_id,
            "run": stretch.run,
            "seats": _seats_json(stretch.seats),
        }
        for stretch in match.lineage
    ]
    return {"match": match.parent_id, "ply": match.parent_ply, "before": before}


def _seats_json(seats: Sequence[SeatRecord]) -> list[Json]:
    return [seat.model_dump(include={"seat", "label", "kind", "model", "persona"}) for seat in seats]


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
