// So Long Sucker's table: four seats around it, piles seen from the side, hands as chips seen from above.

import { capital, happened, shorten, svg } from "../dom.js";

const SEATS = ["red", "blue", "green", "yellow"];
const PANEL = { width: 178, height: 108 };
const WIDE = {
  width: 780,
  height: 560,
  seats: { red: [301, 444], blue: [8, 226], green: [301, 8], yellow: [594, 226] },
  felt: [100, 62, 580, 436],
  piles: [198, 126, 384, 308],
  dead: [594, 444],
};
const NARROW = {
  width: 376,
  height: 584,
  seats: { blue: [4, 4], green: [194, 4], red: [4, 400], yellow: [194, 400] },
  felt: [4, 122, 368, 268],
  piles: [18, 130, 340, 252],
  dead: [99, 516],
};
const PHASES = {
  play: (seat) => `${seat} to play`,
  kill: (seat) => `${seat} captured and takes one chip out of the game`,
  next: (seat) => `${seat} chooses who goes next`,
  ask: (seat) => `${seat} has no chip and asks for one`,
  answer: (seat, view) => `${seat} is asked by ${capital(view.mover)} for a chip`,
};
const PRESETS = {
  modern: { captor: "mover", choice: "table", order: "deepest", donors: "any", heir: "rebound" },
  classic: { captor: "owner", choice: "pile", order: "latest", donors: "prisoners", heir: "rebound" },
};
const TAGS = { play: "to play", kill: "to kill", next: "chooses next", ask: "asks", answer: "answers" };

const STYLE = `
.sls { --chip: var(--muted); --on-chip: #fff; font-family: inherit; }
.sls [data-colour="red"] { --chip: var(--red); }
.sls [data-colour="blue"] { --chip: var(--blue); }
.sls [data-colour="green"] { --chip: var(--green); }
.sls [data-colour="yellow"] { --chip: var(--yellow); --on-chip: #332600; }
.sls text { fill: var(--ink); }
.sls-felt { fill: var(--felt); stroke: var(--felt-edge); stroke-width: 1.5; }
.sls-panel { fill: var(--ground); stroke: var(--line); stroke-width: 1.2; }
.sls-stripe { fill: var(--chip); }
.sls-name { font-size: 15px; font-weight: 600; }
.sls-label { font-size: 12px; }
.sls text.sls-label, .sls text.sls-caption, .sls text.sls-none { fill: var(--muted); }
.sls-caption { font-size: 10.5px; text-anchor: middle; }
.sls-start { text-anchor: start; }
.sls-none { font-size: 14px; text-anchor: middle; }
.sls-rule { stroke: var(--line); }
.sls-tag rect { fill: color-mix(in srgb, var(--ink) 9%, var(--ground)); }
.sls-tag text { font-size: 11px; font-weight: 600; text-anchor: middle; }
.sls-acts .sls-panel { stroke: var(--accent); stroke-width: 2.4; }
.sls-acts .sls-tag rect { fill: var(--accent); }
.sls-acts .sls-tag text { fill: var(--on-accent); }
.sls-won .sls-panel { stroke: var(--good); stroke-width: 2.4; }
.sls-tag.sls-tag-won rect { fill: var(--good); }
.sls-tag.sls-tag-won text { fill: var(--ground); }
.sls-out .sls-panel { stroke-dasharray: 4 4; }
.sls-out .sls-name { text-decoration: line-through; }
.sls-out circle, .sls-out > .sls-stripe { opacity: .42; }
.sls .sls-out > .sls-name { fill: var(--muted); }
.sls :is(.sls-out, .sls-spent) text.sls-letter { fill: var(--ink); }
.sls-chip { fill: var(--chip); stroke: color-mix(in srgb, var(--chip) 72%, #000); stroke-width: 1; }
.sls-rim { fill: none; stroke: color-mix(in srgb, var(--on-chip) 75%, transparent); stroke-width: 1.6; stroke-dasharray: 4 4.01; }
.sls-notch { fill: rgb(255 255 255 / .55); }
.sls text.sls-letter { fill: var(--on-chip); font-weight: 600; text-anchor: middle; }
.sls-round .sls-letter { font-size: 12.5px; }
.sls text.sls-times { font-size: 12px; font-weight: 600; text-anchor: start; paint-order: stroke; stroke: var(--ground); stroke-width: 3px; }
.sls-spent circle { opacity: .38; }
.sls-fresh > .sls-chip { stroke: var(--ink); stroke-width: 2.2; }
.sls text.sls-number { fill: var(--muted); font-weight: 600; text-anchor: middle; }
.sls-captured .sls-frame { fill: color-mix(in srgb, var(--accent) 12%, transparent); stroke: var(--accent); stroke-width: 1.6; stroke-dasharray: 5 4; }
.sls .sls-captured text.sls-number { fill: var(--accent); }
.sls-shadow { fill: #000; opacity: .13; }
.sls-box { fill: var(--soft); stroke: var(--line); stroke-dasharray: 4 4; }
`;

