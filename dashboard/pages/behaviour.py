"""How players play, in measures: `?page=behaviour&run=3`."""

from __future__ import annotations

from dashboard.compare.page import show
from harness.views.behaviour import view

PLACE = ("Compare", 5)

show(
    "Behaviour",
    "How the players play, read from what was done: every measure that found anything, a dot for each player with "
    "its interval. The mark ? beside a title says what is measured. Click a dot or a name for the matches behind "
    "it.",
    view,
    pools=False,
)
