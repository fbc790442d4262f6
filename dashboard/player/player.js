// The replay player: `mount(element, replay, options)`. It runs wholly in the page and asks nothing of anybody.

import { capital, el, followTheme, plain } from "./dom.js";
import { Eyes, Tools, Transport } from "./controls.js";
import { decisionKey, decisionView, pendingView } from "./decision.js";
import { Growing, bubble, eventLine, pledgeItem, pledgeItems } from "./lists.js";
import { Model, SPECTATOR, TABLE } from "./model.js";
import { moments, nearest } from "./moments.js";
import { animate, places, span } from "./motion.js";
import { revealView } from "./reveal.js";
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
    this.parts = new Map();
    this.speed = 1;
    this.build();
    element.append(this.root);
    followTheme(this.root, this.options.dark);
    this.listen();
    this.readerChanged();
    this.show();
    this.root.dataset.ready = "";
  }

  build() {
    this.title = el("h2", { class: "pl-title", dir: "auto" });
    this.subtitle = el("p", { class: "pl-subtitle", dir: "auto" });
    this.result = el("p", { class: "pl-winner", role: "status", dir: "auto", hidden: true });
    this.halt = el("p", { class: "pl-halt", role: "status", dir: "auto", hidden: true });
    this.status = el("p", { class: "pl-status" });
    this.place = el("output", { class: "pl-place" });
    this.stage = el("div", { class: "pl-stage" });
    const act = {
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
    this.transport = new Transport(act);
    this.tools = new Tools(act, this.options);
    this.watch = new Eyes([...this.model.seats.keys()], act);
    const list = (name, label) => el("ol", { class: `pl-list pl-${name}`, tabindex: "0", "aria-label": label });
    const go = (ply) => this.go(ply);
    const seatOf = (event) => event.seat ?? event.mover ?? null;
    this.chat = new Growing(list("chat", "Messages"), (item) => bubble(item, go), "Nobody has spoken yet.");
    this.events = new Growing(list("events", "Events"), (item) => eventLine(item, seatOf, go), "Nothing that these eyes may see has happened yet.");
    this.pledges = new Growing(list("pledges", "Pledges"), (item) => pledgeItem(item, go), "Nobody has pledged anything yet.");
    this.pledgePanel = el("section", { class: "pl-panel" }, el("h3", {}, "Pledges"), this.pledges.element);
    this.drawerHead = el("summary", { class: "pl-drawer-head" });
    this.drawerBody = el("div", { class: "pl-drawer-body" });
    this.drawer = el("details", { class: "pl-drawer", ontoggle: () => this.showDecision() }, this.drawerHead, this.drawerBody);
    this.pending = el("div", { class: "pl-pending" });
    this.reveal = el("section", { class: "pl-reveal", "aria-label": "After the game", hidden: true });
    this.live = el("div", { class: "pl-live", role: "log", "aria-live": "polite", "aria-label": "What happens" });
    this.side = el(
      "aside",
      { class: "pl-side" },
      el("section", { class: "pl-panel" }, el("h3", {}, "Table talk"), this.chat.element),
      el("section", { class: "pl-panel" }, el("h3", {}, "Events"), this.events.element),
      this.pledgePanel,
    );
    const board = el("section", { class: "pl-board", "aria-label": "Board" }, el("div", { class: "pl-board-head" }, this.status, this.place), this.stage, this.board.signs && !this.options.compact ? signsOf(this.board) : null);
    const whole = [
      el("header", { class: "pl-header" }, el("div", { class: "pl-heading" }, this.title, this.subtitle), this.watch.element),
      this.result,
      this.halt,
      el(
        "div",
        { class: "pl-main" },
        board,
        this.transport.element,
        this.tools.element,
        this.side,
      ),
      this.reveal,
      this.drawer,
      this.pending,
      this.live,
    ];
    this.root = el(
      "div",
      { class: `pl${this.options.compact ? " pl-compact" : ""}`, role: "region", "aria-label": "Replay" },
      this.board.style ? el("style", {}, this.board.style) : null,
      el("div", { class: "pl-body" }, this.options.compact ? [this.title, board, this.result, this.halt] : whole),
    );
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
    for (const element of [this.stage, this.chat.element, this.events.element, this.pledges.element]) this.sizes.observe(element);
    this.scheme = window.matchMedia("(prefers-color-scheme: dark)");
    this.onScheme = () => followTheme(this.root, this.options.dark);
    this.scheme.addEventListener("change", this.onScheme);
  }

  destroy() {
    this.pause();
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
    this.watch.show(this.eyes, this.known);
    this.chat.clear();
    this.events.clear();
    this.pledges.clear();
    this.fillLists();
  }

  fillLists() {
    const { events, messages } = this.model.visible(this.reader);
    const pledges = pledgeItems(messages, this.model.over ? this.model.last : null);
    this.chat.replace(messages, (one, other) => one.key === other.key && one.at === other.at);
    this.events.replace(events, (one, other) => one.key === other.key);
    this.pledges.replace(pledges, (one, other) => one.key === other.key && one.at === other.at);
    this.pledgePanel.hidden = !pledges.length;
    this.side.classList.toggle("pl-silent", !this.model.messages.length);
    this.tools.offer(moments(this.model, this.reader, this.board));
    this.mark();
  }

  mark() {
    this.transport.mark(this.tools.plies, this.model.last);
    this.tools.show(this.ply, this.model.over && this.ply === this.model.last);
  }

  show() {
    if (this.readerAt(this.ply) !== this.reader) this.readerChanged();
    const { match, last } = this.model;
    this.title.textContent = match.title;
    const settings = [match.run, `match ${match.id}`, match.scenario, ...this.board.settings(match.options), this.model.origin()];
    this.subtitle.textContent = plain(settings.filter(Boolean).join(" · "));
    this.transport.show(this.ply, last);
    this.tools.show(this.ply, this.model.over && this.ply === this.model.last);
    this.place.textContent = `Ply ${this.ply} of ${last}`;
    const ended = this.ply === last ? this.model.result(this.reader) : null;
    this.result.hidden = !ended;
    this.result.textContent = plain(ended ?? "");
    const standing = this.model.standing(this.reader);
    this.halt.hidden = !standing;
    this.halt.dataset.status = match.status;
    this.halt.textContent = plain(standing ?? "");
    this.draw();
    if (this.options.compact) return;
    this.chat.show(this.ply);
    this.events.show(this.ply);
    this.pledges.show(this.ply);
    this.showDecision();
    this.showReveal();
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

  showDecision() {
    if (!this.model.frame(this.ply)) return;
    const shown = decisionKey(this.model, this.ply, this.reader, this.drawer.open);
    if (shown !== this.decisionShown) {
      this.decisionShown = shown;
      const { head, body } = decisionView(this.model, this.ply, this.reader, this.drawer.open);
      this.drawerHead.replaceChildren(...head.flat().filter(Boolean));
      this.drawerBody.replaceChildren(...(this.drawer.open ? body.flat().filter(Boolean) : []));
    }
    const waiting = this.ply === this.model.last ? pendingView(this.model, this.reader).flat() : [];
    this.pending.replaceChildren(...waiting);
    if (this.drawer.open || waiting.length) this.fetch();
  }

  /** After the game, and to whoever may see it all: what was hidden. */
  showReveal() {
    const shown = this.model.over && this.ply === this.model.last && this.reader === SPECTATOR;
    if (shown) this.fetch();
    const parts = shown ? revealView(this.model, this.board, (ply) => this.go(ply)) : [];
    this.reveal.hidden = !parts.length;
    this.reveal.replaceChildren(...parts);
  }

  /** Has the details brought; what waits for them is shown again when they are here. */
  async fetch() {
    const { model } = this;
    if (model.whole || !model.load) return;
    await model.loadDetails();
    if (model !== this.model || !this.root.isConnected) return;
    this.showDecision();
    this.showReveal();
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
