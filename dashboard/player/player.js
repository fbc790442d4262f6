// The replay player: `mount(element, replay, options)`. It runs wholly in the page and asks nothing of anybody.

import { capital, el, followTheme, icon, plain } from "./dom.js";
import { decisionView, pendingView } from "./decision.js";
import { Growing, badge, bubble, eventLine } from "./lists.js";
import { Model, SPECTATOR } from "./model.js";
import { textBoard } from "./boards/text.js";

const ICONS = {
  first: "M4 3v10M13 3L6.5 8l6.5 5z",
  back: "M11 3L4.5 8l6.5 5z",
  play: "M4.5 2.5v11l9-5.5z",
  pause: "M4 3h2.6v10H4zM9.4 3H12v10H9.4z",
  forward: "M5 3l6.5 5L5 13z",
  last: "M12 3v10M3 3l6.5 5L3 13z",
};
const SPEEDS = [0.5, 1, 2, 4];
const NARROW = 600;

/**
 * Shows a replay inside `element`.
 *
 * Options: `boards` (drawing of a game by its name), `ply` and `eyes` to begin with, `onMove(ply, eyes)` after each step.
 * Returns `update(replay)` for a match that has gone on (the reader stays where they are, unless at the end) and `destroy()`.
 */
export function mountPlayer(element, replay, options = {}) {
  const player = new Player(element, replay, options);
  return { update: (next) => player.update(next), retheme: () => followTheme(player.root), destroy: () => player.destroy() };
}

class Player {
  constructor(element, replay, options) {
    this.options = options;
    this.model = new Model(replay);
    this.board = options.boards?.[this.model.match.game] ?? textBoard;
    this.eyes = this.model.seats.has(options.eyes) ? options.eyes : SPECTATOR;
    this.ply = clamp(options.ply ?? 0, this.model.last);
    this.speed = 1;
    this.build();
    element.append(this.root);
    followTheme(this.root);
    this.listen();
    this.eyesChanged();
    this.show();
  }

  build() {
    const button = (name, label, press) =>
      el("button", { type: "button", class: `pl-button pl-${name}`, "aria-label": label, title: label, onclick: press }, icon(ICONS[name]));
    this.title = el("h2", { class: "pl-title", dir: "auto" });
    this.subtitle = el("p", { class: "pl-subtitle", dir: "auto" });
    this.result = el("p", { class: "pl-winner", role: "status", dir: "auto", hidden: true });
    this.halt = el("p", { class: "pl-halt", role: "status", dir: "auto", hidden: true });
    this.status = el("p", { class: "pl-status" });
    this.place = el("output", { class: "pl-place" });
    this.stage = el("div", { class: "pl-stage" });
    this.playButton = button("play", "Play (space)", () => this.toggle());
    this.range = el("input", { type: "range", class: "pl-range", min: 0, step: 1, "aria-label": "Ply", oninput: () => this.go(Number(this.range.value)) });
    this.speedBox = el(
      "select",
      { class: "pl-speed", "aria-label": "Speed", onchange: () => this.setSpeed(Number(this.speedBox.value)) },
      SPEEDS.map((speed) => el("option", { value: speed, selected: speed === 1 }, `${speed}×`)),
    );
    this.eyesBox = el("div", { class: "pl-eyes", role: "group", "aria-label": "Whose eyes" }, this.eyeButtons());
    const chat = el("ol", { class: "pl-list pl-chat", tabindex: "0", "aria-label": "Messages" });
    const events = el("ol", { class: "pl-list pl-events", tabindex: "0", "aria-label": "Events" });
    const go = (ply) => this.go(ply);
    this.chat = new Growing(chat, (item) => bubble(item, go), "Nobody has spoken yet.");
    const seatOf = (event) => event.seat ?? event.mover ?? null;
    this.events = new Growing(events, (item) => eventLine(item, seatOf, go), "Nothing that these eyes may see has happened yet.");
    this.drawerHead = el("summary", { class: "pl-drawer-head" });
    this.drawerBody = el("div", { class: "pl-drawer-body" });
    this.drawer = el("details", { class: "pl-drawer", ontoggle: () => this.showDecision() }, this.drawerHead, this.drawerBody);
    this.pending = el("div", { class: "pl-pending" });
    this.live = el("div", { class: "pl-live", role: "log", "aria-live": "polite", "aria-label": "What happens" });
    this.root = el(
      "div",
      { class: "pl", role: "region", "aria-label": "Replay" },
      el("header", { class: "pl-header" }, el("div", { class: "pl-heading" }, this.title, this.subtitle), this.eyesBox),
      this.result,
      this.halt,
      el(
        "div",
        { class: "pl-main" },
        el(
          "section",
          { class: "pl-board", "aria-label": "Board" },
          el("div", { class: "pl-board-head" }, this.status, this.place),
          this.stage,
          el(
            "div",
            { class: "pl-transport" },
            button("first", "To the start (Home)", () => this.go(0)),
            button("back", "One ply back (left arrow)", () => this.go(this.ply - 1)),
            this.playButton,
            button("forward", "One ply on (right arrow)", () => this.go(this.ply + 1)),
            button("last", "To the end (End)", () => this.go(this.model.last)),
            this.range,
            this.speedBox,
          ),
        ),
        el(
          "aside",
          { class: "pl-side" },
          el("section", { class: "pl-panel" }, el("h3", {}, "Table talk"), chat),
          el("section", { class: "pl-panel" }, el("h3", {}, "Events"), events),
        ),
      ),
      this.drawer,
      this.pending,
      this.live,
    );
  }

