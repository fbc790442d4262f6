"""Trap race: two sides race across a board of hidden traps, boxes and powers.

Everything but the other's traps, the pickup and what boxes hold is open; chance makes the terrain once.
"""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import BaseModel

from games.api import BadStart, Bot, Game, PledgeKind, Scenario, Seat
from games.trap_race import board, position, rules, state
from games.trap_race.bots import BOTS
from games.trap_race.options import Options
from games.trap_race.scenarios import SCENARIOS
from games.trap_race.view import view


class TrapRace:
    """The game as `games.api.Game` wants it; the work is done in the modules beside this one."""

    name = state.NAME
    title = "Trap race"
    version = "1"
    players: tuple[int, ...] = (2,)
    Options: type[BaseModel] = Options
    news = frozenset({"sprung", "box", "found", "sensed", "score"})
    turn_events = frozenset({"end"})
    talk_events: frozenset[str] = frozenset()
    pledges: Mapping[str, PledgeKind] = {}
    bots: Mapping[str, Bot] = BOTS
    scenarios: Mapping[str, Scenario] = SCENARIOS

    start = staticmethod(rules.start)
    load = staticmethod(position.load)
    dump = staticmethod(state.dump)
    to_act = staticmethod(rules.to_act)
    alive = staticmethod(rules.alive)
    legal = staticmethod(rules.legal)
    apply = staticmethod(rules.apply)
    view = staticmethod(view)
    outcome = staticmethod(rules.outcome)
    longest = staticmethod(rules.longest)

    def seats(self, number: int) -> tuple[Seat, ...]:
        """South and north. Raises `BadStart` for any other number."""
        if number != len(board.SEATS):
            raise BadStart(f"seats: trap race is for {len(board.SEATS)} players")
        return board.SEATS


GAME: Game = TrapRace()
"""What `games.get_game` returns."""

__all__ = ["GAME"]
