// The table of towers to twenty-one: six towers as columns, as high as they count, and each player's stones beside them.

import { capital, happened, shorten, svg } from "../dom.js";

const SEATS = ["p1", "p2"];
const WHEEL = ["red", "orange", "yellow", "green", "blue", "purple"];
const GOAL = 21;
const UNIT = 16;
const PANEL = { width: 186, height: 500 };
const WIDE = { width: 780, height: 548, seats: { p1: [8, 8], p2: [586, 8] }, towers: { x: 204, width: 372, base: 400 } };
const NARROW = { width: 380, height: 1020, seats: { p1: [2, 512], p2: [192, 512] }, towers: { x: 6, width: 368, base: 382 } };
const STYLE = `
.t21 { font-family: inherit; --orange: #b9570f; --purple: #7b46b5; --grey: #6d7480; }
.pl[data-theme="dark"] .t21 { --orange: #c96a1f; --purple: #9566cf; --grey: #858d9a; }
.t21 [data-colour] { --stone: var(--soft); --on-stone: var(--ink); }
${WHEEL.map((colour) => `.t21 [data-colour="${colour}"] { --stone: var(--${colour}); --on-stone: ${colour === "yellow" ? "#332600" : "#fff"}; }`).join("\n")}
.t21 [data-colour="grey"] { --stone: var(--grey); --on-stone: #fff; }
.t21 text { fill: var(--ink); text-anchor: middle; }
.t21 .t21-start { text-anchor: start; }
.t21 .t21-muted { fill: var(--muted); font-size: 10.5px; }
.t21 .t21-name { font-size: 15px; font-weight: 600; }
.t21 .t21-label { font-size: 12px; fill: var(--muted); }
.t21 .t21-total { font-size: 19px; font-weight: 600; }
.t21 .t21-tower { font-size: 12px; font-weight: 600; }
.t21-panel { fill: var(--ground); stroke: var(--line); stroke-width: 1.2; }
.t21-acts > .t21-panel { stroke: var(--accent); stroke-width: 2.4; }
.t21-won > .t21-panel { stroke: var(--good); stroke-width: 2.4; }
.t21-tag rect { fill: var(--accent); }
.t21 .t21-tag text { font-size: 11px; font-weight: 600; fill: var(--on-accent); }
.t21-won .t21-tag rect { fill: var(--good); }
.t21 .t21-won .t21-tag text { fill: var(--ground); }
.t21-stone > rect { fill: var(--stone); stroke: color-mix(in srgb, var(--stone) 72%, #000); stroke-width: 1; }
.t21 .t21-stone > text { fill: var(--on-stone); font-weight: 600; }
.t21-hidden > rect, .t21-taken > rect { fill: var(--soft); stroke: var(--line); }
.t21-taken > rect { fill: none; stroke-dasharray: 3 3; }
.t21 .t21-hidden > text { fill: var(--muted); }
.t21-spent { opacity: .34; }
.t21-fresh > rect { stroke: var(--ink); stroke-width: 2.4; }
.t21-ground { fill: var(--felt); stroke: var(--felt-edge); stroke-width: 1.2; }
.t21-made .t21-ground { stroke: var(--good); stroke-width: 2; }
.t21-goal { stroke: var(--muted); stroke-dasharray: 5 4; }
.t21 .t21-p1 { fill: var(--red); stroke: var(--ground); }
.t21 .t21-p2 { fill: var(--green); stroke: var(--ground); }
.t21 .t21-dot text { fill: #fff; font-size: 11px; font-weight: 600; }
`;

export const board = {
  status,
  draw,
  settings,
  reveal,
  signs,
  style: STYLE,
  captures: { label: "Joker replaced", is: (event) => event.kind === "replace" },
};

function settings(options) {
  const jokers = options.jokers ?? 3;
  const tie = options.tie_break === "closest" ? ["ties to the closest"] : [];
  return [jokers === 1 ? "1 joker each" : `${jokers} jokers each`, ...tie];
}

function status(view, { outcome, frame }) {
  if (view.phase === "over" || (outcome && !frame.to_act)) return "The match is over";
  const doing = view.phase === "take" ? "to take a line" : "to place a stone";
  return `Round ${view.round} of 6: ${view.to_act} ${doing}`;
}

