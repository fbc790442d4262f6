// The ground of the trap race's board: tiles, terrain by biome, the numbers of rows and columns.

import { svg } from "../../dom.js";

export const ROWS = 31;
const COLUMNS = 30;
const BIOMES = {
  grass: { light: ["#d7e8c5", "#8fb878", "#8ec3e6"], dark: ["#26361f", "#3f5d33", "#1f4f74"] },
  desert: { light: ["#f1e2bd", "#c7a764", "#86c5cf"], dark: ["#3d3421", "#665329", "#1f5a63"] },
  ice: { light: ["#edf4f8", "#b3c9d2", "#8db8e4"], dark: ["#29343c", "#44565f", "#23507f"] },
};

export const groundStyle = `
${Object.entries(BIOMES)
  .map(([biome, { light, dark }]) => [[".trp", light], ['.pl[data-theme="dark"] .trp', dark]]
    .map(([where, [plains, forest, water]]) => `${where}[data-biome="${biome}"] { --plains: ${plains}; --forest: ${forest}; --water: ${water}; }`)
    .join("\n"))
  .join("\n")}
.trp-plains { fill: var(--plains); }
.trp-forest { fill: var(--forest); }
.trp-water { fill: var(--water); }
.trp-trees { fill: color-mix(in srgb, var(--forest) 62%, var(--ink)); }
.trp-waves { fill: none; stroke: color-mix(in srgb, var(--water) 60%, var(--ink)); stroke-width: 1; }
.trp-grid { fill: none; stroke: color-mix(in srgb, var(--ink) 14%, transparent); stroke-width: .5; }
.trp-rows { fill: none; stroke: color-mix(in srgb, var(--ink) 55%, transparent); stroke-width: 1.1; stroke-dasharray: 5 3; }
.trp .trp-axis { fill: var(--muted); }
`;

/** The upper left corner of a tile. */
export function corner(tile, size) {
  const [row, column] = tile.split(",").map(Number);
  return { x: column * size, y: (ROWS - 1 - row) * size };
}

export function centre(tile, size) {
  const { x, y } = corner(tile, size);
  return [x + size / 2, y + size / 2];
}

/** The terrain as one shape a kind, with trees and waves, so that colour is not all that tells them apart. */
export function ground(terrain, size) {
  const unit = size / 18;
  const near = (number) => Math.round(number * 10) / 10;
  const steps = (from) => Array.from({ length: ROWS + 1 }, (_, step) => near((step + from) * size));
  const [edges, middles] = [steps(0), steps(0.5)];
  const shapes = { f: "", w: "" };
  const signs = { f: "", w: "" };
  const sign = {
    f: `m${near(-5 * unit)} ${near(5 * unit)}l${near(5 * unit)} ${near(-10 * unit)}l${near(5 * unit)} ${near(10 * unit)}z`,
    w: `m${near(-6 * unit)} 0q${near(3 * unit)} ${near(-4 * unit)} ${near(6 * unit)} 0t${near(6 * unit)} 0`,
  };
  terrain.forEach((row, number) => {
    const line = ROWS - 1 - number;
    // Tiles of a kind that lie side by side are one stretch.
    for (const { 0: stretch, index } of row.matchAll(/f+|w+/g)) {
      const [kind, width] = [stretch[0], edges[stretch.length]];
      shapes[kind] += `M${edges[index]} ${edges[line]}h${width}v${size}h${-width}z`;
      for (let column = index; column < index + stretch.length; column += 1) signs[kind] += `M${middles[column]} ${middles[line]}${sign[kind]}`;
    }
  });
  const rows = edges.map((y) => `M0 ${y}h${edges[COLUMNS]}`);
  const columns = edges.slice(0, COLUMNS + 1).map((x) => `M${x} 0v${edges[ROWS]}`);
  const neutral = (ROWS - 1) / 2;
  return [
    svg("rect", { class: "trp-plains", width: COLUMNS * size, height: ROWS * size }),
    svg("path", { class: "trp-forest", d: shapes.f }),
    svg("path", { class: "trp-water", d: shapes.w }),
    svg("path", { class: "trp-trees", d: signs.f }),
    svg("path", { class: "trp-waves", d: signs.w }),
    svg("path", { class: "trp-grid", d: [...rows, ...columns].join("") }),
    svg("path", { class: "trp-rows", d: [rows[neutral], rows[neutral + 1]].join("") }),
  ];
}

/** The numbers of rows and columns, each axis as one text in which every digit has its place. */
export function axes(size) {
  const font = Math.min(9, size * 0.58);
  const axis = (length, place) => {
    const digits = Array.from({ length }, (_, number) =>
      [...String(number)].map((digit, index, all) => [digit, ...place(number, (index - (all.length - 1) / 2) * font * 0.58)]),
    ).flat();
    const list = (part) => digits.map((digit) => digit[part].toFixed(1)).join(" ");
    return svg("text", { class: "trp-axis", "font-size": font, x: list(1), y: list(2) }, digits.map(([digit]) => digit).join(""));
  };
  return [
    axis(ROWS, (number, shift) => [shift - size * 0.6, (ROWS - 0.5 - number) * size + font * 0.36]),
    axis(COLUMNS, (number, shift) => [(number + 0.5) * size + shift, -size * 0.25]),
  ];
}
