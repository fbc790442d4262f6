"""Hold a stored log against its re-execution, and name the first place where they part."""

from __future__ import annotations

import json
from collections.abc import Sequence

from pydantic import ValidationError

from games import GAMES, get_game
from games.api import Game, even_out
from harness.records import OVER, Json, MatchRecord, TurnRecord
from harness.replay import BrokenLog, Difference, Frame, frames
from harness.starts import start


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
    if logged is not None and match.status not in OVER:
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
