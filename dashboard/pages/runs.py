"""The runs and their matches, as they stand now."""

from __future__ import annotations

from html import escape

import streamlit as st

from dashboard.components import run_list
from dashboard.data import Query, exactly, listing_text, open_store
from dashboard.help import no_database, no_runs
from harness.store import StoreError

PLACE = ("Watch", 1)

KEY = "runs"
REFRESH_SECONDS = 2


@st.fragment(run_every=REFRESH_SECONDS)
def runs() -> None:
    """The list. What the reader chose, typed and opened is kept by the page; this only brings what is new."""
    state = st.session_state.get(KEY) or {}
    query = Query.read(state.get("query") or st.query_params.to_dict())
    try:
        shown = listing_text(open_store(), query)
    except StoreError as error:
        no_database(error)
        return
    if shown is None:
        no_runs()
        return
    only, run = exactly(query), "" if query.run is None else f"run={query.run}"
    if only:
        every = f'<a href="./?{run}" target="_self">Show all matches</a>'
        st.html(f'<p class="parley-only">Only matches {escape(only)}. {every}</p>')
    run_list(key=KEY, data=shown, on_query_change=lambda: None)
    compared = f"./?page=leaderboard&amp;{run}"
    st.html(f'<a class="parley-more" href="{compared}" target="_self">Compare the players of this run</a>')


runs()
