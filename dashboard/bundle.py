"""Puts the browser's modules together into one, so that a page needs no second request and no build step."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from harness import export

HERE = Path(__file__).parent
boards = export.boards


@cache
def player() -> str:
    """The replay player with every board, as one JavaScript module that exports `mount`."""
    return export.player(boards())


@cache
def style(*names: str) -> str:
    """Style sheets, and whatever else is a text, by their paths from this folder, one after the other."""
    return "".join([(HERE / name).read_text(encoding="utf-8") for name in names])


@cache
def runs() -> str:
    """The list of runs and matches, as one JavaScript module without exports."""
    return "\n".join([export.joined(["dom"]), export.inlined(style("runs/runs.js"))])


@cache
def wall() -> str:
    """The wall of running matches with every board, as one JavaScript module without exports."""
    modules = export.joined(["dom", "packed", "model", "lists", "live", f"boards/{export.FALLBACK}"])
    return "\n".join([modules, export.drawings(boards()), export.inlined(style("wall/wall.js"))])


@cache
def find() -> str:
    """The search through a run, as one JavaScript module without exports."""
    return "\n".join([export.joined(["dom", "lists"]), export.inlined(style("find/find.js"))])


@cache
def sheet() -> str:
    """A table of a view, as one JavaScript module without exports."""
    return "\n".join([export.joined(["dom"]), export.inlined(style("compare/sheet.js"))])


@cache
def fork() -> str:
    """The replay player with every board and the dialog for forks, as one JavaScript module that exports `mount`."""
    return "\n".join([player(), export.joined(["live"]), export.inlined(style("fork/fork.js"))])
