"""How `normal` plays a turn, and how `hard` chooses between turns that are like it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from games.trap_race import paths
from games.trap_race.board import GOAL, PLAINS, WALL, column_of, neighbours, row_of
from games.trap_race.options import GOALS, NERF_COST, PIECE_POINTS, POWER_COST, TOKENS
from games.trap_race.picture import Picture, Side, Words

LOOKED_AT = 3
"""So many tiles of the leading enemy's way are looked at for an extra trap or a block."""
TERRAFORM_REACH = 6
NEAR = 5
LOST = 100
"""What a piece that is missing for the fifth point counts as, in cost."""


class Manner(NamedTuple):
    """In what way a turn departs from `normal`'s: pieces that move last, a block first, or nerfs alone."""

    last: frozenset[int] = frozenset()
    block: bool = False
    rest: bool = False


NORMAL = Manner()


def play(picture: Picture, words: Words, manner: Manner = NORMAL) -> list[str]:
    """Plan a whole turn on a picture, which is changed to how it then looks; `end` stands last."""
    return _Turn(picture, words, manner).plan()


class _Turn:
    def __init__(self, picture: Picture, words: Words, manner: Manner) -> None:
        self.picture = picture
        self.words = words
        self.manner = manner
        self.actions: list[str] = []
        self.resting: set[int] = set()

    def plan(self) -> list[str]:
        if self.manner.block:
            self._block()
        steps: tuple[Callable[[], bool], ...] = (self._nerf, self._power, self._score, self._advance)
        if self.manner.rest:
            steps = (self._nerf,)
        while not self.picture.won() and any(step() for step in steps):
            pass
        return [*self.actions, "end"]

    def _budget(self, number: int) -> int:
        picture = self.picture
        return min(picture.pool, PIECE_POINTS - picture.spent[number]) + picture.bonus[number]

    def _nerf(self) -> bool:
        picture = self.picture
        if not picture.mine.held or picture.pool < NERF_COST:
            return False
        own = set(picture.mine.pieces)
        theirs = picture.theirs
        victims = [n for n in theirs.living() if not own.isdisjoint(neighbours(theirs.pieces[n]))]
        if not victims:
            return False
        victim = min(victims, key=lambda n: (picture.enemy()[theirs.pieces[n]], theirs.pieces[n]))
        theirs.pieces[victim] = 0
        picture.mine.held -= 1
        picture.pool -= NERF_COST
        picture.enemies_changed()
        self.actions.append(f"nerf {victim}")
        return True

    def _power(self) -> bool:
        picture = self.picture
        if picture.power is None or picture.pool < POWER_COST:
            return False
        tile = self._trap_tile() if picture.power == "trap" else self._terraform_tile()
        if tile is None:
            return False
        self.actions.append(self.words.tile(picture.power, tile))
        if picture.power == "trap":
            picture.hidden |= {tile}
        else:
            terrain = bytearray(picture.terrain)
            terrain[tile] = PLAINS
            picture.ground_changed(bytes(terrain))
        picture.power = None
        picture.pool -= POWER_COST
        return True

    def _leading_enemy(self) -> int | None:
        """The tile of the enemy's piece that is nearest to its goal."""
        far = self.picture.enemy()
        tiles = [tile for tile in self.picture.theirs.pieces if tile]
        return min(tiles, key=lambda tile: (far[tile], tile)) if tiles else None

    def _trap_tile(self) -> int | None:
        picture, leader = self.picture, self._leading_enemy()
        if leader is None:
            return None
        taken = {*picture.mine.pieces, *picture.theirs.pieces, *picture.hidden, *picture.boxes}
        way = paths.downhill(picture.enemy(), picture.terrain, leader, LOOKED_AT)
        return next((tile for tile in way if tile not in taken), None)

    def _terraform_tile(self) -> int | None:
        """The tile near the own leader that shortens its way most, if any does."""
        picture = self.picture
        far = picture.alone()
        tiles = [tile for tile in picture.mine.pieces if tile]
        if not tiles:
            return None
        leader = min(tiles, key=lambda tile: (far[tile], tile))
        costs = paths.walled(picture.terrain, picture.avoid)
        # What is spent on the way there is bounded: within six tiles nothing costs more than two each.
        there = {leader: (0, leader), **paths.reach(costs, leader, 2 * TERRAFORM_REACH)}
        best, gain = None, 0
        for row in range(row_of(leader) - TERRAFORM_REACH, row_of(leader) + TERRAFORM_REACH + 1):
            across = TERRAFORM_REACH - abs(row - row_of(leader))
            for tile in range(
                leader + 32 * (row - row_of(leader)) - across, leader + 32 * (row - row_of(leader)) + across + 1
            ):
                if not self._can_be_shaped(tile):
                    continue
                before = min((there[near][0] for near in neighbours(tile) if near in there), default=paths.FAR)
                saved = far[leader] - (before + PLAINS + far[tile])
                if saved > gain:
                    best, gain = tile, saved
        return best

    def _can_be_shaped(self, tile: int) -> bool:
        terrain = self.picture.terrain
        return 0 <= tile < len(terrain) and PLAINS < terrain[tile] < WALL and tile not in self.picture.avoid

    def _score(self) -> bool:
        """The cheapest piece that can get home this turn does."""
        picture, grid = self.picture, self.picture.grid()
        best = None
        for number in picture.mine.living():
            budget, tile = self._budget(number), picture.mine.pieces[number]
            if budget <= 0 or picture.alone()[tile] > budget:
                continue
            found = paths.reach(grid, tile, budget)
            for goal, (cost, _) in found.items():
                if goal in GOAL[0] and (best is None or (cost, tile, goal) < best[:3]):
                    best = (cost, tile, goal, number, found)
        if best is None:
            return False
        self._walk(best[3], best[2], best[4])
        return True

    def _advance(self) -> bool:
        """The piece with the least D that can lower it goes as low as it can."""
        picture, grid = self.picture, self.picture.grid()
        able = [number for number in picture.mine.living() if self._budget(number) > 0 and number not in self.resting]
        able.sort(key=lambda n: (n in self.manner.last, picture.home(picture.mine.pieces[n]), picture.mine.pieces[n]))
        for number in able:
            tile = picture.mine.pieces[number]
            found = paths.reach(grid, tile, self._budget(number))
            if not found:
                continue
            to = min(found, key=lambda each: (picture.home(each), found[each][0], each))
            if picture.home(to) < picture.home(tile):
                self._walk(number, to, found)
                return True
        return False

    def _block(self) -> None:
        """A piece steps into the leading enemy's way, if one can, and stays there."""
        picture, leader = self.picture, self._leading_enemy()
        if leader is None:
            return
        grid = picture.grid()
        way = paths.downhill(picture.enemy(), picture.terrain, leader, LOOKED_AT)
        options = []
        for number in picture.mine.living():
            budget = self._budget(number)
            if budget > 0:
                found = paths.reach(grid, picture.mine.pieces[number], budget)
                options += [
                    (place, found[tile][0], picture.mine.pieces[number], tile, number, found)
                    for place, tile in enumerate(way)
                    if tile in found
                ]
        if options:
            *_, tile, number, found = min(options, key=lambda option: option[:3])
            self._walk(number, tile, found)
            self.resting.add(number)

    def _walk(self, number: int, to: int, found: dict[int, tuple[int, int]]) -> None:
        """A piece goes where it was found to get, unless a trap that it does not know of stops it."""
        picture, start = self.picture, self.picture.mine.pieces[number]
        way = [to]
        while found[way[-1]][1] != start:
            way.append(found[way[-1]][1])
        way.reverse()
        for tile in way:
            self._pay(number, picture.terrain[tile])
            self.actions.append(self.words.move(number, tile - picture.mine.pieces[number]))
            picture.mine.pieces[number] = tile
            if tile in picture.deadly:
                picture.mine.pieces[number] = 0
                return
        if to in GOAL[0]:
            picture.mine.pieces[number] = 0
            picture.mine.score += 1
            picture.mine.coming += picture.mine.held + picture.mine.coming < TOKENS

    def _pay(self, number: int, cost: int) -> None:
        picture = self.picture
        free = min(picture.bonus[number], cost)
        picture.bonus[number] -= free
        picture.pool -= cost - free
        picture.spent[number] += cost - free


