"""Towers to twenty-one: two players build six coloured towers together, and the last stone of each counts.

Each holds stones that the other has not seen, and announces part of what it takes.
"""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import BaseModel

from games.api import BadStart, Bot, Game, PledgeKind, Scenario, Seat
from games.twenty_one import actions, position, rules, state, stones
from games.twenty_one.bots import BOTS
from games.twenty_one.options import Options
from games.twenty_one.scenarios import SCENARIOS
from games.twenty_one.view import view


class TwentyOne:
    """The game as `games.api.Game` wants it; the work is done in the modules beside this one."""

    name = state.NAME
    title = "Towers to Twenty-One"
    version = "1"
    players: tuple[int, ...] = (2,)
    Options: type[BaseModel] = Options
    news: frozenset[str] = frozenset()
    turn_events = frozenset({"place", "replace", "pass"})
    talk_events: frozenset[str] = frozenset()
    pledges: Mapping[str, PledgeKind] = {}
    bots: Mapping[str, Bot] = BOTS
    scenarios: Mapping[str, Scenario] = SCENARIOS

    start = staticmethod(rules.start)
    load = staticmethod(position.load)
    dump = staticmethod(state.dump)
    to_act = staticmethod(rules.to_act)
    alive = staticmethod(rules.alive)
    legal = staticmethod(actions.legal)
    apply = staticmethod(rules.apply)
    view = staticmethod(view)
    outcome = staticmethod(rules.outcome)
    longest = staticmethod(rules.longest)

    def seats(self, number: int) -> tuple[Seat, ...]:
        """The two players. Raises `BadStart` for any other number."""
        if number != len(stones.SEATS):
            raise BadStart(f"seats: Towers to Twenty-One is for {len(stones.SEATS)} players")
        return stones.SEATS


GAME: Game = TwentyOne()
"""What `games.get_game` returns."""
