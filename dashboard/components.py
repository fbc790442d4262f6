"""The pages' two browser parts as Streamlit components. Both run on the page itself: no frame, no request."""

from __future__ import annotations

import streamlit as st

from dashboard.bundle import player, runs, style, wall

_PLAYER = """
const mounted = new WeakMap();

export default function ({ data, parentElement }) {
  const old = mounted.get(parentElement);
  if (old && old.data === data) {
    old.player.retheme();
  } else if (old) {
    old.data = data;
    old.player.update(JSON.parse(data));
  } else {
    let timer = null;
    const addressOf = (...place) => {
      const address = new URL(location.href);
      writePlace(address.searchParams, ...place);
      return address;
    };
    const onMove = (...place) => {
      clearTimeout(timer);
      timer = setTimeout(() => history.replaceState(history.state, "", addressOf(...place)), 200);
    };
    const link = (...place) => addressOf(...place).href;
    const place = readPlace(new URLSearchParams(location.search));
    const player = mount(parentElement, JSON.parse(data), { ...place, onMove, link });
    mounted.set(parentElement, { data, player, stop: () => clearTimeout(timer) });
  }
  return () => {
    const here = mounted.get(parentElement);
    here?.stop();
    here?.player.destroy();
    mounted.delete(parentElement);
  };
}
"""

_RUNS = """
const mounted = new WeakMap();

export default function ({ data, parentElement, setStateValue }) {
  const old = mounted.get(parentElement);
  if (old) {
    old.send = setStateValue;
    old.list.update(JSON.parse(data));
  } else {
    const here = { send: setStateValue };
    here.list = new RunList(parentElement, JSON.parse(data), (query) => here.send("query", query));
    mounted.set(parentElement, here);
  }
  return () => {
    mounted.get(parentElement)?.list.destroy();
    mounted.delete(parentElement);
  };
}
"""

replay_player = st.components.v2.component("parley_player", css=style("player/player.css"), js=player() + _PLAYER)
"""Shows a replay: `data` is its JSON as text. The page's address holds the ply and whose eyes."""

run_list = st.components.v2.component("parley_runs", css=style("runs/runs.css"), js=runs() + _RUNS)
"""Shows the runs and matches of `dashboard.data.listing`, as text; its state `query` is what the reader looks at."""

_WALL = """
const mounted = new WeakMap();

async function fetchWall(query) {
  const answer = await fetch(`./live/wall?${new URLSearchParams(query)}`);
  return answer.json();
}

export default function ({ parentElement }) {
  if (mounted.has(parentElement)) return;
  mounted.set(parentElement, new Wall(parentElement, { boards: BOARDS, fetchWall }));
  return () => {
    mounted.get(parentElement)?.destroy();
    mounted.delete(parentElement);
  };
}
"""

live_wall = st.components.v2.component(
    "parley_wall", css=style("player/player.css") + style("wall/wall.css"), js=wall() + _WALL
)
"""Shows the matches that are being played. It fetches them itself from `dashboard.server`."""