export const board = { status, draw, settings, signs, style: STYLE };

/** The options that set this match apart: a switch is named only where it departs from its preset. */
function settings(options) {
  const preset = PRESETS[options.rules] ?? {};
  const switches = Object.keys(PRESETS.modern).filter((key) => key in options && options[key] !== preset[key]);
  return [`${options.chips ?? 7} chips`, `${options.rules ?? "modern"} rules`, ...switches.map((key) => `${key} ${options[key]}`)];
}

function status(view, { outcome, frame }) {
  if (view.phase === "over" || (outcome && !frame.to_act)) return "The match is over";
  return PHASES[view.phase]?.(capital(view.to_act), view) ?? "";
}

function draw(view, context) {
  const layout = context.narrow ? NARROW : WIDE;
  const news = changes(happened(context));
  const [x, y, width, height] = layout.felt;
  return svg(
    "svg",
    { class: "sls", viewBox: `0 0 ${layout.width} ${layout.height}`, role: "img", "aria-label": describe(view, context) },
    svg("rect", { class: "sls-felt", x, y, width, height, rx: context.narrow ? 18 : 60 }),
    piles(view, layout, news),
    SEATS.map((seat) => panel(seat, view, context, layout.seats[seat], news)),
    deadBox(view, layout.dead, news),
    flights(happened(context), layout),
  );
}

/** What the last action touched, to be set off from the rest. */
function changes(events) {
  const news = { piles: new Set(), dead: new Set(), given: null, played: null, captured: "captured" };
  for (const event of events) {
    if (event.kind === "play") Object.assign(news, { played: event, piles: new Set([event.pile]) });
    if (event.kind === "capture") news.captured = event.pile;
    if (event.kind === "kill") news.dead.add(event.colour);
    if (event.kind === "to_dead") for (const colour of event.chips) news.dead.add(colour);
    if (event.kind === "donate") news.given = event;
  }
  return news;
}

/** Chips that change hands beside the piles, as they are seen on their way. */
function flights(events, layout) {
  const [x, y, width, height] = layout.piles;
  const table = [x + width / 2, y + height / 2];
  const dead = [layout.dead[0] + 28, layout.dead[1] + 40];
  const ways = events.flatMap((event) => {
    if (event.kind === "donate") return [[event.colour, hands(event.seat, layout), hands(event.to, layout)]];
    if (event.kind === "kill") return [[event.colour, table, dead]];
    return event.kind === "to_dead" ? event.chips.map((colour) => [colour, table, dead]) : [];
  });
  return ways.map(([colour, from, to], place) =>
    svg(
      "g",
      { "data-key": `flight ${place}`, "data-ghost": true, "data-x": to[0], "data-y": to[1], "data-path": from.join(",") },
      round(...to, colour, 1),
    ),
  );
}

/** Where a seat's chips are drawn. */
function hands(seat, layout) {
  const [x, y] = layout.seats[seat];
  return [x + 26, y + 70];
}

function panel(seat, view, context, [x, y], news) {
  const alive = view.alive.includes(seat);
  const acts = view.to_act === seat;
  const won = context.outcome?.winners.includes(seat) ?? false;
  const place = context.outcome?.places[seat];
  const tag = won ? "★ winner" : alive ? acts && (TAGS[view.phase] ?? "to act") : place ? `out · place ${place}` : "out";
  const classes = ["sls-seat", !alive && "sls-out", acts && "sls-acts", won && "sls-won", context.eyes === seat && "sls-eyes"];
  const label = context.label(seat);
  return svg(
    "g",
    { class: classes.filter(Boolean).join(" "), "data-seat": seat, transform: `translate(${x} ${y})` },
    svg("rect", { class: "sls-panel", width: PANEL.width, height: PANEL.height, rx: 12 }),
    svg("rect", { class: "sls-stripe", "data-colour": seat, x: 12, y: 0, width: PANEL.width - 24, height: 3, rx: 1.5 }),
    svg("text", { class: "sls-name", x: 12, y: 24 }, capital(seat)),
    label && svg("text", { class: "sls-label", x: 12, y: 40 }, svg("title", {}, label), shorten(label, 24)),
    tag && tagged(tag, won),
    hand(seat, view, news),
  );
}

