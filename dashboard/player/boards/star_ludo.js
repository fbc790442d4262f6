// Star ludo's board: the classic cross, yards in the corners, home rows in the arms, and beside it the dice and the seats.

import { capital, happened, plural, shorten, svg } from "../dom.js";

const SEATS = ["red", "green", "yellow", "blue"];
const RING = ring();
const STARS = [0, 8, 13, 21, 26, 34, 39, 47];
const LAST = 50;
const HOME = 56;
const YARD = -1;
const CAP = 2000;
const REASONS = { double_six: "double six", capture: "capture", home: "pawn home" };
/** The yard's corner and the home row's cells, from the ring inwards; both in cells of the 15 by 15 board. */
const CORNERS = { red: [0, 0], green: [9, 0], yellow: [9, 9], blue: [0, 9] };
const ROWS = {
  red: (step) => [1 + step, 7],
  green: (step) => [7, 1 + step],
  yellow: (step) => [13 - step, 7],
  blue: (step) => [7, 13 - step],
};
const WIDE = { width: 780, height: 556, cell: 36, board: [8, 8], side: [566, 8], columns: 1, panel: [206, 92], gap: 100 };
const NARROW = { width: 380, height: 612, cell: 25, board: [2.5, 2], side: [4, 384], columns: 2, panel: [184, 70], gap: 76 };
const PIPS = {
  1: [[0, 0]],
  2: [[-1, -1], [1, 1]],
  3: [[-1, -1], [0, 0], [1, 1]],
  4: [[-1, -1], [1, -1], [-1, 1], [1, 1]],
  5: [[-1, -1], [1, -1], [0, 0], [-1, 1], [1, 1]],
  6: [[-1, -1], [1, -1], [-1, 0], [1, 0], [-1, 1], [1, 1]],
};
const STYLE = `
.lud { font-family: inherit; --gold: #c99400; }
.pl[data-theme="dark"] .lud { --gold: #ffd24a; }
.lud [data-colour] { --pawn: var(--muted); --on-pawn: #fff; }
${SEATS.map((seat) => `.lud [data-colour="${seat}"] { --pawn: var(--${seat}); --on-pawn: ${seat === "yellow" ? "#332600" : "#fff"}; }`).join("\n")}
.lud text { fill: var(--ink); }
.lud-ground { fill: var(--felt); stroke: var(--felt-edge); stroke-width: 1.5; }
.lud-cell { fill: var(--ground); stroke: var(--line); stroke-width: 1; }
.lud-cell.lud-shelter { fill: color-mix(in srgb, var(--ink) 9%, var(--ground)); }
.lud-cell.lud-own { fill: color-mix(in srgb, var(--pawn) 42%, var(--ground)); }
.lud-star { fill: color-mix(in srgb, var(--ink) 34%, var(--ground)); }
.lud-own + .lud-star { fill: color-mix(in srgb, var(--pawn) 78%, var(--ink)); }
.lud-yard { fill: color-mix(in srgb, var(--pawn) 30%, var(--ground)); stroke: color-mix(in srgb, var(--pawn) 60%, var(--ground)); stroke-width: 1.2; }
.lud-empty .lud-yard { fill: var(--soft); stroke: var(--line); stroke-dasharray: 4 4; }
.lud-nest { fill: var(--ground); stroke: var(--line); }
.lud-spot { fill: none; stroke: color-mix(in srgb, var(--pawn) 60%, var(--ground)); stroke-width: 1.2; stroke-dasharray: 3 3; }
.lud-triangle { fill: color-mix(in srgb, var(--pawn) 42%, var(--ground)); stroke: var(--line); }
.lud-empty .lud-triangle { fill: var(--soft); }
.lud-body { fill: var(--pawn); stroke: color-mix(in srgb, var(--pawn) 60%, #000); stroke-width: 1.2; stroke-linejoin: round; }
.lud .lud-number { fill: var(--on-pawn); font-weight: 600; text-anchor: middle; }
.lud-ring { fill: none; stroke: var(--gold); stroke-width: 3; }
.lud-from { fill: none; stroke: var(--gold); stroke-width: 2; stroke-dasharray: 3 3; }
.lud-hit { fill: none; stroke: var(--bad); stroke-width: 2; stroke-dasharray: 4 3; }
.lud-target { fill: var(--ink); opacity: .5; }
.lud-die rect { fill: var(--ground); stroke: var(--line); stroke-width: 1.4; }
.lud-die circle { fill: var(--ink); }
.lud-playing rect { stroke: var(--gold); stroke-width: 3; }
.lud-played { opacity: .38; }
.lud-panel { fill: var(--ground); stroke: var(--line); stroke-width: 1.2; }
.lud-acts > .lud-panel { stroke: var(--accent); stroke-width: 2.4; }
.lud-won > .lud-panel { stroke: var(--good); stroke-width: 2.4; }
.lud .lud-name { font-size: 15px; font-weight: 600; }
.lud .lud-label, .lud .lud-small { font-size: 12px; fill: var(--muted); }
.lud-tag rect { fill: var(--accent); }
.lud .lud-tag text { font-size: 11px; font-weight: 600; text-anchor: middle; fill: var(--on-accent); }
.lud-won .lud-tag rect { fill: var(--good); }
.lud .lud-won .lud-tag text { fill: var(--ground); }
`;

