// The chat and the list of events beside the board. Both grow and shrink with the ply; nothing yet to come is shown.

import { capital, el, plain } from "./dom.js";

/** A scrolling list that shows the items up to a ply and makes or drops only those that differ from what it shows. */
export class Growing {
  constructor(element, make, empty) {
    this.element = element;
    this.make = make;
    this.empty = el("li", { class: "pl-empty" }, empty);
    this.items = [];
    this.shown = 0;
    this.element.append(this.empty);
  }

  /** Takes another list of items; what both begin with alike is kept. */
  replace(items, alike) {
    let same = 0;
    while (same < this.shown && same < items.length && alike(this.items[same], items[same])) same += 1;
    this.drop(same);
    this.items = items;
  }

  clear() {
    this.drop(0);
  }

  drop(length) {
    while (this.shown > length) {
      this.element.lastElementChild.remove();
      this.shown -= 1;
    }
  }

  show(ply) {
    const before = this.shown;
    const wanted = upTo(this.items, ply);
    this.drop(wanted);
    while (this.shown < wanted) {
      this.element.append(this.make(this.items[this.shown]));
      this.shown += 1;
    }
    this.empty.hidden = wanted > 0;
    for (const old of this.current ?? []) old.classList.remove("pl-now");
    this.current = [];
    for (let place = wanted - 1; place >= 0 && this.items[place].at === ply; place -= 1) {
      this.current.push(this.element.children[place + 1]);
    }
    for (const node of this.current) node.classList.add("pl-now");
    if (wanted !== before) this.element.scrollTop = this.element.scrollHeight;
  }
}

/** How many of the items, which stand in the order of their plies, are shown at one. */
function upTo(items, ply) {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (items[middle].at <= ply) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The seat's first letter on its colour: the letter tells seats apart where colours do not. */
export function badge(seat) {
  return el("span", { class: "pl-badge", "data-seat": seat, "aria-hidden": "true" }, capital(seat).slice(0, 1));
}

/** One message as a bubble. `go` jumps to a ply. */
export function bubble(item, go) {
  const said = item.message;
  const secret = said.addressee !== "all";
  const to = secret ? capital(said.addressee) : "all";
  const marks = [
    secret && el("span", { class: "pl-mark pl-private" }, "private"),
    said.talk && el("span", { class: "pl-mark" }, "talk round"),
    said.cut && el("span", { class: "pl-mark", title: "Longer than the limit; the rest was left out" }, "cut"),
  ];
  return el(
    "li",
    { class: `pl-said${secret ? " pl-secret" : ""}`, "data-seat": said.sender },
    el(
      "div",
      { class: "pl-said-head" },
      el(
        "div",
        { class: "pl-said-who" },
        badge(said.sender),
        el("strong", {}, capital(said.sender)),
        el("span", { class: "pl-to" }, `to ${to}`),
        marks,
      ),
      plyButton(item.at, go),
    ),
    el("p", { class: "pl-text", dir: "auto" }, said.text),
    said.pledges.map((pledge) => el("p", { class: "pl-pledge" }, pledgeLine(pledge))),
  );
}

function pledgeLine(pledge) {
  const term = `${pledge.turns} turn${pledge.turns === 1 ? "" : "s"}`;
  const condition = pledge.condition ? `, if ${capital(pledge.addressee)} does: ${worded(pledge.condition)}` : "";
  return `Pledge: ${worded(pledge.kind)} → ${capital(pledge.addressee)}, within ${term}${condition}`;
}

function worded(kind) {
  return plain(kind).replaceAll("_", " ");
}

/** One event as a line, with its ply in front of the first of each ply. */
export function eventLine(item, seatOf, go) {
  return el(
    "li",
    { class: "pl-event", "data-kind": item.event.kind, "data-seat": seatOf(item.event) },
    item.first ? plyButton(item.at, go) : el("span", { class: "pl-ply" }),
    el("span", { class: "pl-event-text", dir: "auto" }, item.event.text),
  );
}

function plyButton(ply, go) {
  const label = `Go to ply ${ply}`;
  return el("button", { class: "pl-ply", type: "button", title: label, "aria-label": label, onclick: () => go(ply) }, ply);
}
