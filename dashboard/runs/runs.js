// The list of runs and of one run's matches. It is brought up to date every two seconds, so nothing is made anew that is
// there already: what the reader selected, opened, typed or scrolled to stays as it is.

import { capital, count, el, followTheme, icon, initial, money, plain, plural } from "../player/dom.js";

const STATUSES = ["running", "stopped", "paused", "queued", "finished", "void"];
const COLUMNS = ["Match", "Game", "Status", "Players", "Result", "Plies", "Calls", "Tokens", "Cost", ""];
// What asks for matches exactly belongs to the run that it was asked of.
const NOT_EXACTLY = { players: "", seat: "", game: "", entry: "", reason: "", had: "", matches: "" };
const CHEVRON = "M6 3.5L10.5 8 6 12.5";

/** Writes a text where it differs from what stands there. */
function put(node, text) {
  const clean = plain(text);
  if (node.textContent !== clean) node.textContent = clean;
}

function mark(node, name, value) {
  if (node.dataset[name] !== String(value)) node.dataset[name] = value;
}

class RunList {
  /** `send(query)` asks for another run, sheet, status or filter: `{run, text, status, sheet}`. */
  constructor(element, data, send) {
    this.send = send;
    this.runs = new Map();
    this.rows = new Map();
    this.opened = new Set();
    this.query = { ...data.query, run: data.run };
    this.build();
    element.append(this.root);
    followTheme(this.root);
    this.update(data);
  }

  build() {
    this.runBox = el("ul", { class: "rl-runs", "aria-label": "Runs" });
    this.name = el("h2", { class: "rl-name", dir: "ltr" });
    this.state = el("span", { class: "rl-status" });
    this.why = el("p", { class: "rl-why", dir: "auto", hidden: true });
    this.filter = el("input", {
      class: "rl-filter",
      type: "search",
      placeholder: "Filter by player, number, winner…",
      "aria-label": "Filter matches",
      maxlength: 200,
      oninput: () => this.typed(),
    });
    this.filter.value = this.query.text;
    this.chips = new Map(
      ["", ...STATUSES].map((status) => [
        status,
        el("button", { type: "button", class: "rl-chip", onclick: () => this.ask({ status, sheet: 0 }) }),
      ]),
    );
    this.body = el("tbody");
    this.table = el(
      "table",
      { class: "rl-table" },
      el("thead", {}, el("tr", {}, COLUMNS.map((column) => el("th", { scope: "col" }, column)))),
      this.body,
    );
    this.none = el("p", { class: "rl-none" });
    this.pageText = el("span", { class: "rl-page" });
    const turn = (label, by) => el("button", { type: "button", class: "rl-turn", onclick: () => this.ask({ sheet: this.sheet + by }) }, label);
    this.before = turn("Previous", -1);
    this.after = turn("Next", 1);
    this.root = el(
      "div",
      { class: "rl" },
      el("nav", { class: "rl-side", "aria-label": "Runs" }, el("h1", {}, "Runs"), this.runBox),
      el(
        "section",
        { class: "rl-main", "aria-label": "Matches" },
        el("div", { class: "rl-head" }, this.name, this.state),
        this.why,
        el("div", { class: "rl-tools" }, el("div", { class: "rl-chips", role: "group", "aria-label": "Status" }, [...this.chips.values()]), this.filter),
        this.table,
        this.none,
        el("div", { class: "rl-pages" }, this.pageText, this.before, this.after),
      ),
    );
  }

  destroy() {
    clearTimeout(this.waiting);
    this.root.remove();
  }

