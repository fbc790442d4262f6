// The replay player: `mount(element, replay, options)`. It runs wholly in the page and asks nothing of anybody.

import { capital, el, followTheme, plain } from "./dom.js";
import { Eyes, Tools, Transport } from "./controls.js";
import { Model, SPECTATOR, TABLE } from "./model.js";
import { moments, nearest } from "./moments.js";
import { animate, places, span } from "./motion.js";
import { Panels } from "./panels.js";
import { textBoard } from "./boards/text.js";

const NARROW = 600;
const SECOND = 1000;

/**
 * Shows a replay inside `element`.
 *
 * Options, all of which may be missing:
 * - `boards`: the drawing of a game by its name
 * - `ply`, `eyes`, `known` to begin with
 * - `onMove(ply, eyes, known)` after each step
 * - `link(ply, eyes, known)`: the address of what is shown, for the button that copies it
 * - `playOn(ply)`: called by the button "Play on from here", which is not there without it
 * - `details()`: brings the details of a packed replay that came without them, as a promise
 * - `dark()`: whether the page is dark; without it, its background tells
 * - `compact`: the board alone, for a wall of many; `keys: false`: does not listen to the keyboard
 *
 * Returns `update(replay)` for a match that has gone on (the reader stays where they are, unless at the end),
 * `go(ply, eyes, known)`, `retheme()` and `destroy()`.
 */
export function mountPlayer(element, replay, options = {}) {
  const player = new Player(element, replay, options);
  return {
    update: (next) => player.update(next),
    go: (ply, eyes, known) => player.turnTo(ply, eyes, known),
    retheme: () => followTheme(player.root, options.dark),
    destroy: () => player.destroy(),
  };
}

class Player {
  constructor(element, replay, options) {
    this.options = options;
    this.model = new Model(replay, options.details);
    this.board = options.boards?.[this.model.match.game] ?? textBoard;
    this.eyes = this.model.seats.has(options.eyes) ? options.eyes : SPECTATOR;
    this.known = options.known ?? this.eyes !== SPECTATOR;
    this.ply = clamp(options.ply ?? 0, this.model.last);
    // The window tells before anything is laid out; where it tells wrong, the first layout puts it right.
    this.narrow = options.compact || window.matchMedia(`(max-width: ${NARROW}px)`).matches;
    this.wanted = null;
    this.panels = null;
    this.parts = new Map();
    this.speed = 1;
    this.build();
    element.append(this.root);
    followTheme(this.root, this.options.dark);
    this.listen();
    this.reader = this.readerAt(this.ply);
    this.show();
    this.root.dataset.ready = "";
    if (!options.compact) this.later();
  }

  /** The board, where it stands and what plays it: all that the first picture shows. */
  build() {
    this.title = el("h2", { class: "pl-title", dir: "auto" });
    this.subtitle = el("p", { class: "pl-subtitle" });
    this.result = el("p", { class: "pl-winner", role: "status", dir: "auto", hidden: true });
    this.halt = el("p", { class: "pl-halt", role: "status", dir: "auto", hidden: true });
    this.status = el("p", { class: "pl-status" });
    this.place = el("output", { class: "pl-place" });
    this.stage = el("div", { class: "pl-stage" });
    this.act = {
      toggle: () => this.toggle(),
      first: () => this.go(0),
      back: () => this.go(this.ply - 1),
      forward: () => this.go(this.ply + 1),
      last: () => this.go(this.model.last),
      scrub: (ply) => this.go(ply),
      speed: (speed) => this.setSpeed(speed),
      moment: (direction) => this.goToMoment(direction),
      marked: () => this.mark(),
      copy: async () => this.say(await this.tools.copied(this.options.link(this.ply, this.eyes, this.known))),
      playOn: () => this.options.playOn(this.ply),
      eyes: (eyes) => this.lookThrough(eyes, eyes !== SPECTATOR),
      known: (known) => this.lookThrough(this.eyes, known),
    };
    this.transport = new Transport(this.act);
    this.live = el("div", { class: "pl-live", role: "log", "aria-live": "polite", "aria-label": "What happens" });
    this.frame = el("section", { class: "pl-board", "aria-label": "Board" }, el("div", { class: "pl-board-head" }, this.status, this.place), this.stage);
    this.header = el("header", { class: "pl-header" }, el("div", { class: "pl-heading" }, this.title, this.subtitle));
    this.main = el("div", { class: "pl-main" }, this.frame, this.transport.element);
    this.root = el(
      "div",
      { class: `pl${this.options.compact ? " pl-compact" : ""}`, role: "region", "aria-label": "Replay" },
      this.board.style ? el("style", {}, this.board.style) : null,
      el("div", { class: "pl-body" }, this.options.compact ? [this.title, this.frame, this.result, this.halt] : [this.header, this.result, this.halt, this.main, this.live]),
    );
  }

