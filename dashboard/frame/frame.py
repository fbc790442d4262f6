"""What is around every page of the dashboard. It only reads.

Every address is one of `/`: `?match=12&ply=7` is a replay, `?page=NAME` the page of that name, nothing the runs. So
each can be written down, sent and loaded again. A page is a file in `dashboard/pages`; it is found by its name.

This script does not stand beside that folder: Streamlit takes a folder `pages` beside the script for pages of its own
making, and shows one without this frame to whoever was connected when the server was started anew.
"""

from __future__ import annotations

from pathlib import Path

import streamlit as st

HERE = Path(__file__).parent
FIRST = "runs"
# The page of one match is reached from the matches, so its entry stands in the bar only while it is shown.
WATCHED = "replay"


def link(name: str, *, current: bool) -> str:
    """A page's entry in the bar. Names are those of files of ours: nothing from the address gets into the markup."""
    if name == WATCHED and not current:
        return ""
    where = "./" if name == FIRST else f"./?page={name}"
    mark = ' aria-current="page"' if current else ""
    return f'<a href="{where}" target="_self"{mark}>{name.replace("_", " ").capitalize()}</a>'


st.set_page_config(page_icon=HERE / "icon.svg", layout="wide", initial_sidebar_state="collapsed")
st.html(HERE / "frame.css")
names = {path.stem: path for path in sorted((HERE.parent / "pages").glob("*.py"))}
wanted = WATCHED if "match" in st.query_params else st.query_params.get("page", FIRST)
shown = wanted if wanted in names else FIRST
links = "".join(link(name, current=name == shown) for name in sorted(names, key=lambda name: name != FIRST))
st.html(f'<nav class="parley-nav" aria-label="Pages"><strong>Parley</strong>{links}</nav>')
st.navigation([st.Page(names[shown], title=f"Parley · {shown.capitalize()}", default=True)], position="hidden").run()
