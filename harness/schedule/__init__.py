"""Who plays whom from which seat on which seed: pure, and such that more matches only add to the end.

Matches come in packs. A pack is one line-up on one match seed: under `rotate` every player has every seat once, under
`balanced` every order of the players is played once; `random` and `fixed` have packs of one match. Raising `matches`
later leaves every earlier match as it was: pack p of a game is played if the matches asked for are more than
p × pack size, and packs are numbered through in the order of that threshold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import metadata
from itertools import combinations, count, permutations
from math import comb, factorial
from typing import NamedTuple

import games
from games.api import Game
from games.chance import Draws, draw
from harness.records import Json, MatchRecord, SeatRecord
from harness.spec import GameEntry, PlayerSpec, SpecError, Tournament, complete_options, identity
from harness.spec.tables import pack_size, pool, seats_at

FEW_LINE_UPS = 256
"""Up to so many possible line-ups are all played in turn; of more, a balanced sample is drawn."""
FEW_ORDERS = 720
"""Up to so many orders round a table are gone through before one comes again."""

LineUp = tuple[int, ...]
"""Players by their place in the pool of the game, rising."""
Identify = Callable[[PlayerSpec, Game], str]


class _Pack(NamedTuple):
    """Matches on one seed; each order lists players by seat."""

    number: int
    seed: int
    orders: list[LineUp]


def schedule(spec: Tournament, identify: Identify | None = None) -> list[MatchRecord]:
    """Every match of a tournament, numbered from 0, all queued.

    `identify` gives the identity hash of a player in a game; without it, it is made from the prompts and versions
    installed. Raises `SpecError` for a game or a table that cannot be.
    """
    identify = identify or installed_identity()
    planned: list[tuple[int, int, MatchRecord]] = []
    for index, entry in enumerate(spec.games):
        game, options, seats, size = _table(spec, entry)
        sitting = game.seats(seats)
        persons = [sitter(player, identify(player, game)) for player in pool(spec, entry)]
        for pack in _packs(spec, index, len(persons), seats, -(-(spec.matches or 1) // size)):
            for rotation, order in enumerate(pack.orders):
                match = MatchRecord(
                    number=0,
                    game=entry.game,
                    game_index=index,
                    options=options,
                    scenario=entry.start,
                    seed=pack.seed,
                    pack=pack.number,
                    rotation=rotation,
                    seats=tuple(
                        persons[player].model_copy(update={"seat": seat})
                        for seat, player in zip(sitting, order, strict=True)
                    ),
                )
                planned.append((pack.number * size, index, match))
    planned.sort(key=lambda one: one[:2])
    return [match.model_copy(update={"number": number}) for number, (_, _, match) in enumerate(planned)]


def match_seed(seed: int, game_index: int, pack: int) -> int:
    """The seed of a pack's matches, in [0, 2**53): from the run's seed, the entry of `games` and the pack alone."""
    return draw(f"match seed {seed} {game_index} {pack}", 0) >> 11


def installed_identity() -> Identify:
    """`spec.identity` with the prompts, the rules and the version of Parley that are installed."""
    parley = metadata.version("parley-harness")
    prompts: list[str] = []

    def identify(player: PlayerSpec, game: Game) -> str:
        if player.kind != "model":
            return identity(player, prompts_hash="", version=f"{game.name} {game.version}")
        if not prompts:
            from harness.prompt import prompts_hash  # (a tournament of bots needs no template read)

            prompts.append(prompts_hash())
        return identity(player, prompts_hash=prompts[0], version=parley)

    return identify


def _table(spec: Tournament, entry: GameEntry) -> tuple[Game, Json, int, int]:
    """The game, its whole options, its number of seats and its pack size."""
    try:
        game = games.get_game(entry.game)
        options = complete_options(game, entry.options).model_dump(mode="json")
        seats = seats_at(entry, game, len(pool(spec, entry)))
        return game, options, seats, pack_size(spec, seats)
    except KeyError:
        raise SpecError(f"games: {entry.game!r} is no game here") from None
    except ValueError as error:
        raise SpecError(str(error)) from None


def sitter(player: PlayerSpec, identity_hash: str) -> SeatRecord:
    """A player as a seat's record has it, before it is given a seat."""
    return SeatRecord(
        seat="",
        label=player.label,
        kind=player.kind,
        model=player.model or player.bot,
        persona=player.persona,
        identity=identity_hash,
    )


