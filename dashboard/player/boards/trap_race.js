// The trap race's board from above, row 30 on top: terrain by biome, pieces as numbered shapes, what is known of traps.

import { capital, happened, kept, plural, shorten, svg } from "../dom.js";
import { ROWS, axes, centre, corner, ground, groundStyle } from "./parts/trap_ground.js";

const SEATS = ["south", "north"];
const GOAL = 5;
const CAP = 200;
const WIDE = { width: 780, height: 600, cell: 18, board: [26, 20], panels: { north: [592, 20], south: [592, 306] }, panel: { width: 182, height: 272 } };
const NARROW = { width: 382, height: 646, cell: 11.8, board: [14, 14], panels: { north: [4, 398], south: [194, 398] }, panel: { width: 184, height: 244 } };
const POWERS = { trap: "extra trap", terraform: "terraform" };
const HOLDS = { steps: "extra steps", bridge: "a bridge", sense: "trap sense", booby: "a booby trap" };
const STYLE = `
.trp { font-family: inherit; }
${groundStyle}
.trp [data-seat="south"] { --side: var(--blue); }
.trp [data-seat="north"] { --side: var(--red); }
.trp text { fill: var(--ink); text-anchor: middle; }
.trp .trp-start { text-anchor: start; }
.trp-piece > .trp-body { fill: var(--side); stroke: var(--ground); stroke-width: 1; }
.trp .trp-piece > text { fill: #fff; font-weight: 600; }
.trp-moved > .trp-body { stroke: var(--ink); stroke-width: 2; }
.trp-bridge { fill: none; stroke: var(--side); stroke-width: 1.4; stroke-dasharray: 2 1.6; }
.trp-from { fill: none; stroke: var(--ink); stroke-width: 1; stroke-dasharray: 2 2; }
.trp-live > path { fill: color-mix(in srgb, var(--side) 30%, var(--ground)); stroke: var(--side); stroke-width: 1.6; }
.trp .trp-live > text { fill: var(--side); font-weight: 600; }
.trp-known > path { stroke-dasharray: 3 1.4; }
.trp-spent > path { fill: none; stroke: var(--side); stroke-width: 1.5; opacity: .75; }
.trp-fresh > path { stroke-width: 3; opacity: 1; }
.trp-box > rect { fill: var(--yellow); stroke: #5e4700; stroke-width: 1; }
.trp .trp-box > text { fill: #332600; font-weight: 600; }
.trp-open > rect { fill: none; stroke: color-mix(in srgb, var(--yellow) 55%, var(--ink)); stroke-dasharray: 3 2; }
.trp .trp-open > text { fill: var(--ink); }
.trp-pickup > path { fill: var(--good); stroke: var(--ground); stroke-width: 1; }
.trp .trp-pickup > text { fill: var(--ground); font-weight: 600; }
.trp-found > path { fill: none; stroke: var(--good); stroke-width: 1.3; }
.trp .trp-found > text { fill: var(--good); }
.trp-mark { fill: var(--yellow); stroke: #332600; stroke-width: .9; }
.trp-panel { fill: var(--ground); stroke: var(--line); stroke-width: 1.2; }
.trp-acts > .trp-panel { stroke: var(--accent); stroke-width: 2.4; }
.trp-won > .trp-panel { stroke: var(--good); stroke-width: 2.4; }
.trp .trp-name { font-size: 15px; font-weight: 600; }
.trp .trp-label, .trp .trp-small { font-size: 12px; fill: var(--muted); }
.trp .trp-fact { font-size: 12.5px; }
.trp-point { fill: none; stroke: var(--side); stroke-width: 1.4; }
.trp-scored { fill: var(--side); }
.trp-tag rect { fill: var(--accent); }
.trp .trp-tag text { font-size: 11px; font-weight: 600; fill: var(--on-accent); }
.trp-won .trp-tag rect { fill: var(--good); }
.trp .trp-won .trp-tag text { fill: var(--ground); }
`;

export const board = {
  status,
  draw,
  settings,
  reveal,
  signs,
  style: STYLE,
  captures: { label: "Piece lost", is: lost },
};

