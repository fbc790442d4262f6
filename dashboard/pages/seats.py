"""Seats: `?page=seats&run=3`."""

from __future__ import annotations

from dashboard.compare.page import show
from harness.views.seats import view

PLACE = ("Compare", 7)

show("Seats", "What each seat is worth, and who sat where how often, so that a run's fairness can be seen.", view)