  eyeButtons() {
    const choice = (eyes, label, ...inner) =>
      el("button", { type: "button", class: "pl-eye", "data-eyes": eyes, "aria-label": label, title: label, onclick: () => this.lookThrough(eyes) }, ...inner);
    return [
      choice(SPECTATOR, "Spectator: everything", "Spectator"),
      ...[...this.model.seats.keys()].map((seat) => choice(seat, `Only what ${seat} can know`, badge(seat), el("span", { class: "pl-eye-name" }, seat))),
    ];
  }

  listen() {
    this.keys = (event) => this.key(event);
    window.addEventListener("keydown", this.keys);
    this.watch = new ResizeObserver(([entry]) => {
      const narrow = entry.contentRect.width < NARROW;
      if (narrow !== this.narrow) {
        this.narrow = narrow;
        this.draw();
      }
    });
    this.watch.observe(this.stage);
    this.lists = new ResizeObserver((entries) => {
      for (const { target } of entries) target.scrollTop = target.scrollHeight;
    });
    this.lists.observe(this.chat.element);
    this.lists.observe(this.events.element);
    this.scheme = window.matchMedia("(prefers-color-scheme: dark)");
    this.onScheme = () => followTheme(this.root);
    this.scheme.addEventListener("change", this.onScheme);
  }

  destroy() {
    this.pause();
    window.removeEventListener("keydown", this.keys);
    this.watch.disconnect();
    this.lists.disconnect();
    this.scheme.removeEventListener("change", this.onScheme);
    this.root.remove();
  }

  update(replay) {
    const following = this.ply === this.model.last;
    this.model = new Model(replay);
    this.ply = following ? this.model.last : clamp(this.ply, this.model.last);
    this.fillLists();
    this.show();
  }

  key(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.composedPath()[0];
    const typed = target instanceof Element && target.matches("textarea, select, [contenteditable], input:not([type=range])");
    if (typed) return;
    const pressable = target instanceof Element && target.closest("button, summary, a");
    const moves = { ArrowLeft: this.ply - 1, ArrowRight: this.ply + 1, Home: 0, End: this.model.last };
    if (event.key === " " && !pressable) this.toggle();
    else if (event.key in moves && !event.shiftKey) this.go(moves[event.key]);
    else return;
    event.preventDefault();
  }

  toggle() {
    if (this.timer) return this.pause();
    if (this.ply === this.model.last) this.go(0);
    this.start();
  }

  start() {
    this.timer = setInterval(() => {
      if (this.ply < this.model.last) this.step(this.ply + 1);
      if (this.ply >= this.model.last) this.pause();
    }, 1000 / this.speed);
    this.playing(true);
  }

  pause() {
    clearInterval(this.timer);
    this.timer = null;
    this.playing(false);
  }

