// The chat and the list of events beside the board. Both grow and shrink with the ply; nothing yet to come is shown.

import { capital, el, initial, plain, plural } from "./dom.js";

const LIMIT = 150;
const VERDICTS = { kept: ["✓", "kept"], broken: ["✗", "broken"], untested: ["–", "never tested"], void: ["∅", "void"] };

/**
 * A scrolling list of the items up to a ply. Only the last of them are made (more at a press), and of those only the ones
 * that differ from what is there: a step costs the same in a long match as in a short one.
 */
export class Growing {
  constructor(element, make, empty) {
    this.element = element;
    this.make = make;
    this.limit = LIMIT;
    this.items = [];
    this.nodes = [];
    this.from = 0;
    this.current = [];
    this.empty = el("li", { class: "pl-empty" }, empty);
    const press = () => this.more();
    this.earlier = el("li", { class: "pl-earlier", hidden: true }, el("button", { type: "button", onclick: press }, "Show earlier ones"));
    this.element.append(this.empty, this.earlier);
  }

  /** Takes another list of items; what both begin with alike is kept. */
  replace(items, alike) {
    const end = this.from + this.nodes.length;
    let same = 0;
    while (same < end && same < items.length && alike(this.items[same], items[same])) same += 1;
    this.keep(this.from, same);
    this.items = items;
  }

  clear() {
    this.keep(0, 0);
    this.from = 0;
  }

  /** Drops the nodes of all items outside of a range. */
  keep(start, end) {
    while (this.nodes.length && this.from + this.nodes.length > end) this.nodes.pop().remove();
    while (this.nodes.length && this.from < start) {
      this.nodes.shift().remove();
      this.from += 1;
    }
  }

  more() {
    this.limit *= 4;
    this.show(this.ply);
  }

  show(ply) {
    const end = upTo(this.items, ply);
    const start = Math.max(0, end - this.limit);
    const before = this.from + this.nodes.length;
    this.keep(start, end);
    if (!this.nodes.length) this.from = start;
    while (this.from > start) {
      this.from -= 1;
      const node = this.make(this.items[this.from]);
      this.earlier.after(node);
      this.nodes.unshift(node);
    }
    while (this.from + this.nodes.length < end) {
      const node = this.make(this.items[this.from + this.nodes.length]);
      this.element.append(node);
      this.nodes.push(node);
    }
    this.empty.hidden = end > 0;
    this.earlier.hidden = start === 0;
    for (const node of this.current) node.classList.remove("pl-now");
    this.current = this.nodes.filter((_, place) => this.items[this.from + place].at === ply);
    for (const node of this.current) node.classList.add("pl-now");
    // Together with the page's own next layout, which measuring at once would bring forward. The first one is the
    // player's, which watches the list's size.
    if (end !== before && this.ply !== undefined) requestAnimationFrame(() => (this.element.scrollTop = this.element.scrollHeight));
    this.ply = ply;
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
  return el("span", { class: "pl-badge", "data-seat": seat, "aria-hidden": "true" }, initial(seat));
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
    (said.pledges ?? []).map((pledge) => el("p", { class: "pl-pledge" }, `Pledge: ${pledgeLine(pledge)}`)),
  );
}

/** What was promised, to whom, and until when. */
function pledgeLine(pledge) {
  const condition = pledge.condition ? `, if ${capital(pledge.addressee)} does: ${worded(pledge.condition)}` : "";
  return `${worded(pledge.kind)} → ${capital(pledge.addressee)}, within ${plural(pledge.turns, "turn")}${condition}`;
}

function worded(kind) {
  return plain(kind).replaceAll("_", " ");
}

/**
 * The list of pledges: each where it was made, and again where it was judged; nothing is told before its time. `last` is
 * the ply at which those that nothing put to the test are told of, or null while the match goes on.
 */
export function pledgeItems(messages, last) {
  const made = messages.flatMap(({ key, at, message }) => (message.pledges ?? []).map((pledge, place) => ({ key: `${key}.${place}`, at, message, pledge })));
  const judged = made
    .map((item) => ({ ...item, key: `${item.key}.${item.pledge.verdict}`, at: item.pledge.verdict_ply ?? last, verdict: item.pledge.verdict }))
    .filter((item) => item.verdict && item.at !== null);
  return [...made, ...judged].sort((one, other) => one.at - other.at);
}

/** One line of the list of pledges. */
export function pledgeItem({ at, message, pledge, verdict }, go) {
  const [sign, word] = VERDICTS[verdict] ?? [];
  return el(
    "li",
    { class: "pl-pledged", "data-verdict": verdict ?? "made" },
    plyButton(at, go),
    el(
      "span",
      { class: "pl-event-text" },
      badge(message.sender),
      el("strong", {}, ` ${capital(message.sender)} `),
      pledgeLine(pledge),
      word && el("span", { class: `pl-mark pl-verdict pl-${verdict}` }, `${sign} ${word}`),
    ),
  );
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

export function plyButton(ply, go) {
  const label = `Go to ply ${ply}`;
  return el("button", { class: "pl-ply", type: "button", title: label, "aria-label": label, onclick: () => go(ply) }, ply);
}
