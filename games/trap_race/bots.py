"""The baseline bots. All see what a model sees and answer with whole plans; they remember nothing."""

from __future__ import annotations

from collections.abc import Mapping

from games.api import Bot, Observation, Reply
from games.chance import Draws
from games.trap_race import planning
from games.trap_race.board import COLUMNS, GOAL, HOME, NEUTRAL_ROW, TRAPPING, WATER, column_of, neighbours, row_of
from games.trap_race.options import NEUTRAL_TRAPS, PIECES, TRAPS
from games.trap_race.picture import Picture, Words, see

FORWARD_SHARE = 0.7
TRAPS_APART = 3
_AHEAD = {"south": "north", "north": "south"}
"""The direction in which each seat's goal lies."""


def forward(seen: Observation, draws: Draws) -> Reply:
    """Mostly a random step towards the goal row, else any action: the floor, since uniform play never finishes."""
    if not seen.legal:
        return Reply(())
    ahead = [action for action in seen.legal if action.endswith(f" {_AHEAD[seen.seat]}")]
    if ahead and draws.below(FORWARD_SHARE):
        return Reply((draws.choice(ahead),))
    return Reply((draws.choice(seen.legal),))


def normal(seen: Observation, _draws: Draws) -> Reply:
    """Nerfs and scores when it can and races otherwise; its traps lie where chance puts them."""
    if not seen.legal:
        return Reply(())
    picture, words = see(seen.view, seen.seat), Words(seen.seat)
    if seen.view["phase"] == "setup":
        rest = ("auto",) if len(picture.hidden) < TRAPS else ()
        return Reply((*_line_up(picture, words), *rest))
    return Reply(tuple(planning.play(picture, words)))


def hard(seen: Observation, _draws: Draws) -> Reply:
    """Looks one answer ahead, and hides its traps where the board leads the enemy's pieces through."""
    if not seen.legal:
        return Reply(())
    picture, words = see(seen.view, seen.seat), Words(seen.seat)
    if seen.view["phase"] == "setup":
        hidden = _hide(picture, words)
        rest = ("auto",) if len(hidden) + len(picture.hidden) < TRAPS else ()
        return Reply((*_line_up(picture, words), *hidden, *rest))
    return Reply(tuple(planning.best_turn(picture, words)))


def _from_centre(tile: int) -> float:
    return abs(column_of(tile) - (COLUMNS - 1) / 2)


def _front(picture: Picture) -> list[int]:
    """The own home tiles: the front row where the way home is cheapest first, central before outer, then the others."""
    far = picture.alone()
    return sorted(HOME[0], key=lambda tile: (-row_of(tile), far[tile], _from_centre(tile), tile))


def _line_up(picture: Picture, words: Words) -> list[str]:
    free = [tile for tile in _front(picture) if tile not in picture.mine.pieces]
    return [words.tile("piece", tile) for tile in free[: PIECES - len(picture.mine.living())]]


def _hide(picture: Picture, words: Words) -> list[str]:
    """Traps on the tiles most used by the enemy's cheapest ways, apart from each other."""
    use = _use(picture)
    laid = sorted(picture.hidden)
    actions = []
    for tile in sorted(use, key=lambda tile: (-use[tile], tile)):
        if len(laid) == TRAPS:
            break
        neutral = tile in NEUTRAL_ROW and len(NEUTRAL_ROW.intersection(laid)) == NEUTRAL_TRAPS
        if not neutral and all(planning.apart(tile, other) >= TRAPS_APART for other in laid):
            laid.append(tile)
            actions.append(words.tile("trap", tile))
    return actions


def _use(picture: Picture) -> dict[int, float]:
    """How much of the enemy passes each tile where a trap may lie, if all go the cheapest ways from its best places.

    Where several next tiles are equally good, as much goes over each.
    """
    far = picture.enemy()
    front = sorted(HOME[1], key=lambda tile: (row_of(tile), far[tile], _from_centre(tile), tile))
    passing = dict.fromkeys(front[:PIECES], 1.0)
    allowed = set(TRAPPING[0]) - picture.boxes
    use: dict[int, float] = {}
    waiting = sorted(passing, key=lambda tile: -far[tile])
    levels: dict[int, set[int]] = {}
    for tile in waiting:
        levels.setdefault(far[tile], set()).add(tile)
    for level in range(max(levels), -1, -1):
        for tile in sorted(levels.get(level, ())):
            share = passing[tile]
            if tile in allowed:
                use[tile] = share
            ahead = [
                near
                for near in neighbours(tile)
                if picture.terrain[near] < WATER and far[near] + picture.terrain[near] == level
            ]
            for near in ahead if tile not in GOAL[1] else ():
                passing[near] = passing.get(near, 0.0) + share / len(ahead)
                levels.setdefault(far[near], set()).add(near)
    return use


BOTS: Mapping[str, Bot] = {"forward": forward, "normal": normal, "hard": hard}
"""The bots by the names that a tournament file uses."""