def _packs(spec: Tournament, index: int, players: int, seats: int, number: int) -> Iterator[_Pack]:
    """The first packs of one game."""
    line_ups = _line_ups(f"line-ups {spec.seed} {index}", players, seats)
    met: dict[LineUp, int] = {}
    tables: dict[LineUp, list[LineUp]] = {}
    for pack in range(number):
        line_up = next(line_ups)
        key = f"seats {spec.seed} {index} {pack}"
        if spec.seating == "rotate":
            if line_up not in tables:
                tables[line_up] = _orders(f"tables {spec.seed} {index} {line_up}", line_up)
            time = met[line_up] = met.get(line_up, -1) + 1
            orders = _rotations(key, tables[line_up], line_up, time)
        else:
            orders = _other_orders(spec.seating, key, line_up)
        yield _Pack(pack, match_seed(spec.seed, index, pack), orders)


def _orders(key: str, line_up: LineUp) -> list[LineUp]:
    """All orders round a table that are no rotations of each other, in seeded order; none where there are too many."""
    if factorial(len(line_up) - 1) > FEW_ORDERS:
        return []
    first, *rest = line_up
    orders = [(first, *others) for others in permutations(rest)]
    Draws(key).shuffle(orders)
    return orders


def _rotations(key: str, tables: list[LineUp], line_up: LineUp, time: int) -> list[LineUp]:
    """The rotations of one order round the table: another one each time, begun at a drawn place."""
    draws = Draws(key)
    if tables:
        order = list(tables[time % len(tables)])
    else:
        order = list(line_up)
        draws.shuffle(order)
    first = draws.pick(len(order))
    return [
        tuple(order[(first + turn + seat) % len(order)] for seat in range(len(order))) for turn in range(len(order))
    ]


def _other_orders(seating: str, key: str, line_up: LineUp) -> list[LineUp]:
    if seating == "fixed":
        return [line_up]
    draws = Draws(key)
    if seating == "balanced":
        # In drawn order, so that a run stopped inside a pack has not played one player's seats first.
        orders = list(permutations(line_up))
        draws.shuffle(orders)
        return orders
    order = list(line_up)
    draws.shuffle(order)
    return [tuple(order)]


def _line_ups(key: str, pool: int, seats: int) -> Iterator[LineUp]:
    """Line-ups without end, such that at every point all players have played nearly equally often.

    Where all line-ups are few they are gone through whole, again and again in one seeded order (after a whole turn all
    have met equally often); else each is drawn from those who have played least, and of them those who have met least.
    """
    if comb(pool, seats) <= FEW_LINE_UPS:
        cycle = _all_line_ups(key, pool, seats)
        for turn in count():
            yield cycle[turn % len(cycle)]
    yield from _sampled_line_ups(Draws(key), pool, seats)


def _all_line_ups(key: str, pool: int, seats: int) -> list[LineUp]:
    """Every line-up once, ordered so that no player runs ahead of the others by more than the order forces."""
    left = list(combinations(range(pool), seats))
    Draws(key).shuffle(left)
    played = [0] * pool
    cycle: list[LineUp] = []
    while left:
        # Those who have played least come first; where that leaves several line-ups, the drawn order decides.
        best = min(range(len(left)), key=lambda at: sum(played[player] for player in left[at]))
        line_up = left.pop(best)
        for player in line_up:
            played[player] += 1
        cycle.append(line_up)
    return cycle


def _sampled_line_ups(draws: Draws, pool: int, seats: int) -> Iterator[LineUp]:
    """Line-ups whose players' numbers of packs never differ by more than one."""
    played = [0] * pool
    met = [[0] * pool for _ in range(pool)]
    while True:
        order = list(range(pool))
        draws.shuffle(order)
        chosen: list[int] = []
        for _ in range(seats):
            free = [player for player in order if player not in chosen]
            chosen.append(min(free, key=lambda one: (played[one], sum(met[one][other] for other in chosen))))
        for one in chosen:
            played[one] += 1
            for other in chosen:
                met[one][other] += 1
        yield tuple(sorted(chosen))
