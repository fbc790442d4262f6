"""Re-execute a log: every position of a match is derived again from its start and its actions."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from pydantic import ValidationError

from games import GAMES, get_game
from games.api import Event, Game, IllegalAction, even_out
from harness.pledges import with_verdicts
from harness.prompt import event_text
from harness.records import CallRecord, Json, MatchRecord, MessageRecord, SeatRecord, TurnRecord
from harness.starts import handed_on, start

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


def verify(match: MatchRecord, turns: Sequence[TurnRecord]) -> Difference | None:
    """Compare a whole log with its re-execution: start, every hash, every event, the outcome. None if all agree."""
    if match.game not in GAMES:
        return Difference(0, "game", match.game, f"one of {', '.join(GAMES)}")
    game = get_game(match.game)
    if match.start is None:
        begun = turns or match.status == "finished" or match.outcome is not None
        return Difference(0, "start", "none", "a position") if begun else None
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
            if difference is None and last is not None:
                difference = _turn_difference(match, turns[frame.ply - 1], game.legal(last.state))
            if difference is not None:
                return difference
            last = frame
    except BrokenLog as broken:
        return broken.difference
    if last is None:
        return None
    return _end_difference(match, game, last)


def _start_difference(match: MatchRecord, game: Game) -> Difference | None:
    """A start comes from the seed again; a fork's, from that of the match where its log begins."""
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


def _turn_difference(match: MatchRecord, turn: TurnRecord, legal: Sequence[str]) -> Difference | None:
    """What a turn says of itself beside its action: each must be as the position before it allows."""
    if even_out(turn.action) != turn.action:
        return Difference(turn.ply, "action", json.dumps(turn.action), json.dumps(even_out(turn.action)))
    if turn.legal_count != len(legal):
        return Difference(turn.ply, "number of legal actions", str(turn.legal_count), str(len(legal)))
    if turn.shown_index is not None and not 0 <= turn.shown_index < len(legal):
        return Difference(turn.ply, "place as shown", str(turn.shown_index), f"0 to {len(legal) - 1}")
    if turn.source == "forced" and len(legal) != 1:
        return Difference(turn.ply, "source", "forced", f"a choice of {len(legal)}")
    stretch = next((stretch for stretch in match.lineage if turn.ply <= stretch.until), match)
    kinds = {seat.seat: seat.kind for seat in stretch.seats}
    if turn.source in ("player", "human"):
        own = "human" if kinds.get(turn.seat) == "human" else "player"
        if turn.source != own:
            return Difference(turn.ply, "source", turn.source, own)
    return None


def _end_difference(match: MatchRecord, game: Game, last: Frame) -> Difference | None:
    outcome = game.outcome(last.state)
    derived, logged = None if outcome is None else outcome.to_json(), match.outcome
    if derived is None and logged is not None and logged.get("reason") == "forfeit":
        derived = _forfeited_by(last.to_act, [seat.seat for seat in match.seats])
    # Of a match that is over from its start, the start is written before the outcome is.
    just_begun = logged is None and last.ply == 0 and match.status != "finished"
    if logged != derived and not just_begun:
        return Difference(last.ply, "outcome", _outcome_text(logged), _outcome_text(derived))
    if derived is None and match.status == "finished":
        return Difference(last.ply, "outcome", "none", "a match that goes on")
    if logged is not None and match.status not in ("finished", "void"):
        return Difference(last.ply, "status", match.status, "finished")
    return None


def _forfeited_by(loser: str | None, seats: Sequence[str]) -> Json:
    """The outcome of a match whose seat to act gave no answer that counts: it is last, the others are first."""
    places = {seat: len(seats) if seat == loser else 1 for seat in seats}
    return {"winners": [seat for seat in seats if seat != loser], "places": places, "reason": "forfeit"}


def _outcome_text(outcome: Json | None) -> str:
    return "a match that goes on" if outcome is None else json.dumps(outcome, sort_keys=True)


def sound(match: MatchRecord, turns: Sequence[TurnRecord]) -> tuple[list[TurnRecord], Difference | None]:
    """The turns before the first that does not come out again, and what is wrong with that one (None: nothing is).

    A start that does not come out gives no turn, and a difference at ply 0.
    """
    try:
        for frame in frames(match, turns):
            difference = _frame_difference(match, turns, frame)
            if difference is not None:
                return list(turns[: max(frame.ply - 1, 0)]), difference
    except BrokenLog as broken:
        return list(turns[: max((broken.difference.ply or 0) - 1, 0)]), broken.difference
    return list(turns), None


def damage(error: Exception) -> str:
    """What is wrong with a row that raised this when it was read, in words for people: never a class's name."""
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False, include_context=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        return f"{where}: {first['msg']}" if where else first["msg"]
    if isinstance(error, json.JSONDecodeError):
        return f"a column that holds JSON holds something else ({error})"
    if isinstance(error, ValueError) and str(error):
        return str(error)
    return "a value is missing, or is not of its kind"


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
