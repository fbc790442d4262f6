"""Puts the browser's modules together into one, so that a page needs no second request and no build step."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent
PLAYER = HERE / "player"
BOARDS = PLAYER / "boards"
FALLBACK = "text"
"""The board that shows any game as text; every other file in `boards` is named after its game."""

_IMPORT = re.compile(r'^import \{[^}]*\} from "[^"]+";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?function|const|class)", re.MULTILINE)


def boards() -> tuple[str, ...]:
    """The games that have a drawn board."""
    return tuple(sorted(path.stem for path in BOARDS.glob("*.js") if path.stem != FALLBACK))


def inlined(path: Path) -> str:
    """A module's text without its imports and exports, to stand in one scope with those that it imports from."""
    return _EXPORT.sub("", _IMPORT.sub("", path.read_text(encoding="utf-8")))


@cache
def player() -> str:
    """The replay player with every board, as one JavaScript module that exports `mount`."""
    parts = [inlined(PLAYER / name) for name in ("dom.js", "model.js", "lists.js", "decision.js")]
    parts.append(inlined(BOARDS / f"{FALLBACK}.js"))
    parts.append(inlined(PLAYER / "player.js"))
    drawn = ",\n".join(
        f'"{game}": (() => {{\n{inlined(BOARDS / f"{game}.js")}\nreturn board;\n}})()' for game in boards()
    )
    parts.append(f"const BOARDS = {{\n{drawn}\n}};")
    parts.append(
        "export function mount(element, replay, options = {}) {\n"
        "  return mountPlayer(element, replay, { boards: BOARDS, ...options });\n}\n"
    )
    return "\n".join(parts)


@cache
def style(name: str) -> str:
    """A style sheet by its path from this folder."""
    return (HERE / name).read_text(encoding="utf-8")


@cache
def runs() -> str:
    """The list of runs and matches, as one JavaScript module without exports."""
    return "\n".join([inlined(PLAYER / "dom.js"), inlined(HERE / "runs" / "runs.js")])
