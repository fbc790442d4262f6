"""What a tournament will take: calls, tokens, money and time, without asking any model.

Some of the run's own matches are played with the games' bots in the models' seats. For each question the prompt that
the model would have been sent is rendered and counted, and the answer is made as long as such answers usually are: the
bot's action, thoughts of some length where they are asked for, and something said where there is talk. How long a
model's answers are is the least certain of all, so their tokens are given from half to twice that, up to `max_tokens`.

Answers that have to be asked for again come on top, as does the first question to each model.
"""

from __future__ import annotations

import asyncio
import json
import statistics
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import takewhile
from math import sqrt
from typing import NamedTuple

from games import get_game
from games.api import Bot, Message, Reply
from games.chance import Draws
from harness.adaptive import begun
from harness.answer_schema import answer_schema
from harness.gateway.limits import find
from harness.gateway.prices import Rates, rates_of
from harness.gateway.request import MESSAGE_TOKENS, arrange, room_of
from harness.match import Table
from harness.players import Answer, Ask, Player
from harness.players.bot import BotPlayer, reply_text
from harness.prompt import render
from harness.records import Json, MatchRecord, MessageRecord, PlayerKind, PromptMessage, TurnRecord
from harness.reply import Completion
from harness.schedule import schedule
from harness.spec import PlayerSpec, Tournament

THOUGHTS = (
    "If I play the safe one I keep my standing but give the next player a free hand; the bold one costs me something "
    "now and may leave two of the others at odds. Nobody has kept a promise to me yet, so I count on what is on the "
    "board."
)
"""Thoughts of a usual length."""
SAID = "Let me pass this time and I will not be the one who takes from you in the next rounds."
"""Words of a usual length, said in every talk round and with every second action."""
SAMPLES = 3
"""Matches of each game that are played, unless told otherwise."""
BRIEF, WORDY = 0.5, 2.0
"""How much shorter or longer than that the answers may be."""
WAIT = (0.5, 2.0)
"""Seconds before an answer begins: quick, slow."""
PACE = (100.0, 25.0)
"""Tokens of an answer in a second: quick, slow."""

Count = Callable[[str], int]


class Range(NamedTuple):
    """From, about, to."""

    low: float
    mid: float
    high: float

    def plus(self, other: Range) -> Range:
        """Both together."""
        return Range(self.low + other.low, self.mid + other.mid, self.high + other.high)


NONE = Range(0.0, 0.0, 0.0)


class Sums(NamedTuple):
    """One model seat in one match that was played: what its questions and answers came to, in tokens."""

    calls: int = 0
    prompt: int = 0
    schema: int = 0
    """Of the answers' forms, which some providers count with the prompt."""
    cached: int = 0
    """Of the prompt, what stood at the front of the same seat's last prompt too."""
    completion: int = 0
    longest: int = 0
    """Of the answers, if wordy, within `max_tokens`."""
    room: int = 0
    """Of the answers, if each took all of `max_tokens`."""


class Part(NamedTuple):
    """What one player takes in the whole run, or all of them together. `cost` in USD, None where no price is known."""

    label: str
    model: str | None
    matches: int
    calls: Range
    prompt_tokens: Range
    cached_share: float
    completion_tokens: Range
    cost: Range | None
    worst_cost: float | None
    """With nothing cached and every answer as long as `max_tokens` lets it be."""


class Forecast(NamedTuple):
    """What the run takes. `seconds` is the time from its start to its end; `held_up_by` what sets it."""

    run: str
    matches: int
    sampled: int
    players: tuple[Part, ...]
    total: Part
    seconds: Range
    held_up_by: str
    first_look: int | None = None
    """Where the run stops once two players are told apart: so many of the matches are played in any case."""

    def to_json(self) -> Json:
        """Plain values, rounded: what lies beyond is no knowledge."""
        return {
            "run": self.run,
            "matches": self.matches,
            "sampled": self.sampled,
            "players": [_part_json(part) for part in self.players],
            "total": _part_json(self.total),
            "seconds": _range_json(self.seconds, 1),
            "held_up_by": self.held_up_by,
            "first_look": self.first_look,
        }


