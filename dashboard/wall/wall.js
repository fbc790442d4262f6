// The wall: several matches at once while they are played. It asks for what is new by itself, about once a second.

import { capital, el, followTheme, plain, plural, shorten } from "../player/dom.js";
import { rest } from "../player/live.js";
import { badge } from "../player/lists.js";
import { Model, SPECTATOR } from "../player/model.js";
import { textBoard } from "../player/boards/text.js";

const SIZES = [2, 4, 6, 8];
const SAID = 140;
/** A board this wide has room for its wide form. */
const WIDE = 540;

/** `fetchWall(query)` gives the wall's JSON; `boards` are the drawings of games by name. */
class Wall {
  constructor(element, { boards, fetchWall }) {
    this.boards = boards;
    this.fetchWall = fetchWall;
    this.cells = new Map();
    this.shown = [];
    const asked = new URLSearchParams(location.search);
    const size = Number(asked.get("size"));
    this.size = SIZES.includes(size) ? size : 4;
    this.run = asked.get("run") ?? "";
    this.build();
    element.append(this.root);
    followTheme(this.root);
    this.onVisible = () => document.hidden || this.soon(0);
    document.addEventListener("visibilitychange", this.onVisible);
    this.soon(0);
  }

  build() {
    this.sizes = SIZES.map((size) => el("button", { type: "button", class: "wl-size", "data-size": size, onclick: () => this.ask({ size }) }, size));
    this.runBox = el("select", { class: "wl-run", "aria-label": "Run", onchange: () => this.ask({ run: this.runBox.value }) });
    this.counts = el("p", { class: "wl-counts", role: "status" });
    this.fault = el("p", { class: "pl-halt wl-fault", role: "alert", dir: "auto", hidden: true });
    this.note = el("p", { class: "pl-halt wl-note", role: "note", dir: "auto", hidden: true });
    this.grid = el("ul", { class: "wl-grid" });
    this.none = el("div", { class: "wl-none", hidden: true }, el("p", {}, "No match is being played now."), el("p", {}, "Start a run, as with ", el("code", {}, "parley run runs/bots.yaml"), ": its boards appear here by themselves."));
    this.others = el("p", { class: "wl-others" });
    this.more = el("section", { class: "wl-more", "aria-label": "Also being played", hidden: true }, el("h3", {}, "Also being played"), this.others);
    this.root = el(
      "div",
      { class: "pl wl", role: "region", "aria-label": "Matches being played" },
      el("style", {}, Object.values(this.boards).map((board) => board.style ?? "").join("\n")),
      el(
        "header",
        { class: "wl-head" },
        el("h1", {}, "Live"),
        this.counts,
        el("div", { class: "wl-tools" }, this.runBox, el("div", { class: "wl-sizes", role: "group", "aria-label": "Boards at once" }, this.sizes)),
      ),
      this.fault,
      this.note,
      this.none,
      this.grid,
      this.more,
    );
    this.showChoice();
  }

  destroy() {
    clearTimeout(this.timer);
    this.gone = true;
    document.removeEventListener("visibilitychange", this.onVisible);
    this.root.remove();
  }

  ask(change) {
    Object.assign(this, change);
    this.note.hidden = true;
    const address = new URL(location.href);
    address.searchParams.set("size", this.size);
    if (this.run) address.searchParams.set("run", this.run);
    else address.searchParams.delete("run");
    history.replaceState(history.state, "", address);
    this.showChoice();
    this.soon(0);
  }

  showChoice() {
    for (const button of this.sizes) button.setAttribute("aria-pressed", Number(button.dataset.size) === this.size);
    this.grid.dataset.size = this.size;
  }

