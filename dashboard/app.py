"""Parley's dashboard: `parley dashboard` serves it on loopback. It only reads.

Every address is one of `/`: `?match=12&ply=7` is a replay, `?page=NAME` the page of that name, nothing the runs. So
each can be written down, sent and loaded again. A page is a file in `pages`; it is found by its name.
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
st.html(HERE / "app.css")
names = {path.stem: path for path in sorted((HERE / "pages").glob("*.py"))}
wanted = WATCHED if "match" in st.query_params else st.query_params.get("page", FIRST)
shown = wanted if wanted in names else FIRST
links = "".join(link(name, current=name == shown) for name in sorted(names, key=lambda name: name != FIRST))
st.html(f'<nav class="parley-nav" aria-label="Pages"><strong>Parley</strong>{links}</nav>')
st.navigation([st.Page(names[shown], title=f"Parley · {shown.capitalize()}", default=True)], position="hidden").run()