/** The options that set this match apart. */
function settings(options) {
  const cap = options.cap ?? CAP;
  return [
    cap === CAP ? null : `at most ${plural(cap, "turn")}`,
    options.water === undefined || options.water === 0.12 ? null : `water ${options.water}`,
    options.forest === undefined || options.forest === 0.22 ? null : `forest ${options.forest}`,
    options.attrition === "alive" ? "attrition by the living" : null,
  ].filter(Boolean);
}

function status(view, { outcome, frame }) {
  if (view.phase === "over" || (outcome && !frame.to_act)) return "The match is over";
  if (view.phase === "setup") return `${capital(view.to_act)} sets up`;
  return `Turn ${view.turn} of ${view.options.cap}: ${capital(view.to_act)} to move, ${plural(view.pool, "point")} left`;
}

function draw(view, context) {
  const layout = context.narrow ? NARROW : WIDE;
  const [x, y] = layout.board;
  const news = changes(happened(context));
  const size = layout.cell;
  return svg(
    "svg",
    { class: "trp", "data-biome": view.biome, viewBox: `0 0 ${layout.width} ${layout.height}`, role: "img", "aria-label": describe(view, context) },
    svg(
      "g",
      { transform: `translate(${x} ${y})` },
      kept(context, `ground ${size} ${view.terrain.join("")}`, () => svg("g", {}, ground(view.terrain, size))),
      kept(context, `axes ${size}`, () => svg("g", {}, axes(size))),
      news.from && svg("rect", { class: "trp-from", ...corner(news.from, size), width: size, height: size }),
      SEATS.map((seat) => traps(seat, view, news, size, context)),
      Object.entries(view.boxes).map(([tile, box]) => mysteryBox(tile, box, news, size)),
      pickup(view, size),
      SEATS.map((seat) => Object.entries(view.pieces[seat]).map(([number, tile]) => piece(seat, number, tile, view, news, size, context))),
      view.marks.map((mark) => bolt(mark, view, news, size)),
      leaving(happened(context), size),
    ),
    SEATS.map((seat) => panel(seat, view, context, layout)),
  );
}

/** Where the last action led, and what it set off. */
function changes(events) {
  const news = { from: null, piece: null, traps: new Set(), boxes: new Set(), marks: new Set() };
  for (const event of events) {
    if (event.kind === "move") Object.assign(news, { from: event.from, piece: `${event.seat} ${event.piece}` });
    if (event.kind === "sprung" || event.kind === "trap") news.traps.add(event.tile);
    if (event.kind === "box" || event.kind === "found") news.boxes.add(event.tile);
    if (event.kind === "nerf") news.marks.add(event.tile);
    if (event.kind === "sensed") for (const tile of event.tiles) news.traps.add(tile);
  }
  return news;
}

/** Pieces that left the board with this ply: seen on their way to where they were lost or came home. */
function leaving(events, size) {
  const moved = events.find((event) => event.kind === "move");
  const home = events.filter((event) => event.kind === "score").map((event) => ({ ...event, tile: moved?.to }));
  return [...events.filter(lost), ...home].filter((event) => event.tile).map((event) => {
    const seat = event.of ?? event.seat;
    const [x, y] = centre(event.tile, size);
    const from = moved?.seat === seat && moved.piece === event.piece ? moved.from : event.tile;
    return svg(
      "g",
      { class: "trp-piece", "data-seat": seat, "data-key": `gone ${event.piece}`, "data-ghost": true, "data-x": x, "data-y": y, "data-path": centre(from, size).join(",") },
      body(seat, x, y, size),
      svg("text", { x, y: y + size * 0.2, "font-size": size * 0.56 }, event.piece),
    );
  });
}

function lost(event) {
  return ["sprung", "nerf", "drowned"].includes(event.kind) || (event.kind === "box" && event.holds === "booby");
}

/** Live traps are triangles with their owner's letter, dashed where the other side has sensed them; spent ones crosses. */
function traps(seat, view, news, size, context) {
  const sensed = view.known[SEATS.find((other) => other !== seat)] ?? [];
  return Object.entries(view.traps[seat]).map(([tile, state]) => {
    const live = state === "live";
    const known = live && sensed.includes(tile);
    const fresh = news.traps.has(tile);
    return kept(context, `trap ${seat} ${tile} ${state} ${known} ${fresh} ${size}`, () => trap(seat, tile, live, known, fresh, size));
  });
}

