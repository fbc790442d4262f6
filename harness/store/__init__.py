"""Where runs are kept: SQLite by default, PostgreSQL by URL, with the same code.

The only package that touches a database. `Store` is imported where it is used, since its libraries take a third of a
second to load; `StoreError` and `default_url` cost nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harness.store.claims import PAUSE_ASKED, new_owner, owner_shown
from harness.store.place import DEFAULT, StoreError, default_url

if TYPE_CHECKING:
    from harness.store.store import Store

__all__ = ["DEFAULT", "PAUSE_ASKED", "Store", "StoreError", "default_url", "new_owner", "owner_shown"]


def __getattr__(name: str) -> Any:
    if name == "Store":
        from harness.store.store import Store

        return Store
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
