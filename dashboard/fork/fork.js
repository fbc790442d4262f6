// "Play on from here": puts together the command that forks a match. The pages only read, so they run nothing.

import { capital, count, el } from "../player/dom.js";

/** So many forks of one ply at once. */
const MOST_FORKS = 1000;
const BOUND = `a whole number from 1 to ${count(MOST_FORKS)}`;

/** A word as a POSIX shell takes it literally. */
function shellWord(text) {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The command line for what was chosen. `seats` maps a seat to who plays on there; what is left out stays as it was. */
function forkCommand({ match, ply, seats, times, reseed, db }) {
  const words = ["parley", "fork", String(match), "--ply", String(ply)];
  for (const [seat, who] of Object.entries(seats)) words.push("--seat", `${seat}=${who}`);
  if (times > 1) words.push("--times", String(times));
  if (reseed) words.push("--reseed");
  if (db) words.push("--db", db);
  return words.map(shellWord).join(" ");
}

/** `about`: `match`, `bots` of its game, `players` (labels of its run) and `db` (null for the usual database). */
export class ForkDialog {
  constructor(parent, about) {
    this.about = about;
    this.seats = new Map();
    this.title = el("h3", { class: "fk-title" });
    this.times = el("input", { type: "number", class: "fk-times", min: 1, max: MOST_FORKS, step: 1, value: 1, "aria-describedby": "fk-bound", oninput: () => this.show() });
    this.bound = el("span", { class: "fk-bound", id: "fk-bound" }, BOUND);
    this.reseed = el("input", { type: "checkbox", onchange: () => this.show() });
    this.command = el("textarea", { class: "fk-command", readonly: true, rows: 3, spellcheck: "false", "aria-label": "Command" });
    this.copied = el("span", { class: "fk-copied", role: "status" });
    this.rows = el("div", { class: "fk-seats" });
    this.dialog = el(
      "dialog",
      { class: "fk", "aria-label": "Play on from here" },
      this.title,
      el("p", { class: "fk-note" }, "New matches begin with everything up to this ply, and are played on by whom you choose. Whoever takes a seat over remembers what it remembered."),
      this.rows,
      el("label", { class: "fk-row" }, el("span", {}, "How often"), this.times, this.bound),
      el("label", { class: "fk-row fk-check" }, this.reseed, el("span", {}, "Draw the chance still to come anew")),
      el("p", { class: "fk-note" }, "Run this command where Parley runs; the pages only read. Then find the new run on the page Runs."),
      this.command,
      el(
        "div",
        { class: "fk-buttons" },
        this.copied,
        el("button", { type: "button", class: "fk-button fk-main", onclick: () => this.copy() }, "Copy the command"),
        el("button", { type: "button", class: "fk-button", onclick: () => this.dialog.close() }, "Close"),
      ),
    );
    // Keys pressed in here are not the player's.
    this.dialog.addEventListener("keydown", (event) => event.stopPropagation());
    parent.append(this.dialog);
  }

  /** Opens for a ply; `seats` are those of the match, each with its label. */
  open(ply, seats) {
    this.ply = ply;
    this.title.textContent = `Play on from ply ${ply} of match ${this.about.match}`;
    if (!this.seats.size) for (const seat of seats) this.seats.set(seat.seat, this.choice(seat));
    this.rows.replaceChildren(
      ...[...this.seats].map(([seat, box]) => el("label", { class: "fk-row" }, el("span", {}, capital(seat)), box)),
    );
    this.copied.textContent = "";
    this.show();
    this.dialog.showModal();
  }

  choice(seat) {
    const others = this.about.players.filter((label) => label !== seat.label);
    return el(
      "select",
      { class: "fk-who", onchange: () => this.show() },
      el("option", { value: "" }, `as before: ${seat.label}`),
      others.map((label) => el("option", { value: label }, label)),
      this.about.bots.map((bot) => el("option", { value: `bot:${bot}` }, `bot ${bot}`)),
    );
  }

  show() {
    const seats = Object.fromEntries([...this.seats].map(([seat, box]) => [seat, box.value]).filter(([, who]) => who));
    const asked = Number(this.times.value);
    const times = Math.max(1, Math.min(MOST_FORKS, Math.trunc(asked || 1)));
    const fits = times === asked;
    this.times.setAttribute("aria-invalid", !fits);
    this.bound.textContent = fits ? BOUND : `${BOUND}: the command says ${count(times)}`;
    const { match, db } = this.about;
    this.command.value = forkCommand({ match, ply: this.ply, seats, times, reseed: this.reseed.checked, db });
  }

  async copy() {
    this.command.select();
    try {
      await navigator.clipboard.writeText(this.command.value);
      this.copied.textContent = "Copied";
    } catch {
      this.copied.textContent = "Press Ctrl-C to copy it";
    }
  }

  destroy() {
    this.dialog.remove();
  }
}