  /** What stands around the board comes behind the first picture, not in its way. */
  later() {
    const soon = window.requestIdleCallback ?? ((call) => setTimeout(call, 20));
    const complete = () => this.complete();
    // A page that nobody sees is asked for no picture.
    if (document.hidden) soon(complete);
    else requestAnimationFrame(() => soon(complete, { timeout: 100 }));
  }

  /** Makes what is not there yet; at once where somebody asks for it. */
  complete() {
    if (this.panels || this.gone) return;
    this.transport.complete(this.act);
    if (this.board.signs) this.frame.append(signsOf(this.board));
    this.tools = new Tools(this.act, this.options);
    this.watch = new Eyes([...this.model.seats.keys()], this.act);
    this.panels = new Panels(this.board, this.act.scrub);
    this.readerChanged();
    this.showPanels();
    const { side, reveal, drawer, pending, lists } = this.panels;
    this.header.append(this.watch.element);
    this.main.append(this.tools.element, side);
    this.main.after(reveal, drawer, pending);
    for (const { element } of lists) this.sizes.observe(element);
    this.root.dataset.complete = "";
  }

  listen() {
    this.keys = (event) => this.key(event);
    if (this.options.keys !== false && !this.options.compact) window.addEventListener("keydown", this.keys);
    this.sizes = new ResizeObserver((entries) => {
      for (const { target, contentRect } of entries) {
        if (target !== this.stage) {
          target.scrollTop = target.scrollHeight;
        } else if (contentRect.width < NARROW !== this.narrow) {
          this.narrow = contentRect.width < NARROW;
          this.draw();
        }
      }
    });
    this.sizes.observe(this.stage);
    this.scheme = window.matchMedia("(prefers-color-scheme: dark)");
    this.onScheme = () => followTheme(this.root, this.options.dark);
    this.scheme.addEventListener("change", this.onScheme);
  }

  destroy() {
    this.pause();
    this.gone = true;
    window.removeEventListener("keydown", this.keys);
    this.sizes.disconnect();
    this.scheme.removeEventListener("change", this.onScheme);
    this.root.remove();
  }

