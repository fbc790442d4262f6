"""The lines shown where there is nothing to show yet."""

from __future__ import annotations

import streamlit as st

from dashboard.data import missing
from harness.store import StoreError


def line(text: str) -> None:
    """A quiet line. What a file or a database said may be in it: it is no markup, and need not be valid Unicode."""
    with st.container(border=True):
        st.text(text.encode("utf-8", "backslashreplace").decode())


def no_database(error: StoreError) -> None:
    """There is no database to read, or it cannot be read."""
    line(f"{error}")
    if missing():
        _how_to_begin()


def no_runs() -> None:
    """The database holds no run yet."""
    line("No run yet.")
    _how_to_begin()


def _how_to_begin() -> None:
    st.markdown("`parley run runs/bots.yaml` plays a first tournament in seconds; this page shows it as it goes.")
