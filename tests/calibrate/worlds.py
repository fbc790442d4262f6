"""Worlds in which the truth is known: players of known strength, seats of known effect, packs that share their luck.

Each player's luck in a match is drawn from Gumbel's distribution, so that wins and places follow the Plackett-Luce
model exactly; with the chance `luck` a player has the same luck in all matches of a pack, as with mirrored seeds.
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from harness.ratings.ballots import Ballots, Floats, Player
from harness.ratings.standing import average_tables, relative, win_chances


class World(NamedTuple):
    """What is true, and how many packs are played."""

    name: str
    strengths: tuple[float, ...]
    effects: tuple[float, ...]
    packs: int
    luck: float = 0.3
    kingmaker: bool = False
    """Whether the players after the winner come in an order that has nothing to do with their strength."""
    tables: tuple[tuple[int, tuple[int, ...]], ...] = ()
    """Of a schedule that is given: each match's pack, and its players by seat. Else packs are rotations of line-ups."""
    void: float = 0.0
    """The chance of a match to become void."""

    @property
    def values(self) -> Floats:
        """Strengths, then seats' effects, each with mean 0."""
        strengths, effects = np.array(self.strengths), np.array(self.effects)
        return np.concatenate([strengths - strengths.mean(), effects - effects.mean()])

    def probabilities(self) -> Floats:
        """Each player's chance to win at an average table."""
        players = len(self.strengths)
        tables = average_tables(list(range(players)), len(self.effects))
        return np.asarray(win_chances(self.values[None], tables, players)[0], dtype=np.float64)

    def relative_strengths(self) -> Floats:
        """Strengths as they are told: 0 has the mean odds."""
        players = len(self.strengths)
        return np.asarray(relative(self.values[None, :players], [list(range(players))])[0], dtype=np.float64)


def seating(world: World, random: np.random.Generator, packs: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Who sits in each seat, match by match, and the packs; a given schedule is gone through again and again."""
    players, seats = len(world.strengths), len(world.effects)
    if world.tables:
        rounds = packs // world.packs
        seated = np.tile([row for _, row in world.tables], (rounds, 1))
        number = np.array([pack for pack, _ in world.tables])
        return seated, (number + world.packs * np.arange(rounds)[:, None]).ravel()
    line_ups = list(combinations(range(players), seats))
    random.shuffle(line_ups)
    rows = []
    for pack in range(packs):
        order = random.permutation(line_ups[pack % len(line_ups)])
        rows += [np.roll(order, turn) for turn in range(seats)]
    return np.array(rows), np.repeat(np.arange(packs), seats)


def play(world: World, random: np.random.Generator, packs: int | None = None) -> Ballots:
    """Its packs, as a run plays them: packs of rotations, or those of its schedule."""
    players = len(world.strengths)
    strengths, effects = np.array(world.strengths), np.array(world.effects)
    seated, pack = seating(world, random, packs or world.packs)
    shared = random.gumbel(size=(pack.max() + 1, players))[pack]
    luck = np.where(random.random(shared.shape) < world.luck, shared, random.gumbel(size=shared.shape))
    utility = strengths[seated] + effects + np.take_along_axis(luck, seated, axis=1)
    places = (-utility).argsort(axis=1).argsort(axis=1) + 1.0
    if world.kingmaker:
        other = random.random(places.shape)
        other[places == 1] = -1
        places = other.argsort(axis=1).argsort(axis=1) + 1.0
    names = tuple(Player(f"player {number}", "", "bot") for number in range(players))
    found = Ballots(names, tuple(f"seat {seat}" for seat in range(len(effects))), seated, places, pack)
    if not world.void:
        return found
    # Packs keep their numbers, so that it can be looked after so many of them, whatever of them became void.
    there = random.random(len(pack)) >= world.void
    return found._replace(seated=seated[there], places=places[there], packs=pack[there])


EQUAL = World("four alike, 20 packs", (0, 0, 0, 0), (0, 0, 0, 0), 20)
APART = World("four apart, seats matter, 20 packs", (0.8, 0.2, -0.2, -0.8), (0.5, 0.1, -0.2, -0.4), 20, luck=0.6)
WEAK = World("one seldom wins, 30 packs", (0.6, 0.4, 0.2, -1.8), (0.3, 0, 0, -0.3), 30)
POOL = World("six for four seats, 60 packs", (1.0, 0.5, 0.2, -0.2, -0.5, -1.0), (0.4, 0, -0.1, -0.3), 60)
PAIR = World("two seats, 30 packs", (0.3, -0.3), (0.4, -0.4), 30, luck=0.5)
WORLDS = (EQUAL, APART, WEAK, POOL, PAIR)
KINGMAKER = World("places after the first are lots", (0.8, 0.2, -0.2, -0.8), (0, 0, 0, 0), 40, kingmaker=True)
STOPPING = (
    World("alike", (0, 0, 0, 0), (0.3, 0, 0, -0.3), 50),
    World("a little apart", (0.25, -0.25, 0, 0), (0.3, 0, 0, -0.3), 50),
    World("apart", (0.5, -0.5, 0, 0), (0.3, 0, 0, -0.3), 50),
    World("far apart", (1.0, -1.0, 0, 0), (0.3, 0, 0, -0.3), 50),
    World("apart, one match in six void", (0.5, -0.5, 0, 0), (0.3, 0, 0, -0.3), 50, void=1 / 6),
    World("alike, in two thirds of the packs each", (0, 0, 0.5, 0, -0.5, 0), (0.3, 0, 0, -0.3), 90),
    World("apart, in two thirds of the packs each", (0.5, -0.5, 0.5, 0, -0.5, 0), (0.3, 0, 0, -0.3), 90),
)
