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
    const wanted = new URLSearchParams(location.search);
    const ply = wanted.has("ply") ? Number(wanted.get("ply")) : 0;
    let timer = null;
    const onMove = (at, eyes) => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        const address = new URL(location.href);
        address.searchParams.set("ply", at);
        if (eyes === "spectator") address.searchParams.delete("eyes");
        else address.searchParams.set("eyes", eyes);
        history.replaceState(history.state, "", address);
      }, 200);
    };
    const player = mount(parentElement, JSON.parse(data), { ply, eyes: wanted.get("eyes"), onMove });
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