  typed() {
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.ask({ text: this.filter.value, sheet: 0 }), 200);
  }

  ask(change) {
    this.query = { ...this.query, ...change };
    this.showChoice();
    const address = new URL(location.href);
    for (const [key, value] of Object.entries(this.query)) {
      if (value === "" || value === null || value === 0) address.searchParams.delete(key);
      else address.searchParams.set(key, value);
    }
    history.replaceState(history.state, "", address);
    this.send(this.query);
  }

  update(data) {
    followTheme(this.root);
    this.data = data;
    const answers = data.query.text === this.query.text && data.query.status === this.query.status && data.run === this.query.run;
    if (answers) this.query.sheet = data.matches.sheet;
    this.sheet = data.matches.sheet;
    this.showRuns(data.runs);
    this.showChoice();
    this.showMatches(data);
  }

  showRuns(runs) {
    keep(this.runBox, this.runs, runs, (run) => new RunCard(run.id, () => this.ask({ ...NOT_EXACTLY, run: run.id, text: this.cleared(), status: "", sheet: 0 })));
  }

  cleared() {
    this.filter.value = "";
    return "";
  }

  showChoice() {
    for (const [id, card] of this.runs) card.choose(id === this.query.run);
    // Once: afterwards the list stays where its reader has it.
    if (!this.brought && this.runs.has(this.query.run)) {
      this.brought = true;
      requestAnimationFrame(() => this.runs.get(this.query.run)?.bring(this.runBox));
    }
    for (const [status, chip] of this.chips) chip.setAttribute("aria-pressed", status === this.query.status);
  }

  showMatches({ runs, run, matches }) {
    const shown = runs.find((one) => one.id === run);
    put(this.name, shown.name);
    put(this.state, shown.status);
    mark(this.state, "status", shown.status);
    put(this.why, shown.why ?? "");
    this.why.hidden = !shown.why || shown.status === "finished";
    const total = STATUSES.reduce((sum, status) => sum + matches.counts[status], 0);
    for (const [status, chip] of this.chips) {
      const number = status ? matches.counts[status] : total;
      put(chip, `${status ? capital(status) : "All"} ${count(number)}`);
      chip.hidden = Boolean(status) && !number && status !== this.query.status;
    }
    keep(this.body, this.rows, matches.rows, (match) => new MatchRow(match, this));
    this.table.hidden = !matches.rows.length;
    this.none.hidden = matches.rows.length > 0;
    put(this.none, matches.all ? "No match fits the filter." : "This run has no matches yet.");
    const { first } = matches;
    put(this.pageText, matches.rows.length ? `${count(first + 1)}–${count(first + matches.rows.length)} of ${plural(matches.shown, "match", "matches")}` : "");
    this.before.hidden = this.after.hidden = matches.sheets < 2;
    this.before.disabled = matches.sheet === 0;
    this.after.disabled = matches.sheet >= matches.sheets - 1;
  }

  select(id) {
    this.selected = id;
    for (const row of this.rows.values()) row.choose(row.id === id);
  }
}

/** Makes the children of `box` show `items` in order: one part for each id, made once, updated, moved only if it must be. */
function keep(box, parts, items, make) {
  const wanted = new Set(items.map((item) => item.id));
  for (const [id, part] of parts) {
    if (wanted.has(id)) continue;
    for (const node of part.nodes) node.remove();
    parts.delete(id);
  }
  let next = box.firstChild;
  for (const item of items) {
    if (!parts.has(item.id)) parts.set(item.id, make(item));
    const part = parts.get(item.id);
    part.update(item);
    for (const node of part.nodes) {
      if (node === next) next = next.nextSibling;
      else box.insertBefore(node, next);
    }
  }
}

class RunCard {
  constructor(id, press) {
    this.name = el("bdi", { class: "rl-card-name", dir: "ltr" });
    this.state = el("span", { class: "rl-status" });
    this.forks = el("span", { class: "rl-fork", hidden: true });
    this.bar = el("span", { class: "rl-bar-done" });
    this.done = el("span");
    this.spent = el("span");
    this.button = el(
      "button",
      { type: "button", class: "rl-card", "data-run": id, onclick: press },
      el("span", { class: "rl-card-head" }, this.name, this.state),
      el("span", { class: "rl-bar", "aria-hidden": "true" }, this.bar),
      el("span", { class: "rl-card-foot" }, this.forks, this.done, this.spent),
    );
    this.nodes = [el("li", {}, this.button)];
  }

  update(run) {
    const all = Object.values(run.matches).reduce((sum, number) => sum + number, 0);
    const over = (run.matches.finished ?? 0) + (run.matches.void ?? 0);
    put(this.name, run.name);
    put(this.state, run.status);
    mark(this.state, "status", run.status);
    const share = `${all ? (100 * over) / all : 0}%`;
    if (this.bar.style.width !== share) this.bar.style.width = share;
    this.forks.hidden = !run.forks;
    put(this.forks, run.forks === all ? "forks" : plural(run.forks, "fork"));
    put(this.done, `${count(over)} of ${plural(all, "match", "matches")}`);
    put(this.spent, run.calls ? `${plural(run.calls, "call")} · ${plural(run.tokens, "token")} · ${cost(run)}` : "no model calls");
    this.button.title = `Begun ${new Date(run.created).toLocaleString()}`;
  }

  choose(on) {
    this.button.setAttribute("aria-current", on);
  }

  /** Scrolls the list, and nothing around it, to this card. */
  bring(box) {
    const [own, frame] = [this.button.getBoundingClientRect(), box.getBoundingClientRect()];
    if (own.bottom > frame.bottom || own.top < frame.top) box.scrollTop += own.top - frame.top - 8;
    if (own.right > frame.right || own.left < frame.left) box.scrollLeft += own.left - frame.left - 8;
  }
}

