"""What a model is shown: an observation rendered as messages. Pure.

What never changes in a tournament comes first, then what never changes in a match, then what grows, then the present,
so that a provider's prefix cache serves as much as possible. All wording is in the templates of the package `prompts`;
words that a model wrote reach them only through the filters `quoted` and `line`. Seats are named, models never.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import is_
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from games.api import Event, Json, Message, Observation, Seat
from harness.ranges import grouped
from harness.records import PromptMessage, Source
from harness.reply import clean, quote, spoken
from harness.wording import defused, event_text, personas, plan_text, prompts_hash, render_text, source, view_text

if TYPE_CHECKING:
    from harness.spec import Interface, Talk

__all__ = [
    "LACKED_ROOM",
    "Context",
    "Failure",
    "Past",
    "event_text",
    "personas",
    "prompts_hash",
    "render",
    "view_text",
]

ENUM_ITEMS: Final = 200
"""Legal actions are listed one by one, here and in the answer's schema, where they are at most so many."""
LACKED_ROOM: Final = frozenset({"truncated", "empty"})
"""Kinds of failure that a shorter answer, or more room for it, may cure."""
REPEATED_CHARS: Final = 4_000
"""An earlier reply is repeated to its author up to this length."""


class Past(NamedTuple):
    """An earlier decision of the same seat: what was new then, and the text it answered (None where it gave none).

    `played` are the actions that were applied, `dropped` the reasons for what was left out of its answer: it is told.
    """

    decision: int
    asked: Literal["act", "talk"]
    events: tuple[Event, ...]
    messages: tuple[Message, ...]
    reply: str | None
    played: tuple[str, ...]
    source: Source
    dropped: tuple[str, ...] = ()


class Failure(NamedTuple):
    """An answer of this decision that could not be used: its text (None where there was none) and what was wrong."""

    reply: str | None
    error_kind: str
    error: str


def _form(context: Context, asked: str) -> str:
    """The answer's form, with dots for all that has to be chosen: an example that is copied chooses nothing."""
    thoughts, parts = '"thoughts": "…"', []
    if asked == "act":
        parts.append('"actions": ["…"]')
    if context.interface.thoughts != "none":
        parts.insert(0 if context.interface.thoughts == "before" else 1, thoughts)
    if context.talks:
        said = "[]" if asked == "act" else '[{"to": "…", "text": "…"}]'
        parts.append(f'"messages": {said}')
    if context.interface.notes:
        parts.append('"notes": null')
    return "{" + ", ".join(parts) + "}"


def _legal_text(game: str, view: Json, shown: tuple[str, ...]) -> str:
    """The legal actions in words: in the order shown, by the game's own template if it has one; many as ranges."""
    groups = grouped(shown if len(shown) > ENUM_ITEMS else ())
    own = f"{game}/legal.md.j2"
    return render_text(
        "legal.md.j2" if source(own) is None else own,
        legal=groups.others if groups.tiles else shown,
        ranges=groups.tiles,
        view=view,
    )


def rules_text(game: str, seats: Sequence[Seat], options: Json) -> str:
    """A game's rules as its players are told them. Raises `ValueError` for a game without."""
    name = f"{game}/rules.md"
    if source(name) is None:
        raise ValueError(f"game: {game} has no rules for players in prompts/{name}")
    return render_text(name, options=options, seats=seats)


def _system(context: Context) -> PromptMessage:
    """From what is the same throughout the tournament to what is this seat's alone."""
    talk = context.talk if context.talks else None
    kinds = context.kinds
    parts = [
        render_text(
            "system.md.j2",
            interface=context.interface,
            talk=talk,
            pledges=bool(kinds),
            form=_form(context, "act"),
            plan=plan_text(context.game),
        ),
        rules_text(context.game, context.seats, context.options),
    ]
    if context.interface.framing == "cutthroat":
        own = f"{context.game}/cutthroat.md"
        parts.append(render_text("cutthroat.md" if source(own) is None else own))
    parts.append(
        render_text(
            "match.md.j2",
            seats=context.seats,
            talk=talk,
            rounds=context.talk.round > 0 and len(context.seats) > 2,
            kinds=kinds,
            announced=context.pledges == "announced",
        )
    )
    persona = None
    if context.persona is not None:
        persona = source(f"personas/{context.persona}.md") if context.persona in personas() else None
        if persona is None:
            raise ValueError(f"persona: {quote(context.persona)} is none of {', '.join(personas())}")
    parts.append(render_text("seat.md.j2", seat=context.seat, persona=persona))
    return PromptMessage(role="system", parts=tuple(parts))


def _repeated(reply: str | None) -> str:
    """An earlier answer as its author is shown it again: without thinking, and not without end."""
    text = defused(clean(spoken(reply or "")))
    return text if len(text) <= REPEATED_CHARS else text[:REPEATED_CHARS] + " …"


