"""Star ludo: the classic cross board with sheltering stars and two dice a turn, for two to four seats.

Nothing is hidden but the dice to come.
"""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import BaseModel

from games.api import BadStart, Bot, Game, PledgeKind, Scenario, Seat
from games.star_ludo import board, position, rules, state
from games.star_ludo.bots import BOTS
from games.star_ludo.options import Options
from games.star_ludo.pledges import PLEDGES
from games.star_ludo.scenarios import SCENARIOS
from games.star_ludo.view import view


class StarLudo:
    """The game as `games.api.Game` wants it; the work is done in the modules beside this one."""

    name = state.NAME
    title = "Star Ludo"
    version = "1"
    players: tuple[int, ...] = tuple(board.TABLES)
    Options: type[BaseModel] = Options
    news = frozenset({"roll", "capture"})
    turn_events = frozenset({"turn", "extra_turn"})
    talk_events: frozenset[str] = frozenset()
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
        """The seats of that many players, in order. Raises `BadStart` for a number the game has not."""
        if number not in board.TABLES:
            raise BadStart(f"seats: Star Ludo is for {min(board.TABLES)} to {max(board.TABLES)} players")
        return board.TABLES[number].seats


GAME: Game = StarLudo()
"""What `games.get_game` returns."""