  playing(on) {
    this.playButton.replaceChildren(icon(on ? ICONS.pause : ICONS.play));
    const label = on ? "Pause (space)" : "Play (space)";
    this.playButton.setAttribute("aria-label", label);
    this.playButton.title = label;
  }

  setSpeed(speed) {
    this.speed = speed;
    if (this.timer) {
      clearInterval(this.timer);
      this.start();
    }
  }

  /** Goes to a ply by the reader's hand, which ends playing. */
  go(ply) {
    if (this.timer) this.pause();
    this.step(ply);
  }

  step(ply) {
    const next = clamp(ply, this.model.last);
    if (next === this.ply) return;
    this.ply = next;
    this.show();
    this.announce();
    this.options.onMove?.(this.ply, this.eyes);
  }

  lookThrough(eyes) {
    this.eyes = eyes;
    this.eyesChanged();
    this.show();
    this.options.onMove?.(this.ply, this.eyes);
  }

  eyesChanged() {
    for (const button of this.eyesBox.children) button.setAttribute("aria-pressed", button.dataset.eyes === this.eyes);
    this.chat.clear();
    this.events.clear();
    this.fillLists();
  }

  fillLists() {
    const { events, messages } = this.model.visible(this.eyes);
    this.chat.replace(messages, (one, other) => one.key === other.key && one.at === other.at);
    this.events.replace(events, (one, other) => one.key === other.key);
  }

  show() {
    const { match, last } = this.model;
    this.title.textContent = match.title;
    const settings = [match.run, `match ${match.id}`, match.scenario, ...this.board.settings(match.options)];
    this.subtitle.textContent = plain(settings.filter(Boolean).join(" · "));
    this.range.max = last;
    this.range.value = this.ply;
    this.range.setAttribute("aria-valuetext", `Ply ${this.ply} of ${last}`);
    this.range.style.setProperty("--done", `${last ? (100 * this.ply) / last : 0}%`);
    this.place.textContent = `Ply ${this.ply} of ${last}`;
    const ended = this.ply === last ? this.model.result(this.eyes) : null;
    this.result.hidden = !ended;
    this.result.textContent = plain(ended ?? "");
    const standing = this.model.standing(this.eyes);
    this.halt.hidden = !standing;
    this.halt.dataset.status = match.status;
    this.halt.textContent = plain(standing ?? "");
    this.draw();
    this.chat.show(this.ply);
    this.events.show(this.ply);
    this.showDecision();
  }

  draw() {
    const frame = this.model.frame(this.ply);
    if (!frame) {
      this.stage.replaceChildren(el("p", { class: "pl-empty" }, "This match has not begun."));
      return;
    }
    const context = {
      eyes: this.eyes,
      narrow: this.narrow ?? this.stage.clientWidth < NARROW,
      frame,
      label: (seat) => this.model.label(seat, this.eyes),
      outcome: this.ply === this.model.last ? this.model.match.outcome : null,
      text: this.model.viewTexts?.[this.model.viewIndex(this.ply, this.eyes)] ?? null,
    };
    const view = this.model.view(this.ply, this.eyes);
    this.status.textContent = plain(this.board.status(view, context));
    this.stage.replaceChildren(this.board.draw(view, context));
  }

  showDecision() {
    if (!this.model.frame(this.ply)) return;
    const { head, body } = decisionView(this.model, this.ply, this.eyes, this.drawer.open);
    this.drawerHead.replaceChildren(...head.flat().filter(Boolean));
    const showsDetail = this.drawer.open;
    this.drawerBody.replaceChildren(...(showsDetail ? body.flat().filter(Boolean) : []));
    this.pending.replaceChildren(...(this.ply === this.model.last ? pendingView(this.model, this.eyes).flat() : []));
  }

  announce() {
    const { events } = this.model.visible(this.eyes);
    const said = events.filter((item) => item.at === this.ply).map((item) => `${capital(plain(item.event.text))}.`);
    const line = [`Ply ${this.ply}.`, ...said, this.result.hidden ? "" : this.result.textContent].join(" ").trim();
    this.live.replaceChildren(el("p", {}, line));
  }
}

function clamp(ply, last) {
  return Math.max(0, Math.min(last, Number.isFinite(ply) ? Math.trunc(ply) : 0));
}
