// The controls of the player: transport, moments, eyes. They hold no state but what they show.

import { el, icon, svg } from "./dom.js";
import { badge } from "./lists.js";
import { SPECTATOR } from "./model.js";

const ICONS = {
  first: "M4 3v10M13 3L6.5 8l6.5 5z",
  back: "M11 3L4.5 8l6.5 5z",
  play: "M4.5 2.5v11l9-5.5z",
  pause: "M4 3h2.6v10H4zM9.4 3H12v10H9.4z",
  forward: "M5 3l6.5 5L5 13z",
  last: "M12 3v10M3 3l6.5 5L3 13z",
  previous: "M8 3L3 8l5 5M13 3L8 8l5 5",
  next: "M8 3l5 5-5 5M3 3l5 5-5 5",
  link: "M6.5 9.5a2.5 2.5 0 0 0 3.6 0l2.4-2.4a2.5 2.5 0 0 0-3.6-3.6L8 4.4M9.5 6.5a2.5 2.5 0 0 0-3.6 0L3.5 8.9a2.5 2.5 0 0 0 3.6 3.6L8 11.6",
  fork: "M4 2.5v11M4 9c0-3 8-1 8-5.5M12 3.5l-2 2M12 3.5l2 2",
};
const SPEEDS = [0.25, 0.5, 1, 2, 4, 8];

export function button(name, label, press, text = null) {
  return el("button", { type: "button", class: `pl-button pl-${name}${text ? " pl-wordy" : ""}`, "aria-label": text ?? label, title: label, onclick: press }, icon(ICONS[name]), text && word(text));
}

/** The words beside an icon, which a narrow page leaves out. */
function word(text) {
  return el("span", { class: "pl-word" }, text);
}

/** Play, step, scrub, speed. `act` has what each of them calls. */
export class Transport {
  constructor(act) {
    this.playButton = button("play", "Play (space)", act.toggle);
    this.range = el("input", { type: "range", class: "pl-range", min: 0, step: 1, "aria-label": "Ply", oninput: () => act.scrub(Number(this.range.value)) });
    this.scrub = el("div", { class: "pl-scrub" }, this.range);
    this.speed = el("div", { class: "pl-speed" });
    this.element = el(
      "div",
      { class: "pl-transport", role: "group", "aria-label": "Playing" },
      button("first", "To the start (Home)", act.first),
      button("back", "One ply back (left arrow)", act.back),
      this.playButton,
      button("forward", "One ply on (right arrow)", act.forward),
      button("last", "To the end (End)", act.last),
      this.scrub,
      this.speed,
    );
  }

  /** Adds what the first picture can do without. */
  complete(act) {
    this.ticks = svg("path", { class: "pl-tick" });
    this.ruler = svg("svg", { class: "pl-ticks", preserveAspectRatio: "none", "aria-hidden": "true" }, this.ticks);
    this.scrub.append(this.ruler);
    const choice = el(
      "select",
      { class: "pl-select", "aria-label": "Speed", title: "Plies a second", onchange: () => act.speed(Number(choice.value)) },
      SPEEDS.map((speed) => el("option", { value: speed, selected: speed === 1 }, `${speed}×`)),
    );
    this.speed.append(choice);
  }

  show(ply, last) {
    this.range.max = last;
    this.range.value = ply;
    this.range.setAttribute("aria-valuetext", `Ply ${ply} of ${last}`);
    this.range.style.setProperty("--done", `${last ? (100 * ply) / last : 0}%`);
  }

  playing(on) {
    this.playButton.replaceChildren(icon(on ? ICONS.pause : ICONS.play));
    const label = on ? "Pause (space)" : "Play (space)";
    this.playButton.setAttribute("aria-label", label);
    this.playButton.title = label;
  }

  /** Marks the moments below the scrubber. */
  mark(plies, last) {
    this.ruler.setAttribute("viewBox", `0 0 ${Math.max(1, last)} 1`);
    this.ticks.setAttribute("d", plies.map((ply) => `M${ply} 0v1`).join(""));
  }
}

