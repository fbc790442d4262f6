"""The promises that the ledger can judge in this game, worded for whoever makes them."""

from __future__ import annotations

from collections.abc import Mapping

from games.api import PledgeKind

PLEDGES: Mapping[str, PledgeKind] = {
    "spare": PledgeKind("The next time I may capture a pawn of this player's, I do not."),
}
"""Each names an addressee and a term of 1 to 40 `turn` and `extra_turn` events.

It is judged at its first occasion within the term: a decision of the maker in which such a capture is legal.
"""
