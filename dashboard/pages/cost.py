"""What players cost for how often they win: `?page=cost&run=3`."""

from __future__ import annotations

from dashboard.compare.page import show
from harness.views.cost import view

PLACE = ("Compare", 4)

show(
    "Cost against strength",
    "What players take for how often they win. On the front is whom nobody beats by these figures: nobody wins as "
    "often for less. Of a hollow mark draws of the packs leave that open. Point at a mark for its figures; click it, "
    "or a name, for the matches behind it.",
    view,
)
