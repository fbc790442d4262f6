"""Head to head: `?page=head_to_head&run=3`."""

from __future__ import annotations

from dashboard.compare.page import show
from harness.views.head_to_head import view

PLACE = ("Compare", 2)

show(
    "Head to head",
    "Of each two players who wins more, how sure that is, and how many matches it would still take to tell "
    "them apart. A star marks pairs that are told apart.",
    view,
)
