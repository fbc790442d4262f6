"""A replay as one HTML file that opens anywhere, without a network: the player, its game's board and the packed log.

The texts of a match reach the file deflated and in base64 alone, so nothing that anybody wrote can be read as markup;
a Content-Security-Policy forbids the page to ask anything of any machine.
"""

from __future__ import annotations

import hashlib
import html
import re
import zlib
from base64 import b64encode
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from harness.packing import head, packed, public, to_text
from harness.prompt import view_text
from harness.records import Json

FALLBACK = "text"
"""The board that shows any game as text; every other file in `boards` is named after its game."""
MODULES = (
    *("dom", "packed", "model", "lists", "moments", "motion", "reveal", "controls", "decision"),
    *("panels", "place", f"boards/{FALLBACK}", "player"),
)
"""The player's modules, each after those that it needs."""

_IMPORT = re.compile(r'^import \{[^}]*\} from "[^"]+";\n', re.MULTILINE)
_PART = re.compile(r'^import .* from "\./parts/(\w+)\.js";$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?function|const|class)", re.MULTILINE)
_COMMENT = re.compile(r"^ *(?://.*|/\*\*(?:.|\n)*?\*/)\n", re.MULTILINE)


def _folder() -> Traversable:
    # The pages are read as data: nothing of them is run here.
    return files("dashboard") / "player"


@cache
def boards() -> tuple[str, ...]:
    """The games that have a drawn board."""
    names = (entry.name for entry in (_folder() / "boards").iterdir())
    return tuple(sorted(name[:-3] for name in names if name.endswith(".js") and name != f"{FALLBACK}.js"))


def source(name: str) -> str:
    """One of the player's files."""
    return _folder().joinpath(*name.split("/")).read_text(encoding="utf-8")


def inlined(text: str) -> str:
    """A module's text without imports, exports and comments, to stand in one scope with those that it imports from."""
    return _COMMENT.sub("", _EXPORT.sub("", _IMPORT.sub("", text)))


def _ascii(script: str) -> str:
    """A script in ASCII alone, which a browser reads faster. Its strings may write any letter as an escape."""
    return re.sub(r"[^\x00-\x7f]", lambda found: f"\\u{{{ord(found[0]):x}}}", script)


def joined(modules: Iterable[str]) -> str:
    """Some of the player's modules in one scope."""
    return "\n".join(inlined(source(f"{name}.js")) for name in modules)


def drawings(games: Iterable[str]) -> str:
    """The boards of some games by name, as the constant `BOARDS`. Each has a scope of its own."""
    drawn = ",\n".join(f'"{game}": (() => {{\n{joined(_drawing(game))}\nreturn board;\n}})()' for game in games)
    return f"const BOARDS = {{\n{drawn}\n}};"


def _drawing(game: str) -> list[str]:
    """The modules of one board: its own parts, then the board."""
    board = f"boards/{game}"
    return [*(f"boards/parts/{part}" for part in _PART.findall(source(f"{board}.js"))), board]


def player(games: Iterable[str]) -> str:
    """The replay player with the boards of some games, as one JavaScript module that exports `mount`."""
    mount = (
        "export function mount(element, replay, options = {}) {\n"
        "  return mountPlayer(element, replay, { boards: BOARDS, ...options });\n}\n"
    )
    return "\n".join([joined(MODULES), drawings(games), mount])


def as_shown(replay: Json) -> Json:
    """The packed replay as the player takes it; of a game without a drawn board, with every position's text."""
    game = replay["match"]["game"]
    if game not in boards():
        replay = {**replay, "view_texts": [view_text(game, {**view, "you": None}) for view in replay["views"]]}
    return packed(replay)


def page(replay: Json, *, everybody: bool = False) -> str:
    """The HTML file of a replay that `harness.replay.build` made with its prompts.

    For `everybody`, prompts, replies, reasoning, thoughts and notes are left out. Private messages stay: the file of a
    match that is not over must not be given to its players.
    """
    shown = as_shown(public(replay) if everybody else replay)
    details = shown.pop("details")
    blocks = {"replay": shown} if everybody else {"replay": shown, "details": details}
    game = replay["match"]["game"]
    modules = player([game] if game in boards() else []) + source("standalone.js")
    # One scope of its own, run where it stands: before the browser has read the blocks that follow.
    script = _ascii(f"(() => {{\n{inlined(modules)}\n}})();")
    digest = b64encode(hashlib.sha256(script.encode()).digest()).decode()
    title = f"{replay['match']['title']} · match {replay['match']['id']} · Parley"
    values = {
        "hash": f"sha256-{digest}",
        "title": html.escape(title).encode("ascii", "xmlcharrefreplace").decode(),
        "style": source("colours.css") + source("player.css"),
        # Not packed, so that it can be shown before the rest is there. JSON may write any letter as an escape.
        "head": to_text(head(shown)).replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"),
        "data": "\n".join(_block(name, value) for name, value in blocks.items()),
        "script": script,
    }
    return re.sub(r"\{(\w+)\}", lambda found: values.get(found[1], found[0]), source("page.html"))


def _block(name: str, value: Any) -> str:
    """A data block: base64 has no letter that could end it."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    data = deflate.compress(to_text(value).encode()) + deflate.flush()
    return f'<script type="application/octet-stream" id="{name}">{b64encode(data).decode()}</script>'
