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
    if state.to_act is None:
        return ()
    captures = {each: _victims(state, state.to_act, each) for each in state.legal}
    taken = captures[action]
    occasions = []
    for prey in sorted(set().union(*captures.values())):
        ways = {prey in victims for victims in captures.values()}
        occasions.append(Occasion(state.seats[prey], prey not in taken, free=len(ways) > 1))
    return tuple(occasions)


def _victims(state: State, mover: int, action: str) -> set[int]:
    """Whose pawns a move captures, as indices among the seats."""
    target = TARGETS[state.dice[state.die]][state.pawns[mover][PAWN_OF[action]]]
    return {other for other, spot in TABLES[len(state.seats)].victims[mover][target] if spot in state.pawns[other]}


PLEDGES: Mapping[str, PledgeKind] = {
    "spare": PledgeKind("The next time I may capture a pawn of this player's, I do not.", _spare),
}
"""Each names an addressee and a term of 1 to 40 `turn` and `extra_turn` events.

It is judged at its first occasion within the term: a decision of the maker in which such a capture is legal.
"""
