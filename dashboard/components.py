"""The pages' browser parts as Streamlit components. They run on the page itself, in no frame."""

from __future__ import annotations

import streamlit as st

from dashboard.bundle import find, fork, runs, style, wall

COLOURS = "player/colours.css"
_PLAYER = """
const mounted = new WeakMap();

class Followed {
  constructor(parent, about) {
    this.about = about;
    this.match = about.match;
    this.parent = parent;
    this.line = el("p", { class: "parley-line", role: "status" }, "Loading…");
    parent.append(this.line);
    this.onVisible = () => document.hidden || this.ended || this.soon(0);
    document.addEventListener("visibilitychange", this.onVisible);
    this.look();
  }

  soon(wait) {
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.look(), wait);
  }

  async ask(rest = "") {
    return (await fetch(`./live/match/${this.match}${rest}`)).json();
  }

  async look() {
    const asking = (this.asking = Symbol("look"));
    const begun = performance.now();
    let found = null;
    try {
      found = await this.ask(`?have=${this.mark ?? ""}`);
    } catch {
      found = { fault: "the dashboard does not answer. Is it still running? Trying again" };
    }
    if (this.gone || asking !== this.asking) return;
    this.line.hidden = !found.fault;
    this.line.textContent = found.fault ? plain(`Match ${this.match} cannot be shown: ${found.fault}.`) : "";
    if (found.replay) this.show(found.replay);
    this.mark = found.mark ?? this.mark;
    this.ended = Boolean(found.ended);
    if (!this.ended && !document.hidden) this.soon(rest(begun));
  }

  show(replay) {
    if (this.player) return this.player.update(replay);
    const addressOf = (...place) => {
      const address = new URL(location.href);
      writePlace(address.searchParams, ...place);
      return address;
    };
    const onMove = (...place) => {
      clearTimeout(this.writing);
      this.writing = setTimeout(() => history.replaceState(history.state, "", addressOf(...place)), 200);
    };
    const link = (...place) => addressOf(...place).href;
    const details = () => this.ask("/details");
    const place = readPlace(new URLSearchParams(location.search));
    this.fork = new ForkDialog(this.parent, this.about);
    const playOn = (ply) => this.fork.open(ply, replay.match.seats);
    this.player = mount(this.parent, replay, { ...place, onMove, link, details, playOn });
  }

  destroy() {
    this.gone = true;
    clearTimeout(this.waiting);
    clearTimeout(this.writing);
    document.removeEventListener("visibilitychange", this.onVisible);
    this.player?.destroy();
    this.fork?.destroy();
    this.line.remove();
  }
}

export default function ({ data, parentElement }) {
  const old = mounted.get(parentElement);
  if (old) old.player?.retheme();
  else mounted.set(parentElement, new Followed(parentElement, JSON.parse(data)));
  return () => {
    mounted.get(parentElement)?.destroy();
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

replay_player = st.components.v2.component(
    "parley_player", css=style(COLOURS, "player/player.css", "fork/fork.css"), js=fork() + _PLAYER
)
"""Shows a match, and while it goes on what is new of it; `data` is `dashboard.data.about` as text. The page's address
holds the ply and whose eyes."""

run_list = st.components.v2.component("parley_runs", css=style(COLOURS, "runs/runs.css"), js=runs() + _RUNS)
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
    "parley_wall", css=style(COLOURS, "player/player.css", "wall/wall.css"), js=wall() + _WALL
)
"""Shows the matches that are being played. It fetches them itself from `dashboard.app`."""

_FIND = """
const mounted = new WeakMap();

async function fetchFound(path, query, signal) {
  const answer = await fetch(`./find/${path}?${new URLSearchParams(query)}`, { signal });
  return answer.json();
}

export default function ({ parentElement }) {
  if (mounted.has(parentElement)) return;
  mounted.set(parentElement, new Find(parentElement, fetchFound));
  return () => {
    mounted.get(parentElement)?.destroy();
    mounted.delete(parentElement);
  };
}
"""

find_page = st.components.v2.component(
    "parley_find", css=style(COLOURS, "player/player.css", "find/find.css"), js=find() + _FIND
)
"""Searches a run. What there is to choose and what is found it fetches itself from `dashboard.app`."""
