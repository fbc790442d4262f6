"""The types that games, players and the harness share.

A game is a pure state machine. Positions come from outside as JSON (`Game.load`), go out as JSON (`Game.dump`), and in
between are whatever immutable value the game likes best. An action is one short line of text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple, Protocol

from pydantic import BaseModel

from games.chance import Draws

Seat = str
Json = dict[str, Any]


class IllegalAction(ValueError):
    """The action may not be played now. The text names the reason in the game's words and tells no secret."""


class UnreadableAction(IllegalAction):
    """The text has not the form of any action of this game."""


class BadPosition(ValueError):
    """A position that is inconsistent. The text begins with the field at fault."""


class BadStart(ValueError):
    """Seats, options or a seed that a game or a scenario cannot start from. The text begins with the field at fault."""


class Event(NamedTuple):
    """What happened, as one flat record.

    `audience` is `"all"` or the seats that learn of it; `fields` are the kind's own, JSON values only.
    """

    kind: str
    audience: Literal["all"] | tuple[Seat, ...]
    fields: Mapping[str, Any]

    def to_json(self) -> Json:
        """The event as the log stores it: `kind`, `audience`, then its own fields."""
        audience = "all" if self.audience == "all" else list(self.audience)
        return {"kind": self.kind, "audience": audience, **self.fields}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Event:
        """The inverse of `to_json`."""
        rest = {key: value for key, value in record.items() if key not in ("kind", "audience")}
        audience = record["audience"]
        return cls(record["kind"], "all" if audience == "all" else tuple(audience), rest)

    def reaches(self, seat: Seat | None) -> bool:
        """Whether a seat learns of it; `None` is the spectator, who learns of everything."""
        return seat is None or self.audience == "all" or seat in self.audience


class Outcome(NamedTuple):
    """How a match ended. `winners` are exactly the seats at place 1; equal places share a number (1, 1, 3, 4)."""

    winners: tuple[Seat, ...]
    places: Mapping[Seat, int]
    reason: str

    def to_json(self) -> Json:
        """The outcome as the log stores it."""
        return {"winners": list(self.winners), "places": dict(self.places), "reason": self.reason}


class Step(NamedTuple):
    """A new position and what happened on the way to it."""

    state: Any
    events: tuple[Event, ...]


class Pledge(NamedTuple):
    """A promise carried by a message.

    `kind` is one of the game's, `to` the addressee, `turns` its term (1 to 40, in the game's `turn_events`).
    `condition`, if any, is a kind too: the promise holds if the addressee does that towards the maker
    (`donate` to blue if `spare`: "I donate to you if you spare me").
    """

    kind: str
    to: Seat
    turns: int
    condition: str | None = None


class Message(NamedTuple):
    """Words from one seat to `all` or to one other seat."""

    sender: Seat
    to: str
    text: str
    pledges: tuple[Pledge, ...] = ()


class Allowance(NamedTuple):
    """What a seat may say with this reply: how many messages, of how many characters, and whether to one seat alone."""

    messages: int
    chars: int
    private: bool


class Observation(NamedTuple):
    """All that a seat is shown when it is asked. Built by `harness.observation` and nowhere else.

    `decision` counts the times this seat was asked, from 0. `asked` is `act` (choose an action) or `talk` (a talk
    round: no action, `legal` is empty). `events` and `messages` are those since this seat was last asked that it may
    know of. `alive` are the seats still in the game. `talk` is what it may say (None: nothing), `pledges` the kinds it
    may pledge.
    """

    game: str
    seat: Seat
    seats: tuple[Seat, ...]
    decision: int
    asked: Literal["act", "talk"]
    view: Json
    events: tuple[Event, ...]
    messages: tuple[Message, ...]
    legal: tuple[str, ...]
    alive: tuple[Seat, ...]
    notes: str = ""
    talk: Allowance | None = None
    pledges: tuple[str, ...] = ()


