"""The promises that the ledger can judge in this game, worded for whoever makes them, and what tests them."""

from __future__ import annotations

from collections.abc import Mapping

from games.api import Occasion, PledgeKind
from games.star_ludo.board import PAWN_OF, TABLES, TARGETS
from games.star_ludo.state import State


def _spare(state: State, action: str) -> tuple[Occasion, ...]:
    """A decision in which the capture of a pawn of the addressee's is legal.

    Where every legal action captures one, the capture was not free: nothing else could be played.
    """
    mover = state.to_act
    if mover is None:
        return ()
    mine, target_of = state.pawns[mover], TARGETS[state.dice[state.die]]
    victims = TABLES[len(state.seats)].victims[mover]
    captures = {
        each: [other for other, spot in victims[target_of[mine[PAWN_OF[each]]]] if spot in state.pawns[other]]
        for each in state.legal
    }
    if not any(captures.values()):
        return ()
    occasions = []
    for prey in sorted(set().union(*captures.values())):
        ways = {prey in taken for taken in captures.values()}
        occasions.append(Occasion(state.seats[prey], prey not in captures[action], free=len(ways) > 1))
    return tuple(occasions)


PLEDGES: Mapping[str, PledgeKind] = {
    "spare": PledgeKind("The next time I may capture a pawn of this player's, I do not.", _spare),
}
"""Each names an addressee and a term of 1 to 40 `turn` and `extra_turn` events.

It is judged at its first occasion within the term: a decision of the maker in which such a capture is legal.
"""