export const board = { status, draw, settings, signs, style: STYLE };

/** The options that set this match apart. */
function settings(options) {
  const cap = options.cap ?? CAP;
  return [cap === CAP ? null : `at most ${plural(cap, "roll")}`, options.extra === "stack" ? "extra turns stack" : null].filter(Boolean);
}

function status(view, { outcome, frame }) {
  if (view.phase === "over" || (outcome && !frame.to_act)) return "The match is over";
  return `${capital(view.to_act)} to play the ${view.dice[view.die]}`;
}

function draw(view, context) {
  const layout = context.narrow ? NARROW : WIDE;
  const [x, y] = layout.board;
  const news = changes(happened(context));
  return svg(
    "svg",
    { class: "lud", viewBox: `0 0 ${layout.width} ${layout.height}`, role: "img", "aria-label": describe(view, context) },
    svg(
      "g",
      { transform: `translate(${x} ${y})` },
      svg("rect", { class: "lud-ground", width: 15 * layout.cell, height: 15 * layout.cell, rx: 10 }),
      SEATS.map((seat) => corner(seat, view, layout.cell)),
      RING.map((_, square) => ringSquare(square, view, layout.cell)),
      SEATS.map((seat) => homeRow(seat, view, layout.cell)),
      targets(view, layout.cell),
      origin(news, layout.cell),
      view.seats.map((seat) => view.pawns[seat].map((place, pawn) => piece(seat, pawn, place, view, news, layout.cell))),
    ),
    side(view, context, layout),
  );
}

/** The 52 squares as columns and rows: clockwise from red's start, four arms that are quarter turns of the first. */
function ring() {
  const arm = [[1, 6], [2, 6], [3, 6], [4, 6], [5, 6], [6, 5], [6, 4], [6, 3], [6, 2], [6, 1], [6, 0], [7, 0], [8, 0]];
  const turned = ([column, row]) => [14 - row, column];
  const arms = [arm];
  for (let quarter = 1; quarter < 4; quarter += 1) arms.push(arms.at(-1).map(turned));
  return arms.flat();
}

/** The pawn that the last action moved, where it came from, and what it captured. */
function changes(events) {
  const news = { moved: null, from: null, hit: null };
  for (const event of events) {
    if (event.kind === "exit") Object.assign(news, { moved: event, from: YARD });
    if (event.kind === "move") Object.assign(news, { moved: event, from: event.from });
    if (event.kind === "capture") news.hit = event;
  }
  return news;
}

function start(seat) {
  return 13 * SEATS.indexOf(seat);
}

