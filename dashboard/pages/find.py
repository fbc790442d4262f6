"""What was said, done and happened in a run: `?page=find&run=3&words=spare&kind=capture`."""

from __future__ import annotations

from dashboard.components import find_page

find_page(key="find")
