"""Worlds that are seated as real schedules seat them: a gauntlet, replicates, and players who came later."""

from __future__ import annotations

from collections import Counter

from harness.schedule import schedule
from harness.spec import PlayerSpec, Tournament, going_on, parse
from tests.calibrate.worlds import World

FILE = """
name: calibrate
seed: 5
matches: {matches}
replicates: {replicates}
line_ups: {line_ups}
games: [{{game: so_long_sucker, options: {{chips: 3}}}}]
players: [{players}]
"""
EFFECTS = (0.4, 0, -0.1, -0.3)


def file(players: int, matches: int, *, line_ups: str = "auto", replicates: int = 1) -> Tournament:
    """A tournament of so many players, named p0, p1, ..."""
    listed = ", ".join(f"{{label: p{number}, bot: random}}" for number in range(players))
    return parse(
        FILE.format(players=listed, matches=matches, line_ups=line_ups, replicates=replicates), "calibrate.yaml"
    )


def later(spec: Tournament, label: str, matches: int) -> Tournament:
    """The run with one more player, and then as many matches in all, but for those that bring it in."""
    grown = spec.model_copy(
        update={"players": (*spec.players, PlayerSpec(label=label, bot="random")), "matches": matches}
    )
    return going_on(spec, grown).spec


def world(name: str, spec: Tournament, strengths: tuple[float, ...], luck: float) -> World:
    """Players of these strengths, by label, at the tables of that tournament."""
    number = {player.label: place for place, player in enumerate(spec.players)}
    tables = tuple(
        (match.pack, tuple(number[seat.label] for seat in match.seats)) for match in schedule(spec, lambda *_: "")
    )
    sizes = Counter(pack for pack, _ in tables)
    told = f"{name}, {len(sizes)} packs of {min(sizes.values())} to {max(sizes.values())} matches"
    return World(told, strengths, EFFECTS, len(sizes), luck, tables=tables)


STRENGTHS = (1.0, 0.4, 0.1, -0.2, -0.5, -0.8)
SCHEDULED = (
    world("a gauntlet of three against three", file(6, 360, line_ups="{gauntlet: [p3, p4, p5]}"), STRENGTHS, luck=0.6),
    world("every match played twice", file(4, 192, replicates=2), (0.8, 0.2, -0.2, -0.8), luck=0.6),
    world("one of six came later", later(file(5, 160), "p5", 160), STRENGTHS, luck=0.6),
    world("one of six came later, and they play on", later(file(5, 160), "p5", 240), STRENGTHS, luck=0.6),
)
