// Where a reader is, as an address says it: the ply, whose eyes, and whether what was hidden is shown.

import { SPECTATOR } from "./model.js";

/** What an address's parameters ask for; `ply=end` is the last one. */
export function readPlace(parameters) {
  const ply = parameters.get("ply");
  const known = parameters.get("known");
  return {
    ply: ply === "end" ? Infinity : Number(ply ?? 0),
    eyes: parameters.get("eyes"),
    known: known === null ? undefined : known === "1",
  };
}

/** Sets them; what goes without saying is left out. */
export function writePlace(parameters, ply, eyes, known) {
  const plain = eyes === SPECTATOR;
  const values = { ply: String(ply), eyes: plain ? null : eyes, known: known === !plain ? null : known ? "1" : "0" };
  for (const [name, value] of Object.entries(values)) {
    if (value === null) parameters.delete(name);
    else parameters.set(name, value);
  }
  return parameters;
}
