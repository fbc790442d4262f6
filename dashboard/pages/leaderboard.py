"""Who wins how often, and how sure that is: `?page=leaderboard&run=3&game=star_ludo`."""

from __future__ import annotations

from dashboard.compare.page import show
from harness.views.leaderboard import view

PLACE = ("Compare", 1)

show(
    "Leaderboard",
    "How often each player wins against an average table, apart from luck with seats and opponents, and how sure "
    "that is. Point at a mark for its figures; click it, or a name, for the matches behind it.",
    view,
)
