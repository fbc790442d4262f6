"""One match, ply by ply: `?match=12&ply=7`."""

from __future__ import annotations

import streamlit as st

from dashboard.components import replay_player
from dashboard.data import match_number, open_store, replay
from dashboard.help import line, no_database
from harness.replay import BrokenLog
from harness.store import StoreError

REFRESH_SECONDS = 2


def follow(match_id: int) -> None:
    """The player; of a match that goes on, with what has been played since."""
    try:
        found = replay(open_store(), match_id)
    except StoreError as error:
        no_database(error)
        return
    except BrokenLog as error:
        line(f"Match {match_id} cannot be shown: its log cannot be re-executed ({error}).")
        return
    except KeyError as error:
        line(f"Match {match_id} cannot be shown: the game {error} is not installed here.")
        return
    if found is None:
        line(f"There is no match {match_id} in this database. Choose one on the page Runs.")
        return
    replay_player(key=f"replay-{match_id}", data=found.json)


wanted = st.query_params.get("match")
number = match_number(wanted)
if wanted is None:
    line("Choose a match on the page Runs to see its replay.")
elif number is None:
    line("The address names no match: its number comes after match=, as in ?match=12.")
else:
    going_on = True
    try:
        found = open_store().match(number)
        going_on = found is not None and found.status not in ("finished", "void")
    except StoreError:
        pass
    st.fragment(follow, run_every=REFRESH_SECONDS if going_on else None)(number)
