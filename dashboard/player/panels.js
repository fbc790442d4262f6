// What stands around the board: what was said, what happened, what was pledged, how a decision came about, what was hidden.

import { el } from "./dom.js";
import { decisionKey, decisionView, pendingView } from "./decision.js";
import { Growing, bubble, eventLine, pledgeItem, pledgeItems } from "./lists.js";
import { SPECTATOR } from "./model.js";
import { revealView } from "./reveal.js";

/** `board` is the game's drawing, `go` jumps to a ply. `side`, `reveal`, `drawer` and `pending` are its elements. */
export class Panels {
  constructor(board, go) {
    this.board = board;
    this.go = go;
    const list = (name, label) => el("ol", { class: `pl-list pl-${name}`, tabindex: "0", "aria-label": label });
    const seatOf = (event) => event.seat ?? event.mover ?? null;
    this.chat = new Growing(list("chat", "Messages"), (item) => bubble(item, go), "Nobody has spoken yet.");
    this.events = new Growing(list("events", "Events"), (item) => eventLine(item, seatOf, go), "Nothing that these eyes may see has happened yet.");
    this.pledges = new Growing(list("pledges", "Pledges"), (item) => pledgeItem(item, go), "Nobody has pledged anything yet.");
    this.lists = [this.chat, this.events, this.pledges];
    this.pledgePanel = el("section", { class: "pl-panel" }, el("h3", {}, "Pledges"), this.pledges.element);
    this.side = el(
      "aside",
      { class: "pl-side" },
      el("section", { class: "pl-panel" }, el("h3", {}, "Table talk"), this.chat.element),
      el("section", { class: "pl-panel" }, el("h3", {}, "Events"), this.events.element),
      this.pledgePanel,
    );
    this.drawerHead = el("summary", { class: "pl-drawer-head" });
    this.drawerBody = el("div", { class: "pl-drawer-body" });
    this.drawer = el("details", { class: "pl-drawer", ontoggle: () => this.showDecision() }, this.drawerHead, this.drawerBody);
    this.pending = el("div", { class: "pl-pending" });
    this.reveal = el("section", { class: "pl-reveal", "aria-label": "After the game", hidden: true });
  }

  /** Through other eyes, every list begins anew. */
  clear() {
    for (const list of this.lists) list.clear();
  }

  /** Takes what a reader may know of a replay; of one that has gone on, what it begins with alike is kept. */
  fill(model, reader) {
    const { events, messages } = model.visible(reader);
    const pledges = pledgeItems(messages, model.over ? model.last : null);
    this.chat.replace(messages, (one, other) => one.key === other.key && one.at === other.at);
    this.events.replace(events, (one, other) => one.key === other.key);
    this.pledges.replace(pledges, (one, other) => one.key === other.key && one.at === other.at);
    this.pledgePanel.hidden = !pledges.length;
    this.side.classList.toggle("pl-silent", !model.messages.length);
  }

  show(model, ply, reader) {
    Object.assign(this, { model, ply, reader });
    for (const list of this.lists) list.show(ply);
    this.showDecision();
    this.showReveal();
  }

  showDecision() {
    const { model, ply, reader, drawer } = this;
    if (!model.frame(ply)) return;
    const shown = decisionKey(model, ply, reader, drawer.open);
    if (shown !== this.decisionShown) {
      this.decisionShown = shown;
      const { head, body } = decisionView(model, ply, reader, drawer.open);
      this.drawerHead.replaceChildren(...head.flat().filter(Boolean));
      this.drawerBody.replaceChildren(...(drawer.open ? body.flat().filter(Boolean) : []));
    }
    const waiting = ply === model.last ? pendingView(model, reader).flat() : [];
    this.pending.replaceChildren(...waiting);
    if (drawer.open || waiting.length) this.fetch();
  }

  /** After the game, and to whoever may see it all: what was hidden. */
  showReveal() {
    const { model } = this;
    const shown = model.over && this.ply === model.last && this.reader === SPECTATOR;
    if (shown) this.fetch();
    const parts = shown ? revealView(model, this.board, this.go) : [];
    this.reveal.hidden = !parts.length;
    this.reveal.replaceChildren(...parts);
  }

  /** Has the details brought; what waits for them is shown again when they are here. */
  async fetch() {
    const { model } = this;
    if (model.whole || !model.load) return;
    await model.loadDetails();
    if (model !== this.model || !this.drawer.isConnected) return;
    this.showDecision();
    this.showReveal();
  }
}