function draw(view, context) {
  const layout = context.narrow ? NARROW : WIDE;
  const news = changes(happened(context));
  return svg(
    "svg",
    { class: "t21", viewBox: `0 0 ${layout.width} ${layout.height}`, role: "img", "aria-label": describe(view, context) },
    towers(view, layout, news),
    SEATS.map((seat) => panel(seat, view, context, layout.seats[seat], news)),
  );
}

/** What the last action touched, to be set off from the rest. */
function changes(events) {
  const news = { towers: new Map(), hand: null, line: null, discards: {} };
  for (const event of events) {
    if (event.kind === "place" || event.kind === "replace") news.towers.set(event.tower, event.seat);
    if (event.kind === "take") Object.assign(news, { hand: event.seat, line: event });
    if (event.kind === "discard") news.discards[event.seat] = event.stones.length;
  }
  return news;
}

function colourOf(stone) {
  return stone === "joker" ? "grey" : stone.slice(0, -1);
}

/** `R4` for red4, `J` for a joker. */
function short(stone) {
  return stone === "joker" ? "J" : stone[0].toUpperCase() + stone.at(-1);
}

function towers(view, layout, news) {
  const { x, width, base } = layout.towers;
  const slot = width / WHEEL.length;
  const top = base - GOAL * UNIT;
  return [
    WHEEL.map((colour, index) => tower(colour, view.towers[colour], x + index * slot, slot, base, news.towers.get(colour) ?? null, layout)),
    svg("line", { class: "t21-goal", x1: x, x2: x + width, y1: top, y2: top }),
    svg("text", { class: "t21-muted", x: x + width / 2, y: top - 8 }, `${GOAL}`),
    aside(view, x, base + 92, width),
  ];
}

function tower(colour, layers, left, slot, base, placer, layout) {
  const width = slot - 10;
  const x = left + 5;
  const total = layers.reduce((sum, layer) => sum + layer.counts, 0);
  const owner = layers.at(-1)?.by;
  let y = base;
  return svg(
    "g",
    { class: total === GOAL ? "t21-made" : "", "data-tower": colour, "data-total": total, "data-owner": owner ?? "nobody" },
    svg("rect", { class: "t21-ground", x: x - 2, y: base - GOAL * UNIT, width: width + 4, height: GOAL * UNIT + 2, rx: 6 }),
    layers.map((layer, index) => {
      const height = layer.counts * UNIT;
      y -= height;
      const laid = placer && index === layers.length - 1;
      const text = layer.stone === "joker" ? `J=${layer.counts}` : short(layer.stone);
      return svg(
        "g",
        {
          class: `t21-stone t21-layer${laid ? " t21-fresh" : ""}`,
          "data-colour": colourOf(layer.stone),
          "data-key": `${colour}.${index}`,
          "data-x": x,
          "data-y": y,
          "data-path": laid && `${layout.seats[placer][0] + 60},${layout.seats[placer][1] + 322}`,
        },
        svg("rect", { x, y: y + 1, width, height: height - 2, rx: 4 }),
        svg("text", { x: x + width / 2 - 3, y: y + height / 2 + 4.2, "font-size": 12 }, text),
        mark(layer.by, x + width - 7, y + height / 2, 3.6, 1),
      );
    }),
    svg("rect", { x: x - 2, y: base + 3, width: width + 4, height: 4, rx: 2, "data-colour": colour, style: "fill: var(--stone)" }),
    svg("text", { class: "t21-tower", x: x + width / 2, y: base + 22 }, colour),
    svg("text", { class: "t21-total", x: x + width / 2, y: base + 43 }, `${total}`),
    svg("text", { class: "t21-muted", x: x + width / 2, y: base + 57 }, total === GOAL ? "made" : `${GOAL - total} to go`),
    owner && dot(owner, x + width / 2, base + 72),
  );
}

