"""The promises that the ledger can judge in this game, worded for whoever makes them, and what tests them."""

from __future__ import annotations

from collections.abc import Mapping

from games.api import Occasion, PledgeKind
from games.so_long_sucker.actions import KILL, NEXT, REFUSE, choices
from games.so_long_sucker.state import EVERYONE, SEATS, State


def _donate(state: State, action: str) -> tuple[Occasion, ...]:
    """The answer to a request. Who is asked has something to give and may refuse, so both are always legal."""
    if state.phase != "answer" or state.mover is None:
        return ()
    return (Occasion(SEATS[state.mover], action != REFUSE, free=True),)


def _refuse(state: State, action: str) -> tuple[Occasion, ...]:
    """The same decision, seen the other way round."""
    return tuple([one._replace(kept=not one.kept) for one in _donate(state, action)])


def _spare(state: State, action: str) -> tuple[Occasion, ...]:
    """A kill from a pile that holds the addressee's colour and another one."""
    if state.phase != "kill" or state.captured is None:
        return ()
    colours = [colour for colour in EVERYONE if colour in state.captured]
    if len(colours) == 1:
        return ()
    return tuple(
        [Occasion(SEATS[colour], action != KILL[colour], free=True) for colour in colours if colour != state.to_act]
    )


def _give_turn(state: State, action: str) -> tuple[Occasion, ...]:
    """A choice of who goes next with the addressee among those who may be chosen."""
    if state.phase != "next":
        return ()
    open_to = choices(state)
    free = len(open_to) > 1
    return tuple([Occasion(SEATS[seat], action == NEXT[seat], free) for seat in open_to if seat != state.to_act])


PLEDGES: Mapping[str, PledgeKind] = {
    "donate": PledgeKind("The next time this player asks me for a chip, I give one.", _donate),
    "refuse": PledgeKind("The next time this player asks me for a chip, I give none.", _refuse),
    "spare": PledgeKind("The next time I may kill a chip of this player's colour or another, I kill another.", _spare),
    "give_turn": PledgeKind("The next time I may give this player the move, I do.", _give_turn),
}
"""Each names an addressee and a term of 1 to 40 `turn` events, and is judged at its first occasion within the term."""
