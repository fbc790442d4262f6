"""Failures and missing: `?page=failures&run=3`."""

from __future__ import annotations

from dashboard.compare.page import show
from harness.views.failures import view

PLACE = ("Compare", 8)

show(
    "Failures and missing",
    "What became of every match, decision and call: what does not count, why, and whom it concerns.",
    view,
)