class _Turns:
    """The messages of a prompt: the system's, then user and assistant in turn, none of them empty.

    `told` are the earlier decisions that stand in it.
    """

    def __init__(self, system: PromptMessage, before: Past | None) -> None:
        self.told: list[Past] = []
        self._before = before
        self._done = [system]
        self._user: list[str] = []

    def is_start_of(self, history: Sequence[Past], before: Past | None) -> bool:
        """Whether nothing is in it but the first of these decisions."""
        return self._before is before and len(self.told) <= len(history) and all(map(is_, self.told, history))

    def tell(self, past: Past, context: Context) -> None:
        """Go on with one more decision."""
        self.user(context.news(past, self.told[-1] if self.told else self._before))
        if past.source == "fallback":
            self.user(render_text("stood_in.md.j2", asked=past.asked, played=past.played))
        self.assistant(_repeated(past.reply))
        self.told.append(past)

    def copy(self) -> _Turns:
        """The same, to be gone on with in another way."""
        twin = _Turns(self._done[0], self._before)
        twin.told, twin._done, twin._user = self.told.copy(), self._done.copy(), self._user.copy()
        return twin

    def user(self, *parts: str) -> None:
        self._user.extend(part for part in parts if part)

    def assistant(self, text: str) -> None:
        """What the seat answered. Without text there is no turn, and what follows joins what went before."""
        if text:
            self._done += [self._turn(), PromptMessage(role="assistant", parts=(text,))]
            self._user = []

    def _turn(self) -> PromptMessage:
        return PromptMessage(role="user", parts=tuple(self._user))

    def done(self) -> tuple[PromptMessage, ...]:
        return (*self._done, self._turn())


@dataclass
class Context:
    """What one seat's prompts have in common throughout a match.

    `options` are the game's with every default filled in, `persona` the name of one of `personas()`; `pledges` is the
    tournament file's `off`, `silent` or `announced`, `pledge_kinds` what each kind that the game knows means. What was
    rendered and comes again in the seat's next prompt is kept here.
    """

    game: str
    seat: Seat
    seats: tuple[Seat, ...]
    options: Json
    persona: str | None
    interface: Interface
    talk: Talk
    pledges: str
    pledge_kinds: Mapping[str, str]
    _told: _Turns | None = field(default=None, init=False, repr=False, compare=False)
    _news: tuple[object, str] = field(default=(None, ""), init=False, repr=False, compare=False)

    @property
    def talks(self) -> bool:
        """Whether the seat can ever say anything."""
        return self.talk.messages > 0 and self.talk.per_match != 0

    @property
    def kinds(self) -> Mapping[str, str]:
        """The pledges that can be made."""
        return self.pledge_kinds if self.pledges != "off" and self.talks else {}

    @cached_property
    def system(self) -> PromptMessage:
        """The first message. Raises `ValueError` for a persona that is not there, or a game without rules."""
        return _system(self)

    def news(self, new: Past | Observation, before: Past | None) -> str:
        """What is new to the seat as it is asked, and what became of its answer before that.

        Its own messages stand in its own answers already, unless no history is kept.
        """
        dropped = before.dropped if before is not None else ()
        asked = (new.decision, new.asked, dropped, new.events, new.messages)
        if self._news[0] != asked:
            own = self.interface.history_limit == 0
            text = render_text(
                "news.md.j2",
                number=new.decision + 1,
                asked=new.asked,
                seat=self.seat,
                dropped=dropped,
                events=[event_text(self.game, event) for event in new.events],
                messages=[message for message in new.messages if own or message.sender != self.seat],
            )
            self._news = (asked, text)
        return self._news[1]

    def told(self, history: Sequence[Past], before: Past | None) -> _Turns:
        """The prompt up to these earlier decisions, `before` being the one before them."""
        turns = self._told
        if turns is None or not turns.is_start_of(history, before):
            turns = self._told = _Turns(self.system, before)
        for past in history[len(turns.told) :]:
            turns.tell(past, self)
        return turns


def render(
    observation: Observation,
    shown: tuple[str, ...],
    context: Context,
    history: Sequence[Past],
    failures: Sequence[Failure],
) -> tuple[PromptMessage, ...]:
    """The prompt of one decision: a system message, then user and assistant turns, a user's last.

    `shown` are the legal actions in the order in which they are shown, `history` all earlier decisions of the seat (as
    many as the interface wants are used), `failures` the answers to this very decision that could not be used.

    Raises:
        ValueError: for a persona that is not there, or a game without rules for players.
    """
    limit = context.interface.history_limit
    first = 0 if limit is None else max(0, len(history) - limit)
    turns = context.told(history[first:], history[first - 1] if first else None).copy()
    turns.user(context.news(observation, history[-1] if history else None))
    form = _form(context, observation.asked)
    listed = shown if context.interface.legal != "none" and observation.asked == "act" else ()
    legal = _legal_text(context.game, observation.view, listed) if listed else ""
    turns.user(
        render_text(
            "turn.md.j2" if observation.asked == "act" else "talk.md.j2",
            notes=observation.notes if context.interface.notes else "",
            table=view_text(context.game, observation.view),
            legal=legal,
            talk_on=context.talks,
            talk=context.talk,
            allowance=observation.talk,
            form=form,
        )
    )
    for failure in failures:
        turns.assistant(_repeated(failure.reply))
        turns.user(
            render_text(
                "retry.md.j2",
                error=failure.error,
                asked=observation.asked,
                legal=legal,
                form=form,
                brief=failure.error_kind in LACKED_ROOM,
            )
        )
    return turns.done()