  soon(wait) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.look(), wait);
  }

  async look() {
    const asking = (this.asking = Symbol("look"));
    const begun = performance.now();
    const have = [...this.cells].map(([id, cell]) => `${id}:${cell.mark}`).join(",");
    let found = null;
    try {
      found = await this.fetchWall({ size: this.size, run: this.run, shown: this.shown.join(","), have });
    } catch {
      found = { fault: "The dashboard does not answer. Is it still running? Trying again." };
    }
    // Another look was begun meanwhile, or the wall is gone: its answer is the one that counts.
    if (this.gone || asking !== this.asking) return;
    this.fault.hidden = !found.fault;
    this.fault.textContent = plain(found.fault ?? "");
    if (!found.fault) this.show(found);
    if (!document.hidden) this.soon(rest(begun));
  }

  show(found) {
    followTheme(this.root);
    if (found.unknown) {
      this.note.hidden = false;
      this.note.textContent = plain(`There is no run ${found.unknown} in this database. Shown are all runs.`);
    }
    // A run may be asked for by its name; from here on it goes by its number.
    this.run = found.run === null ? "" : String(found.run);
    this.counts.textContent = found.playing ? `${plural(found.playing, "match", "matches")} being played` : "";
    this.showRuns(found.runs);
    this.shown = found.cells.map((cell) => cell.id);
    this.none.hidden = found.cells.length > 0;
    for (const [id, cell] of this.cells) {
      if (!this.shown.includes(id)) {
        cell.destroy();
        this.cells.delete(id);
      }
    }
    for (const [place, data] of found.cells.entries()) {
      if (!this.cells.has(data.id)) this.cells.set(data.id, new Cell(this.boards));
      const cell = this.cells.get(data.id);
      cell.update(data);
      if (this.grid.children[place] !== cell.root) this.grid.insertBefore(cell.root, this.grid.children[place] ?? null);
    }
    this.more.hidden = found.others.length === 0;
    this.others.replaceChildren(...found.others.map((match) => el("a", { href: watching(match.id), target: "_self" }, `#${match.id} ${match.title}, ply ${match.plies}`)));
  }

  showRuns(runs) {
    const text = JSON.stringify([runs, this.run]);
    if (text === this.runsShown) return;
    this.runsShown = text;
    const gone = this.run && !runs.some((run) => String(run.id) === this.run);
    this.runBox.replaceChildren(
      el("option", { value: "" }, "All runs"),
      ...runs.map((run) => el("option", { value: run.id }, `${run.name} (${run.playing})`)),
      ...(gone ? [el("option", { value: this.run }, "This run (none)")] : []),
    );
    this.runBox.value = this.run;
  }
}

function watching(id) {
  return `./?match=${id}&ply=end`;
}

/** One board of the wall. */
class Cell {
  constructor(boards) {
    this.boards = boards;
    this.mark = "";
    this.parts = new Map();
    this.title = el("a", { class: "wl-title", target: "_self" });
    this.place = el("span", { class: "wl-place" });
    this.status = el("p", { class: "wl-status" });
    this.stage = el("div", { class: "wl-stage" });
    this.said = el("p", { class: "wl-said" });
    this.result = el("p", { class: "wl-result", role: "status", dir: "auto", hidden: true });
    this.root = el("li", { class: "wl-cell" }, el("div", { class: "wl-cell-head" }, this.title, this.place), this.status, this.stage, this.said, this.result);
  }

  destroy() {
    this.root.remove();
  }

  update(data) {
    if (data.mark === this.mark) return;
    this.mark = data.mark;
    const { match, frame } = data;
    const model = new Model({ match, frames: [], views: [], texts: [], messages: [], turns: [], calls: [] });
    this.title.textContent = plain(`#${match.id} ${match.title}`);
    this.title.href = watching(match.id);
    this.title.title = plain(`${match.run}: ${match.seats.map((seat) => seat.label).join(", ")}. Open it to follow it.`);
    this.root.dataset.status = match.status;
    const board = this.boards[match.game] ?? textBoard;
    this.place.textContent = frame ? `ply ${frame.ply}` : "";
    const ended = model.result(SPECTATOR) ?? (match.status === "running" ? null : model.standing(SPECTATOR));
    this.result.hidden = !ended;
    this.result.textContent = plain(ended ?? "");
    if (data.fault || !frame) {
      this.status.textContent = "";
      this.stage.replaceChildren(el("p", { class: "pl-empty" }, data.fault ? `It cannot be shown: ${data.fault}.` : "It has not begun yet."));
      this.said.replaceChildren();
      return;
    }
    const context = {
      eyes: SPECTATOR,
      narrow: this.stage.clientWidth < WIDE,
      frame,
      events: frame.events,
      label: (seat) => model.label(seat, SPECTATOR),
      outcome: match.outcome,
      text: data.text ?? null,
      kept: { before: this.parts, now: new Map() },
    };
    this.status.textContent = plain(capital(frame.events.at(-1)?.text ?? "") || board.status(data.view, context));
    this.stage.replaceChildren(...(board.style ? [el("style", {}, board.style)] : []), board.draw(data.view, context));
    this.parts = context.kept.now;
    const { message } = data;
    this.said.replaceChildren(
      ...(message ? [badge(message.sender), el("bdi", { class: "wl-words" }, `${message.addressee === "all" ? "" : `to ${message.addressee}, in private: `}${shorten(message.text, SAID)}`)] : []),
    );
  }
}
