"""The order of the files: what takes long begins first, so that no worker is left alone with it at the end."""

from __future__ import annotations

import pytest

LONGEST = (
    *("dashboard/test_compare_play.py", "dashboard/test_compare_pages.py", "dashboard/test_wall.py"),
    *("dashboard/test_pages.py", "dashboard/test_find_page.py", "dashboard/test_fork_dialog.py"),
    # All pages one after the other: a worker starts their browser and their database but once.
    "dashboard/",
    *("harness/test_bad_days.py", "harness/test_tournament", "harness/data/", "harness/test_killed.py"),
    *("harness/test_adaptive.py", "harness/cli/test_run.py", "harness/cli/test_keeping.py"),
    *("harness/cli/test_report.py", "harness/store/", "harness/cli/", "harness/gateway/", "harness/"),
)


def place(item: pytest.Item) -> int:
    """Where its file stands in that order; what is not named comes last, as it was collected."""
    path = item.nodeid.partition("::")[0].partition("/")[2]
    return next((at for at, start in enumerate(LONGEST) if path.startswith(start)), len(LONGEST))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Sort the files, each as a whole."""
    items.sort(key=place)
