// The search through a run. The address holds all of it, so that a search can be sent and loaded again.

import { capital, count, el, followTheme, plain, plural } from "../player/dom.js";
import { badge } from "../player/lists.js";

const PAGE = 50;
/** An address asks for no more hits at once than so many. */
const MOST = 1000;
const PAUSE = 300;
const WHATS = { message: "messages", pledge: "pledges", action: "actions", event: "events", illegal: "illegal answers" };
const FATES = { broken: "✗ broken", kept: "✓ kept", untested: "– never tested", void: "∅ void" };
/** Which sorts of moments have what a filter asks for. */
const HAVE = { to: ["message", "pledge"], kind: ["event", "pledge"], verdict: ["pledge"] };
const FILTERS = ["what", "by", "to", "kind", "verdict"];

class Find {
  /** `fetchFound(path, query, signal)` gives the JSON of `choices` or of `hits`. */
  constructor(element, fetchFound) {
    this.fetchFound = fetchFound;
    this.asking = {};
    const asked = new URLSearchParams(location.search);
    this.query = Object.fromEntries(["run", "words", ...FILTERS].map((name) => [name, asked.get(name) ?? ""]));
    const wanted = /^\d{1,6}$/.test(asked.get("hits") ?? "") ? Number(asked.get("hits")) : PAGE;
    this.wanted = Math.min(MOST, Math.max(PAGE, wanted));
    this.build();
    element.append(this.root);
    followTheme(this.root);
    this.choose();
  }

  build() {
    this.runBox = el("select", { class: "fd-run", "aria-label": "Run", onchange: () => this.otherRun() });
    this.words = el("input", {
      class: "fd-words",
      type: "search",
      placeholder: "Words, all of which occur…",
      "aria-label": "Words",
      maxlength: 200,
      oninput: () => this.typed(),
    });
    this.words.value = this.query.words;
    const names = { what: "What", by: "Who", to: "To whom", kind: "Kind", verdict: "Verdict" };
    this.boxes = Object.fromEntries(FILTERS.map((name) => [name, el("select", { class: "fd-box", "aria-label": names[name], onchange: () => this.chosen(name) })]));
    this.fields = Object.fromEntries(FILTERS.map((name) => [name, el("label", { class: "fd-field", "data-field": name }, el("span", {}, names[name]), this.boxes[name])]));
    this.reset = el("button", { type: "button", class: "fd-button", onclick: () => this.clear() }, "Clear");
    this.status = el("p", { class: "fd-status", role: "status" });
    this.fault = el("p", { class: "pl-halt fd-fault", role: "alert", dir: "auto", hidden: true });
    this.note = el("p", { class: "pl-halt fd-note", role: "note", dir: "auto", hidden: true });
    this.list = el("ol", { class: "fd-hits", "aria-label": "Hits" });
    this.more = el("button", { type: "button", class: "fd-button fd-more", hidden: true, onclick: () => this.another() }, `Show ${PAGE} more`);
    this.none = el("div", { class: "fd-none", hidden: true }, el("p", {}, "No run yet."), el("p", {}, el("code", {}, "parley run runs/bots.yaml"), " plays a first tournament in seconds."));
    this.form = el(
      "form",
      { class: "fd-form", role: "search", "aria-label": "Moments of a run", onsubmit: (event) => this.submitted(event) },
      this.words,
      el("div", { class: "fd-fields" }, Object.values(this.fields), this.reset),
    );
    this.root = el(
      "div",
      { class: "pl fd", role: "region", "aria-label": "Find a moment" },
      el("header", { class: "fd-head" }, el("h1", {}, "Find"), this.runBox),
      this.none,
      this.note,
      this.form,
      this.fault,
      this.status,
      this.list,
      this.more,
    );
  }

  destroy() {
    clearTimeout(this.waiting);
    for (const asking of Object.values(this.asking)) asking.abort();
    this.root.remove();
  }

  /** Fetches what can be chosen in the run, then looks. */
  async choose() {
    this.offer({ runs: this.runs ?? [], seats: [], labels: [], kinds: [] });
    const found = await this.fetched("choices", this.query);
    if (!found) return;
    this.runs = found.runs;
    this.none.hidden = found.runs.length > 0;
    this.form.hidden = this.runBox.hidden = !this.none.hidden;
    if (found.fault) this.showFault(found.fault);
    this.note.hidden = !found.note;
    this.note.textContent = plain(found.note ?? "");
    for (const name of found.left_out ?? []) this.query[name] = "";
    if (found.run) this.query.run = String(found.run);
    this.offer({ seats: [], labels: [], kinds: [], ...found });
    if (found.run) this.look();
    else this.say("");
  }

