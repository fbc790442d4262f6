"""One player's profile: `?page=player&run=3&player=flash`."""

from __future__ import annotations

from dashboard.compare.page import show
from harness.views.player import view

PLACE = ("Compare", 3)

show(
    "Player",
    "One player's profile: who it is, how it fares from each seat and against whom, how it plays beside the "
    "others, what became of its pledges, and what its answers take. Click a mark or a name for the matches behind "
    "it.",
    view,
    pools=False,
)