/** Whose: red and round for player 1, green and square for player 2. */
function mark(seat, x, y, reach, stroke) {
  const look = { class: `t21-${seat}`, style: `stroke-width: ${stroke}` };
  if (seat === "p1") return svg("circle", { ...look, cx: x, cy: y, r: reach });
  // A square of a circle's reach looks larger than it.
  const half = reach * 0.9;
  return svg("rect", { ...look, x: x - half, y: y - half, width: 2 * half, height: 2 * half, rx: half / 3 });
}

/** The owner's mark, large enough for the player's number. */
function dot(seat, x, y) {
  return svg(
    "g",
    { class: "t21-dot" },
    mark(seat, x, y, 9, 1.5),
    svg("text", { x, y: y + 4 }, seat.slice(1)),
  );
}

/** Jokers that were replaced, and the stones not in play where they may be seen. */
function aside(view, x, y, width) {
  const removed = view.removed ?? [];
  const groups = [
    [removed, "not in play"],
    [view.out, "replaced"],
  ].filter(([stones]) => stones.length);
  return groups.map(([stones, name], index) => {
    const left = x + (groups.length === 1 ? 0 : (index * width * 7) / 12);
    return part(
      name.replaceAll(" ", "-"),
      svg("text", { class: "t21-muted t21-start", x: left + 4, y: y + 8 }, name),
      stones.map((stone, place) => tile(left + 4 + place * 25, y + 14, 22, stone)),
    );
  });
}

function tile(x, y, size, stone, { fresh = false, spent = false, text = null } = {}) {
  const state = stone === null ? " t21-taken" : stone === "?" ? " t21-hidden" : "";
  const classes = `t21-stone${state}${fresh ? " t21-fresh" : ""}${spent ? " t21-spent" : ""}`;
  const colour = stone === null || stone === "?" || WHEEL.includes(stone) || stone === "grey" || text ? stone : colourOf(stone);
  return svg(
    "g",
    { class: classes, "data-colour": colour ?? "none" },
    svg("rect", { x, y, width: size, height: size, rx: size / 6 }),
    svg("text", { x: x + size / 2, y: y + size * 0.66, "font-size": size * 0.44 }, stone === null ? "" : (text ?? (stone === "?" ? "?" : short(stone)))),
  );
}

function panel(seat, view, context, [x, y], news) {
  const acts = view.to_act === seat;
  const won = context.outcome?.winners.includes(seat) ?? false;
  const tag = won ? (context.outcome.winners.length > 1 ? "draw" : "★ winner") : acts ? (view.phase === "take" ? "takes a line" : "to place") : "";
  const label = context.label(seat);
  const current = view.round > 3 ? 1 : 0;
  const direction = view.direction[seat];
  return svg(
    "g",
    { class: `t21-seat${acts ? " t21-acts" : ""}${won ? " t21-won" : ""}`, "data-seat": seat, transform: `translate(${x} ${y})` },
    svg("rect", { class: "t21-panel", width: PANEL.width, height: PANEL.height, rx: 12 }),
    dot(seat, 20, 19),
    svg("text", { class: "t21-name t21-start", x: 35, y: 24 }, seat),
    label && svg("text", { class: "t21-label t21-start", x: 12, y: 46 }, svg("title", {}, label), shorten(label, 26)),
    tag && tagged(tag),
    caption(66, `grid ${current + 1}${direction ? `, by ${direction}s` : ""}`),
    part("grid", grid(view.grids[seat][current], 12, 72, 40, 4)),
    caption(220, current ? "grid 1 is used up" : "grid 2, from round 4"),
    part("later", current ? [] : grid(view.grids[seat][1], 12, 226, 21, 3)),
    caption(316, "hand"),
    part("hand", view.hands[seat].map((stone, index) => drawn(seat, index, news, tile(12 + index * 44, 322, 40, stone, { fresh: news.hand === seat })))),
    part("announced", announced(view.announced[seat])),
    part("discards", discards(view.discards[seat], news.discards[seat] ?? 0)),
  );
}

/** A stone of the hand, which comes from the grid when its line was taken just now. */
function drawn(seat, index, { line }, stone) {
  const [x, y] = [12 + index * 44, 322];
  const along = (Number(line?.line ?? 1) - 1) * 44;
  const from = line?.direction === "row" ? [12 + index * 44, 72 + along] : [12 + along, 72 + index * 44];
  return svg(
    "g",
    { "data-key": `hand ${seat} ${index}`, "data-x": x, "data-y": y, "data-path": line?.seat === seat && from.join(",") },
    stone,
  );
}

