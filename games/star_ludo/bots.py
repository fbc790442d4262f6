"""The baseline bots. All are silent; each sees what a model sees and nothing else, and chooses die by die."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from games.api import Bot, Observation, Reply
from games.chance import Draws
from games.star_ludo.board import HOME, LAST, STARS
from games.star_ludo.tactics import Move, Table, Weights, best, foremost

LOOSE = 0.6
"""How often `casual` does not think."""

BALANCED = Weights(100, 15, 20, 12, 10, -4, 3, -3, 5)
STRATEGIC = Weights(60, 10, 20, 18, 18, -12, 8, -8, 2)
AGGRESSIVE = Weights(300, 15, 10, 5, 2, 0, 0, 0, 20)

Rule = Callable[[Table], tuple[Move, str] | None]
"""One of a fixed order of rules: its move and what it says of it, or None if it does not fit."""


def random(seen: Observation, draws: Draws) -> Reply:
    """All legal actions alike."""
    return Reply((draws.choice(seen.legal),) if seen.legal else ())


def casual(seen: Observation, draws: Draws) -> Reply:
    """Any legal move in three of five decisions, else as `balanced`."""
    if seen.legal and draws.below(LOOSE):
        return random(seen, draws)
    return balanced(seen, draws)


def _weighing(weights: Weights, doc: str) -> Bot:
    def bot(seen: Observation, _draws: Draws) -> Reply:
        return Reply((best(Table(seen), weights).action,) if seen.legal else ())

    bot.__doc__ = doc
    return bot


balanced = _weighing(BALANCED, "Weighs captures, exits, shelter and advance about evenly.")
strategic = _weighing(STRATEGIC, "Careful: shelter and the home row before captures.")
aggressive = _weighing(AGGRESSIVE, "Captures first, then runs; sees no danger.")


def _ruled(rules: Mapping[int, Rule], doc: str) -> Bot:
    def bot(seen: Observation, _draws: Draws) -> Reply:
        if not seen.legal:
            return Reply(())
        table = Table(seen)
        number, (move, words) = next(_fitting(rules, table))
        return Reply((move.action,), thoughts=f"#{number}({words})")

    bot.__doc__ = doc
    return bot


def _fitting(rules: Mapping[int, Rule], table: Table) -> Iterator[tuple[int, tuple[Move, str]]]:
    for number, rule in rules.items():
        if found := rule(table):
            yield number, found


def _first(moves: Sequence[Move], words: str) -> tuple[Move, str] | None:
    return (foremost(moves), words) if moves else None


def _exit(least: int, most: int) -> Rule:
    """Leave the yard while so many pawns are in it."""

    def rule(table: Table) -> tuple[Move, str] | None:
        if not least <= table.in_yard() <= most:
            return None
        return _first([move for move in table.moves if move.exits], f"exit with {table.in_yard()} in the yard")

    return rule


def _capture_farthest(table: Table) -> tuple[Move, str] | None:
    """Capture; of several victims the one farthest on."""
    victims = [move.victim for move in table.moves if move.victim is not None]
    return _first([move for move in table.moves if victims and move.victim == max(victims)], "hit an opponent")


def _capture(table: Table) -> tuple[Move, str] | None:
    return _first([move for move in table.moves if move.victim is not None], "hit an opponent")


def _land_on_star(table: Table) -> tuple[Move, str] | None:
    stars = [move for move in table.moves if move.lands_on_star and not move.exits]
    return _first([move for move in stars if not table.ambushed(move.target)], "land on a star")


def _past_ring(table: Table) -> tuple[Move, str] | None:
    return _first([move for move in table.moves if move.from_ring and move.target > LAST], "enter the home row")


def _enter_home_row(table: Table) -> tuple[Move, str] | None:
    return _first([move for move in table.moves if move.from_ring and LAST < move.target < HOME], "enter the home row")


def _safe_exit(table: Table) -> tuple[Move, str] | None:
    """Never comes up: the exits before it take every exit. It keeps its number in the order."""
    safe = [move for move in table.moves if move.exits and not table.danger(move.target)]
    return _first(safe, "exit to a safe square")


def _block_start(table: Table) -> tuple[Move, str] | None:
    return _first([move for move in table.moves if table.ambushed(move.target)], "block an opponent's start")


def _close_in(table: Table) -> tuple[Move, str] | None:
    """Land so that a pawn is within one die ahead; the nearer the better."""
    gaps = {move: table.prey_ahead(move.target) for move in table.moves}
    nearest = min((gap for gap in gaps.values() if gap is not None), default=None)
    if nearest is None:
        return None
    return _first([move for move, gap in gaps.items() if gap == nearest], f"advance to {nearest} behind")


def _escape(table: Table) -> tuple[Move, str] | None:
    """Advance a pawn of the ring that is hunted, and stands on no star, to where it is not."""
    hunted = [move for move in table.moves if move.from_ring and move.place not in STARS and table.hunted(move.place)]
    return _first([move for move in hunted if not table.hunted(move.target)], "advance to safety")


def _finish(table: Table) -> tuple[Move, str] | None:
    return _first([move for move in table.moves if move.target == HOME], "reach home")


def _leave_star(table: Table) -> tuple[Move, str] | None:
    return _first([move for move in table.moves if move.place in STARS], "leave a star")


def _advance(table: Table) -> tuple[Move, str] | None:
    """The pawn farthest on with an even number, the one nearest its start with an odd one."""
    if table.die % 2 == 0:
        return _first(table.moves, "best advance: farthest pawn")
    least = min(move.place for move in table.moves)
    return _first([move for move in table.moves if move.place == least], "best advance: nearest pawn")


ALPHA: Mapping[int, Rule] = {
    1: _exit(3, 4),
    2: _capture_farthest,
    3: _exit(1, 2),
    4: _land_on_star,
    5: _past_ring,
    6: _safe_exit,
    7: _block_start,
    8: _close_in,
    9: _escape,
    10: _finish,
    11: _advance,
}
BETA: Mapping[int, Rule] = {1: _finish, 2: _enter_home_row, 3: _exit(1, 4), 4: _leave_star, 5: _capture, 6: _advance}

alpha = _ruled(ALPHA, "A fixed order of rules that presses the attack; its thoughts name the rule.")
beta = _ruled(BETA, "A fixed order of rules that finishes first; its thoughts name the rule.")

BOTS: Mapping[str, Bot] = {
    "random": random,
    "casual": casual,
    "balanced": balanced,
    "strategic": strategic,
    "aggressive": aggressive,
    "alpha": alpha,
    "beta": beta,
}
"""The bots by the names that a tournament file uses."""
