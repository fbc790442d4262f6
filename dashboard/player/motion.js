// Movement on the board. The position is drawn at once and whole; what moves only looks as if it were still on its way.
//
// A board marks what can move with `data-key` and its place (`data-x`, `data-y`, in units of the drawing). A thing that
// was drawn elsewhere before glides from there; `data-path` ("x,y x,y …", oldest first) says where else it came from.
// `data-ghost` marks what is seen only on its way and then gone, `data-effect` what is set off: burst, roll, pop.

const LONGEST = 480;
const EFFECTS = {
  burst: [{ transform: "scale(2.6)", opacity: 0 }, { transform: "scale(1.5)", opacity: 1, offset: 0.4 }, { transform: "scale(1)" }],
  roll: [{ transform: "rotate(-220deg) scale(.5)", opacity: 0.2 }, { transform: "rotate(20deg) scale(1.1)", offset: 0.75 }, { transform: "none" }],
  pop: [{ transform: "scale(.2)", opacity: 0 }, { transform: "scale(1.15)", offset: 0.7 }, { transform: "scale(1)" }],
};

/** Where everything that can move stands in a drawing. */
export function places(stage) {
  const found = new Map();
  for (const node of stage.querySelectorAll("[data-key]:not([data-ghost])")) found.set(node.dataset.key, at(node));
  return found;
}

function at(node) {
  return [Number(node.dataset.x), Number(node.dataset.y)];
}

/** Milliseconds that a move may take while plies follow each other so fast; 0 where there is no time for any. */
export function span(perPly) {
  const time = Math.min(LONGEST, perPly * 0.6);
  return time < 100 || window.matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : time;
}

/** Sets a new drawing in motion. `forward`: it follows the old one, so what its events tell is shown too. */
export function animate(stage, before, duration, forward) {
  const timing = { duration, easing: "cubic-bezier(.3, .7, .3, 1)" };
  for (const node of stage.querySelectorAll("[data-key]")) {
    const path = forward && node.dataset.path ? node.dataset.path.split(" ").map((point) => point.split(",").map(Number)) : null;
    const [x, y] = at(node);
    const points = path ?? (before.has(node.dataset.key) ? [before.get(node.dataset.key)] : []);
    const ghost = "ghost" in node.dataset;
    const ways = points.filter(([a, b], place) => place < points.length - 1 || Math.abs(a - x) + Math.abs(b - y) > 0.5);
    if (!ways.length && !ghost) continue;
    const frames = [...ways, [x, y]].map(([a, b]) => ({ transform: `translate(${(a - x).toFixed(1)}px, ${(b - y).toFixed(1)}px)` }));
    if (ghost) {
      if (!forward) continue;
      frames[0].opacity = 1;
      frames.push({ ...frames.at(-1), opacity: 1, offset: 0.7 }, { ...frames.at(-1), opacity: 0 });
      frames.splice(-3, 1);
    }
    node.animate(frames, timing);
  }
  if (!forward) return;
  for (const node of stage.querySelectorAll("[data-effect]")) node.animate(EFFECTS[node.dataset.effect], { ...timing, fill: "backwards" });
}