function trap(seat, tile, live, known, fresh, size) {
  const half = size * 0.42;
  const [x, y] = centre(tile, size);
  const up = seat === "south" ? 1 : -1;
  const shape = live
    ? `M${x - half} ${y + up * half}L${x} ${y - up * half}L${x + half} ${y + up * half}z`
    : `M${x - half * 0.7} ${y - half * 0.7}L${x + half * 0.7} ${y + half * 0.7}M${x + half * 0.7} ${y - half * 0.7}L${x - half * 0.7} ${y + half * 0.7}`;
  const classes = [live ? "trp-live" : "trp-spent", known && "trp-known", fresh && "trp-fresh"];
  return svg(
    "g",
    {
      class: classes.filter(Boolean).join(" "),
      "data-seat": seat,
      "data-trap": tile,
      "data-state": live ? "live" : "spent",
      "data-effect": fresh && (live ? "pop" : "burst"),
    },
    svg("path", { d: shape }),
    live && svg("text", { x, y: y + (up > 0 ? half * 0.82 : half * 0.25), "font-size": size * 0.5 }, seat[0].toUpperCase()),
  );
}

function mysteryBox(tile, box, news, size) {
  const { x, y } = corner(tile, size);
  const [middle, height] = centre(tile, size);
  const letter = box.open ? box.holds[0].toUpperCase() : box.holds ? `?${box.holds[0].toUpperCase()}` : "?";
  return svg(
    "g",
    { class: `trp-box${box.open ? " trp-open" : ""}`, "data-box": tile, "data-state": box.open ? "open" : "closed", "data-effect": news.boxes.has(tile) && "burst" },
    svg("title", {}, box.holds ?? "closed"),
    svg("rect", { x: x + size * 0.1, y: y + size * 0.1, width: size * 0.8, height: size * 0.8, rx: size * 0.14 }),
    svg("text", { x: middle, y: height + size * 0.22, "font-size": size * (letter.length > 1 ? 0.5 : 0.62) }, letter),
  );
}

function pickup(view, size) {
  if (!view.pickup?.tile) return null;
  const [x, y] = centre(view.pickup.tile, size);
  const half = size * 0.46;
  return svg(
    "g",
    { class: `trp-pickup${view.pickup.found ? " trp-found" : ""}`, "data-pickup": view.pickup.tile, "data-state": view.pickup.found ? "found" : "hidden" },
    svg("title", {}, view.pickup.kind ? POWERS[view.pickup.kind] : "pickup"),
    svg("path", { d: `M${x} ${y - half}L${x + half} ${y}L${x} ${y + half}L${x - half} ${y}z` }),
    svg("text", { x, y: y + size * 0.2, "font-size": size * 0.52 }, "P"),
  );
}

/** South's pieces are round, north's are square; a dashed ring is a bridge. */
function piece(seat, number, tile, view, news, size, context) {
  const moved = news.piece === `${seat} ${number}`;
  const bridge = view.bridge[seat].includes(number);
  return kept(context, `piece ${seat} ${number} ${tile} ${moved} ${bridge} ${size}`, () => drawn(seat, number, tile, moved, bridge, size));
}

function drawn(seat, number, tile, moved, bridge, size) {
  const [x, y] = centre(tile, size);
  const ring = size * 0.62;
  return svg(
    "g",
    {
      class: `trp-piece${moved ? " trp-moved" : ""}`,
      "data-seat": seat,
      "data-piece": number,
      "data-tile": tile,
      "data-key": `${seat} ${number}`,
      "data-x": x,
      "data-y": y,
    },
    body(seat, x, y, size),
    bridge && svg("circle", { class: "trp-bridge", cx: x, cy: y, r: ring }),
    svg("text", { x, y: y + size * 0.2, "font-size": size * 0.56 }, number),
  );
}

