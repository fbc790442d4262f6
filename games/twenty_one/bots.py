"""The baseline bots. All are silent; each sees what a model sees and nothing else."""

from __future__ import annotations

from collections.abc import Mapping

from games.api import Bot, Observation, Reply
from games.chance import Draws
from games.twenty_one.sampler import sampler
from games.twenty_one.stones import COLOUR, INDEX, LINES, SEATS, TOWER, VALUE
from games.twenty_one.tactics import Towers, placements, rivals


def random(seen: Observation, draws: Draws) -> Reply:
    """All legal actions alike."""
    return Reply((draws.choice(seen.legal),) if seen.legal else ())


def greedy(seen: Observation, _draws: Draws) -> Reply:
    """The placement of the highest value now, and the line whose stones promise most; ties by legal order."""
    if not seen.legal:
        return Reply(())
    return Reply((_line(seen) if seen.view["phase"] == "take" else _placement(seen),))


def _placement(seen: Observation) -> str:
    """A third tower of 21 needs no rule of its own: nothing else is worth as much."""
    towers, against = Towers.seen(seen.view), rivals(seen.view, seen.seat)
    values: dict[str, int] = {}
    for action in seen.legal:
        verb, *words = action.split(" ")
        if verb == "pass":
            continue
        ways = placements(towers, SEATS.index(seen.seat), INDEX[words[0]], against)
        values[action] = next(value for value, tower, _ in ways if tower == TOWER[words[2]])
    return max(values, key=values.__getitem__) if values else seen.legal[0]


def _line(seen: Observation) -> str:
    """The line with the largest sum of its stones' best values, announced by what tells the fewer things apart."""
    view = seen.view
    towers, against = Towers.seen(view), rivals(view, seen.seat)
    grid = next(grid for grid in view["grids"][seen.seat] if any(stone in INDEX for stone in grid))
    best: tuple[int, str] | None = None
    for action in seen.legal:
        _, direction, number, announces = action.split(" ")
        stones = [INDEX[grid[cell]] for cell in LINES[direction, number]]
        fewer_colours = len({COLOUR[stone] for stone in stones}) <= len({VALUE[stone] for stone in stones})
        if (announces == "colours") != fewer_colours:
            continue
        ways = [placements(towers, SEATS.index(seen.seat), stone, against) for stone in stones]
        value = sum(max(each)[0] for each in ways if each)
        if best is None or value > best[0]:
            best = value, action
    return best[1] if best else seen.legal[0]


BOTS: Mapping[str, Bot] = {"random": random, "greedy": greedy, "sampler": sampler}
"""The bots by the names that a tournament file uses."""
