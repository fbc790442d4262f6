"""What a seat sees: everything on the table is public, so each sees the whole position but the generator's state."""

from __future__ import annotations

from games.api import Json, Seat
from games.so_long_sucker.state import NAME, State, shown


def view(state: State, seat: Seat | None) -> Json:
    """The position without `chance` and with `you` (null for the spectator).

    Piles stand bottom to top with every chip, hands with every prisoner: nothing lies hidden in this game.
    """
    return {"game": NAME, "options": state.options._asdict(), **shown(state), "you": seat}