function body(seat, x, y, size) {
  const half = size * 0.43;
  return seat === "south"
    ? svg("circle", { class: "trp-body", cx: x, cy: y, r: half })
    : svg("rect", { class: "trp-body", x: x - half, y: y - half, width: 2 * half, height: 2 * half, rx: size * 0.12 });
}

/** A nerf's mark; small and in the corner where a piece stands, whose number must stay readable. */
function bolt(mark, view, news, size) {
  const taken = SEATS.some((seat) => Object.values(view.pieces[seat]).includes(mark.tile));
  const [middle, height] = centre(mark.tile, size);
  const [x, y] = taken ? [middle + size * 0.4, height - size * 0.36] : [middle, height];
  const unit = (size / 18) * (taken ? 0.62 : 1);
  return svg("path", {
    class: "trp-mark",
    "data-mark": mark.tile,
    "data-effect": news.marks.has(mark.tile) && "burst",
    d: `M${x + 2 * unit} ${y - 8 * unit}l${-7 * unit} ${9 * unit}h${4 * unit}l${-2 * unit} ${7 * unit}l${7 * unit} ${-9 * unit}h${-4 * unit}z`,
  });
}

function panel(seat, view, context, layout) {
  const [x, y] = layout.panels[seat];
  const { width, height } = layout.panel;
  const acts = view.to_act === seat;
  const won = context.outcome?.winners.includes(seat) ?? false;
  const label = context.label(seat);
  const tag = won ? "★ winner" : acts ? (view.phase === "setup" ? "sets up" : "to move") : null;
  const wide = (tag?.length ?? 0) * 6.2 + 14;
  return svg(
    "g",
    { class: `${acts ? "trp-acts" : ""}${won ? " trp-won" : ""}`.trim(), "data-seat": seat, "data-panel": seat, transform: `translate(${x} ${y})` },
    svg("rect", { class: "trp-panel", width, height, rx: 12 }),
    seat === "south"
      ? svg("circle", { class: "trp-scored", cx: 19, cy: 19, r: 7 })
      : svg("rect", { class: "trp-scored", x: 12, y: 12, width: 14, height: 14, rx: 2 }),
    svg("text", { class: "trp-name trp-start", x: 34, y: 24 }, capital(seat)),
    tag &&
      svg(
        "g",
        { class: "trp-tag", transform: `translate(${width - wide - 8} 9)` },
        svg("rect", { width: wide, height: 19, rx: 9.5 }),
        svg("text", { x: wide / 2, y: 13.2 }, tag),
      ),
    label && svg("text", { class: "trp-label trp-start", x: 12, y: 46 }, svg("title", {}, label), shorten(label, 25)),
    Array.from({ length: GOAL }, (_, index) =>
      svg("circle", { class: `trp-point${index < view.score[seat] ? " trp-scored" : ""}`, cx: 19 + index * 19, cy: 68, r: 7 }),
    ),
    svg("text", { class: "trp-small trp-start", x: 116, y: 72 }, `row ${seat === "south" ? ROWS - 1 : 0}`),
    facts(seat, view, context).map((line, index) =>
      svg("text", { class: "trp-fact trp-start", x: 12, y: 96 + index * 19 }, shorten(line, 30)),
    ),
  );
}

/** What else there is to know of a side, one line each. */
function facts(seat, view, context) {
  const { held, coming } = view.tokens[seat];
  const standing = Object.keys(view.pieces[seat]).length;
  const states = Object.values(view.traps[seat]);
  const seen = (state) => states.filter((each) => each === state).length;
  if (view.phase === "setup") {
    const hidden = context.eyes !== "spectator" && context.eyes !== seat;
    return hidden ? ["setup not to be seen yet"] : [`${standing} of 15 pieces`, `${seen("live")} of 10 traps`];
  }
  const acts = view.to_act === seat;
  const extra = Object.entries(view.bonus).map(([number, points]) => `piece ${number}: ${points} extra`);
  return [
    `${standing} on the board, ${view.gone[seat]} gone`,
    `${plural(held, "token")}${coming ? `, ${coming} to come` : ""}`,
    `${context.eyes === "spectator" || context.eyes === seat ? "traps" : "known traps"}: ${seen("live")} live, ${seen("spent")} spent`,
    view.bridge[seat].length ? `bridge: piece ${view.bridge[seat].join(", ")}` : null,
    acts ? `${view.pool} of 10 points left` : null,
    ...(acts ? extra : []),
    acts && view.sense.length ? `trap sense: piece ${view.sense.join(", ")}` : null,
    acts && view.power ? `in hand: ${POWERS[view.power]}` : null,
  ].filter(Boolean);
}