  update(replay) {
    const following = this.ply === this.model.last;
    this.model = new Model(replay, this.options.details, this.model);
    // A ply that was asked for before it was here.
    this.ply = this.wanted ?? this.ply;
    this.wanted = null;
    this.ply = following ? this.model.last : clamp(this.ply, this.model.last);
    this.reader = this.readerAt(this.ply);
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
    const jumps = { ",": -1, ".": 1 };
    if (event.key === " " && !pressable) this.toggle();
    else if (event.key in moves && !event.shiftKey) this.go(moves[event.key]);
    else if (event.key in jumps) this.goToMoment(jumps[event.key]);
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
      if (this.ply < this.model.last) this.step(this.ply + 1, SECOND / this.speed);
      if (this.ply >= this.model.last) this.pause();
    }, SECOND / this.speed);
    this.transport.playing(true);
  }

  pause() {
    clearInterval(this.timer);
    this.timer = null;
    this.transport.playing(false);
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

  goToMoment(direction) {
    this.complete();
    const ply = nearest(this.tools.plies, this.ply, direction);
    if (ply !== null) this.go(ply);
  }

  /** Shows a ply; `perPly` are the milliseconds until the next one. What lies further away than a ply is not animated. */
  step(ply, perPly = SECOND) {
    const next = clamp(ply, this.model.last);
    if (next === this.ply) return;
    if (!this.model.frame(next)) {
      this.wanted = next;
      return;
    }
    const distance = next - this.ply;
    const quick = performance.now() - (this.moved ?? -SECOND) < perPly / 4;
    this.moved = performance.now();
    this.ply = next;
    const time = Math.abs(distance) === 1 && !quick ? span(perPly) : 0;
    const before = time ? places(this.stage) : null;
    this.show();
    if (time) animate(this.stage, before, time, distance === 1);
    this.announce();
    this.options.onMove?.(this.ply, this.eyes, this.known);
  }

  turnTo(ply, eyes, known) {
    if (this.timer) this.pause();
    this.eyes = this.model.seats.has(eyes) ? eyes : SPECTATOR;
    this.known = known ?? this.eyes !== SPECTATOR;
    this.ply = clamp(ply, this.model.last);
    if (!this.model.frame(this.ply)) [this.wanted, this.ply] = [this.ply, 0];
    this.readerChanged();
    this.show();
    this.announce();
  }

  lookThrough(eyes, known) {
    this.eyes = eyes;
    this.known = known;
    this.readerChanged();
    this.show();
    this.options.onMove?.(this.ply, this.eyes, this.known);
  }

  /** What is read through: all there is, what a seat knows, or what the table knows, to which all is shown at the end. */
  readerAt(ply) {
    if (!this.known) return SPECTATOR;
    if (this.eyes !== SPECTATOR) return this.eyes;
    return this.model.over && ply === this.model.last ? SPECTATOR : TABLE;
  }

  readerChanged() {
    this.reader = this.readerAt(this.ply);
    if (!this.panels) return;
    this.watch.show(this.eyes, this.known);
    this.panels.clear();
    this.fillLists();
  }

  fillLists() {
    if (!this.panels) return;
    this.panels.fill(this.model, this.reader);
    this.tools.offer(moments(this.model, this.reader, this.board));
    this.mark();
  }

  mark() {
    this.transport.mark(this.tools.plies, this.model.last);
    this.showTools();
  }

  showTools() {
    this.tools.show(this.ply, this.model.over && this.ply === this.model.last);
  }

  show() {
    if (this.readerAt(this.ply) !== this.reader) this.readerChanged();
    const { match, last } = this.model;
    this.title.textContent = match.title;
    const settings = [match.run, `match ${match.id}`, match.scenario, ...this.board.settings(match.options), this.model.origin()];
    const told = settings.filter(Boolean).map((one, place) => [place > 0 && " · ", el("bdi", { dir: "ltr" }, one)]);
    this.subtitle.replaceChildren(...el("p", {}, told).childNodes);
    this.transport.show(this.ply, last);
    this.place.textContent = `Ply ${this.ply} of ${last}`;
    const ended = this.ply === last ? this.model.result(this.reader) : null;
    this.result.hidden = !ended;
    this.result.textContent = plain(ended ?? "");
    const standing = this.model.standing(this.reader);
    this.halt.hidden = !standing;
    this.halt.dataset.status = match.status;
    this.halt.textContent = plain(standing ?? "");
    this.draw();
    if (this.panels) this.showPanels();
  }

  showPanels() {
    this.showTools();
    this.panels.show(this.model, this.ply, this.reader);
  }

  draw() {
    const frame = this.model.frame(this.ply);
    if (!frame) {
      this.stage.replaceChildren(el("p", { class: "pl-empty" }, "This match has not begun."));
      return;
    }
    const context = {
      eyes: this.reader,
      narrow: this.narrow,
      frame,
      events: this.model.eventsAt(this.ply, this.reader),
      label: (seat) => this.model.label(seat, this.reader, this.ply + 1),
      outcome: this.ply === this.model.last ? this.model.match.outcome : null,
      text: this.model.viewText(this.ply, this.reader),
      kept: { before: this.parts, now: new Map() },
    };
    const view = this.model.view(this.ply, this.reader);
    this.status.textContent = plain(this.board.status(view, context));
    this.stage.replaceChildren(this.board.draw(view, context));
    this.parts = context.kept.now;
  }

  announce() {
    const said = this.model.eventsAt(this.ply, this.reader).map((event) => `${capital(plain(event.text))}.`);
    this.say([`Ply ${this.ply}.`, ...said, this.result.hidden ? "" : this.result.textContent].join(" ").trim());
  }

  say(line) {
    this.live.replaceChildren(el("p", {}, line));
  }
}

/** What the signs of a board mean; made when it is first opened. */
function signsOf(board) {
  const list = el("ul", { class: "pl-signs" });
  const fill = () => {
    if (!list.childElementCount) list.append(...board.signs().map(([sign, meaning]) => el("li", {}, sign, el("span", {}, meaning))));
  };
  return el("details", { class: "pl-key", ontoggle: fill }, el("summary", {}, "Signs on the board"), list);
}

function clamp(ply, last) {
  return Math.trunc(Math.max(0, Math.min(last, ply || 0)));
}
