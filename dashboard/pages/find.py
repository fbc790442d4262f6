"""What was said, done and happened in a run: `?page=find&run=3&words=spare&kind=capture`."""

from __future__ import annotations

from dashboard.components import find_page
from dashboard.data import open_store
from dashboard.help import no_database
from harness.store import StoreError

PLACE = ("Watch", 3)

try:
    open_store()
except StoreError as error:
    no_database(error)
else:
    find_page(key="find")