/** The centre of a pawn's place, in units of the drawing. */
function spot(seat, pawn, place, cell) {
  const middle = ([column, row]) => [(column + 0.5) * cell, (row + 0.5) * cell];
  if (place === YARD) {
    const [column, row] = CORNERS[seat];
    return [(column + 2 + 2 * (pawn % 2)) * cell, (row + 2 + 2 * Math.floor(pawn / 2)) * cell];
  }
  if (place <= LAST) return middle(RING[(start(seat) + place) % RING.length]);
  if (place < HOME) return middle(ROWS[seat](place - LAST - 1));
  const [column, row] = ROWS[seat](5);
  const [x, y] = middle([column, row]);
  const inwards = [(7.5 * cell - x) * 0.1, (7.5 * cell - y) * 0.1];
  const along = inwards[0] ? [0, 1] : [1, 0];
  const shift = (pawn - 1.5) * 0.47 * cell;
  return [x + along[0] * shift - inwards[0], y + along[1] * shift - inwards[1]];
}

function corner(seat, view, cell) {
  const [column, row] = CORNERS[seat];
  const plays = view.seats.includes(seat);
  return svg(
    "g",
    { class: plays ? "" : "lud-empty", "data-colour": plays ? seat : "none" },
    svg("rect", { class: "lud-yard", x: (column + 0.15) * cell, y: (row + 0.15) * cell, width: 5.7 * cell, height: 5.7 * cell, rx: 8 }),
    svg("rect", { class: "lud-nest", x: (column + 1) * cell, y: (row + 1) * cell, width: 4 * cell, height: 4 * cell, rx: cell }),
    plays && [0, 1, 2, 3].map((pawn) => {
      const [cx, cy] = spot(seat, pawn, YARD, cell);
      return svg("circle", { class: "lud-spot", cx, cy, r: cell * 0.42 });
    }),
    svg("text", { class: "lud-small", x: (column + 3) * cell, y: (row + 0.78) * cell, "text-anchor": "middle" }, plays ? capital(seat) : "not in play"),
  );
}

function ringSquare(square, view, cell) {
  const [column, row] = RING[square];
  const owner = view.seats.find((seat) => start(seat) === square);
  const shelter = STARS.includes(square);
  return svg(
    "g",
    { "data-colour": owner ?? "none", "data-square": square },
    svg("rect", { class: `lud-cell${owner ? " lud-own" : shelter ? " lud-shelter" : ""}`, x: column * cell, y: row * cell, width: cell, height: cell }),
    shelter && svg("path", { class: "lud-star", d: star((column + 0.5) * cell, (row + 0.5) * cell, cell * 0.42) }),
  );
}

function star(x, y, radius) {
  const point = (number) => {
    const angle = (Math.PI * number) / 5 - Math.PI / 2;
    const length = number % 2 ? radius * 0.42 : radius;
    return `${(x + length * Math.cos(angle)).toFixed(1)} ${(y + length * Math.sin(angle)).toFixed(1)}`;
  };
  return `M${Array.from({ length: 10 }, (_, number) => point(number)).join("L")}Z`;
}

function homeRow(seat, view, cell) {
  const plays = view.seats.includes(seat);
  const [column, row] = ROWS[seat](5);
  const [x, y] = [column < 7 ? 6 : column > 7 ? 9 : null, row < 7 ? 6 : row > 7 ? 9 : null];
  const base = x === null ? [[6, y], [9, y]] : [[x, 6], [x, 9]];
  const points = [...base, [7.5, 7.5]].map(([a, b]) => `${a * cell},${b * cell}`).join(" ");
  return svg(
    "g",
    { class: plays ? "" : "lud-empty", "data-colour": plays ? seat : "none" },
    [0, 1, 2, 3, 4].map((step) => {
      const [at, down] = ROWS[seat](step);
      return svg("rect", { class: `lud-cell${plays ? " lud-own" : ""}`, x: at * cell, y: down * cell, width: cell, height: cell });
    }),
    svg("polygon", { class: "lud-triangle", points }),
  );
}

/** A dot where each legal move would end. */
function targets(view, cell) {
  return view.moves.map((move) => {
    const [cx, cy] = spot(view.to_act, move.pawn - 1, move.to, cell);
    return svg("circle", { class: "lud-target", "data-move": move.pawn, cx, cy, r: cell * 0.11 });
  });
}

function origin({ moved, from }, cell) {
  if (!moved) return null;
  const [cx, cy] = spot(moved.seat, moved.pawn - 1, from, cell);
  return svg("circle", { class: "lud-from", cx, cy, r: cell * 0.4 });
}