  offer({ runs, seats, labels, kinds, matches }) {
    this.matches = matches;
    const { query } = this;
    offerIn(this.runBox, [...(runs.some((run) => String(run.id) === query.run) ? [] : [[query.run, "Choose a run"]]), ...runs.map((run) => [String(run.id), run.name])], query.run);
    const who = [
      ["Seats", seats.map((seat) => [seat, capital(seat)])],
      ["Players", labels.map((label) => [label, label])],
    ];
    offerIn(this.boxes.what, [["", "anything"], ...Object.entries(WHATS)], query.what);
    offerIn(this.boxes.by, [["", "anybody"], ...who], query.by);
    offerIn(this.boxes.to, [["", "anybody"], ["all", "all"], ...who], query.to);
    offerIn(this.boxes.kind, [["", "any"], ...kinds.map((kind) => [kind, spaced(kind)])], query.kind);
    offerIn(this.boxes.verdict, [["", "any"], ...Object.entries(FATES)], query.verdict);
    this.showFields();
  }

  /** Only what the sort of moment has can be asked for; what is set is always to be seen. */
  showFields() {
    const { query } = this;
    for (const [name, whats] of Object.entries(HAVE)) {
      this.fields[name].hidden = Boolean(query.what) && !whats.includes(query.what) && !query[name];
    }
    this.reset.disabled = !this.asks;
  }

  get asks() {
    return Boolean(this.query.words.trim()) || FILTERS.some((name) => this.query[name]);
  }

  otherRun() {
    this.query = { ...this.query, run: this.runBox.value, by: "", to: "", kind: "" };
    this.wanted = PAGE;
    this.choose();
  }

  typed() {
    this.query.words = this.words.value;
    this.wanted = PAGE;
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.look(), PAUSE);
  }

  submitted(event) {
    event.preventDefault();
    this.look();
  }

  chosen(name) {
    this.query[name] = this.boxes[name].value;
    if (name === "what" && this.query.what) {
      for (const [other, whats] of Object.entries(HAVE)) {
        if (whats.includes(this.query.what)) continue;
        this.query[other] = "";
        this.boxes[other].value = "";
      }
    }
    this.wanted = PAGE;
    this.look();
  }

  clear() {
    for (const name of FILTERS) this.query[name] = this.boxes[name].value = "";
    this.query.words = this.words.value = "";
    this.wanted = PAGE;
    this.words.focus();
    this.look();
  }

  writeAddress() {
    const address = new URL(location.href);
    const values = { ...this.query, hits: this.wanted > PAGE ? this.wanted : "" };
    for (const [name, value] of Object.entries(values)) {
      if (value) address.searchParams.set(name, value);
      else address.searchParams.delete(name);
    }
    history.replaceState(history.state, "", address);
  }

  /** Begins the search anew. */
  async look() {
    clearTimeout(this.waiting);
    this.asking.hits?.abort();
    this.showFields();
    this.writeAddress();
    this.showFault("");
    this.shown = [];
    this.mark = "";
    this.list.replaceChildren();
    this.more.hidden = true;
    if (this.asks) await this.goOn();
    else this.say(`Type words, or choose what to look for${this.matches === undefined ? "" : ` in ${plural(this.matches, "match", "matches")}`}.`);
  }

  /** Asks on until there are as many hits as are wanted, or no more; whether it came so far. */
  async goOn() {
    this.list.setAttribute("aria-busy", "true");
    // What is found at once is not announced as being looked for.
    const slow = setTimeout(() => this.say("Looking…"), PAUSE);
    try {
      do {
        const found = await this.fetched("hits", { ...this.query, mark: this.mark, limit: this.wanted - this.shown.length });
        clearTimeout(slow);
        if (!found) return false;
        if (found.fault) {
          this.list.removeAttribute("aria-busy");
          this.say("");
          this.showFault(found.fault);
          return false;
        }
        this.add(found.hits);
        this.mark = found.mark;
        this.looked = found;
        if (this.mark && this.shown.length < this.wanted) this.say(`Looking… ${plural(this.shown.length, "hit")} in ${count(found.looked)} of ${plural(found.of, "match", "matches")}.`);
      } while (this.mark && this.shown.length < this.wanted);
    } finally {
      clearTimeout(slow);
    }
    this.list.removeAttribute("aria-busy");
    this.more.hidden = !this.mark;
    this.say(this.summary());
    return true;
  }

  summary() {
    const all = plural(this.looked.of, "match", "matches");
    const hits = this.shown.length;
    if (!hits) return `Nothing found in ${all}.`;
    const matches = new Set(this.shown.map((hit) => hit.match)).size;
    if (this.mark) return `The first ${plural(hits, "hit")}, from ${plural(matches, "match", "matches")} of ${count(this.looked.of)}.`;
    return `${plural(hits, "hit")}, from ${plural(matches, "match", "matches")} of ${count(this.looked.of)}.`;
  }

  async another() {
    const before = this.shown.length;
    this.wanted = before + PAGE;
    this.writeAddress();
    this.more.hidden = true;
    if (await this.goOn()) this.list.children[before]?.querySelector("a").focus();
  }

  /** The answer, or null when another question of its kind was asked meanwhile or there is none. */
  async fetched(path, query) {
    this.asking[path]?.abort();
    const asking = (this.asking[path] = new AbortController());
    try {
      const found = await this.fetchFound(path, query, asking.signal);
      return asking.signal.aborted ? null : found;
    } catch {
      if (asking.signal.aborted) return null;
      this.say("");
      this.showFault("The dashboard does not answer. Is it still running? Load the page again.");
      return null;
    }
  }

  showFault(text) {
    this.fault.hidden = !text;
    this.fault.textContent = plain(text ?? "");
  }

  say(text) {
    followTheme(this.root);
    if (this.status.textContent !== text) this.status.textContent = text;
  }

  add(hits) {
    const words = wordsOf(this.query.words);
    this.list.append(...hits.map((hit) => row(hit, words)));
    this.shown.push(...hits);
  }
}