function tagged(tag, won) {
  const width = tag.length * 6.1 + 16;
  return svg(
    "g",
    { class: `sls-tag${won ? " sls-tag-won" : ""}`, transform: `translate(${PANEL.width - width - 8} 10)` },
    svg("rect", { width, height: 19, rx: 9.5 }),
    svg("text", { x: width / 2, y: 13.2 }, tag),
  );
}

function hand(seat, view, news) {
  const prisoners = SEATS.filter((colour) => view.prisoners[seat]?.[colour]);
  const given = news.given?.to === seat ? news.given.colour : null;
  const held = svg(
    "g",
    { transform: "translate(12 56)" },
    round(14, 14, seat, view.supply[seat], given === seat, view.supply[seat] === 0),
    svg("text", { class: "sls-caption sls-start", x: 0, y: 42 }, "supply"),
  );
  const step = 38;
  const others = prisoners.map((colour, index) =>
    round(70 + index * step, 14, colour, view.prisoners[seat][colour], given === colour),
  );
  return [
    held,
    svg("line", { class: "sls-rule", x1: 58, x2: 58, y1: 58, y2: 96 }),
    svg(
      "g",
      { transform: "translate(12 56)" },
      others,
      svg("text", { class: "sls-caption sls-start", x: 56, y: 42 }, prisoners.length ? "prisoners" : "no prisoners"),
    ),
  ];
}

/** A chip from above, with how many there are of it. */
function round(x, y, colour, number, fresh = false, spent = false) {
  return svg(
    "g",
    { class: `sls-round${fresh ? " sls-fresh" : ""}${spent ? " sls-spent" : ""}`, "data-colour": colour, transform: `translate(${x} ${y})` },
    svg("circle", { class: "sls-chip", r: 13 }),
    svg("circle", { class: "sls-rim", r: 10.2 }),
    svg("text", { class: "sls-letter", y: 4.4 }, letter(colour)),
    svg("text", { class: "sls-times", x: 10, y: -6.5 }, number > 1 || spent ? `${number}` : ""),
  );
}

function letter(colour) {
  return colour[0].toUpperCase();
}

/** Every pile bottom to top, in as many rows as they need; the captured one, which has left the table, stands first. */
function piles(view, layout, news) {
  const stacks = view.piles.map((pile) => ({
    chips: pile.chips,
    title: `${pile.id}`,
    key: pile.id,
    fresh: news.piles.has(pile.id) || view.last_pile === pile.id,
  }));
  if (view.captured) stacks.unshift({ chips: view.captured, title: "captured", captured: true, key: news.captured });
  const [x, y, width, height] = layout.piles;
  if (!stacks.length) return svg("text", { class: "sls-none", x: x + width / 2, y: y + height / 2 }, "no piles on the table");
  const { scale, rows } = arrange(stacks, width, height);
  const total = rows.reduce((sum, row) => sum + rowHeight(row, scale), 0);
  let bottom = y + (height - total) / 2;
  return rows.map((row) => {
    bottom += rowHeight(row, scale);
    const left = x + (width - row.length * slot(scale)) / 2;
    return row.map((stack, index) => column(stack, left + index * slot(scale), bottom - 24 * scale - 4, scale, layout, news));
  });
}

function slot(scale) {
  return 66 * scale;
}

function rowHeight(row, scale) {
  return Math.max(...row.map((stack) => stack.chips.length)) * 21 * scale + 24 * scale + 14;
}

/** The largest scale at which all stacks fit, and the rows they stand in. */
function arrange(stacks, width, height) {
  for (let scale = 1.25; ; scale -= 0.05) {
    const most = Math.max(1, Math.floor(width / slot(scale)));
    const needed = Math.ceil(stacks.length / most);
    const each = Math.ceil(stacks.length / needed);
    const rows = Array.from({ length: needed }, (_, row) => stacks.slice(row * each, (row + 1) * each)).filter((row) => row.length);
    const total = rows.reduce((sum, row) => sum + rowHeight(row, scale), 0);
    if (total <= height || scale <= 0.25) return { scale, rows };
  }
}