/** A pawn: colour, shape and letter say whose, the digit which. */
function piece(seat, pawn, place, view, news, cell) {
  const [x, y] = spot(seat, pawn, place, cell);
  const inside = (...children) => svg("g", { transform: `translate(${x.toFixed(2)} ${y.toFixed(2)})` }, children);
  const moved = news.moved?.seat === seat && news.moved.pawn === pawn + 1;
  const hit = news.hit?.of === seat && news.hit.of_pawn === pawn + 1;
  const size = cell * (place === HOME ? 0.22 : 0.39);
  return svg(
    "g",
    {
      class: `lud-pawn${moved ? " lud-moved" : ""}`,
      "data-colour": seat,
      "data-seat": seat,
      "data-pawn": pawn + 1,
      "data-place": place,
      "data-key": `${seat} ${pawn}`,
      "data-x": x,
      "data-y": y,
      "data-path": moved && news.from !== YARD && way(seat, pawn, news.from, place, cell),
    },
    inside(
      svg("title", {}, `${capital(seat)}'s pawn ${pawn + 1}: ${where(seat, place)}`),
      svg("path", { class: "lud-body", d: outline(seat, size) }),
      svg("text", { class: "lud-number", y: size * (place === HOME ? 0.46 : 0.36), "font-size": size * (place === HOME ? 1.3 : 0.95) }, place === HOME ? `${pawn + 1}` : `${seat[0].toUpperCase()}${pawn + 1}`),
      moved && svg("circle", { class: "lud-ring", r: size + 4 }),
      hit && svg("circle", { class: "lud-hit", r: size + 4 }),
    ),
  );
}

/** The places that a pawn passes, the first one included. */
function way(seat, pawn, from, to, cell) {
  const passed = Array.from({ length: to - from }, (_, step) => spot(seat, pawn, from + step, cell));
  return passed.map((point) => point.map((number) => number.toFixed(1)).join(",")).join(" ");
}

/** Red is round, green square, yellow eight-sided, blue a shield. */
function outline(seat, size) {
  const s = size;
  const shapes = {
    red: `M${-s} 0A${s} ${s} 0 1 1 ${s} 0A${s} ${s} 0 1 1 ${-s} 0Z`,
    green: `M${-0.88 * s} ${-0.88 * s}H${0.88 * s}V${0.88 * s}H${-0.88 * s}Z`,
    yellow: `M${-0.42 * s} ${-s}H${0.42 * s}L${s} ${-0.42 * s}V${0.42 * s}L${0.42 * s} ${s}H${-0.42 * s}L${-s} ${0.42 * s}V${-0.42 * s}Z`,
    blue: `M${-0.9 * s} ${-0.9 * s}H${0.9 * s}V${0.25 * s}L0 ${1.08 * s}L${-0.9 * s} ${0.25 * s}Z`,
  };
  return shapes[seat];
}

function side(view, context, layout) {
  const [x, y] = layout.side;
  const [, height] = layout.panel;
  const rolled = happened(context).some((event) => event.kind === "roll");
  const dice = view.dice.map((number, index) => die(number, index, view.die, 46, rolled));
  const above = 66;
  const rolls = `${plural(view.rolls, "roll")}${view.options.cap === CAP ? "" : ` of ${view.options.cap}`}`;
  const earned = view.extra.map((reason) => REASONS[reason] ?? reason).join(", ");
  return svg(
    "g",
    { transform: `translate(${x} ${y})` },
    dice,
    svg("text", { class: "lud-small", x: dice.length ? 112 : 0, y: 20 }, rolls),
    earned && svg("text", { class: "lud-small", x: 112, y: 38 }, layout.columns === 1 ? "extra turn earned:" : `extra turn earned: ${earned}`),
    earned && layout.columns === 1 && svg("text", { class: "lud-small", x: 112, y: 54 }, svg("title", {}, earned), shorten(earned, 16)),
    view.seats.map((seat, index) => {
      const column = index % layout.columns;
      const row = Math.floor(index / layout.columns);
      return panel(seat, view, context, layout, column * (layout.panel[0] + 4), above + row * (height + layout.gap - height));
    }),
  );
}