/** Jumps from moment to moment; and what else can be done with a ply: sending its link, playing on from it. */
export class Tools {
  constructor(act, options) {
    this.kind = el("select", { class: "pl-kind pl-select", "aria-label": "Kind of moment", onchange: () => act.marked() });
    this.back = button("previous", "The moment before (,)", () => act.moment(-1));
    this.forward = button("next", "The next moment (.)", () => act.moment(1));
    this.copy = options.link ? button("link", "Copy the link to this ply", act.copy, "Copy link") : null;
    const onwards = "Play on from here";
    this.fork = options.playOn ? button("fork", `${onwards}, with these or other players`, act.playOn, onwards) : null;
    this.address = el("input", { class: "pl-address", readonly: true, hidden: true, "aria-label": "To copy by hand" });
    this.element = el(
      "div",
      { class: "pl-tools" },
      el("div", { class: "pl-moments", role: "group", "aria-label": "Moments" }, this.back, this.kind, this.forward),
      el("div", { class: "pl-share" }, this.copy, this.fork, this.address),
    );
  }

  /** The kinds of moments that there are; the chosen one stays chosen. */
  offer(kinds) {
    const chosen = this.kind.value || "any";
    this.kinds = new Map(kinds.map((kind) => [kind.id, kind]));
    this.kind.replaceChildren(
      ...kinds.map(({ id, label, plies }) => el("option", { value: id, disabled: !plies.length && id !== "any" }, `${label} (${plies.length})`)),
    );
    this.kind.value = this.kinds.get(chosen)?.plies.length ? chosen : "any";
  }

  get plies() {
    return this.kinds.get(this.kind.value).plies;
  }

  /** `ended`: the match is over at this ply, so nothing can be played on from it. */
  show(ply, ended) {
    const { plies } = this;
    if (this.fork) {
      this.fork.disabled = ended;
      this.fork.title = ended ? "The match is over here: step back to play on" : "Play on from here, with these or other players";
    }
    this.back.disabled = !plies.length || ply <= plies[0];
    this.forward.disabled = !plies.length || ply >= plies.at(-1);
    this.address.hidden = true;
  }

  /**
   * Copies a link, and says so for a moment on its button; where the page may not copy, it is there to be taken by hand.
   * Resolves to what is to be said of it.
   */
  async copied(link) {
    try {
      await navigator.clipboard.writeText(link);
    } catch {
      this.address.value = link;
      this.address.hidden = false;
      this.address.select();
      return `Selected, to be copied by hand: ${link}`;
    }
    this.copy.lastChild.textContent = "Copied";
    this.copy.classList.add("pl-done");
    setTimeout(() => {
      this.copy.lastChild.textContent = "Copy link";
      this.copy.classList.remove("pl-done");
    }, 1500);
    return `Copied: ${link}`;
  }
}

/** Whose eyes, and how much of what was hidden from them. */
export class Eyes {
  constructor(seats, act) {
    const choice = (eyes, label, ...inner) =>
      el("button", { type: "button", class: "pl-eye", "data-eyes": eyes, "aria-label": label, title: label, onclick: () => act.eyes(eyes) }, ...inner);
    this.choices = [
      choice(SPECTATOR, "Spectator", "Spectator"),
      ...seats.map((seat) => choice(seat, `Through the eyes of ${seat}`, badge(seat), el("span", { class: "pl-eye-name" }, seat))),
    ];
    const known = (value, label, title) =>
      el("button", { type: "button", class: "pl-eye", "data-known": value, title, onclick: () => act.known(value === "known") }, label);
    this.knowing = [
      known("known", "As it was known", "Only what these eyes could know then"),
      known("all", "Everything", "What was hidden, too"),
    ];
    this.element = el(
      "div",
      { class: "pl-watch" },
      el("div", { class: "pl-eyes", role: "group", "aria-label": "Whose eyes" }, this.choices),
      el("div", { class: "pl-eyes pl-known", role: "group", "aria-label": "How much is shown" }, this.knowing),
    );
  }

  show(eyes, known) {
    for (const one of this.choices) one.setAttribute("aria-pressed", one.dataset.eyes === eyes);
    for (const one of this.knowing) one.setAttribute("aria-pressed", (one.dataset.known === "known") === known);
  }
}
