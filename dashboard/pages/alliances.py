"""Who helped and who hurt whom: `?page=alliances&run=3`."""

from __future__ import annotations

from dashboard.compare.page import show
from harness.views.alliances import view

PLACE = ("Compare", 6)

show(
    "Alliances",
    "Who helped and who hurt whom by its own choice, and when in a match. Point at a cell for its figures; click it, "
    "or a name, for the matches in which both sat.",
    view,
    pools=False,
)
