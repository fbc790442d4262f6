"""Style sheets have their colours from one place."""

from __future__ import annotations

import re

import pytest

from dashboard.bundle import style

SHEETS = ("player/player.css", "runs/runs.css", "wall/wall.css", "find/find.css", "fork/fork.css")


@pytest.mark.parametrize("name", SHEETS)
def test_a_sheet_names_its_colours_and_makes_none_of_its_own(name: str) -> None:
    common = set(re.findall(r"^  (--[\w-]+):", style("player/colours.css"), re.MULTILINE))
    own, used = (set(re.findall(pattern, style(name))) for pattern in (r"(--[\w-]+):", r"var\((--[\w-]+)"))
    assert not own & common
    # A script sets how far a match has come.
    assert {one for one in used - common - own if not one.startswith("--st-")} <= {"--done"}
