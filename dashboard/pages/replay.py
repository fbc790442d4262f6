"""One match, ply by ply: `?match=12&ply=7`."""

from __future__ import annotations

import json

import streamlit as st

from dashboard.components import replay_player
from dashboard.data import about, match_number, open_store
from dashboard.help import line, no_database
from harness.store import StoreError


def show(match_id: int) -> None:
    """The player, which fetches the match, and while it goes on what is new of it, from `dashboard.app`."""
    try:
        store = open_store()
        found = store.match(match_id)
    except StoreError as error:
        no_database(error)
        return
    if found is None:
        line(f"There is no match {match_id} in this database. Choose one on the page Runs.")
        return
    replay_player(key=f"replay-{match_id}", data=json.dumps(about(store, found)))
    st.html(f'<a class="parley-more" href="./?page=find&amp;run={found.run_id}" target="_self">Find in this run</a>')


wanted = st.query_params.get("match")
number = match_number(wanted)
if wanted is None:
    line("Choose a match on the page Runs to see its replay.")
elif number is None:
    line("The address names no match: its number comes after match=, as in ?match=12.")
else:
    show(number)
