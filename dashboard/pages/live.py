"""The matches that are being played now, several boards at once: `?page=live&size=6&run=3`."""

from __future__ import annotations

from dashboard.components import live_wall

PLACE = ("Watch", 2)

live_wall(key="live")
