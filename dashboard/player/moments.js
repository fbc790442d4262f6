// What a reader may want to jump to: captures, donations, broken pledges, answers that could not be played.

const CAPTURES = { label: "Capture", is: (event) => event.kind === "capture" };
/** Faults of an answer itself; that a provider was away is none. */
const FAULTS = new Set(["content_filter", "refusal", "empty", "truncated", "unreadable", "illegal"]);

/** The kinds of moments, each with its plies in order; `any` has them all. */
export function moments(model, reader, board) {
  const { events, messages } = model.visible(reader);
  const of = (is) => events.filter((item) => is(item.event)).map((item) => item.at);
  const captures = board.captures ?? CAPTURES;
  const pledges = messages.flatMap(({ message }) => message.pledges ?? []);
  const broken = pledges.filter((pledge) => pledge.verdict === "broken").map((pledge) => pledge.verdict_ply);
  const all = reader === "spectator";
  const faults = model.calls.filter((call) => FAULTS.has(call.error_kind) && (all || call.seat === reader));
  const kinds = [
    { id: "capture", label: captures.label, plies: of(captures.is) },
    { id: "donation", label: "Donation", plies: of((event) => event.kind === "donate") },
    { id: "broken", label: "Broken pledge", plies: broken },
    { id: "illegal", label: "Illegal answer", plies: faults.map((call) => call.ply) },
  ].map((kind) => ({ ...kind, plies: inOrder(kind.plies, model.last) }));
  return [{ id: "any", label: "Any moment", plies: inOrder(kinds.flatMap((kind) => kind.plies), model.last) }, ...kinds];
}

function inOrder(plies, last) {
  return [...new Set(plies)].filter((ply) => ply > 0 && ply <= last).sort((one, other) => one - other);
}

/** The nearest of some plies in a direction (1 or -1), or null. */
export function nearest(plies, ply, direction) {
  if (direction > 0) return plies.find((one) => one > ply) ?? null;
  return plies.findLast((one) => one < ply) ?? null;
}