function column(stack, left, base, scale, layout, news) {
  const width = 54 * scale;
  const thick = 19 * scale;
  const pitch = 21 * scale;
  const x = left + (slot(scale) - width) / 2;
  const top = base - stack.chips.length * pitch;
  const last = stack.chips.length - 1;
  return svg(
    "g",
    { class: `sls-pile${stack.captured ? " sls-captured" : ""}`, "data-pile": stack.title },
    stack.captured && svg("rect", { class: "sls-frame", x: x - 5, y: top - 5, width: width + 10, height: base - top + 9, rx: 8 }),
    svg("ellipse", { class: "sls-shadow", cx: x + width / 2, cy: base + 1, rx: width * 0.56, ry: 4.5 * scale }),
    stack.chips.map((colour, index) => {
      const y = base - (index + 1) * pitch;
      const laid = index === last && news.played?.pile === stack.key;
      return svg(
        "g",
        {
          class: `sls-side${stack.fresh && index === last ? " sls-fresh" : ""}`,
          "data-colour": colour,
          "data-key": `${stack.key}.${index}`,
          "data-x": x,
          "data-y": y,
          "data-path": laid && hands(news.played.seat, layout).join(","),
        },
        svg("rect", { class: "sls-chip", x, y, width, height: thick, rx: 5.5 * scale }),
        svg("rect", { class: "sls-notch", x: x + width * 0.13, y, width: width * 0.11, height: thick }),
        svg("rect", { class: "sls-notch", x: x + width * 0.76, y, width: width * 0.11, height: thick }),
        svg("text", { class: "sls-letter", x: x + width / 2, y: y + thick * 0.75, "font-size": 14 * scale }, letter(colour)),
      );
    }),
    svg("text", { class: "sls-number", x: x + width / 2, y: base + 17 * scale + 2, "font-size": Math.max(9.5, 12.5 * scale) }, stack.title),
  );
}

function deadBox(view, [x, y], news) {
  const dead = SEATS.filter((colour) => view.dead[colour]);
  return svg(
    "g",
    { class: "sls-dead", transform: `translate(${x} ${y})` },
    svg("rect", { class: "sls-box", width: PANEL.width, height: 62, rx: 12 }),
    svg("text", { class: "sls-caption sls-start", x: 12, y: 17 }, dead.length ? "dead box" : "dead box: empty"),
    dead.map((colour, index) => round(28 + index * 40, 40, colour, view.dead[colour], news.dead.has(colour))),
  );
}

function signs() {
  const on = (...inside) => svg("svg", { class: "sls", viewBox: "-16 -16 34 32", "aria-hidden": "true" }, inside);
  return [
    [on(round(0, 0, "red", 3)), "chips in a hand: colour, first letter, how many"],
    [on(round(0, 0, "blue", 0, false, true)), "faded: none left"],
    [on(round(0, 0, "green", 1, true)), "dark rim: just given or killed"],
  ];
}

/** The table in words, for those who hear it. */
function describe(view, context) {
  const chips = (colours) => colours.join(", ");
  const seats = SEATS.map((seat) => {
    if (!view.alive.includes(seat)) return `${capital(seat)} is out.`;
    const prisoners = SEATS.filter((colour) => view.prisoners[seat]?.[colour]).map((colour) => `${view.prisoners[seat][colour]} ${colour}`);
    return `${capital(seat)}: ${view.supply[seat]} in supply, ${prisoners.length ? `prisoners ${chips(prisoners)}` : "no prisoners"}.`;
  });
  const table = view.piles.map((pile) => `Pile ${pile.id}, bottom to top: ${chips(pile.chips)}.`);
  const captured = view.captured ? [`Captured pile: ${chips(view.captured)}.`] : [];
  const dead = SEATS.filter((colour) => view.dead[colour]).map((colour) => `${view.dead[colour]} ${colour}`);
  const box = `Dead box: ${dead.length ? chips(dead) : "empty"}.`;
  return [`${status(view, context)}.`, ...captured, ...(table.length ? table : ["No piles."]), ...seats, box].join(" ");
}