function part(name, ...inside) {
  return svg("g", { "data-part": name }, ...inside);
}

function caption(y, text) {
  return svg("text", { class: "t21-muted t21-start", x: 12, y }, text);
}

function tagged(tag) {
  const width = tag.length * 6.1 + 16;
  return svg(
    "g",
    { class: "t21-tag", transform: `translate(${PANEL.width - width - 8} 9)` },
    svg("rect", { width, height: 19, rx: 9.5 }),
    svg("text", { x: width / 2, y: 13.2 }, tag),
  );
}

function grid(stones, x, y, size, gap) {
  return stones.map((stone, cell) => tile(x + (cell % 3) * (size + gap), y + Math.floor(cell / 3) * (size + gap), size, stone));
}

/** What was announced of the line; what has been placed since is faded. */
function announced(said) {
  if (!said) return caption(384, "nothing announced yet");
  const left = [...said.left];
  return [
    caption(384, `announced ${said.kind}`),
    said.items.map((item, index) => {
      const at = left.indexOf(item);
      if (at >= 0) left.splice(at, 1);
      const numbers = said.kind === "numbers";
      const text = numbers ? `${item}` : item === "grey" ? "J" : item[0].toUpperCase();
      return tile(12 + index * 34, 390, 30, numbers ? "number" : item, { spent: at < 0, text });
    }),
  ];
}

function discards(stones, fresh) {
  return [
    caption(440, stones.length ? "discarded" : "nothing discarded"),
    stones.map((stone, index) => tile(12 + (index % 8) * 20.5, 446 + Math.floor(index / 8) * 20.5, 18, stone, { fresh: index >= stones.length - fresh })),
  ];
}

function signs() {
  const on = (...inside) => svg("svg", { class: "t21", viewBox: "0 0 22 22", "aria-hidden": "true" }, inside);
  return [
    [on(tile(1, 1, 20, "red4")), "a stone: its colour's first letter and its number"],
    [on(tile(1, 1, 20, "joker")), "a joker; on a tower with what it counts"],
    [on(tile(1, 1, 20, "?")), "a stone that these eyes may not see"],
    [on(tile(1, 1, 20, "green2", { spent: true })), "announced, and placed since"],
    [on(dot("p1", 11, 11)), "p1's: under a tower, of who placed its top stone; small on each stone, of who placed it"],
    [on(dot("p2", 11, 11)), "p2's, square"],
  ];
}

/** What was never seen: stones left out from the start, and those that stayed in grids and hands. */
function reveal(view) {
  const left = SEATS.map((seat) => [...view.grids[seat].flat(), ...view.hands[seat]].filter(Boolean));
  return [
    ["Never in play", (view.removed ?? []).join(" · ") || "none"],
    ...SEATS.map((seat, place) => [`${seat}'s stones that were never played`, left[place].join(" · ") || "none"]),
  ];
}

/** The table in words, for those who hear it. */
function describe(view, context) {
  const built = WHEEL.map((colour) => {
    const layers = view.towers[colour];
    if (!layers.length) return `${capital(colour)} tower: empty.`;
    const stones = layers.map((layer) => (layer.stone === "joker" ? `joker counting ${layer.counts}` : layer.stone)).join(", ");
    const total = layers.reduce((sum, layer) => sum + layer.counts, 0);
    return `${capital(colour)} tower: ${total}, owned by ${layers.at(-1).by}, bottom to top ${stones}.`;
  });
  const seats = SEATS.map((seat) => {
    const said = view.announced[seat];
    const hand = view.hands[seat].includes("?") ? `${view.hands[seat].length} hidden` : view.hands[seat].join(", ") || "none";
    return `${seat}: hand ${hand}${said ? `, announced ${said.kind} ${said.items.join(", ")}` : ""}.`;
  });
  return [`${status(view, context)}.`, ...built, ...seats].join(" ");
}
