"""Who plays whom from which seat on which seed: pure, and such that more matches only add to the end.

Matches come in packs. A pack is what is played on one match seed: one line-up, in which under `rotate` every player has
every seat once and under `balanced` every order of the players is played once; in a gauntlet each challenger against
the same baselines; in self-play each player at a table of its own. `random` and `fixed` seat a line-up once. Each of
these matches is played as often as `replicates` says. Raising `matches` later leaves every earlier match as it was:
pack p of a game is played if the matches asked for are more than p × pack size, and packs are numbered through in the
order of that threshold. A player who is added plays on the seeds of the packs that are there; these matches are
numbered after all others, and belong to those packs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from importlib import metadata

import games
from games.api import Game
from games.chance import draw
from harness.records import Json, MatchRecord, SeatRecord
from harness.schedule.line_ups import FEW_LINE_UPS as FEW_LINE_UPS
from harness.schedule.packs import Block, stages, threshold
from harness.spec import GameEntry, PlayerSpec, SpecError, Tournament, complete_options, identity
from harness.spec.tables import packs_wanted, pool, seats_at

Identify = Callable[[PlayerSpec, Game], str]


def schedule(spec: Tournament, identify: Identify | None = None) -> list[MatchRecord]:
    """Every match of a tournament, numbered from 0, all queued.

    `identify` gives the identity hash of a player in a game; without it, it is made from the prompts and versions
    installed. Where a run stops once two players are told apart, these are the matches that it may have, or those up to
    the looks that a stored run is ready for. Raises `SpecError` for a game or a table that cannot be.
    """
    identify = identify or installed_identity()
    planned: list[tuple[int, int, int, Block]] = []
    makers = []
    for index, entry in enumerate(spec.games):
        game, options, seats = _table(spec, entry)
        makers.append(_Maker(spec, index, game, options, seats, identify))
        for stage, blocks in enumerate(_stages(spec, index, seats)):
            planned += [(stage, threshold(spec, index, seats, block.pack), index, block) for block in blocks]
    planned.sort(key=lambda one: one[:3])
    matches: list[MatchRecord] = []
    for _, _, index, block in planned:
        matches += makers[index].matches(len(matches), block)
    return matches


def _stages(spec: Tournament, index: int, seats: int) -> list[list[Block]]:
    try:
        return stages(spec, index, seats)
    except ValueError as error:
        raise SpecError(str(error)) from None


class _Maker:
    """Makes records of one game's matches."""

    def __init__(self, spec: Tournament, index: int, game: Game, options: Json, seats: int, identify: Identify) -> None:
        entry = spec.games[index]
        self._seed, self._index = spec.seed, index
        self._fixed: Json = {"game": entry.game, "game_index": index, "options": options, "scenario": entry.start}
        persons = [sitter(player, identify(player, game)) for player in pool(spec, entry)]
        # One record serves wherever the same player has the same seat: a long run has many seats.
        self._sitting = [[person.model_copy(update={"seat": seat}) for seat in game.seats(seats)] for person in persons]
        self._of_pack: Counter[int] = Counter()

    def matches(self, number: int, block: Block) -> list[MatchRecord]:
        """Those of a block, numbered from `number`; inside a pack they are numbered through."""
        seed = match_seed(self._seed, self._index, block.pack)
        first = self._of_pack[block.pack]
        self._of_pack[block.pack] += len(block.orders)
        return [
            MatchRecord(
                number=number + place,
                seed=seed,
                pack=block.pack,
                rotation=first + place,
                seats=tuple(self._sitting[player][seat] for seat, player in enumerate(order)),
                **self._fixed,
            )
            for place, order in enumerate(block.orders)
        ]


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


def _table(spec: Tournament, entry: GameEntry) -> tuple[Game, Json, int]:
    """The game, its whole options and its number of seats."""
    try:
        game = games.get_game(entry.game)
        options = complete_options(game, entry.options).model_dump(mode="json")
        seats = seats_at(spec, entry, game)
        packs_wanted(spec, entry, seats, spec.matches)
        return game, options, seats
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