class Reply(NamedTuple):
    """What a seat answers: actions to play in order, messages, notes to itself for later, private thoughts."""

    actions: tuple[str, ...]
    messages: tuple[Message, ...] = ()
    notes: str | None = None
    thoughts: str | None = None


class Occasion(NamedTuple):
    """A decision that puts promises of one kind, made by the seat to act, to the test.

    `to` is the addressee whose promises it settles, `kept` whether the action does what was promised, `free` whether
    another legal action would have done the opposite.
    """

    to: Seat
    kept: bool
    free: bool


Occasions = Callable[[Any, str], tuple[Occasion, ...]]
"""(the position before, the legal action played) -> what it settles; of each addressee at most one."""


class PledgeKind(NamedTuple):
    """A kind of promise that a game can judge.

    `meaning` is one line for players, worded from the maker's side; `occasions` says which decisions settle it, and
    how. Nothing but the rules is asked, so that a log has the same verdicts everywhere.
    """

    meaning: str
    occasions: Occasions


Bot = Callable[[Observation, Draws], Reply]
"""A bot sees what a model sees; it takes its chance from the draws alone and keeps what it remembers in `notes`."""

Scenario = Callable[[tuple[Seat, ...], Any, int], Json]
"""(seats, options, seed) -> position. Options that contradict the scenario raise `BadStart` naming them."""


class Game(Protocol):
    """The rules of one game. Every method is pure: nothing given is changed, nothing is drawn but from the position."""

    name: str
    title: str
    version: str
    """Version of the rules, kept in every log: raised whenever the same actions could lead elsewhere."""
    players: tuple[int, ...]
    """Allowed numbers of seats, rising."""
    Options: type[BaseModel]
    news: frozenset[str]
    """Event kinds that tell something new: a plan stops after them, without blame."""
    turn_events: frozenset[str]
    """Event kinds that count as one turn in the term of a pledge."""
    talk_events: frozenset[str]
    """Event kinds after which the table talks before the next decision."""
    pledges: Mapping[str, PledgeKind]
    bots: Mapping[str, Bot]
    scenarios: Mapping[str, Scenario]

    def seats(self, number: int) -> tuple[Seat, ...]:
        """The seats for that number of players, in order. Raises `BadStart` for a number the game has not."""

    def start(self, seats: tuple[Seat, ...], options: Any, seed: int) -> Step:
        """A new match. Raises `BadStart`."""

    def load(self, position: Any) -> Any:
        """The state of a position from outside. Raises `BadPosition`."""

    def dump(self, state: Any) -> Json:
        """The whole state as JSON: enough to go on from exactly. `load(dump(s)) == s`."""

    def to_act(self, state: Any) -> Seat | None:
        """Whose decision it is; None when the match is over."""

    def alive(self, state: Any) -> tuple[Seat, ...]:
        """The seats still in the game, in seat order: those who may speak and be spoken to."""

    def legal(self, state: Any) -> tuple[str, ...]:
        """Every legal action of the seat to act, without repeats, in the rulebook's order; empty when over."""

    def apply(self, state: Any, action: str) -> Step:
        """Play an action; the only judge of legality. Raises `IllegalAction` or `UnreadableAction`."""

    def view(self, state: Any, seat: Seat | None) -> Json:
        """What one seat may know, by naming what is shown; None is the spectator, who sees all but the chance."""

    def outcome(self, state: Any) -> Outcome | None:
        """How it ended, or None while it goes on."""

    def longest(self, seats: tuple[Seat, ...], options: Any) -> int:
        """No match takes more actions than this."""


_LOWER = str.maketrans({chr(code): chr(code + 32) for code in range(ord("A"), ord("Z") + 1)} | {"\t": " "})


def even_out(text: str) -> str:
    """An action's text with the case of ASCII letters and blanks forgiven; nothing else is.

    >>> even_out("  Play\\tRED  on 2 ")
    'play red on 2'
    """
    return " ".join(part for part in text.translate(_LOWER).split(" ") if part)
