"""The tournament file as strict values: nothing is coerced, every key but `games`, `players` and `name` has a default.

`docs/tournament-file.md` says what each key is for; the docstrings here give units.
"""

from __future__ import annotations

import re
from typing import Annotated, Literal
from unicodedata import normalize

from pydantic import Field, ValidationError, field_validator, model_validator

from games.chance import SEED_LIMIT
from harness.spec.base import Count, Json, Matches, Positive, PositiveAmount, RunName, Strict
from harness.spec.faults import FieldError, SpecError, fault_of, nearest, path_text, shown
from harness.spec.players import PlayerSpec
from harness.spec.scheduling import Added, LineUps, Until, check_scheduling


class GameEntry(Strict):
    """A game to be played, with its options."""

    game: str
    options: Json = Field(default_factory=dict)
    seats: Positive | None = None
    """How many sit at the table; None is the most that the game and the number of players allow."""
    start: str | None = None
    """The name of a scenario of the game; None is the game's own start."""
    players: Annotated[tuple[str, ...], Field(strict=False, min_length=1)] | None = None
    """Labels of those who play this game; None is everybody."""


class Talk(Strict):
    """What players may say. `talk: off` in a file is no messages and no rounds."""

    messages: Annotated[int, Field(ge=0, le=20)] = 2
    """With one reply."""
    chars: Annotated[int, Field(gt=0, le=10_000)] = 280
    """In one message."""
    private: bool = True
    round: Annotated[int, Field(ge=0, le=1000)] = 4
    """A talk round before every so many turns; 0: none."""
    order: Literal["rotate", "simultaneous"] = "rotate"
    per_match: Count | None = None
    """Messages that one seat may say in a match; None: as many as its replies carry."""

    @property
    def on(self) -> bool:
        """Whether anything can be said at all."""
        return self.messages > 0 and self.per_match != 0


class Interface(Strict):
    """How all players are asked; part of the experiment."""

    legal: Literal["enum", "list", "none"] = "enum"
    thoughts: Literal["before", "after", "none"] = "before"
    history: str = "full"
    """`full`, `last N` (N of the seat's own decisions) or `none`."""
    notes: bool = True
    framing: Literal["neutral", "cutthroat"] = "neutral"

    @property
    def history_limit(self) -> int | None:
        """How many of its past decisions a seat is shown: None for all."""
        if self.history == "full":
            return None
        return 0 if self.history == "none" else int(self.history.removeprefix("last "))

    @field_validator("history")
    @classmethod
    def _history(cls, value: str) -> str:
        if value in ("full", "none"):
            return value
        last = re.fullmatch(r"last +([1-9][0-9]{0,3})", value, re.ASCII)
        if not last:
            raise ValueError(f"{shown(value)} is not full, none or last N with N from 1 to 9999, as last 5")
        return f"last {last[1]}"


class Limit(Strict):
    """What a provider, a model or a player may be asked at most."""

    rpm: Positive | None = None
    """Requests a minute."""
    tpm: Positive | None = None
    """Tokens a minute, prompt and completion."""
    concurrent: Positive | None = None
    """Calls in flight."""
    timeout: PositiveAmount | None = None
    """Seconds for one whole call."""
    give_up: Positive | None = None
    """Questions in a row that may come to nothing before all matches of the player pause."""


class BudgetPart(Strict):
    """What may be spent: USD and tokens (prompt and completion)."""

    usd: PositiveAmount | None = None
    tokens: Positive | None = None


class Budget(BudgetPart):
    """What the run, each match and each player (by label) may spend."""

    per_match: BudgetPart | None = None
    per_player: dict[str, BudgetPart] = Field(default_factory=dict)


