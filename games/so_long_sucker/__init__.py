"""So Long Sucker: four seats, coloured chips, and nobody lives without another's help.

The rules follow the game of Hausner, Nash, Shapley and Shubik (1964) in two presets; see `options`.
"""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import BaseModel

from games.api import BadStart, Bot, Game, PledgeKind, Scenario, Seat
from games.so_long_sucker import position, rules, state
from games.so_long_sucker.bots import BOTS
from games.so_long_sucker.options import Options
from games.so_long_sucker.pledges import PLEDGES
from games.so_long_sucker.scenarios import SCENARIOS
from games.so_long_sucker.view import view


class SoLongSucker:
    """The game as `games.api.Game` wants it; the work is done in the modules beside this one."""

    name = state.NAME
    title = "So Long Sucker"
    version = "1"
    players: tuple[int, ...] = (4,)
    Options: type[BaseModel] = Options
    news: frozenset[str] = frozenset()
    turn_events = frozenset({"turn"})
    talk_events = frozenset({"ask"})
    pledges: Mapping[str, PledgeKind] = PLEDGES
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
        """The four seats clockwise. Raises `BadStart` for any other number."""
        if number != len(state.SEATS):
            raise BadStart(f"seats: So Long Sucker is for {len(state.SEATS)} players")
        return state.SEATS


GAME: Game = SoLongSucker()
"""What `games.get_game` returns."""
