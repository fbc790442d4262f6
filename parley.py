"""Runs of tournaments from Python: `parley.open("runs/parley.db").run("table").turns()` is a data frame.

`docs/data.md` shows what there is.
"""

from harness.api import Database, ParleyError, Run, open  # noqa: A004 - a module's `open`, as `gzip` has one

__all__ = ["Database", "ParleyError", "Run", "open"]