class Tournament(Strict):
    """The whole file. `parse` and `load` return it checked against the games and with seats and options filled in."""

    name: RunName
    """The run's name. A file without it has its own name, less the ending."""
    seed: Annotated[int, Field(ge=0, lt=SEED_LIMIT)] = 1
    matches: Matches | None = None
    """Of each game, rounded up to whole packs; None: one pack, or where `line_ups` is `all`, one of each line-up."""
    parallel: Annotated[int, Field(gt=0, le=10_000)] = 8
    """Matches at once."""
    games: Annotated[tuple[GameEntry, ...], Field(strict=False, min_length=1, max_length=100)]
    players: Annotated[tuple[PlayerSpec, ...], Field(strict=False, min_length=1, max_length=1000)]
    seating: Literal["rotate", "balanced", "random", "fixed"] = "rotate"
    line_ups: LineUps = "auto"
    replicates: Annotated[int, Field(gt=0, le=1000)] = 1
    """How often each match is played from the same start with the same seats."""
    until: Until | None = None
    """None: all matches are played."""
    talk: Talk = Talk()
    pledges: Literal["off", "silent", "announced"] = "silent"
    interface: Interface = Interface()
    retries: Annotated[int, Field(ge=0, le=100)] = 2
    """How often a player is asked again after an unreadable or illegal answer."""
    on_illegal: Literal["fallback", "forfeit"] = "fallback"
    on_length: Literal["retry", "illegal"] = "retry"
    """Of an answer that was cut off or empty: asked again with more room, or an illegal one."""
    limits: dict[str, Limit] = Field(default_factory=dict)
    """By label, by model as the player names it, or by provider."""
    budget: Budget | None = None
    added: Annotated[tuple[Added, ...], Field(strict=False)] = ()
    """Who was brought in later, in order; a stored run has it."""

    def player(self, label: str) -> PlayerSpec:
        """The player of that label. Raises `KeyError`."""
        for player in self.players:
            if player.label == label:
                return player
        raise KeyError(label)

    def to_json(self) -> Json:
        """The normal form for the run's record: plain values, every default written out."""
        return self.model_dump(mode="json")

    def with_overrides(
        self,
        *,
        matches: int | None = None,
        parallel: int | None = None,
        seed: int | None = None,
        name: str | None = None,
    ) -> Tournament:
        """The tournament with what a command line says in place of the file. Raises `SpecError` naming the key."""
        given = {"matches": matches, "parallel": parallel, "seed": seed, "name": name}
        changed = {key: value for key, value in given.items() if value is not None}
        try:
            return Tournament.model_validate(self.to_json() | changed)
        except ValidationError as error:
            raise SpecError(str(fault_of(error, Tournament))) from None

    @classmethod
    def from_json(cls, data: Json) -> Tournament:
        """The inverse of `to_json`. Raises `pydantic.ValidationError`; the games are not asked again."""
        return cls.model_validate(data)

    @field_validator("line_ups", mode="before")
    @classmethod
    def _line_ups_words(cls, value: object) -> object:
        if value == "gauntlet":
            raise ValueError(f"{shown(value)} needs its baselines by label, as {{gauntlet: [greedy, casual]}}")
        if isinstance(value, list | tuple):
            words = "auto, all, sampled, self_play"
            raise ValueError(
                f"{shown(value)} is not one of {words}; baselines are named as {{gauntlet: [greedy, casual]}}"
            )
        if value == "round_robin":
            raise ValueError(f"{shown(value)} is called all here: every line-up in turn")
        return value

    @field_validator("pledges", mode="before")
    @classmethod
    def _pledges_off(cls, value: object) -> object:
        return "off" if value is False else value

    @field_validator("talk", mode="before")
    @classmethod
    def _talk_off(cls, value: object) -> object:
        if value is False or value == "off":
            return Talk(messages=0, round=0)
        if not isinstance(value, dict | Talk):
            raise ValueError(f"{shown(value)} is neither off nor a mapping such as {{messages: 2, round: 4}}")
        return value

    @model_validator(mode="after")
    def _names_agree(self) -> Tournament:
        labels = [player.label for player in self.players]
        # Two spellings of one letter look the same on every screen.
        seen = [normalize("NFC", label) for label in labels]
        for index, label in enumerate(labels):
            if seen[index] in seen[:index]:
                first = seen.index(seen[index])
                raise FieldError(
                    f"players[{index}].label", f"{shown(label)} is players[{first}] already; give each player its own"
                )
        for label in self.budget.per_player if self.budget else ():
            if label not in labels:
                near = nearest(label, labels, there="the labels are")
                raise FieldError(path_text(("budget", "per_player", label)), f"no player has this label; {near}")
        check_scheduling(self, labels)
        self._check_limits(labels)
        return self

    def _check_limits(self, labels: list[str]) -> None:
        """A limit that concerns no player is a slip, and the run would go unlimited for it."""
        models = [player for player in self.players if player.kind == "model"]
        known = {player.model for player in models} | {player.provider for player in models} | set(labels)
        names = sorted(name for name in known if name is not None)
        unnamed = any(player.provider is None for player in models)
        for key in self.limits:
            if key in known:
                if key in labels and self.player(key).kind != "model" and key not in {p.provider for p in models}:
                    raise FieldError(
                        path_text(("limits", key)), f"a {self.player(key).kind} makes no calls; leave this out"
                    )
            elif not (unnamed and "/" not in key):
                near = nearest(key, names, there="there are")
                raise FieldError(path_text(("limits", key)), f"no provider, model or label of a player here; {near}")