def _part_json(part: Part) -> Json:
    return {
        **part._asdict(),
        "calls": _range_json(part.calls, 0),
        "prompt_tokens": _range_json(part.prompt_tokens, 0),
        "cached_share": round(part.cached_share, 4),
        "completion_tokens": _range_json(part.completion_tokens, 0),
        "cost": None if part.cost is None else _range_json(part.cost, 6),
        "worst_cost": None if part.worst_cost is None else round(part.worst_cost, 6),
    }


def _range_json(value: Range, digits: int) -> Json:
    return {key: round(number, digits) if digits else round(number) for key, number in value._asdict().items()}


class StandIn:
    """A bot in a model's seat: it is asked as the model would be, and answers in about as many words."""

    kind: PlayerKind = "model"

    def __init__(self, player: PlayerSpec, bot: Bot, spec: Tournament, count: Count) -> None:
        self.label = player.label
        self.sums = Sums()
        self._bot = bot
        self._spec = spec
        self._count = count
        self._room = room_of(player.params)
        self._last: list[tuple[str, str]] = []

    async def answer(self, ask: Ask) -> Answer:
        """Count the question, then answer it."""
        prompt = arrange(render(ask.observation, ask.shown, ask.context, ask.history, ask.failures))
        text = self._reply(ask)
        tokens = self._count(text)
        schema = json.dumps(answer_schema(ask.observation, ask.shown, ask.context, bounded=False))
        sums = self.sums
        parts: list[tuple[str, str]] = [(message.role, part) for message in prompt for part in message.parts]
        self.sums = Sums(
            calls=sums.calls + 1,
            prompt=sums.prompt + self._tokens(prompt),
            schema=sums.schema + self._count(schema),
            cached=sums.cached + self._common(parts),
            completion=sums.completion + min(tokens, self._room),
            longest=sums.longest + min(round(WORDY * tokens), self._room),
            room=sums.room + self._room,
        )
        self._last = parts
        return Answer(Completion(text, None, None, "stop"))

    def _tokens(self, prompt: Sequence[PromptMessage]) -> int:
        return sum(self._count(part) for message in prompt for part in message.parts) + len(prompt) * 4

    def _common(self, parts: Sequence[tuple[str, str]]) -> int:
        """Tokens at the front that the last prompt of this seat had too."""
        common = 0
        for mine, before in zip(parts, self._last, strict=False):
            if mine == before:
                common += self._count(mine[1])
                continue
            if mine[0] == before[0]:
                pairs = zip(mine[1], before[1], strict=False)
                same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
                common += self._count(mine[1]) * same // max(1, len(mine[1]))
            break
        return common

    def _reply(self, ask: Ask) -> str:
        observation = ask.observation
        reply = self._bot(observation, Draws(ask.chance))
        messages = reply.messages
        speaks = observation.asked == "talk" or observation.decision % 2 == 0
        if observation.talk is not None and speaks and not messages:
            messages = (Message(observation.seat, "all", SAID[: observation.talk.chars]),)
        thoughts = None if self._spec.interface.thoughts == "none" else THOUGHTS
        return reply_text(Reply(reply.actions, messages, reply.notes, thoughts))


class _NoLog:
    """Nothing is written down."""

    async def start(self, match_id: int, start: Json, events: Sequence[Json], start_hash: str) -> None:
        """Not kept."""

    async def turns(
        self, match_id: int, turns: Sequence[TurnRecord], messages: Sequence[MessageRecord], outcome: Json | None
    ) -> None:
        """Not kept."""

    async def messages(self, match_id: int, messages: Sequence[MessageRecord]) -> None:
        """Not kept."""

    def turn(self, match: MatchRecord, turn: TurnRecord) -> None:
        """Nobody looks on."""