class MatchRow {
  constructor(match, list) {
    this.id = match.id;
    this.list = list;
    this.cells = COLUMNS.map((column) => el("td", { "data-column": column }));
    const [number, game, state, players] = this.cells;
    this.opener = el("button", { type: "button", class: "rl-open", "aria-label": `Details of match ${match.id}`, "aria-expanded": "false", onclick: (event) => this.toggle(event) }, icon(CHEVRON));
    number.append(this.opener, el("span", { class: "rl-number" }, `#${match.id}`), origin(match.fork) ?? "");
    game.textContent = match.title;
    this.state = el("span", { class: "rl-status" });
    state.append(this.state);
    players.append(
      ...match.seats.map((seat) =>
        el("span", { class: "rl-player" }, badge(seat.seat), el("bdi", { class: "rl-label", dir: "ltr" }, seat.label)),
      ),
    );
    this.cells[9].append(
      el("a", { class: "rl-link", href: `./?match=${match.id}`, target: "_self", "aria-label": `Replay of match ${match.id}` }, "Replay"),
    );
    this.result = el("span", { class: "rl-result" });
    this.cells[4].append(this.result);
    this.row = el("tr", { class: "rl-row", "data-match": match.id, onclick: (event) => this.pressed(event) }, this.cells);
    this.inner = el("td", { colspan: COLUMNS.length });
    this.detail = el("tr", { class: "rl-detail", hidden: true }, this.inner);
    this.nodes = [this.row, this.detail];
    this.choose(list.selected === this.id);
    this.open(list.opened.has(this.id));
  }

  update(match) {
    const label = (seat) => match.seats.find((one) => one.seat === seat)?.label ?? seat;
    const shared = match.winners.length > 1;
    const names = match.winners.map((seat) => (shared ? `${label(seat)} (${seat})` : label(seat)));
    put(this.state, match.status);
    mark(this.state, "status", match.status);
    const forfeit = match.reason === "forfeit";
    const won = [shared && !forfeit && "draw: ", names.map((name, place) => [place > 0 && ", ", el("bdi", { dir: "ltr" }, name)]), forfeit && " (forfeit)"];
    const result = el("span", {}, names.length ? won : el("bdi", {}, match.why ?? "–"));
    if (result.textContent !== this.result.textContent) this.result.replaceChildren(...result.childNodes);
    this.result.classList.toggle("rl-quiet", !names.length);
    put(this.cells[5], count(match.plies));
    put(this.cells[6], count(match.calls));
    put(this.cells[7], count(match.tokens));
    put(this.cells[8], match.calls ? cost(match) : "–");
    const known = JSON.stringify([match.seats, match.why, match.reason]);
    if (known !== this.known) {
      this.known = known;
      this.inner.replaceChildren(detail(match));
    }
  }

  pressed(event) {
    if (event.composedPath().some((node) => node instanceof Element && node.matches("a, button"))) return;
    this.list.select(this.id);
  }

  toggle() {
    const on = this.detail.hidden;
    if (on) this.list.opened.add(this.id);
    else this.list.opened.delete(this.id);
    this.open(on);
  }

  open(on) {
    this.detail.hidden = !on;
    this.opener.setAttribute("aria-expanded", on);
  }

  choose(on) {
    if (on) this.row.setAttribute("aria-current", "true");
    else this.row.removeAttribute("aria-current");
  }
}

/** What calls cost: of those whose price is known, and whether there are others. */
function cost(sums) {
  return money(sums.cost) + (sums.unpriced ? " + unknown" : "");
}

/** Where a fork comes from, with a link to that ply. */
function origin(fork) {
  if (!fork) return null;
  const from = fork.match === null ? `fork at ply ${fork.ply}` : el("a", { href: `./?match=${fork.match}&ply=${fork.ply}`, target: "_self" }, `fork of #${fork.match} at ply ${fork.ply}`);
  return el("span", { class: "rl-fork" }, from);
}

function badge(seat) {
  return el("span", { class: "rl-badge", "data-seat": seat, title: capital(seat) }, initial(seat));
}

/** A match's seats with their sums, and why it stands as it does. */
function detail(match) {
  const heads = ["Seat", "Player", "Place", "Turns", "Forced", "Fallback", "Illegal", "Unreadable", "Failed calls", "Calls", "Prompt", "Cached", "Completion", "Cost"];
  const fields = ["turns", "forced", "fallback", "illegal", "unreadable", "failed", "calls", "prompt_tokens", "cached_tokens", "completion_tokens"];
  const line = (seat) =>
    el(
      "tr",
      {},
      el("td", {}, badge(seat.seat), ` ${capital(seat.seat)}`),
      el("td", {}, [seat.label, seat.model, seat.persona && `persona ${seat.persona}`].filter(Boolean).map((part, place) => [place > 0 && " · ", el("bdi", { dir: "ltr" }, part)])),
      el("td", {}, count(seat.place)),
      fields.map((field) => el("td", {}, count(seat.sums[field]))),
      el("td", {}, seat.sums.calls ? cost(seat.sums) : "–"),
    );
  return el(
    "div",
    { class: "rl-inner" },
    match.why && el("p", { class: "rl-why" }, `${capital(match.status)}: `, el("bdi", {}, match.why)),
    match.reason && el("p", { class: "rl-reason" }, `Ended by: ${match.reason.replaceAll("_", " ")}`),
    el(
      "div",
      { class: "rl-scroll", tabindex: "0", role: "group", "aria-label": "Seats" },
      el("table", { class: "rl-seats" }, el("thead", {}, el("tr", {}, heads.map((head) => el("th", { scope: "col" }, head)))), el("tbody", {}, match.seats.map(line))),
    ),
  );
}