def worth(side: Side, far: list[int]) -> int:
    """How well a side stands: points, pieces and tokens, less what its next points will cost."""
    needed = max(0, GOALS - side.score)
    ways = sorted(min(far[tile], LOST) for tile in side.pieces if tile)[:needed]
    ways += [LOST] * (needed - len(ways))
    return 100 * side.score + 6 * len(side.living()) + 10 * (side.held + side.coming) - sum(ways)


def manners(picture: Picture) -> list[Manner]:
    """The six ways of playing a turn that `hard` compares."""
    mine, theirs = picture.mine.pieces, [tile for tile in picture.theirs.pieces if tile]
    order = sorted(picture.mine.living(), key=lambda n: (picture.home(mine[n]), mine[n]))
    close = frozenset(number for number in order if any(apart(mine[number], tile) <= NEAR for tile in theirs))
    return [
        NORMAL,
        Manner(last=frozenset(order[:1])),
        Manner(last=frozenset(order[:2])),
        Manner(last=close),
        Manner(block=True),
        Manner(rest=True),
    ]


def apart(one: int, other: int) -> int:
    """The steps between two tiles on an empty board."""
    return abs(row_of(one) - row_of(other)) + abs(column_of(one) - column_of(other))


def best_turn(picture: Picture, words: Words) -> list[str]:
    """The turn, of those compared, after whose likeliest answer the side stands best; the first of equal ones."""
    best: tuple[int, list[str]] | None = None
    seen: set[tuple[str, ...]] = set()
    for manner in manners(picture):
        after = picture.copy()
        actions = play(after, words, manner)
        if tuple(actions) in seen:
            continue
        seen.add(tuple(actions))
        value = _after_reply(after, words)
        if best is None or value > best[0]:
            best = (value, actions)
    return best[1] if best else ["end"]


def _after_reply(picture: Picture, words: Words) -> int:
    if picture.won():
        return worth(picture.mine, picture.alone()) + 1000
    reply = picture.other_side()
    play(reply, words)
    # The answer's own picture is turned; so are its costs, and each side is weighed on its own.
    return worth(reply.theirs, picture.alone()[::-1]) - worth(reply.mine, reply.alone())
