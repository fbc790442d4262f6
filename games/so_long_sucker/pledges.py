"""The promises that the ledger can judge in this game, worded for whoever makes them."""

from __future__ import annotations

from collections.abc import Mapping

from games.api import PledgeKind

PLEDGES: Mapping[str, PledgeKind] = {
    "donate": PledgeKind("The next time this player asks me for a chip, I give one."),
    "refuse": PledgeKind("The next time this player asks me for a chip, I give none."),
    "spare": PledgeKind("The next time I may kill a chip of this player's colour or another, I kill another."),
    "give_turn": PledgeKind("The next time I may give this player the move, I do."),
}
"""Each names an addressee and a term of 1 to 40 `turn` events, and is judged at its first occasion within the term."""
