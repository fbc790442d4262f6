"""A run as one HTML report that opens anywhere, without a network and without a script."""

from harness.reporting.page import report

__all__ = ["report"]
