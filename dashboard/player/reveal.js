// After the game: what was hidden while it was played, in one place.

import { capital, el, plain, plural, shorten } from "./dom.js";
import { badge, plyButton } from "./lists.js";

const MOST = 200;

/** The panel's content for a match that is over; `go` jumps to a ply. Empty where nothing was hidden. */
export function revealView(model, board, go) {
  const view = model.view(model.last, "spectator");
  const facts = board.reveal?.(view, model.frames) ?? [];
  const private_ = model.messages.filter((said) => said.addressee !== "all");
  const thought = model.details ? [...model.turns.keys()].filter((ply) => model.details.turn(ply).thoughts) : [];
  const parts = [
    facts.length ? el("dl", { class: "pl-facts" }, facts.map(([term, value]) => [el("dt", {}, term), el("dd", {}, value)])) : null,
    private_.length ? privately(model, private_, go) : null,
    thought.length ? thoughts(model, thought, go) : null,
  ].filter(Boolean);
  return parts.length ? [el("h3", {}, "After the game"), el("p", { class: "pl-quiet" }, "What was hidden while it was played."), ...parts] : [];
}

function privately(model, messages, go) {
  const shown = messages.slice(0, MOST);
  return el(
    "details",
    { class: "pl-fold", open: messages.length <= 6 },
    el("summary", {}, plural(messages.length, "private message")),
    el("ol", { class: "pl-told" }, shown.map((said) =>
      el("li", {}, plyButton(Math.min(said.ply, model.last), go), badge(said.sender), el("span", { dir: "auto" }, `${capital(said.sender)} to ${capital(said.addressee)}: `, shorten(said.text, 300))),
    )),
    more(messages.length),
  );
}

/** Made when it is opened: there may be thousands. */
function thoughts(model, plies, go) {
  const list = el("ol", { class: "pl-told" });
  const fill = () => {
    if (list.childElementCount) return;
    for (const ply of plies.slice(0, MOST)) {
      const { seat, action } = model.frame(ply);
      list.append(
        el("li", {}, plyButton(ply, go), badge(seat), el("span", { dir: "auto" }, el("code", {}, action), " ", shorten(model.details.turn(ply).thoughts, 300))),
      );
    }
  };
  const fold = el("details", { class: "pl-fold", ontoggle: fill }, el("summary", {}, plain(`Thoughts behind ${plural(plies.length, "move")}`)), list, more(plies.length));
  return fold;
}

function more(length) {
  return length > MOST ? el("p", { class: "pl-quiet" }, `The first ${MOST} of ${length}; the others stand with their plies.`) : null;
}
