"""The runs and their matches, as they stand now."""

from __future__ import annotations

from html import escape

import streamlit as st

from dashboard.components import run_list
from dashboard.data import SHOWN, Query, exactly, listing_text, open_store, run_of
from dashboard.help import line, no_database, no_runs
from dashboard.unread import missing, of_matches, of_runs, told
from harness.reply import clean
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
        store = open_store()
        every = store.runs()
        asked_for = run_of(every, query)
        query, unknown = of_matches(store, asked_for or every[-1], query) if every else (query, [])
        shown = listing_text(store, query)
    except StoreError as error:
        no_database(error)
        return
    if shown is None:
        no_runs()
        return
    unread = of_runs(st.query_params.to_dict())
    if unread:
        line(told(unread))
    if unknown:
        line(missing(unknown))
    named = query.name or ("" if query.run is None else str(query.run))
    if named and asked_for is None:
        line(f"There is no run {clean(named)[:SHOWN]!r} in this database. Shown is the newest.")
    only, run = exactly(query), "" if asked_for is None else f"run={asked_for.id}"
    if only:
        whole = f'<a href="./?{run}" target="_self">Show all matches</a>'
        st.html(f'<p class="parley-only">Only matches {escape(only)}. {whole}</p>')
    run_list(key=KEY, data=shown, on_query_change=lambda: None)
    compared = f"./?page=leaderboard&amp;{run}"
    st.html(f'<a class="parley-more" href="{compared}" target="_self">Compare the players of this run</a>')


runs()