/** Options of a select; a pair of a name and a list is a group. What is chosen but not offered is offered too. */
function offerIn(box, options, value) {
  const option = ([name, text]) => el("option", { value: name }, text);
  const made = options.map(([name, rest]) => (Array.isArray(rest) ? rest.length && el("optgroup", { label: name }, rest.map(option)) : option([name, rest])));
  const known = options.some(([name, rest]) => (Array.isArray(rest) ? rest.some(([inner]) => inner === value) : name === value));
  box.replaceChildren(...made.filter(Boolean), ...(known ? [] : [option([value, value])]));
  box.value = value;
}

function spaced(kind) {
  return kind.replaceAll("_", " ");
}

/** A pattern of what was looked for; null where no words were. */
function wordsOf(text) {
  const words = text.split(/\s+/).filter(Boolean).map((word) => plain(word).replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"));
  return words.length ? new RegExp(`(${words.sort((one, other) => other.length - one.length).join("|")})`, "iu") : null;
}

/** The text with the found words marked. Each part is a text node. */
function marked(text, words) {
  const clean = plain(text);
  if (!words) return [clean];
  return clean.split(words).map((part, place) => (place % 2 ? el("mark", {}, part) : part));
}

function row(hit, words) {
  const to = hit.to && hit.to !== "all" ? `to ${capital(hit.to)}` : hit.to ? "to all" : "";
  const sort = { message: "message", pledge: "pledge", action: "action", event: spaced(hit.kind ?? ""), illegal: "illegal answer" }[hit.what];
  return el(
    "li",
    { class: "fd-hit", "data-what": hit.what, "data-verdict": hit.verdict },
    el(
      "div",
      { class: "fd-hit-head" },
      badge(hit.seat),
      el("strong", {}, capital(hit.seat)),
      hit.label && hit.label !== hit.seat && el("bdi", { class: "fd-label", dir: "ltr" }, hit.label),
      to && el("span", { class: "fd-to" }, to),
      el("span", { class: "pl-mark fd-sort" }, sort),
      hit.verdict && el("span", { class: `pl-mark fd-verdict pl-${hit.verdict}` }, FATES[hit.verdict]),
      ["forced", "fallback"].includes(hit.source) && el("span", { class: "pl-mark" }, hit.source),
      el("a", { class: "fd-place", href: `./?match=${hit.match}&ply=${hit.ply}`, target: "_self", "aria-label": `Match ${hit.match}, ply ${hit.ply}` }, `#${hit.match} · ply ${hit.ply}`),
    ),
    el("p", { class: "fd-text", dir: "auto" }, marked(hit.text, words)),
  );
}
