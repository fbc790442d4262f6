// A table: sorted by a click on a head, and taken away as CSV. Every text in it is text, whoever wrote it.

import { el, plain } from "../player/dom.js";

const LONGEST = 300;
/** Longer texts take several lines, so that they are read to their end. */
const LINE = 60;

/** What a cell shows: in it names of any direction keep to themselves, and stand in the order of charts and terminals. */
function words(text) {
  const whole = String(text);
  return el("bdi", { dir: "ltr" }, whole.length > LONGEST ? `${whole.slice(0, LONGEST)}…` : whole);
}

function kind(column) {
  return column.number ? "sh-number" : column.name ? "sh-name" : null;
}

class Sheet {
  constructor(parent, data) {
    this.data = data;
    this.order = data.rows.map((_, place) => place);
    this.heads = data.columns.map((column, place) => this.head(column, place));
    this.body = el("tbody");
    this.table = el(
      "table",
      {},
      el("caption", {}, data.title),
      el("thead", {}, el("tr", {}, this.heads)),
      this.body,
    );
    this.save = el("button", { type: "button", class: "sh-save", onclick: () => this.download() }, "CSV");
    this.save.setAttribute("aria-label", plain(`Download as CSV: ${data.title}`));
    this.root = el(
      "div",
      { class: "sh" },
      el("div", { class: "sh-head" }, el("h3", {}, words(data.title)), this.save),
      data.note ? el("p", { class: "sh-note" }, data.note) : null,
      el("div", { class: "sh-box", tabindex: "0", role: "region", "aria-label": data.title }, this.table),
    );
    parent.append(this.root);
    this.fill();
  }

  head(column, place) {
    const sorter = el("button", { type: "button", onclick: () => this.sort(place), title: column.help || null }, column.title);
    return el("th", { scope: "col", class: kind(column), "aria-sort": "none" }, sorter);
  }

  /** Numbers begin with the largest, texts with the first; a second click turns that round. What is open stays last. */
  sort(place) {
    const down = this.data.columns[place].number;
    this.turned = this.by === place ? !this.turned : false;
    this.by = place;
    const sign = down === this.turned ? 1 : -1;
    const value = (row) => this.data.rows[row].sort[place];
    this.order.sort((one, two) => {
      const [a, b] = [value(one), value(two)];
      if (a === null || b === null) return (a === null) - (b === null) || one - two;
      const apart = typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));
      return sign * apart || one - two;
    });
    this.heads.forEach((head, at) => head.setAttribute("aria-sort", at === place ? (sign > 0 ? "ascending" : "descending") : "none"));
    this.fill();
  }

  fill() {
    this.body.replaceChildren(...this.order.map((place) => this.row(this.data.rows[place])));
  }

  row({ cells, href }) {
    return el(
      "tr",
      {},
      cells.map((text, place) => {
        const column = this.data.columns[place];
        const title = column.name ? text : null;
        const shape = kind(column) ?? (String(text).length > LINE ? "sh-long" : null);
        if (place) return el("td", { class: shape, title }, words(text));
        const behind = column.name ? `${text}: the matches behind this row` : "The matches behind this row";
        const name = href ? el("a", { href, target: "_self", title: behind }, words(text)) : words(text);
        return el("th", { scope: "row", class: kind(column), title }, name);
      }),
    );
  }

  download() {
    const file = new Blob([this.data.csv], { type: "text/csv;charset=utf-8" });
    const link = el("a", { href: URL.createObjectURL(file), download: this.data.file });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  }

  destroy() {
    this.root.remove();
  }
}