/** Each sign on a tile of its own, and what it means. */
function signs() {
  const tile = "0,0";
  const view = { bridge: { south: ["1"], north: [] }, known: {}, pieces: { south: {}, north: {} } };
  const nothing = changes([]);
  const known = (seat, state, sensed) => traps(seat, { ...view, traps: { [seat]: { [tile]: state } }, known: { north: sensed } }, nothing, 18, {});
  const on = (...inside) =>
    svg("svg", { class: "trp", viewBox: `-2 ${(ROWS - 1) * 18 - 2} 22 22`, "aria-hidden": "true" }, inside);
  const away = { ...view, bridge: { south: [], north: [] } };
  return [
    [on(piece("south", "1", tile, away, nothing, 18, {})), "a piece of south's (round)"],
    [on(piece("north", "2", tile, away, nothing, 18, {})), "a piece of north's (square)"],
    [on(piece("south", "1", tile, view, nothing, 18, {})), "with a bridge: may enter one water tile"],
    [on(known("south", "live", [])), "a live trap, with its owner's letter"],
    [on(known("south", "live", [tile])), "dashed: the other side has sensed it"],
    [on(known("south", "spent", [])), "a trap that has sprung"],
    [on(mysteryBox(tile, { open: false }, nothing, 18)), "a box; opened, it is dashed and shows its content's letter"],
    [on(pickup({ pickup: { tile, found: false } }, 18)), "the pickup; hollow when found"],
    [on(bolt({ tile }, view, nothing, 18)), "a nerf landed here"],
  ];
}

/** What lay hidden to the end: traps that nobody stepped on, the pickup that nobody found, boxes that nobody opened. */
function reveal(view) {
  const live = (seat) => Object.entries(view.traps[seat]).filter(([, state]) => state === "live").map(([tile]) => tile);
  const closed = Object.entries(view.boxes).filter(([, box]) => !box.open && box.holds);
  return [
    ...SEATS.map((seat) => [`${capital(seat)}'s traps that never fired`, live(seat).join(" · ") || "none"]),
    view.pickup && !view.pickup.found && view.pickup.tile ? ["Pickup that nobody found", `${POWERS[view.pickup.kind]} at ${view.pickup.tile}`] : null,
    closed.length ? ["Boxes that nobody opened", closed.map(([tile, box]) => `${HOLDS[box.holds]} at ${tile}`).join(" · ")] : null,
  ].filter(Boolean);
}

/** The board in words, for those who hear it. */
function describe(view, context) {
  const sides = SEATS.map((seat) => {
    const pieces = Object.entries(view.pieces[seat]).map(([number, tile]) => `${number} at ${tile}`);
    const live = Object.entries(view.traps[seat]).filter(([, state]) => state === "live").map(([tile]) => tile);
    return [
      `${capital(seat)}: ${plural(view.score[seat], "point")}, ${facts(seat, view, context).join(", ")}.`,
      pieces.length ? `Pieces: ${pieces.join("; ")}.` : "No pieces to be seen.",
      live.length ? `Live traps: ${live.join("; ")}.` : "No live traps to be seen.",
    ].join(" ");
  });
  const boxes = Object.entries(view.boxes).map(([tile, box]) => `Box at ${tile}: ${box.open ? `opened, ${box.holds}` : "closed"}.`);
  const found = view.pickup ? [view.pickup.found ? `Pickup found at ${view.pickup.tile}.` : "Pickup not found."] : [];
  const marks = view.marks.map((mark) => `A nerf landed on ${mark.tile}.`);
  return [`${status(view, context)}.`, `Biome: ${view.biome}.`, ...sides, ...boxes, ...found, ...marks].join(" ");
}
