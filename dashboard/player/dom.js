// Making elements. Text from models and files reaches the page through `textContent` alone, after `plain`.

const SVG = "http://www.w3.org/2000/svg";
const INVISIBLE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]|[\ud800-\udfff]/gu;
const USUAL = /^[\x20-\x7e]*$/;

/** Text in which characters that are not seen, or that turn the direction of others, stand as escapes. */
export function plain(text) {
  const given = String(text ?? "");
  return USUAL.test(given) ? given : given.replace(INVISIBLE, (char) => `\\u{${char.codePointAt(0).toString(16)}}`);
}

/** Sets attributes (`class`, `aria-…`, …) and listeners (`onclick`, …); null and false leave one out. */
function equip(node, attributes) {
  for (const name in attributes) {
    const value = attributes[name];
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : typeof value === "number" || name === "d" ? value : plain(value));
  }
}

function fill(node, children) {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    if (Array.isArray(child)) fill(node, child);
    else node.append(child instanceof Node ? child : plain(child));
  }
  return node;
}

/** An HTML element; strings among the children become text, never markup. */
export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  equip(node, attributes);
  return fill(node, children);
}

/** The same for SVG. */
export function svg(tag, attributes = {}, ...children) {
  const node = document.createElementNS(SVG, tag);
  equip(node, attributes);
  return fill(node, children);
}

/** A 16-unit icon from one path. */
export function icon(path) {
  return svg("svg", { viewBox: "0 0 16 16", class: "icon", "aria-hidden": "true" }, svg("path", { d: path }));
}

export function capital(word) {
  return word ? word[0].toUpperCase() + word.slice(1) : "";
}

/** A seat in a small round mark: its first letter, or a name of two characters as it is (`P1`). */
export function initial(seat) {
  return seat.length <= 2 ? seat.toUpperCase() : capital(seat).slice(0, 1);
}

export function shorten(text, length) {
  const chars = [...plain(text)];
  return chars.length <= length ? chars.join("") : `${chars.slice(0, length - 1).join("")}…`;
}

export function count(number) {
  if (number === null || number === undefined) return "–";
  const [whole, rest] = String(number).split(".");
  return whole.replace(/\B(?=(\d{3})+$)/g, ",") + (rest ? `.${rest}` : "");
}

/** One thing or several: `1 call`, `2 calls`. */
export function plural(number, one, many = `${one}s`) {
  return `${count(number)} ${number === 1 ? one : many}`;
}

/** US dollars with as many digits as a small sum needs. */
export function money(usd) {
  if (usd === null || usd === undefined) return "–";
  if (usd === 0) return "$0";
  const digits = usd >= 1 ? 2 : Math.min(8, 2 - Math.floor(Math.log10(usd)));
  return `$${usd.toFixed(digits)}`;
}

export function duration(ms) {
  if (ms === null || ms === undefined) return "–";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return ms < 60000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.floor(ms / 60000)} min ${Math.round((ms % 60000) / 1000)} s`;
}

/** The events that a drawing may tell of: those that its reader learns of, or all there are where nobody sorted them. */
export function happened(context) {
  return context.events ?? context.frame.events;
}

/** A part of a drawing: that of the drawing before if nothing it depends on (all of it in `key`) has changed, else new. */
export function kept(context, key, make) {
  if (!context.kept) return make();
  const node = context.kept.before.get(key) ?? make();
  context.kept.now.set(key, node);
  return node;
}

/** Marks an element as `dark` or `light` after the page around it, whoever chose the theme. */
export function followTheme(element, dark = () => darkBelow(element)) {
  element.dataset.theme = dark() ? "dark" : "light";
}

function darkBelow(element) {
  const probe = el("span", { style: "color: var(--st-background-color, Canvas); display: none" });
  element.append(probe);
  const [red, green, blue] = (getComputedStyle(probe).color.match(/[\d.]+/g) ?? ["255", "255", "255"]).map(Number);
  probe.remove();
  return 0.299 * red + 0.587 * green + 0.114 * blue < 128;
}
