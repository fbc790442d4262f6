"""What is around every page of the dashboard. It only reads.

Every address is one of `/`: `?match=12&ply=7` is a replay, `?page=NAME` the page of that name, nothing the runs. So
each can be written down, sent and loaded again. A page is a file in `dashboard/pages`; it is found by its name, and its
`PLACE` says where it stands in the bar: a group, and its place there.

This script does not stand beside that folder: Streamlit takes a folder `pages` beside the script for pages of its own
making, and shows one without this frame to whoever was connected when the server was started anew.
"""

from __future__ import annotations

import ast
from functools import lru_cache
from html import escape
from itertools import groupby
from pathlib import Path
from urllib.parse import urlencode

import streamlit as st

HERE = Path(__file__).parent
FIRST = "runs"
# The page of one match is reached from the matches, so its entry stands in the bar only while it is shown.
WATCHED = "replay"
GROUPS = ("Watch", "Compare")
# What of the address goes along to every page of a group: who looks at a run looks at it from all sides.
KEPT = {"Watch": ("run",), "Compare": ("run", "game", "set", "player", "pool")}


@lru_cache(maxsize=64)
def place(file: Path, _written: int) -> tuple[str, int]:
    """Where a page stands in the bar: what its `PLACE` says. It is read, not run."""
    for line in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(line, ast.Assign) and [one.id for one in line.targets if isinstance(one, ast.Name)] == ["PLACE"]:
            group, number = ast.literal_eval(line.value)
            return str(group), int(number)
    return GROUPS[0], len(GROUPS)


def title(name: str) -> str:
    """A page's name as it is shown."""
    return name.replace("_", " ").capitalize()


def link(name: str, group: str, *, current: bool) -> str:
    """A page's entry in the bar. What it keeps of the address is made harmless."""
    kept = [(key, value) for key in KEPT.get(group, ()) for value in st.query_params.get_all(key)]
    asked = urlencode([*([] if name == FIRST else [("page", name)]), *kept], errors="replace")
    mark = ' aria-current="page"' if current else ""
    return f'<a href="./{escape("?" + asked if asked else "")}" target="_self"{mark}>{escape(title(name))}</a>'


def bar(pages: dict[str, Path], shown: str) -> str:
    """All pages, group by group."""
    places = {name: place(file, file.stat().st_mtime_ns) for name, file in pages.items()}
    listed = [name for name in pages if name != WATCHED or name == shown]
    order = {group: number for number, group in enumerate(GROUPS)}
    listed.sort(key=lambda name: (order.get(places[name][0], len(order)), places[name][0], places[name][1], name))
    groups = []
    for group, names in groupby(listed, key=lambda name: places[name][0]):
        links = "".join(link(name, group, current=name == shown) for name in names)
        groups.append(
            f'<span class="parley-group" role="group" aria-label="{escape(group)}" '
            f'data-keeps="{" ".join(KEPT.get(group, ()))}">{links}</span>'
        )
    return f'<nav class="parley-nav" aria-label="Pages"><strong>Parley</strong>{"".join(groups)}</nav>'


st.set_page_config(page_icon=HERE / "icon.svg", layout="wide", initial_sidebar_state="collapsed")
st.html(HERE / "frame.css")
names = {path.stem: path for path in sorted((HERE.parent / "pages").glob("*.py"))}
wanted = WATCHED if "match" in st.query_params else st.query_params.get("page", FIRST)
shown = wanted if wanted in names else FIRST
st.html(bar(names, shown))
# In a box that takes no room: an element that shows nothing has a gap below it too.
with st.container(key="parley-script"):
    st.html(f"<script>{(HERE / 'frame.js').read_text(encoding='utf-8')}</script>", unsafe_allow_javascript=True)
st.navigation([st.Page(names[shown], title=f"Parley · {title(shown)}", default=True)], position="hidden").run()