function die(number, index, playing, size, rolled) {
  const state = index < playing ? " lud-played" : index === playing ? " lud-playing" : "";
  return svg(
    "g",
    { class: `lud-die${state}`, "data-number": number, transform: `translate(${2 + index * (size + 8)} 2)` },
    svg("title", {}, `${index ? "smaller" : "larger"} die: ${number}`),
    svg(
      "g",
      { "data-effect": rolled && "roll" },
      svg("rect", { width: size, height: size, rx: 9 }),
      PIPS[number].map(([x, y]) => svg("circle", { cx: size / 2 + x * size * 0.27, cy: size / 2 + y * size * 0.27, r: size * 0.085 })),
    ),
  );
}

function panel(seat, view, context, layout, x, y) {
  const [width, height] = layout.panel;
  const acts = view.to_act === seat;
  const won = context.outcome?.winners.includes(seat) ?? false;
  const place = context.outcome?.places[seat];
  const tag = won ? "★ winner" : place ? `place ${place}` : acts ? "to play" : null;
  const label = context.label(seat);
  const home = view.pawns[seat].filter((each) => each === HOME).length;
  const yard = view.pawns[seat].filter((each) => each === YARD).length;
  const line = height - 14;
  return svg(
    "g",
    {
      class: ["lud-seat", acts && "lud-acts", won && "lud-won"].filter(Boolean).join(" "),
      "data-seat": seat,
      "data-colour": seat,
      transform: `translate(${x} ${y})`,
    },
    svg("rect", { class: "lud-panel", width, height, rx: 12 }),
    svg("path", { class: "lud-body", d: outline(seat, 8), transform: "translate(20 19)" }),
    svg("text", { class: "lud-name", x: 36, y: 24 }, capital(seat)),
    label && svg("text", { class: "lud-label", x: 12, y: 42 }, svg("title", {}, label), shorten(label, 26)),
    svg("text", { class: "lud-small lud-count", x: 12, y: line }, `${home} home, ${4 - home - yard} out, ${yard} in yard`),
    tag && tagged(tag, width),
  );
}

function tagged(tag, right) {
  const width = tag.length * 6.1 + 16;
  return svg(
    "g",
    { class: "lud-tag", transform: `translate(${right - width - 8} 9)` },
    svg("rect", { width, height: 19, rx: 9.5 }),
    svg("text", { x: width / 2, y: 13.2 }, tag),
  );
}

function where(seat, place) {
  if (place === YARD) return "in the yard";
  if (place === HOME) return "home";
  if (place > LAST) return `place ${place}, home row`;
  const square = (start(seat) + place) % RING.length;
  return `place ${place}, square ${square}${STARS.includes(square) ? ", a star" : ""}`;
}

function signs() {
  const on = (...inside) => svg("svg", { class: "lud", viewBox: "-11 -11 22 22", "aria-hidden": "true" }, inside);
  return [
    ...SEATS.map((seat) => [on(svg("path", { class: "lud-body", "data-colour": seat, d: outline(seat, 9) })), `${seat}'s pawns`]),
    [on(svg("path", { class: "lud-star", d: star(0, 0, 9) })), "a star: no pawn is captured here"],
    [on(svg("circle", { class: "lud-ring", r: 8 })), "the pawn that moved"],
    [on(svg("circle", { class: "lud-from", r: 8 })), "where it came from"],
    [on(svg("circle", { class: "lud-hit", r: 8 })), "the pawn that was captured"],
    [on(svg("circle", { class: "lud-target", r: 3 })), "where a legal move would end"],
  ];
}

/** The board in words, for those who hear it. */
function describe(view, context) {
  const seats = view.seats.map((seat) => {
    const pawns = view.pawns[seat].map((place, pawn) => `pawn ${pawn + 1} ${where(seat, place)}`);
    return `${capital(seat)}: ${pawns.join("; ")}.`;
  });
  const dice = view.dice.length ? [`Dice ${view.dice.join(" and ")}.`] : [];
  return [`${status(view, context)}.`, ...dice, ...seats].join(" ");
}
