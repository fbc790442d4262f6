"""A small table at which the bots of a game play, with talk: what the harness does, without the harness."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from games import get_game
from games.api import Allowance, Event, Message, Observation, Reply
from games.chance import Draws

TALK = Allowance(messages=2, chars=280, private=True)


class Log(NamedTuple):
    """What was played and said: the last state, all events, every reply with the observation it answers."""

    state: Any
    events: list[Event]
    replies: list[tuple[Observation, Reply]]

    @property
    def messages(self) -> list[Message]:
        return [message for _, reply in self.replies for message in reply.messages]


def play_bots(
    name: str, bots: Sequence[str], options: Any, seed: int, talk: Allowance | None = TALK, start: Any = None
) -> Log:
    """A whole match; every reply is checked to be one that a model could have given. `start` is a position.

    A reply of several actions is played as the harness does: until news, or until another seat is to act.
    """
    game = get_game(name)
    seats = game.seats(len(bots))
    state, events = (game.load(start), ()) if start else game.start(seats, options, seed)
    log = Log(state, [], [])
    notes = dict.fromkeys(seats, "")
    news: dict[str, list[Event]] = {seat: [] for seat in seats}
    heard: dict[str, list[Message]] = {seat: [] for seat in seats}
    decisions = dict.fromkeys(seats, 0)

    def tell(happened: Sequence[Event]) -> None:
        log.events.extend(happened)
        for seat in seats:
            news[seat] += [event for event in happened if event.reaches(seat)]

    def ask(seat: str, asked: Any) -> Reply:
        legal = game.legal(state) if asked == "act" else ()
        seen = Observation(
            game=name, seat=seat, seats=seats, decision=decisions[seat], asked=asked, view=game.view(state, seat),
            events=tuple(news[seat]), messages=tuple(heard[seat]), legal=legal, alive=game.alive(state),
            notes=notes[seat], talk=talk, pledges=tuple(game.pledges),
        )  # fmt: skip
        reply = game.bots[bots[seats.index(seat)]](seen, Draws(f"{seed}:{seat}:{decisions[seat]}"))
        log.replies.append((seen, reply))
        decisions[seat] += 1
        news[seat], heard[seat] = [], []
        notes[seat] = notes[seat] if reply.notes is None else reply.notes
        assert bool(reply.actions) == (asked == "act")
        _check_messages(seen, reply, game.pledges)
        for message in reply.messages:
            for other in seats:
                if other != seat and message.to in ("all", other):
                    heard[other].append(message)
        return reply

    tell(events)
    while (seat := game.to_act(state)) is not None:
        for action in ask(seat, "act").actions:
            assert action in game.legal(state)
            state, events = game.apply(state, action)
            tell(events)
            learnt = any(event.kind in game.news and event.reaches(seat) for event in events)
            if learnt or game.to_act(state) != seat:
                break
        if talk and game.to_act(state) and any(event.kind in game.talk_events for event in events):
            for speaker in game.alive(state):
                ask(speaker, "talk")
    return log._replace(state=state)


def _check_messages(seen: Observation, reply: Reply, kinds: Any) -> None:
    """Nothing that a reader of replies would drop."""
    assert len(reply.messages) <= (seen.talk.messages if seen.talk else 0)
    for message in reply.messages:
        assert message.sender == seen.seat
        assert message.to == "all" or message.to in set(seen.alive) - {seen.seat}
        assert message.to == "all" or (seen.talk and seen.talk.private)
        assert 0 < len(message.text.strip()) <= (seen.talk.chars if seen.talk else 0)
        for pledge in message.pledges:
            assert pledge.kind in seen.pledges
            assert pledge.condition is None or pledge.condition in kinds
            assert pledge.to in set(seen.alive) - {seen.seat}
            assert 1 <= pledge.turns <= 40