def forecast(
    spec: Tournament, count: Count, *, samples: int = SAMPLES, only: Sequence[MatchRecord] | None = None
) -> Forecast:
    """What a tournament takes, or `only` these of its matches; `count` counts the tokens of a text. Asks nobody."""
    matches = schedule(spec) if only is None else only
    by_game: dict[int, list[MatchRecord]] = defaultdict(list)
    for match in matches:
        by_game[match.game_index].append(match)
    seen: dict[int, list[list[Sums]]] = {}
    for index, games in by_game.items():
        seen[index] = [_play(spec, match, number, count) for number, match in enumerate(_spread(games, samples))]
    players = [player for player in spec.players if player.model is not None]
    parts = tuple(_part(player, by_game, seen) for player in players)
    seconds, held_up_by = _time(spec, parts, by_game, seen)
    sampled = sum(len(tables) for tables in seen.values())
    first = None if spec.until is None or only is not None else len(schedule(begun(spec), lambda *_: ""))
    return Forecast(spec.name, len(matches), sampled, parts, _total(parts, len(matches)), seconds, held_up_by, first)


def _spread(matches: Sequence[MatchRecord], samples: int) -> Iterator[MatchRecord]:
    """So many of the matches, evenly over all."""
    wanted = min(samples, len(matches))
    return (matches[number * len(matches) // wanted] for number in range(wanted))


def _play(spec: Tournament, match: MatchRecord, sample: int, count: Count) -> list[Sums]:
    """Play a match; the sums of its model seats."""
    game = get_game(match.game)
    names = sorted(game.bots)
    players: dict[str, Player] = {}
    for place, seat in enumerate(match.seats):
        player = spec.player(seat.label)
        bot = game.bots[player.bot or names[(sample + place) % len(names)]]
        stands_in = player.model is not None
        players[seat.seat] = StandIn(player, bot, spec, count) if stands_in else BotPlayer(seat.label, bot)
    log = _NoLog()
    table = Table(
        match=match.model_copy(update={"id": 1}),
        spec=spec,
        run=f"{spec.name}:forecast",
        players=players,
        log=log,
        watcher=log,
        stop=asyncio.Event(),
    )
    asyncio.run(table.play())
    return [player.sums for player in players.values() if isinstance(player, StandIn)]


def _part(
    player: PlayerSpec, by_game: Mapping[int, Sequence[MatchRecord]], seen: Mapping[int, list[list[Sums]]]
) -> Part:
    calls = prompt = completion = longest = NONE
    cached = schema = room = 0.0
    matches = 0
    for index, games in by_game.items():
        seats = sum(seat.label == player.label for match in games for seat in match.seats)
        if not seats:
            continue
        matches += sum(any(seat.label == player.label for seat in match.seats) for match in games)
        tables = seen[index]
        calls = calls.plus(_scaled([[one.calls for one in table] for table in tables], seats))
        prompt = prompt.plus(_scaled([[one.prompt for one in table] for table in tables], seats))
        completion = completion.plus(_scaled([[one.completion for one in table] for table in tables], seats))
        longest = longest.plus(_scaled([[one.longest for one in table] for table in tables], seats))
        whole = [one for table in tables for one in table]
        cached += seats * statistics.fmean(one.cached for one in whole)
        schema += seats * statistics.fmean(one.schema for one in whole)
        room += seats * statistics.fmean(one.room for one in whole)
    share = cached / prompt.mid if prompt.mid else 0.0
    completion = Range(BRIEF * completion.low, completion.mid, max(longest.high, completion.mid))
    prompt = Range(prompt.low, prompt.mid, prompt.high + schema)
    rates = rates_of(player)
    cost = None if rates is None else _cost(rates, prompt, share, completion)
    worst = (
        None
        if rates is None
        else rates.worst(round(prompt.high + calls.high * MESSAGE_TOKENS), 0)
        + rates.worst(0, round(room * max(1.0, calls.high / calls.mid if calls.mid else 1.0)))
    )
    return Part(player.label, player.model, matches, calls, prompt, share, completion, cost, worst)


def _scaled(tables: Sequence[Sequence[int]], seats: int) -> Range:
    """So many seats' sum: the mean of those seen times their number, within about two standard errors of such a sum.

    The seats of one match are not independent, so matches are counted.
    """
    means = [statistics.fmean(table) for table in tables if table]
    mean = statistics.fmean(means)
    if len(means) < 2:
        return Range(0.5 * seats * mean, seats * mean, 2.0 * seats * mean)
    half = 2.0 * statistics.stdev(means) * sqrt(seats + seats * seats / len(means))
    return Range(max(seats * min(means) / 2, seats * mean - half), seats * mean, seats * mean + half)


def _cost(rates: Rates, prompt: Range, share: float, completion: Range) -> Range:
    """From all cached that can be and brief answers, to nothing cached and wordy ones."""
    return Range(
        rates.cost(round(prompt.low), round(share * prompt.low), round(completion.low)),
        rates.cost(round(prompt.mid), round(share * prompt.mid), round(completion.mid)),
        rates.cost(round(prompt.high), 0, round(completion.high)),
    )


def _total(parts: Sequence[Part], matches: int) -> Part:
    calls = prompt = completion = cost = NONE
    worst, cached, known = 0.0, 0.0, True
    for part in parts:
        calls, prompt = calls.plus(part.calls), prompt.plus(part.prompt_tokens)
        completion = completion.plus(part.completion_tokens)
        cached += part.cached_share * part.prompt_tokens.mid
        if part.cost is None or part.worst_cost is None:
            known = False
        else:
            cost, worst = cost.plus(part.cost), worst + part.worst_cost
    share = cached / prompt.mid if prompt.mid else 0.0
    return Part(
        "all", None, matches, calls, prompt, share, completion, cost if known else None, worst if known else None
    )


def _time(
    spec: Tournament,
    parts: Sequence[Part],
    by_game: Mapping[int, Sequence[MatchRecord]],
    seen: Mapping[int, list[list[Sums]]],
) -> tuple[Range, str]:
    """How long the run takes: whichever is longest of what each limit makes of its calls, and of the matches, in each
    of which one call waits for the other, `parallel` at once."""
    minutes: dict[str, Range] = defaultdict(lambda: NONE)
    for part in parts:
        player = spec.player(part.label)
        tokens = part.prompt_tokens.plus(part.completion_tokens)
        lasting = Range(*(_seconds(part, edge) for edge in range(3)))
        for field, amount, unit in (("rpm", part.calls, 60.0), ("tpm", tokens, 60.0), ("concurrent", lasting, 1.0)):
            limit = find(spec, player, field)
            if limit is not None:
                key = f"limits.{limit.name}.{field} ({limit.value:g})"
                minutes[key] = minutes[key].plus(Range(*(unit * number / limit.value for number in amount)))
    waits = [0.0, 0.0, 0.0]
    for index, games in by_game.items():
        for edge in range(3):
            longest = [sum(_lasting(one, edge) for one in table) for table in seen[index]]
            rounds = max(1.0, len(games) / spec.parallel)
            waits[edge] += statistics.fmean(longest) * rounds
    minutes[f"parallel ({spec.parallel})"] = Range(*waits)
    name = max(minutes, key=lambda key: (minutes[key].mid, key))
    return Range(*(max(value[edge] for value in minutes.values()) for edge in range(3))), name


def _seconds(part: Part, edge: int) -> float:
    wait, pace = _speed(edge)
    return part.calls[edge] * wait + part.completion_tokens[edge] / pace


def _lasting(sums: Sums, edge: int) -> float:
    wait, pace = _speed(edge)
    tokens = (BRIEF * sums.completion, sums.completion, sums.longest)[edge]
    return sums.calls * wait + tokens / pace


def _speed(edge: int) -> tuple[float, float]:
    """Seconds before an answer and tokens a second: quick, between, slow."""
    return (
        (WAIT[0], PACE[0])
        if edge == 0
        else (WAIT[1], PACE[1])
        if edge == 2
        else (sum(WAIT) / 2, sqrt(PACE[0] * PACE[1]))
    )
